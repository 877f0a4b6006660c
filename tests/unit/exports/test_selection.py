from __future__ import annotations

import polars as pl

from ratinglist.lists.formats import combine_lists, with_both_titles
from tests.unit.exports.lists import listed, player

STANDARD = listed(player(1, rating=2200), player(2, rating=2100, federation="ITA"), player(3, rating=2100))
RAPID = listed(player(2, rating=1900, games=4, k=10, federation="ITA"), player(4, rating=1800), time_control="rapid")


LISTS = {"standard": STANDARD, "rapid": RAPID}


def test_lists_together_have_a_row_of_each_player_with_all_ratings():
    columns = ("fide_id", "standard_rating", "rapid_rating", "rapid_games", "rapid_k", "blitz_rating", "blitz_k")
    rows = combine_lists(LISTS).select(columns).sort("fide_id").rows()
    none = (None, None, None, None, None)
    assert rows == [
        (1, 2200, *none),
        (2, 2100, 1900, 4, 10, None, None),
        (3, 2100, *none),
        (4, None, 1800, 0, 20, None, None),
    ]


def test_the_flag_is_that_of_the_standard_list():
    lists = {
        "standard": listed(player(1, flag="i"), player(2, flag="w")),
        "rapid": listed(player(1), player(2, flag="wi"), player(3, flag="wi"), time_control="rapid"),
        "blitz": listed(player(3, flag="w"), player(4, flag="i"), time_control="blitz"),
    }
    rows = combine_lists(lists)
    assert dict(rows.select("fide_id", "flag").sort("fide_id").iter_rows()) == {1: "i", 2: "w", 3: "wi", 4: "i"}


def test_a_womans_only_title_is_in_both_columns_of_titles():
    titles = [("", "WGM"), ("WFM", ""), ("IM", "WGM"), ("FM", ""), ("", "")]
    rows = with_both_titles(pl.DataFrame(titles, schema=["title", "women_title"], orient="row"))
    assert rows.rows() == [("WGM", "WGM"), ("WFM", "WFM"), ("IM", "WGM"), ("FM", ""), ("", "")]
