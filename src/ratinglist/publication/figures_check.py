"""Calculate the figures of a month's lists again from their games and results, and compare them with those kept.

The functions are those that calculate a list: no formula is stated here a second time. What lies between is compared:
that every figure was joined to its player, summed over the right games, and kept as it was calculated.

Each comparison gives the rows that differ: ``time_control`` (FIDE's lists alone), ``event_id`` and ``round`` (null
where the figure is not one of an event or a game), ``fide_id``, ``figure``, ``published`` and ``due``.

The rule sets of the list are frames here too, for the queries that check it (:mod:`ratinglist.publication.checks`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

import polars as pl

from ratinglist.errors import CheckError
from ratinglist.office import ContinueFrom
from ratinglist.period import Period
from ratinglist.rating.change import (
    change_hundredths,
    development_coefficient,
    is_junior,
    limited_coefficient,
    sum_changes,
)
from ratinglist.rating.entry import compute_entries
from ratinglist.rating.expected import difference_used, expected_hundredths
from ratinglist.rating.rating_list import after_one_time_step
from ratinglist.rating.rules import SECTIONS, DevelopmentCoefficientRules, RuleBook, RuleSet, SystemRuleSet
from ratinglist.rating.systems.account import Calculated, Deviations
from ratinglist.rating.systems.registry import SYSTEMS
from ratinglist.store import calculations
from ratinglist.store.calculations import Calculation
from ratinglist.store.database import Store
from ratinglist.store.inputs import read_own_state, read_references, read_system_state
from ratinglist.store.rule_files import rule_book
from ratinglist.tables import POOL

_FIGURES = ("difference_used", "expected_hundredths", "change_hundredths")
_ENTRY_REASONS = pl.Enum(["", "too_few_games", "below_floor"])
_DUE = "due_"
_STATE = ("games_played", "reached_2400", "reached_2300")


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
    of_list = in_force(rule_book(), calculation.family, period)
    systems = [one for one in of_list if isinstance(one, SystemRuleSet)]
    if systems:
        return differing_of_system(_calculated(store, calculation, systems[0]), systems[0])
    controls = store.rows(
        "select time_control from list_state where month = $month union select time_control from event_of_month",
        month=str(period),
    )
    listed = [rule_set for rule_set in of_list if (rule_set.time_control,) in controls]
    differing = [frame for rule_set in listed for frame in _differing_of_fide(store, period, rule_set)]
    return pl.concat(differing).sort(pl.all()) if differing else pl.DataFrame()


def _differing_of_fide(store: Store, period: Period, rule_set: RuleSet) -> Iterator[pl.DataFrame]:
    """Yield the differing figures of one of FIDE's lists."""
    control = {"control": rule_set.time_control}
    of_list = {"month": str(period), **control}
    events = store.read(
        """
        select event_no, event_id, time_control, start_date, rule_set from event_of_month
        where status = 'rated' and time_control = $control
        """,
        **control,
    )
    sides = store.read(
        """
        select event_no, round, fide_id, opponent_id, score_halves, rating, opponent_rating, difference_used,
            expected_hundredths, k, change_hundredths
        from side_of_month
        where change_hundredths is not null
            and event_no in (select event_no from event_of_month where time_control = $control)
        """,
        **control,
    )
    # A row per player and event with rated games, and a row per player with rated games or a change.
    of_events = store.read("select * from in_event where games > 0").join(events, on="event_no")
    totals = store.read("select * exclude (list_no) from player_totals where time_control = $control", **control)
    listed = store.read(
        """
        select time_control, fide_id, k, games_played, reached_2400, reached_2300
        from list_state where month = $month and time_control = $control and rating is not null
        """,
        **of_list,
    )
    entries = store.read(
        "select * exclude (month) from entry where month = $month and time_control = $control", **of_list
    )
    results = store.read("select * from tranche where time_control = $control", **control)
    births = store.read("select fide_id, birth_date, birth_year from known_player")
    before = store.rows("select month from earlier where is_newest and time_control = $control", **control)
    yield from _games(events, sides, rule_set.family)
    if before:
        yield from _coefficients(rule_set, Period.parse(before[0][0]), of_events, totals, births)
    yield from _changes(rule_set, period, of_events, totals)
    yield from _entries(rule_set, entries, results)
    yield from _listed(rule_set, period, listed, births)


def _unequal(rows: pl.DataFrame, figure: str, published: pl.Expr, due: pl.Expr) -> pl.DataFrame:
    """Return the rows in which a figure of FIDE's lists differs; of a rating or K, 0 is none."""
    wrong = rows.filter(published.fill_null(0).ne(due.fill_null(0)))
    place = {"time_control": pl.String(), "event_id": pl.String(), "round": pl.Int32()}
    return wrong.select(
        *(pl.col(name) if name in rows.columns else pl.lit(None, kind).alias(name) for name, kind in place.items()),
        "fide_id",
        pl.lit(figure).alias("figure"),
        published.fill_null(0).cast(pl.Int64).alias("published"),
        due.fill_null(0).cast(pl.Int64).alias("due"),
    )


def _games(events: pl.DataFrame, sides: pl.DataFrame, family: str) -> Iterator[pl.DataFrame]:
    """Compare the difference used, the expected score and the change of every rated side."""
    book = rule_book()
    for rule_set in book.of(family):
        of_rules = events.filter(pl.col("rule_set") == rule_set.name)
        rules = rule_set.expected_score
        figures = (
            difference_used(
                pl.col("rating") - pl.col("opponent_rating"),
                rating=pl.col("rating"),
                cap=pl.lit(rules.cap, dtype=pl.Int32),
                applies_to=rules.cap_applies_to,
                players_below=pl.lit(rules.cap_players_below, dtype=pl.Int32),
                player_of_event=["event_no", "fide_id"],
                order=["round", "opponent_id"],
            ),
            expected_hundredths(pl.col("difference_used"), book.expected_score[rules.table]),
            change_hundredths(pl.col("k"), pl.col("score_halves"), pl.col("expected_hundredths")),
        )
        due = (figure.alias(f"due_{column}") for column, figure in zip(_FIGURES, figures, strict=True))
        judged = (
            sides.filter(pl.col("event_no").is_in(of_rules["event_no"].implode()))
            .with_columns(due)
            .filter(pl.any_horizontal(pl.col(column).ne_missing(pl.col(f"due_{column}")) for column in _FIGURES))
            .join(of_rules.select("event_no", "event_id", "time_control"), on="event_no")
        )
        for column in _FIGURES:
            yield _unequal(judged, column, pl.col(column), pl.col(f"due_{column}"))


def _coefficients(
    rule_set: RuleSet, before: Period, of_events: pl.DataFrame, totals: pl.DataFrame, births: pl.DataFrame
) -> Iterator[pl.DataFrame]:
    """Compare the K of every player and event: from the state on the list before, and the limit on K × games."""
    rules = rule_set.development_coefficient
    state = totals.filter(pl.col("rated_games") > 0).select("fide_id", "rated_games", "rating_before", *_STATE)
    rating = pl.col("rating_before")
    rows = of_events.join(state, on="fide_id", how="left").with_columns(
        pl.col("reached_2400") | (rating >= rules.master_from).fill_null(value=False),
        pl.col("reached_2300") | (rating >= rules.junior_below).fill_null(value=False),
        judged_on=pl.col("start_date") if rules.junior_judged_on == "event_start" else pl.lit(before.first_day),
    )
    rows = _with_coefficient(rules, rows, births)
    due = limited_coefficient(rules, pl.col("unlimited"), pl.col("rated_games"))
    for name in ("least_k", "largest_k"):
        yield _unequal(rows, "k", pl.col(name), due)


def _with_coefficient(rules: DevelopmentCoefficientRules, rows: pl.DataFrame, births: pl.DataFrame) -> pl.DataFrame:
    """Return ``rows`` with ``unlimited``, K before the limit: of the state, and of the age on ``judged_on``."""
    columns = {name: pl.col(name) for name in ("judged_on", "birth_date", "birth_year")}
    k = development_coefficient(rules, **{name: pl.col(name) for name in _STATE}, junior=is_junior(rules, **columns))
    return rows.join(births, on="fide_id", how="left", maintain_order="left").with_columns(k.alias("unlimited"))


def _changes(
    rule_set: RuleSet, period: Period, of_events: pl.DataFrame, totals: pl.DataFrame
) -> Iterator[pl.DataFrame]:
    """Compare the sums of every player, their rounding, the one-time step and the floor."""
    sums = sum_changes(of_events.rename({"largest_k": "k"}), rule_set.change)
    names = ("games", "k", "change_hundredths", "change")
    rows = totals.join(sums.rename({name: f"due_{name}" for name in names}), on="fide_id", how="left")
    # A player who enters has no rated games.
    entered = (pl.col("status") == "entered").fill_null(value=False)
    shown = rows.filter(~entered | (pl.col("rated_games") > 0))
    for name in names:
        yield _unequal(shown, name, pl.when(~entered).then(pl.col(name)), pl.col(f"due_{name}"))
    carried = after_one_time_step(pl.col("old_rating") + pl.col("change"), rule_set.list, period)
    added = rows.filter(~entered, pl.col("status").is_not_null()).with_columns(carried.alias("carried"))
    is_listed = (pl.col("carried") >= rule_set.list.floor).fill_null(value=False)
    yield _unequal(added, "new_rating", pl.col("new_rating"), pl.when(is_listed).then("carried"))
    yield _unequal(added, "delisted", (pl.col("status") == "delisted").cast(pl.Int8), (~is_listed).cast(pl.Int8))


def _entries(rule_set: RuleSet, entries: pl.DataFrame, results: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """Compare every entry with what its results (``POOL``) give."""
    table = rule_book().performance[rule_set.entry.performance_table]
    due = compute_entries(POOL.conform(results), rule_set.entry, table, rule_set.list.floor)
    both = _as_numbers(entries).join(
        _as_numbers(due), on=["time_control", "fide_id"], how="full", coalesce=True, suffix="_due"
    )
    names = ("games", "score_halves", "opponent_average", "p_hundredths", "dp", "computed_rating")
    for name in (*names, "published", "reason"):
        yield _unequal(both, name, pl.col(name), pl.col(f"{name}_due"))


def _as_numbers(entries: pl.DataFrame) -> pl.DataFrame:
    return entries.with_columns(
        (pl.col("opponent_average") * 100).cast(pl.Int64),
        pl.col("published").cast(pl.Int8),
        pl.col("reason").cast(_ENTRY_REASONS).to_physical().cast(pl.Int8),
    )


def _listed(rule_set: RuleSet, period: Period, listed: pl.DataFrame, births: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """Compare the K of every listed player from this list on."""
    rows = listed.with_columns(judged_on=pl.lit(period.first_day))
    rows = _with_coefficient(rule_set.development_coefficient, rows, births)
    yield _unequal(rows, "k", pl.col("k"), pl.col("unlimited"))


def differing_of_system(calculated: Calculated, rule_set: SystemRuleSet) -> pl.DataFrame:
    """Return the figures of players and games of another system than FIDE's that do not follow from the others."""
    of_system, rules = SYSTEMS[rule_set.system].account, rule_set.own
    figures = of_system.figures(calculated, rules)
    due = [name for name in figures.columns if name.startswith(_DUE)]
    if "due_new_rating" not in due:
        raise CheckError(
            f"The system '{rule_set.system}' has no check of its new ratings (its figures have no due_new_rating), and "
            "a list that nothing checks is not published. Write to the author of the system."
        )
    own = figures.select("fide_id", *due, event_id=pl.lit(None, pl.String), round=pl.lit(None, pl.Int32)).join(
        calculated.changes, on="fide_id", how="left"
    )
    games = of_system.games(calculated, rules).join(figures, on="fide_id", how="left", suffix="_of_player")
    compared = [(own, name.removeprefix(_DUE), pl.col(name)) for name in due]
    compared += _of_every_system(calculated)
    compared += [(games, name, value) for name, value in of_system.due_of_games(calculated, rules).items()]
    return pl.concat(
        rows.filter(value.is_not_null(), pl.col(name).ne_missing(value)).select(
            "fide_id",
            "event_id",
            "round",
            pl.lit(name).alias("figure"),
            pl.col(name).cast(pl.Int64).alias("published"),
            value.cast(pl.Int64).alias("due"),
        )
        for rows, name, value in compared
    ).sort("fide_id", "event_id", "round", "figure")


def _of_every_system(calculated: Calculated) -> list[tuple[pl.DataFrame, str, pl.Expr]]:
    """Return what holds for a change by any system: the K of games with one K, and new rating − old rating."""
    is_one = (pl.col("k").null_count() == 0) & (pl.col("k").n_unique() == 1)
    k = calculated.counted.group_by("fide_id").agg(pl.when(is_one).then(pl.col("k").first()).alias("k_of_games"))
    place = (pl.lit(None, pl.String).alias("event_id"), pl.lit(None, pl.Int32).alias("round"))
    rows = calculated.changes.join(k, on="fide_id", how="left").with_columns(*place)
    return [(rows, "k", pl.col("k_of_games")), (rows, "change", pl.col("new_rating") - pl.col("old_rating"))]


def _calculated(store: Store, calculation: Calculation, rule_set: SystemRuleSet) -> Calculated:
    """Return what the list of another system than FIDE's was calculated from, as it is kept."""
    book = rule_book()
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
    return Calculated(
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
