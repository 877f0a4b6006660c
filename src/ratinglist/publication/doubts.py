"""Every doubt about what is imported or published: a query that finds rows, and a sentence that says what they mean.

A query stands in ``sql/doubts/NAME.sql``. The comment that it begins with says the rest::

    -- ask: Is it right that {number:,} reports are refused?
    -- when: publish
    -- remedy: ratinglist quarantine {month}

``stop``, ``ask`` or ``note``
    what a row found means: nothing is published; a person has to answer the question in writing first
    (``--because NAME=REASON``); somebody should know. The sentence is an officer's. It names thresholds, and columns of
    the first row.
``when``
    where the doubt is raised: ``import-players``, ``import-list``, ``load``, ``rate``; ``before-publish``, whether
    what a list was made from still counts, and then ``publish``.
``remedy``
    the command that mends what is wrong; of a ``stop`` without one, the calculation of the list.

Another comment, after an empty line, is for engineers. A new file is a new doubt: nothing else has to know its name.

The queries compare tables; they repeat no formula of a system. Where another process calculated the list, it is
calculated once more besides, and all its tables are compared (:func:`same_again`).

Besides the store's own tables the queries can read those of ``sql/doubts/prepared`` and the frames of :func:`_frames`.
Each is made when a query first names it.
"""

from __future__ import annotations

import hashlib
import json
import re
import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cache, partial
from itertools import groupby
from pathlib import Path, PurePath
from typing import Any, Literal, cast

import polars as pl

from ratinglist import office
from ratinglist.analysis.report_states import reports_since
from ratinglist.errors import CheckError, CommandLineError
from ratinglist.files import resources
from ratinglist.home import originals
from ratinglist.home.history import History
from ratinglist.home.log import Log
from ratinglist.messages import WAITING
from ratinglist.names.alike import unlike_lines
from ratinglist.period import Period
from ratinglist.rating.month import rate_month
from ratinglist.rating.rules import SECTIONS, RuleSet
from ratinglist.settings import Settings
from ratinglist.store import calculations
from ratinglist.store.calculations import FiledCalculation
from ratinglist.store.database import Store
from ratinglist.store.inputs import read_month_inputs
from ratinglist.store.received import text_problem
from ratinglist.store.rule_files import rule_book
from ratinglist.store.table_files import formula_problem
from ratinglist.summaries import because_options
from ratinglist.tables import words_of
from ratinglist.text import first_forbidden_in_written_text, says_nothing, with_plain_blanks

Kind = Literal["stop", "ask", "note"]
Frames = Mapping[str, Callable[[], pl.DataFrame]]
"""What makes a frame that queries read, by its name."""

ROWS_SHOWN, NOTES_SHOWN = 5, 10
PERSONAL = frozenset(
    {
        *("name", "federation", "federation_before", "sex", "sex_before"),
        *("opponent_name", "events", "file", "birth_year", "registered", "registered_year", "first", "why"),
    }
)
"""Columns found by a question that stay in the office: the policy of fields decides which of them a list carries.

Why a report is refused may name a player, and a file is a path of the office.
"""
_HEADER = re.compile(r"-- (stop|ask|note): (.+?)\n-- when: (.+?)\n(?:-- remedy: (.+?)\n)?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Doubt:
    """A doubt with its evidence.

    ``code``: its name. ``remedy``: the command that mends what is wrong, as it is typed; empty where there is none.
    ``rows``: the first of the ``count`` rows found. ``digest`` identifies all of them. ``answer``: the reason given for
    exactly these rows; empty where none was given.
    """

    code: str
    kind: Kind
    sentence: str
    remedy: str
    rows: list[dict[str, Any]]
    count: int
    digest: str
    answer: str = ""

    def as_fact(self) -> dict[str, object]:
        """Return the question, the answer and the rows found for the manifest; a player is named by FIDE ID alone."""
        rows = [{name: cell for name, cell in row.items() if name not in PERSONAL} for row in self.rows]
        evidence = {"count": self.count, "rows": rows, "sha256": self.digest}
        return {"question": self.code, "asks": self.sentence, "reason": self.answer, "found": evidence}

    def as_dict(self) -> dict[str, object]:
        """Return everything but the digest as JSON-able values, for the office; the remedy as command and arguments."""
        values = asdict(self)
        del values["digest"]
        _, command, *arguments = shlex.split(self.remedy) or ("", "")
        values["remedy"] = {"command": command, "arguments": arguments} if command else None
        plain: dict[str, object] = json.loads(json.dumps(values, default=str))
        return plain

    def lines(self) -> list[str]:
        """Return the sentence, the rows found, the remedy and, where there is one, the answer, as lines."""
        more = [f"  and {self.count - len(self.rows):,} more"] if self.count > len(self.rows) else []
        remedy = [f"  next: {self.remedy}"] if self.remedy and not self.answer else []
        answer = [f"  answered: {self.answer}"] if self.answer else []
        return [
            f"{self.code}: {self.sentence}",
            *(f"  {row_text(row)}" for row in self.rows),
            *more,
            *remedy,
            *answer,
        ]


@dataclass(frozen=True, slots=True)
class Query:
    """A query of ``sql/doubts``, and what its header says."""

    code: str
    kind: Kind
    sentence: str
    when: tuple[str, ...]
    remedy: str
    text: str

    @property
    def stage(self) -> tuple[bool, bool]:
        """Return its place in the order of all: what a list was made from, what stops it, what is asked."""
        return self.kind != "stop", "before-publish" not in self.when

    @classmethod
    def parse(cls, code: str, text: str) -> Query:
        """Parse a file; raises :class:`ValueError` where it has no header."""
        header = _HEADER.match(text)
        if header is None:
            raise ValueError(f"{code}.sql does not begin with a kind, a sentence and when it is asked")
        kind, sentence, when, remedy = header.groups(default="")
        return cls(code, cast("Kind", kind), sentence.replace("\n-- ", " "), tuple(when.split()), remedy, text)

    def doubt(self, rows: list[dict[str, Any]], values: Mapping[str, object], answer: Callable[..., str]) -> Doubt:
        """Return the doubt that rows raise; ``answer``: returns the answer to a code and a digest."""
        digest = hashlib.sha256(json.dumps(rows, sort_keys=True, default=str).encode()).hexdigest()
        said = {**values, **rows[0]}
        remedy = self.remedy or ("ratinglist rate {month}{rules}" if self.kind == "stop" else "")
        # A cell is one word of a command, unless it is all of it.
        typed = said if remedy.startswith("{") else {**values, **{name: quoted(cell) for name, cell in rows[0].items()}}
        return Doubt(
            self.code,
            self.kind,
            self.sentence.format_map(said),
            shlex.join(shlex.split(remedy.format_map(typed))),
            rows[:ROWS_SHOWN],
            len(rows),
            digest,
            answer(self.code, digest),
        )


@cache
def queries() -> tuple[Query, ...]:
    """Return all queries of ``sql/doubts``: those that stop first, then by name."""
    files = resources.sql("doubts").glob("*.sql")
    parsed = [Query.parse(file.stem, file.read_text(encoding="utf-8")) for file in files]
    return tuple(sorted(parsed, key=lambda query: (query.stage, query.code)))


def named(code: str) -> Query:
    """Return a query by its name."""
    return next(query for query in queries() if query.code == code)


def question_names(*when: str) -> list[str]:
    """Return the names of the questions that are asked at any of these times."""
    return sorted(query.code for query in queries() if query.kind == "ask" and set(when) & set(query.when))


def doubts(
    store: Store,
    asked: Iterable[Query],
    frames: Frames,
    values: Mapping[str, object],
    answer: Callable[[str, str], str],
) -> list[Doubt]:
    """Return the doubts that queries raise; after those of a stage that stop, nothing more is asked of a wrong list.

    ``frames``: what the queries read besides the tables of the store. ``values``: the parameters of the queries, and
    what their sentences name. ``answer``: returns the answer to the rows with a digest; empty where there is none.
    """
    raised: list[Doubt] = []
    with seen(store, frames, values) as named_in:
        for _, of_stage in groupby(asked, key=lambda query: query.stage):
            if any(doubt.kind == "stop" for doubt in raised):
                break
            results = ((query, store.dicts(query.text, **named_in(query.text))) for query in of_stage)
            for query, rows in results:
                # A note is about a row, any other doubt about all of them.
                parts = [[row] for row in rows[:NOTES_SHOWN]] if query.kind == "note" else [rows] * bool(rows)
                raised += [query.doubt(part, values, answer) for part in parts]
    return raised


@contextmanager
def seen(store: Store, frames: Frames, values: Mapping[str, object]) -> Iterator[Callable[[str], dict[str, object]]]:
    """Let queries name ``frames`` and prepared tables in the block; yield what returns the ``values`` a query names."""

    def named_in(text: str) -> dict[str, object]:
        """Return the parameters that a text names: DuckDB refuses others."""
        return {name: values[name] for name in set(re.findall(r"\$(\w+)", text))}

    def prepare(file: Path) -> None:
        text = file.read_text(encoding="utf-8")
        store.execute(f"create or replace temp table {file.stem} as {text}", **named_in(text))

    prepared = {file.stem: partial(prepare, file) for file in resources.sql("doubts").glob("prepared/*.sql")}
    with store.with_views({**prepared, **frames}):
        yield named_in


def quoted(cell: object) -> str:
    """Return a cell as a word that a person types in a command."""
    return shlex.quote(str(cell))


def row_text(row: Mapping[str, object]) -> str:
    """Return a row found as text, without its empty cells: ``FIDE ID 101, change 240``."""
    return ", ".join(f"{words_of(name)} {cell_text(name, cell)}" for name, cell in row.items() if cell is not None)


def cell_text(name: str, cell: object) -> str:
    """Return a cell of a row found as text, the name of a column in words; empty where there is none."""
    text = "" if cell is None else str(cell)
    return words_of(text) if name == "column" else text


def unanswered(raised: Iterable[Doubt]) -> list[Doubt]:
    """Return the questions without an answer."""
    return [doubt for doubt in raised if doubt.kind == "ask" and not doubt.answer]


def as_dicts(raised: Iterable[Doubt]) -> list[dict[str, object]]:
    """Return doubts as ``--json`` prints them."""
    return [doubt.as_dict() for doubt in raised]


def newest_answer(history: History, month: str, code: str, digest: str) -> str:
    """Return the newest reason given for exactly these rows; empty where there is none."""
    key = (month, code, digest)
    kept = (fact for fact in reversed(history.answers) if (fact["month"], fact["question"], fact["found"]) == key)
    return next((str(fact["reason"]) for fact in kept), "")


def new_answers(history: History, months: Mapping[str, Sequence[Doubt]]) -> list[dict[str, str]]:
    """Return the answers given, by month, that are not the newest ones kept for what was found."""
    return [
        {"month": month, "question": doubt.code, "found": doubt.digest, "reason": doubt.answer}
        for month, raised in months.items()
        for doubt in raised
        if doubt.answer and doubt.answer != newest_answer(history, month, doubt.code, doubt.digest)
    ]


def check_none_stops(period: Period, raised: Iterable[Doubt]) -> None:
    """Raise :class:`CheckError` where a doubt stops the publication: each with its first rows and the remedy."""
    stops = [doubt for doubt in raised if doubt.kind == "stop"]
    if stops:
        raise CheckError(
            "\n".join(
                [
                    f"Nothing was published: the list of {period} is wrong.",
                    *(f"  {line}" for doubt in stops for line in doubt.lines()),
                    "Give these commands, then publish it. Where the same is found again, report it.",
                ]
            ),
            as_dicts(stops),
        )


def unanswered_text(months: Mapping[str, Sequence[Doubt]], command: str) -> str:
    """Return the message of a publication stopped by questions: by month, the rows found and the remedy.

    ``command``: the command that publishes the months once every question has an answer.
    """
    open_ones = {month: unanswered(raised) for month, raised in months.items() if unanswered(raised)}
    named = {doubt.code: doubt for raised in open_ones.values() for doubt in raised}
    lines = []
    for month, raised in open_ones.items():
        lines += [f"  {month}", *(f"    {line}" for doubt in raised for line in doubt.lines())]
    return "\n".join(
        [
            f"Nothing was published: the list of {', '.join(open_ones)} raises "
            f"{'a question' if len(named) == 1 else f'{len(named)} questions'} without an answer.",
            *lines,
            "Check whether this is right. If it is wrong, correct it and calculate the list again. If it is right, "
            "write down why; the reason is published in manifest.json: "
            f"{command} {because_options(named)}",
        ]
    )


TEXT_LENGTH = 1000
"""Most characters of a reason: a paragraph. All readers of the manifest read it."""


def parse_reasons(options: Iterable[str], questions: Collection[str]) -> dict[str, str]:
    """Parse reasons as the command line gives them, ``QUESTION=written reason``, into reasons by question.

    ``questions``: the names of all questions. Raises :class:`CommandLineError` for an unknown question, for one given
    twice, and for a reason that is empty, too long or no plain text.
    """
    reasons: dict[str, str] = {}
    for option in options:
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
    """Return :func:`checked_text` of a reason; raises :class:`CommandLineError` for one that says nothing too."""
    reason = checked_text(text, option, what)
    if says_nothing(reason):
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


def check_month(
    store: Store, settings: Settings, calculation: FiledCalculation, reasons: Mapping[str, str]
) -> list[Doubt]:
    """Return the questions that a calculated month raises, with the answers given.

    ``reasons``: those given now, by question. Raises :class:`~ratinglist.errors.AlteredError` where a file of the
    calculation was altered, :class:`~ratinglist.errors.CheckError` where a doubt stops the publication,
    :class:`~ratinglist.errors.CommandLineError` where an answer has a date of birth.
    """
    period = calculation.period
    calculation.folder.check_unaltered()
    settings.progress("checking", 0, 1)
    raised = doubts_about(store, settings, period, reasons)
    if calculation.folder.number not in store.calculated_here:
        raised += same_again(store, calculation)
    check_none_stops(period, raised)
    check_birth_dates(store, settings, period, settings.office.name, f"name in {office.NAME}")
    for doubt in raised:
        # An answer kept by an earlier version, or before a player was known, is checked like one given now.
        check_birth_dates(store, settings, period, doubt.answer, f"--because {doubt.code}")
    return raised


def doubts_about(
    store: Store,
    settings: Settings,
    period: Period,
    reasons: Mapping[str, str] | None = None,
    asked: Sequence[Query] | None = None,
) -> list[Doubt]:
    """Return the doubts about the list of a month, by default those of all queries asked before it is published."""

    def answer(code: str, digest: str) -> str:
        return (reasons or {}).get(code) or newest_answer(store.log.history, str(period), code, digest)

    asked = (
        [query for query in queries() if {"before-publish", "publish"} & set(query.when)] if asked is None else asked
    )
    values = _values(store, settings, period)
    return doubts(store, asked, _frames(store, settings, period), values, answer)


def notes_on(store: Store, settings: Settings, period: Period, coincidences: pl.DataFrame) -> list[str]:
    """Return what somebody should know of a list that was calculated, a sentence each.

    ``coincidences``: the calculation's (:data:`~ratinglist.rating.duplicate_games.COINCIDENCE`).
    """
    frames: Frames = {**_frames(store, settings, period), "coincidence": coincidences.clone}
    return notes_when(store, "rate", frames, _values(store, settings, period))


def notes_when(store: Store, when: str, frames: Frames, values: Mapping[str, object]) -> list[str]:
    """Return the sentences of what is noted at a time, such as ``load``; ``frames``, ``values``: see :func:`doubts`."""
    asked = [query for query in queries() if when in query.when]
    return [doubt.sentence for doubt in doubts(store, asked, frames, values, lambda _code, _digest: "")]


def read_about(store: Store, settings: Settings, period: Period, *queries: str) -> list[pl.DataFrame]:
    """Return the rows of queries about the list of a month; they may name what the queries of doubts name."""
    with seen(store, {}, _values(store, settings, period)) as named_in:
        return [store.read(query, **named_in(query)) for query in queries]


def _values(store: Store, settings: Settings, period: Period) -> dict[str, object]:
    """Return the parameters of the queries about a list, and what their sentences name."""
    calculation = calculations.calculation(store, period)
    family = calculation.family if calculation else settings.family
    after, before = store.log.history.entries_for(str(period))
    return {
        "month": str(period),
        "today": settings.today,
        "rules": "" if family == "fide" else f" --rules {family}",
        "after": after,
        "before": before,
        "waiting": list(WAITING),
        **asdict(settings.office.questions),
    }


def _frames(store: Store, settings: Settings, period: Period) -> Frames:
    """Return what the queries about a list read besides tables.

    ``rule_set``: every rule set of the family, with a struct per section, so that SQL names a value as the rule file
    does; ``list_rule``: those in force on the day the list takes effect. ``unlike_line``: the lines of the rated events
    whose names are not those of their players. ``not_read``: the files that could not be opened, and those that
    manifests name and nobody delivered. ``report_since``: :func:`~ratinglist.analysis.report_states.reports_since`.
    ``weakened``: :func:`~ratinglist.publication.doubts.weakened`.
    """
    return {
        "rule_set": partial(_rule_sets, store, period, in_force=False),
        "list_rule": partial(_rule_sets, store, period, in_force=True),
        "unlike_line": partial(_unlike_lines, store, period),
        "not_read": partial(_not_read, store, period),
        "report_since": partial(reports_since, store, rule_book()),
        "weakened": partial(weakened, store.log, settings),
    }


def _rule_sets(store: Store, period: Period, *, in_force: bool) -> pl.DataFrame:
    calculation, book = calculations.calculation(store, period), rule_book()
    if calculation is None or calculation.family not in book.families:
        return pl.DataFrame([_row(rule_set, "fide") for rule_set in book.rule_sets]).clear()
    every = book.of(calculation.family)
    if in_force:
        per_control = (
            book.on(calculation.family, control, period.first_day) for control in book.time_controls(calculation.family)
        )
        every = [rule_set for rule_set in per_control if rule_set is not None]
    return pl.DataFrame([_row(rule_set, calculation.family) for rule_set in every])


def _row(rule_set: RuleSet, family: str) -> dict[str, object]:
    return {
        "name": rule_set.name,
        "time_control": rule_set.time_control,
        "system": rule_set.system,
        "published_in": None if rule_set.months is None else list(rule_set.months),
        "reads_references": rule_book().reads_references(family),
        **{section: asdict(getattr(rule_set, section)) for section in SECTIONS},
    }


def _unlike_lines(store: Store, period: Period) -> pl.DataFrame:
    rated = "select report_id from event where month = $month and status = 'rated' order by report_id"
    return unlike_lines(store, store.read(rated, month=str(period))["report_id"])


def _not_read(store: Store, period: Period) -> pl.DataFrame:
    """Return each ``file`` that was to be delivered for a list and that no delivery since then has, and ``why``.

    A manifest that came again counts as it came last.
    """
    after, before = store.log.history.entries_for(str(period))
    absent: dict[str, list[str]] = {}
    unread: set[str] = set()
    present = set()
    for entry in store.log.entries:
        is_of_list = entry.kind == "load" and after < entry.number < before
        if not is_of_list or entry.number in store.log.history.retracted:
            continue
        delivered = originals.delivery(store.home, entry)
        present |= {PurePath(file["name"]).name for file in delivered["files"]}
        unread |= {*delivered.get("unread", [])}
        names = delivered.get("absent", [])
        for manifest, _ in delivered["manifests"]:
            # Its name may be in capital letters.
            absent[manifest] = [name for name in names if name.startswith(manifest[: -len("manifest.csv")])]
    missing = {name for names in absent.values() for name in names} - unread
    not_read = [(name, "it could not be read") for name in unread] + [(name, "it is missing") for name in missing]
    not_read = [row for row in sorted(not_read) if PurePath(row[0]).name not in present]
    return pl.DataFrame(not_read, schema={"file": pl.String, "why": pl.String}, orient="row")


def same_again(store: Store, calculation: FiledCalculation) -> list[Doubt]:
    """Calculate a month once more from what it was made from, and return the doubt that a table differs.

    A list that was made from something else than what is there now cannot be compared: other questions say what came
    since.
    """
    period = calculation.period
    inputs = read_month_inputs(store, period, calculation.family, rule_book())
    digests = calculations.digests_of(store, inputs)
    if {kind: some for kind, some in digests.items() if some} != calculation.inputs:
        return []
    month = rate_month(inputs)
    kept = {**calculation.folder.read_tables(), "state": calculation.folder.read_state()}
    again = {**calculations.tables_of(month, inputs), "state": month.list_state}
    differences = [
        {"table": name, "rows_that_differ": len(differing), "first": row_text(differing.row(0, named=True))}
        for name in sorted(kept)
        if len(differing := _differing(kept[name], again[name]))
    ]
    sentence = "The list calculated once more from the same reports is another one."
    doubt = Doubt("same_again", "stop", sentence, calculation.rate_command, differences, len(differences), "")
    return [doubt] if differences else []


def _differing(kept: pl.DataFrame, again: pl.DataFrame) -> pl.DataFrame:
    """Return the rows that one of two tables alone has."""
    again = again.select(kept.columns).cast(kept.schema)
    if kept.equals(again):
        return kept.clear()
    both = pl.concat([kept, again])
    return both.filter(both.is_unique())


OFFICE_SETTINGS = "office_settings"
"""The question that they raise."""


def check_office_kept(store: Store, settings: Settings) -> None:
    """Raise :class:`CheckError` where they are given up, for a command that asks no questions."""
    choices = weakened(store.log, settings)
    if len(choices):
        raise CheckError(
            f"Nothing was changed: {weakened_text(choices)}. Put the file back: {office_kept(store.log)} is the one "
            "that was used before. If that was decided, say so with the next publication: --because "
            f'{OFFICE_SETTINGS}="..."'
        )


def weakened_text(choices: pl.DataFrame) -> str:
    """Return what :func:`weakened` found, as a sentence without its full stop."""
    return "; ".join(f"{setting} was {before} and is {now}" for setting, before, now in choices.iter_rows())


def office_kept(log: Log) -> Path:
    """Return where the newest version of ``office.toml`` is that was used and is not the one that is there."""
    digest = next(
        (digest for digest in reversed(log.history.offices) if digest != log.office_now()), log.history.office
    )
    return log.home / originals.FOLDER / digest


def weakened(log: Log, settings: Settings) -> pl.DataFrame:
    """Return a row for each choice that guards less than at the newest publication or since, previews apart.

    Out: ``setting``, ``before`` and ``now``, as texts.

    ``office.toml`` is missing or empty, asks for fewer approvals, does not name the same approvers with the same keys,
    or the signing key, any more, has another name of the office, or publishes a column that was left out. Raises
    :class:`~ratinglist.errors.AlteredError` where a version that was used is not among the originals.
    """
    now = log.office_now()
    texts = [
        originals.checked(log.home, digest, f"an {office.NAME} that was used").read_text(encoding="utf-8")
        for digest in log.history.offices
        if digest != now
    ]
    used = [office.parse(text) for text in texts if text.strip()]
    weaker: list[tuple[str, str, str]] = []
    if used:
        file = log.home / originals.FOLDER / now if log.is_replaying else settings.home / office.NAME
        text = file.read_text(encoding="utf-8") if now else ""
        # Of the text: in a rebuild the settings have no keys.
        current = office.parse(text)
        if not text.strip():
            weaker.append((office.NAME, "there", "empty" if now else "missing"))
        approvals, needed = max(choices.publication.approvals for choices in used), current.publication.approvals
        if approvals > needed:
            weaker.append(("approvals", str(approvals), str(needed)))
        guards = _guards(current)
        before = dict.fromkeys(guard for choices in used for guard in _guards(choices).items())
        weaker += [(name, value, guards.get(name, "none")) for name, value in before if guards.get(name) != value]
    return pl.DataFrame(weaker, schema=dict.fromkeys(("setting", "before", "now"), pl.String), orient="row")


def _guards(choices: office.Office) -> dict[str, str]:
    """Return the choices that guard publications, each as a text; a key by the beginning of its digest."""
    people = choices.approvers
    return {
        **({"approvers": ", ".join(sorted(who.name for who in people))} if people else {}),
        **{f"key of {who.name}": hashlib.sha256(who.key.encode()).hexdigest()[:12] for who in people if who.key},
        **({"signing_key": "named"} if choices.publication.signing_key else {}),
        **({"name": choices.name} if choices.name else {}),
        **{f"{column} of {table}": "left out" for table, some in choices.fields.without.items() for column in some},
    }
