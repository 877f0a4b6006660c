"""Colour preferences, and which of two opponents gets White (Handbook C.04.3).

A player's ``balance`` is the number of their games with White minus those with Black. Their ``run`` is the number of
games in a row with their last colour: positive for White, negative for Black, 0 before the first game. A game that was
not played over the board counts for neither. The two give the ``preference``: from −3, absolute for Black, to 3,
absolute for White.
"""

from __future__ import annotations

import polars as pl

ABSOLUTE = 3
"""The other colour would be the third in a row, or would make the difference three."""
STRONG = 2
"""The player has had the other colour once more often."""
MILD = 1
"""The player has had both colours equally often: the preference alternates."""


def preference(balance: pl.Expr, run: pl.Expr) -> pl.Expr:
    """Return the colour preference (Int32): positive for White, negative for Black, the larger the stronger."""
    strength = (
        pl.when((balance.abs() >= 2) | (run.abs() >= 2))
        .then(ABSOLUTE)
        .when(balance.abs() == 1)
        .then(STRONG)
        .otherwise(MILD)
    )
    # A difference of two outweighs a run: it can only grow to three, while a run of two may still be evened out later.
    excess = pl.when(balance.abs() >= 2).then(balance).when(run.abs() >= 2).then(run).when(balance != 0).then(balance)
    return (-excess.otherwise(run).sign() * strength).cast(pl.Int32)


def clash(one: pl.Expr, other: pl.Expr) -> pl.Expr:
    """Return how badly two preferences clash (Int32): 0 where both can be granted, 3 where both are absolute."""
    return pl.when(one * other > 0).then(pl.min_horizontal(one.abs(), other.abs())).otherwise(0)


def first_is_white(
    preference_first: pl.Expr, preference_second: pl.Expr, difference: pl.Expr, otherwise: pl.Expr
) -> pl.Expr:
    """Return whether the first of two players gets White.

    The stronger preference is granted; of equal ones, that of the player whose balance is further from even.
    ``difference`` is the balance of the first minus that of the second. Where both are equal, ``otherwise`` decides.
    """
    return (
        pl.when(preference_first != preference_second)
        .then(preference_first > preference_second)
        .when(difference != 0)
        .then(difference < 0)
        .otherwise(otherwise)
    )


def balance_after(balance: pl.Expr, colour: pl.Expr) -> pl.Expr:
    """Return the balance after a round: ``colour`` is 1 for White, −1 for Black, 0 for no game."""
    return balance + colour


def run_after(run: pl.Expr, colour: pl.Expr) -> pl.Expr:
    """Return the run after a round; ``colour`` as in :func:`balance_after`."""
    return pl.when(colour == 0).then(run).when(run * colour > 0).then(run + colour).otherwise(colour)
