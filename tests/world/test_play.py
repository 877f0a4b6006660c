"""Every event's games agree, nobody meets twice where they must not, and strengths decide how games end."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from ratinglist.store.rule_files import rule_book
from ratinglist_world.events import Games, Seat, play_by_table, play_swiss
from ratinglist_world.people import Dice

EXPECTED = rule_book().tables["expected_score"].to_list()
MIRROR = {("1", "0"), ("0", "1"), ("=", "="), ("+", "-"), ("-", "+")}


def seats_of(players: int, rounds: int, dice: Dice, absences: int = 0) -> list[Seat]:
    """``absences``: of a thousand players, those who come late, and as many who leave."""
    return [
        Seat(
            number,
            2300 - 900 * number // players + dice.roll(150),
            2 if dice.chance(absences) else 1,
            1 + dice.roll(rounds) if dice.chance(absences) else rounds,
        )
        for number in range(1, players + 1)
    ]


def assert_games_agree(seats: list[Seat], rounds: int) -> None:
    for seat in seats:
        assert len(seat.cells) == rounds
        for turn, cell in enumerate(seat.cells):
            if not cell.opponent:
                assert (cell.colour, cell.code) in {("-", "U"), ("-", "H"), ("-", "Z")}
                continue
            answer = seats[cell.opponent - 1].cells[turn]
            assert answer.opponent == seat.number
            assert {cell.colour, answer.colour} == {"w", "b"}
            assert (cell.code, answer.code) in MIRROR


@given(st.integers(4, 40), st.integers(1, 20), st.sampled_from([0, 100, 400]), st.integers(0, 99))
def test_swiss_games_agree_and_nobody_meets_twice_or_gets_two_byes(players, most, absences, seed):
    dice = Dice(f"{seed}")
    rounds = min(most, players // 2)
    seats = seats_of(players, rounds, dice, absences)
    play_swiss(seats, rounds, Games(EXPECTED, dice))
    assert_games_agree(seats, rounds)
    for seat in seats:
        opponents = [cell.opponent for cell in seat.cells if cell.opponent]
        assert len(opponents) == len(set(opponents))
        assert sum(cell.code == "U" for cell in seat.cells) <= 1
        assert not any(cell.opponent for cell in seat.cells[: seat.enters - 1] + seat.cells[seat.leaves :])


@pytest.mark.parametrize("players", [10, 24, 57, 120])
def test_a_swiss_of_players_who_all_attend_leaves_out_nobody_but_by_byes(players):
    dice = Dice(f"whole {players}")
    seats = seats_of(players, 5, dice)
    play_swiss(seats, 5, Games(EXPECTED, dice))
    without = [cell for seat in seats for cell in seat.cells if cell.code == "Z"]
    assert len(without) <= players // 40
    assert all(abs(seat.balance) <= 3 for seat in seats)


@pytest.mark.parametrize("players", range(2, 21, 2))
def test_in_a_round_robin_everybody_meets_everybody_with_even_colours(players):
    dice = Dice(f"table {players}")
    seats = seats_of(players, players - 1, dice)
    play_by_table([[seat] for seat in seats], Games(EXPECTED, dice))
    assert_games_agree(seats, players - 1)
    for seat in seats:
        assert sorted(cell.opponent for cell in seat.cells) == sorted({*range(1, players + 1)} - {seat.number})
        assert abs(seat.balance) <= 1


def test_teams_meet_board_by_board():
    dice = Dice("teams")
    seats = seats_of(24, 5, dice)
    play_by_table([seats[at::6] for at in range(6)], Games(EXPECTED, dice))
    assert_games_agree(seats, 5)
    for seat in seats:
        assert {(cell.opponent - 1) // 6 for cell in seat.cells} == {(seat.number - 1) // 6}
        assert {(cell.opponent - 1) % 6 for cell in seat.cells} == {*range(6)} - {(seat.number - 1) % 6}
    assert {seats[6 * board].cells[0].colour for board in range(4)} == {"w", "b"}


@pytest.mark.parametrize("difference", [0, 100, 300])
def test_the_mean_score_is_the_expected_one_with_whites_advantage(difference):
    white, black = Seat(1, 1700 + difference, 1, 1), Seat(2, 1700, 1, 1)
    Games(EXPECTED, Dice("scores")).play((white, black) for _ in range(20_000))
    over_the_board = [cell.code for cell in white.cells if cell.code in "1=0"]
    mean = sum({"1": 100, "=": 50, "0": 0}[code] for code in over_the_board) / len(over_the_board)
    assert abs(mean - EXPECTED[difference + 35]) < 1
    assert 0.2 < over_the_board.count("=") / len(over_the_board) < 0.4 or difference == 300
