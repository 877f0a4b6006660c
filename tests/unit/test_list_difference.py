"""Who moves, enters and leaves between two lists of a month."""

import polars as pl

from ratinglist.laboratory.list_movement import compared_lists, largest_rows, moved_rows

AS_IT_IS = pl.DataFrame({"fide_id": [1, 2, 3, 4], "rating": [1500, 1600, 1700, 1800]})
CHANGED = pl.DataFrame({"fide_id": [1, 2, 3, 5], "rating": [1500, 1590, 1740, 2000]})
PLAYERS = pl.DataFrame(
    {"fide_id": [1, 2, 3, 4, 5], "name": list("ABCDE"), "federation": ["KEL", "KEL", "ORV", "ORV", "ORV"]}
)


def test_the_groups_count_who_moves_enters_and_leaves():
    rows = moved_rows(compared_lists(AS_IT_IS, CHANGED, PLAYERS))
    counted = rows.select("grouping", "value", "players", "moved", "entering", "leaving", "mean_hundredths").rows()
    assert counted == [
        ("all", "", 3, 2, 1, 1, 1000),
        ("band", "1400", 1, 0, 0, 0, 0),
        ("band", "1600", 2, 2, 0, 0, 1500),
        ("band", "1800", 0, 0, 0, 1, None),
        ("band", "2000", 0, 0, 1, 0, None),
        ("federation", "KEL", 2, 1, 0, 0, -500),
        ("federation", "ORV", 1, 1, 1, 1, 4000),
    ]


def test_the_quantiles_are_differences_that_occur():
    every = moved_rows(compared_lists(AS_IT_IS, CHANGED, PLAYERS)).row(0, named=True)
    assert [every[f"{name}_hundredths"] for name in ("lower", "median", "upper")] == [-1000, 0, 0]


def test_the_largest_differences_come_first_whatever_their_sign():
    rows = largest_rows(compared_lists(AS_IT_IS, CHANGED, PLAYERS))
    assert rows.select("fide_id", "name", "rating", "changed_rating", "difference").rows() == [
        (3, "C", 1700, 1740, 40),
        (2, "B", 1600, 1590, -10),
    ]
