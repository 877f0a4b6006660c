"""What a system is given to rate event by event, and what it keeps in a table of its own."""

from __future__ import annotations

from datetime import date, timedelta
from random import Random

import polars as pl
import pytest

from ratinglist.period import Period
from ratinglist.rating.model import NO_STATE
from ratinglist.rating.systems.month import SystemMonth
from ratinglist.rating.systems.system import OwnState
from ratinglist.tables import Column, own_columns, published_table, with_declared


def month_of(players: list[list[int]], days: list[int]) -> SystemMonth:
    """A month with events of these players, each ended on a day of January."""
    sides = [(number, player) for number, of_event in enumerate(players) for player in of_event]
    return SystemMonth(
        period=Period.parse("2026-02"),
        time_control="standard",
        before=pl.DataFrame(),
        month_before=Period.parse("2026-01"),
        sides=pl.DataFrame(sides, schema={"event_no": pl.UInt32, "fide_id": pl.Int64}, orient="row"),
        events=pl.DataFrame(
            {
                "event_no": pl.Series(range(len(days)), dtype=pl.UInt32),
                "event_id": [f"E{number}" for number in range(len(days))],
                "start_date": [date(2026, 1, 1)] * len(days),
                "end_date": [date(2026, 1, 1) + timedelta(day) for day in days],
            }
        ),
        players=pl.DataFrame(),
        tables={},
    )


@pytest.mark.parametrize("seed", range(30))
def test_waves_give_every_player_their_events_in_the_order_of_their_ends(seed):
    random = Random(seed)
    players = [random.sample(range(12), random.randint(2, 4)) for _ in range(random.randint(1, 14))]
    days = [random.randint(0, 20) for _ in players]
    month = month_of(players, days)
    waves = [wave["event_no"].to_list() for wave in month.waves(month.sides)]
    assert sorted(number for wave in waves for number in wave) == list(range(len(players)))
    for wave in waves:
        playing = [player for number in wave for player in players[number]]
        assert len(playing) == len(set(playing))
    in_order = [number for wave in waves for number in wave]
    for player in range(12):
        own = [number for number in in_order if player in players[number]]
        assert own == sorted(own, key=lambda number: (days[number], f"E{number}"))


def test_events_without_a_common_player_are_one_wave():
    month = month_of([[1, 2], [3, 4], [2, 3]], [5, 1, 9])
    assert [wave["event_no"].to_list() for wave in month.waves(month.sides)] == [[1, 0], [2]]
    assert month.waves(month.sides.clear()) == []


def test_a_state_of_no_list_has_all_columns_and_no_row():
    declared = OwnState(1, {"fide_id": Column(pl.Int64(), ""), "wins": Column(pl.Int32(), "")})
    assert declared.of(NO_STATE).schema == declared.table.schema
    kept = pl.DataFrame({"wins": [3], "fide_id": [7]})
    assert declared.of(kept).rows() == [(7, 3)]


def test_own_columns_stand_at_the_end_of_the_tables_of_other_systems_alone():
    declared = {"standard": {"wins": Column(pl.Int32(), "games won")}}
    of_fide = {**published_table("standard", {}).schema, "wins": pl.Int32()}
    assert "wins" not in published_table("standard", of_fide).columns
    of_system = published_table("standard", {**of_fide, "rating_hundredths": pl.Int32()})
    assert list(of_system.columns)[-1] == "wins"
    assert with_declared(of_system, "standard", declared).columns["wins"].description == "games won"
    assert "wins" not in with_declared(of_system, "standard", {}).columns
    assert own_columns({"wins": pl.Int32(), "fide_id": pl.Int64()}).keys() == {"wins"}
