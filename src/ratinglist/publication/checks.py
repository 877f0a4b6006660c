"""Run the queries that guard a publication.

A row found by a query of ``sql/checks`` stops the publication. A row found by a query of ``sql/questions`` is unusual
though not wrong in itself: it stops the publication until a person gives a written reason.

The queries compare tables; they repeat no formula of a system. :func:`differing_figures` calculates the figures of a
list again from its games, by the functions of the system.

The first sentence of a query's comment is for officers and is shown; the rest is for engineers. Tables that several
queries need are prepared once (``sql/checks/prepared``). Besides the store's own tables the queries can read:

``rule_set``
    every rule set of the month's family: ``name``, ``time_control``, and a struct per section of its file, so that SQL
    names a value as the rule file does: ``rule_set.event.standard_rating_stands_in``.
``list_rule``
    the same columns, of the rule sets in force on the day the list takes effect, and ``system``, which calculates the
    list, and ``published_in``, the months of the year that have a list; null for all.
``system_rule``
    one row with a struct per section of the rule file of the list's system; no row for the FIDE system.
``known_player``
    every player as the list knows them: ``fide_id``, ``name``, ``federation``, ``sex``, ``birth_date``, ``birth_year``.
``system_side``, ``system_change``
    for a list of another system than FIDE's: the sides and changes of the month with the columns that FIDE's do not
    have (``SYSTEM_SIDE``, ``SYSTEM_CHANGE``).
``system_listed``
    for such a list: the rated players of the newest list before: ``fide_id``, ``rating``, ``games_played``.
``event_of_month``, ``side_of_month``, ``report_game_of_month``
    the rows of ``event`` and ``side`` of the month, and those of ``report_game`` of its events.
``unlike_line``
    the lines of the month's rated events whose names are not those of their players (``UNLIKE_LINE``).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import date
from itertools import takewhile
from pathlib import Path

import polars as pl

from ratinglist.analysis.unlike_names import UNLIKE_LINE, unlike_lines
from ratinglist.errors import CheckError
from ratinglist.files import resources
from ratinglist.office import Thresholds
from ratinglist.period import Period
from ratinglist.publication import questions
from ratinglist.publication.figures_check import differing_rows, rule_sets, system_rule
from ratinglist.publication.questions import RaisedQuestion, row_text
from ratinglist.rating.rules import FIDE_SYSTEM
from ratinglist.settings import Settings
from ratinglist.store import calculations, received, rule_files
from ratinglist.store.calculation_folder import parquet_source
from ratinglist.store.calculations import Calculation
from ratinglist.store.database import Store
from ratinglist.store.inputs import players_of
from ratinglist.store.table_files import table_path

ROWS_SHOWN = 5
_ONLY_FIDE, _ONLY_SYSTEMS = "-- For the FIDE system only.", "-- For other systems than FIDE's only."
_ONLY_REFERENCES = "-- For systems that read reference lists only."
"""A line in the comment of a check that is for the lists of some systems alone."""
_TWICE = "no_game_rated_twice"
_ROLLED_BACK = "no_list_before_was_rolled_back"
"""The one check that fails though store and program are right: the remedy is to correct the list before."""


@dataclass(frozen=True, slots=True)
class Offence:
    """A check that found wrong rows: its name, what has to be true, the first rows and their number."""

    check: str
    why: str
    rows: list[dict[str, object]]
    count: int


def check_month(
    store: Store, settings: Settings, calculation: Calculation, reasons: Mapping[str, str]
) -> list[RaisedQuestion]:
    """Run the checks on a calculated month, and return the questions that it raises, with the reasons given.

    ``reasons``: those given now, by question. Raises :class:`~ratinglist.errors.AlteredError` where a file of the
    calculation was altered, :class:`CheckError` where a check of ``sql/checks`` finds a wrong row, the list was
    withdrawn with these figures, or the code of an event has a date of birth,
    :class:`~ratinglist.errors.CommandLineError` where a reason has a date of birth.
    """
    period = calculation.period
    if withdrawn := calculations.withdrawal(store, period):
        raise CheckError(f"Nothing was published: these are the figures that were taken back. {withdrawn}")
    if taken_back := _withdrawn_before(store, calculation):
        raise CheckError(
            f"Nothing was published: the list of {period} was calculated from that of {taken_back}, which was "
            f"withdrawn. Calculate it again: {calculation.rate_command}, or, where it is published, ratinglist rerate "
            f"--from {period}"
        )
    calculation.folder.check_unaltered()
    _check_codes(store, period)
    settings.progress("checking", 0, 1)
    with prepared(store, period):
        if found := offences(store, period):
            raise CheckError(stopped_text(period, found, calculation.rate_command))
        raised = raised_questions(store, period, settings.office.questions, settings.today)
    raised += questions.raised_by_delivery(store, period)
    raised += questions.raised_by_office(store, settings, period)
    raised = questions.with_reasons(raised, reasons)
    for one in raised:
        # A reason kept by an earlier version, or before a player was known, is checked like one given now.
        questions.check_birth_dates(store, settings, period, one.reason, f"--because {one.question}")
    return raised


def _check_codes(store: Store, period: Period) -> None:
    """Raise :class:`CheckError` where a code that no list has published has a date of birth that is known by now."""
    events = store.read(
        """
        select report_id, report.event_id, report.start_date, file_name, loaded_no
        from event join report using (report_id)
        where event.month = $month
            and report.event_id not in (select event_id from event semi join published_month using (month))
        order by loaded_no, file_name
        """,
        month=str(period),
    )
    found = received.reports_with(store, events.select("report_id", "start_date", text="event_id"))
    for row in events.filter(pl.col("report_id").is_in(found.implode())).head(1).iter_rows(named=True):
        raise CheckError(
            f"Nothing was published: the event_id of {row['file_name']} has the date of birth of a player, which "
            "became known after the report was loaded, and codes of events are published. Load its delivery again with "
            f"another event_id, once it is undone: ratinglist retract {row['loaded_no']}"
        )


def _withdrawn_before(store: Store, calculation: Calculation) -> str:
    """Return the month of a list that a calculation was made from and that was withdrawn; empty where there is none."""
    used = sorted({line.partition(" ")[0] for line in calculation.inputs["lists"]})
    return next((month for month in used if calculations.withdrawal(store, Period.parse(month))), "")


@contextmanager
def prepared(
    store: Store,
    period: Period,
    players: pl.DataFrame | None = None,
    only: Collection[str] | None = None,
) -> Iterator[None]:
    """Provide the tables and views that the queries read besides the store's own; drop them at the end.

    ``players``: :func:`~ratinglist.store.inputs.players_of` of the month, where the caller has them.
    ``only``: the tables of ``sql/checks/prepared`` to make, and none of another system; by default all. They are made
    in the order of their names: a query may read tables whose names sort before its own. The month must have been
    calculated.
    """
    calculation = calculations.calculation(store, period)
    family, basis = (calculation.family, calculation.continue_from) if calculation else ("", "corrected")
    known = players_of(store, period) if players is None else players
    book = rule_files.rule_book()
    every, in_force = rule_sets(book, family, period)
    tables = [
        file for file in sorted(resources.sql("checks").glob("prepared/*.sql")) if only is None or file.stem in only
    ]
    with store.seeing(
        rule_set=every,
        list_rule=in_force,
        known_player=known.select("fide_id", "name", "federation", "sex", "birth_date", "birth_year"),
        system_rule=system_rule(book, family, period),
    ):
        for name, query in _OF_MONTH.items():
            store.execute(f"create or replace temp table {name} as {query}", **_named(query, month=str(period)))
        store.execute(
            """
            create or replace temp view report_game_of_month as
            select * from report_game
            where report_no in (select report_no from event_of_month join report using (report_id))
            """
        )
        for file in tables:
            text = file.read_text(encoding="utf-8")
            params = _named(text, month=str(period), basis=basis)
            store.execute(f"create or replace temp table {file.stem} as {text}", **params)
        of_system = _of_system(store, period) if only is None else {}
        for name, query in of_system.items():
            store.execute(f"create or replace temp table {name} as {query}")
        with store.seeing(unlike_line=_unlike_lines(store) if only is None else UNLIKE_LINE.empty()):
            yield
        for file in tables:
            store.execute(f"drop table {file.stem}")
        store.execute("drop view report_game_of_month")
        for name in (*_OF_MONTH, *of_system):
            store.execute(f"drop table {name}")


_OF_MONTH = {
    "event_of_month": "select * from event where month = $month",
    # Read from the files once; half of the checks go through all of these rows.
    "side_of_month": "select * exclude (month) from side where month = $month",
}
"""The queries of the rows of one month, by table name."""


def _of_system(store: Store, period: Period) -> dict[str, str]:
    """Return the queries of the tables that only a list of another system than FIDE's has, by table name."""
    if _system_of(_family_of(store, period)) == FIDE_SYSTEM:
        return {}
    (folder,) = store.current_folders([str(period)])
    games, changes = (parquet_source(table_path(folder.path, name)) for name in ("games", "changes"))
    side = (
        "select event.event_no, game.* exclude (reason), game.colour = 'w' as is_white, "  # noqa: S608 - paths of our own
        "case when event.reason = '' then game.reason end as reason "
        f"from {games} as game join event_of_month as event using (event_id)"
    )
    listed = (
        "select fide_id, rating, games_played from earlier_list join earlier using (list_no) "
        "where earlier_list.is_newest and time_control in (select time_control from list_rule) and rating is not null"
    )
    changed = f"select * from {changes}"  # noqa: S608 - paths of our own
    return {"system_side": side, "system_change": changed, "system_listed": listed}


def _unlike_lines(store: Store) -> pl.DataFrame:
    rated = store.read("select report_id from event_of_month where status = 'rated' order by report_id")
    return unlike_lines(store, rated["report_id"])


def offences(store: Store, period: Period, checks: Sequence[Path] | None = None) -> list[Offence]:
    """Run the checks, by default all of ``sql/checks``, and return those that found wrong rows.

    Call it inside :func:`prepared`.
    """
    found = [] if checks is not None else differing_figures(store, period)
    family = _family_of(store, period)
    for file in checks or sorted(resources.sql("checks").glob("*.sql")):
        text = file.read_text(encoding="utf-8")
        if not _is_for(family, text):
            continue
        rows = rows_of(store, text, month=str(period))
        if len(rows):
            found.append(Offence(file.stem, first_sentence(text), rows.head(ROWS_SHOWN).to_dicts(), len(rows)))
    return found


_FIGURES_FOLLOW = "figures_follow_from_the_games"
_WHY_FIGURES = "Every rating, and every figure of a game, follows from the games and the list before by the rules."


def differing_figures(store: Store, period: Period) -> list[Offence]:
    """Return the figures of the lists that do not follow from their games and results."""
    rows = differing_rows(store, period)
    if rows.is_empty():
        return []
    return [Offence(_FIGURES_FOLLOW, _WHY_FIGURES, rows.head(ROWS_SHOWN).to_dicts(), len(rows))]


def _family_of(store: Store, period: Period) -> str | None:
    """Return the family that the month was calculated by; None where it is not known."""
    calculation = calculations.calculation(store, period)
    if calculation is None or calculation.family not in rule_files.rule_book().families:
        return None
    return calculation.family


def _system_of(family: str | None) -> str:
    """Return the system of a family; FIDE's where the family is not known."""
    return FIDE_SYSTEM if family is None else rule_files.rule_book().of(family)[0].system


def _is_for(family: str | None, text: str) -> bool:
    """Return whether a check is for the lists of a family, by the lines of its comment."""
    if _ONLY_REFERENCES in text:
        return family is not None and rule_files.rule_book().reads_references(family)
    return (_ONLY_SYSTEMS if _system_of(family) == FIDE_SYSTEM else _ONLY_FIDE) not in text


def question_names() -> list[str]:
    """Return the names of all questions."""
    return [*(file.stem for file in _question_files()), *questions.OF_DELIVERY, questions.OFFICE_SETTINGS]


def raised_questions(store: Store, period: Period, thresholds: Thresholds, today: date) -> list[RaisedQuestion]:
    """Run the questions of ``sql/questions``, and return those that found rows.

    ``today``: the day of the publication. Each has the newest reason given for exactly the rows that it found: the same
    rows do not raise the question again, other rows do. Call it inside :func:`prepared`.
    """
    limits = asdict(thresholds)
    calculation = calculations.calculation(store, period)
    basis = calculation.continue_from if calculation else "corrected"
    raised = []
    for file in _question_files():
        text = file.read_text(encoding="utf-8")
        rows = rows_of(store, text, month=str(period), today=today, basis=basis, **limits).to_dicts()
        if rows:
            question = first_sentence(text).format(**limits)
            raised.append(RaisedQuestion.of(store.log.history, period, file.stem, question, rows))
    return raised


def _question_files() -> list[Path]:
    return sorted(resources.sql("questions").glob("*.sql"))


def lists_before(store: Store, period: Period, players: pl.DataFrame) -> pl.DataFrame:
    """Return the newest list before a month for each time control, rated players alone.

    ``players``: see :func:`prepared`. Out: ``time_control``, ``month``, ``fide_id``, ``rating``.
    """
    with prepared(store, period, players, ("earlier", "earlier_list")):
        return store.read(
            """
            select earlier.time_control, month, fide_id, rating
            from earlier_list join earlier using (list_no)
            where earlier.is_newest and rating is not null
            """
        )


def rows_of(store: Store, text: str, **params: object) -> pl.DataFrame:
    """Return the rows of a query, passing only the parameters that it names: DuckDB refuses others."""
    return store.read(text, **_named(text, **params))


def _named(text: str, **params: object) -> dict[str, object]:
    used = set(re.findall(r"\$(\w+)", text))
    return {name: value for name, value in params.items() if name in used}


def first_sentence(text: str) -> str:
    """Return the first sentence of the comment that a query begins with: the part written for officers."""
    comment = takewhile(lambda line: line.startswith("--"), text.splitlines())
    sentences = re.split(r"(?<=[.?])\s", " ".join(line[2:].strip() for line in comment), maxsplit=1)
    return sentences[0]


def stopped_text(period: Period, found: Sequence[Offence], rate_again: str) -> str:
    """Return the message of a publication stopped by checks: each check, its first wrong row, and the remedy.

    ``rate_again``: the command that calculates the list again.
    """
    failed = [
        f"  {one.check} ({one.count:,} {'row' if one.count == 1 else 'rows'}): {one.why}\n"
        f"    first: {row_text(one.rows[0])}"
        for one in found
    ]
    advice = [
        f"First correct what was wrong, then: ratinglist rerate --from {row['list_before']}. If it was right: "
        f'ratinglist rollback {row["list_before"]} --to {row["revision"]} --because "..."'
        for one in found
        if one.check == _ROLLED_BACK
        for row in one.rows[:1]
    ]
    later = sorted(
        {
            str(row["rated_by"])
            for one in found
            if one.check == _TWICE
            for row in one.rows
            if str(row["rated_by"]) > str(period)
        }
    )
    advice += [
        f"The list of {month} was calculated before this one and rates some of its events. Calculate that list again, "
        f"which leaves them out (ratinglist rate {month}), then publish this one."
        for month in later
    ]
    if any(one.check != _ROLLED_BACK and not (one.check == _TWICE and later) for one in found):
        advice.append(
            f"{'Then calculate' if advice else 'Calculate'} it again ({rate_again}); if a check "
            "still fails, the store was changed by hand or the program is wrong: do not publish; report it."
        )
    return "\n".join(
        [
            f"Nothing was published: the list of {period} does not pass {len(found)} of its checks.",
            *failed,
            *advice,
        ]
    )
