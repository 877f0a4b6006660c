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


def pair_each(*events: tuple[tuple[str, ...], ...]) -> list[games.PairedGames]:
    """The reports of these events in one delivery, each for itself."""
    parsed = trf.parse(delivered(*(text(*rows) for rows in events)))
    paired = games.pair(parsed.players, parsed.cells)
    frames = (paired.games, paired.findings, paired.counts)
    return [games.PairedGames(*(frame.filter(file_no=number) for frame in frames)) for number in range(len(events))]


def meeting(first: str, second: str) -> games.PairedGames:
    """Players 1 and 2 in one round."""
    return pair((first,), (second,))


def rules(paired: games.PairedGames) -> list[str]:
    return paired.findings["rule"].to_list()


def counts(paired: games.PairedGames) -> tuple[int, ...]:
    return paired.counts.select("games", "forfeits", "byes").row(0)


# --------------------------------------------------------------------------------------------------------------- a game


def test_a_game_joins_both_lines():
    game = meeting("   2 b 1", "   1 w 0").games.drop("date")
    assert game.row(0, named=True) == {
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
    both_games = pair(("   2 w 1", "   2 b ="), ("   1 b 0", "   1 w =")).games
    assert [str(day) for day in both_games["date"]] == ["2024-04-01", "2024-04-02"]


@pytest.mark.parametrize(
    ("first", "second", "halves"),
    # Less than a point together is a legal decision.
    [
        ("1", "0", (2, 0)),
        ("=", "=", (1, 1)),
        ("0", "1", (0, 2)),
        ("0", "0", (0, 0)),
        ("=", "0", (1, 0)),
        ("0", "=", (0, 1)),
    ],
)
def test_the_results_of_a_game_count(first, second, halves):
    paired = meeting(f"   2 w {first}", f"   1 b {second}")
    assert (paired.games.select("white_halves", "black_halves").row(0), rules(paired)) == (halves, [])


@pytest.mark.parametrize(("first", "second"), [("w", " "), (" ", "b"), ("-", "b"), ("w", "-"), ("w", "s"), ("W", "B")])
def test_one_colour_is_enough(first, second):
    paired = meeting(f"   2 {first} 1", f"   1 {second} 0")
    assert (paired.games.select("white_number", "black_number").rows(), rules(paired)) == ([(1, 2)], [])


# ----------------------------------------------------------------------------------------------------------- not played

FORFEIT, BYE = (0, 1, 0), (0, 0, 1)
AGREED = [("+", "-"), ("-", "+"), ("-", "-"), ("W", "L"), ("L", "W"), ("D", "D"), ("l", "l")]
NOT_AGREED = [("W", "W"), ("+", "L"), ("+", "D"), ("+", " "), (" ", "-")]


NOT_PLAYED = [
    *(((f"   2 w {own}", f"   1 b {other}"), [], FORFEIT) for own, other in AGREED),
    *(((f"   2 w {own}", f"   1 b {other}"), ["forfeit_not_agreed"], FORFEIT) for own, other in NOT_AGREED),
    (("   2 - +", "   1 - -"), [], FORFEIT),
    *(((f"0000 - {code}", ""), [], BYE) for code in "HFUZ -"),
    (("0000 - +", ""), [], FORFEIT),
    (("   2 - U", "0000 - -"), ["bye_with_opponent"], (0, 0, 2)),
    (("   2 - U", ""), ["bye_with_opponent"], BYE),
    (("   2 - U", "   1 - Z"), ["bye_with_opponent"], (0, 0, 2)),
    (("  17 - H",), ["bye_with_opponent"], BYE),
    *(
        ((f"   2 w {played}", f"   1 b {unplayed}"), ["results_disagree"], FORFEIT)
        for played in "1=0"
        for unplayed in "+-WDL"
    ),
]
"""The cells of the players, the rules of the findings, and the numbers of games, forfeits and byes."""


def test_what_was_not_played_is_no_game():
    events = pair_each(*(tuple((cell,) for cell in cells) for cells, *_ in NOT_PLAYED))
    for paired, (cells, codes, counted) in zip(events, NOT_PLAYED, strict=True):
        assert (paired.games.height, rules(paired), counts(paired)) == (0, codes, counted), cells


@pytest.mark.parametrize("second", ["0000 - -", "0000 - Z", "", "   3 b -"])
def test_a_forfeit_whose_opponent_does_not_agree_is_noted(second):
    assert rules(pair(("   2 w +",), (second,), ()))[0] == "forfeit_not_agreed"


# ------------------------------------------------------------------------------------------------------------ opponents


OLD_BYES = {
    "0000 - 1": "F",
    "0000 - =": "H",
    "0000 - 0": "Z",
    "     - =": "H",
    "0000   1": "F",
    "0000   =": "H",
    "0000   0": "Z",
    "0000 w =": "H",
    "0000 b =": "H",
    "       =": "H",
}


def test_a_bye_in_the_form_of_older_programs_is_read_as_one_and_noted():
    parsed = trf.parse(delivered(*(text((cell,)) for cell in OLD_BYES)))
    cells = parsed.cells.sort("file_no")
    assert cells.select("colour", "code").rows() == [("", new) for new in OLD_BYES.values()]
    noted = parsed.findings.filter(rule="old_bye").sort("file_no")
    assert noted.select("line", "column", "value", "detail").rows() == [
        (line, 92, cell.strip(), f"{new} in round 1")
        for line, (cell, new) in zip(cells["line"], OLD_BYES.items(), strict=True)
    ]
    assert rules(games.pair(parsed.players, parsed.cells)) == []


# The cells of players 1, 2, ..., and the rules of the findings.
FOUND = [
    # A result that may be of a game is no bye.
    *(([cell], ["opponent_missing"]) for cell in ("0000 w 0", "0000 b 1", "     w =", "       1", "       0")),
    (["   2 w  ", "   1 b  "], ["pairing_without_result"]),
    (["   2 w  ", ""], ["pairing_without_result"]),
    (["   2 w 1", "   3 w 1", "   1 w 1"], ["not_reciprocated"] * 3),
    (["9999 w 1", "   1 b 0"], ["opponent_unknown", "not_reciprocated"]),
    # The line of the opponent ends before the round.
    ([("   2 w 1", "   2 b 0"), "   1 b 0"], ["not_reciprocated"]),
    # A replay after a forfeit is not meeting again.
    ([("   2 w +", "   2 b 1"), ("   1 b -", "   1 w 0")], []),
]


@pytest.mark.parametrize(("rows", "codes"), FOUND)
def test_cells_that_do_not_agree_are_found(rows, codes):
    assert rules(pair(*((cells,) if isinstance(cells, str) else cells for cells in rows))) == codes


@pytest.mark.parametrize(
    ("first", "second", "finding"),
    [
        ("   2 w +", "   1 b 0", ("results_disagree", 10, 99, "+", "'0' on line 11 (round 1, player 2)")),
        ("   2 w 1", "", ("not_reciprocated", 10, 92, "2", "line 11 of that player has nothing in round 1")),
        (
            *("   2 w 1", "0000 - Z"),
            ("not_reciprocated", 10, 92, "2", "line 11 of that player has 'Z' without opponent in round 1"),
        ),
        (
            *("   2 w 1", "0000 -  "),
            ("not_reciprocated", 10, 92, "2", "line 11 of that player has '' without opponent in round 1"),
        ),
    ],
)
def test_a_finding_says_where_and_what(first, second, finding):
    findings = meeting(first, second).findings
    assert findings.select("rule", "line", "column", "value", "detail").rows() == [finding]


# ---------------------------------------------------------------------------------------------------------- no cascades

FIRST_OF_TWO = player(1, NAMES[0], ("   2 w 1",), fide_id=900001)
TWO_ROUNDS = text(("   2 w 1", "   2 b 1"), ("   1 b 0", "   1 w 0"))
SECOND_NAME = "Birch, Kay".ljust(33)


@pytest.mark.parametrize(
    "whole",
    [
        report(
            [
                FIRST_OF_TWO,
                player(2, NAMES[1], ("   1 b 0",), fide_id=900002),
                player(2, NAMES[2], ("   4 b 0",), fide_id=900003),
                player(4, NAMES[3], ("   2 w 1",), fide_id=900004),
            ]
        ),
        report([FIRST_OF_TWO, player("2x", NAMES[1], ("   1 b 0",), fide_id=900002)], HEAD_WITHOUT_COUNT),
        *(text(("   2 w 1",), (broken,)) for broken in ("   1 b ?", "  x1 b 0", "   1 n 0")),
        TWO_ROUNDS.replace(SECOND_NAME, "Birch,\tKay".ljust(33)),
        TWO_ROUNDS.replace(SECOND_NAME, "Birch, Kay, of a name too long for its columns"),
    ],
)
def test_what_cannot_be_read_is_found_once_and_not_held_against_the_opponents(whole):
    parsed = trf.parse(delivered(whole))
    assert (parsed.findings.height, rules(games.pair(parsed.players, parsed.cells))) == (1, [])


def test_many_findings_of_a_kind_are_cut_and_counted():
    paired = pair(*[("0000 w 1",)] * 25)
    findings = paired.findings.sort("line", "rule", descending=[False, True], nulls_last=True)
    assert findings["rule"].to_list() == ["opponent_missing"] * 20 + ["more_findings"]
    assert findings.select("value", "detail").row(-1) == ("5", "opponent_missing")


def test_meeting_again_is_noted_once():
    findings = pair(("   2 w 1", "   2 b 1", "   2 w ="), ("   1 b 0", "   1 w 0", "   1 b =")).findings
    assert findings.select("rule", "value", "detail").rows() == [("pair_repeated", "1 and 2", "rounds 1, 2, 3")]


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
    pairings, refusals = [], set()
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
                        pairings.append((number + 1, own, opponent))
                    else:
                        pairings.append((number + 1, opponent, own))
                elif code in worth or other in worth:
                    silent = other if code in worth else code
                    refusals.add(
                        {" ": "result_missing"}.get(silent, "bye_played" if silent in "HFUZ" else "results_disagree")
                    )
                elif code == other == "+":
                    refusals.add("forfeit_won_twice")
    return sorted(pairings), refusals


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
        pairings = paired.games.filter(file_no=number).select("round", "white_number", "black_number").rows()
        refused = {rule for rule in paired.findings.filter(file_no=number)["rule"] if refuses(rule)}
        assert (sorted(pairings), refused) == (expected_games, expected_refusals), rows


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


def test_files_with_the_same_start_numbers_are_not_mixed_up():
    first, second = text(("   2 w 1",), ("   1 b 0",)), text(("   3 w =",), ("",), ("   1 b =",))
    parsed = trf.parse(delivered(first, second))
    pairings = games.pair(parsed.players, parsed.cells).games
    assert pairings.select("file_no", "white_number", "black_number").rows() == [(0, 1, 2), (1, 1, 3)]
