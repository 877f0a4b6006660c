"""Results: the stronger player wins more, equal players draw more, some games are forfeited."""

from __future__ import annotations

import polars as pl
import pytest

from ratinglist.simulation.outcome import WHITE_ADVANTAGE, with_results
from tests.unit.simulation.fields import EXPECTED

COUNT = 40_000


def played(white: int, black: int, seed: int = 1, **absent: bool) -> pl.DataFrame:
    games = pl.select(event_no=pl.int_range(COUNT, dtype=pl.UInt32)).with_columns(
        round=pl.lit(1, dtype=pl.Int32),
        white_number=pl.lit(1, dtype=pl.Int32),
        black_number=pl.lit(2, dtype=pl.Int32),
        white_strength=pl.lit(white, dtype=pl.Int32),
        black_strength=pl.lit(black, dtype=pl.Int32),
        white_absent=pl.lit(absent.get("white_absent", False)),
        black_absent=pl.lit(absent.get("black_absent", False)),
    )
    return with_results(games, seed, EXPECTED)


def share(games: pl.DataFrame, *codes: str) -> int:
    """Per thousand of the games over the board in which White has one of ``codes``."""
    over = games.filter(pl.col("white_code").is_in(["1", "=", "0"]))
    return over["white_code"].is_in(codes).sum() * 1000 // len(over)


@pytest.mark.parametrize(("white", "black"), [(2000, 2000), (1600, 1500), (1500, 1800), (2500, 2300), (1000, 2000)])
def test_the_mean_score_is_the_tables_with_whites_advantage(white, black):
    games = played(white, black)
    difference = white + WHITE_ADVANTAGE - black
    higher = EXPECTED[min(abs(difference), len(EXPECTED) - 1)]
    thousandths = 10 * (higher if difference >= 0 else 100 - higher)
    # 40,000 games: a standard deviation of 2.5 at most.
    assert abs(share(games, "1") + share(games, "=") // 2 - thousandths) <= 10


def test_the_two_codes_mirror_each_other():
    found = set(played(1800, 1700).select("white_code", "black_code").unique().rows())
    assert found == {("1", "0"), ("0", "1"), ("=", "="), ("+", "-"), ("-", "+"), ("-", "-")}


def test_an_absent_player_loses_by_forfeit():
    assert set(played(1800, 1700, white_absent=True)["white_code"]) == {"-"}
    assert set(played(1800, 1700, black_absent=True)["black_code"]) == {"-"}
