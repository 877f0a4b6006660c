"""What a system predicts of a game: White's expected score from the ratings in force when the event began.

Such a list is older than the one that the game counts for, so no system has seen a game that it predicts. A game of a
player without a rating then is counted, and not predicted. White's expected score is that of the family's regulations:

- the table, cut as the rule set says (FIDE's families, ``fsi``, ``fsi-1998``), by White's own difference;
- the thousandths of the logistic curve (``club``, ``uscf``);
- the logistic curve where the regulations have none (``ffe``);
- the logistic curve with the deviations of both players and White's advantage (``glicko``, ``wcc``).
"""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from ratinglist.rating.expected import expected_units
from ratinglist.rating.expected_models import logistic
from ratinglist.rating.model import MonthInputs, MonthResult
from ratinglist.rating.rules import RuleBook, RuleSet, SystemRuleSet
from ratinglist.rating.system_rules import GlickoRules, SumStepRules, TableRules, ThousandthsRules
from ratinglist.rating.systems.glicko import attenuation
from ratinglist.schemas import Column, Table

PREDICTION_TABLE = Table(
    "prediction",
    "game of a replayed month, played over the board and counted",
    {
        "event_id": Column(pl.String(), "registration code of the event"),
        "round": Column(pl.Int32(), "from 1"),
        "white_id": Column(pl.Int64(), "FIDE ID of White"),
        "black_id": Column(pl.Int64(), "FIDE ID of Black"),
        "score_halves": Column(pl.Int32(), "White's score in half points"),
        "expected_billionths": Column(
            pl.Int64(), "White's expected score in units of 1e-9; null: a player has no rating", null=True
        ),
        "white_rating": Column(pl.Int32(), "White's rating in force when the event began", null=True),
        "black_rating": Column(pl.Int32(), "Black's rating in force when the event began", null=True),
    },
    key=("event_id", "round", "white_id", "black_id"),
)
UNIT = 1_000_000_000
"""The parts of a point that an expected score is kept in."""

_DEVIATION = "deviation_hundredths"


def counted_games(result: MonthResult, lists: pl.DataFrame, time_control: str) -> pl.DataFrame:
    """Return the counted games of a month and time control, one row each, with the list in force at their start.

    In: ``lists``: the ``time_control`` and ``month`` of the lists there are. Out: the key and ``score_halves`` of
    :data:`PREDICTION_TABLE`, ``rule_set``, ``date`` and ``base_month``.
    """
    months = lists.filter(pl.col("time_control") == time_control).select("month").sort("month")
    events = (
        result.events.filter(pl.col("time_control") == time_control, pl.col("status") == "rated")
        .select("event_no", "event_id", "rule_set", pl.col("start_date").dt.strftime("%Y-%m").alias("start"))
        .sort("start", "event_id")
        .join_asof(months.with_columns(pl.col("month").alias("base_month")), left_on="start", right_on="month")
        .select("event_no", "event_id", "rule_set", "base_month")
    )
    white = pl.col("is_white") & pl.col("reason").is_not_null() & (pl.col("reason") != "same_game")
    return (
        result.sides.lazy()
        .filter(white)
        .select(
            *("event_no", "round", "date", "score_halves"),
            pl.col("fide_id").alias("white_id"),
            pl.col("opponent_id").alias("black_id"),
        )
        .join(events.lazy(), on="event_no", how="inner")
        .sort("event_id", "round", "white_id", "black_id")
        .collect()
    )


def join_by_list(games: pl.DataFrame, ratings: Callable[[str], pl.DataFrame]) -> pl.DataFrame:
    """Join to every game what the list in force has of both players, as ``white_...`` and ``black_...``.

    In: ``ratings`` returns ``fide_id`` and any columns of the list of a month.
    """
    parts = []
    for month in games["base_month"].unique().drop_nulls().sort():
        of_list = ratings(month)
        part = games.filter(pl.col("base_month") == month)
        for colour in ("white", "black"):
            renamed = of_list.rename({n: f"{colour}_{n}" for n in of_list.columns if n != "fide_id"})
            part = part.join(renamed, left_on=f"{colour}_id", right_on="fide_id", how="left", maintain_order="left")
        parts.append(part)
    return pl.concat(parts) if parts else games


def predict(
    result: MonthResult, inputs: MonthInputs, history: dict[str, pl.DataFrame], time_control: str
) -> pl.DataFrame:
    """Return the predictions of a family for the counted games of a month (:data:`PREDICTION_TABLE`).

    In: ``history``: what :func:`list_of_ratings` returned for earlier months, for those that are not in ``inputs``.
    """
    games = counted_games(result, inputs.lists_there, time_control)

    def of_month(month: str) -> pl.DataFrame:
        if month not in history:
            listed = inputs.lists.filter(pl.col("month") == month, pl.col("time_control") == time_control)
            state = inputs.system_state if month == str(inputs.lists_there["month"].max()) else None
            history[month] = list_of_ratings(listed, state)
        return history[month]

    joined = join_by_list(games, of_month)
    if joined.is_empty():
        return PREDICTION_TABLE.empty()
    parts = []
    for (name,), part in joined.group_by("rule_set", maintain_order=True):
        rule_set = next(one for one in inputs.rules.of(inputs.family) if one.name == name)
        parts.append(
            part.with_columns(_as_units(expected_of_white(rule_set, inputs.rules)).alias("expected_billionths"))
        )
    return PREDICTION_TABLE.sorted(PREDICTION_TABLE.conform(pl.concat(parts)))


def list_of_ratings(listed: pl.DataFrame, system_state: pl.DataFrame | None) -> pl.DataFrame:
    """Return ``fide_id``, ``rating``, ``games``, and the hundredths of rating and deviation where a system has them.

    In: one list (``LIST_STATE``), and ``SYSTEM_STATE`` of that list; ``games`` are the games played so far.
    """
    rows = listed.filter(pl.col("rating").is_not_null()).select(
        "fide_id", "rating", pl.col("games_played").alias("games")
    )
    names = ("rating_hundredths", _DEVIATION)
    if system_state is None or system_state.is_empty():
        return rows.with_columns(pl.lit(None, dtype=pl.Int32).alias(name) for name in names)
    return rows.join(system_state.select("fide_id", *names), on="fide_id", how="left", maintain_order="left")


def expected_of_white(rule_set: RuleSet, book: RuleBook) -> pl.Expr:
    """Return White's expected score by a rule set, of ``white_rating``, ``black_rating`` and the other columns."""
    difference = (pl.col("white_rating") - pl.col("black_rating")).cast(pl.Int32)
    if isinstance(rule_set, SystemRuleSet):
        own = rule_set.own
        if isinstance(own, GlickoRules):
            return _expected_with_deviations(own)
        rules = getattr(own, "expected_score", None)
        if isinstance(rules, TableRules | SumStepRules):
            cut = difference.clip(-rules.cap, rules.cap)
            return expected_units(cut, book.expected_score[rules.table], 100) / 100
        if isinstance(rules, ThousandthsRules):
            return expected_units(difference, book.thousandths[rules.table], 1000) / 1000
        return logistic(difference)
    of_fide = rule_set.expected_score
    capped = difference.clip(-of_fide.cap, of_fide.cap) if of_fide.cap else difference
    if of_fide.cap_applies_to == "players_below":
        capped = pl.when(pl.col("white_rating") < of_fide.cap_players_below).then(capped).otherwise(difference)
    return expected_units(capped, book.expected_score[of_fide.table], 100) / 100


def _expected_with_deviations(rules: GlickoRules) -> pl.Expr:
    """Return White's expected score where both ratings are uncertain: the curve is flatter by g of both variances."""
    variance = pl.lit(0)
    for colour in ("white", "black"):
        games = pl.col(f"{colour}_games").clip(1, rules.deviation.imported_from_games)
        imported = pl.lit(rules.deviation.initial) / games.sqrt()
        deviation = pl.coalesce(pl.col(f"{colour}_{_DEVIATION}") / 100, imported)
        variance = variance + deviation * deviation
    rating = [pl.coalesce(f"{one}_rating_hundredths", 100 * pl.col(f"{one}_rating")) for one in ("white", "black")]
    points = (rating[0] - rating[1]) / 100 + rules.expected_score.white
    return logistic(attenuation(variance) * points)


def _as_units(share: pl.Expr) -> pl.Expr:
    return (share * UNIT).round().cast(pl.Int64)
