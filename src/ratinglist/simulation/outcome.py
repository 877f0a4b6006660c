"""The results of games, drawn from the expected score, White's advantage, and the chances of a draw and a forfeit.

In: frames of games with the strengths of both players. Out: result codes of the report format.
"""

from __future__ import annotations

import polars as pl

from ratinglist.simulation.keyed_random import per_thousand, roll

WHITE_ADVANTAGE = 35
"""Rating points by which White plays above their strength."""

DRAWS_AT_1000 = 150
"""Per thousand, between two equal players of strength 1000."""
POINTS_PER_DRAW = 4
"""Rating points of the average strength for one draw more in a thousand games."""
FEWEST_DRAWS, MOST_DRAWS = 80, 600
"""Per thousand, between equal players."""

FORFEIT_CHANCE = 12
"""Per thousand games: a player does not appear."""
BOTH_ABSENT_CHANCE = 30
"""Per thousand forfeited games: neither does."""


def with_results(games: pl.DataFrame, seed: int, expected: pl.Series) -> pl.DataFrame:
    """Return ``games`` with ``white_code`` and ``black_code``: ``1``, ``=``, ``0``, or ``+`` and ``-`` by forfeit.

    ``games`` has ``event_no``, ``round``, ``white_number``, ``black_number`` (start numbers, the keys of the random
    numbers), ``white_strength``, ``black_strength``, and ``white_absent`` and ``black_absent``, true for a player who
    does not come. ``expected`` is the higher rated player's expected score in hundredths by rating difference from 0
    on (8.1.2); beyond its end the last value applies.
    """
    keys = [pl.col(name) for name in ("event_no", "round", "white_number", "black_number")]
    difference = pl.col("white_strength") + WHITE_ADVANTAGE - pl.col("black_strength")
    higher = pl.lit(expected).gather(difference.abs().clip(0, len(expected) - 1)).cast(pl.Int32)
    return (
        games.with_columns(_white=pl.when(difference >= 0).then(higher).otherwise(100 - higher))
        .with_columns(_draws=_draws(pl.col("_white"), (pl.col("white_strength") + pl.col("black_strength")) // 2))
        .with_columns(
            _drawn=roll(seed, "result", *keys, sides=2000),
            _forfeit=per_thousand(seed, "forfeit", *keys, chance=FORFEIT_CHANCE),
            _both=per_thousand(seed, "both absent", *keys, chance=BOTH_ABSENT_CHANCE),
            _side=roll(seed, "absent side", *keys, sides=2),
        )
        .with_columns(
            white_absent=pl.col("white_absent") | (pl.col("_forfeit") & (pl.col("_both") | (pl.col("_side") == 0))),
            black_absent=pl.col("black_absent") | (pl.col("_forfeit") & (pl.col("_both") | (pl.col("_side") == 1))),
            # In two-thousandths: below 20 · expected − draws White wins, below 20 · expected + draws it is a draw.
            _white_score=pl.when(pl.col("_drawn") < 20 * pl.col("_white") - pl.col("_draws"))
            .then(2)
            .when(pl.col("_drawn") < 20 * pl.col("_white") + pl.col("_draws"))
            .then(1)
            .otherwise(0),
        )
        .with_columns(
            white_code=_code(pl.col("white_absent"), pl.col("black_absent"), pl.col("_white_score")),
            black_code=_code(pl.col("black_absent"), pl.col("white_absent"), 2 - pl.col("_white_score")),
        )
        .select(*games.columns, "white_code", "black_code")
    )


def _draws(white: pl.Expr, strength: pl.Expr) -> pl.Expr:
    """Return the draws per thousand games: more the stronger both are and the nearer the expected score is to 50."""
    equal = (DRAWS_AT_1000 + (strength - 1000) // POINTS_PER_DRAW).clip(FEWEST_DRAWS, MOST_DRAWS)
    # A draw gives both players half a point, so the weaker player's expected score limits the draws.
    return pl.min_horizontal(equal * white * (100 - white) // 2500, 20 * white, 20 * (100 - white))


def _code(absent: pl.Expr, opponent_absent: pl.Expr, score: pl.Expr) -> pl.Expr:
    over_the_board = pl.when(score == 2).then(pl.lit("1")).when(score == 1).then(pl.lit("=")).otherwise(pl.lit("0"))
    return pl.when(absent).then(pl.lit("-")).when(opponent_absent).then(pl.lit("+")).otherwise(over_the_board)
