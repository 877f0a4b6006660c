"""How well systems predict: losses of games not yet seen, their differences with intervals, calibration.

Of a game, e is White's expected score and y White's score. Log loss is −[y ln e + (1−y) ln(1−e)] with e limited to
[.01, .99]; deviance is the same with log10, so that a constant ½ gives .30103; Brier is (e − y)². Every loss is rounded
to 1e-9 and summed in whole numbers: the same on any number of threads. A table holds means in millionths.

Two systems are compared on the games that both predict. m is the mean difference of their losses; its standard error
is √Σ(Σ(difference − m))² / n, the outer sum over events: games of one event share players and a day, and are not
independent. The interval of 95 % is m ± 1.96 standard errors.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from itertools import combinations

import polars as pl

from ratinglist.laboratory.predictions import UNIT
from ratinglist.tables import Column, Table

_NORMAL_95 = 1.96
_MILLION = 1_000_000

LOSSES = ("log_loss", "deviance", "brier")
"""The measures; the lower the better."""

CALIBRATION_BAND = 50
_LIMIT = 0.01

OF_CALIBRATION = ("expected", "halves", "log_loss", "brier")
OF_FAVOURITES = ("decisive", "won_by_favourite", "drawn")
OF_SYSTEM = (*OF_CALIBRATION, "deviance", *OF_FAVOURITES)
"""What is summed of every system: expected scores and losses in units of 1e-9, half points, and numbers of games."""

SCORE_TABLE = Table(
    "scores",
    "system and set of games",
    {
        "system": Column(pl.String(), "the system"),
        "games_of": Column(
            pl.String(), "own: all it predicts; common: those that every system with a list each month predicts"
        ),
        "games": Column(pl.Int64(), "games scored"),
        "unrated": Column(pl.Int64(), "counted games that it does not predict, a player having no rating", null=True),
        **{f"{name}_millionths": Column(pl.Int64(), f"mean {name.replace('_', ' ')}", null=True) for name in LOSSES},
        "decisive": Column(pl.Int64(), "games with a winner, of which the system expected more of one player"),
        "won_by_favourite": Column(pl.Int64(), "of these, games that this player won"),
        "accuracy_millionths": Column(pl.Int64(), "the share of the favourite in the decisive games", null=True),
        "drawn": Column(pl.Int64(), "drawn games"),
    },
    key=("games_of", "system"),
)

DIFFERENCE_TABLE = Table(
    "differences",
    "pair of systems, measure and group of games",
    {
        "system": Column(pl.String(), "the system"),
        "reference": Column(pl.String(), "the system it is compared with"),
        "measure": Column(pl.String(), "log_loss, deviance, brier"),
        "grouping": Column(pl.String(), "all, rating_band, newcomers, age"),
        "value": Column(pl.String(), "the group; empty for all"),
        "games": Column(pl.Int64(), "games that both predict"),
        "events": Column(pl.Int64(), "events of these games"),
        "difference_millionths": Column(pl.Int64(), "mean loss of the system less that of the reference"),
        "error_millionths": Column(pl.Int64(), "standard error, clustered by event"),
        "low_millionths": Column(pl.Int64(), "lower end of the interval of 95 %"),
        "high_millionths": Column(pl.Int64(), "upper end; where both ends are below 0 the system predicts better"),
    },
    key=("reference", "system", "measure", "grouping", "value"),
)

CALIBRATION_TABLE = Table(
    "calibration",
    "system and group of games",
    {
        "system": Column(pl.String(), "the system"),
        "grouping": Column(
            pl.String(), "difference: White's rating less Black's in bands of 50; rating_band, newcomers, age"
        ),
        "value": Column(pl.String(), "the group; of a band its lower end"),
        "games": Column(pl.Int64(), "games"),
        "expected_millionths": Column(pl.Int64(), "mean expected score of White"),
        "score_millionths": Column(pl.Int64(), "mean score of White"),
        "log_loss_millionths": Column(pl.Int64(), "mean log loss"),
        "error_millionths": Column(
            pl.Int64(), "standard error of score less expected score, game by game; null for one game", null=True
        ),
    },
    key=("system", "grouping", "value"),
)


def with_losses(predictions: pl.DataFrame) -> pl.DataFrame:
    """Return the predictions with each loss in units of 1e-9, named as in :data:`LOSSES`; null where there is none."""
    y = pl.col("score_halves") / 2
    e = pl.col("expected_billionths") / UNIT
    limited = e.clip(_LIMIT, 1 - _LIMIT)
    # In two steps: Polars would take the logarithms again for the deviance.
    loss = predictions.with_columns(log_loss=-(y * limited.log() + (1 - y) * (1 - limited).log()))
    losses = {"log_loss": pl.col("log_loss"), "deviance": pl.col("log_loss") / math.log(10), "brier": (e - y) * (e - y)}
    return loss.with_columns((UNIT * value).round().cast(pl.Int64).alias(name) for name, value in losses.items())


GROUPINGS = ("rating_band", "newcomers", "age")
"""What games are grouped by besides the difference; the same for all systems."""

Scored = Mapping[str, pl.DataFrame]
"""By system, a row for each game of a study: ``difference`` and :data:`OF_SYSTEM`, null where it predicts nothing."""


def scored(predictions: pl.DataFrame) -> pl.DataFrame:
    """Return what is summed of every prediction: ``difference`` and :data:`OF_SYSTEM`; null where there is none."""
    expected = pl.col("expected_billionths")
    halves = pl.when(expected.is_not_null()).then(pl.col("score_halves"))
    is_decisive = (halves != 1) & (expected != UNIT // 2)
    return with_losses(predictions).select(
        pl.col("difference"),
        expected.cast(pl.Int64).alias("expected"),
        halves.cast(pl.Int64).alias("halves"),
        *LOSSES,
        is_decisive.cast(pl.Int64).alias("decisive"),
        (is_decisive & ((halves == 2) == (expected > UNIT // 2))).cast(pl.Int64).alias("won_by_favourite"),
        (halves == 1).cast(pl.Int64).alias("drawn"),
    )


_IS_PREDICTED = pl.col("expected").is_not_null()


def score_rows(of_systems: Scored, unrated: Mapping[str, int], common: Collection[str]) -> pl.DataFrame:
    """Return :data:`SCORE_TABLE`.

    In: ``unrated``: by system, the counted games that it does not predict; ``common``: the systems whose common games
    are scored. One that has few lists would leave few games.
    """
    predicts_all = pl.Series("predicts_all", [True]).new_from_index(0, max(map(len, of_systems.values()), default=0))
    for name in common:
        predicts_all &= of_systems[name]["expected"].is_not_null()
    rows = []
    for name, games in of_systems.items():
        sets = {"own": games.filter(_IS_PREDICTED)} | ({"common": games.filter(predicts_all)} if name in common else {})
        for games_of, some in sets.items():
            if some.is_empty():
                continue
            sums = some.select(pl.col(OF_SYSTEM).sum()).row(0, named=True)
            rows.append(
                {"system": name, "games_of": games_of, "games": len(some)}
                | {"unrated": unrated[name] if games_of == "own" else None}
                | {f"{one}_millionths": _mean_millionths(sums[one], len(some)) for one in LOSSES}
                | {one: sums[one] for one in OF_FAVOURITES}
                | {"accuracy_millionths": _mean_millionths(UNIT * sums["won_by_favourite"], sums["decisive"])}
            )
    return SCORE_TABLE.sorted(pl.DataFrame(rows, schema_overrides=SCORE_TABLE.schema, schema=SCORE_TABLE.schema))


def difference_rows(of_systems: Scored, groups: pl.DataFrame) -> pl.DataFrame:
    """Return :data:`DIFFERENCE_TABLE`: every pair both ways, the sign of the one the other's reversed.

    In: ``groups``: the ``event_id`` of every game and its group by each of :data:`GROUPINGS`; null where there is none.
    """
    rows = []
    for reference, name in combinations(of_systems, 2):
        differences = (of_systems[name].select(LOSSES) - of_systems[reference].select(LOSSES)).with_columns(groups)
        for grouping in ("all", *GROUPINGS):
            key = {"grouping": grouping, "system": name, "reference": reference}
            of_events = (
                differences.drop_nulls(LOSSES)
                .group_by("event_id", _group_of(grouping))
                .agg(pl.len().cast(pl.Int128).alias("games"), pl.col(LOSSES).sum().cast(pl.Int128))
                .drop_nulls("value")
            )
            sums = of_events.group_by("value").agg(
                pl.len().alias("events"),
                pl.col("games").sum(),
                (pl.col("games") * pl.col("games")).sum().alias("squared_games"),
                pl.col(LOSSES).sum().name.suffix("_sum"),
                (pl.col(LOSSES) * pl.col(LOSSES)).sum().name.suffix("_squares"),
                (pl.col(LOSSES) * pl.col("games")).sum().name.suffix("_products"),
            )
            for row in sums.iter_rows(named=True):
                for measure in LOSSES:
                    named = key | {"value": row["value"], "measure": measure}
                    of_measure = (row[f"{measure}_{one}"] for one in ("sum", "squares", "products"))
                    found = clustered(row["games"], row["events"], row["squared_games"], *of_measure)
                    rows += [named | found, named | _reversed(named, found)]
    return DIFFERENCE_TABLE.sorted(pl.DataFrame(rows, schema=DIFFERENCE_TABLE.schema))


def calibration_rows(of_systems: Scored, groups: pl.DataFrame) -> pl.DataFrame:
    """Return :data:`CALIBRATION_TABLE`; ``groups``: as :func:`difference_rows` has them."""
    parts = [pl.DataFrame(schema={"system": pl.String, "grouping": pl.String, "value": pl.String})]
    band = pl.col("difference") // CALIBRATION_BAND * CALIBRATION_BAND
    for name, rows in of_systems.items():
        predicted = rows.with_columns(groups).with_columns(band.alias("difference")).filter(_IS_PREDICTED)
        for grouping in ("all", "difference", *GROUPINGS):
            sums = predicted.group_by(_group_of(grouping)).agg(
                pl.len().cast(pl.Int64).alias("games"), pl.col(OF_CALIBRATION).sum()
            )
            named = {"system": pl.lit(name), "grouping": pl.lit(grouping)}
            parts.append(sums.filter(pl.col("games") > 0).drop_nulls("value").with_columns(**named))
    sums = pl.concat(parts, how="diagonal")
    if "games" not in sums.columns:
        return CALIBRATION_TABLE.empty()
    games = pl.col("games")
    # Of y − e, in parts of a point: its sum, and the sum of its squares less n times the square of its mean.
    total = (pl.col("halves") * (UNIT // 2) - pl.col("expected")) / UNIT
    squares = pl.max_horizontal(pl.col("brier") / UNIT - total * total / games, 0)
    error = pl.when(games > 1).then((squares / (games * (games - 1))).sqrt() * _MILLION).round()
    figures = sums.with_columns(
        error.cast(pl.Int64).alias("error_millionths"),
        # Units of 1e-9 to millionths, half up.
        ((2 * pl.col("expected") + 1000 * games) // (2000 * games)).alias("expected_millionths"),
        ((_MILLION * pl.col("halves") + games) // (2 * games)).alias("score_millionths"),
        ((2 * pl.col("log_loss") + 1000 * games) // (2000 * games)).alias("log_loss_millionths"),
    )
    return CALIBRATION_TABLE.sorted(CALIBRATION_TABLE.conform(figures))


def _group_of(grouping: str) -> pl.Expr:
    """Return the group of a game as a text; empty where all games are one group."""
    return (pl.lit("") if grouping == "all" else pl.col(grouping).cast(pl.String)).alias("value")


def clustered(games: int, events: int, squared_games: int, total: int, squares: int, products: int) -> dict[str, int]:
    """Return the mean difference of two systems with its standard error and interval, in millionths.

    In, over the events: ``squared_games``: the sum of n²; ``total``, ``squares`` and ``products``: the sums of d, d²
    and nd, where n is the number of games of an event and d the sum of their differences in units of 1e-9. With the
    mean m = Σd / Σn, Σ(d − nm)² is Σd² − 2mΣnd + m²Σn².
    """
    mean = total / games
    # In whole numbers, multiplied by the square of the games.
    deviations = squares * games**2 - 2 * total * products * games + total**2 * squared_games
    error = math.sqrt(deviations) / games**2
    low, high = mean - _NORMAL_95 * error, mean + _NORMAL_95 * error
    return {
        "games": games,
        "events": events,
        "difference_millionths": round(mean / 1000),
        "error_millionths": round(error / 1000),
        "low_millionths": math.floor(low / 1000),
        "high_millionths": math.ceil(high / 1000),
    }


def _reversed(named: Mapping[str, object], found: Mapping[str, int]) -> dict[str, object]:
    return {
        **found,
        "system": named["reference"],
        "reference": named["system"],
        "difference_millionths": -found["difference_millionths"],
        "low_millionths": -found["high_millionths"],
        "high_millionths": -found["low_millionths"],
    }


def _mean_millionths(total: int, count: int) -> int | None:
    return (2 * total + 1000 * count) // (2000 * count) if count else None
