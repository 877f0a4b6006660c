"""What a published revision says of itself: ``manifest.json``, its one spelling, and the digest people quote.

The file is JSON, indented by two, in a fixed order: ``month``, ``revision``, the facts (sorted at every depth),
``files`` (sorted by name), and last ``digest``. The digest is the sha256 of everything before it in the canonical form
of RFC 8785: keys sorted, no space, UTF-8. So two manifests with one digest say the same, and a changed space is found
too, for the file has to be spelt as here.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ratinglist.period import Period
from ratinglist.store.table_files import FileEntry

MANIFEST = "manifest.json"
SIGNATURE = "manifest.json.sig"

OWN_FACTS = frozenset({"month", "revision", "files", "digest"})
"""What the manifest says itself; no fact may have such a name."""

_ENTRY = ("sha256", "bytes", "rows", "logical_sha256")
_SHA256 = re.compile("[0-9a-f]{64}")
_MONTH = re.compile(r"[12][0-9]{3}-(0[1-9]|1[0-2])")
_FILE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")


class NotAManifestError(Exception):
    """The bytes are no manifest as this program writes it; says why."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """A manifest read back; ``facts`` is all it says besides."""

    month: str
    revision: int
    facts: dict[str, Any]
    files: dict[str, dict[str, Any]]
    digest: str


def written(period: Period, revision: int, facts: Mapping[str, object], files: Mapping[str, FileEntry]) -> bytes:
    """The bytes of a manifest. ``facts``: JSON values without fractions, lists in the caller's order.

    Raises ``ValueError`` where a fact holds a fraction.
    """
    # Keys of the facts are sorted at every depth, so the order they were gathered in cannot show.
    ordered = _parsed(json.dumps(dict(facts), sort_keys=True))
    told = {name: {key: entry[key] for key in _ENTRY if key in entry} for name, entry in sorted(files.items())}
    says = {"month": str(period), "revision": revision, **ordered, "files": told}
    spelt = json.dumps({**says, "digest": digest_of(says)}, ensure_ascii=False, indent=2)
    return f"{spelt}\n".encode()


def digest_of(says: Mapping[str, object]) -> str:
    """The digest of what a manifest says: sha256 of its canonical bytes (RFC 8785) without the key ``digest``."""
    without = {key: value for key, value in says.items() if key != "digest"}
    canonical = json.dumps(without, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


def read(data: bytes) -> Manifest:
    """The manifest that these bytes are.

    Raises :class:`NotAManifestError` for anything that :func:`written` would not have written: not JSON, a part missing
    or of another kind, another spelling of the same, or a digest that is not its own.
    """
    try:
        says = _parsed(data.decode("utf-8"))
        own = digest_of(says) if isinstance(says, dict) else ""
    except (ValueError, RecursionError) as error:
        raise NotAManifestError(f"it is not JSON as a manifest has it ({_first_line(error)})") from None
    if not isinstance(says, dict):
        raise NotAManifestError("it is not a JSON object")
    if wrong := _wrong_parts(says):
        raise NotAManifestError(wrong)
    if own != says["digest"]:
        raise NotAManifestError(f"its digest is {says['digest']}, and what it says has {own}")
    facts = {key: value for key, value in says.items() if key not in OWN_FACTS}
    if written(Period.parse(says["month"]), says["revision"], facts, says["files"]) != data:
        raise NotAManifestError("it is not spelt as a manifest is: somebody wrote it anew")
    return Manifest(says["month"], says["revision"], facts, says["files"], says["digest"])


def _wrong_parts(says: dict[str, Any]) -> str:
    """What is wrong with the parts a manifest always has; empty where nothing is."""
    month, revision, files, digest = (says.get(key) for key in ("month", "revision", "files", "digest"))
    if not isinstance(digest, str) or not _SHA256.fullmatch(digest):
        return "it has no digest"
    if not isinstance(month, str) or not _MONTH.fullmatch(month):
        return "its month is not YYYY-MM"
    if not _is_count(revision) or not revision:
        return "its revision is not a number from 1"
    if not isinstance(files, dict) or not files:
        return "it names no files"
    return next(filter(None, (_wrong_entry(name, entry) for name, entry in files.items())), "")


def _wrong_entry(name: str, entry: object) -> str:
    if not _FILE_NAME.fullmatch(name) or name in (MANIFEST, SIGNATURE):
        return f"it names a file {name!r}, which is no name of a published file"
    if not isinstance(entry, dict) or not set(_ENTRY[:3]) <= set(entry) <= set(_ENTRY):
        return f"what it says of {name} is not {', '.join(_ENTRY[:3])}"
    digests = [entry[key] for key in ("sha256", "logical_sha256") if key in entry]
    if not all(isinstance(one, str) and _SHA256.fullmatch(one) for one in digests):
        return f"a digest of {name} is not a sha256"
    return "" if _is_count(entry["bytes"]) and _is_count(entry["rows"]) else f"bytes or rows of {name} is not a number"


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _parsed(text: str) -> Any:
    return json.loads(text, object_pairs_hook=_without_twins, parse_float=_no_fraction, parse_constant=_no_fraction)


def _without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({key for key, _ in pairs}) < len(pairs):
        raise ValueError("a key stands twice")
    return dict(pairs)


def _no_fraction(text: str) -> int:
    raise ValueError(f"{text} is not a whole number")


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
