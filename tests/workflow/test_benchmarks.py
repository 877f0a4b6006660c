"""Each way to rate that the benchmarks measure is the same rule: figures by hand."""

from __future__ import annotations

import polars as pl
import pytest

from benchmarks import kernel, peers

MASTER, BEGINNER, ABOVE, BELOW, JUNIOR, GROWN, STRONG = 11, 12, 13, 14, 15, 16, 17
STATE = {
    # games played, reached 2400, reached 2300, born
    MASTER: (500, True, True, 1980),
    BEGINNER: (29, False, False, 1980),
    ABOVE: (500, True, True, 1980),
    BELOW: (500, True, True, 1980),
    JUNIOR: (500, False, False, 2007),
    GROWN: (30, False, False, 2006),
    STRONG: (500, False, True, 2015),
    # on the list, and did not play
    99: (500, False, False, 1980),
}
SIDES = [
    # player, rating, opponent's, half points
    (MASTER, 2650, 1400, 1),  # no limit for him: expected 1.00, 10 × (½ − 1)
    (BEGINNER, 1400, 2650, 1),  # 400 for the opponent: expected .08, 40 × (½ − .08)
    (BELOW, 2400, 2435, 1),  # expected .45, 10 × .05 = half a point
    (ABOVE, 2435, 2400, 1),  # expected .55, 10 × −.05
    *[(JUNIOR, 1800, 1800, 2)] * 18,  # 40 × 18 > 700: K is 38
    (GROWN, 1800, 1800, 0),  # 20 × −½
    (STRONG, 2200, 2200, 0),  # a junior who once reached 2300: 20
]
CHANGED = [
    # player, games, K, hundredths, change
    (MASTER, 1, 10, -500, -5),
    (BEGINNER, 1, 40, 1680, 17),
    (ABOVE, 1, 10, -50, -1),
    (BELOW, 1, 10, 50, 1),
    (JUNIOR, 18, 38, 34_200, 342),
    (GROWN, 1, 20, -1000, -10),
    (STRONG, 1, 20, -1000, -10),
]


@pytest.fixture
def inputs(tmp_path):
    """A folder with the inputs of the kernel, and two games for generic Elo: 1800 beats 1800, then draws with 1400."""
    numbers = {"rating": pl.Int32, "opponent_rating": pl.Int32, "score_halves": pl.Int32}
    state = {"games_played": pl.Int32, "reached_2400": pl.Boolean, "reached_2300": pl.Boolean, "birth_year": pl.Int32}
    games = ("round", "white_id", "black_id", "white_rating", "black_rating", "white_halves")
    tables = {
        "sides": pl.DataFrame(SIDES, schema={"fide_id": pl.Int64, **numbers}, orient="row"),
        "state": pl.DataFrame(
            [(player, *known) for player, known in STATE.items()], schema={"fide_id": pl.Int64, **state}, orient="row"
        ),
        "truth": pl.DataFrame(CHANGED, schema=kernel.CHANGES, orient="row"),
        "games": pl.DataFrame(
            [(1, JUNIOR, GROWN, 1800, 1800, 2), (2, JUNIOR, BEGINNER, 1800, 1400, 1)], schema=games, orient="row"
        ),
    }
    for name, rows in tables.items():
        rows.write_parquet(tmp_path / f"{name}.parquet")
    return tmp_path


@pytest.mark.parametrize("way", [peers.program, peers.duckdb_sql, peers.c_loop])
def test_the_figures_are_those_of_the_rule(way, inputs, tmp_path):
    if way is peers.c_loop:
        if not peers.c_compiler():
            pytest.skip("there is no C compiler")
        peers.compile_loop(inputs)
    way(inputs, tmp_path / "out.parquet")
    assert pl.read_parquet(tmp_path / "out.parquet").rows() == CHANGED
    assert kernel.as_published(inputs, tmp_path / "out.parquet") == 1


@pytest.mark.parametrize(
    "spoilt",
    [
        pl.col("change") + pl.when(pl.col("fide_id") == JUNIOR).then(1).otherwise(0),
        pl.col("fide_id").reverse(),
        pl.col("games").cast(pl.Int64),
    ],
)
def test_a_single_wrong_figure_is_found(spoilt, inputs, tmp_path):
    pl.read_parquet(inputs / "truth.parquet").with_columns(spoilt).write_parquet(tmp_path / "out.parquet")
    with pytest.raises(ValueError, match=r"rows were not published|the columns are"):
        kernel.as_published(inputs, tmp_path / "out.parquet")


def test_generic_elo_goes_from_game_to_game_and_has_other_figures_than_the_rule(inputs, tmp_path):
    peers.elo_plain(inputs, tmp_path / "elo.parquet")
    ratings = dict(pl.read_parquet(tmp_path / "elo.parquet").rows())
    # 1800 + 10; then 20 × (½ − 1 ÷ (1 + 10 ^ (−410 ÷ 400)))
    assert ratings[GROWN] == 1790
    assert ratings[BEGINNER] == pytest.approx(1400 + 8.2746, abs=1e-3)
    # of the seven players of the rule it gives one the same change: he lost 10 points
    assert kernel.as_plain_elo(inputs, tmp_path / "elo.parquet") == 1 / 7
    wrong = pl.read_parquet(tmp_path / "elo.parquet").with_columns(pl.col("rating") + 1e-5)
    wrong.write_parquet(tmp_path / "wrong.parquet")
    with pytest.raises(ValueError, match="3 of 3 ratings"):
        kernel.as_plain_elo(inputs, tmp_path / "wrong.parquet")
