"""From the rating difference to the expected score: the rule on large differences, then the table.

The two sides of one game can be treated differently (since October 2025 by the rating of the player himself, in 2022
by his other games), so everything here looks at one side of a game, never at the game.
"""

from __future__ import annotations

import polars as pl


def difference_used(
    difference: pl.Expr,
    *,
    rating: pl.Expr,
    cap: pl.Expr,
    applies_to: pl.Expr | str,
    players_below: pl.Expr,
    game_of_event: list[str],
    order: list[str],
) -> pl.Expr:
    """The difference that goes into the table (8.3.1).

    ``difference`` is own rating − opponent's, null for a game that is not rated; ``rating`` the player's own.
    ``applies_to`` names the choice of the rule set: ``every_game``; ``players_below``: only for a player rated under
    ``players_below``; ``best_game_per_event`` (2022): of the differences in the player's favour only the largest of
    each event is cut, those against him all are. ``game_of_event`` are the columns that identify a player in an event,
    ``order`` breaks ties between equal largest differences.
    """
    capped = difference.clip(-cap, cap)
    # What is not rated is no game to choose from: it goes last.
    largest_first = pl.struct(
        difference.is_null().alias("is_left_out"), (-difference).alias("against"), *[pl.col(name) for name in order]
    ).rank("ordinal")
    is_best = largest_first.over(game_of_event) == 1
    choices = {
        "every_game": capped,
        "players_below": pl.when(rating < players_below).then(capped).otherwise(difference),
        "best_game_per_event": pl.when((difference > 0) & ~is_best).then(difference).otherwise(capped),
    }
    if isinstance(applies_to, str):
        return choices[applies_to]
    return pl.coalesce(pl.when(applies_to == name).then(used) for name, used in choices.items())


def expected_hundredths(difference: pl.Expr, table: pl.Series) -> pl.Expr:
    """Expected score in hundredths for a ``difference`` already treated by :func:`difference_used` (8.1.2).

    ``table`` is the higher rated player's expected score by |difference|; beyond its end the last value holds.
    """
    higher = pl.lit(table).gather(difference.abs().clip(upper_bound=len(table) - 1))
    return pl.when(difference >= 0).then(higher).otherwise(100 - higher)


def is_gap_not_rated(
    rating: pl.Expr, opponent_rating: pl.Expr, *, gap: pl.Expr, needs_player_above: pl.Expr
) -> pl.Expr:
    """Whether a rapid or blitz game is left out for its difference (RB 7.3.1, events from 1 December 2024).

    True from a difference of ``gap`` where one of the two is rated above ``needs_player_above``; a gap of 0 means
    there is no such rule.
    """
    far_apart = (rating - opponent_rating).abs() >= gap
    return (gap > 0) & far_apart & (pl.max_horizontal(rating, opponent_rating) > needs_player_above)
