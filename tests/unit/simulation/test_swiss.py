"""The Swiss system: score groups, halves, floaters, and the exchanges that separate players who have met."""

from __future__ import annotations

import polars as pl
import pytest

from ratinglist.simulation.exchanges import improve_boards
from ratinglist.simulation.play import play
from ratinglist.simulation.rounds import swiss_boards
from tests.unit.simulation.fields import EXPECTED, entrants_of, events_of, games


def present(*scores: list[int]) -> pl.DataFrame:
    """One event for each list of scores, of the places 1, 2, ...; the rows are numbered through."""
    lines = [(event, place, score) for event, field in enumerate(scores, 1) for place, score in enumerate(field, 1)]
    schema = {"event_no": pl.UInt32, "place": pl.Int64, "score": pl.Int32}
    return pl.DataFrame(lines, schema=schema, orient="row").with_row_index("row")


def paired(*scores: list[int]) -> list[tuple[int, int, int]]:
    """``(event, place, place)`` of every board."""
    players = present(*scores)
    boards = swiss_boards(players)
    first, second = (players["place"].gather(boards[side]).to_list() for side in ("first", "second"))
    return list(zip(boards["event_no"].to_list(), first, second, strict=True))


def players_with(histories: list[list[int | None]], scores: list[int], preferences: list[int]) -> pl.DataFrame:
    rounds = len(histories[0]) if histories else 0
    return pl.DataFrame(
        {
            "score": pl.Series(scores, dtype=pl.Int32),
            "preference": pl.Series(preferences, dtype=pl.Int32),
            **{
                f"met_{no + 1}": pl.Series([history[no] for history in histories], dtype=pl.UInt32)
                for no in range(rounds)
            },
        }
    )


def boards_of(*pairs: tuple[int, int], event_no: int = 1) -> pl.DataFrame:
    schema = {"event_no": pl.UInt32, "first": pl.UInt32, "second": pl.UInt32}
    return pl.DataFrame([(event_no, *pair) for pair in pairs], schema=schema, orient="row")


def rows(boards: pl.DataFrame) -> list[tuple[int, int]]:
    return boards.select("first", "second").rows()


def test_in_the_first_round_the_upper_half_meets_the_lower_half():
    assert paired([0] * 8) == [(1, 1, 5), (1, 2, 6), (1, 3, 7), (1, 4, 8)]


def test_equal_scores_meet():
    assert paired([2, 0, 2, 0, 2, 0, 2, 0]) == [(1, 1, 5), (1, 3, 7), (1, 2, 6), (1, 4, 8)]


def test_the_last_of_an_odd_group_floats_down_and_meets_the_first_there():
    assert paired([2, 2, 2, 0, 0, 0]) == [(1, 1, 2), (1, 3, 4), (1, 5, 6)]


def test_a_player_alone_with_a_score_floats_down():
    assert paired([4, 2, 2, 2, 0, 0]) == [(1, 1, 2), (1, 3, 4), (1, 5, 6)]


def test_events_do_not_touch_each_other():
    assert paired([0, 0], [2, 0, 2, 0]) == [(1, 1, 2), (2, 1, 3), (2, 2, 4)]


def test_two_players_who_have_met_swap_with_the_next_board():
    players = players_with([[1], [0], [None], [None]], scores=[0] * 4, preferences=[0] * 4)
    assert rows(improve_boards(boards_of((0, 1), (2, 3)), players)) == [(0, 3), (2, 1)]


def test_two_players_who_both_prefer_white_are_separated():
    players = players_with([[], [], [], []], scores=[0] * 4, preferences=[2, 2, -2, -2])
    assert rows(improve_boards(boards_of((0, 1), (2, 3)), players)) == [(0, 3), (2, 1)]


def test_a_third_colour_in_a_row_is_worth_another_score():
    players = players_with([[], [], [], []], scores=[4, 4, 0, 0], preferences=[3, 3, -3, -3])
    assert rows(improve_boards(boards_of((0, 1), (2, 3)), players)) == [(0, 3), (2, 1)]


@pytest.fixture(scope="module")
def opens() -> pl.DataFrame:
    events = events_of("swiss", 60, 9)
    return play(events, entrants_of(events, 61, late=20, gone=40), 3, EXPECTED)


def test_opponents_have_near_scores(opens):
    points = pl.when(pl.col("result").is_in(["1", "+", "U", "F"])).then(2).when(pl.col("result").is_in(["=", "H"]))
    before = opens.sort("event_no", "start_number", "round").with_columns(
        score=points.then(1).otherwise(0).cum_sum().shift(1, fill_value=0).over("event_no", "start_number")
    )
    apart = games(before).select((pl.col("score") - pl.col("score_right")).abs())["score"]
    assert (apart == 0).sum() * 100 > 75 * len(apart)
    assert (apart <= 1).sum() * 100 > 96 * len(apart)


def test_in_the_first_round_the_boards_alternate_from_a_colour_drawn_for_each_event():
    events = events_of("swiss", 40, 1)
    cells = play(events, entrants_of(events, 10), 1, EXPECTED)
    upper = cells.filter(pl.col("start_number") <= 5).sort("event_no", "start_number")
    drawn = {"".join(five) for five in upper.group_by("event_no").agg("colour")["colour"].to_list()}
    assert drawn == {"wbwbw", "bwbwb"}
