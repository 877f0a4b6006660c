"""The Swiss system: score groups, halves, floaters, and the exchanges that separate players who have met."""

from __future__ import annotations

from itertools import groupby

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ratinglist.simulation.exchanges import improve_boards, met
from ratinglist.simulation.play import play, swiss_boards
from tests.unit.simulation.fields import EXPECTED, OVER_THE_BOARD, entrants_of, events_of, games


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


def plainly_paired(scores: list[int]) -> list[tuple[int, int]]:
    """Groups from the top down, the last of an odd one floats down: one player after the other."""
    ranked = sorted(range(1, len(scores) + 1), key=lambda place: (-scores[place - 1], place))
    pairs: list[tuple[int, int]] = []
    floating: list[int] = []
    for _, group in groupby(ranked, key=lambda place: scores[place - 1]):
        players = list(group)
        floaters, floating = floating, []
        if floaters:
            pairs.append((floaters[0], players.pop(0)))
        if len(players) % 2:
            floating = [players.pop()]
        half = len(players) // 2
        pairs += zip(players[:half], players[half:], strict=True)
    return pairs


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


@pytest.mark.thorough
@settings(max_examples=150)
@given(st.lists(st.lists(st.integers(0, 6), min_size=2, max_size=18).filter(lambda s: len(s) % 2 == 0), min_size=1))
def test_the_pairs_are_those_of_one_player_after_the_other(scores):
    wanted = [(event, *pair) for event, field in enumerate(scores, 1) for pair in plainly_paired(field)]
    assert paired(*scores) == wanted


def test_two_players_who_have_met_swap_with_the_next_board():
    players = players_with([[1], [0], [None], [None]], scores=[0] * 4, preferences=[0] * 4)
    assert rows(improve_boards(boards_of((0, 1), (2, 3)), players)) == [(0, 3), (2, 1)]


def test_a_swap_that_brings_others_together_again_is_not_made():
    players = players_with([[1, 3], [0, 2], [3, 1], [2, 0]], scores=[0] * 4, preferences=[0] * 4)
    # 0 has met 1 and 3: the two upper ones and the two lower ones are left.
    assert rows(improve_boards(boards_of((0, 1), (2, 3)), players)) == [(0, 2), (1, 3)]


def test_two_players_who_both_prefer_white_are_separated():
    players = players_with([[], [], [], []], scores=[0] * 4, preferences=[2, 2, -2, -2])
    assert rows(improve_boards(boards_of((0, 1), (2, 3)), players)) == [(0, 3), (2, 1)]


def test_a_colour_alone_is_not_worth_another_score():
    players = players_with([[], [], [], []], scores=[4, 4, 0, 0], preferences=[2, 2, -2, -2])
    assert rows(improve_boards(boards_of((0, 1), (2, 3)), players)) == [(0, 1), (2, 3)]


def test_a_third_colour_in_a_row_is_worth_another_score():
    players = players_with([[], [], [], []], scores=[4, 4, 0, 0], preferences=[3, 3, -3, -3])
    assert rows(improve_boards(boards_of((0, 1), (2, 3)), players)) == [(0, 3), (2, 1)]


def test_a_board_far_below_helps_where_none_near_does():
    count = 12
    all_rows = set(range(2 * count))
    # The two players on the top board have met all others but the two on the last board.
    histories: list[list[int | None]] = [[None] * len(all_rows) for _ in all_rows]
    for one in (0, 1):
        for other in sorted(all_rows - {one, 2 * count - 2, 2 * count - 1}):
            histories[one][other] = other
            histories[other][one] = one
    players = players_with(histories, scores=[0] * len(all_rows), preferences=[0] * len(all_rows))
    boards = boards_of(*[(2 * board, 2 * board + 1) for board in range(count)])
    after = improve_boards(boards, players)
    assert not met(after, players).any()
    assert rows(after)[1:-1] == rows(boards)[1:-1]


def test_an_exchange_does_not_reach_into_another_event():
    players = players_with([[1], [0], [None], [None]], scores=[0] * 4, preferences=[0] * 4)
    boards = pl.concat([boards_of((0, 1)), boards_of((2, 3), event_no=2)])
    assert rows(improve_boards(boards, players)) == [(0, 1), (2, 3)]


@pytest.fixture(scope="module")
def opens() -> pl.DataFrame:
    events = events_of("swiss", 60, 9)
    return play(events, entrants_of(events, 61, late=20, gone=40), 3, EXPECTED)


@pytest.fixture(scope="module")
def colours(opens: pl.DataFrame) -> pl.DataFrame:
    over = opens.filter(pl.col("result").is_in(OVER_THE_BOARD)).sort("event_no", "start_number", "round")
    sign = pl.when(pl.col("colour") == "w").then(1).otherwise(-1)
    of_player = ["event_no", "start_number"]
    return over.with_columns(
        balance=sign.cum_sum().over(of_player), three=sign.rolling_sum(3).abs().over(of_player) == 3
    )


@pytest.mark.thorough
def test_the_difference_of_the_colours_is_at_most_two(colours):
    assert set(colours["balance"].abs()) == {0, 1, 2}


@pytest.mark.thorough
def test_no_player_has_the_same_colour_three_times_in_a_row(colours):
    assert colours["three"].sum() == 0


@pytest.mark.thorough
def test_most_differences_are_evened_out(colours):
    assert (colours["balance"].abs() == 2).sum() * 100 < 4 * len(colours)


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
