"""Both sides of every played game: ratings used, reason where a side is not rated, change where it is.

A month has millions of sides. So a side holds row numbers: of its event (``event_row``, a row of the judged events) and
of its two players (``participant_row``, ``opponent_row``, rows of the participants). Columns of these frames are
gathered where they are used.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import polars as pl

from ratinglist.rating import entry
from ratinglist.rating.change import change_hundredths
from ratinglist.rating.development_coefficient import development_coefficient, is_junior, limited_coefficient
from ratinglist.rating.event_verdicts import minutes_needed
from ratinglist.rating.expected import difference_used, expected_hundredths, is_gap_not_rated
from ratinglist.rating.participants import gather_columns, join_by_row_number
from ratinglist.rating.rules import RuleBook, RuleSet
from ratinglist.tables import SIDE

REASON = SIDE.columns["reason"].dtype
"""The Enum of reasons: why a side of a rated event does not change a rating; empty where it does."""

TIME_LIMIT = (
    "minutes_per_60_moves",
    "long_game_from",
    "long_game_minutes",
    "middle_game_from",
    "middle_game_minutes",
    "short_game_minutes",
)
CAP = ("cap", "cap_applies_to", "cap_players_below", "table")


def sides_of_games(judged_events: pl.DataFrame, games: pl.DataFrame) -> pl.DataFrame:
    """Return both sides of every played game of every event that is not superseded, in the published order.

    A superseded event was judged and rated by an earlier list.

    In: ``judged_events``, whose row number is the ``event_row``; ``games`` of
    :func:`~ratinglist.rating.participants.games_of`. Out: two rows per game: ``event_row``, ``round``,
    ``participant_row``, ``opponent_row``, ``date``, ``is_white``, ``score_halves``, sorted by time control, event,
    round and player.
    """
    events = judged_events.lazy().select("report_row", "status").with_row_index("event_row")
    of_events = games.lazy().join(events.filter(pl.col("status") != "superseded"), on="report_row").collect()
    sides = pl.concat(
        of_events.select(
            "event_row",
            "round",
            pl.col(f"{own}_row").alias("participant_row"),
            pl.col(f"{other}_row").alias("opponent_row"),
            "date",
            pl.lit(own == "white").alias("is_white"),
            pl.col(f"{own}_halves").alias("score_halves"),
        )
        for own, other in (("white", "black"), ("black", "white"))
    )
    return sides.sort("event_row", "round", "participant_row")


def add_ratings(sides: pl.DataFrame, rated_participants: pl.DataFrame) -> pl.DataFrame:
    """Return ``sides`` with ``rating`` and ``opponent_rating``, null where unrated.

    In: ``rated_participants``: the participants with the ratings used
    (:func:`~ratinglist.rating.participants.join_ratings`).
    """
    rating, seen = pl.lit(rated_participants["rating"]), pl.lit(rated_participants["seen"])
    return sides.with_columns(
        rating.gather("participant_row").alias("rating"), seen.gather("opponent_row").alias("opponent_rating")
    )


def add_reasons(
    sides: pl.DataFrame, judged_events: pl.DataFrame, rated_participants: pl.DataFrame, duplicate_sides: pl.DataFrame
) -> pl.DataFrame:
    """Return ``sides`` with ``reason``: why a side does not change a rating (:data:`REASON`); empty where it does.

    In: ``sides`` with their ratings (:func:`add_ratings`); ``duplicate_sides``: those that count in another event
    (:func:`~ratinglist.rating.duplicate_games.find_duplicate_games`). The reason is null where the event itself is not
    rated. Sides of unrated players get ``counts_for_entry``, which :func:`judge_tranches` judges.
    """

    def of_event(expression: pl.Expr) -> pl.Expr:
        return pl.lit(judged_events.select(expression.alias("of_event")).to_series()).gather("event_row")

    # From the last reason in precedence to the first: each one overrides those before it.
    opponent = pl.col("opponent_rating")
    reason = pl.when(pl.col("rating").is_null()).then(_reason("counts_for_entry")).otherwise(_reason(""))
    if _has_short_games(judged_events):
        limits = gather_columns(
            sides.select("event_row", opponent), "event_row", judged_events, *TIME_LIMIT
        ).with_columns(rated_participants["seen"].gather(sides["participant_row"]))
        needed = minutes_needed(pl.max_horizontal("seen", "opponent_rating"))
        too_short = limits.select((pl.col("minutes_per_60_moves") < needed).fill_null(value=False)).to_series()
        by_game = of_event(pl.col("time_limit_applies_to") == "game")
        reason = pl.when(by_game & pl.lit(too_short)).then(_reason("time_limit")).otherwise(reason)
    if (judged_events["gap_not_rated"] > 0).any():
        gap = is_gap_not_rated(
            pl.col("rating"),
            opponent,
            gap=of_event(pl.col("gap_not_rated")),
            needs_player_above=of_event(pl.col("gap_needs_player_above")),
        )
        reason = pl.when(gap.fill_null(value=False)).then(_reason("rating_gap")).otherwise(reason)
    reason = pl.when(opponent.is_null()).then(_reason("opponent_unrated")).otherwise(reason)
    is_duplicate = is_among(duplicate_sides, rated_participants)
    reason = pl.when(is_duplicate).then(_reason("same_game")).otherwise(reason)
    if (judged_events["status"] != "rated").any():
        reason = pl.when(of_event(pl.col("status") == "rated")).then(reason)
    return sides.with_columns(reason.alias("reason"))


def _reason(code: str) -> pl.Expr:
    return pl.lit(code, dtype=REASON)


def _has_short_games(judged_events: pl.DataFrame) -> bool:
    """Return whether a rated event judged game by game has a thinking time too short for some rating."""
    most = pl.max_horizontal("long_game_minutes", "middle_game_minutes", "short_game_minutes")
    return not judged_events.filter(
        pl.col("status") == "rated",
        pl.col("time_limit_applies_to") == "game",
        pl.col("minutes_per_60_moves") < most,
    ).is_empty()


def is_among(duplicate_sides: pl.DataFrame, rated_participants: pl.DataFrame) -> pl.Expr:
    """Return whether a side is one of ``duplicate_sides`` (``event_row``, ``round``, ``fide_id``)."""
    rows = rated_participants.select("event_row", "fide_id").with_row_index("participant_row")
    key = pl.col("round").cast(pl.Int64) * len(rated_participants) + pl.col("participant_row")
    found = duplicate_sides.join(rows, on=["event_row", "fide_id"]).select(key.alias("key")).unique()
    return key.is_in(found["key"].implode())


def sum_tranches(sides: pl.DataFrame, judged_events: pl.DataFrame, rated_participants: pl.DataFrame) -> pl.DataFrame:
    """Sum the results of unrated players that may count for an entry.

    In: ``sides`` with ``reason`` (:func:`add_reasons`). Out: one row per unrated player and event:
    ``participant_row``, ``games``, ``score_halves``, ``opponent_rating_sum``, ``fide_id``, ``event_row``,
    ``time_control``, ``event_id`` (the pool's), ``start_date``, ``end_date``.
    """
    sums = (
        sides.lazy()
        .filter(pl.col("reason") == "counts_for_entry")
        .group_by("participant_row")
        .agg(
            pl.len().cast(pl.Int32).alias("games"),
            pl.col("score_halves").sum(),
            pl.col("opponent_rating").sum().alias("opponent_rating_sum"),
        )
        .collect()
    )
    return gather_columns(
        gather_columns(sums, "participant_row", rated_participants, "fide_id", "event_row"),
        *("event_row", judged_events, "time_control", "pool_id", "start_date", "end_date"),
    ).rename({"pool_id": "event_id"})


def judge_tranches(tranches: pl.DataFrame, waiting: pl.DataFrame, rules: Mapping[str, RuleSet]) -> pl.DataFrame:
    """Decide which results of unrated players count for an entry.

    In: ``tranches``: all of the month of some players (:func:`sum_tranches`); ``waiting``: the pool that has not
    expired; ``rules``: the new list's rule set of each time control. Out: the tranches with ``reason``:
    ``counts_for_entry``, or why they do not count.
    """
    parts = [tranches.clear().with_columns(pl.lit("").alias("reason"))]
    for time_control, rule_set in rules.items():
        is_of_control = pl.col("time_control") == time_control
        of_control = tranches.filter(is_of_control)
        verdicts = entry.judge_tranches(of_control, waiting.filter(is_of_control), rule_set.entry)
        parts.append(of_control.join(verdicts, on=["fide_id", "event_id"]))
    return pl.concat(parts)


def refuse_tranches(
    sides: pl.DataFrame, judged_tranches: pl.DataFrame, rated_participants: pl.DataFrame
) -> pl.DataFrame:
    """Return ``sides`` with the reason of those whose tranche does not count; in: :func:`judge_tranches`."""
    counts = pl.col("reason") == "counts_for_entry"
    refused = judged_tranches.filter(~counts).select("participant_row", pl.col("reason").cast(REASON).alias("verdict"))
    if refused.is_empty():
        return sides
    by_participant = join_by_row_number(rated_participants.select("fide_id"), refused, "participant_row")
    verdict = pl.lit(by_participant["verdict"]).gather("participant_row")
    return sides.with_columns(pl.when(counts).then(pl.coalesce(verdict, "reason")).otherwise("reason").alias("reason"))


def rate_by_coefficients(
    sides: pl.DataFrame,
    judged_events: pl.DataFrame,
    rated_participants: pl.DataFrame,
    limited: pl.DataFrame,
    book: RuleBook,
) -> pl.DataFrame:
    """Compute difference, expected score, K and change of every rated side.

    In: ``sides`` with ``rating``, ``opponent_rating``, ``score_halves`` and ``reason``; ``judged_events`` with the
    values of the rule set of each event; ``limited``: ``participant_row`` and K (:func:`limit_coefficients`); ``book``:
    has the tables of expected scores. Out: ``sides`` with ``difference_used``, ``expected_hundredths``, ``k`` and
    ``change_hundredths``, null where they are not rated.
    """
    is_rated = pl.col("reason") == ""
    caps = judged_events.filter(pl.col("status") == "rated").select(CAP).unique().sort(CAP).with_row_index("cap_row")
    cap_row = judged_events.join(caps, on=CAP, how="left", maintain_order="left")["cap_row"]
    by_participant = join_by_row_number(
        rated_participants.select("fide_id"), limited.select("participant_row", "k"), "participant_row"
    )
    k = pl.lit(by_participant["k"]).gather("participant_row")
    return (
        sides.lazy()
        .with_columns(
            pl.when(is_rated).then(pl.col("rating") - pl.col("opponent_rating")).alias("difference"),
            pl.when(is_rated).then(k).alias("k"),
            pl.lit(cap_row).gather("event_row").alias("cap_row"),
        )
        .with_columns(_by_cap(caps, _difference_used).alias("difference_used"))
        .with_columns(
            _by_cap(
                caps, lambda rule: expected_hundredths(pl.col("difference_used"), book.expected_score[rule["table"]])
            ).alias("expected_hundredths")
        )
        .with_columns(
            change_hundredths(pl.col("k"), pl.col("score_halves"), pl.col("expected_hundredths")).alias(
                "change_hundredths"
            )
        )
        .drop("difference", "cap_row")
        .collect()
    )


def _by_cap(caps: pl.DataFrame, expression: Callable[[dict[str, Any]], pl.Expr]) -> pl.Expr:
    """Return ``expression`` of the row of ``caps`` that holds for the event of each side; a month has one or two.

    Sides that are not rated have no difference, so a single row holds for all.
    """
    if caps.height == 1:
        return expression(caps.row(0, named=True))
    found = [pl.when(pl.col("cap_row") == row).then(expression(rule)) for row, rule in enumerate(caps.to_dicts())]
    return pl.coalesce(found) if found else pl.lit(None, dtype=pl.Int32)


def _difference_used(rule: dict[str, Any]) -> pl.Expr:
    return difference_used(
        pl.col("difference"),
        rating=pl.col("rating"),
        cap=pl.lit(rule["cap"], dtype=pl.Int32),
        applies_to=rule["cap_applies_to"],
        players_below=pl.lit(rule["cap_players_below"], dtype=pl.Int32),
        player_of_event=["participant_row"],
        order=["round", "opponent_row"],
    )


def coefficients(
    sides: pl.DataFrame,
    judged_events: pl.DataFrame,
    rated_participants: pl.DataFrame,
    rules: Mapping[str, RuleSet],
) -> pl.DataFrame:
    """Return K of every participant with rated games, before the limit on K × games.

    Out: ``participant_row``, ``fide_id``, ``time_control``, ``games`` (rated ones in the event) and ``k``.
    """
    games = (
        sides.lazy()
        .filter(pl.col("reason") == "")
        .group_by("participant_row")
        .agg(pl.len().cast(pl.Int32).alias("games"))
    )
    state = rated_participants.lazy().with_row_index("participant_row").join(games, on="participant_row").collect()
    state = gather_columns(state, "event_row", judged_events, "time_control", "start_date")
    columns = ["participant_row", "fide_id", "time_control", "games"]
    parts = [state.clear().select(*columns, pl.lit(None, dtype=pl.Int32).alias("k"))]
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
        of_control = state.filter(pl.col("time_control") == time_control)
        parts.append(of_control.select(*columns, k.cast(pl.Int32).alias("k")))
    return pl.concat(parts)


def limit_coefficients(unlimited: pl.DataFrame, rules: Mapping[str, RuleSet]) -> pl.DataFrame:
    """Apply the limit on K × games; in: all rows of some players of a month (:func:`coefficients`)."""
    games_of_period = pl.col("games").sum().over("fide_id")
    return pl.concat(
        [
            unlimited.clear(),
            *[
                unlimited.filter(pl.col("time_control") == time_control).with_columns(
                    limited_coefficient(rule_set.development_coefficient, pl.col("k"), games_of_period)
                    .cast(pl.Int32)
                    .alias("k")
                )
                for time_control, rule_set in rules.items()
            ],
        ]
    )
