from __future__ import annotations

import polars as pl

from ratinglist.simulation import people
from ratinglist.simulation.people import NUMBER
from ratinglist.simulation.plan import World, world_of
from tests.unit.simulation.worlds import FIRST

WORLD = world_of(20_000, FIRST)


def strengths(world: World, month: int, ages: tuple[int, int]) -> pl.Series:
    """Return the strengths, by number, of the players of these ages in years at the start of the world."""
    frame = people.with_biography(people.numbers(world, 0), world)
    frame = people.with_strength(frame, world, month)
    age = people.age_months(pl.col("birth_date"), world.period(0)) // 12
    return frame.filter(age.is_between(*ages))["strength"]


def described(world: World, month: int) -> pl.DataFrame:
    frame = people.with_strength(people.with_biography(people.numbers(world, month), world), world, month)
    return people.with_list_data(people.with_rating(frame, world), world, month)


def test_no_player_is_rated_below_the_floor():
    assert described(WORLD, 0)["rating"].min() == people.FLOOR


def test_newcomers_are_unrated_and_play_under_new_numbers():
    frame = described(WORLD, 2)
    new = frame.join(people.newcomers(WORLD, 2), on="number", how="semi")
    assert new.height == 80
    assert new["rating"].null_count() == 80
    assert new["fide_id"].min() > frame.filter(NUMBER.lt(WORLD.registered(1)))["fide_id"].max()


def test_names_hold_letters_that_windows_1252_knows_and_others():
    names = described(WORLD, 0)["name"].to_list()
    written = [name.encode("cp1252", "replace").decode("cp1252") == name for name in names]
    ascii_only = sum(name.isascii() for name in names)
    assert 3_000 < written.count(False) < 6_000
    assert 0 < ascii_only < written.count(True)


def test_a_name_fits_its_columns_and_has_a_comma():
    names = described(WORLD, 0)["name"]
    assert names.str.len_chars().max() <= 33
    assert names.str.contains(r"^\S[^,]+, ?\S*$").all()


def test_data_change_only_in_the_month_of_the_change():
    world = world_of(20_000, FIRST, federations=("ORV", "KEL"))
    before, after = described(world, 0), described(world, 1).filter(NUMBER.lt(world.players))
    data = ["name", "federation", "other_titles"]
    changed = after.filter((after.select(data) != before.select(data)).fold(lambda one, other: one | other))
    announced = people.numbers(world, 0).filter(people.is_changed(world, 1))
    assert changed.height > 0
    assert set(changed["number"]) <= set(announced["number"])


def test_a_player_is_the_same_in_a_larger_selection():
    few = people.with_biography(people.numbers(WORLD, 0).slice(500, 5), WORLD)
    assert few.equals(people.with_biography(people.numbers(WORLD, 0), WORLD).slice(500, 5))
