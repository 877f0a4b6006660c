"""Both sides of every played game: the ratings that count, why a side is not rated, and the change of one that is.

A month has millions of sides, so a side carries the number of its event and takes what it needs of it when it needs it.
"""

from __future__ import annotations

import polars as pl

from ratinglist import entry
from ratinglist.change import change_hundredths
from ratinglist.events import minutes_needed
from ratinglist.expected import difference_used, expected_hundredths, is_gap_not_rated
from ratinglist.kfactor import development_coefficient, is_junior, limited
from ratinglist.month import by_lists_in_force
from ratinglist.rules import RuleBook, RuleSet
from ratinglist.schemas import EARLIER_GAME

TIME_LIMIT = (
    "time_limit_applies_to",
    "minutes_per_60_moves",
    "long_game_from",
    "long_game_minutes",
    "middle_game_from",
    "middle_game_minutes",
    "short_game_minutes",
)
GAP = ("gap_not_rated", "gap_needs_player_above")
CAP = ("cap", "cap_applies_to", "cap_players_below", "table")


def sides_of_games(known: pl.DataFrame, report_games: pl.DataFrame) -> pl.DataFrame:
    """Both sides of every played game of every event that this list looks at, in the published order.

    In: ``known``: the judged events, whose row number is the ``event_no`` of a side. Out: two rows per game:
    ``event_no``, ``round``, ``fide_id``, ``date``, ``opponent_id``, ``colour``, ``score_halves``, sorted by time
    control, event, round and player. A superseded event was looked at by an earlier list.
    """
    looked_at = known.with_row_index("event_no").filter(pl.col("status") != "superseded")
    games = report_games.lazy().join(looked_at.lazy().select("report_id", "event_no"), on="report_id")
    both = pl.concat(
        games.select(
            "event_no",
            "round",
            pl.col(f"{own}_id").alias("fide_id"),
            "date",
            pl.col(f"{other}_id").alias("opponent_id"),
            pl.lit(own[0]).alias("colour"),
            pl.col(f"{own}_halves").alias("score_halves"),
        )
        for own, other in (("white", "black"), ("black", "white"))
    )
    return both.sort("event_no", "round", "fide_id").collect()


def games_of_rated_events(known: pl.DataFrame, report_games: pl.DataFrame) -> pl.DataFrame:
    """The games of the rated events, once each, as :func:`~ratinglist.slices.counted_elsewhere` wants them."""
    rated = known.with_row_index("event_no").filter(pl.col("status") == "rated")
    of_event = [name for name in EARLIER_GAME.columns if name in rated.columns]
    return report_games.join(rated.select("report_id", *of_event), on="report_id")


def with_event(sides: pl.DataFrame, known: pl.DataFrame, *names: str) -> pl.DataFrame:
    """``sides`` with columns of their events beside them, by ``event_no``."""
    return sides.with_columns(known[name].gather(sides["event_no"]).alias(name) for name in names)


def place_ratings(sides: pl.DataFrame, known: pl.DataFrame, lists: pl.DataFrame, before: pl.DataFrame) -> pl.DataFrame:
    """Give both players the ratings that count (readings, 8.2.4; RB 7.2.1).

    A player who is rated now counts with his rating at the start, or with his current one if he had none then; his
    opponents see only the rating at the start. One who is not rated now is unrated for himself. Where the event's rule
    set says so, the standard rating in force at the start stands in for one a player never had: he counts as rated.
    ``before`` is the newest list of the time control.

    Out: ``sides`` with ``rating``, ``opponent_rating`` (null: unrated), ``old_rating``: what a change is added to, and
    ``at_start``: what the player was rated when the event started.
    """
    current = before.filter(pl.col("rating").is_not_null()).select("fide_id", pl.col("rating").alias("current"))
    placed = [sides.clear().with_columns(pl.lit(None, dtype=pl.Int32).alias(name) for name in _PLACED)]
    in_force = with_event(sides, known, "time_control", "base_month", "standard_month")
    for part, ratings in by_lists_in_force(in_force, lists):
        opponents = ratings.select(pl.col("fide_id").alias("opponent_id"), pl.col("at_start").alias("opponent_rating"))
        old = pl.coalesce("current", pl.when("stands_in").then("at_start"))
        placed.append(
            part.lazy()
            .join(ratings.lazy(), on="fide_id", how="left")
            .join(opponents.lazy(), on="opponent_id", how="left")
            .join(current.lazy(), on="fide_id", how="left")
            .with_columns(old.alias("old_rating"))
            .with_columns(
                pl.when(pl.col("old_rating").is_not_null()).then(pl.coalesce("at_start", "old_rating")).alias("rating")
            )
            .select(*sides.columns, *_PLACED)
            .collect()
        )
    return pl.concat(placed)


_SIDE = ["event_no", "round", "fide_id"]
_PLACED = ("rating", "opponent_rating", "old_rating", "at_start")


def give_reasons(
    placed: pl.DataFrame, known: pl.DataFrame, waiting: pl.DataFrame, elsewhere: pl.DataFrame, rule_set: RuleSet
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Say of every side of the rated events why it does not change a rating (empty: it does).

    ``elsewhere`` are the sides that count in another event (:func:`~ratinglist.slices.counted_elsewhere`). Also
    returns the tranches that count for an entry: one row per unrated player and event.
    """
    own, opponent = pl.col("rating"), pl.col("opponent_rating")
    too_short = (pl.col("time_limit_applies_to") == "game") & (
        pl.col("minutes_per_60_moves") < minutes_needed(pl.max_horizontal("at_start", opponent))
    ).fill_null(value=False)
    gap = is_gap_not_rated(
        own, opponent, gap=pl.col("gap_not_rated"), needs_player_above=pl.col("gap_needs_player_above")
    ).fill_null(value=False)
    reasoned = (
        with_event(placed, known, *TIME_LIMIT, *GAP)
        .join(elsewhere.with_columns(pl.lit(value=True).alias("elsewhere")), on=_SIDE, how="left")
        .with_columns(
            pl.when("elsewhere")
            .then(pl.lit("same_game"))
            .when(opponent.is_null())
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
        .drop(*TIME_LIMIT, *GAP, "elsewhere")
    )
    waiting_sides = reasoned.filter(pl.col("reason") == "counts_for_entry")
    for_entry = with_event(waiting_sides, known, "time_control", "pool_id", "start_date", "end_date").rename(
        {"pool_id": "event_id"}
    )
    tranches = for_entry.group_by("time_control", "fide_id", "event_no", "event_id", "start_date", "end_date").agg(
        pl.len().cast(pl.Int32).alias("games"),
        pl.col("score_halves").sum(),
        opponent.sum().alias("opponent_rating_sum"),
    )
    verdicts = entry.judge_tranches(tranches, waiting, rule_set.entry)
    judged = tranches.join(verdicts, on=["fide_id", "event_id"])
    refused = judged.filter(pl.col("reason") != "counts_for_entry").select(
        "fide_id", "event_no", pl.col("reason").alias("verdict")
    )
    reasoned = (
        reasoned.join(refused, on=["fide_id", "event_no"], how="left")
        .with_columns(
            pl.when(pl.col("reason") == "counts_for_entry")
            .then(pl.coalesce("verdict", "reason"))
            .otherwise("reason")
            .alias("reason")
        )
        .drop("verdict")
    )
    return reasoned, judged.filter(pl.col("reason") == "counts_for_entry")


def rate_sides(
    sides: pl.DataFrame,
    known: pl.DataFrame,
    before: pl.DataFrame,
    players: pl.DataFrame,
    rules: RuleBook,
    rule_set: RuleSet,
) -> pl.DataFrame:
    """Difference, expected score, K and change of every rated side.

    In: ``sides`` with ``rating``, ``opponent_rating``, ``score_halves``; ``known``: their events, with the values of
    the rule set of each; ``before``: the state K is judged on; ``rule_set``: the new list's, which says how K is
    found. Out: ``sides`` with ``difference``, ``difference_used``, ``expected_hundredths``, ``k`` and
    ``change_hundredths``.
    """
    used = difference_used(
        pl.col("difference"),
        rating=pl.col("rating"),
        cap=pl.col("cap"),
        applies_to=pl.col("cap_applies_to"),
        players_below=pl.col("cap_players_below"),
        game_of_event=["fide_id", "event_no"],
        order=["round", "opponent_id"],
    )
    return (
        with_event(sides, known, *CAP)
        .with_columns((pl.col("rating") - pl.col("opponent_rating")).alias("difference"))
        .with_columns(used.alias("difference_used"))
        .with_columns(_expected(rules).alias("expected_hundredths"))
        .drop(*CAP)
        .join(_coefficients(sides, known, before, players, rule_set), on=["fide_id", "event_no"], how="left")
        .with_columns(
            change_hundredths(pl.col("k"), pl.col("score_halves"), pl.col("expected_hundredths")).alias(
                "change_hundredths"
            )
        )
    )


def _coefficients(
    sides: pl.DataFrame, known: pl.DataFrame, before: pl.DataFrame, players: pl.DataFrame, rule_set: RuleSet
) -> pl.DataFrame:
    """K of each player in each event: ``fide_id``, ``event_no``, ``k``, the limit on K × games applied."""
    k_rules = rule_set.development_coefficient
    playing = with_event(
        sides.group_by("fide_id", "event_no").agg(pl.len().cast(pl.Int32).alias("games")), known, "start_date"
    )
    if k_rules.junior_judged_on == "event_start":
        judged_on = pl.col("start_date")
    else:
        judged_on = pl.lit(before["month"].max()).add("-01").str.to_date("%Y-%m-%d")
    k = development_coefficient(
        k_rules,
        games_played=pl.col("games_played").fill_null(0),
        reached_2400=pl.col("reached_2400").fill_null(value=False),
        reached_2300=pl.col("reached_2300").fill_null(value=False),
        junior=is_junior(
            k_rules, judged_on=judged_on, birth_date=pl.col("birth_date"), birth_year=pl.col("birth_year")
        ),
    )
    return (
        playing.lazy()
        .join(before.lazy().select("fide_id", "games_played", "reached_2400", "reached_2300"), on="fide_id", how="left")
        .join(players.lazy().select("fide_id", "birth_date", "birth_year"), on="fide_id", how="left")
        .select(
            "fide_id",
            "event_no",
            limited(k_rules, k, pl.col("games").sum().over("fide_id")).alias("k"),
        )
        .collect()
    )


def _expected(rules: RuleBook) -> pl.Expr:
    """Expected score by the table that the rule set of the event names."""
    table = pl.col("table")
    used = pl.col("difference_used")
    return pl.coalesce(
        pl.when(table == name).then(expected_hundredths(used, scores))
        for name, scores in sorted(rules.expected_score.items())
    )
