"""Improve the pairs of a round by exchanges between two boards, the nearest boards first, for all events at once.

If two players of a board have met before, or prefer the same colour, that board and another one of the event swap
players, provided that the two boards together get a lower cost. The cost counts, in this order: players who meet
twice; absolute colour preferences that are not granted; the difference of the scores; other colour preferences.
Every exchange lowers the cost, so the exchanges end.

While the number of the round is not above half the number of players, a board whose players have met always finds a
board to swap with: enough opponents are left to the two together that two of those opponents share a board.

A minimum-cost matching would find the best pairs of one event directly, but it takes 0.18 s for one round of 120
players, and these exchanges take 0.004 s for one round of one event on average.

A player's ``balance`` is the number of their games with White minus those with Black. Their ``run`` is the number of
games in a row with their last colour: positive for White, negative for Black, 0 before the first game. A game that was
not played over the board counts for neither. The two give the ``preference``: from −3, absolute for Black, to 3,
absolute for White (Handbook C.04.3).
"""

from __future__ import annotations

import polars as pl

ABSOLUTE = 3
"""The other colour would be the third in a row, or would make the difference three."""
STRONG = 2
"""The player has had the other colour once more often."""
MILD = 1
"""The player has had both colours equally often: the preference alternates."""

COLOUR_REACH = 6
"""The largest distance of two boards that swap players for a colour preference that is not absolute."""

_MET_COST = 1_000_000_000_000
_ABSOLUTE_COST = 1_000_000_000
_SCORE_COST = 1_000
_COLOUR_COST = 10

_BOARD = {"event_no": pl.UInt32(), "first": pl.UInt32(), "second": pl.UInt32()}


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


def run_after(run: pl.Expr, colour: pl.Expr) -> pl.Expr:
    """Return the run after a round: ``colour`` is 1 for White, −1 for Black, 0 for no game."""
    return pl.when(colour == 0).then(run).when(run * colour > 0).then(run + colour).otherwise(colour)


def opponent_columns(players: pl.DataFrame) -> list[str]:
    """Return the names of the columns with the opponent's row, one for each earlier round; null without opponent."""
    return [name for name in players.columns if name.startswith("met_")]


def improve_boards(boards: pl.DataFrame, players: pl.DataFrame) -> pl.DataFrame:
    """Return ``boards`` after all exchanges that lower the cost, in the same order.

    ``boards`` has ``event_no``, ``first`` and ``second``, rows of ``players``; the boards of one event are consecutive,
    the top board first.
    ``players`` has, for each row, ``score`` (half points), ``preference`` and the
    columns of :func:`opponent_columns`.
    """
    boards = boards.select(
        *[pl.col(name).cast(dtype) for name, dtype in _BOARD.items()],
        board=pl.int_range(pl.len(), dtype=pl.Int64).over("event_no"),
    )
    boards = boards.with_columns(cost=_cost(players, "first", "second"))
    for distance in range(1, COLOUR_REACH + 1):
        boards = _exchange_at_distance(boards, players, distance, eligible=pl.col("cost") % _SCORE_COST > 0)
    forbidden = pl.col("cost") >= _ABSOLUTE_COST
    # A forbidden pair is compared with every board of its event; few events are left by now.
    while True:
        unsolved = boards.select(pl.col("event_no").filter(forbidden).unique())["event_no"]
        is_unsolved = boards["event_no"].is_in(unsolved.implode())
        before = boards.filter(is_unsolved)
        after = before
        for distance in range(1, int(before.select(pl.col("board").max().fill_null(0)).item()) + 1):
            after = _exchange_at_distance(after, players, distance, eligible=forbidden)
        if after.equals(before):
            return boards.select(*_BOARD)
        rows = is_unsolved.arg_true()
        boards = boards.with_columns(
            boards[name].clone().scatter(rows, after[name]) for name in ("first", "second", "cost")
        )


def met(boards: pl.DataFrame, players: pl.DataFrame) -> pl.Series:
    """Return for each of ``boards`` whether its two players have met before."""
    return boards.select(met=_cost(players, "first", "second") >= _MET_COST)["met"]


def _exchange_at_distance(
    boards: pl.DataFrame, players: pl.DataFrame, distance: int, eligible: pl.Expr
) -> pl.DataFrame:
    """Exchange between each board and the one ``distance`` below it, if one of the two is ``eligible``."""
    for parity in (0, 1):
        # Blocks of `distance` boards take turns as the upper ones, so that no board is in two exchanges at once.
        upper = boards.with_row_index("row").filter(
            ((pl.col("board") // distance) % 2 == parity)
            & (pl.col("event_no") == pl.col("event_no").shift(-distance))
            & (eligible | eligible.shift(-distance))
        )["row"]
        if upper.is_empty():
            continue
        boards = _exchange(boards, players, upper, upper + distance)
    return boards


def _exchange(boards: pl.DataFrame, players: pl.DataFrame, upper: pl.Series, lower: pl.Series) -> pl.DataFrame:
    """Exchange between each row of ``upper`` and the corresponding one of ``lower``, where that lowers the cost."""
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
        ad=_cost(players, "a", "d"),
        cb=_cost(players, "c", "b"),
        ac=_cost(players, "a", "c"),
        bd=_cost(players, "b", "d"),
    ).with_columns(across=pl.col("ad") + pl.col("cb"), along=pl.col("ac") + pl.col("bd"))
    # At equal cost the two first players stay on different boards, as the system paired them.
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


def _cost(players: pl.DataFrame, one: str, other: str) -> pl.Expr:
    """Return the cost of pairing the rows in the columns ``one`` and ``other`` (Int64)."""

    def of(name: str, row: str) -> pl.Expr:
        return pl.lit(players[name]).gather(pl.col(row))

    have_met = pl.any_horizontal(
        pl.lit(value=False), *[of(name, one) == pl.col(other) for name in opponent_columns(players)]
    )
    difference = of("score", one).cast(pl.Int64) - of("score", other).cast(pl.Int64)
    colour_clash = clash(of("preference", one), of("preference", other)).cast(pl.Int64)
    return (
        have_met.fill_null(value=False).cast(pl.Int64) * _MET_COST
        + (colour_clash == ABSOLUTE).cast(pl.Int64) * _ABSOLUTE_COST
        + difference * difference * _SCORE_COST
        + colour_clash * _COLOUR_COST
    )
