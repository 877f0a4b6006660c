"""State how the US Chess rating came to a player's number, and calculate all of it again before a publication.

Before a publication the events are rated once more, from the published games, the state of the list before, the births
and the FIDE lists, by the functions that calculate a list. An account, which has the games of one player, states what
is published.
"""

from __future__ import annotations

from datetime import date

import polars as pl

from ratinglist.rating.systems.account import Calculated
from ratinglist.rating.systems.month import SystemMonth, half_up
from ratinglist_uschess.month import RatedPeriod, figures_of_games, known_players, rate_period
from ratinglist_uschess.rules import UschessRules

_OF_GAME = (
    *("rating", "opponent_rating", "rating_hundredths", "opponent_rating_hundredths", "event_place", "rated_games"),
    *("effective_games_ten_thousandths", "k_ten_thousandths", "expected_ten_thousandths", "bonus_hundredths"),
    *("event_floor", "formula_hundredths", "rating_after_hundredths"),
)


def figures(calculated: Calculated, rules: UschessRules) -> pl.DataFrame:
    """Return the events of every player, and what the change has to be by the figures of the first and last event."""
    events = _events_of(calculated)
    first, last = (pl.col("of_events").list.get(place).struct for place in (0, -1))
    after = last.field("rating_after_hundredths").cast(pl.Int64)
    due = events.with_columns(
        half_up(after, 100).alias("due_new_rating"),
        after.alias("due_rating_hundredths"),
        pl.col("of_events").list.len().cast(pl.Int64).alias("due_events"),
        pl.col("of_events").list.eval(pl.element().struct.field("games")).list.sum().alias("due_games"),
        first.field("rated_games").cast(pl.Int64).alias("due_old_rated_games"),
        (last.field("rated_games") + last.field("games")).cast(pl.Int64).alias("due_new_rated_games"),
    )
    found = calculated.changes.select("fide_id").join(due, on="fide_id", how="full", coalesce=True)
    if calculated.own_state is not None:
        listed = calculated.changes.select(
            "fide_id", rating="old_rating", games_played="games_before", highest="old_highest"
        )
        before = known_players(listed, calculated.own_state, rules)
        found = found.join(before.select("fide_id", due_old_highest="highest"), on="fide_id", how="left")
    # A change without a rated event is wrong in any case.
    return found.with_columns(pl.col("due_events").fill_null(0))


def games_again(calculated: Calculated, rules: UschessRules) -> pl.DataFrame:
    """Return the counted games with what each figure has to be: ``again_<name>``, null in an account."""
    counted, again = calculated.counted, _again(calculated, rules)
    if again is None:
        return counted.with_columns(pl.lit(None, pl.Int64).alias(f"again_{name}") for name in _OF_GAME)
    due = figures_of_games(again).rename({"own_rating": "rating", "used_rating": "opponent_rating"})
    of_game = due.select("row", *(pl.col(name).cast(pl.Int64).alias(f"again_{name}") for name in _OF_GAME))
    return counted.join(of_game, on="row", how="left", maintain_order="left")


def due_of_games(calculated: Calculated, rules: UschessRules) -> dict[str, pl.Expr]:
    """Return what the columns of a counted game have to be."""
    del calculated, rules
    return {name: pl.col(f"again_{name}") for name in _OF_GAME}


def _again(calculated: Calculated, rules: UschessRules) -> RatedPeriod | None:
    """Return the events rated once more; None for an account, which has not all inputs.

    That the listed ratings of a match are near is taken from what is published.
    """
    of = calculated
    if of.births is None or of.own_state is None or of.references is None or of.period is None:
        return None
    counted = calculated.counted
    minutes = pl.when("is_dual").then(rules.development.dual_least_minutes).cast(pl.Int32)
    events = counted.select(
        "event_no", "event_id", "start_date", "end_date", minutes.alias("minutes_per_60_moves")
    ).unique("event_no")
    listed = calculated.changes.filter(pl.col("old_rating").is_not_null()).select(
        "fide_id", rating="old_rating", games_played="games_before", highest="old_highest"
    )
    month = SystemMonth(
        period=of.period,
        time_control="standard",
        before=listed,
        month_before=of.period,
        sides=counted,
        participants=counted.select("fide_id", "event_no"),
        events=events,
        players=of.births,
        tables=calculated.tables,
        references=of.references,
        rule_sets=sorted(
            ((date.fromisoformat(name.rsplit("/")[-1]), own) for name, own in calculated.rule_sets.items()),
            key=lambda one: one[0],
        ),
    )
    sides = counted.select(
        "row", "event_no", "round", "fide_id", "opponent_id", "score_halves", is_apart=pl.lit(value=False)
    )
    before = known_players(listed, of.own_state, rules)
    return rate_period(month, sides, before)


# --------------------------------------------------------------------------------------------------- the account


def _events_of(calculated: Calculated) -> pl.DataFrame:
    """Return the rated events of each player in the order rated, as ``of_events``, a list of their figures."""
    names = (
        *("event_id", "rule_set", "rating", "rating_hundredths", "is_dual", "rated_games", "earlier_results"),
        *("effective_games_ten_thousandths", "k_ten_thousandths", "expected_ten_thousandths", "bonus_hundredths"),
        *("event_floor", "formula_hundredths", "rating_after_hundredths"),
    )
    opponents = pl.col("opponent_rating_hundredths").sort_by("round", "opponent_id")
    return (
        calculated.counted.group_by("fide_id", "event_place")
        .agg(
            *(pl.col(name).first() for name in names),
            pl.len().cast(pl.Int64).alias("games"),
            pl.col("score_halves").cast(pl.Int64).sum(),
            opponents.alias("opponents_hundredths"),
        )
        .sort("fide_id", "event_place")
        .group_by("fide_id", maintain_order=True)
        .agg(pl.struct(pl.exclude("fide_id")).alias("of_events"))
    )
