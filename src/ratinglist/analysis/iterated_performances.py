"""Ratings for players without one, from games among them and against rated players: performances in rounds."""

from __future__ import annotations

from fractions import Fraction

import polars as pl

POINTS = 400
"""What a win is worth above the opponent's rating, and a loss below it."""


def iterated(games: pl.DataFrame, start: int, rounds: int, *, exact: bool = False) -> list[dict[str, float]]:
    """Return the values of all players without a rating after each round, by player; they stop when none moves.

    All begin at ``start``. Every round calculates the linear performance of all games of such a player, with the
    opponents' ratings or their values of the round before, half up to a whole number, or exactly and shown to 0.0001.
    In: a row per player and game: ``player``, ``rating`` (null: none), ``opponent``, ``opponent_rating``,
    ``score_halves``.
    """
    own = games.filter(pl.col("rating").is_null())
    worth = pl.col("opponent_rating").fill_null(0) + POINTS * (pl.col("score_halves") - 1)
    sums = own.group_by("player").agg(pl.len().alias("games"), worth.sum().alias("fixed")).sort("player")
    fixed = {player: (count, total) for player, count, total in sums.iter_rows()}
    others = own.filter(pl.col("opponent_rating").is_null()).group_by("player").agg("opponent")
    against: dict[str, list[str]] = dict(others.iter_rows())
    values = dict.fromkeys(fixed, Fraction(start))
    found: list[dict[str, float]] = []
    for _ in range(rounds):
        before = values
        values = {
            player: Fraction(total + sum(before.get(other, Fraction(start)) for other in against.get(player, ())))
            / count
            for player, (count, total) in fixed.items()
        }
        if not exact:
            values = {player: Fraction((2 * value + 1) // 2) for player, value in values.items()}
        found.append({player: round(float(value), 4) for player, value in values.items()})
        if values == before:
            break
    return found
