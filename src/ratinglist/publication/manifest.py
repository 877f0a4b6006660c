"""The manifest of a published revision, ``manifest.json``: its one encoding, and the digest that people quote.

The file is JSON, indented by two, in a fixed order: ``month``, ``revision``, the facts (sorted at every depth),
``files`` (sorted by name), and last ``digest``. The digest
is the sha256 of everything before it in the canonical form of RFC 8785: keys sorted, no space, UTF-8. So two manifests
with one digest have the same content; and because the file must have exactly this encoding, a changed space is found
too.

Its ``provenance`` states what is needed besides the inputs to calculate the list again. Nothing in it is private: it
names files by their digest, and holds the facts that the office knew of each report.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from ratinglist import findings
from ratinglist.files.durable_files import DIGEST, digest_of
from ratinglist.home.history import READINGS
from ratinglist.period import MONTH_NAME, Period
from ratinglist.store.table_files import FileEntry
from ratinglist.system_errors import first_line

if TYPE_CHECKING:
    from ratinglist.store.calculations import Calculation
    from ratinglist.store.database import Store

MANIFEST = "manifest.json"
SIGNATURE = "manifest.json.sig"

OWN_FACTS = frozenset({"month", "revision", "files", "digest"})
"""The keys that the manifest has besides the facts; no fact may have such a name."""

_ENTRY = ("sha256", "bytes", "rows", "logical_sha256")
_FILE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")


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

    ``facts``: JSON values without fractions, lists in the caller's order. ``files``: the entries by file name. Raises
    ``ValueError`` where a fact holds a fraction.
    """
    # Sorted at every depth, so that the order in which the caller gathered the facts does not matter.
    sorted_facts = parsed(json.dumps(dict(facts), sort_keys=True))
    entries = {name: {key: entry[key] for key in _ENTRY if key in entry} for name, entry in sorted(files.items())}
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
        content = parsed(data.decode("utf-8"))
        digest = digest_of(content) if isinstance(content, dict) else ""
    except (ValueError, RecursionError) as error:
        raise NotAManifestError(f"it is not JSON as a manifest has it ({first_line(error)})") from None
    if not isinstance(content, dict):
        raise NotAManifestError("it is not a JSON object")
    if wrong := _wrong_keys(content):
        raise NotAManifestError(wrong)
    if digest != content["digest"]:
        raise NotAManifestError(f"its digest is {content['digest']}, and its content has {digest}")
    facts = {key: value for key, value in content.items() if key not in OWN_FACTS}
    if encode(Period.parse(content["month"]), content["revision"], facts, content["files"]) != data:
        raise NotAManifestError("it is not formatted as ratinglist writes it")
    return Manifest(content["month"], content["revision"], facts, content["files"], content["digest"])


def _wrong_keys(content: dict[str, Any]) -> str:
    """Return what is wrong with the keys that every manifest has; empty where nothing is."""
    month, revision, files, digest = (content.get(key) for key in ("month", "revision", "files", "digest"))
    if not isinstance(digest, str) or not DIGEST.fullmatch(digest):
        return "it has no digest"
    if not isinstance(month, str) or not MONTH_NAME.fullmatch(month):
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
        return f"the entry of {name} does not have the keys {', '.join(_ENTRY[:3])}"
    digests = [entry[key] for key in ("sha256", "logical_sha256") if key in entry]
    if not all(isinstance(one, str) and DIGEST.fullmatch(one) for one in digests):
        return f"a digest of {name} is not a sha256"
    return "" if _is_count(entry["bytes"]) and _is_count(entry["rows"]) else f"bytes or rows of {name} is not a number"


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def parsed(text: str) -> Any:
    """Return the value of JSON without fractions; raises ``ValueError`` for others, and for a repeated key."""
    return json.loads(
        text, object_pairs_hook=_without_repeated_keys, parse_float=_no_fraction, parse_constant=_no_fraction
    )


def _without_repeated_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({key for key, _ in pairs}) < len(pairs):
        raise ValueError("a key is repeated")
    return dict(pairs)


def _no_fraction(text: str) -> int:
    raise ValueError(f"{text} is not a whole number")


REPORT_FACTS = (
    *("received_on", "version", "event_type", "time_control", "official", "federation", "start_date", "end_date"),
    *("registered_on", "minutes_per_60_moves", "event_id"),
)
"""The facts in a line of ``reports`` after the digest, in this order, ``-`` for an empty one; the code is last."""

_NAMES_KEPT = "names-kept"
"""The last word of a line of ``sources`` where names of players were kept that the file has in ASCII alone."""

_RULES_OF_MANIFESTS = [
    code for code, rule in findings.RULES.items() if rule.source == "manifest.csv" and rule.effect == "refused"
]

ReportFacts = Mapping[str, str]
"""A line of ``reports``, parsed: ``sha256`` and :data:`REPORT_FACTS`, an empty text for an empty fact."""


@dataclass(frozen=True, slots=True)
class Source:
    """A line of ``sources``, parsed: an imported list, file of players or file of corrections.

    ``month``: ``-`` where it has none. ``details``: the time controls of a list, the digests of the reports that came
    with corrections. ``names_kept``: names of players were kept that the file has in ASCII alone.
    """

    kind: str
    month: str
    sha256: str
    details: tuple[str, ...]
    names_kept: bool = False

    @property
    def report_digests(self) -> tuple[str, ...]:
        """Return the digests of the reports that came with corrections."""
        return self.details if self.kind == "corrections" else ()


def sources_of(manifest: Manifest) -> list[Source]:
    """Return the sources of a published list, in order."""
    lines = (line.split(" ") for line in manifest.facts["provenance"]["sources"])
    return [
        Source(kind, month, sha256, tuple(one for one in details if one != _NAMES_KEPT), _NAMES_KEPT in details)
        for kind, month, sha256, *details in lines
    ]


def reports_of(manifest: Manifest) -> list[ReportFacts]:
    """Return the reports of a published list, without those that came with corrections."""
    reports = _parsed(manifest.facts["provenance"]["reports"])
    of_corrections = {sha256 for source in sources_of(manifest) for sha256 in source.report_digests}
    return [report for report in reports if report["sha256"] not in of_corrections]


def refused_by_manifest(manifest: Manifest) -> list[ReportFacts]:
    """Return the reports that were refused for what a manifest of the office stated of them."""
    return _parsed(manifest.facts["provenance"].get("refused_by_manifest", ()))


def _parsed(lines: Iterable[str]) -> list[ReportFacts]:
    names = ("sha256", *REPORT_FACTS)
    facts = (line.split(" ", len(REPORT_FACTS)) for line in lines)
    return [dict(zip(names, ["" if fact == "-" else fact for fact in line], strict=True)) for line in facts]


def unstated_times(manifest: Manifest) -> frozenset[str]:
    """Return the digests of the reports whose times are those of record 222, and not of a manifest of the office."""
    return frozenset(manifest.facts["provenance"].get("unstated_times", ()))


def dependencies_of(manifest: Manifest) -> list[tuple[str, str, int]]:
    """Return the lists that a published list was calculated on: month, calculation id, number of correction files."""
    lines = (line.split(" ") for line in manifest.facts["provenance"]["stands_on"])
    return [(month, calculation, int(corrections)) for month, calculation, corrections in lines]


def provenance_of(store: Store, period: Period) -> dict[str, object]:
    """Return the provenance of a calculated month.

    - ``calculation``: its id; ``continue_from``: whether earlier lists were read as corrected or as published;
    - ``stands_on``: the months calculated before, each ``month calculation corrections``; the last is the number of
      files of corrections that its calculation knew;
    - ``sources``: the lists and files of players in the order they were imported, the reference lists by month, then
      the files of corrections in the order they were applied: ``kind month sha256``, ``-`` for no month, followed by
      the time controls of a list, or by the digests of the reports that came with corrections, and by ``names-kept``
      where names of players were kept that the file has in ASCII alone;
    - ``reports``: every report of its inputs, ``sha256`` and :data:`REPORT_FACTS`;
    - ``unstated_times``: the digests of those of them with a finding on their times, which a manifest that states the
      times overrules: theirs did not. Without such a report there is none;
    - ``refused_by_manifest``: those lines of ``reports`` that were refused for a cell or a row of a manifest of the
      office, or for all of it. Without such a report there is none;
    - ``readings``: :data:`~ratinglist.home.history.READINGS`.
    """
    month = str(period)
    own = store.read("select calculation_id, continue_from from calculation where month = $month", month=month)
    reports, refused = _reports(store, month)
    before = store.read(
        """
        select month || ' ' || calculation_id || ' ' || (
            select count(*) from calculation_input
            where calculation_input.month = standing_calculation.month and kind = 'corrections'
        ) as line
        from standing_calculation where month < $month order by month
        """,
        month=month,
    )
    return {
        "calculation": own.item(0, "calculation_id"),
        "continue_from": own.item(0, "continue_from"),
        "stands_on": before["line"].to_list(),
        "sources": _sources(store, month),
        "reports": reports,
        **({"refused_by_manifest": refused} if refused else {}),
        **_unstated_times(store, month),
        "readings": READINGS,
    }


def _sources(store: Store, month: str) -> list[str]:
    """Return a line for each imported file with rows that this list could read, oldest first."""
    rows = store.read(
        """
        -- A few players find nearly every file; all players are read only for the other files.
        with found as materialized (
            select distinct source_no
            from player semi join (select fide_id from list_state where month = $month limit 1000) as few
                using (fide_id)
        ),
        rest as materialized (
            select fide_id, source_no from player anti join found using (source_no)
        ),
        persons as (
            select fide_id from list_state semi join rest using (fide_id) where month = $month
            union all
            select game.fide_id from game semi join rest using (fide_id) where month = $month
        ),
        used as (
            select source_no from found
            union
            select source_no from rest semi join persons using (fide_id)
            union
            select source_no from imported_list where month < $month
        ),
        referred as (
            select digest from calculation_input where month = $month and kind = 'references'
        ),
        corrected as (
            select digest from calculation_input where month = $month and kind = 'corrections'
        ),
        brought as (
            select correction.source_no, string_agg(distinct report.sha256, ' ' order by report.sha256) as more
            from correction
            join corrected_report using (correction_no)
            join report using (report_id)
            where corrected_report.replaces_id is not null
            group by correction.source_no
            union all
            select source_no, string_agg(distinct time_control, ' ' order by time_control) as more
            from imported_list group by source_no
        )
        select concat_ws(
            ' ', kind, coalesce(month, '-'), sha256, more, case when names_kept then $names_kept end
        ) as line
        from source_file left join brought using (source_no)
        where case
            when kind = 'corrections' then sha256 in (select digest from corrected)
            when kind = 'reference' then month || ' ' || sha256 in (select digest from referred)
            else source_no in (select source_no from used)
                and source_no <= coalesce((select last_source from last_source_seen where month = $month), 2147483647)
        end
        -- A reference list may have been imported long before the first list that reads it.
        order by kind = 'corrections', kind = 'reference', case when kind = 'reference' then month end, source_no
        """,
        month=month,
        names_kept=_NAMES_KEPT,
    )
    return rows["line"].to_list()


def _unstated_times(store: Store, month: str) -> dict[str, object]:
    rows = store.read(
        """
        select distinct report.sha256
        from finding join report using (report_id)
        where finding.rule in ('different_times', 'time_too_short', 'time_code_unreadable')
            and report.sha256 in (
                select digest from calculation_input where month = $month and kind = 'reports'
            )
        order by report.sha256
        """,
        month=month,
    )
    return {"unstated_times": rows["sha256"].to_list()} if len(rows) else {}


def _reports(store: Store, month: str) -> tuple[list[str], list[str]]:
    """Return a line for each report that a calculation judged, sorted, and the lines that a manifest refused."""
    facts = ", ".join(f"coalesce(nullif({name}::varchar, ''), '-')" for name in REPORT_FACTS)
    rows = store.read(
        f"""
        with judged as (
            select digest as sha256 from calculation_input where month = $month and kind = 'reports'
        ),
        known as (
            select report.* from report semi join judged using (sha256)
        )
        select concat_ws(' ', sha256, {facts}) as line, bool_and(report_id in (
            select report_id from finding where rule in (select unnest($rules))
        )) as is_refused
        from known
        where received_on < ($month || '-01')::date
        group by line
        order by line
        """,  # noqa: S608 - names of our own
        month=month,
        rules=_RULES_OF_MANIFESTS,
    )
    lines = rows.with_columns(pl.col("line").cast(pl.String))
    return lines["line"].to_list(), lines.filter("is_refused")["line"].to_list()


def facts_of(store: Store, calculation: Calculation) -> dict[str, object]:
    """Return the facts of a calculated month: its family, rule sets, program version, inputs and provenance."""
    return {
        "family": calculation.family,
        "rule_sets": calculation.rule_sets,
        "code_version": calculation.code_version,
        "inputs": calculation.inputs,
        "provenance": provenance_of(store, calculation.period),
    }
