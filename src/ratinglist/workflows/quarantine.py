"""What became of the reports received, why, and what to do about it: `ratinglist quarantine`, `event`, and the desk.

No date of birth is in what the desk shows: in a line of a report it is masked, and a finding has the text of the
letters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

import polars as pl

from ratinglist.analysis import report_states
from ratinglist.errors import NothingReadError
from ratinglist.findings import RULES, WITHHELD, of_finding, of_line
from ratinglist.messages import EVENT_REASONS, GAME_REASONS, status_word, why
from ratinglist.pages.document import Document, Table, as_markdown
from ratinglist.period import Period
from ratinglist.reports import decode
from ratinglist.settings import Settings
from ratinglist.store import calculations
from ratinglist.store.calculations import current_calculation
from ratinglist.store.database import Store
from ratinglist.summaries import MonthSummary, finding_line
from ratinglist.text import counted
from ratinglist.workflows import find
from ratinglist.workflows.letters import arbiter, findings_by_report, is_made_code, letter_text, template_of
from ratinglist.workflows.load import notes_on_versions
from ratinglist.workflows.opening import open_to_read

ReportState = report_states.ReportState
"""A report received, as the desk shows it."""

NOT_RATED = ("refused", "deferred", "late", "duplicate", "superseded")
"""The statuses of an event that `rate` and `run` count besides ``rated``."""

_COLUMNS = ("file", "line", "column", "event_id", "says", "remedy")


def quarantined(settings: Settings, period: Period | None = None) -> list[dict[str, object]]:
    """Return the reports that are not rated, with the remedies, in rows as ``report_states.finding_rows`` has them.

    ``period``: those that the calculation of that month did not rate, as `run` counts them. Without it: all that may
    still be rated, and what the newest calculation found late, duplicate or superseded for good. A report that the next
    list takes up is not among them. Sorted by file, event and line. Raises :class:`NothingReadError` where the month
    was not calculated, or its list was withdrawn.
    """
    with open_to_read(settings) as store:
        if period is None:
            newest = max(store.log.history.standing_calculations(), default="")
            states = report_states.report_states(store, settings.family)
            return [
                dict(row) for state in states if state.is_open or state.list_month == newest for row in state.findings
            ]
        current_calculation(store, period)
        if withdrawn := calculations.withdrawal(store, period):
            raise NothingReadError(withdrawn)
        return report_states.of_month(store, period, NOT_RATED)


def refused_as_markdown(period: Period, summary: MonthSummary) -> str:
    """Return the refused reports of a month: a row per finding, with its place and what to do."""
    if not summary.refused:
        return as_markdown(Document(f"{period}: no report was refused", []))
    rows = [[report.get(column) for column in _COLUMNS] for report in summary.refused]
    title = f"{period}: refused reports ({len(rows)})"
    return as_markdown(Document(title, [Table(_COLUMNS, rows, [False] * len(_COLUMNS))]))


_FINDINGS_SHOWN = 5


@dataclass(frozen=True, slots=True)
class EventReports:
    """What became of an event.

    ``reports``: the rows of :func:`~ratinglist.analysis.report_states.statuses`. ``notes``: what an officer must know
    besides, as sentences: the first findings that keep its reports out of every list, how two reports of its newest
    version differ, the lists that rated it and count none of its results, the reports that were set aside, and the
    corrections that no list was calculated with yet, each with the command. ``today``: from which days are counted.
    """

    reports: pl.DataFrame
    notes: list[str]
    today: date

    def as_dict(self) -> list[dict[str, object]]:
        """Return the reports as JSON-able rows."""
        return self.reports.to_dicts()

    def text(self) -> str:
        """Return the reports for people, with the days that are left, and the notes below them."""
        reports = [_report_text(row, self.today) for row in self.reports.iter_rows(named=True)]
        return "\n".join([*reports, *(f"note: {note}" for note in self.notes)])


def event(settings: Settings, text: str) -> EventReports:
    """Return what became of the event named (:func:`~ratinglist.workflows.find.event_named`)."""
    with open_to_read(settings) as store:
        code = find.event_named(store, text)
        rows = report_states.statuses(store, settings.family, code)
        newest = rows.filter(pl.col("version") == pl.col("version").max())
        notes = [
            *map(finding_line, report_states.of_reports(store, rows["report_id"])[:_FINDINGS_SHOWN]),
            *notes_on_versions(store, newest["report_id"]),
            *_without_results(store, code),
            *report_states.dismissals_of_event(store, code),
            *report_states.pending_corrections_of_event(store, code),
        ]
    return EventReports(rows.drop("report_id"), notes, settings.today)


def _without_results(store: Store, event_id: str) -> list[str]:
    """Return a sentence for each list that rated the event and counts none of its results, with the main reason."""
    rows = store.read(
        """
        with rated as (
            select event.month, event.event_id
            from event join report using (report_id)
            where report.event_id = $code and event.status = 'rated'
        ),
        counted as (
            select month, event_id, reason, count(*) as results
            from game semi join rated using (month, event_id)
            group by all
        )
        select month, sum(results)::bigint as results, arg_max(reason, results) as reason
        from counted
        group by month, event_id
        having count(*) filter (reason in ('', 'counts_for_entry', 'counts_for_promotion')) = 0
        order by all
        """,
        code=event_id,
    )
    return [
        f"the list of {month} counts none of its {results:,} results; the reason of most: "
        f"{GAME_REASONS[reason].sentence}"
        for month, results, reason in rows.iter_rows()
    ]


def _report_text(row: dict[str, object], today: date) -> str:
    start, end = (row[name] or "a day not known" for name in ("start_date", "end_date"))
    days = start if start == end else f"{start} to {end}"
    status, reason, missing = (str(row[name]) for name in ("status", "reason", "missing"))
    on_list = f" (list of {row['list_month']})" if row["list_month"] else ""
    says = f": {why(status, reason)}" if why(status, reason) else ""
    lines = [
        f"{row['event_id']}  {row['name']} ({days}), {row['time_control'] or 'time control not known'}",
        f"  received {row['received_on']}, version {row['version']}: {row['file_name']}",
        f"  {status_word(status, reason)}{on_list}{says}",
    ]
    if missing:
        lines.append(f"  {missing}" if missing.startswith("nothing to do") else f"  to do: {missing}")
    until = row["rateable_until"]
    if isinstance(until, date):
        days_left = (until - today).days
        left = f"{counted(days_left, 'day')} left" if days_left >= 0 else "this date has passed"
        lines.append(f"  last list that can rate it: {row['last_list']}; deadline {until} ({left})")
    return "\n".join(lines)


# ----------------------------------------------------------------------------------------------- shown on the desk

CONTEXT = 2
"""How many lines before and after a wrong one are shown."""
FACTS = (
    *("event_id", "version", "received_on", "event_type", "time_control", "official", "federation"),
    *("start_date", "end_date", "registered_on", "minutes_per_60_moves"),
)
"""What a manifest can say of a report, as the store has it."""


_CHANGED_GAMES = """
    select round, coalesce(white.name, white_id::varchar) as white, coalesce(black.name, black_id::varchar) as black,
        result_before, result
    from changed_game
    left join registered_person as white on white.fide_id = white_id
    left join registered_person as black on black.fide_id = black_id
    where report_id = $report_id order by round, white_id
"""


@dataclass(frozen=True, slots=True)
class OpenedReport:
    """A report with what an officer needs to put it right.

    ``facts``: what is known of it, by column of a manifest. ``places``: of each finding the code, the sentence, the
    remedy and the lines around. ``letter``: to its arbiter. ``unknown``: FIDE ID, and name, federation and sex as the
    report states them, of the players who are not registered. ``changed_games``: those in which it differs from the
    version before (``round``, ``white``, ``black``, ``result_before``, ``result``). ``data``: the bytes as received.
    """

    report: ReportState
    facts: Mapping[str, str]
    places: Sequence[tuple[str, str, str, Sequence[tuple[int, str, bool]]]]
    letter: str
    unknown: Sequence[tuple[int, str, str, str]] = ()
    changed_games: Sequence[Mapping[str, Any]] = ()
    data: bytes = field(default=b"", repr=False)


def received(settings: Settings) -> list[ReportState]:
    """Return the reports that count or may count: those that need a hand first, then the newest."""
    with open_to_read(settings) as store:
        reports = [_public(state) for state in report_states.report_states(store, settings.family)]
    # Sorting is stable: by name, then the newest, then those that need a hand.
    reports.sort(key=lambda report: report.file)
    reports.sort(key=lambda report: (report.list_month or "9999", report.received_on), reverse=True)
    reports.sort(key=lambda report: not report.needs_a_hand)
    return reports


def opened_report(
    settings: Settings, reports: Sequence[ReportState], key: str, month: str, language: str = "en"
) -> OpenedReport:
    """Return the one of the ``reports`` received that has this key.

    ``month``: the next list, which the letter names. Raises :class:`NothingReadError` where there is none.
    """
    report = next((report for report in reports if report.key == key), None)
    with open_to_read(settings) as store:
        number = {"report_id": report.report_id if report else ""}
        stored = store.read("select * from report where report_id = $report_id", **number).to_dicts()
        if report is None or not stored:
            raise NothingReadError("No report has this address any more: it was received again, or undone.")
        unknown = store.rows(
            "select fide_id, name, federation, sex from unknown_player where report_id = $report_id order by line",
            **number,
        )
        changed_games = store.read(_CHANGED_GAMES, **number).to_dicts()
        findings = findings_by_report(store, pl.Series([report.report_id])).get(report.report_id, [])
    path = settings.reports / report.sha256
    data = path.read_bytes() if path.is_file() else b""
    # The rows of a finding on an event of tables are those of the tables.
    lines = decode(data).text.splitlines() if stored[0]["report_format"] != "table" else []
    shown = report.findings if report.is_open else ()
    places = [(str(row["reason"]), row["says"], row["remedy"], _around(lines, row["line"])) for row in shown]
    stated = {name: _text(stored[0][name]) for name in FACTS}
    if is_made_code(stated["event_id"]):
        stated["event_id"] = ""
    if not report.needs_a_hand:
        return OpenedReport(report, stated, places, "", (), changed_games, data)
    reasons = [row["reason"] for row in report.findings if row["reason"] in EVENT_REASONS]
    of_letter = {
        **stored[0],
        "month": report.list_month or month,
        "name": report.event,
        "arbiter": arbiter(path),
        "status": "waiting" if report.state == "waits" else "refused",
        "reason": reasons[0] if reasons else "",
        "findings": findings,
    }
    return OpenedReport(
        report, stated, places, letter_text(of_letter, template_of(language)), unknown, changed_games, data
    )


def _public(report: ReportState) -> ReportState:
    """Return a report in whose sentences no date of birth is left."""
    findings = [_without_births(finding) for finding in report.findings]
    if not report.is_open:
        return replace(report, findings=findings)
    return replace(report, says=findings[0]["says"], remedy=findings[0]["remedy"], findings=findings)


def _without_births(finding: Mapping[str, Any]) -> dict[str, Any]:
    code = str(finding["reason"])
    says = of_finding(code, str(finding["says"]))
    if says != WITHHELD:
        return {**finding, "says": says}
    texts = {"says": RULES[code].sentence, "remedy": RULES[code].remedy}
    return {**finding, **{name: text.format(value=says, detail=says) for name, text in texts.items()}}


def _around(lines: list[str], number: object) -> list[tuple[int, str, bool]]:
    """Return the line and those around it; none where the finding names no line.

    Each has its number, its text with dates of birth masked, and whether it is the line that the finding names.
    """
    if not isinstance(number, int):
        return []
    first, last = max(number - CONTEXT, 1), min(number + CONTEXT, len(lines))
    return [(place, of_line(lines[place - 1]), place == number) for place in range(first, last + 1)]


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "1" if value else ""
    return "" if value is None else str(value)
