"""The command `ratinglist letters`: one text for the arbiter of each report that a month's list looked at.

The addresses are in ``arbiters.csv`` of the home. What was sent is an entry of the log, by the digest of each text: a
letter whose text is the same is not sent again.
"""

from __future__ import annotations

import csv
import hashlib
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path, PurePath

import polars as pl

from ratinglist.analysis import event_status
from ratinglist.analysis.letter import LetterTemplate, ReportResult, is_made_code, letter_text, parse_template, subject
from ratinglist.config import Settings
from ratinglist.config.office import spelling
from ratinglist.errors import CommandLineError, NothingReadError
from ratinglist.files import resources
from ratinglist.files.atomic_file import check_output_folder, write_text_atomically
from ratinglist.limits import TOML_BYTES
from ratinglist.period import Period
from ratinglist.publication.checked_month import current_calculation
from ratinglist.reasons import WAITING, status_word
from ratinglist.reports import decode
from ratinglist.safe_text import on_one_line
from ratinglist.store import calculations
from ratinglist.store.birth_dates import without_dates
from ratinglist.store.database import Store
from ratinglist.store.rule_files import rule_book
from ratinglist.summaries import Summary
from ratinglist.workflows import mail
from ratinglist.workflows.mail import Mail, MailError
from ratinglist.workflows.opening import open_to_read, open_to_write

_ARBITER = re.compile(r"^102 +(\S.*)$", re.MULTILINE)
_UNSAFE = re.compile(r"[^A-Za-z0-9-]+")
_NAME_LENGTH = 60
_ADDRESSES = "arbiters.csv"
_HEAD = ["name", "email"]
_ADDRESS = re.compile(r"[^\s@<>,;:\"]+@[^\s@<>,;:\"]+\.[^\s@<>,;:\"]+")


@dataclass(frozen=True, slots=True)
class Letter:
    """A letter: the arbiter as the report names him, the subject and the text."""

    arbiter: str
    subject: str
    text: str

    @property
    def digest(self) -> str:
        """Return the digest of the text, by which the log knows it."""
        return hashlib.sha256(self.text.encode()).hexdigest()


@dataclass(slots=True)
class Sending:
    """What became of the letters: ``sent`` and ``already``: how many; ``unknown``: arbiters without an address.

    ``refused``: what the mail server says of the addresses it refuses. ``stopped``: why the others were not sent.
    """

    sent: int = 0
    already: int = 0
    unknown: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    stopped: str = ""

    @property
    def is_open(self) -> bool:
        """Whether a letter with an address was not sent."""
        return bool(self.refused or self.stopped)

    def lines(self) -> list[str]:
        """Return what became of the letters, in lines."""
        lines = [f"  sent: {self.sent:,}; sent before, and not again: {self.already:,}"]
        if self.unknown:
            lines.append(f"  not sent, because {_ADDRESSES} has no address: {'; '.join(self.unknown)}")
        lines += [f"  not sent: {one}" for one in self.refused]
        if self.stopped:
            lines.append(
                f"  the others were not sent: {self.stopped}. Give the command again: it sends what is missing."
            )
        return lines


@dataclass(frozen=True, slots=True)
class LettersSummary(Summary):
    """The letters written. ``letters``: how many, by the status of the report; ``files``: their names, sorted."""

    month: str
    folder: str
    letters: dict[str, int]
    files: list[str]
    sending: Sending | None = None

    def text(self) -> str:
        """Return the summary as one line, and what was sent."""
        counts = ", ".join(f"{count:,} {status_word(status)}" for status, count in self.letters.items())
        count = "1 letter" if len(self.files) == 1 else f"{len(self.files):,} letters"
        lines = [f"List of {self.month}: {count} in {self.folder} ({counts})"]
        if self.sending is not None:
            lines += self.sending.lines()
        return "\n".join(lines)


def languages() -> list[str]:
    """Return the languages that there are templates for."""
    return sorted(path.stem for path in resources.data("letters").glob("*.toml"))


def letters(
    settings: Settings, period: Period, out: Path | None = None, language: str = "en", *, send: bool = False
) -> LettersSummary:
    """Write a letter for each report that the calculation of a month looked at, as one text file in ``out``.

    ``out``: a folder, made where it is missing; default ``letters-YYYY-MM`` in the current folder. A letter of the same
    report is replaced, other files stay. ``send``: they are also sent to the arbiters whose addresses the office has.
    Raises :class:`NothingReadError` where the month was not calculated or looked at no report,
    :class:`CommandLineError` where the folder or the file of addresses cannot be used. Then nothing is written.
    """
    folder = Path(f"letters-{period}") if out is None else out
    check_output_folder(folder, settings.home)
    template = template_of(language)
    if send:
        _addresses(settings.home)
    with open_to_write(settings) if send else open_to_read(settings) as store:
        current_calculation(store, period)
        if withdrawn := calculations.withdrawal(store, period):
            raise NothingReadError(withdrawn.text())
        settings.progress("reading the store", 0, 1)
        results = _results(store, settings, period)
        if not results:
            raise NothingReadError(f"The list of {period} looked at no report: there is no letter to write.")
        folder.mkdir(exist_ok=True)
        written = {}
        for done, (name, result) in enumerate(sorted(results.items()), 1):
            letter = Letter(result.arbiter, subject(result, template), letter_text(result, template))
            write_text_atomically(folder / name, letter.text)
            written[name] = letter
            settings.progress("letters written", done, len(results))
        sending = _send(store, settings, str(period), written) if send else None
    counts = Counter(one.status for one in results.values())
    return LettersSummary(str(period), str(folder), dict(sorted(counts.items())), sorted(results), sending)


def template_of(language: str) -> LetterTemplate:
    """Return the template of a language; raises :class:`CommandLineError` where there is none."""
    file = resources.data("letters") / f"{language}.toml"
    if language not in languages():
        raise CommandLineError(f"There are no letters in '{language}'; there are: {', '.join(languages())}.")
    try:
        return parse_template(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise NothingReadError(f"{file}: {error}. Fix the file.") from None


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
        refused = row["status"] == "refused" and row["reason"] in ("report_refused", "unknown_player")
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
            arbiter=_arbiter(settings.reports / row["report_sha256"]),
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


def _arbiter(original: Path) -> str:
    """Return the name in record 102 of a report; empty where there is none."""
    if not original.is_file():
        return ""
    found = _ARBITER.search(decode(original.read_bytes()).text)
    return found[1].strip() if found else ""


def _file_name(event_id: str, report_id: str) -> str:
    """Return the name of a letter: safe on every system, and the same for the same report."""
    safe = _UNSAFE.sub("-", event_id).strip("-")[:_NAME_LENGTH] or "event"
    return f"{safe}-{hashlib.sha256(report_id.encode()).hexdigest()[:8]}.txt"


def _addresses(home: Path) -> dict[str, str]:
    """Return the address of each arbiter, by the spelling of the name.

    Raises :class:`CommandLineError` where the file is missing, or has a line that is no name and address.
    """
    path = home / _ADDRESSES
    how = "Write a line name,email, and below it a line for each arbiter, as record 102 of the reports names him."
    if not path.is_file():
        raise CommandLineError(f"{path} is not there, so no address is known. {how} Nothing was sent.")
    if path.stat().st_size > TOML_BYTES:
        raise CommandLineError(f"{path} has more than {TOML_BYTES:,} bytes. {how} Nothing was sent.")
    try:
        rows = list(csv.reader(path.read_text(encoding="utf-8-sig").splitlines(), strict=True))
    except (UnicodeDecodeError, csv.Error):
        raise CommandLineError(f"{path} is not a CSV file in UTF-8. Save it as one. Nothing was sent.") from None
    known: dict[str, str] = {}
    for line, row in enumerate(rows, 1):
        cells = [cell.strip() for cell in row]
        wrong = ""
        if line == 1:
            semicolons = " with commas; save the file with commas between the cells" if ";" in row[0] else ""
            wrong = "" if cells == _HEAD else f"the first line is not {','.join(_HEAD)}{semicolons}"
        elif any(cells):
            if len(cells) != len(_HEAD) or not cells[0]:
                wrong = "it is not a name and an address"
            elif not _ADDRESS.fullmatch(cells[1]):
                wrong = f"'{cells[1]}' is not an address of mail"
            elif known.setdefault(spelling(cells[0]), cells[1]) != cells[1]:
                wrong = f"'{cells[0]}' has another address above"
        if wrong:
            raise CommandLineError(f"{path}, line {line}: {wrong}. {how} Nothing was sent.")
    return known


def _send(store: Store, settings: Settings, month: str, letters: Mapping[str, Letter]) -> Sending:
    """Send the letters, by the name of their files, that were not sent before, and record them.

    A letter whose address the server refuses stops no other.
    """
    known, done, office = _addresses(settings.home), Sending(), settings.office.notify
    due: list[tuple[str, Letter, str]] = []
    for name, letter in letters.items():
        if letter.digest in store.log.history.letters:
            done.already += 1
        elif address := known.get(spelling(letter.arbiter)) if letter.arbiter else None:
            due.append((name, letter, address))
        else:
            done.unknown.append(f"{on_one_line(letter.arbiter) or 'no arbiter is named'} ({name})")
    sent: list[dict[str, str]] = []
    try:
        if due:
            with mail.connected(office) as server:
                for name, letter, address in due:
                    one = Mail(address, letter.subject, letter.text, letter.digest, datetime.now(UTC))
                    try:
                        mail.send(server, office, one)
                    except MailError as error:
                        done.refused.append(f"{name}: {error}")
                        continue
                    sent.append({"file": name, "sha256": letter.digest})
                    settings.progress("letters sent", len(sent), len(due))
    except MailError as error:
        done.stopped = str(error)
    finally:
        # Also where the command is interrupted: what was sent was sent.
        if sent:
            store.record("letters", settings.today, month=month, sent=sent)
    done.sent = len(sent)
    return done
