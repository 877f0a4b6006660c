"""The command `ratinglist letters`: one text for the arbiter of each report that a month's list looked at.

It says whether the report is rated, refused or waits, why, and what to do. The texts are a template of one language
(``data/letters/<language>.toml``). A reason, a finding or a reason of a game without a text of its own in the template
has the English text of the catalogue. No birth date gets into a letter: a finding shows no text of a line that may hold
one, and no date besides those of the event.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any

import polars as pl

from ratinglist.analysis import report_states
from ratinglist.errors import CommandLineError, NothingReadError
from ratinglist.files import resources
from ratinglist.files.atomic_file import check_output_folder, write_text_atomically
from ratinglist.findings import RULES, of_finding
from ratinglist.messages import EVENT_REASONS, GAME_REASONS, WAITING
from ratinglist.period import Period
from ratinglist.reports import decode
from ratinglist.settings import Settings
from ratinglist.store import calculations
from ratinglist.store.calculations import current_calculation
from ratinglist.store.database import Store
from ratinglist.store.received import without_dates
from ratinglist.summaries import Facts
from ratinglist.text import on_one_line
from ratinglist.workflows.opening import open_to_read

_ARBITER = re.compile(r"^102 +(\S.*)$", re.MULTILINE)
_UNSAFE = re.compile(r"[^A-Za-z0-9-]+")
_NAME_LENGTH = 60
_OF_THE_OFFICE = frozenset(
    {"unseen_character", "encoding_assumed", "padded_by_bytes", "default_registration", "office_time_control"}
    | {"official_event"}
)
"""Notes that tell an arbiter nothing: the file was read all the same, or the office decides."""
_MADE_CODE = re.compile("[0-9a-f]{16}")


Template = Mapping[str, Any]
"""The texts of a letter in one language, as its file has them; words in braces are filled in."""


Report = Mapping[str, Any]
"""What a letter says of a report.

Of the event ``month``, ``event_id``, ``name``, ``start_date``, ``end_date``, ``status`` and ``reason``; ``file_name``,
``received_on`` and ``arbiter``, who is empty where the report names none. ``findings`` and ``notes``: rows with
``line``, ``column``, ``value``, ``detail`` and ``rule``. ``results``: of players in games, by the reason why they are
not rated; empty: rated. ``last_list`` and ``rateable_until``: the last list that can rate it, and its closing date.
"""


def languages() -> list[str]:
    """Return the languages that there are templates for."""
    return sorted(path.stem for path in resources.data("letters").glob("*.toml"))


def letters(settings: Settings, period: Period, out: Path | None = None, language: str = "en") -> Facts:
    """Write a letter for each report that the calculation of a month looked at, as one text file in ``out``.

    ``out``: a folder, made where it is missing; default ``letters-YYYY-MM`` in the current folder. A letter of the same
    report is replaced, other files stay. Raises :class:`NothingReadError` where the month was not calculated or looked
    at no report, :class:`CommandLineError` where the folder cannot be used. Then nothing is written.

    Out: ``month``, ``folder``; ``letters``: how many, by the status of the report; ``files``: their names, sorted.
    """
    folder = Path(f"letters-{period}") if out is None else out
    check_output_folder(folder)
    template = template_of(language)
    with open_to_read(settings) as store:
        current_calculation(store, period)
        if withdrawn := calculations.withdrawal(store, period):
            raise NothingReadError(withdrawn)
        settings.progress("reading the store", 0, 1)
        reports = _reports(store, settings, period)
        if not reports:
            raise NothingReadError(f"The list of {period} looked at no report: there is no letter to write.")
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


def template_of(language: str) -> Template:
    """Return the texts of a language; raises :class:`CommandLineError` where there are none."""
    if language not in languages():
        raise CommandLineError(f"There are no letters in '{language}'; there are: {', '.join(languages())}.")
    file = resources.data("letters") / f"{language}.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))


def _reports(store: Store, settings: Settings, period: Period) -> dict[str, Report]:
    """Return what became of each report, by the name of its letter."""
    month = {"month": str(period)}
    events = without_dates(store, store.read(_EVENTS, **month))
    limits = report_states.statuses(store, settings.family).select("report_id", "last_list", "rateable_until")
    is_by_lines = pl.col("reason").is_in(("report_refused", "no_games", "unknown_player"))
    refused = events.filter(pl.col("status") == "refused", is_by_lines)["report_id"]
    findings = findings_by_report(store, refused)
    notes = store.read(_NOTES, **month).rows_by_key("report_id", named=True)
    results = store.read(_RESULTS, **month).rows_by_key("event_id")
    reports: dict[str, Report] = {}
    for row in events.join(limits, on="report_id", how="left", maintain_order="left").iter_rows(named=True):
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
from event join report using (report_id) where event.month = $month order by report_id
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
    found = _ARBITER.search(decode(original.read_bytes()).text)
    return found[1].strip() if found else ""


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
