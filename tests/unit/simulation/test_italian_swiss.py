"""The Italian-Swiss system, clause by clause, and compared with a slow implementation, player by player."""

from __future__ import annotations

from dataclasses import dataclass, field

import polars as pl
import pytest
from hypothesis import given, settings
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


def walked(circle: Circle) -> list[tuple[int, int]]:
    """Return the same pairs from a walk round the circle, one player after the other."""
    size = len(circle.scores)
    free = set(range(1, size + 1)) - circle.absent
    pairs: list[tuple[int, int]] = []
    here = circle.rotation_start

    def onwards(start: int) -> list[int]:
        return [place for step in range(size) if (place := (start + step - 1) % size + 1) in free]

    while free:
        top = max(circle.scores[place - 1] for place in free)
        first = next(place for place in onwards(here) if circle.scores[place - 1] == top)
        free.remove(first)
        second = None
        for anyone in (False, True):
            start = first
            for level in sorted({circle.scores[place - 1] for place in free}, reverse=True):
                candidates = [place for place in onwards(start) if circle.scores[place - 1] == level]
                second = next((place for place in candidates if anyone or not circle.have_met(first, place)), None)
                if second is not None:
                    break
                start = candidates[-1]
            if second is not None:
                break
        assert second is not None
        free.remove(second)
        pairs.append((first, second))
        here = second
    return pairs


def test_in_the_first_round_neighbours_meet():
    assert paired(Circle([0] * 6)) == [[(1, 2), (3, 4), (5, 6)]]


def test_the_rotation_starts_at_its_place_if_that_player_has_the_highest_score():
    assert paired(Circle([2, 2, 2, 2], rotation_start=3)) == [[(3, 4), (1, 2)]]


def test_otherwise_it_starts_at_the_next_player_with_the_highest_score():
    assert paired(Circle([2, 0, 0, 2, 2, 2], rotation_start=2))[0][0] == (4, 5)


def test_it_continues_from_the_second_player_of_the_pair_before():
    # 4 meets 1, over the end of the list; the next with the highest score after 1 is 2, not 5.
    circle = Circle([2, 2, 2, 2, 0, 0], rotation_start=4)
    assert paired(circle) == [[(4, 1), (2, 3), (5, 6)]]


def test_the_second_is_the_next_with_the_same_score():
    assert paired(Circle([2, 0, 0, 2], rotation_start=1)) == [[(1, 4), (2, 3)]]


def test_players_do_not_meet_twice():
    assert paired(Circle([2, 2, 2, 2], met={1: {2}})) == [[(1, 3), (4, 2)]]


def test_without_an_equal_score_the_next_lower_one_is_sought():
    assert paired(Circle([4, 0, 2, 0])) == [[(1, 3), (4, 2)]]


def test_the_lower_score_is_sought_from_the_last_place_considered():
    # 1 has met 4, the only other one with 2 points: the search goes on after 4, so 5 comes before 2.
    assert paired(Circle([2, 0, 0, 2, 0, 0], met={1: {4}}))[0][0] == (1, 5)


def test_absent_players_are_skipped():
    assert paired(Circle([0] * 6, absent={2, 5})) == [[(1, 3), (4, 6)]]


def test_the_rotation_may_start_at_the_place_of_an_absent_player():
    assert paired(Circle([0] * 6, rotation_start=5, absent={5, 2})) == [[(6, 1), (3, 4)]]


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


@pytest.mark.thorough
@settings(max_examples=60)
@given(st.lists(circles(), min_size=1, max_size=4))
def test_all_events_at_once_are_paired_as_each_is_alone(events):
    assert paired(*events) == [walked(circle) for circle in events]


def places_of(events: pl.DataFrame, entrants: pl.DataFrame) -> pl.DataFrame:
    return italian_swiss.with_places(entrants.join(events, on="event_no"), 1).sort("event_no", "place")


def test_about_half_the_events_are_listed_by_lot_and_the_others_by_strength():
    events = events_of("italian_swiss", 200, 5)
    listed = places_of(events, entrants_of(events, 12))
    by_strength = listed.group_by("event_no").agg((pl.col("start_number") == pl.col("place")).all())["start_number"]
    assert 70 < by_strength.sum() < 130


def test_every_player_has_one_place_on_the_circle():
    events = events_of("italian_swiss", 20, 5)
    listed = places_of(events, entrants_of(events, 9, late=300))
    assert listed["place"].to_list() == [*range(1, 10)] * 20


def test_late_entrants_are_at_the_end_of_the_list():
    events = events_of("italian_swiss", 50, 5)
    listed = places_of(events, entrants_of(events, 10, late=300))
    late = listed.group_by("event_no", maintain_order=True).agg(pl.col("enters_round") > 1)["enters_round"].to_list()
    assert any(any(event) for event in late)
    assert all(event == sorted(event) for event in late)


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


def test_in_the_first_round_the_odd_places_have_white(even):
    events = events_of("italian_swiss", 60, 6)
    places = places_of(events, entrants_of(events, 20)).select("event_no", "start_number", "place")
    first = even.filter(pl.col("round") == 1, pl.col("opponent").is_not_null()).join(
        places, on=["event_no", "start_number"]
    )
    with_half_point_bye = even.filter(pl.col("round") == 1, pl.col("result") == "H")["event_no"].unique()
    undisturbed = first.filter(~pl.col("event_no").is_in(with_half_point_bye.implode()))
    assert len(undisturbed) > 200
    assert set(undisturbed.filter(pl.col("place") % 2 == 1)["colour"]) == {"w"}


def test_in_the_first_round_the_last_place_of_an_odd_number_is_free():
    events = events_of("italian_swiss", 40, 5)
    entrants = entrants_of(events, 9)
    cells = play(events, entrants, 1, EXPECTED).filter(pl.col("round") == 1)
    places = places_of(events, entrants).select("event_no", "start_number", "place")
    with_half_point_bye = cells.filter(pl.col("result") == "H")["event_no"]
    free = cells.filter(pl.col("result").is_in(["U", "F"]), ~pl.col("event_no").is_in(with_half_point_bye.implode()))
    assert len(free) > 10
    assert set(free.join(places, on=["event_no", "start_number"])["place"]) == {9}


def test_colour_preferences_are_granted_where_they_do_not_clash(even):
    second = games(even.filter(pl.col("round") <= 2)).sort("event_no", "start_number", "round")
    colours = second.group_by("event_no", "start_number", maintain_order=True).agg("colour")["colour"].to_list()
    alternated = sum(two in (["w", "b"], ["b", "w"]) for two in colours)
    assert alternated * 100 > 60 * len(colours)
