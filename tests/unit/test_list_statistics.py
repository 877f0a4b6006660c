"""Statistics of lists against slow plain calculations: groups, flow of points, inflation, a reference list."""

from __future__ import annotations

import math
import statistics
from fractions import Fraction
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings, strategies as st

from ratinglist.period import Period
from ratinglist.tables import CHANGE, GAME
from ratinglist_lab.measures import measured
from ratinglist_lab.statistics import TABLES, _groups, of_groups

RATED = {"fide_id": pl.Int64, "rating": pl.Int32}
few = settings(max_examples=12)
ratings = st.integers(1000, 2900)
lists = st.dictionaries(st.integers(1, 12), ratings, max_size=12)


def half_up(value: Fraction) -> int:
    return math.floor(value + Fraction(1, 2))


def frame(ratings: dict[int, int]) -> pl.DataFrame:
    return pl.DataFrame(list(ratings.items()), schema=RATED, orient="row")


LISTED = {
    "fide_id": pl.Int64,
    "rating": pl.Int32,
    "birth_year": pl.Int32,
    "reference_rating": pl.Int32,
} | dict.fromkeys(("title", "women_title", "flag", "category"), pl.String)
MONTH = {"list_month": pl.String}
NONE = {
    "listed": pl.DataFrame(schema=LISTED),
    "player_group": _groups(1980, {}),
    "series": pl.DataFrame(schema=RATED | MONTH),
    "series_month": pl.DataFrame(schema=MONTH),
    "published_month": pl.DataFrame(schema=MONTH),
    "change": CHANGE.empty().with_columns(list_month=pl.lit("")),
    "side": GAME.empty().with_columns(list_month=pl.lit("")),
}


def table(name: str, before: str | None = None, first: str = "2024-01", **frames: pl.DataFrame) -> pl.DataFrame:
    """The statistics of this name of a list of 2025-12, of the frames that differ from none."""
    days = {"list_month": "2025-12", "before": before, "first": first, "year": 2025}
    return measured(
        [statistic for statistic in TABLES if statistic.name == name], "member", {**NONE, **frames}, **days
    )[name]


def series(lists: dict[Period, dict[int, int]]) -> dict[str, pl.DataFrame]:
    """Lists as the series that statistics are of."""
    months = [str(month) for month in lists]
    parts = [frame(ratings).with_columns(list_month=pl.lit(str(month))) for month, ratings in lists.items()]
    return {"series": pl.concat(parts), "series_month": pl.DataFrame({"list_month": months}, MONTH)}


def changes(rows: list[tuple[str, int, int, int | None, str]]) -> pl.DataFrame:
    """Changes as month, player, change, new rating, status."""
    return pl.DataFrame(rows, MONTH | {name: CHANGE.schema[name] for name in _OF_CHANGE}, orient="row")


_OF_CHANGE = ("fide_id", "change", "new_rating", "status")


def mean_hundredths(values: list[int]) -> int | None:
    return half_up(Fraction(100 * sum(values), len(values))) if values else None


def players(rows: list[dict[str, Any]]) -> pl.DataFrame:
    plain = {"rating": 1500, "title": "", "women_title": "", "flag": ""}
    return pl.DataFrame([dict.fromkeys(LISTED) | plain | row for row in rows], LISTED)


def test_groups_by_category():
    rows = players([{"rating": 1480, "category": "3N"}, {"rating": 1510, "category": "3N"}, {"rating": 1900}])
    groups = table("groups", listed=rows, player_group=_groups(1980, {"3N": 1500, "2N": 1600}))
    by_group = {(row["grouping"], row["value"]): row for row in groups.iter_rows(named=True)}
    of_third = by_group["category", "3N"]
    assert (of_third["players"], of_third["lower_limit"], of_third["below_limit"]) == (2, 1500, 1)
    assert len(by_group) == 3


def test_groups_of_a_list():
    rows = [
        {"rating": 2450, "title": "GM", "birth_year": 1990},
        {"rating": 2600, "title": "GM", "birth_year": 1970, "flag": "i"},
        {"rating": 2310, "title": "IM", "women_title": "WGM", "flag": "w", "reference_rating": 2300},
        {"rating": 1500, "flag": "wi", "birth_year": 2001},
    ]
    groups, bands, births = (table(name, listed=players(rows)) for name in ("groups", "bands", "birth_years"))
    by_group = {(row["grouping"], row["value"]): row for row in groups.iter_rows(named=True)}
    assert {name: row["players"] for name, row in by_group.items()} == {
        ("all", ""): 4,
        ("active", ""): 2,
        ("title", "GM"): 2,
        ("title", "IM"): 1,
        ("title", "WGM"): 1,
        ("with_reference", ""): 1,
        ("born_after", "1980"): 2,
    }
    expected = {"mean_hundredths": 252500, "deviation_hundredths": 7500, "lower_limit": 2500}
    expected |= {"below_limit": 1, "share_below_hundredths": 50}
    assert {name: by_group["title", "GM"][name] for name in expected} == expected
    assert by_group["all", ""]["mean_age_hundredths"] == half_up(Fraction(100 * (35 + 55 + 24), 3))
    assert (by_group["title", "IM"]["mean_age_hundredths"], by_group["all", ""]["lower_limit"]) == (None, None)
    assert dict(bands.filter(pl.col("grouping") == "all").select("band", "players").iter_rows()) == {
        1500: 1,
        2300: 1,
        2400: 1,
        2600: 1,
    }
    assert births.select("birth_year", "players", "mean_hundredths").row(0) == (1970, 1, 260000)


@few
@given(lists, lists, st.lists(st.tuples(st.integers(1, 14), st.integers(-80, 80)), max_size=15))
def test_the_parts_of_the_flow_add_up(before, after, changed):
    lists = series({Period.parse("2025-10"): before, Period.parse("2025-12"): after})
    rows = [("2025-11", who, change, None, "rated") for who, change in changed]
    flow = table("flow", before="2025-10", change=changes([*rows, ("2025-10", 1, 900, None, "rated")]), **lists)
    points = dict(flow.select("part", "points").iter_rows())
    stayed = before.keys() & after.keys()
    games = sum(change for who, change in changed if who in stayed)
    assert points == {
        "before": sum(before.values()),
        "games": games,
        "other_changes": sum(after[who] - before[who] for who in stayed) - games,
        "entering": sum(after[who] for who in after.keys() - before.keys()),
        "leaving": sum(before[who] for who in before.keys() - after.keys()),
        "after": sum(after.values()),
    }
    gained = points["games"] + points["other_changes"] + points["entering"] - points["leaving"]
    assert points["before"] + gained == points["after"]
    assert flow["part"].to_list() == list(points)


@few
@given(st.lists(lists, min_size=1, max_size=14))
def test_the_mean_of_the_same_players_and_of_newcomers(history):
    first = Period.parse("2024-11")
    months = {first + number: ratings for number, ratings in enumerate(history)}
    entered = {
        month: {who: rating for who, rating in ratings.items() if who not in months.get(month - 1, {})}
        for month, ratings in months.items()
        if month != first
    }
    rows = table(
        "inflation",
        **series(months),
        change=changes(
            [(str(month), who, 0, rating, "entered") for month, new in entered.items() for who, rating in new.items()]
        ),
        published_month=pl.DataFrame({"list_month": list(map(str, entered))}, MONTH),
    )
    same = set.intersection(*(set(ratings) for ratings in history))
    for row, (month, listed) in zip(rows.iter_rows(named=True), months.items(), strict=True):
        assert (row["list_month"], row["players"]) == (str(month), len(listed))
        assert row["mean_hundredths"] == mean_hundredths(list(listed.values()))
        assert (row["same_players"], row["same_mean_hundredths"]) == (
            len(same),
            mean_hundredths([listed[who] for who in same]),
        )
        assert row["top_mean_hundredths"] == row["mean_hundredths"]  # fewer than a hundred
        assert (row["entered"] is None) == (month not in entered)
        again = entered.get(month - 12, {}).keys() & listed.keys()
        assert row["entered_12_before"] == (len(again) if month - 12 in entered else None)
        assert row["mean_now_hundredths"] == mean_hundredths([listed[who] for who in again])
        assert row["mean_at_entry_hundredths"] == mean_hundredths([entered[month - 12][who] for who in again])


def test_the_mean_of_two_million_players_is_a_rating():
    # Of fewer players with higher ratings, whose sum is as large.
    players, rating = 2_000, 1_800_000
    listed = pl.select(fide_id=pl.int_range(players), rating=pl.repeat(rating, players, dtype=pl.Int32))
    month = pl.DataFrame({"list_month": ["2025-01"]})
    rows = table("inflation", series=listed.with_columns(list_month=pl.lit("2025-01")), series_month=month)
    assert rows["mean_hundredths"].item() == 100 * rating


def test_the_best_hundred_are_watched():
    listed = {number: 1000 + number for number in range(1, 151)}
    row = table("inflation", **series({Period.parse("2025-01"): listed})).row(0, named=True)
    assert (row["top_players"], row["top_mean_hundredths"]) == (100, mean_hundredths(list(range(1051, 1151))))


def test_points_are_gained_where_the_two_players_have_different_k():
    sides = [
        ("A", 1, 1, 2, 2000),  # K 40
        ("A", 1, 2, 1, -1000),  # K 20
        ("A", 2, 2, 1, 300),  # the same two again
        ("A", 2, 1, 2, -300),
        ("B", 1, 3, 4, 700),  # the opponent's side is not rated
    ]
    names = ["event_id", "round", "fide_id", "opponent_id", "change_hundredths"]

    def exchanged(rows: list[tuple]) -> tuple:
        inflation = table(
            "inflation",
            **series({Period.parse("2025-12"): {1: 1500}}),
            published_month=pl.DataFrame({"list_month": ["2025-12"]}),
            side=pl.DataFrame(rows, names, orient="row").with_columns(list_month=pl.lit("2025-12"))
            if rows
            else NONE["side"],
        )
        games = ("games", "points_gained_hundredths", "games_of_one_side", "points_of_one_side_hundredths")
        return inflation.select(games).row(0)

    assert exchanged(sides) == (2, 1000, 1, 700)
    assert exchanged([(*sides[0][:4], None), *sides[1:]]) == (2, None, 1, None)
    assert exchanged([]) == (0, 0, 0, 0)


@few
@given(st.lists(st.tuples(ratings, ratings), min_size=2, max_size=30))
def test_the_line_of_best_fit_is_that_of_the_library(pairs):
    rows = table("reference", listed=players([{"rating": own, "reference_rating": other} for own, other in pairs]))
    first = rows.row(0, named=True)
    assert (first["band"], first["players"]) == (None, len(pairs))
    assert first["mean_difference_hundredths"] == mean_hundredths([own - other for own, other in pairs])
    assert rows["players"].tail(-1).sum() == len(pairs)
    assert rows["slope_ten_thousandths"].null_count() >= rows.height - 1
    for name, x, y in (("", 1, 0), ("reverse_", 0, 1)):
        independent, dependent = [pair[x] for pair in pairs], [pair[y] for pair in pairs]
        slope, intercept = first[f"{name}slope_ten_thousandths"], first[f"{name}intercept_hundredths"]
        if len(set(independent)) > 1:
            line = statistics.linear_regression(independent, dependent)
            assert slope == pytest.approx(10_000 * line.slope, abs=0.51)
            assert intercept == pytest.approx(100 * line.intercept, abs=0.51)
        else:
            assert slope is None


def test_a_list_without_a_reference_rating_is_compared_with_none():
    assert table("reference", listed=players([{"rating": 1800}, {"rating": 1900}])).is_empty()


@few
@given(st.lists(st.lists(ratings, min_size=1, max_size=8), min_size=1, max_size=5))
def test_groups_together_have_the_mean_and_deviation_of_all_players(groups):
    # Whole means and deviations: every group is made of pairs that are equally far from its mean.
    pairs = [[end for rating in group for end in (group[0] - rating // 9, group[0] + rating // 9)] for group in groups]
    equal = [group[:2] for group in pairs]
    measures = [(2, (low + high) // 2, (high - low) // 2) for low, high in equal]
    every = [rating for group in equal for rating in group]
    count, mean, deviation = of_groups(measures)
    assert (count, mean) == (len(every), mean_hundredths(every))
    assert deviation == pytest.approx(100 * statistics.pstdev(every), abs=0.51)


@few
@given(st.lists(ratings, min_size=1, max_size=30))
def test_a_list_of_the_series_has_its_deviation_and_standard_error(listed):
    row = table("inflation", **series({Period.parse("2025-01"): dict(enumerate(listed))})).row(0, named=True)
    deviation = statistics.pstdev(listed)
    assert row["deviation_hundredths"] == pytest.approx(100 * deviation, abs=0.51)
    assert row["standard_error_hundredths"] == pytest.approx(100 * deviation / len(listed) ** 0.5, abs=0.51)
