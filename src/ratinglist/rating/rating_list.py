"""The new list: the list before, the changes and the entries; floor, state for K; and the list that is published."""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from ratinglist.period import Period
from ratinglist.rating import entry
from ratinglist.rating.change import development_coefficient, is_junior, sum_changes
from ratinglist.rating.model import MonthInputs, newest_list
from ratinglist.rating.rules import DevelopmentCoefficientRules, ListRules, RuleSet
from ratinglist.tables import (
    CHANGE,
    LIST_STATE,
    LISTED,
    SYSTEM_LISTED,
    UNRATED,
    own_columns,
)


def has_one_time_step(rules: ListRules, period: Period) -> bool:
    """Return whether the list of ``period`` has the one-time step of its rule set."""
    return rules.one_time_step != "none" and rules.one_time_step_month == str(period)


def after_one_time_step(rating: pl.Expr, rules: ListRules, period: Period) -> pl.Expr:
    """Return ``rating`` after the one-time step of this list, if its rule set has one.

    ``two_fifths_towards_2000``: below 2000, R becomes R + 0.40 × (2000 − R), rounded half up once (1 March 2024).
    """
    if not has_one_time_step(rules, period):
        return rating
    return pl.when(rating < 2000).then((60 * rating + 40 * 2000 + 50) // 100).otherwise(rating)


def new_list(
    inputs: MonthInputs, rule_set: RuleSet, rated_players: pl.DataFrame, waiting: pl.DataFrame, counted: pl.DataFrame
) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Calculate the new list of one time control: ``CHANGE``, ``ENTRY``, ``POOL`` and ``LIST_STATE``.

    In: ``rule_set`` of the new list; ``rated_players`` in each event
    (:func:`~ratinglist.rating.player_games.rate_players`); ``waiting``: the pool that has not expired; ``counted``: the
    tranches of this period that count.
    """
    period, newest = inputs.period, newest_list(inputs.lists, rule_set.time_control)
    # Only the results of unrated players wait. A player with results in the pool may be rated all the same: in this
    # period, from the standard rating (RB 7.2.1), or on an imported list.
    with_results = pl.concat([waiting["fide_id"], counted["fide_id"]]).implode()
    listed = newest.filter(pl.col("rating").is_not_null(), pl.col("fide_id").is_in(with_results))
    rated = pl.concat([rated_players["fide_id"], listed["fide_id"]]).implode()
    is_unrated = ~pl.col("fide_id").is_in(rated)
    pool = entry.count_into_pool(waiting.filter(is_unrated), counted.filter(is_unrated), period, rule_set.entry)
    performance = inputs.rules.tables[rule_set.entry.performance_table]
    entries = entry.compute_entries(pool, rule_set.entry, performance, rule_set.list.floor)
    entering = _entering_players(entries.filter("published"), counted)
    changes = sum_changes(rated_players, rule_set.change).join(_old_ratings(rated_players), on="fide_id")
    list_state, computed = next_list(newest, changes, entering, inputs.players, period, rule_set)
    still_waiting = pool.filter(~pl.col("fide_id").is_in(entering["fide_id"].implode()))
    return computed, entries, still_waiting, list_state


def _old_ratings(rated_players: pl.DataFrame) -> pl.DataFrame:
    """Return the rating each player's change is added to: ``fide_id``, ``old_rating``.

    It is the same in all events of a player, except where the standard rating stands in: then the one at the start of
    the latest event holds.
    """
    return rated_players.group_by("fide_id").agg(pl.col("old_rating").sort_by("start_date").last())


def _entering_players(published: pl.DataFrame, counted: pl.DataFrame) -> pl.DataFrame:
    """Return the players who enter the list.

    Out: ``fide_id``, ``entry_rating``, ``entry_games`` (those of this period) and ``pooled_games`` (all counted games).
    """
    of_period = counted.group_by("fide_id").agg(pl.col("games").sum().alias("entry_games"))
    return published.join(of_period, on="fide_id", how="left").select(
        "fide_id",
        pl.col("computed_rating").alias("entry_rating"),
        pl.col("entry_games").fill_null(0),
        pl.col("games").alias("pooled_games"),
    )


def next_list(
    before: pl.DataFrame,
    changes: pl.DataFrame,
    entering: pl.DataFrame,
    players: pl.DataFrame,
    period: Period,
    rule_set: RuleSet,
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the new list's state (``LIST_STATE``) and the players whose rating was computed (``CHANGE``).

    In: ``before``: the newest list (:data:`~ratinglist.tables.LIST_STATE`); ``changes`` of the players with rated
    games: ``fide_id``, ``old_rating``, ``games``, ``k``, ``change_hundredths``, ``change``; ``entering``: the
    players who enter (:func:`_entering_players`); ``players``:
    ``fide_id``, ``birth_date``, ``birth_year``; ``rule_set`` of the new list.
    """
    rules = rule_set.list
    k_rules = rule_set.development_coefficient
    ratings = (
        before.select("fide_id", "rating", "games_played", "reached_2400", "reached_2300", "last_played")
        .join(changes, on="fide_id", how="full", coalesce=True)
        .join(entering, on="fide_id", how="full", coalesce=True)
        .sort("fide_id")
        .with_columns(pl.coalesce("old_rating", "rating").alias("old_rating"))
        .with_columns((pl.col("old_rating") + pl.col("change").fill_null(0)).alias("carried"))
        .with_columns(
            pl.coalesce(after_one_time_step(pl.col("carried"), rules, period), "entry_rating").alias("new_rating")
        )
        .with_columns((pl.col("new_rating") < rules.floor).fill_null(value=False).alias("delisted"))
        .with_columns(pl.when(~pl.col("delisted")).then("new_rating").alias("new_rating"))
    )
    computed = ratings.filter(
        pl.col("games").is_not_null() | pl.col("entry_rating").is_not_null() | pl.col("delisted")
    ).with_columns(
        pl.lit(rule_set.time_control).alias("time_control"),
        pl.coalesce("games", "entry_games", pl.lit(0)).alias("games"),
        pl.when("delisted")
        .then(pl.lit("delisted"))
        .when(pl.col("entry_rating").is_not_null())
        .then(pl.lit("entered"))
        .otherwise(pl.lit("rated"))
        .alias("status"),
        *[
            pl.when(pl.col("entry_rating").is_null()).then(pl.col(name).fill_null(0)).alias(name)
            for name in ("change_hundredths", "change")
        ],
    )
    state = _state(ratings, players, period, rule_set.time_control, k_rules)
    if rules.delisted_state == "dropped":
        state = state.filter(pl.col("rating").is_not_null())
    return LIST_STATE.conform(state), CHANGE.conform(computed)


def _state(
    ratings: pl.DataFrame,
    players: pl.DataFrame,
    period: Period,
    time_control: str,
    k_rules: DevelopmentCoefficientRules,
) -> pl.DataFrame:
    """Return the state the next list's K depends on (``LIST_STATE``), for all players with a rating or a history."""
    rating = pl.col("new_rating")
    first_day = pl.lit(period.first_day)
    born = {"birth_date": pl.col("birth_date"), "birth_year": pl.col("birth_year")}
    juniors = players.lazy().filter(is_junior(k_rules, judged_on=first_day, **born)).select("fide_id").collect()
    played = pl.col("games").is_not_null() | pl.col("entry_rating").is_not_null()

    def reached(mark: str, least: int) -> pl.Expr:
        return (pl.col(mark).fill_null(value=False) | (rating >= least).fill_null(value=False)).alias(mark)

    return ratings.with_columns(
        (
            pl.col("games_played").fill_null(0) + pl.col("games").fill_null(0) + pl.col("pooled_games").fill_null(0)
        ).alias("games_played"),
        reached("reached_2400", k_rules.master_from),
        reached("reached_2300", k_rules.junior_below),
        pl.when(played).then(first_day).otherwise("last_played").alias("last_played"),
        pl.coalesce("games", "entry_games", pl.lit(0)).alias("games"),
    ).select(
        pl.lit(str(period)).alias("month"),
        pl.lit(time_control).alias("time_control"),
        "fide_id",
        rating.alias("rating"),
        "games",
        pl.when(rating.is_not_null())
        .then(
            development_coefficient(
                k_rules,
                games_played=pl.col("games_played"),
                reached_2400=pl.col("reached_2400"),
                reached_2300=pl.col("reached_2300"),
                junior=pl.col("fide_id").is_in(juniors["fide_id"].implode()),
            )
        )
        .alias("k"),
        "games_played",
        "reached_2400",
        "reached_2300",
        "last_played",
        pl.lit("").alias("inferred"),
    )


def published_list(
    state: pl.DataFrame,
    players: pl.DataFrame,
    period: Period,
    rule_set: RuleSet,
    system_state: pl.DataFrame | None = None,
) -> pl.DataFrame:
    """Return the list as it is published: one row per rated player, by rating, then FIDE ID.

    In: ``state`` (``LIST_STATE``) of ``period`` and of the time control of ``rule_set``; ``players`` (``PLAYER``);
    ``system_state`` (``SYSTEM_STATE``): of a system other than FIDE's, whose list shows it. Out: ``LISTED``; with
    ``system_state`` ``SYSTEM_LISTED`` and the system's columns. The birth date is not among the columns.

    A player is inactive who has no rated game on ``inactive_after_lists`` lists in a row (7.2.2), and stays listed with
    the same rating; 0: there is no such rule. A notice between two texts of the regulations may have changed that
    number from some list on. The flag is ``i`` (inactive), ``w`` (woman) or ``wi`` (both).
    """
    rules, table = rule_set.list, LISTED
    is_changed = rules.inactive_changed_from_list != "" and str(period) >= rules.inactive_changed_from_list
    lists = rules.inactive_changed_after_lists if is_changed else rules.inactive_after_lists
    active_from = (period - (lists - 1)).first_day
    is_inactive = (pl.col("last_played") < active_from).fill_null(value=False) if lists else pl.lit(value=False)
    rated = state.filter(pl.col("rating").is_not_null()).select(
        "fide_id", "rating", "games", "k", is_inactive.alias("inactive")
    )
    if system_state is not None:
        kept = system_state.filter(pl.col("time_control") == rule_set.time_control)
        kept = kept.drop("time_control", "category", "titles_seen")
        table = SYSTEM_LISTED.extended(own_columns(kept.schema))
        rated = rated.join(kept, on="fide_id", how="left")
    return table.conform(
        rated.join(players, on="fide_id", how="left")
        .sort("rating", "fide_id", descending=[True, False])
        .with_columns(
            pl.lit(str(period)).alias("list_month"),
            pl.lit(rule_set.time_control).alias("time_control"),
            pl.coalesce(pl.col("birth_date").dt.year(), "birth_year").alias("birth_year"),
            pl.concat_str(
                pl.when(pl.col("sex") == "F").then(pl.lit("w")).otherwise(pl.lit("")),
                pl.when("inactive").then(pl.lit("i")).otherwise(pl.lit("")),
            ).alias("flag"),
        )
    )


def unlisted_among(tables: Iterable[pl.DataFrame], listed: Iterable[pl.Series]) -> pl.Series:
    """Return the FIDE IDs of ``tables`` that no list has, sorted; ``listed``: the FIDE IDs on each list."""
    ids = pl.concat([table["fide_id"].unique() for table in tables]).unique()
    on_a_list = pl.concat([ids.clear(), *listed])
    return ids.filter(~ids.is_in(on_a_list.implode())).sort()


def unrated_players(ids: pl.Series, players: pl.DataFrame) -> pl.DataFrame:
    """Return the names of the players with these FIDE IDs (``UNRATED``), in order.

    In: ``players`` (``PLAYER``). An ID that is not registered has no row: its report is refused.
    """
    unrated = players.filter(pl.col("fide_id").is_in(ids.implode()))
    return UNRATED.conform(unrated.sort("fide_id"))
