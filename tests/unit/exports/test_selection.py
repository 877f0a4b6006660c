from __future__ import annotations

import polars as pl

from ratinglist.lists.formats import combine_lists, select_players, with_both_titles
from tests.unit.exports.lists import listed, player

STANDARD = listed(player(1, rating=2200), player(2, rating=2100, federation="ITA"), player(3, rating=2100))
RAPID = listed(player(2, rating=1900, games=4, k=10, federation="ITA"), player(4, rating=1800), time_control="rapid")


def ids(rows):
    return sorted(rows["fide_id"])


def test_a_federation_has_its_own_players_only():
    selected = select_players({"standard": STANDARD, "rapid": RAPID}, "ITA", None)
    assert {name: ids(rows) for name, rows in selected.items()} == {"standard": [2], "rapid": [2]}


def test_players_level_with_the_last_of_the_first_are_kept():
    assert ids(select_players({"standard": STANDARD}, None, 2)["standard"]) == [1, 2, 3]


def test_the_first_are_those_of_the_federation():
    assert ids(select_players({"standard": STANDARD}, "ORV", 1)["standard"]) == [1]


def test_a_player_of_two_lists_is_one_row_with_both_ratings():
    lists = {"standard": STANDARD, "rapid": RAPID}
    rows = combine_lists(lists, lists)
    two = rows.filter(rows["fide_id"] == 2).row(0, named=True)
    assert ids(rows) == [1, 2, 3, 4]
    assert (two["standard_rating"], two["rapid_rating"], two["rapid_games"], two["rapid_k"]) == (2100, 1900, 4, 10)


def test_a_list_without_the_player_gives_nulls():
    lists = {"standard": STANDARD, "rapid": RAPID}
    rows = combine_lists(lists, lists)
    four = rows.filter(rows["fide_id"] == 4).row(0, named=True)
    assert (four["standard_rating"], four["blitz_rating"], four["blitz_k"]) == (None, None, None)


def test_a_player_among_the_first_of_one_list_keeps_all_ratings():
    lists = {"standard": STANDARD, "rapid": RAPID}
    rows = combine_lists(lists, select_players(lists, None, 1))
    assert {row["fide_id"]: row["standard_rating"] for row in rows.to_dicts()} == {1: 2200, 2: 2100}


def test_the_flag_is_that_of_the_standard_list():
    lists = {
        "standard": listed(player(1, flag="i"), player(2, flag="w")),
        "rapid": listed(player(1), player(2, flag="wi"), player(3, flag="wi"), time_control="rapid"),
        "blitz": listed(player(3, flag="w"), player(4, flag="i"), time_control="blitz"),
    }
    rows = combine_lists(lists, {name: lists[name] for name in ("rapid", "blitz")})
    assert dict(rows.select("fide_id", "flag").sort("fide_id").iter_rows()) == {1: "i", 2: "w", 3: "wi", 4: "i"}


def test_a_womans_only_title_is_in_both_columns_of_titles():
    titles = [("", "WGM"), ("WFM", ""), ("IM", "WGM"), ("FM", ""), ("", "")]
    rows = with_both_titles(pl.DataFrame(titles, schema=["title", "women_title"], orient="row"))
    assert rows.rows() == [("WGM", "WGM"), ("WFM", "WFM"), ("IM", "WGM"), ("FM", ""), ("", "")]
