from __future__ import annotations

import pytest

from ratinglist_world.people import FLOOR, PLAYER_COLUMNS, STATE_COLUMNS, name_of, renamed
from ratinglist_world.plan import Dice, world_of
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


def test_ages_sexes_and_federations_are_mixed(listed):
    ages = [FIRST.first_day.year - row["birth_year"] for row in listed]
    assert 6 <= min(ages) < 10
    assert 75 < max(ages) <= 87
    assert {row["sex"] for row in listed} == {"M", "F"}
    of = [row["federation"] for row in listed]
    assert of.count("ORV") > 1.5 * of.count("KEL")
    assert {"i", "w", "wi", ""} == {row["flag"] for row in listed}
    assert "GM" in {row["title"] for row in listed}
    assert {row["sex"] for row in listed if row["women_title"]} == {"F"}


def test_juniors_rise_and_veterans_decline():
    federation = federation_of(world_of(3000, FIRST, 2))
    before = {player.fide_id: (player.strength, player.age_months(FIRST) // 12) for player in federation.players}
    for _ in range(24):
        federation.next_month()
    moved = {player.fide_id: player.strength for player in federation.players}
    juniors, adults, veterans = (
        [moved[player] - strength for player, (strength, age) in before.items() if low <= age < high]
        for low, high in ((8, 15), (25, 40), (65, 80))
    )
    assert sum(juniors) / len(juniors) > 100
    assert abs(sum(adults) / len(adults)) < 15
    assert sum(veterans) / len(veterans) < -15


def test_names_fit_a_report_and_have_letters_of_three_kinds():
    dice = Dice("names")
    names = [name_of(dice, woman=at % 2 == 0) for at in range(3000)]
    assert max(map(len, names)) <= 33
    assert len(set(names)) > 2500
    text = "".join(names)
    assert "ö" in text
    assert "ł" in text
    assert "ш" in text.lower()


def test_another_surname_keeps_the_given_name_and_the_language():
    dice = Dice("wedding")
    for before in (name_of(dice, woman=True) for _ in range(300)):
        after = renamed(before, dice)
        assert after.split(", ")[1] == before.split(", ")[1]
        assert _is_cyrillic(after) == _is_cyrillic(before)


def _is_cyrillic(name: str) -> bool:
    return name[0] > "Ѐ"
