"""Both sides of every played game: the ratings used, the reason where a side is not rated, the change where it is.

A side is a player in a game: ``event_id``, ``round`` and ``fide_id`` identify it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import polars as pl

from ratinglist.messages import EVENT_REASONS, GAME_REASONS
from ratinglist.rating import entry
from ratinglist.rating.change import (
    change_hundredths,
    development_coefficient,
    difference_used,
    expected_hundredths,
    is_gap_not_rated,
    is_junior,
    limited_coefficient,
    surplus_hundredths,
)
from ratinglist.rating.participants import PLAYER_OF_EVENT
from ratinglist.rating.rules import RuleSet
from ratinglist.tables import GAME, dictionary_encode

REASON = pl.Enum(list(dict.fromkeys(["", *GAME_REASONS, *EVENT_REASONS])))
"""Why a side does not change a rating, that of its event included; empty where it does."""

COLOUR = pl.Enum(["b", "w"])
_IS_RATED = pl.col("reason") == ""


def texts_of_events(events: pl.DataFrame) -> pl.DataFrame:
    """Return what a published game says of its event, by ``event_id``: texts of few values, as Enums.

    Out: ``event_id``, ``time_control``, ``rule_set`` and ``event_reason`` (empty: the event is rated).
    """
    return events.select(
        "event_id",
        dictionary_encode(events["time_control"]),
        dictionary_encode(events["rule_set"]),
        pl.col("reason").cast(REASON).alias("event_reason"),
    )


def sides_of_games(events: pl.DataFrame, games: pl.DataFrame, players: pl.DataFrame) -> pl.DataFrame:
    """Return both sides of every played game of every event that is not superseded, in the published order.

    A superseded event was judged and rated by an earlier list.

    In: ``events`` and ``games`` of :func:`~ratinglist.rating.duplicate_games.each_game_once`; ``players``:
    :func:`~ratinglist.rating.participants.ratings_used`. Out: two rows per game, sorted by time control, event, round
    and player: ``time_control``, ``event_id``, ``round``, ``fide_id``, ``opponent_id``, ``date``, ``colour``,
    ``score_halves``, ``rating`` and ``opponent_rating`` (null: unrated), ``rule_set``, ``same_game``,
    ``is_too_short`` (by the rule that judges game by game), and ``event_reason`` (empty: the event is rated).
    """
    ratings = players.lazy().select(*PLAYER_OF_EVENT, "rating", "at_start")
    by_game = pl.when(pl.col("time_limit_applies_to") == "game").then("too_short_from").alias("too_short_from")
    of_event = texts_of_events(events).with_columns(events.select(by_game).to_series()).lazy()
    superseded = events.lazy().filter(pl.col("status") == "superseded").select("event_id")
    met = games.lazy().join(superseded, on="event_id", how="anti").join(of_event, on="event_id")
    for colour in ("white", "black"):
        own = {"fide_id": f"{colour}_id", "rating": f"{colour}_rating", "at_start": f"{colour}_at_start"}
        met = met.join(ratings.rename(own), on=["event_id", f"{colour}_id"], how="left")
    highest = pl.max_horizontal("white_at_start", "black_at_start").fill_null(0)
    sides = [
        met.select(
            "time_control",
            "event_id",
            "round",
            pl.col(f"{own}_id").alias("fide_id"),
            pl.col(f"{other}_id").alias("opponent_id"),
            "date",
            pl.lit(own[0], dtype=COLOUR).alias("colour"),
            pl.col(f"{own}_halves").alias("score_halves"),
            pl.col(f"{own}_rating").alias("rating"),
            # An opponent sees only the rating at the start.
            pl.col(f"{other}_at_start").alias("opponent_rating"),
            "rule_set",
            "same_game",
            (highest >= pl.col("too_short_from")).fill_null(value=False).alias("is_too_short"),
            "event_reason",
        )
        for own, other in (("white", "black"), ("black", "white"))
    ]
    # The codes of events are an Enum in the order of time control and code.
    return pl.concat(sides).sort("event_id", "round", "fide_id").collect()


def add_reasons(sides: pl.DataFrame, rule_sets: Mapping[str, RuleSet]) -> pl.DataFrame:
    """Return ``sides`` with ``reason``: the first that holds why a side does not change a rating (:data:`REASON`).

    In: :func:`sides_of_games`; ``rule_sets`` of the events by name. Sides of unrated players get ``counts_for_entry``,
    which :func:`judge_tranches_by_control` judges.
    """
    rating, opponent = pl.col("rating"), pl.col("opponent_rating")

    def is_gap(rule_set: RuleSet) -> pl.Expr:
        return is_gap_not_rated(rule_set.expected_score, rating, opponent)

    return sides.with_columns(
        pl.when(pl.col("event_reason") != "")
        .then("event_reason")
        .when("same_game")
        .then(_reason("same_game"))
        .when(opponent.is_null())
        .then(_reason("opponent_unrated"))
        .when(_by_rule_set(rule_sets, is_gap, pl.Boolean()))
        .then(_reason("rating_gap"))
        .when("is_too_short")
        .then(_reason("time_limit"))
        .when(rating.is_null())
        .then(_reason("counts_for_entry"))
        .otherwise(_reason(""))
        .alias("reason")
    )


def _reason(code: str) -> pl.Expr:
    return pl.lit(code, dtype=REASON)


def _by_rule_set(
    rule_sets: Mapping[str, RuleSet], expression: Callable[[RuleSet], pl.Expr], dtype: pl.DataType
) -> pl.Expr:
    """Return ``expression`` of the rule set of the event of each side; null where there is none."""
    by_name = (pl.when(pl.col("rule_set") == name).then(expression(of_event)) for name, of_event in rule_sets.items())
    return pl.coalesce(*by_name, pl.lit(None, dtype)).cast(dtype)


def sum_tranches(sides: pl.DataFrame, events: pl.DataFrame) -> pl.DataFrame:
    """Sum the results of unrated players that may count for an entry: a tranche is the results in one event.

    In: ``sides`` with ``reason`` (:func:`add_reasons`). Out: one row per unrated player and event: ``time_control``,
    ``event_id``, ``fide_id``, ``games``, ``score_halves``, ``opponent_rating_sum``, ``pool_id``, ``start_date``,
    ``end_date``.
    """
    return (
        sides.lazy()
        .filter(pl.col("reason") == "counts_for_entry")
        .group_by("time_control", *PLAYER_OF_EVENT)
        .agg(
            pl.len().cast(pl.Int32).alias("games"),
            pl.col("score_halves").sum(),
            pl.col("opponent_rating").sum().alias("opponent_rating_sum"),
        )
        .collect()
        .cast({"time_control": pl.String})
        .join(events.select("event_id", "pool_id", "start_date", "end_date"), on="event_id")
    )


def judge_tranches_by_control(
    tranches: pl.DataFrame, waiting: pl.DataFrame, rules: Mapping[str, RuleSet]
) -> pl.DataFrame:
    """Decide which results of unrated players count for an entry.

    In: ``tranches`` (:func:`sum_tranches`); ``waiting``: the pool that has not expired; ``rules``: the new list's rule
    set of each time control. Out: the tranches with ``reason``: ``counts_for_entry``, or why they do not count.
    """
    parts = [tranches.clear().with_columns(pl.lit("").alias("reason"))]
    for time_control, rule_set in rules.items():
        is_of_control = pl.col("time_control") == time_control
        parts.append(
            entry.judge_tranches(tranches.filter(is_of_control), waiting.filter(is_of_control), rule_set.entry)
        )
    return pl.concat(parts)


def add_expected_scores(
    sides: pl.DataFrame, rule_sets: Mapping[str, RuleSet], tables: Mapping[str, pl.Series]
) -> pl.DataFrame:
    """Return ``sides`` with the rating difference and the expected score of those that are rated.

    In: ``sides`` with ``reason`` (:func:`add_reasons`); ``rule_sets`` of the events by name; ``tables`` of expected
    scores by name. Out: also ``difference``, ``difference_used`` and ``expected_hundredths``, null where not rated.
    """

    def used(rule_set: RuleSet) -> pl.Expr:
        return difference_used(
            rule_set.expected_score,
            pl.col("difference"),
            rating=pl.col("rating"),
            player_of_event=PLAYER_OF_EVENT,
        )

    def expected(rule_set: RuleSet) -> pl.Expr:
        return expected_hundredths(pl.col("difference_used"), tables[rule_set.expected_score.table])

    difference = pl.when(_IS_RATED).then(pl.col("rating") - pl.col("opponent_rating"))
    return (
        sides.with_columns(difference.alias("difference"))
        .with_columns(_by_rule_set(rule_sets, used, pl.Int32()).alias("difference_used"))
        .with_columns(_by_rule_set(rule_sets, expected, pl.Int32()).alias("expected_hundredths"))
    )


def rate_players(sides: pl.DataFrame, players: pl.DataFrame, rules: Mapping[str, RuleSet]) -> pl.DataFrame:
    """Return K and change of every player in every event with rated games (8.3.2, 8.3.3).

    K holds for all games of the event, after the limit on K × games, so the change is K × (score − expected score).

    In: ``sides`` with their expected scores (:func:`add_expected_scores`); ``players``:
    :func:`~ratinglist.rating.participants.ratings_used`; ``rules``: the new list's rule set of each time control. Out:
    ``time_control``, ``event_id``, ``fide_id``, ``start_date``, ``old_rating``, ``games``, ``k`` and
    ``change_hundredths``.
    """
    surplus = surplus_hundredths(pl.col("score_halves"), pl.col("expected_hundredths"))
    results = (
        sides.lazy()
        .filter(_IS_RATED)
        .group_by(PLAYER_OF_EVENT)
        .agg(pl.len().cast(pl.Int32).alias("games"), surplus.sum().alias("surplus"))
        .collect()
    )
    state = players.join(results, on=PLAYER_OF_EVENT)
    parts = [state.clear().with_columns(pl.lit(None, pl.Int32).alias("k"))]
    for time_control, rule_set in rules.items():
        k_rules = rule_set.development_coefficient
        k = development_coefficient(
            k_rules,
            games_played=pl.col("games_played").fill_null(0),
            reached_2400=pl.col("reached_2400").fill_null(value=False),
            reached_2300=pl.col("reached_2300").fill_null(value=False),
            junior=is_junior(
                k_rules,
                judged_on=pl.col("start_date" if k_rules.junior_judged_on == "event_start" else "list_before"),
                birth_date=pl.col("birth_date"),
                birth_year=pl.col("birth_year"),
            ),
        )
        limited = limited_coefficient(k_rules, k, pl.col("games").sum().over("fide_id"))
        of_control = state.filter(pl.col("time_control") == time_control)
        parts.append(of_control.with_columns(limited.cast(pl.Int32).alias("k")))
    return pl.concat(parts).select(
        *("time_control", *PLAYER_OF_EVENT, "start_date", "old_rating", "games", "k"),
        (pl.col("k") * pl.col("surplus")).alias("change_hundredths"),
    )


def add_changes(sides: pl.DataFrame, rated_players: pl.DataFrame, tranches: pl.DataFrame) -> pl.DataFrame:
    """Return ``sides`` with ``k`` and ``change_hundredths``, null where not rated, and the reasons of the tranches.

    In: :func:`add_expected_scores`; :func:`rate_players`; :func:`judge_tranches_by_control`, whose reasons replace
    those of the sides.
    """
    refused = tranches.filter(pl.col("reason") != "counts_for_entry")
    verdicts = refused.select(*PLAYER_OF_EVENT, pl.col("reason").cast(REASON).alias("verdict"))
    # A player has K in an event, or a tranche that does not count, never both.
    of_players = pl.concat([rated_players.select(*PLAYER_OF_EVENT, "k"), verdicts], how="diagonal")
    is_tranche = pl.col("reason") == "counts_for_entry"
    change = change_hundredths(pl.col("k"), pl.col("score_halves"), pl.col("expected_hundredths"))
    return sides.join(of_players, on=PLAYER_OF_EVENT, how="left", maintain_order="left").with_columns(
        pl.when(_IS_RATED).then("k").alias("k"),
        change.alias("change_hundredths"),
        pl.when(is_tranche).then(pl.coalesce("verdict", "reason")).otherwise("reason").alias("reason"),
    )


def published_games(sides: pl.DataFrame) -> pl.DataFrame:
    """Return the sides as published (``GAME``), in the same order, texts of few values as Enums."""
    is_event_rated = pl.col("event_reason") == ""
    return GAME.coded(
        sides.with_columns(_IS_RATED.alias("rated"), pl.when(is_event_rated).then("rule_set").alias("rule_set"))
    )
