"""Both sides of every played game: the ratings that count, why a side is not rated, and the change of one that is."""

from __future__ import annotations

import polars as pl

from ratinglist import entry
from ratinglist.change import change_hundredths
from ratinglist.events import minutes_needed
from ratinglist.expected import difference_used, expected_hundredths, is_gap_not_rated
from ratinglist.kfactor import development_coefficient, is_junior, limited
from ratinglist.month import ratings_on_lists
from ratinglist.rules import RuleBook, RuleSet


def sides_of_games(known: pl.DataFrame, report_games: pl.DataFrame) -> pl.DataFrame:
    """Both sides of every played game of every event that this list looks at.

    Out: two rows per game with ``fide_id``, ``opponent_id``, ``colour``, ``score_halves``, the event's columns and
    ``event_reason`` (empty where the event is rated). A superseded event was looked at by an earlier list.
    """
    looked_at = known.filter(pl.col("status") != "superseded").rename({"reason": "event_reason"})
    games = report_games.join(looked_at, on="report_id")
    shared = ["round", "date", *[name for name in looked_at.columns if name != "report_id"]]
    return pl.concat(
        games.select(
            pl.col(f"{own}_id").alias("fide_id"),
            pl.col(f"{other}_id").alias("opponent_id"),
            pl.lit(own[0]).alias("colour"),
            pl.col(f"{own}_halves").alias("score_halves"),
            *shared,
        )
        for own, other in (("white", "black"), ("black", "white"))
    )


def blank_unrated_event(sides: pl.DataFrame) -> pl.DataFrame:
    """Sides of events that are not rated, with the event's reason and nothing computed."""
    computed = ["rating", "opponent_rating", "difference", "difference_used", "expected_hundredths", "k"]
    return sides.with_columns(
        *[pl.lit(None, dtype=pl.Int32).alias(name) for name in [*computed, "change_hundredths"]],
        pl.lit(None, dtype=pl.String).alias("rule_set"),
        pl.lit(value=False).alias("rated"),
        pl.col("event_reason").alias("reason"),
    )


def place_ratings(sides: pl.DataFrame, lists: pl.DataFrame, before: pl.DataFrame, time_control: str) -> pl.DataFrame:
    """Give both players the ratings that count (readings, 8.2.4).

    A player who is rated now counts with his rating at the start, or with his current one if he had none then; his
    opponents see only the rating at the start. One who is not rated now is unrated for himself. In rapid and blitz,
    where the rule set of the event says so, the standard rating in force at the start stands in for a missing one.

    Out: ``sides`` with ``rating`` and ``opponent_rating`` (null: unrated) and ``old_rating``, to which the change is
    added.
    """
    at_start = ratings_on_lists(lists, "at_start").filter(pl.col("time_control") == time_control).drop("time_control")
    current = before.filter(pl.col("rating").is_not_null()).select("fide_id", pl.col("rating").alias("current"))
    placed = (
        sides.join(at_start, on=["base_month", "fide_id"], how="left")
        .join(
            at_start.rename({"fide_id": "opponent_id", "at_start": "opponent_rating"}),
            on=["base_month", "opponent_id"],
            how="left",
        )
        .join(current, on="fide_id", how="left")
    )
    return placed.with_columns(
        pl.when(pl.col("current").is_not_null()).then(pl.coalesce("at_start", "current")).alias("rating"),
        pl.col("current").alias("old_rating"),
    ).drop("at_start", "current")


def give_reasons(placed: pl.DataFrame, waiting: pl.DataFrame, rule_set: RuleSet) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Say of every side of the rated events why it does not change a rating (empty: it does).

    Also returns the tranches that count for an entry: one row per unrated player and event.
    """
    own, opponent = pl.col("rating"), pl.col("opponent_rating")
    too_short = (pl.col("time_limit_applies_to") == "game") & (
        pl.col("minutes_per_60_moves") < minutes_needed(pl.max_horizontal(own, opponent))
    ).fill_null(value=False)
    gap = is_gap_not_rated(
        own, opponent, gap=pl.col("gap_not_rated"), needs_player_above=pl.col("gap_needs_player_above")
    ).fill_null(value=False)
    reasoned = placed.with_columns(
        pl.when(opponent.is_null())
        .then(pl.lit("opponent_unrated"))
        .when(gap)
        .then(pl.lit("rating_gap"))
        .when(too_short)
        .then(pl.lit("time_limit"))
        .when(own.is_null())
        .then(pl.lit("counts_for_entry"))
        .otherwise(pl.lit(""))
        .alias("reason")
    )
    tranches = (
        reasoned.filter(pl.col("reason") == "counts_for_entry")
        .group_by("time_control", "fide_id", "event_id", "start_date", "end_date")
        .agg(
            pl.len().cast(pl.Int32).alias("games"),
            pl.col("score_halves").sum(),
            opponent.sum().alias("opponent_rating_sum"),
        )
    )
    verdicts = entry.judge_tranches(tranches, waiting, rule_set.entry)
    counted = tranches.join(verdicts.filter(pl.col("reason") == "counts_for_entry"), on=["fide_id", "event_id"])
    reasoned = (
        reasoned.join(verdicts.rename({"reason": "verdict"}), on=["fide_id", "event_id"], how="left")
        .with_columns(
            pl.when(pl.col("reason") == "counts_for_entry").then("verdict").otherwise("reason").alias("reason")
        )
        .drop("verdict")
    )
    return reasoned, counted


def blank_not_rated(sides: pl.DataFrame) -> pl.DataFrame:
    """Sides of rated events that change nothing: the ratings are shown, nothing is computed."""
    computed = ["difference", "difference_used", "expected_hundredths", "k", "change_hundredths"]
    return sides.with_columns(
        *[pl.lit(None, dtype=pl.Int32).alias(name) for name in computed], pl.lit(value=False).alias("rated")
    )


def rate_sides(
    sides: pl.DataFrame, before: pl.DataFrame, players: pl.DataFrame, rules: RuleBook, rule_set: RuleSet
) -> pl.DataFrame:
    """Difference, expected score, K and change of every rated side.

    In: ``sides`` with ``rating``, ``opponent_rating``, ``score_halves`` and the columns of their event's rule set;
    ``before``: the state K is judged on; ``rule_set``: the new list's, which says how K is found. Out: ``sides`` with
    ``difference``, ``difference_used``, ``expected_hundredths``, ``k`` and ``change_hundredths``.
    """
    k_rules = rule_set.development_coefficient
    state = before.select("fide_id", "games_played", "reached_2400", "reached_2300")
    with_state = (
        sides.join(state, on="fide_id", how="left")
        .join(players.select("fide_id", "birth_date", "birth_year"), on="fide_id", how="left")
        .with_columns(
            pl.col("games_played").fill_null(0),
            pl.col("reached_2400", "reached_2300").fill_null(value=False),
            (pl.col("rating") - pl.col("opponent_rating")).alias("difference"),
        )
    )
    if k_rules.junior_judged_on == "event_start":
        judged_on = pl.col("start_date")
    else:
        judged_on = pl.lit(before["month"].max()).add("-01").str.to_date("%Y-%m-%d")
    k = development_coefficient(
        k_rules,
        games_played=pl.col("games_played"),
        reached_2400=pl.col("reached_2400"),
        reached_2300=pl.col("reached_2300"),
        junior=is_junior(
            k_rules, judged_on=judged_on, birth_date=pl.col("birth_date"), birth_year=pl.col("birth_year")
        ),
    )
    used = difference_used(
        pl.col("difference"),
        rating=pl.col("rating"),
        cap=pl.col("cap"),
        applies_to=pl.col("cap_applies_to"),
        players_below=pl.col("cap_players_below"),
        game_of_event=["fide_id", "event_id"],
        order=["round", "opponent_id"],
    )
    return (
        with_state.with_columns(used.alias("difference_used"), limited(k_rules, k, pl.len().over("fide_id")).alias("k"))
        .with_columns(_expected(rules).alias("expected_hundredths"))
        .with_columns(
            change_hundredths(pl.col("k"), pl.col("score_halves"), pl.col("expected_hundredths")).alias(
                "change_hundredths"
            )
        )
    )


def _expected(rules: RuleBook) -> pl.Expr:
    """Expected score by the table that the rule set of the event names."""
    table = pl.col("table")
    used = pl.col("difference_used")
    return pl.coalesce(
        pl.when(table == name).then(expected_hundredths(used, scores))
        for name, scores in sorted(rules.expected_score.items())
    )
