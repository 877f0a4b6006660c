from __future__ import annotations

from ratinglist.lists.export_selection import chosen, combined
from tests.unit.exports.lists import listed, player

STANDARD = listed(player(1, rating=2200), player(2, rating=2100, federation="ITA"), player(3, rating=2100))
RAPID = listed(player(2, rating=1900, games=4, k=10, federation="ITA"), player(4, rating=1800), time_control="rapid")


def ids(rows):
    return sorted(rows["fide_id"])


def test_a_federation_has_its_own_players_only():
    some = chosen({"standard": STANDARD, "rapid": RAPID}, "ITA", None)
    assert {name: ids(rows) for name, rows in some.items()} == {"standard": [2], "rapid": [2]}


def test_whoever_is_level_with_the_last_of_the_first_is_taken_too():
    assert ids(chosen({"standard": STANDARD}, None, 2)["standard"]) == [1, 2, 3]


def test_the_first_are_those_of_the_federation():
    assert ids(chosen({"standard": STANDARD}, "ORV", 1)["standard"]) == [1]


def test_a_player_of_two_lists_is_one_row_with_both_ratings():
    lists = {"standard": STANDARD, "rapid": RAPID}
    rows = combined(lists, lists)
    two = rows.filter(rows["fide_id"] == 2).row(0, named=True)
    assert ids(rows) == [1, 2, 3, 4]
    assert (two["standard_rating"], two["rapid_rating"], two["rapid_games"], two["rapid_k"]) == (2100, 1900, 4, 10)


def test_a_list_he_is_not_on_says_nothing():
    lists = {"standard": STANDARD, "rapid": RAPID}
    rows = combined(lists, lists)
    four = rows.filter(rows["fide_id"] == 4).row(0, named=True)
    assert (four["standard_rating"], four["blitz_rating"], four["blitz_k"]) == (None, None, None)


def test_whoever_is_among_the_first_of_one_list_keeps_all_his_ratings():
    lists = {"standard": STANDARD, "rapid": RAPID}
    rows = combined(lists, chosen(lists, None, 1))
    assert {row["fide_id"]: row["standard_rating"] for row in rows.to_dicts()} == {1: 2200, 2: 2100}


def test_a_player_is_inactive_where_he_is_on_every_list_he_is_on():
    lists = {
        "standard": listed(player(1, flag="i"), player(2, flag="wi"), player(3, flag="wi")),
        "rapid": listed(player(1, flag=""), player(2, flag="wi"), time_control="rapid"),
    }
    rows = combined(lists, lists)
    assert dict(rows.select("fide_id", "flag").sort("fide_id").iter_rows()) == {1: "", 2: "wi", 3: "wi"}
