"""Calculate the figures of a month's lists again from their games, by the functions that rate.

The rule sets of the list are frames here too, for the queries that check it (:mod:`ratinglist.publication.checks`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict

import polars as pl

from ratinglist.analysis.explain import Calculated, Deviations, FideMonth, differing, differing_of_fide
from ratinglist.office import ContinueFrom
from ratinglist.period import Period
from ratinglist.rating.rules import SECTIONS, RuleBook, RuleSet, SystemRuleSet
from ratinglist.store import calculations, rule_files
from ratinglist.store.calculations import Calculation
from ratinglist.store.database import Store
from ratinglist.store.inputs import read_own_state, read_references, read_system_state


def rule_sets(book: RuleBook, family: str, period: Period) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the rule sets of ``family``, and those in force on the day the list of ``period`` takes effect.

    Out: two frames of ``name``, ``time_control``, ``system``, ``published_in`` and a struct per section.
    """
    every = pl.DataFrame([_row(one) for one in (book.of(family) if family in book.families else book.rule_sets)])
    names = [one.name for one in in_force(book, family, period)]
    return every, every.filter(pl.col("name").is_in(names))


def system_rule(book: RuleBook, family: str, period: Period) -> pl.DataFrame:
    """Return the sections of the system's rule set in force, a struct each: one row, or none for the FIDE system."""
    rows = [
        {name: asdict(section) for name, section in one.sections().items()}
        for one in in_force(book, family, period)
        if isinstance(one, SystemRuleSet)
    ]
    return pl.DataFrame(rows) if rows else pl.DataFrame(schema={"list": pl.Null})


def in_force(book: RuleBook, family: str, period: Period) -> list[RuleSet]:
    """Return the rule sets of a family on the first day of ``period``; none where the family is not known."""
    controls = book.time_controls(family) if family in book.families else []
    found = [book.on(family, control, period.first_day) for control in controls]
    return [one for one in found if one is not None]


def _row(rule_set: RuleSet) -> dict[str, object]:
    sections = {section: asdict(getattr(rule_set, section)) for section in SECTIONS}
    of_system = {
        "system": rule_set.system,
        "published_in": None if rule_set.months is None else list(rule_set.months),
    }
    return {"name": rule_set.name, "time_control": rule_set.time_control, **of_system, **sections}


def differing_rows(store: Store, period: Period) -> pl.DataFrame:
    """Return the figures that differ from those calculated again; none where the month was not calculated.

    Call it inside :func:`~ratinglist.publication.checks.prepared`.
    """
    calculation = calculations.calculation(store, period)
    if calculation is None:
        return pl.DataFrame()
    rule_sets = in_force(rule_files.rule_book(), calculation.family, period)
    systems = [one for one in rule_sets if isinstance(one, SystemRuleSet)]
    return _of_system_differing(store, calculation, systems[0]) if systems else _of_fide(store, period, rule_sets)


def _of_fide(store: Store, period: Period, in_force: Sequence[RuleSet]) -> pl.DataFrame:
    """Return the figures of FIDE's lists that differ."""
    month = str(period)
    lists_before = store.rows("select time_control, month from earlier where is_newest")
    return differing_of_fide(
        FideMonth(
            period=period,
            sides=_rated_sides(store),
            events=store.read(
                "select event_no, event_id, time_control, start_date, rule_set from event_of_month "
                "where status = 'rated'"
            ),
            of_events=store.read("select * from in_event where games > 0"),
            totals=store.read("select * exclude (list_no) from player_totals"),
            listed=store.read(
                """
                select time_control, fide_id, k, games_played, reached_2400, reached_2300
                from list_state where month = $month and rating is not null
                """,
                month=month,
            ),
            entries=store.read("select * exclude (month) from entry where month = $month", month=month),
            results=store.read("select * from tranche"),
            births=store.read("select fide_id, birth_date, birth_year from known_player"),
            lists_before=dict(lists_before),
            rules={one.time_control: one for one in in_force},
            book=rule_files.rule_book(),
        )
    )


def _rated_sides(store: Store) -> Iterator[pl.DataFrame]:
    """Yield the rated sides of the month, about a million at once, all of an event together."""
    parts = store.rows(
        """
        with placed as (
            select event_no, sum(sum(games)) over (order by event_no) // 1000000 as part from in_event group by event_no
        )
        select min(event_no), max(event_no) from placed group by part order by part
        """
    )
    for first, last in parts:
        yield store.read(
            """
            select event_no, round, fide_id, opponent_id, score_halves, rating, opponent_rating, difference_used,
                expected_hundredths, k, change_hundredths
            from side_of_month where change_hundredths is not null and event_no between $first and $last
            """,
            first=first,
            last=last,
        )


def _of_system_differing(store: Store, calculation: Calculation, rule_set: SystemRuleSet) -> pl.DataFrame:
    """Return the figures of another system's list that differ."""
    book = rule_files.rule_book()
    games = store.read(
        """
        select system_side.* exclude (reason, event_no, event_id), coalesce(reason, 'not_rated') as reason, part.*
        from system_side join (
            -- slices of one event have one code: each is an event of its own
            select event_no, start_date, end_date,
                if(count(*) over (partition by event_id) > 1, event_id || ' from ' || start_date, event_id) as event_id
            from event_of_month
        ) as part using (event_no)
        """
    )
    listed = games.filter(pl.col("reason").is_in(["", "counts_for_promotion"]), pl.col("rating").is_not_null())
    calculated = Calculated(
        changes=store.read("select * from system_change"),
        games=games,
        listed_events=frozenset(listed["event_id"].unique()),
        deviations=_deviations(store, calculation, rule_set.time_control),
        tables=book.tables,
        rule_sets={one.name: one.own for one in book.of(calculation.family) if isinstance(one, SystemRuleSet)},
        period=calculation.period,
        births=store.read("select fide_id, birth_date, birth_year from known_player"),
        own_state=read_own_state(store, calculation.period, _basis(calculation), rule_set.system),
        references=_references(store, calculation) if book.reads_references(calculation.family) else None,
    )
    return differing(calculated, rule_set)


def _basis(calculation: Calculation) -> ContinueFrom:
    return "published" if calculation.continue_from == "published" else "corrected"


def _references(store: Store, calculation: Calculation) -> pl.DataFrame:
    with store.seeing(wanted=store.read("select start_date, end_date from event_of_month where status = 'rated'")):
        return read_references(store, [str(calculation.period)])


def _deviations(store: Store, calculation: Calculation, time_control: str) -> Deviations:
    """Return the ratings and deviations of the list before; those of an imported list are not in the store."""
    newest = "select max(month) from earlier where is_newest and time_control = $time_control"
    ((month,),) = store.rows(newest, time_control=time_control)
    period = calculation.period
    state = read_system_state(store, str(period), _basis(calculation))
    before = state.select("fide_id", "rating_hundredths", "deviation_hundredths").drop_nulls()
    return Deviations(before, None if month is None else period.index - Period.parse(month).index)
