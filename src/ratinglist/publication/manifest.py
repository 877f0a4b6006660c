"""The manifest of a published revision, ``manifest.json``: its one encoding, and the digest that people quote.

The file is JSON, indented by two, in a fixed order: ``month``, ``revision``, the facts (sorted at every depth),
``files`` (sorted by name), and last ``digest``. The digest
is the sha256 of everything before it in the canonical form of RFC 8785: keys sorted, no space, UTF-8. So two manifests
with one digest have the same content; and because the file must have exactly this encoding, a changed space is found
too.

Its ``provenance`` states the calculation that the list shows, and the earlier ones that it was made from.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ratinglist.files.durable_files import COUNT, DIGEST, digest_of, fits
from ratinglist.home.history import READINGS, History
from ratinglist.period import MONTH_NAME, Period
from ratinglist.store.table_files import FileEntry
from ratinglist.system_errors import first_line

if TYPE_CHECKING:
    from ratinglist.store.calculations import Calculation
    from ratinglist.store.database import Store

MANIFEST = "manifest.json"
SIGNATURE = "manifest.json.sig"

_FILE_NAME = re.compile(r"(?!manifest\.json(\.sig)?\Z)[A-Za-z0-9_][A-Za-z0-9_.-]*")
_SHAPE = {"month": MONTH_NAME, "revision": COUNT, "files": (_FILE_NAME, dict), "digest": DIGEST}
_ENTRY = {"sha256": DIGEST, "bytes": COUNT, "rows": COUNT}
_OF_LIST = {**_ENTRY, "logical_sha256": DIGEST}
OWN_FACTS = frozenset(_SHAPE)
"""The keys that the manifest has besides the facts; no fact may have such a name."""


class NotAManifestError(Exception):
    """The bytes are not a manifest as this program writes it; the message is the reason."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """A manifest. ``facts``: all keys that are not fields here."""

    month: str
    revision: int
    facts: dict[str, Any]
    files: dict[str, dict[str, Any]]
    digest: str


def encode(period: Period, revision: int, facts: Mapping[str, object], files: Mapping[str, FileEntry]) -> bytes:
    """Return the bytes of a manifest.

    ``facts``: JSON values without fractions, lists in the caller's order. ``files``: the entries by file name.
    """
    # Sorted at every depth, so that the order in which the caller gathered the facts does not matter.
    sorted_facts = json.loads(json.dumps(dict(facts), sort_keys=True))
    entries = {name: {key: entry[key] for key in _OF_LIST if key in entry} for name, entry in sorted(files.items())}
    content = {"month": str(period), "revision": revision, **sorted_facts, "files": entries}
    text = json.dumps({**content, "digest": digest_of(content)}, ensure_ascii=False, indent=2)
    return f"{text}\n".encode()


def months_before(facts: Mapping[str, Any], period: Period) -> dict[str, str]:
    """Return the month of the list before, by time control: the newest that a list was calculated from.

    ``facts``: of its manifest.
    """
    newest: dict[str, str] = {}
    for entry in sorted(facts.get("inputs", {}).get("lists", [])):
        found = re.match(r"([12]\d{3}-(?:0[1-9]|1[0-2])) (\w+)", entry)
        if found and found[1] < str(period):
            newest[found[2]] = found[1]
    return newest


def read(data: bytes) -> Manifest:
    """Parse the bytes of a manifest.

    Raises :class:`NotAManifestError` for any bytes that :func:`encode` would not have returned: where they are not
    JSON, a key is missing or its value is of another kind, the encoding is another, or the digest is not that of the
    content.
    """
    try:
        content = json.loads(data.decode("utf-8"))
        is_manifest = fits({key: content[key] for key in _SHAPE}, _SHAPE)
        digest = digest_of(content)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise NotAManifestError(f"it is not JSON as a manifest has it ({first_line(error)})") from None
    if not is_manifest or not all(fits(one, _ENTRY) or fits(one, _OF_LIST) for one in content["files"].values()):
        raise NotAManifestError("it does not have the keys and values of a manifest")
    if digest != content["digest"]:
        raise NotAManifestError(f"its digest is {content['digest']}, and its content has {digest}")
    facts = {key: value for key, value in content.items() if key not in OWN_FACTS}
    if encode(Period.parse(content["month"]), content["revision"], facts, content["files"]) != data:
        raise NotAManifestError("it is not formatted as ratinglist writes it")
    return Manifest(content["month"], content["revision"], facts, content["files"], content["digest"])


def provenance_of(store: Store, calculation: Calculation) -> dict[str, object]:
    """Return the provenance of a calculated month.

    - ``calculation``: its id;
    - ``stands_on``: the months calculated before, each ``month calculation``;
    - ``readings``: :data:`~ratinglist.home.history.READINGS`.
    """
    standing = store.log.history.standing_calculations()
    before = sorted(month for month in standing if month < str(calculation.period))
    return {
        "calculation": calculation.calculation_id,
        "stands_on": [f"{month} {standing[month].facts['calculation_id']}" for month in before],
        "readings": READINGS,
    }


def lists_before(history: History, calculation: Calculation, published_now: Mapping[str, int]) -> dict[str, str]:
    """Return the published revision that the ratings of each time control are added to, such as ``2025-10/r1``.

    ``published_now``: the revisions that are published together with it. A month that is not published yet has that of
    its preview: it is published first, and people may approve both before. Left out are imported lists, and those of
    which no revision shows the corrected figures.
    """
    previewed = {month: int(preview["revision"]) for month, preview in history.previews.items()}
    now = {**previewed, **history.current, **published_now}
    shown = {month: number for month, number in now.items() if month not in history.carried}
    newest = months_before({"inputs": calculation.inputs}, calculation.period)
    return {control: f"{month}/r{shown[month]}" for control, month in newest.items() if month in shown}


def facts_of(store: Store, calculation: Calculation, published_now: Mapping[str, int]) -> dict[str, object]:
    """Return the facts of a calculated month: its family, rule sets, program version, inputs and provenance.

    ``published_now``: see :func:`lists_before`.
    """
    return {
        "family": calculation.family,
        "rule_sets": calculation.rule_sets,
        "code_version": calculation.code_version,
        "inputs": calculation.inputs,
        "lists_before": lists_before(store.log.history, calculation, published_now),
        "provenance": provenance_of(store, calculation),
    }
