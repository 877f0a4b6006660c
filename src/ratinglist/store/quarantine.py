"""The quarantine: refused reports and events, each with the reason and the remedy.

A report is refused by findings in its own lines, an event by the verdict of a list. A refused report of which no
better version is expected can be set aside: no list can rate it.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from ratinglist.findings import RULES
from ratinglist.messages import EVENT_REASONS, WAITING
from ratinglist.period import Period
from ratinglist.store.database import Store
from ratinglist.text import person_text

_REASONS_WITH_LINES = ("report_refused", "no_games", "unknown_player", "time_control_unknown")
"""The reasons of an event that come from single lines of its report."""
COLUMNS = ("file", "event_id", "line", "column", "value", "reason", "says", "remedy", "source", "status")


def of_reports(store: Store, report_ids: pl.Series) -> list[dict[str, object]]:
    """Return the findings of these reports, as :func:`by_report` does, in one sequence."""
    return [row for rows in by_report(store, report_ids).values() for row in rows]


def by_report(store: Store, report_ids: pl.Series) -> dict[str, list[dict[str, object]]]:
    """Return the findings that keep these reports out of every list: a row of :data:`COLUMNS` each, by ``report_id``.

    Of a refused report whose event has another, accepted report the sentence and the remedy say so: the officer
    needs the reason of every refusal of a report that was just delivered, or that no list has rated; the first is
    enough then. A report that was set aside has none.
    Two reports may have one file name and one event code.
    """
    findings: dict[str, list[dict[str, object]]] = {}
    for row in _findings(store, report_ids).iter_rows(named=True):
        finding = _finding(row)
        if row["has_another"]:
            finding["says"] = f"{finding['says']} (the event has another, accepted report)"
            finding["remedy"] = f"nothing to do where that one is right; else {finding['remedy']}"
        findings.setdefault(row["report_id"], []).append(finding)
    return findings


def _findings(store: Store, report_ids: pl.Series) -> pl.DataFrame:
    """Return the findings that keep these reports out of every list: what refuses them, or what they wait for.

    ``has_another``: the report is refused, and its event has another, accepted report: then it has one row. ``alike``:
    of a player who is not registered the registered ones whose names are alike. In the order of the quarantine.
    """
    with store.seeing(sent=report_ids.to_frame("report_id")):
        found = store.read(_FINDINGS)
    unknown = found.filter(pl.col("rule") == "unknown_player").select(name="detail").unique()
    with store.seeing(unknown=unknown):
        alike = store.read(_ALIKE, least=_ALIKE_FROM) if unknown.height else unknown.with_columns(alike=None)
    found = found.join(alike, left_on="detail", right_on="name", how="left", maintain_order="left")
    return found.filter(~pl.col("has_another") | pl.col("report_id").is_first_distinct())


_ALIKE_FROM = 80
"""Names of which so many letters in 100 are the same, in whatever order of their words, are alike."""
_ALIKE = """
with word as (
    select name, unnest(string_split_regex(strip_accents(lower(name)), '[^\\p{L}]+')) as word from unknown
),
-- Only names that begin as a word of the unknown name does are compared: lists begin with the surname.
pair as (
    select distinct word.name, fide_id, person.name as registered, federation,
        coalesce(birth_year, year(birth_date)) as born
    from registered_person as person join word
        on left(strip_accents(lower(person.name)), 3) = left(word, 3) and length(word) >= 3
),
written as (
    select *, array_to_string(list_sort(string_split_regex(strip_accents(lower(name)), '[^\\p{L}]+')), '') as one,
        array_to_string(list_sort(string_split_regex(strip_accents(lower(registered)), '[^\\p{L}]+')), '') as other
    from pair
),
compared as (
    select *, 100 - 100 * damerau_levenshtein(one, other) // greatest(length(one), length(other)) as similarity
    from written
)
select name, list(
        {'fide_id': fide_id, 'name': registered, 'federation': federation, 'born': born}
        order by similarity desc, fide_id
    )[:2] as alike
from compared where similarity >= $least
group by name
"""


_FINDINGS = """
with current as materialized (
    select report_id, event_id, accepted, time_control from current_report
),
refused as (
    select report_id, line, "column", value, rule, detail
    from finding semi join (select report_id from report where not accepted) using (report_id)
    where effect = 'refused'
        or rule = 'more_findings' and detail in (select rule from finding where effect = 'refused')
),
-- A player of a table is named by a row, in one column of two, and has no name.
unregistered as (
    select report_id, line, case when report_format <> 'table' then 58 end as "column",
        fide_id::varchar as value, 'unknown_player' as rule,
        case when report_format <> 'table' then unknown_player.name else 'white_id or black_id' end as detail
    from unknown_player join report using (report_id) semi join current using (report_id)
),
-- The same report was loaded again with its time control.
stated as (
    select distinct event_id from current where accepted and time_control <> ''
),
without_time as (
    select report_id, line, "column", value, rule, detail
    from finding semi join (
        select report_id from current anti join stated using (event_id) where accepted and time_control = ''
    ) using (report_id)
    where effect = 'waits'
),
every as (
    select report.report_id, report.file_name, report.event_id, found.* exclude (report_id),
        not report.accepted and (
            report.event_id in (select event_id from current where accepted)
            or report.report_id not in (select report_id from current)
        ) as has_another
    from (select * from refused union all select * from unregistered union all select * from without_time) as found
    join report using (report_id)
    semi join sent using (report_id)
    anti join dismissed_report using (report_id)
)
select * from every order by has_another, file_name, event_id, line, "column", rule, value, report_id
"""


def of_month(store: Store, period: Period, statuses: Sequence[str] = ("refused",)) -> list[dict[str, object]]:
    """Return the events to which a month's calculation gave one of ``statuses``, by default those it refused.

    A report that was set aside is left out. Out: a row per finding where there are any, else one row of
    :data:`COLUMNS`.
    """
    refused = store.read(
        """
        select event.report_id, event.event_id, event.status, event.reason, report.file_name
        from event join report using (report_id)
        anti join dismissed_report using (report_id)
        where event.month = $month and event.status in (select unnest($statuses))
        order by report.file_name, event.event_id
        """,
        month=str(period),
        statuses=list(statuses),
    )
    # Reading the findings of all reports is expensive, and most months refuse nothing.
    findings: dict[str, list[dict[str, object]]] = {}
    if refused["reason"].is_in(_REASONS_WITH_LINES).any():
        found = _findings(store, refused["report_id"]).filter(~pl.col("has_another"))
        for row in found.iter_rows(named=True):
            findings.setdefault(row["report_id"], []).append(_finding(row))
    rows: list[dict[str, object]] = []
    for event in refused.to_dicts():
        lines = findings.get(event["report_id"], []) if event["reason"] in _REASONS_WITH_LINES else []
        is_solved = event["reason"] == "unknown_player" and not lines
        rows += lines or [of_event(event)]
        if is_solved:
            rows[-1]["says"] = "a player's FIDE ID was not registered when that list was calculated; all are now"
            rows[-1]["remedy"] = "calculate the next list: it takes the event"
    return rows


def of_event(report: Mapping[str, Any]) -> dict[str, object]:
    """Return what a list decided on a report as a row of :data:`COLUMNS`.

    In: ``file_name``, ``event_id``, ``status`` and ``reason`` of the report.
    """
    reason = report["reason"]
    found = EVENT_REASONS[reason]
    return {
        "file": report["file_name"],
        "event_id": report["event_id"],
        "line": None,
        "column": None,
        "value": "",
        "reason": reason,
        "says": found.sentence,
        "remedy": found.remedy,
        "source": found.article,
        "status": "waiting" if reason in WAITING else report["status"],
    }


def _finding(row: Mapping[str, Any]) -> dict[str, object]:
    """Return a finding as a row of :data:`COLUMNS`: ``refused`` or ``waiting``."""
    rule = RULES[str(row["rule"])]
    values = {"value": row["value"], "detail": row["detail"]}
    remedy = rule.remedy.format(**values)
    for person in reversed(row["alike"] or []):
        command = f"ratinglist correct report {shlex.quote(row['event_id'])} --id {row['value']}={person['fide_id']}"
        remedy = f"if the player is {person_text(*person.values())}, a FIDE ID was mistyped: {command}; else {remedy}"
    return {
        "file": row["file_name"],
        "event_id": row["event_id"],
        "line": row["line"],
        "column": row["column"],
        "value": row["value"],
        "reason": row["rule"],
        "says": rule.sentence.format(**values),
        "remedy": remedy,
        "source": rule.source,
        "status": "waiting" if row["rule"] in WAITING else "refused",
    }


def without_dismissed(store: Store, rows: pl.DataFrame) -> pl.DataFrame:
    """Return the status of reports without those that were set aside.

    In: ``report_id``, and any other column.
    """
    dismissed = store.read("select report_id from dismissed_report")
    return rows.join(dismissed, on="report_id", how="anti", maintain_order="left") if len(dismissed) else rows


def dismissed_of_month(store: Store, month: str) -> int:
    """Return how many of the reports that a calculation refused were set aside."""
    rows = store.read(
        "select count(*) as n from event semi join dismissed_report using (report_id) "
        "where month = $month and status = 'refused'",
        month=month,
    )
    return int(rows.item())


def dismissals_of_event(store: Store, event_id: str) -> list[str]:
    """Return a sentence for each report of an event that was set aside."""
    rows = store.read(
        "select file_name, known_on, reason from dismissed_report where event_id = $code order by file_name, known_on",
        code=event_id,
    )
    return [f"{file} was set aside on {day}: {reason}" for file, day, reason in rows.iter_rows()]


def dismissed_among(store: Store, report_ids: pl.Series) -> int:
    """Return how many of these reports were set aside."""
    with store.seeing(sent=pl.DataFrame([report_ids.alias("report_id")])):
        return int(store.read("select count(*) as n from dismissed_report semi join sent using (report_id)").item())
