from __future__ import annotations

import pytest

from ratinglist_world.people import FLOOR, PLAYER_COLUMNS, STATE_COLUMNS, Dice, name_of, world_of
from ratinglist_world.simulate import federation_of
from tests.world.worlds import FIRST

WORLD = world_of(3000, FIRST, federations=("ORV", "KEL"))
COLUMNS = (*PLAYER_COLUMNS, *STATE_COLUMNS)


@pytest.fixture(scope="module")
def listed() -> list[dict[str, object]]:
    return [dict(zip(COLUMNS, row, strict=True)) for row in federation_of(WORLD).starting_list()]


def test_every_player_is_listed_once_for_a_time_control_and_the_unrated_for_standard(listed):
    keys = [(row["fide_id"], row["time_control"]) for row in listed]
    assert len(keys) == len(set(keys))
    assert len({row["fide_id"] for row in listed}) == WORLD.players
    unrated = [row for row in listed if row["rating"] is None]
    assert 0.2 < len(unrated) / WORLD.players < 0.6
    assert {row["time_control"] for row in unrated} == {"standard"}
    assert {row["time_control"] for row in listed} == {"standard", "rapid", "blitz"}
    assert min(row["rating"] for row in listed if row["rating"]) >= FLOOR


def test_k_follows_from_age_games_and_the_rating_reached(listed):
    """B.02 8.3.3."""
    for row in listed:
        if row["rating"] is None:
            continue
        junior = FIRST.first_day.year - row["birth_year"] <= 18 and not row["reached_2300"]
        wanted = 10 if row["reached_2400"] else 40 if junior or row["games_played"] < 30 else 20
        assert row["k"] == wanted, row
    assert {row["k"] for row in listed} == {None, 10, 20, 40}


def test_names_fit_a_report_and_have_letters_of_three_kinds():
    dice = Dice("names")
    names = [name_of(dice, woman=at % 2 == 0) for at in range(3000)]
    assert max(map(len, names)) <= 33
    assert len(set(names)) > 2500
    text = "".join(names)
    assert "ö" in text
    assert "ł" in text
    assert "ш" in text.lower()
