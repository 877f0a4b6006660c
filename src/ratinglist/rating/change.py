"""The expected score of a game, K, and the change of a rated player (8.1.2, 8.3.1 to 8.3.4).

First the rule on large differences, then the table of the regulations. The two sides of a game can be treated
differently: since October 2025 by the player's own rating, in 2022 by the player's other games. So every function takes
one side of a game, never the game. Changes are summed exactly, and rounded in one place.
"""

from __future__ import annotations

import polars as pl

from ratinglist.rating.rules import ChangeRules, DevelopmentCoefficientRules, ExpectedScoreRules


def difference_used(
    rules: ExpectedScoreRules,
    difference: pl.Expr,
    *,
    rating: pl.Expr,
    player_of_event: list[str],
) -> pl.Expr:
    """Return the difference that is looked up in the table (8.3.1).

    In: ``difference``: own rating − opponent's, null for a game that is not rated; ``rating``: the player's own;
    ``player_of_event``: the columns that identify a player in an event. Of equal largest differences that of the
    earlier ``round`` counts, then that to the lower ``opponent_id``. Which differences are cut to ``cap``, is decided
    by ``cap_applies_to``:

    - ``every_game``: all.
    - ``players_below``: only those of a player rated below ``cap_players_below``.
    - ``best_game_per_event`` (2022): of those in the player's favour only the largest of each event; of those in the
      opponent's favour all.
    """
    cap = pl.lit(rules.cap, dtype=pl.Int32)
    capped = difference.clip(-cap, cap)
    # Games that are not rated are ranked last, so that the largest difference is one of a rated game.
    largest_first = pl.struct(
        difference.is_null().alias("is_not_rated"), (-difference).alias("ascending"), "round", "opponent_id"
    ).rank("ordinal")
    is_largest = largest_first.over(player_of_event) == 1
    by_choice = {
        "every_game": capped,
        "players_below": pl.when(rating < rules.cap_players_below).then(capped).otherwise(difference),
        "best_game_per_event": pl.when((difference > 0) & ~is_largest).then(difference).otherwise(capped),
    }
    return by_choice[rules.cap_applies_to]


def expected_hundredths(difference: pl.Expr, table: pl.Series) -> pl.Expr:
    """Return the expected score in hundredths for a difference that :func:`difference_used` returned (8.1.2).

    ``table``: see :func:`expected_units`.
    """
    return expected_units(difference, table, 100)


def expected_units(difference: pl.Expr, table: pl.Series, whole: int) -> pl.Expr:
    """Return the expected score in the units of ``table``, of which a point has ``whole``.

    ``table`` holds the higher rated player's expected score by the absolute difference; beyond its end the last value
    holds.
    """
    higher = pl.lit(table).gather(difference.abs().clip(upper_bound=len(table) - 1))
    return pl.when(difference >= 0).then(higher).otherwise(whole - higher)


def is_gap_not_rated(rules: ExpectedScoreRules, rating: pl.Expr, opponent_rating: pl.Expr) -> pl.Expr:
    """Return whether a rapid or blitz game is not rated for its difference (RB 7.3.1, events from 1 December 2024).

    It is not rated from a difference of ``gap_not_rated`` on, if one of the two is rated above
    ``gap_needs_player_above``. A ``gap_not_rated`` of 0 means that there is no such rule.
    """
    if not rules.gap_not_rated:
        return pl.lit(value=False)
    far_apart = (rating - opponent_rating).abs() >= rules.gap_not_rated
    return far_apart & (pl.max_horizontal(rating, opponent_rating) > rules.gap_needs_player_above)


def surplus_hundredths(score_halves: pl.Expr, expected_hundredths: pl.Expr) -> pl.Expr:
    """Return the score less the expected score, of one game or of several, in hundredths."""
    return score_halves * 50 - expected_hundredths


def change_hundredths(k: pl.Expr, score_halves: pl.Expr, expected_hundredths: pl.Expr) -> pl.Expr:
    """Return K × (score − expected score) of one game, in hundredths of a point."""
    return k * surplus_hundredths(score_halves, expected_hundredths)


def rounded(hundredths: pl.Expr) -> pl.Expr:
    """Round hundredths to whole points, .5 away from zero: 250 becomes 3 and −250 becomes −3 (8.3.4)."""
    return hundredths.sign() * ((hundredths.abs() + 50) // 100)


def sum_changes(rated: pl.DataFrame, rules: ChangeRules) -> pl.DataFrame:
    """Sum the changes of each player over the events of the period.

    In: one row per player and event with ``fide_id``, ``games``, ``k`` and ``change_hundredths`` (the sum of the
    event's rated games). Out: one row per player: ``fide_id``, ``games``, ``k`` (null where the events had different
    ones), ``change_hundredths`` (exact) and ``change`` (in points, rounded once per period or once per event, as
    ``rounded_per`` of the rule set states).
    """
    sum_of_rounded = rounded(pl.col("change_hundredths")).sum()
    rounded_sum = rounded(pl.col("change_hundredths").sum())
    return (
        rated.lazy()
        .group_by("fide_id")
        .agg(
            pl.col("games").sum(),
            pl.col("k").min().alias("least_k"),
            pl.col("k").max().alias("largest_k"),
            pl.col("change_hundredths").sum(),
            (sum_of_rounded if rules.rounded_per == "event" else rounded_sum).alias("change"),
        )
        .select(
            "fide_id",
            "games",
            pl.when(pl.col("least_k") == pl.col("largest_k")).then("least_k").alias("k"),
            "change_hundredths",
            "change",
        )
        .collect()
    )


def is_junior(
    rules: DevelopmentCoefficientRules, *, judged_on: pl.Expr, birth_date: pl.Expr, birth_year: pl.Expr
) -> pl.Expr:
    """Return whether a player still counts as a junior by age on the day ``judged_on``.

    Where only the year of birth is known, the birthday is taken to be 31 December: the reading in the player's favour,
    which the later texts made the rule. A player whose birth is unknown is not a junior. A player born on 29 February
    has the 18th birthday on 1 March.
    """
    year = pl.coalesce(birth_date.dt.year(), birth_year)
    if rules.junior_until == "end_of_year_of_eighteenth_birthday":
        junior = judged_on.dt.year() - year <= 18
    else:
        birthday = pl.coalesce(birth_date.dt.month().cast(pl.Int32) * 100 + birth_date.dt.day(), pl.lit(1231))
        day = judged_on.dt.month().cast(pl.Int32) * 100 + judged_on.dt.day()
        junior = judged_on.dt.year() * 10_000 + day < (year + 18) * 10_000 + birthday
    return junior.fill_null(value=False)


def development_coefficient(
    rules: DevelopmentCoefficientRules,
    *,
    games_played: pl.Expr,
    reached_2400: pl.Expr,
    reached_2300: pl.Expr,
    junior: pl.Expr,
) -> pl.Expr:
    """Return K from the state on a list, before the limit on K × games.

    The first of these that holds decides: the player ever had 2400 on a published list; the player is a junior and
    never reached 2300; the player has fewer than 30 games; else K is normal. The columns ``reached_2400`` and
    ``reached_2300`` stand for the rule set's values ``master_from`` and ``junior_below``.
    """
    if rules.fixed:
        return pl.lit(rules.fixed)
    return (
        pl.when(reached_2400)
        .then(rules.master)
        .when(junior & ~reached_2300)
        .then(rules.junior)
        .when(games_played < rules.new_until_games)
        .then(rules.new)
        .otherwise(rules.normal)
    )


def limited_coefficient(rules: DevelopmentCoefficientRules, k: pl.Expr, games: pl.Expr) -> pl.Expr:
    """Return K after the limit: at most the largest whole number with K × games ≤ 700.

    ``games`` are all games of the player that are rated in the period.
    """
    if not rules.period_limit:
        return k
    return pl.when(k * games > rules.period_limit).then(rules.period_limit // games).otherwise(k).cast(pl.Int32)
