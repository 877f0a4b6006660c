"""The systems that a replay calculates: rule families, as a list is calculated, and those that have no list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import polars as pl

from ratinglist.laboratory.learning import LearningSystem, MonthOfGames
from ratinglist.laboratory.predictions import (
    PREDICTION_TABLE,
    UNIT,
    counted_games,
    join_lists_in_force,
    list_of_ratings,
    predict,
)
from ratinglist.rating.model import MonthInputs, MonthResult, by_fide_id, newest_list
from ratinglist.rating.month import Judged, rate_judged
from ratinglist.rating.rules import RuleBook, SystemRuleSet
from ratinglist.rating.system_list import game_sides, with_system_result
from ratinglist.rating.systems.month import SystemResult, as_sides
from ratinglist.tables import CHANGE, LIST_STATE

JUDGED_FAMILY = "laboratory"
"""The family by which the events of a system without a list are judged: without any condition of a regulation."""

_JUDGED_AS = "club"


@dataclass(slots=True)
class FamilySystem:
    """A rule family.

    ``history``: :func:`list_of_ratings` of lists whose system keeps more than a list, by month. ``changes``: the values
    that a what-if changed, each as ``key: before -> after``.
    """

    family: str
    rules: RuleBook
    time_control: str
    history: dict[str, pl.DataFrame] = field(default_factory=dict)
    changes: Sequence[str] = ()

    @property
    def name(self) -> str:
        """Return the name of the family."""
        return self.family

    def begin(self, inputs: MonthInputs) -> None:
        """Keep what later predictions need of the newest list, before a month is calculated."""
        newest = str(inputs.lists_there["month"].max())
        if inputs.system_state["rating_hundredths"].count() and newest not in self.history:
            listed = inputs.lists.filter(pl.col("month") == newest, pl.col("time_control") == self.time_control)
            self.history[newest] = list_of_ratings(listed, inputs.system_state)

    def predict(self, judged: Judged, inputs: MonthInputs) -> pl.DataFrame:
        """Return the predictions of the month's games from the lists before."""
        return predict(judged, inputs, self.history, self.time_control)

    def rate(self, judged: Judged, inputs: MonthInputs) -> MonthResult:
        """Rate the games of a judged month by the family's rules."""
        return rate_judged(judged, inputs)


@dataclass(slots=True)
class LearningFamily:
    """A system without a list. ``states``: ``fide_id``, ``rating`` and its columns, by month of the list."""

    system: LearningSystem
    rules: RuleBook
    time_control: str
    family: str = JUDGED_FAMILY
    changes: Sequence[str] = ()
    states: dict[str, pl.DataFrame] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Return the name of the system, with its parameters."""
        return self.system.name

    def begin(self, inputs: MonthInputs) -> None:
        """Let the players of the starting lists enter the system, before a month is calculated."""
        for month in inputs.lists_there.filter(pl.col("time_control") == self.time_control)["month"]:
            if month not in self.states:
                listed = inputs.lists.filter(pl.col("month") == month, pl.col("time_control") == self.time_control)
                self.states[month] = self._entered(listed, inputs)

    def rate(self, judged: Judged, inputs: MonthInputs) -> MonthResult:
        """Let the system learn the month's games, and return its list."""
        newest = newest_list(inputs.lists, self.time_control)
        before = self.states[str(newest["month"].max())]
        after, played = self._learned(counted_games(judged, self.time_control), before, inputs)
        self.states[str(inputs.period)] = after
        rule_set = _rule_set(self.rules, self.time_control)
        result = SystemResult(
            sides=as_sides(game_sides(judged.events, judged.players, judged.games, rule_set)),
            changes=CHANGE.empty(),
            list_state=self._list_state(newest, after, played, inputs),
        )
        return with_system_result(judged.events, inputs, result)

    def _entered(self, listed: pl.DataFrame, inputs: MonthInputs) -> pl.DataFrame:
        """Return players with a rating and the system's columns: the rating of a list where they have one."""
        age = pl.lit(inputs.period.first_day.year) - pl.col("birth_year")
        facts = inputs.players.select("fide_id", "birth_year", age=age)
        newcomers = (
            listed.filter(pl.col("rating").is_not_null())
            .select("fide_id", "games_played", list_rating="rating")
            .join(facts, on="fide_id", how="left")
        )
        # A newcomer's rating in the list is a placeholder: the system gives one.
        list_rating = pl.when(pl.col("list_rating") > 0).then("list_rating").cast(pl.Float64)
        entered = self.system.enter(newcomers.sort("fide_id").with_columns(list_rating.alias("list_rating")))
        rating = pl.coalesce("list_rating", "rating")
        columns = (pl.col(name).cast(kind) for name, kind in self.system.columns.items())
        return entered.select("fide_id", rating.alias("rating"), *columns)

    def predict(self, judged: Judged, inputs: MonthInputs) -> pl.DataFrame:
        """Return the predictions from the states in force when the events began."""
        games = counted_games(judged, self.time_control)
        if games.is_empty():
            return PREDICTION_TABLE.empty()
        games = join_lists_in_force(games, self._rows_of)
        are_listed = pl.col("white_row").is_not_null() & pl.col("black_row").is_not_null()
        games = games.with_columns(pl.when(are_listed).then("base_month").alias("state_month"))
        expected = pl.Series("expected_billionths", [None], dtype=pl.Int32).new_from_index(0, games.height)
        for month in games["state_month"].unique().drop_nulls().sort():
            rows = games.select((pl.col("state_month") == month).arg_true()).to_series()
            of_month = games[rows].select(
                pl.col("event_id").cast(pl.String), "round", "date", white="white_row", black="black_row"
            )
            shares = self.system.expect(self.states[month], of_month)
            expected = expected.scatter(rows, (shares * UNIT).round().cast(pl.Int32))
        difference = pl.col("white_rating").round() - pl.col("black_rating").round()
        list_month = pl.lit(str(inputs.period))
        return PREDICTION_TABLE.conform(
            games.with_columns(expected, difference.alias("difference"), list_month=list_month)
        )

    def _rows_of(self, month: str) -> pl.DataFrame:
        """Return ``fide_id``, ``row`` and ``rating`` of a list's state."""
        return by_fide_id(self.states[month].select("fide_id", "rating").with_row_index("row"))

    def _learned(
        self, games: pl.DataFrame, before: pl.DataFrame, inputs: MonthInputs
    ) -> tuple[pl.DataFrame, pl.DataFrame]:
        """Return the state after the month, and ``fide_id`` and ``games`` of those who played."""
        counts = pl.concat([games["white_id"], games["black_id"]]).alias("fide_id").value_counts(name="games")
        counts = counts.with_columns(pl.col("games").cast(pl.Int32))
        newcomers = counts.join(before, on="fide_id", how="anti").select(
            "fide_id", rating=pl.lit(0), games_played=pl.lit(0, dtype=pl.Int32)
        )
        entered = self._entered(newcomers, inputs) if newcomers.height else before.clear()
        ratings = by_fide_id(pl.concat([before, entered]))
        numbered = ratings.select("fide_id").with_row_index("row")
        own_games = games.with_columns(pl.col("event_id").cast(pl.String))
        for colour in ("white", "black"):
            rows = numbered.rename({"fide_id": f"{colour}_id", "row": colour})
            own_games = own_games.join(rows, on=f"{colour}_id", how="left", maintain_order="left")
        own_games = own_games.select("event_id", "end_date", "round", "date", "white", "black")
        month = MonthOfGames(own_games, games["score_halves"] / 2, ratings.height)
        return self.system.update(ratings, month), counts

    def _list_state(
        self, newest: pl.DataFrame, after: pl.DataFrame, played: pl.DataFrame, inputs: MonthInputs
    ) -> pl.DataFrame:
        """Return the list with whole ratings (``LIST_STATE``)."""
        before = newest.select("fide_id", "games_played", "last_played", "reached_2400", "reached_2300")
        games = pl.col("games_of_month").fill_null(0)
        return LIST_STATE.conform(
            after.select("fide_id", "rating")
            .join(before, on="fide_id", how="left")
            .join(played.rename({"games": "games_of_month"}), on="fide_id", how="left")
            .with_columns(
                pl.lit(str(inputs.period)).alias("month"),
                pl.lit(self.time_control).alias("time_control"),
                pl.col("rating").round().cast(pl.Int32),
                games.alias("games"),
                (pl.col("games_played").fill_null(0) + games).alias("games_played"),
                pl.when(games > 0).then(pl.lit(inputs.period.first_day)).otherwise("last_played").alias("last_played"),
                pl.lit(None, dtype=pl.Int32).alias("k"),
                pl.col("reached_2400", "reached_2300").fill_null(value=False),
                pl.lit("").alias("inferred"),
            )
            .sort("fide_id")
        )


System = FamilySystem | LearningFamily
"""What a replay calculates."""


def with_judged_family(rules: RuleBook, time_control: str) -> RuleBook:
    """Return the rule book with the family that judges the events of a system without a list."""
    return replace(rules, made=(*rules.made, _rule_set(rules, time_control)))


def _rule_set(rules: RuleBook, time_control: str) -> SystemRuleSet:
    found = next(one for one in rules.of(_JUDGED_AS) if isinstance(one, SystemRuleSet))
    return replace(found, family=JUDGED_FAMILY, time_control=time_control)
