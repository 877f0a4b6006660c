"""The measures of the laboratory: losses, intervals by event, calibration, how lists move, and planted truth."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping
from random import Random

import polars as pl
import pytest

from ratinglist.period import Period
from ratinglist_lab.measures import LARGEST_TABLE, LOSSES, MOVED_TABLE, PREDICTION_TABLE, measured
from ratinglist_lab.report import TABLES

_ID = pl.Series("fide_id", [], dtype=pl.Int64)
_RATING = pl.Series("rating", [], dtype=pl.Int32)
NONE = {
    "prediction": PREDICTION_TABLE.empty().with_columns(system=pl.lit("")),
    "monthly": pl.DataFrame(schema={"system": pl.String}),
    "known": pl.DataFrame([_ID, _RATING, pl.Series("birth_year", [], dtype=pl.Int32)]),
    "replayed_month": pl.DataFrame(schema={"system": pl.String, "list_month": pl.String}),
    "replayed_list": pl.DataFrame([_ID, _RATING, _RATING.alias("games")]).with_columns(
        system=pl.lit(""), list_month=pl.lit("")
    ),
    "official": pl.DataFrame([_ID, _RATING]).with_columns(list_month=pl.lit("")),
}


def study(**frames: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """The tables of a study of 2025 by name, of the frames that differ from none."""
    return measured(TABLES, "scored", {**NONE, **frames}, year=2025)


def predicting(known: pl.DataFrame = NONE["known"], **predictions: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """The same of what systems predict, each by its name."""
    rows = pl.concat(rows.with_columns(system=pl.lit(name)) for name, rows in predictions.items())
    return study(prediction=rows, monthly=pl.DataFrame({"system": list(predictions)}), known=known)


def predicted(*games: tuple[str, int, int, int, int, float | None]) -> pl.DataFrame:
    """Games as event, White, Black, half points of White, White's rating less Black's, expected score."""
    names = ("event_id", "white_id", "black_id", "score_halves", "difference", "expected")
    rows = pl.DataFrame(games, names, orient="row", infer_schema_length=None)
    expected = (pl.col("expected").cast(pl.Float64) * 1_000_000_000).round().alias("expected_billionths")
    return PREDICTION_TABLE.conform(rows.with_columns(expected, round=pl.lit(1), list_month=pl.lit("2025-10")))


def own(tables: Mapping[str, pl.DataFrame]) -> dict[str, int]:
    """The scores of a system on all games that it predicts."""
    return tables["scores"].filter(pl.col("games_of") == "own").row(0, named=True)


def compared(tables: Mapping[str, pl.DataFrame], system: str, reference: str, measure: str = "log_loss") -> dict:
    """The difference of two systems on all games."""
    rows = tables["differences"].filter(
        pl.col("system") == system,
        pl.col("reference") == reference,
        pl.col("measure") == measure,
        pl.col("grouping") == "all",
    )
    return rows.row(0, named=True)


NO_FAVOURITE = [("A", 1, 2, 2, 0, 0.5), ("A", 3, 4, 0, 0, 0.5), ("A", 5, 6, 1, 0, 0.5)]
FAVOURITES = [
    ("A", 1, 2, 2, 0, 0.6),  # the favourite wins
    ("A", 3, 4, 2, 0, 0.4),  # and loses
    ("A", 5, 6, 0, 0, 0.3),
    ("A", 7, 8, 1, 0, 0.9),  # a draw
    ("A", 9, 10, 2, 0, 0.5),  # no favourite
]


@pytest.mark.parametrize(
    ("games", "expected"),
    [
        (NO_FAVOURITE, {"log_loss_millionths": 693147, "deviance_millionths": 301030, "brier_millionths": 166667}),
        # A certain expectation counts as 99 of 100 in the log loss alone.
        (
            [("A", 1, 2, 0, 0, 1.0)],
            {"log_loss_millionths": round(-math.log(0.01) * 1_000_000), "brier_millionths": 1_000_000},
        ),
        # A game without a rating is counted and never scored.
        (
            [("A", 1, 2, 2, 0, 0.5), ("A", 3, 4, 0, 0, None)],
            {"games": 1, "unrated": 1, "log_loss_millionths": 693147},
        ),
        (
            FAVOURITES,
            {"games": 5, "decisive": 3, "won_by_favourite": 2, "accuracy_millionths": 666667, "drawn": 1},
        ),
        ([("A", 1, 2, 1, 0, 0.6)], {"accuracy_millionths": None}),
    ],
)
def test_a_system_has_the_scores_of_the_definitions(games, expected):
    scores = own(predicting(a=predicted(*games)))
    assert {name: scores[name] for name in expected} == expected


def test_common_games_are_those_that_every_system_predicts():
    a = predicted(("A", 1, 2, 2, 0, 0.6), ("B", 3, 4, 2, 0, 0.9))
    scores = predicting(a=a, b=predicted(("A", 1, 2, 2, 0, 0.5), ("B", 3, 4, 2, 0, None)))["scores"]
    assert scores.select("games_of", "system", "games").rows() == [
        ("common", "a", 1),
        ("common", "b", 1),
        ("own", "a", 2),
        ("own", "b", 1),
    ]


def test_the_interval_takes_the_games_of_an_event_together():
    # Three events with differences (.02 + .06), .04 and -.03 of the Brier loss: n = 4, m = 5/4 of them.
    games = [("A", 1, 0.02), ("A", 2, 0.06), ("B", 3, 0.04), ("C", 4, -0.03)]
    a = predicted(*((event, white, 100, 0, 0, math.sqrt(0.25 + gain)) for event, white, gain in games))
    b = predicted(*((event, white, 100, 0, 0, 0.5) for event, white, _ in games))
    row = compared(predicting(a=a, b=b), "a", "b", "brier")
    mean = 0.09 / 4
    error = math.sqrt((0.08 - 2 * mean) ** 2 + (0.04 - mean) ** 2 + (-0.03 - mean) ** 2) / 4
    assert row["difference_millionths"] == round(1_000_000 * mean)
    assert row["error_millionths"] == round(1_000_000 * error)
    assert row["low_millionths"] == math.floor(1_000_000 * (mean - 1.96 * error))
    assert (row["games"], row["events"]) == (4, 3)


def test_a_difference_is_that_of_the_games_both_predict_and_reversed_the_other_way():
    a = predicted(("A", 1, 2, 2, 0, 0.6), ("B", 3, 4, 2, 0, 0.9))
    tables = predicting(a=a, b=predicted(("A", 1, 2, 2, 0, 0.5), ("B", 3, 4, 2, 0, None)))
    gained = round((math.log(0.5) - math.log(0.6)) * 1_000_000)
    comparison, other = compared(tables, "a", "b"), compared(tables, "b", "a")
    assert (comparison["difference_millionths"], other["difference_millionths"]) == (gained, -gained)
    assert comparison["games"] == other["games"] == 1


def test_the_error_of_a_calibration_is_that_of_the_mean_of_score_less_expected():
    expected = [0.6, 0.55, 0.62, 0.58]
    halves = [2, 0, 1, 2]
    games = [("A", 2 * n, 2 * n + 1, half, 60, e) for n, (half, e) in enumerate(zip(halves, expected, strict=True))]
    rows = predicting(a=predicted(*games, ("A", 20, 21, 2, 200, 0.8)))["calibration"]
    bands = rows.filter(pl.col("grouping") == "difference")
    by_band = dict(bands.select("value", "error_millionths").iter_rows())
    due = statistics.stdev(half / 2 - e for half, e in zip(halves, expected, strict=True)) / math.sqrt(4)
    assert by_band == {"200": None, "50": round(1_000_000 * due)}


def test_calibration_bands_are_of_fifty_points_and_a_negative_one_has_black_as_the_favourite():
    games = predicted(("A", 1, 2, 2, 49, 0.57), ("A", 3, 4, 0, 0, 0.5), ("A", 5, 6, 1, -1, 0.5))
    rows = predicting(a=games)["calibration"].filter(pl.col("grouping") == "difference")
    assert rows.select("value", "games", "expected_millionths", "score_millionths").rows() == [
        ("-50", 1, 500000, 500000),
        ("0", 2, 535000, 500000),
    ]


def test_games_are_grouped_by_the_list_that_the_study_starts_with():
    games = predicted(("A", 1, 2, 2, 0, 0.5), ("A", 1, 3, 2, 0, 0.5))
    known = pl.DataFrame({"fide_id": [1, 2, 3], "rating": [1900, 1699, None], "birth_year": [1950, 1960, 2010]})
    rows = predicting(a=games, known=known)["calibration"].select("grouping", "value", "games").rows()
    assert rows == [
        ("age", "65 and over", 1),
        ("age", "under 18", 1),
        ("all", "", 2),
        ("difference", "0", 2),
        ("newcomers", "no", 1),
        ("newcomers", "yes", 1),
        ("rating_band", "1600", 1),
    ]


def world(random: Random, games: int) -> list[tuple[str, int, int, int, float]]:
    """Games as event, White, Black, half points, and the true expected score of White."""
    strength = [random.gauss(1500, 250) for _ in range(200)]
    results = []
    for number in range(games):
        white, black = random.sample(range(200), 2)
        expected = 1 / (1 + 10 ** ((strength[black] - strength[white]) / 400))
        results.append(
            (f"E{number // 40:04}", white, number * 1000 + black, 2 * (random.random() < expected), expected)
        )
    return results


def shifted(games: list[tuple[str, int, int, int, float]], sign: int, points: float) -> pl.DataFrame:
    """The truth as predicted by a system that is wrong by so many points, up in one half of the games."""

    def expected(truth: float, number: int) -> float:
        direction = sign if number % 2 else -sign
        return 1 / (1 + (1 / truth - 1) * 10 ** (-direction * points / 400))

    return predicted(
        *(
            (event, white, black, halves, 0, expected(truth, number))
            for number, (event, white, black, halves, truth) in enumerate(games)
        )
    )


@pytest.mark.parametrize("seed", range(3))
def test_planted_truth_wins_and_two_equal_systems_do_not_differ(seed: int):
    games = world(Random(seed), 8000)
    tables = predicting(truth=shifted(games, 1, 0), up=shifted(games, 1, 120), down=shifted(games, -1, 120))
    for measure in LOSSES:
        for worse in ("up", "down"):
            assert compared(tables, "truth", worse, measure)["high_millionths"] < 0
        equal = compared(tables, "up", "down", measure)
        assert equal["low_millionths"] < 0 < equal["high_millionths"]


def test_the_order_of_the_games_does_not_matter():
    games = world(Random(5), 500)
    frames = {"a": shifted(games, 1, 30), "b": shifted(games, -1, 80)}
    tables, back = predicting(**frames), predicting(**{name: rows.reverse() for name, rows in frames.items()})
    assert all(tables[name].equals(back[name]) for name in tables)


FIRST = Period.parse("2025-01")
LISTS = {
    FIRST: {1: (1500, 0), 2: (1600, 0), 3: (1700, 0)},
    FIRST + 1: {1: (1520, 10), 2: (1590, 3), 3: (1700, 0), 9: (1400, 5)},
    FIRST + 2: {1: (1510, 12), 2: (1580, 11), 9: (1430, 2)},
}
"""By month, the rating and the games of each player. Player 9 is registered nowhere, and on no list before."""
BIRTHS = pl.DataFrame({"fide_id": [1, 2, 3], "rating": [None] * 3, "birth_year": [1985, 2010, 1985]})


def movement(
    lists: Mapping[Period, Mapping[int, tuple[int, int]]], official: pl.DataFrame = NONE["official"]
) -> list[dict]:
    """How the lists of one system move, a row each."""
    rows = [("club", str(month), player, *facts) for month, listed in lists.items() for player, facts in listed.items()]
    replayed = pl.DataFrame(rows, ["system", "list_month", "fide_id", "rating", "games"], orient="row")
    months = replayed.select("system", "list_month").unique()
    return study(replayed_list=replayed, replayed_month=months, known=BIRTHS, official=official)["movement"].to_dicts()


def test_lists_are_compared_player_by_player():
    official = pl.DataFrame({"list_month": "2025-02", "fide_id": [1, 2, 3, 9], "rating": [1520, 1600, 1720, 1400]})
    _, second, third = movement(LISTS, official)
    expected = {
        "players": 4,
        "mean_hundredths": 155_250,
        "entered": 1,
        "entered_mean_hundredths": 140_000,
        "same_players": 2,
        "same_mean_hundredths": 155_500,
        "cohort_players": 1,
        "cohort_mean_hundredths": 152_000,
        "busy_players": 1,
        "busy_change_hundredths": 2_000,
        "changed_twice": None,
        "official_players": 4,
        "official_difference_hundredths": -750,
    }
    assert {name: second[name] for name in expected} == expected
    # Player 1 went up and down, player 2 down twice.
    expected = {
        "players": 3,
        "entered": 0,
        "entered_mean_hundredths": None,
        "changed_twice": 2,
        "reversals": 1,
        "busy_players": 2,
        "busy_change_hundredths": 1_000,
        "official_players": None,
    }
    assert {name: third[name] for name in expected} == expected


def test_players_are_seen_again_twelve_lists_after_they_entered():
    lists = {FIRST + number: LISTS[FIRST] if number else {1: (1500, 0)} for number in range(14)}
    last = movement(lists)[-1]
    names = ("entered_12_before", "mean_at_entry_hundredths", "mean_now_hundredths")
    assert tuple(last[name] for name in names) == (2, 165_000, 165_000)


@pytest.mark.parametrize(
    ("own_ratings", "others", "correlation"),
    [
        # Ranks 1, 2.5, 2.5, 4 and 1, 2, 3, 4: 4.5 / sqrt(4.5 × 5).
        ([1, 2, 2, 3], [10, 20, 30, 40], round(4.5 / math.sqrt(4.5 * 5) * 1_000_000)),
        ([1, 2, 3], [3, 2, 1], -1_000_000),
        ([1, 1], [3, 2], None),
    ],
)
def test_rank_correlation_gives_equal_ratings_their_mean_rank(own_ratings, others, correlation):
    listed = {number: (rating, 0) for number, rating in enumerate(own_ratings)}
    official = pl.DataFrame({"list_month": "2025-01", "fide_id": range(len(others)), "rating": others})
    (row,) = movement({FIRST: listed}, official)
    assert row["rank_correlation_millionths"] == correlation


def test_who_moves_enters_and_leaves_between_two_lists_of_five_players():
    frames = {
        "as_it_is": pl.DataFrame({"fide_id": [1, 2, 3, 4], "rating": [1500, 1600, 1700, 1800]}),
        "changed": pl.DataFrame({"fide_id": [1, 2, 3, 5], "rating": [1500, 1590, 1740, 2000]}),
        "described": pl.DataFrame(
            {"fide_id": [1, 2, 3, 4, 5], "name": list("ABCDE"), "federation": ["KEL", "KEL", "ORV", "ORV", "ORV"]}
        ),
    }
    tables = measured([MOVED_TABLE, LARGEST_TABLE], "compared", frames)
    names = ("grouping", "value", "players", "moved", "entering", "leaving", "mean_hundredths")
    assert tables["moved"].select(names).rows() == [
        ("all", "", 3, 2, 1, 1, 1000),
        ("band", "1400", 1, 0, 0, 0, 0),
        ("band", "1600", 2, 2, 0, 0, 1500),
        ("band", "1800", 0, 0, 0, 1, None),
        ("band", "2000", 0, 0, 1, 0, None),
        ("federation", "KEL", 2, 1, 0, 0, -500),
        ("federation", "ORV", 1, 1, 1, 1, 4000),
    ]
    # The quantiles are differences that occur; the largest come first whatever their sign.
    quantiles = ("lower_hundredths", "median_hundredths", "upper_hundredths")
    assert tables["moved"].select(quantiles).row(0) == (-1000, 0, 0)
    largest = tables["largest"].select("fide_id", "name", "rating", "changed_rating", "difference").rows()
    assert largest == [(3, "C", 1700, 1740, 40), (2, "B", 1600, 1590, -10)]
