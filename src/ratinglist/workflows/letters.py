"""The command `ratinglist letters`: one text for the arbiter of each report that a month's list looked at."""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import ClassVar

import polars as pl

from ratinglist.analysis import event_status
from ratinglist.analysis.letter import ReportResult, Template, is_made_code, letter_text
from ratinglist.errors import CommandLineError, NothingReadError
from ratinglist.files import resources
from ratinglist.files.atomic_file import check_output_folder, write_text_atomically
from ratinglist.messages import WAITING
from ratinglist.pages.facts import Result
from ratinglist.period import Period
from ratinglist.reports import decode
from ratinglist.settings import Settings
from ratinglist.store import calculations
from ratinglist.store.calculations import current_calculation
from ratinglist.store.database import Store
from ratinglist.store.received import without_dates
from ratinglist.store.rule_files import rule_book
from ratinglist.workflows.opening import open_to_read

_ARBITER = re.compile(r"^102 +(\S.*)$", re.MULTILINE)
_UNSAFE = re.compile(r"[^A-Za-z0-9-]+")
_NAME_LENGTH = 60


@dataclass(frozen=True, slots=True)
class LettersSummary(Result):
    """The letters written. ``letters``: how many, by the status of the report; ``files``: their names, sorted."""

    DONE: ClassVar[str] = "The letters were written."
    month: str
    folder: str
    letters: dict[str, int]
    files: list[str]


def languages() -> list[str]:
    """Return the languages that there are templates for."""
    return sorted(path.stem for path in resources.data("letters").glob("*.toml"))


def letters(settings: Settings, period: Period, out: Path | None = None, language: str = "en") -> LettersSummary:
    """Write a letter for each report that the calculation of a month looked at, as one text file in ``out``.

    ``out``: a folder, made where it is missing; default ``letters-YYYY-MM`` in the current folder. A letter of the same
    report is replaced, other files stay. Raises :class:`NothingReadError` where the month was not calculated or looked
    at no report, :class:`CommandLineError` where the folder cannot be used. Then nothing is written.
    """
    folder = Path(f"letters-{period}") if out is None else out
    check_output_folder(folder, settings.home)
    template = template_of(language)
    with open_to_read(settings) as store:
        current_calculation(store, period)
        if withdrawn := calculations.withdrawal(store, period):
            raise NothingReadError(withdrawn)
        settings.progress("reading the store", 0, 1)
        results = _results(store, settings, period)
        if not results:
            raise NothingReadError(f"The list of {period} looked at no report: there is no letter to write.")
        folder.mkdir(exist_ok=True)
        for done, (name, result) in enumerate(sorted(results.items()), 1):
            write_text_atomically(folder / name, letter_text(result, template))
            settings.progress("letters written", done, len(results))
    counts = Counter(one.status for one in results.values())
    return LettersSummary(str(period), str(folder), dict(sorted(counts.items())), sorted(results))


def template_of(language: str) -> Template:
    """Return the texts of a language; raises :class:`CommandLineError` where there are none."""
    if language not in languages():
        raise CommandLineError(f"There are no letters in '{language}'; there are: {', '.join(languages())}.")
    file = resources.data("letters") / f"{language}.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))


def _results(store: Store, settings: Settings, period: Period) -> dict[str, ReportResult]:
    """Return what became of each report, by the name of its letter."""
    events = store.read(
        """
        select event.* replace (report.name as name, report.start_date as start_date, report.end_date as end_date),
            report.file_name
        from event join report using (report_id) where event.month = $month order by report_id
        """,
        month=str(period),
    )
    limits = {
        (row["event_id"], row["report_sha256"]): row
        for row in event_status.statuses(store, rule_book(), settings.family).iter_rows(named=True)
    }
    findings = by_report(report_findings(store, "refused"), report_findings(store, "unknown"))
    notes = by_report(report_findings(store, "noted"))
    games = _games(store, period)
    results = {}
    for row in without_dates(store, events).iter_rows(named=True):
        limit = limits.get((row["event_id"], row["report_sha256"]), {})
        refused = row["status"] == "refused" and row["reason"] in ("report_refused", "no_games", "unknown_player")
        counts = games.get(row["event_id"], {}) if row["status"] == "rated" else {}
        until = limit.get("rateable_until")
        named = row["name"] or row["event_id"] if is_made_code(row["event_id"]) else row["event_id"]
        results[_file_name(named, row["report_id"])] = ReportResult(
            month=str(period),
            event_id=row["event_id"],
            event=row["name"],
            start_date=str(row["start_date"] or ""),
            end_date=str(row["end_date"] or ""),
            file=PurePath(row["file_name"]).name,
            received_on=str(row["received_on"]),
            arbiter=arbiter(settings.reports / row["report_sha256"]),
            status="waiting" if row["reason"] in WAITING else row["status"],
            reason=row["reason"],
            findings=findings.get(row["report_id"], []) if refused else [],
            notes=notes.get(row["report_id"], []),
            results=sum(counts.values()),
            rated=counts.get("", 0),
            not_rated={reason: count for reason, count in counts.items() if reason},
            last_list=limit["last_list"] if until else "",
            until=str(until or ""),
        )
    return results


def report_findings(store: Store, which: str) -> pl.DataFrame:
    """Return findings with their reports: those that refuse one, those only noted, or the players not registered."""
    if which == "unknown":
        return store.read(
            """
            select report_id, line, 58 as "column", fide_id::varchar as value, 'unknown_player' as rule, name as detail
            from unknown_player order by report_id, line
            """
        )
    return store.read(
        """
        select report_id, line, "column", value, rule, detail from finding
        where effect = $effect order by report_id, line, "column", rule, value
        """,
        effect=which,
    )


def by_report(*findings: pl.DataFrame) -> dict[str, list[dict[str, object]]]:
    """Return the rows of findings by ``report_id``."""
    found: dict[str, list[dict[str, object]]] = {}
    for frame in findings:
        for row in frame.iter_rows(named=True):
            found.setdefault(row["report_id"], []).append(row)
    return found


def _games(store: Store, period: Period) -> dict[str, dict[str, int]]:
    """Return how many results of players each event has, by the reason why they are not rated; empty: rated."""
    rows = store.read(
        """
        select event_id, case when rated then '' else reason end as reason, count(*)::integer as results
        from game where month = $month group by all order by all
        """,
        month=str(period),
    )
    counts: dict[str, dict[str, int]] = {}
    for event_id, reason, results in rows.iter_rows():
        counts.setdefault(event_id, {})[reason] = results
    return counts


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
