"""A batch of delivered files, read as a whole."""

from datetime import date

import polars as pl
import pytest

from ratinglist.reports import judge
from ratinglist.tables import DELIVERED, FILE_FINDING
from tests.trf_text import HEAD, players, report

TWO_GAMES = (("   2 w 1", "   2 b ="), ("   1 b 0", "   1 w ="))


def notes(event_type: str) -> list[str]:
    return findings(TWO_GAMES, event_type, "pair_repeated")


def findings(cells: tuple[tuple[str, ...], ...], event_type: str, rule: str) -> list[str]:
    text = report(players(cells), HEAD)
    row = {
        "file_no": 1,
        "file_name": "1.trf",
        "sha256": "1" * 64,
        "text": text,
        "received_on": date(2024, 4, 5),
        "event_type": event_type,
    }
    read = judge.read(pl.DataFrame([row], schema=DELIVERED.schema), FILE_FINDING.empty())
    return read.findings.filter(pl.col("rule") == rule)["value"].to_list()


@pytest.mark.parametrize("event_type", ["swiss", "roundrobin", "team"])
def test_two_players_who_meet_again_are_noted(event_type):
    assert notes(event_type) == ["1 and 2"]


@pytest.mark.parametrize("event_type", ["match", "double_roundrobin"])
def test_where_all_meet_again_nothing_is_noted(event_type):
    assert notes(event_type) == []


ALL_PLAY_ALL = (
    ("   4 w 1", "   2 w 1", "   3 b 1"),
    ("   3 w 1", "   1 b 0", "   4 w 1"),
    ("   2 b 0", "   4 b 1", "   1 w 0"),
    ("   1 b 0", "   3 w 0", "   2 b 0"),
)
"""Four players with colours as the rules have them."""
EXCHANGED = ((*ALL_PLAY_ALL[0][:2], "   3 w 1"), ALL_PLAY_ALL[1], (*ALL_PLAY_ALL[2][:2], "   1 b 0"), ALL_PLAY_ALL[3])
"""Those of the last game of 1 and 3 are exchanged on both lines."""
IN_TURNS = (("   6 w 1", "   6 b 1", "   6 w 1"), ("   5 b 0", "   5 w 0", "   5 b 0"))
"""Two more players, so that not everybody meets everybody."""
ALSO_WRONG = (*EXCHANGED, ("   6 w 1",) * 3, ("   5 b 0",) * 3)


@pytest.mark.parametrize(
    ("cells", "event_type", "noted"),
    [
        ((*ALL_PLAY_ALL, *IN_TURNS), "swiss", []),
        ((*EXCHANGED, *IN_TURNS), "swiss", ["1 and 3"]),
        ((*EXCHANGED, *IN_TURNS), "roundrobin", []),
        (EXCHANGED, "swiss", []),
        (ALSO_WRONG, "swiss", []),
    ],
)
def test_a_game_whose_colours_alone_break_the_rules_is_noted(cells, event_type, noted):
    """Where players of other games break the rules too, or all meet all, the rules did not choose the colours."""
    assert findings(cells, event_type, "colours_exchanged") == noted


def test_two_players_whom_no_exchange_makes_right_are_not_noted():
    of_two = (("   2 b 0", "   3 w 1", "   4 w 1", "   5 w 1"), ("   1 w 1", "   6 b 0", "   7 b 0", "   8 b 0"))
    others = [("",) * number + (f"   {one} {cell}",) for one, cell in ((1, "b 0"), (2, "w 1")) for number in (1, 2, 3)]
    assert findings((*of_two, *others), "swiss", "colours_exchanged") == []
