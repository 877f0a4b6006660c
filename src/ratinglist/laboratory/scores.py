"""How well systems predict: losses of games not yet seen, their differences with intervals, calibration.

Of a game, e is White's expected score and y White's score. Log loss is −[y ln e + (1−y) ln(1−e)] with e limited to
[.01, .99]; deviance is the same with log10, so that a constant ½ gives .30103; Brier is (e − y)². Every loss is rounded
to 1e-9 and summed in whole numbers: the same on any number of threads. A table holds means in millionths.

Two systems are compared on the games that both predict. m is the mean difference of their losses; its standard error
is √Σ(Σ(difference − m))² / n, the outer sum over events: games of one event share players and a day, and are not
independent. The interval of 95 % is m ± 1.96 standard errors.

A study may have hundreds of millions of predictions. So the games of some events are summed once per system, by event,
group and *coverage* (which systems predict the game), and everything else is computed from these few sums.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
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


@dataclass(frozen=True, slots=True)
class SystemSums:
    """The sums of one system over some games.

    ``unrated``: counted games that it does not predict. ``bands``: :func:`_by_difference`. ``groups``: ``group`` and
    :data:`OF_SYSTEM`.
    """

    unrated: int
    bands: pl.DataFrame
    groups: pl.DataFrame


def sum_system(rows: pl.DataFrame, name: str) -> SystemSums:
    """Return the sums of a system; in: its predictions with the ``group`` of every game."""
    is_counted, expected = pl.col("score_halves").is_not_null(), pl.col("expected_billionths")
    unrated = int(rows.select((is_counted & expected.is_null()).sum()).item())
    if rows["expected_billionths"].null_count():
        rows = rows.filter(expected.is_not_null())
    halves = pl.col("score_halves")
    is_decisive = (halves != 1) & (expected != UNIT // 2)
    rows = with_losses(rows).with_columns(
        expected.cast(pl.Int64).alias("expected"),
        halves.cast(pl.Int64).alias("halves"),
        is_decisive.cast(pl.Int64).alias("decisive"),
        (is_decisive & ((halves == 2) == (expected > UNIT // 2))).cast(pl.Int64).alias("won_by_favourite"),
        (halves == 1).cast(pl.Int64).alias("drawn"),
    )
    return SystemSums(unrated, _by_difference(rows, name), rows.group_by("group").agg(pl.col(OF_SYSTEM).sum()))


def _by_difference(rows: pl.DataFrame, name: str) -> pl.DataFrame:
    """Return the sums of a system's predicted games by the band of White's rating less Black's."""
    band = pl.col("difference") // CALIBRATION_BAND * CALIBRATION_BAND
    return (
        rows.group_by(band.alias("value"))
        .agg(pl.len().cast(pl.Int64).alias("games"), pl.col(OF_CALIBRATION).sum())
        .select(pl.lit(name).alias("system"), pl.col("value").cast(pl.String), pl.exclude("value"))
        .with_columns(pl.lit("difference").alias("grouping"))
    )


GROUPINGS = ("rating_band", "newcomers", "age")
"""What games are grouped by besides the difference; the same for all systems."""

Each = Callable[[Callable[[str], SystemSums], Sequence[str]], Iterable[SystemSums]]
"""Calls a function for each of some values, as ``map`` does, and returns the results in their order."""


@dataclass(slots=True)
class Scores:
    """Sums over the games of a study, part after part, so that no more than one part is in memory.

    ``common``: the systems whose common games are scored; one that has few lists would leave few games. ``each``: may
    sum two systems at once.
    """

    systems: tuple[str, ...]
    common: tuple[str, ...]
    each: Each = map
    _own: list[pl.DataFrame] = field(default_factory=list)
    _bands: list[pl.DataFrame] = field(default_factory=list)
    _common: list[pl.DataFrame] = field(default_factory=list)
    _pairs: list[pl.DataFrame] = field(default_factory=list)
    _unrated: dict[str, int] = field(default_factory=dict)

    def add(self, predictions: Mapping[str, pl.DataFrame], groups: pl.DataFrame) -> None:
        """Add all games of some events.

        In: ``predictions``: by system, a row per game in the order of ``groups``, ``score_halves`` null where the
        system does not count the game (:func:`~ratinglist.laboratory.predictions.side_by_side`);
        ``groups``: the ``event_id`` of every game, and its group by each of :data:`GROUPINGS`; null where there is
        none. Systems may rate a game with different lists, so a part is never a month.
        """
        sums = self._summed(predictions, groups)
        for grouping in ("all", *GROUPINGS):
            value = pl.lit("") if grouping == "all" else pl.col(grouping).cast(pl.String)
            by_event = (
                sums.with_columns(value.alias("value"))
                .filter(pl.col("value").is_not_null())
                .drop(GROUPINGS)
                .group_by("value", "event", "coverage")
                .sum()
            )
            of_system = [self._of_system(by_event, name) for name in self.systems]
            self._own.append(pl.concat(of_system).with_columns(pl.lit(grouping).alias("grouping")))
            if grouping == "all":
                covered = by_event.filter(_has_all(self._bits(*self.common)))
                self._common += [self._of_system(covered, name) for name in self.common]
            for reference, name in combinations(self.systems, 2):
                found = self._of_pair(by_event, name, reference)
                self._pairs.append(found.with_columns(pl.lit(grouping).alias("grouping")))

    def score_rows(self) -> pl.DataFrame:
        """Return :data:`SCORE_TABLE`."""
        if not self._own:
            return SCORE_TABLE.empty()
        rows = []
        own = pl.concat(self._own).filter(pl.col("grouping") == "all").drop("grouping")
        for games_of, parts in (("own", own), ("common", pl.concat(self._common))):
            for row in parts.drop("value").group_by("system").sum().sort("system").iter_rows(named=True):
                name, games = row["system"], row["games"]
                means = {f"{one}_millionths": _mean_millionths(row[one], games) for one in LOSSES}
                unrated = self._unrated[name] if games_of == "own" else None
                of_favourites = {one: row[one] for one in OF_FAVOURITES}
                accuracy = _mean_millionths(UNIT * row["won_by_favourite"], row["decisive"])
                of_favourites["accuracy_millionths"] = accuracy
                named = {"system": name, "games_of": games_of, "games": games, "unrated": unrated}
                rows.append(named | means | of_favourites)
        if not rows:
            return SCORE_TABLE.empty()
        return SCORE_TABLE.sorted(SCORE_TABLE.conform(pl.DataFrame(rows, infer_schema_length=None)))

    def difference_rows(self) -> pl.DataFrame:
        """Return :data:`DIFFERENCE_TABLE`: every pair both ways, the sign of the one the other's reversed."""
        if not self._pairs:
            return DIFFERENCE_TABLE.empty()
        key = ("system", "reference", "grouping", "value")
        rows = []
        for sums in pl.concat(self._pairs).group_by(key).sum().iter_rows(named=True):
            for measure in LOSSES:
                named = {name: sums[name] for name in key} | {"measure": measure}
                of_measure = (sums[f"{measure}_{one}"] for one in ("sum", "squares", "products"))
                found = clustered(sums["games"], sums["events"], sums["squared_games"], *of_measure)
                rows += [named | found, named | _reversed(named, found)]
        if not rows:
            return DIFFERENCE_TABLE.empty()
        return DIFFERENCE_TABLE.sorted(DIFFERENCE_TABLE.conform(pl.DataFrame(rows)))

    def calibration_rows(self) -> pl.DataFrame:
        """Return :data:`CALIBRATION_TABLE`."""
        if not self._own:
            return CALIBRATION_TABLE.empty()
        names = ["system", "grouping", "value", "games", *OF_CALIBRATION]
        of_groups = pl.concat(rows.select(names) for rows in (*self._own, *self._bands))
        sums = of_groups.group_by("system", "grouping", "value").sum().filter(pl.col("games") > 0)
        games = pl.col("games")
        # Of y − e, in parts of a point: its sum, and the sum of its squares less n times the square of its mean.
        total = (pl.col("halves") * (UNIT // 2) - pl.col("expected")) / UNIT
        squares = pl.max_horizontal(pl.col("brier") / UNIT - total * total / games, 0)
        error = pl.when(games > 1).then((squares / (games * (games - 1))).sqrt() * _MILLION).round()
        rows = sums.with_columns(
            error.cast(pl.Int64).alias("error_millionths"),
            # Units of 1e-9 to millionths, half up.
            ((2 * pl.col("expected") + 1000 * games) // (2000 * games)).alias("expected_millionths"),
            ((_MILLION * pl.col("halves") + games) // (2 * games)).alias("score_millionths"),
            ((2 * pl.col("log_loss") + 1000 * games) // (2000 * games)).alias("log_loss_millionths"),
        )
        return CALIBRATION_TABLE.sorted(CALIBRATION_TABLE.conform(rows))

    def _summed(self, predictions: Mapping[str, pl.DataFrame], groups: pl.DataFrame) -> pl.DataFrame:
        """Return ``games`` and every system's sums by ``event``, group and ``coverage``: a bit for each system."""
        coverage = pl.sum_horizontal(
            pl.lit(predictions[name]["expected_billionths"].is_not_null()).cast(pl.Int128) * self._bits(name)
            for name in self.systems
        )
        event = pl.col("event_id").cast(pl.Categorical).to_physical().alias("event")
        numbered = groups.select(event, *GROUPINGS, coverage.alias("coverage"))
        sums = numbered.group_by(pl.all()).agg(pl.len().cast(pl.Int64).alias("games")).with_row_index("group")
        group = numbered.join(
            sums.drop("games"), on=numbered.columns, how="left", maintain_order="left", nulls_equal=True
        )["group"]

        def sums_of(name: str) -> SystemSums:
            return sum_system(predictions[name].with_columns(group), name)

        columns = []
        for name, found in zip(self.systems, self.each(sums_of, self.systems), strict=True):
            self._unrated[name] = self._unrated.get(name, 0) + found.unrated
            self._bands.append(found.bands)
            every = sums.select("group").join(found.groups, on="group", how="left", maintain_order="left")
            columns += [every[one].fill_null(0).alias(f"{name} {one}") for one in OF_SYSTEM]
        return sums.drop("group").hstack(columns)

    def _bits(self, *names: str) -> int:
        return sum(1 << self.systems.index(name) for name in names)

    def _of_system(self, by_event: pl.DataFrame, name: str) -> pl.DataFrame:
        """Return ``system``, ``value``, ``games`` and the sums of the games that a system predicts."""
        of_system = {one: pl.col(f"{name} {one}").sum() for one in OF_SYSTEM}
        covered = by_event.filter(_has_all(self._bits(name)))
        rows = covered.group_by("value").agg(pl.col("games").sum(), **of_system)
        return rows.select(pl.lit(name).alias("system"), pl.all())

    def _of_pair(self, by_event: pl.DataFrame, name: str, reference: str) -> pl.DataFrame:
        """Return by ``value`` what :func:`clustered` needs of the games that both systems predict, over all events."""
        difference = {one: (pl.col(f"{name} {one}") - pl.col(f"{reference} {one}")).sum() for one in LOSSES}
        games = pl.col("games").cast(pl.Int128)
        sums = {}
        for one in LOSSES:
            of_event = pl.col(one).cast(pl.Int128)
            sums[f"{one}_sum"] = of_event.sum()
            sums[f"{one}_squares"] = (of_event * of_event).sum()
            sums[f"{one}_products"] = (of_event * games).sum()
        return (
            by_event.filter(_has_all(self._bits(name, reference)))
            .group_by("value", "event")
            .agg(pl.col("games").sum(), **difference)
            .group_by("value")
            .agg(
                pl.col("games").sum(),
                pl.len().cast(pl.Int64).alias("events"),
                (games * games).sum().alias("squared_games"),
                **sums,
            )
            .with_columns(pl.lit(name).alias("system"), pl.lit(reference).alias("reference"))
        )


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


def _has_all(bits: int) -> pl.Expr:
    wanted = pl.lit(bits, dtype=pl.Int128)
    return (pl.col("coverage") & wanted) == wanted
