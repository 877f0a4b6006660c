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
    where the doubt is raised: ``import-players``, ``import-list``, ``rate``; ``before-publish``, whether what a list
    was made from still counts, and then ``publish``.
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
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from functools import cache
from itertools import groupby
from typing import Any, Literal, cast

import polars as pl

from ratinglist.errors import CheckError, CommandLineError
from ratinglist.files import resources
from ratinglist.home.history import History
from ratinglist.period import Period
from ratinglist.settings import Settings
from ratinglist.store.database import Store
from ratinglist.store.received import text_problem
from ratinglist.store.table_files import formula_problem
from ratinglist.summaries import because_options
from ratinglist.tables import words_of
from ratinglist.text import first_forbidden_in_written_text, is_too_short, with_plain_blanks

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
_WORD = re.compile(r"[a-z_0-9]+")


@dataclass(frozen=True, slots=True)
class Remedy:
    """A command that mends what is wrong: ``command`` of the program, and its ``arguments``."""

    command: str
    arguments: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> Remedy:
        """Return the remedy that ``text`` says as a person types it, beginning with the program's name."""
        _, command, *arguments = shlex.split(text)
        return cls(command, tuple(arguments))

    def text(self) -> str:
        """Return the command as a person types it."""
        return shlex.join(["ratinglist", self.command, *self.arguments])


@dataclass(frozen=True, slots=True)
class Doubt:
    """A doubt with its evidence.

    ``code``: its name. ``rows``: the first of the ``count`` rows found. ``digest`` identifies all of them. ``answer``:
    the reason given for exactly these rows; empty where none was given.
    """

    code: str
    kind: Kind
    sentence: str
    remedy: Remedy | None
    rows: list[dict[str, Any]]
    count: int
    digest: str
    answer: str = ""

    def as_fact(self) -> dict[str, object]:
        """Return the question, the answer and the rows found for the manifest; a player is named by FIDE ID alone."""
        rows = [{name: cell for name, cell in row.items() if name not in PERSONAL} for row in self.rows]
        found = {"count": self.count, "rows": rows, "sha256": self.digest}
        return {"question": self.code, "asks": self.sentence, "reason": self.answer, "found": found}

    def as_dict(self) -> dict[str, object]:
        """Return everything but the digest as JSON-able values, for the office."""
        values = asdict(self)
        del values["digest"]
        plain: dict[str, object] = json.loads(json.dumps(values, default=str))
        return plain

    def lines(self) -> list[str]:
        """Return the sentence, the rows found, the remedy and, where there is one, the answer, as lines."""
        more = [f"  and {self.count - len(self.rows):,} more"] if self.count > len(self.rows) else []
        remedy = [f"  next: {self.remedy.text()}"] if self.remedy and not self.answer else []
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
            Remedy.parse(remedy.format_map(typed)) if remedy else None,
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
    with seen(store, frames, values) as read:
        for _, of_stage in groupby(asked, key=lambda query: query.stage):
            if any(doubt.kind == "stop" for doubt in raised):
                break
            found = ((query, read(query.text).to_dicts()) for query in of_stage)
            for query, rows in found:
                # A note is about a row, any other doubt about all of them.
                parts = [[row] for row in rows[:NOTES_SHOWN]] if query.kind == "note" else [rows] * bool(rows)
                raised += [query.doubt(part, values, answer) for part in parts]
    return raised


@contextmanager
def seen(store: Store, frames: Frames, values: Mapping[str, object]) -> Iterator[Callable[[str], pl.DataFrame]]:
    """Yield what reads the rows of a query with the frames and prepared tables that it names; they go at the end."""
    prepared = {file.stem: file for file in resources.sql("doubts").glob("prepared/*.sql")}
    there: set[str] = set()

    def make_tables_named_in(text: str) -> None:
        for name in set(_WORD.findall(text)) - there:
            if name in frames:
                there.add(name)
                stack.enter_context(store.seeing(**{name: frames[name]()}))
            elif name in prepared:
                there.add(name)
                query = prepared[name].read_text(encoding="utf-8")
                make_tables_named_in(query)
                store.execute(f"create or replace temp table {name} as {query}", **named_in(query))
                stack.callback(store.execute, f"drop table if exists {name}")

    def named_in(text: str) -> dict[str, object]:
        """Return the parameters that a text names: DuckDB refuses others."""
        return {name: values[name] for name in set(re.findall(r"\$(\w+)", text))}

    def read(text: str) -> pl.DataFrame:
        make_tables_named_in(text)
        return store.read(text, **named_in(text))

    with ExitStack() as stack:
        yield read


def quoted(cell: object) -> str:
    """Return a cell as a word that a person types in a command."""
    return shlex.quote(str(cell))


def row_text(row: Mapping[str, object]) -> str:
    """Return a row found as text, without its empty cells: ``FIDE ID 101, change 240``."""
    cells = {name: words_of(str(value)) if name == "column" else value for name, value in row.items()}
    return ", ".join(f"{words_of(name)} {value}" for name, value in cells.items() if value is not None)


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
"""Most characters of a reason or a remark: a paragraph. All readers of the manifest read it."""
_LETTERS_OF_A_WORD = 6
_SAYS_NOTHING = frozenset({"checked", "correct", "confirmed", "verified", "approved"})
"""Words that say that somebody looked, and not what was seen."""


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
    """Return :func:`checked_text` of a reason; raises :class:`CommandLineError` for one that says nothing too."""
    reason = checked_text(text, option, what)
    if is_too_short(reason) or _says_nothing(reason):
        raise CommandLineError(f"{option}: '{reason}' is no reason that a reader understands: write {what}.")
    return reason


def _says_nothing(reason: str) -> bool:
    """Return whether a reason is a single short word, as ``ok``, or says no more than that somebody looked.

    A word of a script without capitals may be a sentence, and is not counted by its letters.
    """
    word = reason.strip(" .!").casefold()
    is_short = len(word) < _LETTERS_OF_A_WORD and (word.isascii() or word != word.upper())
    return word in _SAYS_NOTHING or (is_short and " " not in word)


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
