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


def test_ages_on_the_starting_list_are_from_7_to_85():
    frame = people.with_biography(people.numbers(WORLD, 0), WORLD)
    ages = frame.select(people.age_months(pl.col("birth_date"), WORLD.period(0)) // 12).to_series()
    assert (ages.min(), ages.max()) == (7, 85)


def test_one_player_in_eight_is_a_woman():
    women = people.with_biography(people.numbers(WORLD, 0), WORLD)["woman"].sum()
    assert 2_200 < women < 2_600


def test_most_players_hardly_ever_play():
    activity = people.with_biography(people.numbers(WORLD, 0), WORLD)["activity"]
    counts = [(activity == level).sum() for level in range(4)]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] > 11_000


def test_juniors_rise_and_veterans_decline_over_two_years():
    for ages, rises in (((8, 14), True), ((68, 80), False)):
        before, after = (int(strengths(WORLD, month, ages).sum()) for month in (0, 24))
        assert (after > before) is rises


def test_a_strength_moves_little_from_one_month_to_the_next():
    before, after = (strengths(WORLD, month, (30, 40)) for month in (5, 6))
    assert (after - before).abs().max() <= 11
    assert (after != before).any()


def test_a_rating_is_the_strength_with_an_error():
    frame = described(WORLD, 0).filter(pl.col("rating").is_not_null())
    error = frame["rating"] - frame["strength"]
    assert error.abs().max() == 80
    assert error.n_unique() > 100


def test_no_player_is_rated_below_the_floor():
    assert described(WORLD, 0)["rating"].min() == people.FLOOR


def test_newcomers_are_unrated_and_play_under_new_numbers():
    frame = described(WORLD, 2)
    new = frame.join(people.newcomers(WORLD, 2), on="number", how="semi")
    assert new.height == 80
    assert new["rating"].null_count() == 80
    assert new["fide_id"].min() > frame.filter(NUMBER.lt(WORLD.registered(1)))["fide_id"].max()


def test_titles_go_by_the_highest_rating():
    frame = described(WORLD, 0)
    masters = frame.filter(pl.col("title") == "GM")
    assert masters["highest"].min() >= 2500
    assert frame.filter(pl.col("title") == "FM")["highest"].max() < 2400
    assert (frame.filter(pl.col("women_title") != "")["sex"] == "F").all()


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


def test_players_belong_to_federations_of_different_size():
    world = world_of(20_000, FIRST, federations=("ORV", "KEL", "ZYM"))
    counts = described(world, 0)["federation"].value_counts().sort("count", descending=True)
    assert counts["federation"].to_list() == ["ORV", "KEL", "ZYM"]
    assert counts["count"][0] > 2 * counts["count"][2]


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
