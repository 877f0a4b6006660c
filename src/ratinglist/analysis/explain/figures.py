"""Calculate the figures of lists again from their games and results, to compare them with the published ones.

The functions are those that calculate a list: no formula is stated here a second time. What lies between is compared:
that every figure was joined to its player, summed over the right games, and kept as it was calculated.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import polars as pl

from ratinglist.errors import CheckError
from ratinglist.period import Period
from ratinglist.rating.change import change_hundredths, sum_changes
from ratinglist.rating.development_coefficient import development_coefficient, is_junior, limited_coefficient
from ratinglist.rating.entry import compute_entries
from ratinglist.rating.expected import difference_used, expected_hundredths
from ratinglist.rating.rating_list import after_one_time_step
from ratinglist.rating.rules import DevelopmentCoefficientRules, RuleBook, RuleSet, SystemRuleSet
from ratinglist.rating.systems.account import Calculated
from ratinglist.rating.systems.registry import SYSTEMS
from ratinglist.tables import POOL

_FIGURES = ("difference_used", "expected_hundredths", "change_hundredths")
_ENTRY_REASONS = pl.Enum(["", "too_few_games", "below_floor"])
_DUE = "due_"
_STATE = ("games_played", "reached_2400", "reached_2300")


@dataclass(frozen=True, slots=True)
class FideMonth:
    """What the lists of a month are calculated from, as they are kept.

    ``sides``: the rated ones in any number of parts, all of an event in one. ``events``: ``event_no``, ``event_id``,
    ``time_control``, ``start_date``, ``rule_set``. ``of_events``: a row per player and event with rated games:
    ``event_no``, ``fide_id``, ``games``, ``least_k``, ``largest_k``, ``change_hundredths``. ``totals``: a row per
    player with rated games or a change: the columns of ``CHANGE``, ``rated_games``, and rating and state on the list
    before (``rating_before``). ``listed``: the rated players of the new lists (``LIST_STATE``). ``entries``: ``ENTRY``;
    ``results``: those they are made of, ``POOL``. ``births``: ``fide_id``, ``birth_date``, ``birth_year``.
    ``lists_before``: the month of the list before by time control. ``rules``: the rule sets in force, likewise.
    """

    period: Period
    sides: Iterable[pl.DataFrame]
    events: pl.DataFrame
    of_events: pl.DataFrame
    totals: pl.DataFrame
    listed: pl.DataFrame
    entries: pl.DataFrame
    results: pl.DataFrame
    births: pl.DataFrame
    lists_before: Mapping[str, str]
    rules: Mapping[str, RuleSet]
    book: RuleBook


def differing(calculated: Calculated, rule_set: SystemRuleSet) -> pl.DataFrame:
    """Return the figures of players and games of another system than FIDE's that do not follow from the others.

    Out: ``fide_id``, ``event_id`` and ``round`` (null where the figure is one of the player's change), ``figure``,
    ``published``, ``due``.
    """
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


def differing_of_fide(month: FideMonth) -> pl.DataFrame:
    """Return the figures of FIDE's lists that do not follow from the games, the results and the lists before.

    Out: ``time_control``, ``event_id`` and ``round`` (null where the figure is not one of an event or a game),
    ``fide_id``, ``figure``, ``published`` and ``due``; of a rating or K, 0 is none.
    """
    found = [frame for sides in month.sides for frame in _games(month, sides)]
    for time_control, rule_set in month.rules.items():
        found += [*_coefficients(month, time_control, rule_set), *_changes(month, time_control, rule_set)]
        found += [*_entries(month, time_control, rule_set), *_listed(month, time_control, rule_set)]
    return pl.concat(found).sort(pl.all()) if found else pl.DataFrame()


def _unequal(rows: pl.DataFrame, figure: str, published: pl.Expr, due: pl.Expr) -> pl.DataFrame:
    """Return the rows in which a figure differs; columns of the place that ``rows`` lacks are null."""
    wrong = rows.filter(published.fill_null(0).ne(due.fill_null(0)))
    place = {"time_control": pl.String(), "event_id": pl.String(), "round": pl.Int32()}
    return wrong.select(
        *(pl.col(name) if name in rows.columns else pl.lit(None, kind).alias(name) for name, kind in place.items()),
        "fide_id",
        pl.lit(figure).alias("figure"),
        published.fill_null(0).cast(pl.Int64).alias("published"),
        due.fill_null(0).cast(pl.Int64).alias("due"),
    )


def _games(month: FideMonth, sides: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """Compare the difference used, the expected score and the change of every rated side."""
    families = {rule_set.family for rule_set in month.rules.values()}
    by_name = {rule_set.name: rule_set for family in families for rule_set in month.book.of(family)}
    for (name,), events in month.events.partition_by("rule_set", as_dict=True).items():
        rule_set = by_name.get(name)
        if rule_set is None:
            continue
        rules = rule_set.expected_score
        table = month.book.expected_score[rules.table]
        due = difference_used(
            pl.col("rating") - pl.col("opponent_rating"),
            rating=pl.col("rating"),
            cap=pl.lit(rules.cap, dtype=pl.Int32),
            applies_to=rules.cap_applies_to,
            players_below=pl.lit(rules.cap_players_below, dtype=pl.Int32),
            player_of_event=["event_no", "fide_id"],
            order=["round", "opponent_id"],
        )
        figures = (
            due,
            expected_hundredths(pl.col("difference_used"), table),
            change_hundredths(pl.col("k"), pl.col("score_halves"), pl.col("expected_hundredths")),
        )
        due_columns = (figure.alias(f"due_{column}") for column, figure in zip(_FIGURES, figures, strict=True))
        of_rules = sides.filter(pl.col("event_no").is_in(events["event_no"].implode()))
        judged = of_rules.with_columns(due_columns).filter(
            pl.any_horizontal(pl.col(column).ne_missing(pl.col(f"due_{column}")) for column in _FIGURES)
        )
        judged = judged.join(events.select("event_no", "event_id", "time_control"), on="event_no")
        for column in _FIGURES:
            yield _unequal(judged, column, pl.col(column), pl.col(f"due_{column}"))


def _coefficients(month: FideMonth, time_control: str, rule_set: RuleSet) -> Iterator[pl.DataFrame]:
    """Compare the K of every player and event: from the state on the list before, and the limit on K × games."""
    rules = rule_set.development_coefficient
    before = month.lists_before.get(time_control)
    if before is None:
        return
    on_list = pl.lit(Period.parse(before).first_day)
    state = month.totals.filter(pl.col("time_control") == time_control, pl.col("rated_games") > 0)
    rating = pl.col("rating_before")
    rows = (
        month.of_events.join(
            month.events.filter(pl.col("time_control") == time_control).drop("rule_set"), on="event_no"
        )
        .join(state.select("fide_id", "rated_games", "rating_before", *_STATE), on="fide_id", how="left")
        .with_columns(
            pl.col("reached_2400") | (rating >= rules.master_from).fill_null(value=False),
            pl.col("reached_2300") | (rating >= rules.junior_below).fill_null(value=False),
            (pl.col("start_date") if rules.junior_judged_on == "event_start" else on_list).alias("judged_on"),
        )
    )
    due = limited_coefficient(rules, pl.col("unlimited"), pl.col("rated_games"))
    rows = _with_coefficient(rules, rows, month.births)
    for name in ("least_k", "largest_k"):
        yield _unequal(rows, "k", pl.col(name), due)


def _with_coefficient(rules: DevelopmentCoefficientRules, rows: pl.DataFrame, births: pl.DataFrame) -> pl.DataFrame:
    """Return ``rows`` with ``unlimited``, K before the limit: of the state, and of the age on ``judged_on``."""
    columns = {name: pl.col(name) for name in ("judged_on", "birth_date", "birth_year")}
    known = births.filter(pl.col("fide_id").is_in(rows["fide_id"].unique().implode()))
    k = development_coefficient(rules, **{name: pl.col(name) for name in _STATE}, junior=is_junior(rules, **columns))
    return rows.join(known, on="fide_id", how="left", maintain_order="left").with_columns(k.alias("unlimited"))


def _changes(month: FideMonth, time_control: str, rule_set: RuleSet) -> Iterator[pl.DataFrame]:
    """Compare the sums of every player, their rounding, the one-time step and the floor."""
    numbers = month.events.filter(pl.col("time_control") == time_control)["event_no"]
    rated = month.of_events.filter(pl.col("event_no").is_in(numbers.implode()))
    sums = sum_changes(rated.rename({"largest_k": "k"}), rule_set.change)
    names = ("games", "k", "change_hundredths", "change")
    rows = month.totals.filter(pl.col("time_control") == time_control).join(
        sums.rename({name: f"due_{name}" for name in names}), on="fide_id", how="left"
    )
    # A player who enters has no rated games.
    entered = (pl.col("status") == "entered").fill_null(value=False)
    shown = rows.filter(~entered | (pl.col("rated_games") > 0))
    for name in names:
        yield _unequal(shown, name, pl.when(~entered).then(pl.col(name)), pl.col(f"due_{name}"))
    carried = after_one_time_step(pl.col("old_rating") + pl.col("change"), rule_set.list, month.period)
    added = rows.filter(~entered, pl.col("status").is_not_null()).with_columns(carried.alias("carried"))
    is_listed = (pl.col("carried") >= rule_set.list.floor).fill_null(value=False)
    yield _unequal(added, "new_rating", pl.col("new_rating"), pl.when(is_listed).then("carried"))
    yield _unequal(added, "delisted", (pl.col("status") == "delisted").cast(pl.Int8), (~is_listed).cast(pl.Int8))


def _entries(month: FideMonth, time_control: str, rule_set: RuleSet) -> Iterator[pl.DataFrame]:
    """Compare every entry with what its results give."""
    results = month.results.filter(pl.col("time_control") == time_control)
    table = month.book.performance[rule_set.entry.performance_table]
    due = compute_entries(POOL.conform(results), rule_set.entry, table, rule_set.list.floor)
    entries = month.entries.filter(pl.col("time_control") == time_control)
    both = _as_numbers(entries).join(
        _as_numbers(due), on=["time_control", "fide_id"], how="full", coalesce=True, suffix="_due"
    )
    for name in ("games", "score_halves", "opponent_average", "p_hundredths", "dp", "computed_rating"):
        yield _unequal(both, name, pl.col(name), pl.col(f"{name}_due"))
    for name in ("published", "reason"):
        yield _unequal(both, name, pl.col(name), pl.col(f"{name}_due"))


def _as_numbers(entries: pl.DataFrame) -> pl.DataFrame:
    return entries.with_columns(
        (pl.col("opponent_average") * 100).cast(pl.Int64),
        pl.col("published").cast(pl.Int8),
        pl.col("reason").cast(_ENTRY_REASONS).to_physical().cast(pl.Int8),
    )


def _listed(month: FideMonth, time_control: str, rule_set: RuleSet) -> Iterator[pl.DataFrame]:
    """Compare the K of every listed player from this list on."""
    rules = rule_set.development_coefficient
    rows = month.listed.filter(pl.col("time_control") == time_control).with_columns(
        pl.lit(month.period.first_day).alias("judged_on")
    )
    yield _unequal(_with_coefficient(rules, rows, month.births), "k", pl.col("k"), pl.col("unlimited"))
