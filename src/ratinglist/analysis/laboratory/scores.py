"""How well systems predict: losses of games not yet seen, their differences with intervals, calibration.

Of a game, e is White's expected score and y White's score. Log loss is −[y ln e + (1−y) ln(1−e)] with e limited to
[.01, .99]; deviance is the same with log10, so that a constant ½ gives .30103; Brier is (e − y)². A table holds means
in millionths.

Two systems are compared on the games that both predict. m is the mean difference of their losses; its standard error
is √Σ(Σ(difference − m))² / n, the outer sum over events: games of one event share players and a day, and are not
independent. The interval of 95 % is m ± 1.96 standard errors.

Every loss is rounded to 1e-9 and summed in whole numbers: the same on any number of threads.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import polars as pl

from ratinglist.analysis.laboratory.predictions import PREDICTION_TABLE, UNIT
from ratinglist.schemas import Column, Table

LOSSES = ("log_loss", "deviance", "brier")
"""The measures; the lower the better."""

CALIBRATION_BAND = 50
_LIMIT = 0.01
_NORMAL_95 = 1.96
_MILLION = 1_000_000

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
    },
    key=("system", "grouping", "value"),
)

GROUPINGS = ("rating_band", "newcomers", "age")
"""What games are grouped by besides the difference; the same for all systems."""

_KEY = list(PREDICTION_TABLE.key)
_OF_PAIR = ["measure", "grouping", "value"]


def with_losses(predictions: pl.DataFrame) -> pl.DataFrame:
    """Return the predicted games with each loss in units of 1e-9, under the names of :data:`LOSSES`."""
    y = pl.col("score_halves") / 2
    e = pl.col("expected_billionths") / UNIT
    limited = e.clip(_LIMIT, 1 - _LIMIT)
    log_loss = -(y * limited.log() + (1 - y) * (1 - limited).log())
    losses = {"log_loss": log_loss, "deviance": log_loss / math.log(10), "brier": (e - y) * (e - y)}
    return predictions.filter(pl.col("expected_billionths").is_not_null()).with_columns(
        (UNIT * loss).round().cast(pl.Int64).alias(name) for name, loss in losses.items()
    )


@dataclass(slots=True)
class Scores:
    """Sums over the games of a study, part after part, so that no more than one part is in memory.

    ``common``: the systems whose common games are scored; one that has few lists would leave few games.
    """

    systems: tuple[str, ...]
    common: tuple[str, ...]
    _own: list[pl.DataFrame] = field(default_factory=list)
    _common: list[pl.DataFrame] = field(default_factory=list)
    _pairs: list[pl.DataFrame] = field(default_factory=list)
    _calibration: list[pl.DataFrame] = field(default_factory=list)
    _unrated: dict[str, int] = field(default_factory=dict)

    def add(self, predictions: Mapping[str, pl.DataFrame], groups: pl.DataFrame) -> None:
        """Add all games of some events: the predictions by system (``PREDICTION_TABLE``), and every game's groups.

        In: ``groups``: the key of a game, and its group by each of :data:`GROUPINGS`; null where there is none. Systems
        may rate a game with different lists, so a part is never a month.
        """
        scored = {}
        for name in self.systems:
            rows = with_losses(predictions[name])
            self._unrated[name] = self._unrated.get(name, 0) + predictions[name].height - rows.height
            scored[name] = rows.join(groups, on=_KEY, how="left", maintain_order="left")
            self._own.append(_sums(rows, name))
            self._calibration.append(_calibration(scored[name], name))
        common = scored[self.common[0]].select(_KEY)
        for name in self.common[1:]:
            common = common.join(scored[name], on=_KEY, how="semi")
        self._common += [_sums(scored[name].join(common, on=_KEY, how="semi"), name) for name in self.common]
        for place, reference in enumerate(self.systems):
            for name in self.systems[place + 1 :]:
                self._pairs.append(_event_sums(scored[name], scored[reference], name, reference))

    def score_rows(self) -> pl.DataFrame:
        """Return :data:`SCORE_TABLE`."""
        rows = []
        for games_of, parts in (("own", self._own), ("common", self._common)):
            for row in pl.concat(parts).group_by("system").sum().sort("system").iter_rows(named=True):
                name, games = row["system"], row["games"]
                means = {f"{one}_millionths": _mean_millionths(row[one], games) for one in LOSSES}
                unrated = self._unrated[name] if games_of == "own" else None
                rows.append({"system": name, "games_of": games_of, "games": games, "unrated": unrated, **means})
        return SCORE_TABLE.sorted(SCORE_TABLE.conform(pl.DataFrame(rows, infer_schema_length=None)))

    def difference_rows(self) -> pl.DataFrame:
        """Return :data:`DIFFERENCE_TABLE`: every pair both ways, the sign of the one the other's reversed."""
        if not self._pairs:
            return DIFFERENCE_TABLE.empty()
        by_event = pl.concat(self._pairs).group_by("system", "reference", *_OF_PAIR, "event_id").sum()
        rows = []
        for key, part in by_event.group_by("system", "reference", *_OF_PAIR):
            named = dict(zip(("system", "reference", *_OF_PAIR), key, strict=True))
            found = clustered(zip(part["difference"].to_list(), part["games"].to_list(), strict=True))
            rows += [named | found, named | _reversed(named, found)]
        return DIFFERENCE_TABLE.sorted(DIFFERENCE_TABLE.conform(pl.DataFrame(rows)))

    def calibration_rows(self) -> pl.DataFrame:
        """Return :data:`CALIBRATION_TABLE`."""
        sums = pl.concat(self._calibration).group_by("system", "grouping", "value").sum()
        games = pl.col("games")
        rows = sums.with_columns(
            # Units of 1e-9 to millionths, half up.
            ((2 * pl.col("expected") + 1000 * games) // (2000 * games)).alias("expected_millionths"),
            ((_MILLION * pl.col("halves") + games) // (2 * games)).alias("score_millionths"),
            ((2 * pl.col("log_loss") + 1000 * games) // (2000 * games)).alias("log_loss_millionths"),
        )
        return CALIBRATION_TABLE.sorted(CALIBRATION_TABLE.conform(rows))


def clustered(events: Iterable[tuple[int, int]]) -> dict[str, int]:
    """Return the mean difference with its standard error and interval, in millionths.

    In: the sum of the differences in units of 1e-9 and the number of games of every event.
    """
    found = list(events)
    total, games = sum(difference for difference, _ in found), sum(number for _, number in found)
    mean = total / games
    squares = math.fsum((difference - number * mean) ** 2 for difference, number in found)
    error = math.sqrt(squares) / games
    low, high = mean - _NORMAL_95 * error, mean + _NORMAL_95 * error
    return {
        "games": games,
        "events": len(found),
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


def _sums(rows: pl.DataFrame, name: str) -> pl.DataFrame:
    """Return the number of games and the sum of each loss: one row."""
    sums = rows.select(pl.len().cast(pl.Int64).alias("games"), *(pl.col(one).sum() for one in LOSSES))
    return sums.with_columns(pl.lit(name).alias("system"))


def _grouped(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the games once for all, and once for each grouping that has a group of them."""
    rest = rows.drop(GROUPINGS)
    every = rest.with_columns(pl.lit("all").alias("grouping"), pl.lit("").alias("value"))
    parts = [
        rows.filter(pl.col(name).is_not_null())
        .with_columns(pl.lit(name).alias("grouping"), pl.col(name).alias("value"))
        .drop(GROUPINGS)
        for name in GROUPINGS
    ]
    return pl.concat([every, *parts])


def _event_sums(rows: pl.DataFrame, reference_rows: pl.DataFrame, name: str, reference: str) -> pl.DataFrame:
    """Return the sum of the differences of each measure by group and event, on the games that both predict."""
    both = rows.select(*_KEY, *GROUPINGS, *LOSSES).join(
        reference_rows.select(*_KEY, *LOSSES), on=_KEY, how="inner", suffix="_reference"
    )
    parts = [
        _grouped(both.select("event_id", *GROUPINGS, (pl.col(one) - pl.col(f"{one}_reference")).alias("difference")))
        .group_by("grouping", "value", "event_id")
        .agg(pl.len().cast(pl.Int64).alias("games"), pl.col("difference").sum())
        .with_columns(pl.lit(one).alias("measure"), pl.lit(name).alias("system"), pl.lit(reference).alias("reference"))
        for one in LOSSES
    ]
    return pl.concat(parts)


def _calibration(rows: pl.DataFrame, name: str) -> pl.DataFrame:
    """Return the sums of the calibration by group."""
    difference = pl.col("white_rating") - pl.col("black_rating")
    band = (difference // CALIBRATION_BAND * CALIBRATION_BAND).cast(pl.String)
    columns = ["expected_billionths", "score_halves", "log_loss", *GROUPINGS]
    by_difference = (
        rows.select(*columns, value=band)
        .drop(GROUPINGS)
        .with_columns(pl.lit("difference").alias("grouping"))
        .select("expected_billionths", "score_halves", "log_loss", "grouping", "value")
    )
    return (
        pl.concat([by_difference, _grouped(rows.select(columns))])
        .group_by("grouping", "value")
        .agg(
            pl.len().cast(pl.Int64).alias("games"),
            pl.col("expected_billionths").sum().alias("expected"),
            pl.col("score_halves").cast(pl.Int64).sum().alias("halves"),
            pl.col("log_loss").sum(),
        )
        .with_columns(pl.lit(name).alias("system"))
    )
