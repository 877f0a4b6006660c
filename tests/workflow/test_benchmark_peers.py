"""The plain versions of the rule that the kernel is measured against are the same rule: figures by hand."""

from __future__ import annotations

from datetime import date

import polars as pl
import pytest

from benchmarks.agreement import as_plain_elo, as_published
from benchmarks.kernel import CHANGES
from benchmarks.peers import c_compiler, c_loop, duckdb_sql, elo_plain, polars_frames, program

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
ALL_PLAYERS = 2**31 - 1
SIDES = [
    # event, player, rating, opponent's, half points
    (0, MASTER, 2650, 1400, 1),  # no limit for him: expected 1.00, 10 × (½ − 1)
    (0, BEGINNER, 1400, 2650, 1),  # 400 for the opponent: expected .08, 40 × (½ − .08)
    (0, BELOW, 2400, 2435, 1),  # expected .45, 10 × .05 = half a point
    (0, ABOVE, 2435, 2400, 1),  # expected .55, 10 × −.05
    *[(0, JUNIOR, 1800, 1800, 2)] * 18,  # 40 × 18 > 700: K is 38
    (0, GROWN, 1800, 1800, 0),  # 20 × −½
    (0, STRONG, 2200, 2200, 0),  # a junior who once reached 2300: 20
    (1, MASTER, 2650, 1400, 1),  # in an event under the text before, 400 for all players: expected .92
]
CHANGED = [
    # player, games, K, hundredths, change
    (MASTER, 2, 10, -500 - 420, -9),
    (BEGINNER, 1, 40, 1680, 17),
    (ABOVE, 1, 10, -50, -1),
    (BELOW, 1, 10, 50, 1),
    (JUNIOR, 18, 38, 34_200, 342),
    (GROWN, 1, 20, -1000, -10),
    (STRONG, 1, 20, -1000, -10),
]


@pytest.fixture
def given(tmp_path):
    """A folder with the inputs of the kernel."""
    numbers = {"rating": pl.Int32, "opponent_rating": pl.Int32, "score_halves": pl.Int32}
    pl.DataFrame(SIDES, schema={"event_row": pl.UInt32, "fide_id": pl.Int64, **numbers}, orient="row").write_parquet(
        tmp_path / "sides.parquet"
    )
    state = {"games_played": pl.Int32, "reached_2400": pl.Boolean, "reached_2300": pl.Boolean, "birth_year": pl.Int32}
    pl.DataFrame(
        [(player, *known) for player, known in STATE.items()], schema={"fide_id": pl.Int64, **state}, orient="row"
    ).write_parquet(tmp_path / "state.parquet")
    rule = {"cap": pl.Int32, "cap_applies_to": pl.String, "cap_players_below": pl.Int32, "table": pl.String}
    pl.DataFrame(
        [
            (date(2025, 10, 4), 400, "players_below", 2650, "expected_score"),
            (date(2025, 9, 27), 400, "every_game", ALL_PLAYERS, "expected_score"),
        ],
        schema={"start_date": pl.Date, **rule},
        orient="row",
    ).write_parquet(tmp_path / "events.parquet")
    pl.DataFrame(CHANGED, schema=CHANGES, orient="row").write_parquet(tmp_path / "truth.parquet")
    return tmp_path


@pytest.fixture
def compiled(given):
    """The same folder with the C loop in it."""
    if not c_compiler():
        pytest.skip("there is no C compiler")
    c_loop.compiled(given)
    return given


@pytest.mark.parametrize("way", [program, duckdb_sql, polars_frames])
def test_the_figures_are_those_of_the_rule(way, given, tmp_path):
    way.rate(given, tmp_path / "out.parquet")
    assert pl.read_parquet(tmp_path / "out.parquet").rows() == CHANGED


def test_the_figures_of_the_loop_in_c_are_those_of_the_rule(compiled, tmp_path):
    c_loop.rate(compiled, tmp_path / "out.parquet")
    assert pl.read_parquet(tmp_path / "out.parquet").rows() == CHANGED


def test_the_loop_in_c_stops_at_a_player_who_is_not_on_the_list(compiled, tmp_path):
    pl.read_parquet(compiled / "state.parquet").filter(pl.col("fide_id") != GROWN).write_parquet(
        compiled / "state.parquet"
    )
    with pytest.raises(ValueError, match="not in the state"):
        c_loop.rate(compiled, tmp_path / "out.parquet")


def test_what_was_published_agrees(given):
    assert as_published(given, given / "truth.parquet") == 1


@pytest.mark.parametrize(
    "spoilt",
    [
        pl.col("change") + pl.when(pl.col("fide_id") == JUNIOR).then(1).otherwise(0),
        pl.col("games").reverse(),
        pl.col("fide_id").reverse(),
    ],
)
def test_a_single_wrong_figure_is_found(spoilt, given, tmp_path):
    truth = pl.read_parquet(given / "truth.parquet")
    truth.with_columns(spoilt.cast(truth.schema[spoilt.meta.output_name()])).write_parquet(tmp_path / "out.parquet")
    with pytest.raises(ValueError, match="rows were not published"):
        as_published(given, tmp_path / "out.parquet")


def test_a_column_of_another_type_is_found(given, tmp_path):
    pl.read_parquet(given / "truth.parquet").cast({"games": pl.Int64}).write_parquet(tmp_path / "out.parquet")
    with pytest.raises(ValueError, match="the columns are"):
        as_published(given, tmp_path / "out.parquet")


@pytest.fixture
def elo(given):
    """The same folder with two games for generic Elo: 1800 beats 1800, then draws with 1400."""
    pl.DataFrame(
        {
            "day": [date(2025, 10, 4), date(2025, 10, 5)],
            "white_id": [JUNIOR, JUNIOR],
            "black_id": [GROWN, BEGINNER],
            "white_rating": [1800, 1800],
            "black_rating": [1800, 1400],
            "white_halves": [2, 1],
        }
    ).write_parquet(given / "games.parquet")
    elo_plain.rate(given, given / "elo.parquet")
    return given


def test_generic_elo_goes_from_game_to_game(elo):
    ratings = dict(pl.read_parquet(elo / "elo.parquet").rows())
    # 1800 + 10; then 20 × (½ − 1 ÷ (1 + 10 ^ (−410 ÷ 400)))
    assert ratings[GROWN] == 1790
    assert ratings[BEGINNER] == pytest.approx(1400 + 8.2746, abs=1e-3)
    assert sum(ratings.values()) == pytest.approx(5000)


def test_generic_elo_has_other_figures_than_the_rule(elo):
    # of the seven players of the rule it gives one the same change: he lost 10 points
    assert as_plain_elo("elo_riix", elo, elo / "elo.parquet") == 1 / 7


def test_a_rating_that_is_not_generic_elo_is_found(elo, tmp_path):
    pl.read_parquet(elo / "elo.parquet").with_columns(pl.col("rating") + 1e-5).write_parquet(tmp_path / "out.parquet")
    with pytest.raises(ValueError, match="3 of 3 ratings are not those of the plain loop"):
        as_plain_elo("elo_riix", elo, tmp_path / "out.parquet")
