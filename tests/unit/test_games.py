"""Pairing: which two lines make a game, which refuse the report, and which are only noted."""

from __future__ import annotations

import random

import polars as pl
import pytest

from ratinglist.findings import refuses
from ratinglist.reports import games, trf
from tests.trf_text import HEAD, NAMES, delivered, player, report

HEAD_WITHOUT_COUNT = tuple(line for line in HEAD if not line.startswith("062"))


def text(*rows: tuple[str, ...]) -> str:
    """A report whose players 1, 2, ... have these cells."""
    lines = [
        player(number, NAMES[(number - 1) % 4], cells, fide_id=900000 + number)
        for number, cells in enumerate(rows, start=1)
    ]
    return report(lines, HEAD_WITHOUT_COUNT)


def pair(*rows: tuple[str, ...]) -> games.PairedGames:
    parsed = trf.parse(delivered(text(*rows)))
    return games.pair(parsed.players, parsed.cells)


def meeting(first: str, second: str) -> games.PairedGames:
    """Players 1 and 2 in one round."""
    return pair((first,), (second,))


def rules(paired: games.PairedGames) -> list[str]:
    return paired.findings["rule"].to_list()


def counts(paired: games.PairedGames) -> tuple[int, ...]:
    return paired.counts.select("games", "forfeits", "byes").row(0)


# --------------------------------------------------------------------------------------------------------------- a game


def test_a_game_joins_both_lines():
    found = meeting("   2 b 1", "   1 w 0").games.drop("date")
    assert found.row(0, named=True) == {
        "file_no": 0,
        "round": 1,
        "white_number": 2,
        "black_number": 1,
        "white_halves": 0,
        "black_halves": 2,
        "white_line": 11,
        "black_line": 10,
    }


def test_a_game_has_the_date_of_its_round():
    found = pair(("   2 w 1", "   2 b ="), ("   1 b 0", "   1 w =")).games
    assert [str(day) for day in found["date"]] == ["2024-04-01", "2024-04-02"]


@pytest.mark.parametrize(("first", "second", "halves"), [("1", "0", (2, 0)), ("=", "=", (1, 1)), ("0", "1", (0, 2))])
def test_the_usual_results_count(first, second, halves):
    paired = meeting(f"   2 w {first}", f"   1 b {second}")
    assert (paired.games.select("white_halves", "black_halves").row(0), rules(paired)) == (halves, [])


@pytest.mark.parametrize(("first", "second", "halves"), [("0", "0", (0, 0)), ("=", "0", (1, 0)), ("0", "=", (0, 1))])
def test_less_than_a_point_together_is_a_legal_decision(first, second, halves):
    paired = meeting(f"   2 w {first}", f"   1 b {second}")
    assert (paired.games.select("white_halves", "black_halves").row(0), rules(paired)) == (halves, [])


@pytest.mark.parametrize(("first", "second"), [("w", " "), (" ", "b"), ("-", "b"), ("w", "-"), ("w", "s"), ("W", "B")])
def test_one_colour_is_enough(first, second):
    paired = meeting(f"   2 {first} 1", f"   1 {second} 0")
    assert (paired.games.select("white_number", "black_number").rows(), rules(paired)) == ([(1, 2)], [])


def test_no_cells_give_empty_frames():
    parsed = trf.parse(delivered("nothing"))
    paired = games.pair(parsed.players, parsed.cells)
    assert (paired.games.height, paired.findings.height, paired.counts.height) == (0, 0, 0)


# ----------------------------------------------------------------------------------------------------------- not played


@pytest.mark.parametrize(
    ("first", "second"), [("+", "-"), ("-", "+"), ("-", "-"), ("W", "L"), ("L", "W"), ("D", "D"), ("l", "l")]
)
def test_a_game_not_played_is_a_forfeit_and_nothing_else(first, second):
    paired = meeting(f"   2 w {first}", f"   1 b {second}")
    assert (paired.games.height, rules(paired), counts(paired)) == (0, [], (0, 1, 0))


def test_a_forfeit_needs_no_colours():
    assert rules(meeting("   2 - +", "   1 - -")) == []


@pytest.mark.parametrize(("first", "second"), [("W", "W"), ("+", "L"), ("+", "D"), ("+", " "), (" ", "-")])
def test_unplayed_results_that_do_not_agree_are_noted(first, second):
    paired = meeting(f"   2 w {first}", f"   1 b {second}")
    assert (rules(paired), counts(paired)) == (["forfeit_not_agreed"], (0, 1, 0))


@pytest.mark.parametrize("second", ["0000 - -", "0000 - Z", "", "   3 b -"])
def test_a_forfeit_whose_opponent_does_not_agree_is_noted(second):
    assert rules(pair(("   2 w +",), (second,), ()))[0] == "forfeit_not_agreed"


@pytest.mark.parametrize("unplayed", ["+", "-", "W", "D", "L"])
@pytest.mark.parametrize("played", ["1", "=", "0"])
def test_played_on_one_line_and_not_on_the_other_is_refused(played, unplayed):
    paired = meeting(f"   2 w {played}", f"   1 b {unplayed}")
    assert (paired.games.height, rules(paired)) == (0, ["results_disagree"])


def test_the_finding_is_at_the_line_of_the_unplayed_result():
    found = meeting("   2 w +", "   1 b 0").findings
    assert found.select("line", "value").rows() == [(10, "+")]


@pytest.mark.parametrize("code", ["H", "F", "U", "Z", " ", "-"])
def test_a_bye_without_opponent_counts_as_bye(code):
    paired = pair((f"0000 - {code}",), ())
    assert (rules(paired), counts(paired)) == ([], (0, 0, 1))


def test_a_win_by_forfeit_without_opponent_counts_as_forfeit():
    paired = pair(("0000 - +",), ())
    assert (rules(paired), counts(paired)) == ([], (0, 1, 0))


@pytest.mark.parametrize("second", ["0000 - -", "", "   1 - Z"])
def test_a_bye_with_an_opponent_is_noted_and_counts_as_bye(second):
    paired = meeting("   2 - U", second)
    assert rules(paired) == ["bye_with_opponent"]
    assert counts(paired)[:2] == (0, 0)


def test_a_bye_with_an_unknown_opponent_is_noted():
    assert rules(pair(("  17 - H",))) == ["bye_with_opponent"]


def test_a_pairing_without_result_on_both_lines_is_noted():
    paired = meeting("   2 w  ", "   1 b  ")
    assert (rules(paired), paired.games.height) == (["pairing_without_result"], 0)


def test_a_pairing_without_result_on_one_line_is_noted_where_no_line_names_the_player():
    assert rules(meeting("   2 w  ", "")) == ["pairing_without_result"]


# ------------------------------------------------------------------------------------------------------------ opponents


@pytest.mark.parametrize(
    ("cell", "new"),
    [
        *(("0000 - 1", "F"), ("0000 - =", "H"), ("0000 - 0", "Z"), ("     - =", "H")),
        *(("0000   1", "F"), ("0000   =", "H"), ("0000   0", "Z"), ("0000 w =", "H"), ("0000 b =", "H")),
        ("       =", "H"),
    ],
)
def test_a_bye_in_the_form_of_older_programs_is_read_as_one_and_noted(cell, new):
    parsed = trf.parse(delivered(text((cell,))))
    assert parsed.cells.select("colour", "code").rows() == [("", new)]
    assert parsed.findings.select("rule", "line", "column", "value", "detail").rows()[-1] == (
        "old_bye",
        parsed.cells["line"].item(),
        92,
        cell.strip(),
        f"{new} in round 1",
    )
    assert rules(pair((cell,))) == []


@pytest.mark.parametrize("cell", ["0000 w 0", "0000 b 1", "     w =", "       1", "       0"])
def test_a_result_that_may_be_of_a_game_is_no_bye(cell):
    assert rules(pair((cell,))) == ["opponent_missing"]


@pytest.mark.parametrize(
    ("second", "detail"),
    [
        ("", "line 11 of that player has nothing in round 1"),
        ("0000 - Z", "line 11 of that player has 'Z' without opponent in round 1"),
        ("0000 -  ", "line 11 of that player has '' without opponent in round 1"),
    ],
)
def test_a_game_the_other_line_does_not_know_is_refused(second, detail):
    found = meeting("   2 w 1", second).findings
    assert found.select("rule", "line", "column", "value", "detail").rows() == [
        ("not_reciprocated", 10, 92, "2", detail)
    ]


def test_three_players_in_a_circle_are_three_refusals():
    paired = pair(("   2 w 1",), ("   3 w 1",), ("   1 w 1",))
    assert rules(paired) == ["not_reciprocated"] * 3
    assert paired.findings["detail"][0] == "line 11 of that player names 3 in round 1"


# ---------------------------------------------------------------------------------------------------------- no cascades


def test_a_start_number_twice_brings_no_other_findings():
    lines = [
        player(1, NAMES[0], ("   2 w 1",), fide_id=900001),
        player(2, NAMES[1], ("   1 b 0",), fide_id=900002),
        player(2, NAMES[2], ("   4 b 0",), fide_id=900003),
        player(4, NAMES[3], ("   2 w 1",), fide_id=900004),
    ]
    parsed = trf.parse(delivered(report(lines)))
    assert parsed.findings["rule"].to_list() == ["start_number_repeated"]
    assert rules(games.pair(parsed.players, parsed.cells)) == []


def test_a_start_number_that_cannot_be_read_brings_no_other_findings():
    lines = [
        player(1, NAMES[0], ("   2 w 1",), fide_id=900001),
        player("2x", NAMES[1], ("   1 b 0",), fide_id=900002),
    ]
    parsed = trf.parse(delivered(report(lines, HEAD_WITHOUT_COUNT)))
    assert parsed.findings["rule"].to_list() == ["start_number_unreadable"]
    assert rules(games.pair(parsed.players, parsed.cells)) == []


@pytest.mark.parametrize("broken", ["   1 b ?", "  x1 b 0", "   1 n 0"])
def test_a_cell_that_cannot_be_read_is_not_held_against_the_opponent(broken):
    parsed = trf.parse(delivered(text(("   2 w 1",), (broken,))))
    assert parsed.findings.height == 1
    assert rules(games.pair(parsed.players, parsed.cells)) == []


@pytest.mark.parametrize("name", ["Birch,\tKay", "Birch, Kay, of a name too long for its columns"])
def test_a_line_out_of_its_columns_is_not_held_against_the_opponents(name):
    whole = text(("   2 w 1", "   2 b 1"), ("   1 b 0", "   1 w 0"))
    parsed = trf.parse(delivered(whole.replace("Birch, Kay".ljust(33), name.ljust(33))))
    assert len(parsed.findings) == 1
    assert rules(games.pair(parsed.players, parsed.cells)) == []


def test_many_findings_of_a_kind_are_cut_and_counted():
    paired = pair(*[("0000 w 1",)] * 25)
    found = paired.findings.sort("line", "rule", descending=[False, True], nulls_last=True)
    assert found["rule"].to_list() == ["opponent_missing"] * 20 + ["more_findings"]
    assert found.select("value", "detail").row(-1) == ("5", "opponent_missing")


# ---------------------------------------------------------------------------------------------------------------- notes


def test_meeting_again_is_noted_once():
    found = pair(("   2 w 1", "   2 b 1", "   2 w ="), ("   1 b 0", "   1 w 0", "   1 b =")).findings
    assert found.select("rule", "value", "detail").rows() == [("pair_repeated", "1 and 2", "rounds 1, 2, 3")]


def test_a_replay_after_a_forfeit_is_not_meeting_again():
    assert rules(pair(("   2 w +", "   2 b 1"), ("   1 b -", "   1 w 0"))) == []


# --------------------------------------------------------------------------------------------------------------- always

Cell = tuple[int, str, str]


def random_event(chance: random.Random) -> list[list[Cell]]:
    """Return an event of four players and three rounds: mostly cells that agree, sometimes any cell."""
    rows: list[list[Cell]] = [[] for _ in range(4)]
    usual = ["10", "==", "01", "00", "=0", "+-", "--", "DD", "UU", "  "]
    results = [*usual * 6, "1=", "1-", "H1", "++", "1 "]
    for _ in range(3):
        order = chance.sample(range(4), 4)
        for white, black in (order[:2], order[2:]):
            first, second = chance.choice(results)
            colours = chance.choice([*["wb"] * 12, *["w ", " b"] * 4, "ww", "  "])
            rows[white].append((black + 1, colours[0], first))
            rows[black].append((white + 1, colours[1], second))
        if chance.random() < 0.1:
            rows[chance.randrange(4)][-1] = (
                chance.choice([0, 0, 1, 2, 3, 4, 9]),
                chance.choice("--w"),
                chance.choice("10=+-WDLHFUZ "),
            )
    return rows


def judged_slowly(rows: list[list[Cell]]) -> tuple[list[tuple[int, int, int]], set[str]]:
    """Return round, White and Black of the games, and the refusals, cell by cell: a slow copy of ``pair``."""
    found, refusals = [], set()
    worth = {"1": 2, "=": 1, "0": 0}
    for number in range(3):
        for own, row in enumerate(rows, start=1):
            opponent, colour, code = row[number]
            if opponent == 0:
                # A dash or blank in the place of the colour, or half a point, makes it a bye of older programs.
                refusals |= {"opponent_missing"} if code in "10" and colour in "wb" else set()
            elif opponent == own:
                refusals.add("opponent_self")
            elif opponent > len(rows):
                refusals |= set() if code in "HFUZ" else {"opponent_unknown"}
            elif rows[opponent - 1][number][0] != own:
                refusals |= {"not_reciprocated"} if code in worth else set()
            elif own < opponent:
                other_colour, other = rows[opponent - 1][number][1:]
                seats = {seat for seat in (colour + other_colour) if seat in "wb"}
                if code in worth and other in worth:
                    if not seats:
                        refusals.add("colours_missing")
                    elif colour == other_colour:
                        refusals.add("colours_equal")
                    elif worth[code] + worth[other] > 2:
                        refusals.add("results_exceed")
                    elif colour == "w" or other_colour == "b":
                        found.append((number + 1, own, opponent))
                    else:
                        found.append((number + 1, opponent, own))
                elif code in worth or other in worth:
                    silent = other if code in worth else code
                    refusals.add(
                        {" ": "result_missing"}.get(silent, "bye_played" if silent in "HFUZ" else "results_disagree")
                    )
                elif code == other == "+":
                    refusals.add("forfeit_won_twice")
    return sorted(found), refusals


EVENTS = [random_event(random.Random(seed)) for seed in range(400)]


@pytest.fixture(scope="module")
def parsed_events() -> trf.ParsedReports:
    return trf.parse(
        delivered(*[text(*[tuple(f"{o:4d} {c} {k}" for o, c, k in row) for row in rows]) for rows in EVENTS])
    )


def test_random_events_are_judged_as_cell_by_cell(parsed_events):
    paired = games.pair(parsed_events.players, parsed_events.cells)
    for number, rows in enumerate(EVENTS):
        expected_games, expected_refusals = judged_slowly(rows)
        found = paired.games.filter(file_no=number).select("round", "white_number", "black_number").rows()
        refused = {rule for rule in paired.findings.filter(file_no=number)["rule"] if refuses(rule)}
        assert (sorted(found), refused) == (expected_games, expected_refusals), rows


def test_random_events_hold_every_refusal():
    assert set().union(*(judged_slowly(rows)[1] for rows in EVENTS)) == {
        *("opponent_missing", "opponent_self", "opponent_unknown", "not_reciprocated", "colours_missing"),
        *("colours_equal", "results_exceed", "results_disagree", "result_missing", "bye_played"),
        "forfeit_won_twice",
    }


def test_in_an_event_that_is_not_refused_every_played_result_is_in_a_game(parsed_events):
    paired = games.pair(parsed_events.players, parsed_events.cells)
    refused = paired.findings.filter(pl.col("rule").map_elements(refuses, pl.Boolean)).select("file_no").unique()
    sound = parsed_events.cells.join(refused, on="file_no", how="anti")
    of_sound = paired.games.join(refused, on="file_no", how="anti")
    assert of_sound.height > 300
    assert sound.filter(pl.col("code").is_in(["1", "=", "0"])).height == 2 * of_sound.height


def test_the_order_of_the_rows_changes_nothing(parsed_events):
    straight = games.pair(parsed_events.players, parsed_events.cells)
    shuffled = games.pair(parsed_events.players.reverse(), parsed_events.cells.sample(fraction=1, shuffle=True, seed=7))
    by_round = ["file_no", "round", "white_number"]
    assert straight.games.sort(by_round).equals(shuffled.games.sort(by_round))
    assert straight.findings.equals(shuffled.findings)
    assert straight.counts.equals(shuffled.counts)


# ------------------------------------------------------------------------------------- the opponent's cell, looked up


def test_a_round_left_blank_moves_no_other():
    paired = pair(("   2 w 1", "", "   3 b 0"), ("   1 b 0",), ("", "", "   1 w 1"))
    assert paired.games.select("round", "white_number", "black_number").rows() == [(1, 1, 2), (3, 3, 1)]
    assert rules(paired) == []


def test_an_opponent_beyond_the_last_start_number_is_unknown():
    assert rules(pair(("9999 w 1",), ("   1 b 0",))) == ["opponent_unknown", "not_reciprocated"]


def test_an_opponent_whose_line_ends_before_the_round_does_not_name_the_player_back():
    assert rules(pair(("   2 w 1", "   2 b 0"), ("   1 b 0",))) == ["not_reciprocated"]


def test_files_with_the_same_start_numbers_are_not_mixed_up():
    first, second = text(("   2 w 1",), ("   1 b 0",)), text(("   3 w =",), ("",), ("   1 b =",))
    parsed = trf.parse(delivered(first, second))
    found = games.pair(parsed.players, parsed.cells).games
    assert found.select("file_no", "white_number", "black_number").rows() == [(0, 1, 2), (1, 1, 3)]
