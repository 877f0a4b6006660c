"""The places on a player's cards are those of the list, filtered by the age group and by active players."""

from __future__ import annotations

import polars as pl

from ratinglist.period import Period
from ratinglist.site.places import age_groups, places

GROUPS = age_groups(Period.parse("2025-12"))
PLAYERS = pl.DataFrame(
    [
        # FIDE ID, federation, year of birth, rating, flag
        (1, "ORV", 2017, 1600, None),
        (2, "ORV", 2014, 1500, None),
        (3, "ORV", 2012, 1500, None),
        (4, "ORV", 2011, 1400, None),
        (5, "ORV", 2011, 1900, "i"),
        (6, "ORV", 2010, 1800, None),
        (7, "ORV", 1955, 1700, None),
        (8, "ORV", None, 2000, None),
        (9, "XYZ", 2012, 2100, None),
    ],
    schema=["fide_id", "federation", "birth_year", "rating", "flag"],
    orient="row",
).with_columns(time_control=pl.lit("standard"))


def test_a_group_is_all_who_are_in_its_years_the_younger_ones_too():
    """Nobody is left out of the players under 14 for being under 12 as well."""
    found = {row[0]: row[1:] for row in places(PLAYERS, GROUPS).iter_rows()}
    for player in PLAYERS.filter(pl.col("flag").is_null() & pl.col("birth_year").is_not_null()).iter_rows(named=True):
        first, last = next(years for years in GROUPS.values() if years[0] <= player["birth_year"] <= years[1])
        same = PLAYERS.filter(
            (pl.col("federation") == player["federation"])
            & pl.col("flag").is_null()
            & pl.col("birth_year").is_between(first, last)
        )["rating"]
        assert found[player["fide_id"]][4:] == (1 + int((same > player["rating"]).sum()), len(same))
    assert found[4] == (0, 7, 7, "U14", 4, 4)
    assert found[8] == (0, 1, 7, None, None, None)
    assert 5 not in found


def test_without_years_of_birth_there_are_no_groups():
    found = places(PLAYERS.with_columns(birth_year=pl.lit(None, pl.Int32)), {})
    assert found.select("group", "place_of_group", "players_of_group").unique().rows() == [(None, None, None)]
