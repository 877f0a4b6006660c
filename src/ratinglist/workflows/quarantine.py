"""What became of the reports received, why, and what to do about it: `quarantine`, `event`, `letters`, the desk.

No date of birth is in what the desk shows: in a line of a report it is masked, and a finding has the text of the
letters.

A letter is a text for the arbiter of a report that a month's list looked at. It says whether the report is rated,
refused or waits, why, and what to do. The texts are a template of one language (``data/letters/<language>.toml``). A
reason, a finding or a reason of a game without a text of its own in the template has the English text of the catalogue.
No birth date gets into a letter: a finding shows no text of a line that may hold one, and no date besides those of the
event.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path, PurePath
from typing import Any

import polars as pl

from ratinglist.analysis import report_states
from ratinglist.errors import NothingReadError
from ratinglist.files import resources
from ratinglist.files.atomic_file import check_output_folder, write_text_atomically
from ratinglist.findings import RULES, WITHHELD, of_finding, of_line
from ratinglist.messages import EVENT_REASONS, GAME_REASONS, WAITING, status_word, why
from ratinglist.period import Period
from ratinglist.reports import ALLOWED, CODE_DIGITS, decode
from ratinglist.settings import Settings
from ratinglist.store import calculations
from ratinglist.store.database import Store
from ratinglist.store.received import without_dates
from ratinglist.summaries import Facts, finding_line
from ratinglist.text import counted, on_one_line
from ratinglist.workflows import find
from ratinglist.workflows.load import notes_on_versions
from ratinglist.workflows.opening import open_to_read

ReportState = report_states.ReportState

NOT_RATED = ("refused", "deferred", "late", "duplicate", "superseded")
"""The statuses of an event that `rate` and `run` count besides ``rated``."""


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
        calculations.current_calculation(store, period)
        if withdrawn := calculations.withdrawal(store, period):
            raise NothingReadError(withdrawn)
        return report_states.of_month(store, period, NOT_RATED)


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
            *report_states.pending_corrections(store, None, code),
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
FACTS = tuple(ALLOWED)
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
        stored = store.dicts("select * from report where report_id = $report_id", **number)
        if report is None or not stored:
            raise NothingReadError("No report has this address any more: it was received again, or undone.")
        unknown = store.rows(
            "select fide_id, name, federation, sex from unknown_player where report_id = $report_id order by line",
            **number,
        )
        changed_games = store.dicts(_CHANGED_GAMES, **number)
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
    letter = letter_text(of_letter, resources.texts("letters", language))
    return OpenedReport(report, stated, places, letter, unknown, changed_games, data)


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


_ARBITER = re.compile(r"^102 +(\S.*)$", re.MULTILINE)
_UNSAFE = re.compile(r"[^A-Za-z0-9-]+")
_NAME_LENGTH = 60
_OF_THE_OFFICE = frozenset(
    {"unseen_character", "encoding_assumed", "padded_by_bytes", "default_registration", "office_time_control"}
    | {"official_event"}
)
"""Notes that tell an arbiter nothing: the file was read all the same, or the office decides."""
_MADE_CODE = re.compile(f"[0-9a-f]{{{CODE_DIGITS}}}")


Template = Mapping[str, Any]
"""The texts of a letter in one language, as its file has them; words in braces are filled in."""


Report = Mapping[str, Any]
"""What a letter says of a report.

Of the event ``month``, ``event_id``, ``name``, ``start_date``, ``end_date``, ``status`` and ``reason``; ``file_name``,
``received_on`` and ``arbiter``, who is empty where the report names none. ``findings`` and ``notes``: rows with
``line``, ``column``, ``value``, ``detail`` and ``rule``. ``results``: of players in games, by the reason why they are
not rated; empty: rated. ``last_list`` and ``rateable_until``: the last list that can rate it, and its closing date.
"""


def letters(settings: Settings, period: Period, out: Path | None = None, language: str = "en") -> Facts:
    """Write a letter for each report of which the calculation of a month says something, as one text file in ``out``.

    ``out``: a folder, made where it is missing; default ``letters-YYYY-MM`` in the current folder. A letter of the same
    report is replaced, other files stay. Raises :class:`NothingReadError` where the month was not calculated or says
    nothing new, :class:`CommandLineError` where the folder cannot be used. Then nothing is written.

    Out: ``month``, ``folder``; ``letters``: how many, by the status of the report; ``files``: their names, sorted.
    """
    folder = Path(f"letters-{period}") if out is None else out
    check_output_folder(folder)
    template = resources.texts("letters", language)
    with open_to_read(settings) as store:
        calculations.current_calculation(store, period)
        if withdrawn := calculations.withdrawal(store, period):
            raise NothingReadError(withdrawn)
        settings.progress("reading the store", 0, 1)
        reports = _reports(store, settings, period)
        if not reports:
            raise NothingReadError(f"The list of {period} says nothing new of a report: there is no letter to write.")
        folder.mkdir(exist_ok=True)
        for done, (name, report) in enumerate(sorted(reports.items()), 1):
            write_text_atomically(folder / name, letter_text(report, template))
            settings.progress("letters written", done, len(reports))
    counts = Counter(report["status"] for report in reports.values())
    facts = {
        "month": str(period),
        "folder": str(folder),
        "letters": dict(sorted(counts.items())),
        "files": sorted(reports),
    }
    return Facts("The letters were written.", facts)


def _reports(store: Store, settings: Settings, period: Period) -> dict[str, Report]:
    """Return what became of each report, by the name of its letter."""
    month = {"month": str(period)}
    limits = report_states.statuses(store, settings.family).select("report_id", "last_list", "rateable_until")
    events = without_dates(store, store.read(_EVENTS, **month))
    events = events.join(limits, on="report_id", how="left", maintain_order="left")
    # No list can rate a refused report any more: the last one that could has said so.
    is_over = (pl.col("status") == "refused") & (pl.col("last_list") < str(period))
    events = events.filter(~is_over.fill_null(value=False))
    is_by_lines = pl.col("reason").is_in(report_states.REASONS_IN_LINES)
    refused = events.filter(pl.col("status") == "refused", is_by_lines)["report_id"]
    findings = findings_by_report(store, refused)
    notes = store.read(_NOTES, **month).rows_by_key("report_id", named=True)
    results = store.read(_RESULTS, **month).rows_by_key("event_id")
    reports: dict[str, Report] = {}
    for row in events.iter_rows(named=True):
        report_id, code = row["report_id"], row["event_id"]
        reports[_file_name(row["name"] or code if is_made_code(code) else code, report_id)] = {
            **row,
            "status": "waiting" if row["reason"] in WAITING else row["status"],
            "arbiter": arbiter(settings.reports / row["report_sha256"]),
            "findings": findings.get(report_id, []),
            "notes": notes.get(report_id, []),
            "results": dict(results.get(code, ())) if row["status"] == "rated" else {},
        }
    return reports


_EVENTS = """
select event.* replace (report.name as name, report.start_date as start_date, report.end_date as end_date),
    report.file_name
from event join report using (report_id)
-- What was set aside asks for nothing, and that an event is withdrawn is said once.
anti join dismissed_report using (report_id)
anti join (select report_id from event where month < $month and reason = 'withdrawn') as told using (report_id)
where event.month = $month
order by report_id
"""
_NOTES = """
select report_id, line, "column", value, rule, detail from finding
where effect = 'noted' and report_id in (select report_id from event where month = $month)
order by report_id, line, "column", rule, value
"""
_RESULTS = """
select event_id, case when rated then '' else reason end as reason, count(*)::integer as results
from game where month = $month group by all order by all
"""


def findings_by_report(store: Store, report_ids: pl.Series) -> dict[str, list[Mapping[str, Any]]]:
    """Return the rows of :func:`~ratinglist.analysis.report_states.findings_of` by ``report_id``."""
    return dict(report_states.findings_of(store, report_ids).rows_by_key("report_id", named=True))


def arbiter(original: Path) -> str:
    """Return the name in record 102 of a report; empty where there is none."""
    if not original.is_file():
        return ""
    record = _ARBITER.search(decode(original.read_bytes()).text)
    return record[1].strip() if record else ""


def _file_name(event_id: str, report_id: str) -> str:
    """Return the name of a letter: safe on every system, and the same for the same report."""
    safe = _UNSAFE.sub("-", event_id).strip("-")[:_NAME_LENGTH] or "event"
    return f"{safe}-{hashlib.sha256(report_id.encode()).hexdigest()[:8]}.txt"


def letter_text(report: Report, template: Template) -> str:
    """Return the letter about one report."""
    lines = [
        template["to"].format(arbiter=_plain(report["arbiter"]) or template["no_arbiter"]),
        template["report"].format(event=_event(report), days=_days(report, template)),
        template["file"].format(file=_plain(PurePath(report["file_name"]).name), received_on=report["received_on"]),
        "",
        template["status"][report["status"]].format(month=report["month"]),
    ]
    if why := _why(report, template):
        lines += ["", f"{template['why']}:", *why]
    if until := report.get("rateable_until"):
        lines += ["", template["until"].format(last_list=report["last_list"], until=until)]
    if results := report.get("results"):
        rated, played = results.get("", 0), sum(results.values())
        lines += ["", template["results"].format(rated=rated, results=played)]
        lines += [
            "- " + template["results_not_rated"].format(count=count, why=_of_game(reason, template))
            for reason, count in sorted(results.items())
            if reason
        ]
    if notes := [note for note in report.get("notes", ()) if note["rule"] not in _OF_THE_OFFICE]:
        lines += ["", f"{template['notes']}:", *_findings(notes, template)]
    return "\n".join([*lines, "", template["signature"], ""])


def is_made_code(code: str) -> bool:
    """Return whether the code of an event is the beginning of a digest: its report came without one."""
    return _MADE_CODE.fullmatch(code) is not None


def _event(report: Report) -> str:
    """Return the name of the event and its code, unless that is a digest that the program made."""
    name, code = _plain(report["name"]), _plain(report["event_id"])
    return name if name and is_made_code(code) else f"{name} ({code})" if name else code


def _days(report: Report, template: Template) -> str:
    start, end = (report[name] or template["unknown_date"] for name in ("start_date", "end_date"))
    if start == end:
        return str(template["one_day"].format(day=start))
    return str(template["days"].format(start_date=start, end_date=end))


def _why(report: Report, template: Template) -> list[str]:
    """Return the findings that refuse the report, else the reason of the list; nothing where it is rated."""
    if report["findings"]:
        return _findings(report["findings"], template)
    if not report["reason"]:
        return []
    own, reason = template["reasons"].get(report["reason"], {}), EVENT_REASONS[report["reason"]]
    remedy = own.get("remedy", reason.remedy)
    return [f"- {own.get('sentence', reason.sentence)}", "  " + template["remedy"].format(remedy=remedy)]


def _findings(rows: Sequence[Mapping[str, Any]], template: Template) -> list[str]:
    lines = []
    for row in rows:
        own, rule = template["findings"].get(row["rule"], {}), RULES[row["rule"]]
        values = {name: _plain(of_finding(row["rule"], row[name])) for name in ("value", "detail")}
        place = ""
        if row["line"] is not None:
            form = template["place_line"] if row["column"] is None else template["place_column"]
            place = form.format(line=row["line"], column=row["column"]) + ": "
        lines.append(f"- {place}{own.get('sentence', rule.sentence).format(**values)}")
        remedy = own.get("remedy", rule.remedy).format(**values)
        lines.append("  " + template["remedy"].format(remedy=remedy))
    return lines


def _of_game(reason: str, template: Template) -> str:
    return str(template.get("games", {}).get(reason, {}).get("sentence", GAME_REASONS[reason].sentence))


def _plain(text: str) -> str:
    return on_one_line(text.strip())
