"""Which colour is due to a player, and who gets White of two who meet.

A player's ``balance`` is the number of his games with White minus those with Black, his ``run`` how often he had his
last colour in a row: positive for White, negative for Black, 0 before his first game. What was not played over the
board counts for neither. From the two comes his ``wish``: from −3, Black at any price, to 3, White at any price.
"""

from __future__ import annotations

import polars as pl

AT_ANY_PRICE = 3
"""Another such colour would be the third in a row, or would make the difference three."""
EVENS_OUT = 2
"""The other colour was had once more often."""
ALTERNATES = 1
"""Both colours were had equally often: the one after the last."""


def wish(balance: pl.Expr, run: pl.Expr) -> pl.Expr:
    """The colour due, as a whole number (Int32): positive for White, the larger the more urgent."""
    urgency = (
        pl.when((balance.abs() >= 2) | (run.abs() >= 2))
        .then(AT_ANY_PRICE)
        .when(balance.abs() == 1)
        .then(EVENS_OUT)
        .otherwise(ALTERNATES)
    )
    # A difference of two outweighs a run: it can only grow to three, while a run of two may still be evened out later.
    had = pl.when(balance.abs() >= 2).then(balance).when(run.abs() >= 2).then(run).when(balance != 0).then(balance)
    return (-had.otherwise(run).sign() * urgency).cast(pl.Int32)


def clash(one: pl.Expr, other: pl.Expr) -> pl.Expr:
    """How badly the wishes of two collide (Int32): 0 where both can be granted, 3 where neither can give way."""
    return pl.when(one * other > 0).then(pl.min_horizontal(one.abs(), other.abs())).otherwise(0)


def first_is_white(wish_first: pl.Expr, wish_second: pl.Expr, difference: pl.Expr, otherwise: pl.Expr) -> pl.Expr:
    """Whether the first of two players gets White.

    The more urgent wish is granted; of equal ones, that of the player whose balance is further from even;
    ``difference`` is the balance of the first minus that of the second. Where nothing speaks for either,
    ``otherwise`` decides.
    """
    return (
        pl.when(wish_first != wish_second)
        .then(wish_first > wish_second)
        .when(difference != 0)
        .then(difference < 0)
        .otherwise(otherwise)
    )


def balance_after(balance: pl.Expr, colour: pl.Expr) -> pl.Expr:
    """The balance after a round: ``colour`` is 1 for White, −1 for Black, 0 for no game."""
    return balance + colour


def run_after(run: pl.Expr, colour: pl.Expr) -> pl.Expr:
    """The run after a round; ``colour`` as in :func:`balance_after`."""
    return pl.when(colour == 0).then(run).when(run * colour > 0).then(run + colour).otherwise(colour)
