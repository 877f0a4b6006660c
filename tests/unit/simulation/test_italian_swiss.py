"""The Italian-Swiss system, clause by clause, and compared with a slow implementation, player by player."""

from __future__ import annotations

from dataclasses import dataclass, field

import polars as pl
import pytest
from hypothesis import strategies as st

from ratinglist.simulation import italian_swiss
from ratinglist.simulation.play import play
from tests.unit.simulation.fields import EXPECTED, entrants_of, events_of, games


@dataclass
class Circle:
    """One event before a round: the scores by place, the places that have met, the start of the rotation."""

    scores: list[int]
    rotation_start: int = 1
    met: dict[int, set[int]] = field(default_factory=dict)
    absent: set[int] = field(default_factory=set)

    def have_met(self, one: int, other: int) -> bool:
        return other in self.met.get(one, set()) or one in self.met.get(other, set())


def paired(*circles: Circle) -> list[list[tuple[int, int]]]:
    """The pairs of each event, as places, in the order in which they are formed."""
    lines, offset = [], 0
    most = max(len(circle.scores) for circle in circles)
    for event, circle in enumerate(circles, 1):
        for place, score in enumerate(circle.scores, 1):
            opponents = [
                offset + other - 1 if other <= len(circle.scores) and circle.have_met(place, other) else None
                for other in range(1, most + 1)
            ]
            if place not in circle.absent:
                lines.append(
                    (event, offset + place - 1, score, place, len(circle.scores), circle.rotation_start, *opponents)
                )
        offset += len(circle.scores)
    schema = {
        "event_no": pl.UInt32,
        "row": pl.UInt32,
        "score": pl.Int32,
        "place": pl.Int64,
        "circle": pl.Int64,
        "rotation_start": pl.Int64,
        **{f"met_{no}": pl.UInt32 for no in range(1, most + 1)},
    }
    present = pl.DataFrame(lines, schema=schema, orient="row")
    boards = italian_swiss.boards(present)
    places = dict(present.select("row", "place").rows())
    return [
        [(places[one], places[other]) for no, one, other in boards.rows() if no == event]
        for event in range(1, len(circles) + 1)
    ]


def test_in_the_first_round_neighbours_meet():
    assert paired(Circle([0] * 6)) == [[(1, 2), (3, 4), (5, 6)]]


def test_the_rotation_starts_at_its_place_if_that_player_has_the_highest_score():
    assert paired(Circle([2, 2, 2, 2], rotation_start=3)) == [[(3, 4), (1, 2)]]


def test_otherwise_it_starts_at_the_next_player_with_the_highest_score():
    assert paired(Circle([2, 0, 0, 2, 2, 2], rotation_start=2))[0][0] == (4, 5)


def test_players_do_not_meet_twice():
    assert paired(Circle([2, 2, 2, 2], met={1: {2}})) == [[(1, 3), (4, 2)]]


def test_absent_players_are_skipped():
    assert paired(Circle([0] * 6, absent={2, 5})) == [[(1, 3), (4, 6)]]


def test_remaining_players_who_have_met_are_paired_nevertheless():
    # An exchange with another pair separates them afterwards.
    assert paired(Circle([2, 2, 0, 0], met={3: {4}})) == [[(1, 2), (3, 4)]]


@st.composite
def circles(draw: st.DrawFn) -> Circle:
    size = draw(st.integers(2, 14))
    places = st.integers(1, size)
    absent = draw(st.sets(places, max_size=size - 2))
    if (size - len(absent)) % 2:
        absent = set(sorted(absent)[1:]) if absent else {size}
    return Circle(
        scores=draw(st.lists(st.integers(0, 4), min_size=size, max_size=size)),
        rotation_start=draw(places),
        met=draw(st.dictionaries(places, st.sets(places, max_size=5))),
        absent=absent,
    )


def places_of(events: pl.DataFrame, entrants: pl.DataFrame) -> pl.DataFrame:
    return italian_swiss.with_places(entrants.join(events, on="event_no"), 1).sort("event_no", "place")


@pytest.fixture(scope="module")
def even() -> pl.DataFrame:
    events = events_of("italian_swiss", 60, 6)
    return play(events, entrants_of(events, 20), 1, EXPECTED)


def test_the_rotation_continues_from_the_player_with_white_in_the_last_pair():
    # Four players, 1-2 and 3-4 in the first round: where all games are drawn, the scores do not choose.
    events = events_of("italian_swiss", 300, 2)
    entrants = entrants_of(events, 4)
    cells = play(events, entrants, 1, EXPECTED).join(
        places_of(events, entrants).select("event_no", "start_number", "place"), on=["event_no", "start_number"]
    )
    first = cells.filter(pl.col("round") == 1).sort("event_no", "place")
    whole = first.group_by("event_no").agg("result", "colour").filter(~pl.col("result").list.contains("H"))
    drawn = whole.filter(pl.col("result").list.set_difference(["="]).list.len() == 0)["event_no"]
    second = games(cells.filter(pl.col("round") == 2, pl.col("event_no").is_in(drawn.implode())))
    assert len(second) > 0
    # 3, with White on the last board, is the first player, and 1 the next one that 3 has not met.
    assert set(
        second.filter(pl.col("place") == 3).join(
            places_of(events, entrants).select("event_no", "start_number", opponent_place="place"),
            left_on=["event_no", "opponent"],
            right_on=["event_no", "start_number"],
        )["opponent_place"]
    ) == {1}


def test_colour_preferences_are_granted_where_they_do_not_clash(even):
    second = games(even.filter(pl.col("round") <= 2)).sort("event_no", "start_number", "round")
    colours = second.group_by("event_no", "start_number", maintain_order=True).agg("colour")["colour"].to_list()
    alternated = sum(two in (["w", "b"], ["b", "w"]) for two in colours)
    assert alternated * 100 > 60 * len(colours)
