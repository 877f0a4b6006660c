"""The measures of the laboratory: losses, intervals by event, calibration, rank correlation, and planted truth."""

import math
import statistics
from random import Random

import polars as pl
import pytest

from ratinglist.laboratory.game_groups import game_groups, known_players
from ratinglist.laboratory.list_movement import rank_correlation
from ratinglist.laboratory.predictions import PREDICTION_TABLE, UNIT
from ratinglist.laboratory.scores import (
    GROUPINGS,
    LOSSES,
    calibration_rows,
    clustered,
    difference_rows,
    score_rows,
    scored,
    with_losses,
)


def predicted(*games: tuple[str, int, int, int, int, float | None]) -> pl.DataFrame:
    """Games as event, White, Black, half points of White, White's rating less Black's, expected score."""
    rows = pl.DataFrame(
        [
            {
                "event_id": event,
                "round": 1,
                "white_id": white,
                "black_id": black,
                "score_halves": halves,
                "expected_billionths": None if expected is None else round(expected * UNIT),
                "difference": difference,
            }
            for event, white, black, halves, difference, expected in games
        ],
        infer_schema_length=None,
    )
    return PREDICTION_TABLE.conform(rows.with_columns(list_month=pl.lit("2025-10")))


def groups_of(games: pl.DataFrame) -> pl.DataFrame:
    return games.select("event_id", *(pl.lit(None, dtype=pl.String).alias(name) for name in GROUPINGS))


def scores_of(games: pl.DataFrame) -> pl.DataFrame:
    """The scores of one system."""
    return score_rows({"a": scored(games)}, {"a": games["expected_billionths"].null_count()}, ["a"])


def differences_of(**predictions: pl.DataFrame) -> pl.DataFrame:
    games = next(iter(predictions.values()))
    return difference_rows({name: scored(rows) for name, rows in predictions.items()}, groups_of(games))


def calibration_of(games: pl.DataFrame) -> pl.DataFrame:
    return calibration_rows({"a": scored(games)}, groups_of(games))


def test_a_constant_half_has_the_losses_of_the_definition():
    losses = with_losses(predicted(("A", 1, 2, 2, 0, 0.5), ("A", 3, 4, 0, 0, 0.5), ("A", 5, 6, 1, 0, 0.5)))
    assert losses["log_loss"].to_list() == [693147181] * 3
    assert losses["deviance"].to_list() == [301029996] * 3
    assert losses["brier"].to_list() == [250000000, 250000000, 0]


def test_a_certain_expectation_counts_as_99_of_100_in_the_log_loss_alone():
    losses = with_losses(predicted(("A", 1, 2, 0, 0, 1.0)))
    assert losses["log_loss"].item() == round(-math.log(0.01) * UNIT)
    assert losses["brier"].item() == UNIT


def test_a_game_without_a_rating_is_counted_and_never_scored():
    rows = scores_of(predicted(("A", 1, 2, 2, 0, 0.5), ("A", 3, 4, 0, 0, None)))
    own = rows.filter(pl.col("games_of") == "own").row(0, named=True)
    assert (own["games"], own["unrated"], own["log_loss_millionths"]) == (1, 1, 693147)


def test_the_interval_takes_the_games_of_an_event_together():
    # Three events with differences (1 + 3), 2 and -1: n = 4, m = 5/4.
    events = [(4_000_000, 2), (2_000_000, 1), (-1_000_000, 1)]
    found = clustered(
        games=4,
        events=3,
        squared_games=sum(n * n for _, n in events),
        total=sum(d for d, _ in events),
        squares=sum(d * d for d, _ in events),
        products=sum(d * n for d, n in events),
    )
    mean = 5 / 4
    error = math.sqrt((4 - 2 * mean) ** 2 + (2 - mean) ** 2 + (-1 - mean) ** 2) / 4
    assert found["difference_millionths"] == round(1000 * mean)
    assert found["error_millionths"] == round(1000 * error)
    assert found["low_millionths"] == math.floor(1000 * (mean - 1.96 * error))
    assert (found["games"], found["events"]) == (4, 3)


def test_a_difference_is_that_of_the_games_both_predict_and_reversed_the_other_way():
    a = predicted(("A", 1, 2, 2, 0, 0.6), ("B", 3, 4, 2, 0, 0.9))
    b = predicted(("A", 1, 2, 2, 0, 0.5), ("B", 3, 4, 2, 0, None))
    rows = differences_of(a=a, b=b).filter(pl.col("measure") == "log_loss", pl.col("grouping") == "all")
    by_system = {row["system"]: row for row in rows.iter_rows(named=True)}
    gained = round((math.log(0.5) - math.log(0.6)) * 1_000_000)
    assert by_system["a"]["difference_millionths"] == gained
    assert by_system["b"]["difference_millionths"] == -gained
    assert by_system["a"]["games"] == by_system["b"]["games"] == 1


def test_the_accuracy_is_the_share_of_the_favourite_in_decisive_games():
    rows = scores_of(
        predicted(
            ("A", 1, 2, 2, 0, 0.6),  # the favourite wins
            ("A", 3, 4, 2, 0, 0.4),  # and loses
            ("A", 5, 6, 0, 0, 0.3),
            ("A", 7, 8, 1, 0, 0.9),  # a draw
            ("A", 9, 10, 2, 0, 0.5),  # no favourite
        )
    )
    own = rows.filter(pl.col("games_of") == "own").row(0, named=True)
    names = ("games", "decisive", "won_by_favourite", "accuracy_millionths", "drawn")
    assert tuple(own[name] for name in names) == (5, 3, 2, 666667, 1)


def test_without_a_decisive_game_there_is_no_accuracy():
    rows = scores_of(predicted(("A", 1, 2, 1, 0, 0.6)))
    assert rows["accuracy_millionths"].to_list() == [None, None]


def test_the_error_of_a_calibration_is_that_of_the_mean_of_score_less_expected():
    expected = [0.6, 0.55, 0.62, 0.58]
    halves = [2, 0, 1, 2]
    games = [("A", 2 * n, 2 * n + 1, half, 60, e) for n, (half, e) in enumerate(zip(halves, expected, strict=True))]
    rows = calibration_of(predicted(*games, ("A", 20, 21, 2, 200, 0.8)))
    by_band = {row["value"]: row["error_millionths"] for row in rows.iter_rows(named=True)}
    due = statistics.stdev(half / 2 - e for half, e in zip(halves, expected, strict=True)) / math.sqrt(4)
    assert by_band["50"] == round(1_000_000 * due)
    assert by_band["200"] is None


def test_calibration_bands_are_of_fifty_points_and_a_negative_one_has_black_as_the_favourite():
    games = predicted(("A", 1, 2, 2, 49, 0.57), ("A", 3, 4, 0, 0, 0.5), ("A", 5, 6, 1, -1, 0.5))
    rows = calibration_of(games).filter(pl.col("grouping") == "difference")
    assert rows.select("value", "games", "expected_millionths", "score_millionths").rows() == [
        ("-50", 1, 500000, 500000),
        ("0", 2, 535000, 500000),
    ]


def test_games_are_grouped_by_the_list_that_the_study_starts_with():
    games = predicted(("A", 1, 2, 2, 0, 0.5), ("A", 1, 3, 2, 0, 0.5))
    listed = pl.DataFrame({"fide_id": [1, 2], "rating": [1900, 1699]})
    births = pl.DataFrame({"fide_id": [1, 2, 3], "birth_year": [1950, 1960, 2010]})
    groups = game_groups(games, known_players(listed, births), 2025)
    assert groups["rating_band"].to_list() == [1600, None]
    assert groups["newcomers"].to_list() == ["no", "yes"]
    assert groups["age"].to_list() == ["65 and over", "under 18"]


def test_rank_correlation_gives_equal_ratings_their_mean_rank():
    # Ranks 1, 2.5, 2.5, 4 and 1, 2, 3, 4: 4.5 / sqrt(4.5 × 5).
    rows = pl.DataFrame({"a": [1, 2, 2, 3], "b": [10, 20, 30, 40]})
    assert rank_correlation(rows) == round(4.5 / math.sqrt(4.5 * 5) * 1_000_000)
    assert rank_correlation(pl.DataFrame({"a": [1, 2, 3], "b": [3, 2, 1]})) == -1_000_000
    assert rank_correlation(pl.DataFrame({"a": [1, 1], "b": [3, 2]})) is None


def world(random: Random, games: int) -> list[tuple[str, int, int, int, float]]:
    """Games as event, White, Black, half points, and the true expected score of White."""
    strength = [random.gauss(1500, 250) for _ in range(200)]
    found = []
    for number in range(games):
        white, black = random.sample(range(200), 2)
        expected = 1 / (1 + 10 ** ((strength[black] - strength[white]) / 400))
        found.append((f"E{number // 40:04}", white, number * 1000 + black, 2 * (random.random() < expected), expected))
    return found


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
def test_planted_truth_wins_and_two_equal_systems_do_not_differ(seed):
    games = world(Random(seed), 8000)
    rows = differences_of(truth=shifted(games, 1, 0), up=shifted(games, 1, 120), down=shifted(games, -1, 120))
    every = rows.filter(pl.col("grouping") == "all")
    for measure in LOSSES:
        of_measure = every.filter(pl.col("measure") == measure)
        for worse in ("up", "down"):
            row = of_measure.filter(pl.col("system") == "truth", pl.col("reference") == worse).row(0, named=True)
            assert row["high_millionths"] < 0
        equal = of_measure.filter(pl.col("system") == "up", pl.col("reference") == "down").row(0, named=True)
        assert equal["low_millionths"] < 0 < equal["high_millionths"]


def test_the_order_of_the_games_does_not_matter():
    games = world(Random(5), 500)
    frames = {"a": shifted(games, 1, 30), "b": shifted(games, -1, 80)}
    back = {name: rows.reverse() for name, rows in frames.items()}
    assert differences_of(**frames).equals(differences_of(**back))
    assert calibration_of(frames["a"]).equals(calibration_of(back["a"]))
