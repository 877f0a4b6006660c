"""The questions that a list raises before it is published, and the written reasons that answer them.

Here stand those that no query of ``sql/questions`` asks (:mod:`ratinglist.publication.checks`):

- on what was delivered for the list: whether many reports of it are on no list, and whether all came. The delivery of a
  list is every report that was loaded after the first publication of a list before it, and before that of a list after
  it;
- on ``office.toml``: the choices that guard publications are not lost in silence.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePath
from typing import Final

import polars as pl

from ratinglist import office
from ratinglist.analysis.event_status import reports_since
from ratinglist.errors import CheckError, CommandLineError
from ratinglist.home import originals
from ratinglist.home.history import History
from ratinglist.home.log import Log
from ratinglist.period import Period
from ratinglist.reasons import WAITING, by_reason
from ratinglist.settings import Settings
from ratinglist.store import quarantine
from ratinglist.store.database import Store
from ratinglist.store.received import text_problem
from ratinglist.store.rule_files import rule_book
from ratinglist.store.table_files import formula_problem
from ratinglist.tables import words_of
from ratinglist.text import first_forbidden_in_written_text, is_too_short, with_plain_blanks

TEXT_LENGTH = 1000
"""Most characters of a reason or a remark: a paragraph. All readers of the manifest read it."""

OFFICE_SETTINGS = "office_settings"
"""The question that the choices of the office raise, and no query."""

PERSONAL = frozenset(
    {
        *("name", "federation", "federation_before", "sex", "sex_before"),
        *("opponent_name", "events", "file", "birth_year", "registered", "registered_year", "first", "why"),
    }
)
"""Columns found by a question that stay in the office: the policy of fields decides which of them a list carries.

Why a report is refused may name a player, and a file is a path of the office.
"""


@dataclass(frozen=True, slots=True)
class RaisedQuestion:
    """A question that a month raises.

    ``question``: its name. ``text``: the question as an officer reads it. ``rows``: the first of the ``count`` rows
    found, whole numbers and texts. ``found_digest`` identifies all of them. ``reason``: the reason given for exactly
    these rows; empty where none was given.
    """

    question: str
    text: str
    rows: list[dict[str, object]]
    count: int
    found_digest: str
    reason: str = ""

    @classmethod
    def of(
        cls, history: History, month: Period, name: str, text: str, rows: list[dict[str, object]], shown: int = 5
    ) -> RaisedQuestion:
        """Return a question with the reason that was given for exactly these rows, of which the first are shown."""
        digest = hashlib.sha256(json.dumps(rows, sort_keys=True).encode()).hexdigest()
        return cls(name, text, rows[:shown], len(rows), digest, newest_reason(history, str(month), name, digest))

    def as_fact(self) -> dict[str, object]:
        """Return the question, the reason and the rows found for the manifest; a player is named by FIDE ID alone."""
        rows = [{name: cell for name, cell in row.items() if name not in PERSONAL} for row in self.rows]
        return {**self.as_dict(), "found": {"count": self.count, "rows": rows, "sha256": self.found_digest}}

    def as_dict(self) -> dict[str, object]:
        """Return the question, the reason and the rows found as JSON-able values, for the office."""
        found = {"count": self.count, "rows": self.rows, "sha256": self.found_digest}
        return {"question": self.question, "asks": self.text, "reason": self.reason, "found": found}

    def lines(self) -> list[str]:
        """Return the question, the rows found and, where there is one, the reason, as lines."""
        more = [f"and {self.count - len(self.rows):,} more"] if self.count > len(self.rows) else []
        answer = [f"answered: {self.reason}"] if self.reason else []
        return [f"{self.question}: {self.text}", *(f"  {row_text(row)}" for row in self.rows), *more, *answer]


def row_text(row: Mapping[str, object]) -> str:
    """Return a row found as text, without its empty cells: ``FIDE ID 101, change 240``."""
    shown = {name: words_of(str(value)) if name == "column" else value for name, value in row.items()}
    return ", ".join(f"{words_of(name)} {value}" for name, value in shown.items() if value is not None)


def unanswered(raised: Iterable[RaisedQuestion]) -> list[RaisedQuestion]:
    """Return the questions without a reason."""
    return [one for one in raised if not one.reason]


def because_options(raised: Iterable[RaisedQuestion]) -> str:
    """Return the options that answer these questions, with the reasons left to be filled in."""
    return " ".join(f'--because {one.question}="..."' for one in raised)


def unanswered_text(months: Mapping[str, Sequence[RaisedQuestion]], command: str) -> str:
    """Return the message of a publication stopped by questions: by month, the rows found and the remedy.

    ``command``: the command that publishes the months once every question has a reason.
    """
    open_ones = {month: unanswered(raised) for month, raised in months.items() if unanswered(raised)}
    named = {one.question: one for raised in open_ones.values() for one in raised}
    lines = [f"    {line}" for raised in open_ones.values() for one in raised for line in one.lines()]
    if len(open_ones) > 1:
        lines = []
        for month, raised in open_ones.items():
            lines += [f"  {month}", *(f"    {line}" for one in raised for line in one.lines())]
    count = "a question" if len(named) == 1 else f"{len(named)} questions"
    accounts = [
        f"Every game of a player: ratinglist explain {row['fide_id']} {month} --preview"
        for month, raised in open_ones.items()
        for one in raised
        for row in one.rows
        if "fide_id" in row
    ]
    return "\n".join(
        [
            f"Nothing was published: the list of {', '.join(open_ones)} raises {count} without an answer.",
            *lines,
            *accounts[:1],
            "Check whether this is right. If it is wrong, correct it and calculate the list again. If it is right, "
            "write down why; the reason is published in manifest.json: "
            f"{command} {because_options(named.values())}",
        ]
    )


def with_reasons(raised: Iterable[RaisedQuestion], reasons: Mapping[str, str]) -> list[RaisedQuestion]:
    """Return the questions, those that ``reasons`` answer with the reason given now."""
    return [replace(one, reason=reasons.get(one.question, one.reason)) for one in raised]


def check_reasons(months: Mapping[str, Sequence[RaisedQuestion]], reasons: Mapping[str, str]) -> None:
    """Raise :class:`CommandLineError` for a reason given to a question that none of these months raises."""
    raised = {one.question for questions in months.values() for one in questions}
    for question in reasons:
        if question not in raised:
            what = f"it raises {', '.join(sorted(raised))}" if raised else "it raises none"
            raise CommandLineError(
                f"--because {question}: the list of {', '.join(months)} does not raise that question; {what}. Leave "
                "the reason out."
            )


def parse_reasons(given: Iterable[str], questions: Collection[str]) -> dict[str, str]:
    """Parse reasons as the command line gives them, ``QUESTION=written reason``, into reasons by question.

    ``questions``: the names of all questions. Raises :class:`CommandLineError` for an unknown question, for one given
    twice, and for a reason that is empty, too long or no plain text.
    """
    reasons: dict[str, str] = {}
    for option in given:
        question, equals, reason = (part.strip() for part in option.partition("="))
        if question not in questions or not equals:
            raise CommandLineError(
                f"--because '{option}': write QUESTION=\"your reason\", the question being one of "
                f"{', '.join(sorted(questions))}."
            )
        if question in reasons:
            raise CommandLineError(f"--because {question}: given twice; one reason is enough.")
        what = "why the list is right all the same"
        reasons[question] = checked_reason(reason, f"--because {question}", what)
    return reasons


def checked_reason(text: str, option: str, what: str) -> str:
    """Return :func:`checked_text` of a reason; raises :class:`CommandLineError` for one of a letter too."""
    reason = checked_text(text, option, what)
    if is_too_short(reason):
        raise CommandLineError(f"{option}: '{reason}' is no reason that a reader understands: write {what}.")
    return reason


def checked_text(text: str, option: str, what: str) -> str:
    """Return the text of an option in plain blanks, without those around it; ``what`` names what has to be written.

    Raises :class:`CommandLineError` where it is empty, is too long, has a character that is not plain text, or is
    calculated by a spreadsheet, in which published files are opened.
    """
    text = with_plain_blanks(text).strip()
    if not text:
        raise CommandLineError(f"{option} is empty: write {what}.")
    if len(text) > TEXT_LENGTH:
        raise CommandLineError(f"{option} has {len(text):,} characters: write at most {TEXT_LENGTH:,}.")
    if strange := first_forbidden_in_written_text(text):
        raise CommandLineError(
            f"{option} has the character {strange}, which is not seen or controls a terminal: write one line of plain "
            "text."
        )
    if problem := formula_problem(text):
        raise CommandLineError(f"{option} '{text}' {problem}: write it in words.")
    return text


def newest_reason(history: History, month: str, question: str, found_digest: str) -> str:
    """Return the newest reason given for exactly these rows; empty where there is none."""
    key = (month, question, found_digest)
    kept = (one for one in reversed(history.answers) if (one["month"], one["question"], one["found"]) == key)
    return next((str(one["reason"]) for one in kept), "")


def new_reasons(history: History, months: Mapping[str, Sequence[RaisedQuestion]]) -> list[dict[str, str]]:
    """Return the reasons given for questions, by month, that are not the newest ones kept for what they found."""
    return [
        {"month": month, "question": one.question, "found": one.found_digest, "reason": one.reason}
        for month, raised in months.items()
        for one in raised
        if one.reason and one.reason != newest_reason(history, month, one.question, one.found_digest)
    ]


def checked(store: Store, settings: Settings, period: Period, text: str, option: str, what: str = "") -> str:
    """Return the text of ``option``, in plain blanks and without blanks around it, about the list of ``period``.

    ``what`` names what has to be written; without it, the text may be empty. Raises :class:`CommandLineError` where the
    text is empty, is too long, is a reason of one letter, has a character that is not plain text, or has a date of
    birth.
    """
    if not what and not text.strip():
        return ""
    text = (checked_reason if option == "--because" else checked_text)(text, option, what)
    check_birth_dates(store, settings, period, text, option)
    return text


def check_birth_dates(store: Store, settings: Settings, period: Period, text: str, option: str) -> None:
    """Raise :class:`CommandLineError` where ``text`` has a date of birth."""
    if problem := text_problem(store, text, settings.today, played=period.first_day):
        raise CommandLineError(f"{option} {problem}. The text was not stored, and nothing was published.")


_MOST: Final = {
    "most_refused": (
        "refused",
        "Is it right that {number:,} of the {every:,} reports that were loaded for this list are refused?",
    ),
    "most_waiting": (
        "waiting",
        "Is it right that {number:,} of the {every:,} reports that were loaded for this list wait, and are on no list?",
    ),
}
"""By question: the status of a report that it is about, and its text."""
_LATER: Final = "most_later"
_LATER_TEXT: Final = (
    "Is it right that {number:,} of the {every:,} reports that were loaded for this list arrived after it closed, "
    "though their events had ended, so that a later list rates them? The day of arrival is received_on in "
    "manifest.csv, or --received; else the day of loading."
)
_ABSENT: Final = "not_delivered"
_ABSENT_TEXT: Final = "Is the delivery whole, though manifest.csv names reports that were not in it?"
_SINCE: Final = "loaded_since"
_SINCE_TEXT: Final = (
    "Is it right that the list is published without these reports? They were received in time, and loaded since it was "
    "calculated. To rate them: ratinglist rate {month}"
)
OF_DELIVERY: Final = (*_MOST, _LATER, _ABSENT, _SINCE)
_FEWEST: Final = 2
"""A single report is named in the summary of the run, and raises no question."""


def raised_by_delivery(store: Store, period: Period) -> list[RaisedQuestion]:
    """Return the questions of :data:`OF_DELIVERY` that the delivery of a list raises."""
    delivered = _delivered(store, period)
    question = partial(RaisedQuestion.of, store.log.history, period)
    raised = []
    for name, (status, text) in _MOST.items():
        of_status = delivered.filter(pl.col("status") == status)
        number, every = len(of_status), len(delivered)
        if number < _FEWEST or 2 * number <= every:
            continue
        rows = by_reason(_findings(store, period, status, of_status))
        raised.append(question(name, text.format(number=number, every=every), rows))
    later = delivered.filter("is_later")
    if len(later) >= _FEWEST and 2 * len(later) > len(delivered):
        days: list[dict[str, object]] = (
            later.group_by("received_on")
            .agg(pl.len().cast(pl.Int32).alias("reports"), pl.col("file_name").min().alias("first"))
            .sort("received_on")
            .select(pl.col("received_on").cast(pl.String), "reports", "first")
            .to_dicts()
        )
        text = _LATER_TEXT.format(number=len(later), every=len(delivered))
        raised.append(question(_LATER, text, days))
    if absent := _absent(store, period):
        raised.append(question(_ABSENT, _ABSENT_TEXT, [{"file": name} for name in absent]))
    since = reports_since(store, rule_book()).filter(pl.col("month") == str(period), ~pl.col("is_published"))
    if len(since):
        reports = since.select(pl.col("file_name").alias("file"), "event_id", pl.col("received_on").cast(pl.String))
        raised.append(question(_SINCE, _SINCE_TEXT.format(month=period), reports.to_dicts()))
    return raised


def _absent(store: Store, period: Period) -> list[str]:
    """Return the reports that manifests loaded for a list name and no delivery since then has.

    A manifest that came again counts as it came last.
    """
    after, before = store.log.history.entries_for(str(period))
    loads = [
        one
        for one in store.log.entries
        if one.kind == "load" and after < one.number < before and one.number not in store.log.history.retracted
    ]
    absent: dict[str, list[str]] = {}
    present = set()
    for entry in loads:
        delivered = originals.delivery(store.home, entry)
        present |= {PurePath(one["name"]).name for one in delivered["files"]}
        names = delivered.get("absent", [])
        for manifest, _ in delivered["manifests"]:
            absent[manifest] = [name for name in names if name.startswith(manifest.removesuffix("manifest.csv"))]
    return sorted({name for names in absent.values() for name in names if PurePath(name).name not in present})


def _findings(store: Store, period: Period, status: str, reports: pl.DataFrame) -> list[dict[str, object]]:
    """Return why these reports have the ``status``; by the calculation of the list, where nothing is wrong now."""
    now = [row for row in quarantine.of_reports(store, reports["report_id"]) if row["status"] == status]
    then = set(reports["event_id"]) - {row["event_id"] for row in now}
    return [*now, *(row for row in quarantine.of_month(store, period) if row["event_id"] in then)]


def _delivered(store: Store, period: Period) -> pl.DataFrame:
    """Return the reports that were loaded for a list.

    Out: ``report_id``, ``event_id``, ``status`` (refused, waiting, good), ``is_later`` (its event had ended, and it
    arrived after the list closed), ``received_on``, ``file_name``.

    A report that came again in a better version, or was set aside, is left out. A report that waited when the list was
    calculated waits for this list, also where the fact is known by now.
    """
    after, before = store.log.history.entries_for(str(period))
    return store.read(
        """
        with loaded as (
            select report.* from report anti join dismissed_report using (report_id)
            where loaded_no > $after and loaded_no < $before
        ),
        waits as (
            select report_id from unknown_player
            union select report_id from finding
            where effect = 'waits' or (effect = 'refused' and rule in (select unnest($waiting)))
            union select report_id from event where month = $month and reason in (select unnest($waiting))
        ),
        good as (
            select event_id, sha256 from report anti join waits using (report_id) where accepted
        )
        select
            report_id,
            event_id,
            case
                when report_id in (select report_id from waits) then 'waiting'
                when accepted then 'good'
                else 'refused'
            end as status,
            accepted and (
                received_on >= $first_day and end_date < $first_day
                or report_id in (select report_id from event where month = $month and reason = 'received_after_closing')
            ) as is_later,
            received_on,
            file_name
        from loaded
        where report_id in (select report_id from report anti join waits using (report_id) where accepted)
            or (event_id not in (select event_id from good) and sha256 not in (select sha256 from good))
        order by report_id
        """,
        after=after,
        before=before,
        month=str(period),
        first_day=period.first_day,
        waiting=list(WAITING),
    )


def raised_by_office(store: Store, settings: Settings, period: Period) -> list[RaisedQuestion]:
    """Return the question on choices that guard publications less than before; none where none do."""
    rows = weakened(store.log, settings)
    if not rows:
        return []
    text = "Were the choices in office.toml given up, which guarded the newest publication?"
    return [RaisedQuestion.of(store.log.history, period, OFFICE_SETTINGS, text, rows, shown=len(rows))]


def check_office_kept(store: Store, settings: Settings) -> None:
    """Raise :class:`CheckError` where they are given up, for a command that asks no questions."""
    if rows := weakened(store.log, settings):
        raise CheckError(
            f"Nothing was changed: {weakened_text(rows)}. Put the file back: {office_kept(store.log)} is the one that "
            f'was used before. If that was decided, say so with the next publication: --because {OFFICE_SETTINGS}="..."'
        )


def weakened_text(rows: list[dict[str, object]]) -> str:
    """Return what :func:`weakened` found, as a sentence without its full stop."""
    return "; ".join(f"{row['setting']} was {row['before']} and is {row['now']}" for row in rows)


def office_kept(log: Log) -> Path:
    """Return where the newest version of ``office.toml`` is that was used and is not the one that is there."""
    digest = next((one for one in reversed(log.history.offices) if one != log.office_now()), log.history.office)
    return log.home / originals.FOLDER / digest


def weakened(log: Log, settings: Settings) -> list[dict[str, object]]:
    """Return a row for each choice that guards less than at the newest publication, or in a command since.

    ``office.toml`` is missing or empty, asks for fewer approvals, does not name who may approve or the signing key any
    more, names another approver or another key of one, has another name of the office, or publishes a column that was
    left out. Raises
    :class:`~ratinglist.errors.AlteredError` where a version that was used is not among the originals.
    """
    now = log.office_now()
    texts = [
        originals.checked(log.home, one, f"an {office.NAME} that was used").read_text(encoding="utf-8")
        for one in log.history.offices
        if one != now
    ]
    used = [office.parse(text) for text in texts if text.strip()]
    if not used:
        return []
    rows: list[dict[str, object]] = []
    file = log.home / originals.FOLDER / now if log.is_replaying else settings.home / office.NAME
    text = file.read_text(encoding="utf-8") if now else ""
    if not text.strip():
        rows.append({"setting": office.NAME, "before": "there", "now": "empty" if now else "missing"})
    approvals, needed = max(one.publication.approvals for one in used), settings.office.publication.approvals
    if approvals > needed:
        rows.append({"setting": "approvals", "before": approvals, "now": needed})
    if any(one.approvers for one in used) and not settings.office.approvers:
        rows.append({"setting": "approvers", "before": "named", "now": "anybody"})
    # Of the text: in a rebuild the settings have no keys.
    rows += _of_approvers(used, office.parse(text).approvers)
    if any(one.publication.signing_key for one in used) and not settings.office.publication.signing_key:
        rows.append({"setting": "signing_key", "before": "named", "now": "none: nothing is signed"})
    shown = settings.office.name
    names = sorted({one.name for one in used} - {"", shown})
    rows += [{"setting": "name", "before": name, "now": shown} for name in names]
    left_out = {(table, column) for one in used for table, columns in one.fields.without.items() for column in columns}
    still = {(table, column) for table, columns in settings.office.fields.without.items() for column in columns}
    rows += [
        {"setting": f"fields.without {table}", "before": f"without {column}", "now": "published"}
        for table, column in sorted(left_out - still)
    ]
    return rows


def _of_approvers(used: list[office.Office], now: tuple[office.Approver, ...]) -> list[dict[str, object]]:
    """Return a row for each person who may approve now and could not before, or without the key of before."""
    named = [who for one in used for who in one.approvers]
    rows: list[dict[str, object]] = []
    for who in now if named else ():
        keys = {one.key for one in named if office.spelling(one.name) == office.spelling(who.name)}
        if not keys:
            rows.append({"setting": f"approver {who.name}", "before": "not named", "now": "named"})
        elif any(keys) and who.key not in keys:
            rows.append({"setting": f"key of {who.name}", "before": "named", "now": "another" if who.key else "none"})
    return rows
