"""The expected score of a rating difference: first the rule on large differences, then the table of the regulations.

The two sides of a game can be treated differently: since October 2025 by the player's own rating, in 2022 by the
player's other games. So every function here takes one side of a game, never the game.
"""

from __future__ import annotations

import polars as pl

CAP_CHOICES = ("every_game", "players_below", "best_game_per_event")
"""The values of ``cap_applies_to`` in a rule set: see :func:`difference_used`."""


def difference_used(
    difference: pl.Expr,
    *,
    rating: pl.Expr,
    cap: pl.Expr,
    applies_to: str,
    players_below: pl.Expr,
    player_of_event: list[str],
    order: list[str],
) -> pl.Expr:
    """Return the difference that is looked up in the table (8.3.1).

    In: ``difference``: own rating − opponent's, null for a game that is not rated; ``rating``: the player's own;
    ``player_of_event``: the columns that identify a player in an event; ``order``: breaks ties between equal largest
    differences. ``applies_to`` is one of :data:`CAP_CHOICES`:

    - ``every_game``: every difference is cut to ``cap``.
    - ``players_below``: only the differences of a player rated below ``players_below`` are cut.
    - ``best_game_per_event`` (2022): of the differences in the player's favour only the largest of each event is cut;
      the differences in the opponent's favour are all cut.
    """
    capped = difference.clip(-cap, cap)
    # Games that are not rated are ranked last, so that the largest difference is one of a rated game.
    largest_first = pl.struct(
        difference.is_null().alias("is_not_rated"), (-difference).alias("ascending"), *[pl.col(name) for name in order]
    ).rank("ordinal")
    is_largest = largest_first.over(player_of_event) == 1
    by_choice = {
        "every_game": capped,
        "players_below": pl.when(rating < players_below).then(capped).otherwise(difference),
        "best_game_per_event": pl.when((difference > 0) & ~is_largest).then(difference).otherwise(capped),
    }
    return by_choice[applies_to]


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


def is_gap_not_rated(
    rating: pl.Expr, opponent_rating: pl.Expr, *, gap: pl.Expr, needs_player_above: pl.Expr
) -> pl.Expr:
    """Return whether a rapid or blitz game is not rated for its difference (RB 7.3.1, events from 1 December 2024).

    It is not rated from a difference of ``gap`` on, if one of the two is rated above ``needs_player_above``. A ``gap``
    of 0 means that there is no such rule.
    """
    far_apart = (rating - opponent_rating).abs() >= gap
    return (gap > 0) & far_apart & (pl.max_horizontal(rating, opponent_rating) > needs_player_above)
