"""Mending a round's pairs by exchanges between two boards, the nearest boards first, for all events at once.

Where two who have met sit at one board, or two who both need the same colour, that board and another one of the event
swap partners, if the two boards together are the better for it: first nobody meets twice, then nobody has a third
colour in a row or a difference of three, then the scores are near each other, then the colours are those due. What is
worse never comes in, so the exchanges end by themselves.

As long as the round's number is not above half the number of players, someone who has met his opponent always finds
a board to swap with: the two of them together have enough opponents left that two of those sit at one board.
"""

from __future__ import annotations

import polars as pl

from ratinglist.simulation.colours import AT_ANY_PRICE, clash

NEAR = 6
"""How many boards apart two may be that swap partners for the sake of a colour alone."""

_MET = 1_000_000_000_000
_AT_ANY_PRICE = 1_000_000_000
_SCORE = 1_000
_COLOUR = 10

_BOARD = {"event_no": pl.UInt32(), "first": pl.UInt32(), "second": pl.UInt32()}


def met_columns(players: pl.DataFrame) -> list[str]:
    """The columns of ``players`` that hold the row of the opponent of one earlier round each, null without one."""
    return [name for name in players.columns if name.startswith("met_")]


def exchanged(boards: pl.DataFrame, players: pl.DataFrame) -> pl.DataFrame:
    """``boards`` after all exchanges that help, in the same order.

    ``boards`` has ``event_no``, ``first`` and ``second``, rows of ``players``; the boards of one event stand together,
    from the top one down. ``players`` has, for each row, ``score`` (half points), ``wish`` (see
    :mod:`~ratinglist.simulation.colours`) and the columns of :func:`met_columns`.
    """
    boards = boards.select(
        *[pl.col(name).cast(dtype) for name, dtype in _BOARD.items()],
        board=pl.int_range(pl.len(), dtype=pl.Int64).over("event_no"),
    )
    boards = boards.with_columns(cost=_cost(boards, players, "first", "second"))
    for apart in range(1, NEAR + 1):
        boards = _swept(boards, players, apart, worth_it=pl.col("cost") % _SCORE > 0)
    forbidden = pl.col("cost") >= _AT_ANY_PRICE
    # What is forbidden is worth a look at every board of the event; few events are left by now.
    while True:
        wanting = boards.select(pl.col("event_no").filter(forbidden).unique())["event_no"]
        in_question = boards["event_no"].is_in(wanting.implode())
        before = boards.filter(in_question)
        after = before
        for apart in range(1, int(before.select(pl.col("board").max().fill_null(0)).item()) + 1):
            after = _swept(after, players, apart, worth_it=forbidden)
        if after.equals(before):
            return boards.select(*_BOARD)
        rows = in_question.arg_true()
        boards = boards.with_columns(
            boards[name].clone().scatter(rows, after[name]) for name in ("first", "second", "cost")
        )


def met(boards: pl.DataFrame, players: pl.DataFrame) -> pl.Series:
    """Whether the two of each of ``boards`` have met before."""
    return (_cost(boards, players, "first", "second") >= _MET).alias("met")


def _swept(boards: pl.DataFrame, players: pl.DataFrame, apart: int, worth_it: pl.Expr) -> pl.DataFrame:
    """``boards`` after each has been held against the one ``apart`` below it, where one of the two is ``worth_it``."""
    for leading in (0, 1):
        # Blocks of `apart` boards take turns as the upper ones, so that no board is in two exchanges at once.
        upper = boards.with_row_index("row").filter(
            ((pl.col("board") // apart) % 2 == leading)
            & (pl.col("event_no") == pl.col("event_no").shift(-apart))
            & (worth_it | worth_it.shift(-apart))
        )["row"]
        if upper.is_empty():
            continue
        boards = _exchanged_pairs(boards, players, upper, upper + apart)
    return boards


def _exchanged_pairs(boards: pl.DataFrame, players: pl.DataFrame, upper: pl.Series, lower: pl.Series) -> pl.DataFrame:
    """``boards`` after each row of ``upper`` has swapped with the same one of ``lower`` where that helps."""
    four = pl.DataFrame(
        {
            "upper": upper,
            "lower": lower,
            "a": boards["first"].gather(upper),
            "b": boards["second"].gather(upper),
            "c": boards["first"].gather(lower),
            "d": boards["second"].gather(lower),
            "now": boards["cost"].gather(upper) + boards["cost"].gather(lower),
        }
    )
    four = four.with_columns(
        ad=_cost(four, players, "a", "d"),
        cb=_cost(four, players, "c", "b"),
        ac=_cost(four, players, "a", "c"),
        bd=_cost(four, players, "b", "d"),
    ).with_columns(across=pl.col("ad") + pl.col("cb"), along=pl.col("ac") + pl.col("bd"))
    # Equal gains: the two upper halves stay apart, as they were put.
    crossed = pl.col("across") <= pl.col("along")
    four = four.filter(pl.min_horizontal("across", "along") < pl.col("now")).select(
        "upper",
        "lower",
        upper_second=pl.when(crossed).then("d").otherwise("c"),
        lower_first=pl.when(crossed).then("c").otherwise("b"),
        lower_second=pl.when(crossed).then("b").otherwise("d"),
        upper_cost=pl.when(crossed).then("ad").otherwise("ac"),
        lower_cost=pl.when(crossed).then("cb").otherwise("bd"),
    )
    at_upper, at_lower = four["upper"], four["lower"]
    first, second, cost = (boards[name].clone() for name in ("first", "second", "cost"))
    return boards.with_columns(
        first.scatter(at_lower, four["lower_first"]),
        second.scatter(at_upper, four["upper_second"]).scatter(at_lower, four["lower_second"]),
        cost.scatter(at_upper, four["upper_cost"]).scatter(at_lower, four["lower_cost"]),
    )


def _cost(pairs: pl.DataFrame, players: pl.DataFrame, one: str, other: str) -> pl.Series:
    """What speaks against each pair of the rows in the columns ``one`` and ``other`` (Int64, the larger the worse)."""
    ones, others = pairs[one], pairs[other]
    drawn = pl.DataFrame(
        {
            "wish_one": players["wish"].gather(ones),
            "wish_other": players["wish"].gather(others),
            "apart": players["score"].gather(ones).cast(pl.Int64) - players["score"].gather(others).cast(pl.Int64),
            "met": _have_met(players, ones, others),
        }
    )
    collision = clash(pl.col("wish_one"), pl.col("wish_other")).cast(pl.Int64)
    cost = (
        pl.col("met").cast(pl.Int64) * _MET
        + (collision == AT_ANY_PRICE).cast(pl.Int64) * _AT_ANY_PRICE
        + pl.col("apart").pow(2) * _SCORE
        + collision * _COLOUR
    )
    return drawn.select(cost.alias("cost"))["cost"]


def _have_met(players: pl.DataFrame, ones: pl.Series, others: pl.Series) -> pl.Series:
    met_before = pl.Series([False]).new_from_index(0, len(ones))
    for name in met_columns(players):
        met_before = met_before | (players[name].gather(ones) == others).fill_null(value=False)
    return met_before
