"""Write and parse the ``provenance`` of a manifest: what is needed besides the inputs to calculate a list again.

Nothing in it is private: it names files by their digest, and holds the facts that the office knew of each report.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import polars as pl

from ratinglist import findings
from ratinglist.home.entry_kinds import READINGS
from ratinglist.period import Period
from ratinglist.publication.manifest import Manifest
from ratinglist.store.calculations import Calculation
from ratinglist.store.database import Store

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


def of(store: Store, period: Period) -> dict[str, object]:
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
    - ``readings``: :data:`~ratinglist.home.entry_kinds.READINGS`.
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
        "provenance": of(store, calculation.period),
    }
