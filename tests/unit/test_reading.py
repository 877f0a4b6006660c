"""A batch of delivered files, read as a whole."""

from datetime import date

import polars as pl
import pytest

from ratinglist.reports import reading
from ratinglist.schemas import DELIVERED, FILE_FINDING
from tests.trf_text import HEAD, players, report

TWO_GAMES = (("   2 w 1", "   2 b ="), ("   1 b 0", "   1 w ="))


def notes(event_type: str) -> list[str]:
    text = report(players(TWO_GAMES), HEAD)
    row = {
        "file_no": 1,
        "file_name": "1.trf",
        "sha256": "1" * 64,
        "text": text,
        "received_on": date(2024, 4, 5),
        "event_type": event_type,
    }
    read = reading.read(pl.DataFrame([row], schema=DELIVERED.schema), FILE_FINDING.empty())
    return read.findings.filter(pl.col("rule") == "pair_repeated")["value"].to_list()


@pytest.mark.parametrize("event_type", ["swiss", "roundrobin", "team"])
def test_two_players_who_meet_again_are_noted(event_type):
    assert notes(event_type) == ["1 and 2"]


@pytest.mark.parametrize("event_type", ["match", "double_roundrobin"])
def test_where_all_meet_again_nothing_is_noted(event_type):
    assert notes(event_type) == []
