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

from ratinglist.rating.change import expected_units
from ratinglist.rating.expected_models import logistic
from ratinglist.rating.model import MonthInputs, by_fide_id
from ratinglist.rating.month import Judged
from ratinglist.rating.rules import RuleBook, RuleSet, SystemRuleSet
from ratinglist.rating.system_rules import TableRules, ThousandthsRules
from ratinglist.rating.systems.registry import SYSTEMS
from ratinglist.tables import Column, Table

PREDICTION_TABLE = Table(
    "prediction",
    "game of a replayed month, played over the board and counted",
    {
        "event_id": Column(pl.String(), "registration code of the event"),
        "round": Column(pl.Int32(), "from 1"),
        "white_id": Column(pl.Int64(), "FIDE ID of White"),
        "black_id": Column(pl.Int64(), "FIDE ID of Black"),
        "list_month": Column(pl.String(), "the list that the game counts for"),
        "score_halves": Column(pl.Int32(), "White's score in half points"),
        "expected_billionths": Column(
            pl.Int32(), "White's expected score in units of 1e-9; null: a player has no rating", null=True
        ),
        "difference": Column(
            pl.Int32(), "White's rating less Black's, both in force when the event began; null as above", null=True
        ),
    },
    key=("event_id", "round", "white_id", "black_id"),
)
UNIT = 1_000_000_000
"""The parts of a point that an expected score is kept in."""


_DEVIATION = "deviation_hundredths"
_OF_DEVIATIONS = ("games", "rating_hundredths", _DEVIATION)
"""What an expected score that depends on deviations needs besides ratings."""


def counted_games(judged: Judged, time_control: str) -> pl.DataFrame:
    """Return the counted games of a month and time control, one row each, in the published order.

    Out: ``event_id``, ``round``, ``date``, ``white_id``, ``black_id``, ``score_halves`` of White, and of the event
    ``base_month`` (the list in force when it began), ``rule_set`` and ``end_date``.
    """
    rated = judged.events.filter(pl.col("time_control") == time_control, pl.col("status") == "rated")
    return (
        judged.games.filter(~pl.col("same_game"))
        .join(rated.select("event_id", "base_month", "rule_set", "end_date"), on="event_id")
        .rename({"white_halves": "score_halves"})
        .drop("black_halves", "same_game")
        .sort(PREDICTION_TABLE.key)
    )


def join_lists_in_force(games: pl.DataFrame, of_month: Callable[[str], pl.DataFrame]) -> pl.DataFrame:
    """Return ``games`` with what the list in force when the event began has of both players; null: not on it.

    In: :func:`counted_games`, one at least; ``of_month`` returns ``fide_id`` and columns of the list of a month. Out:
    each of these columns as ``white_`` and ``black_`` columns.
    """
    months = games["base_month"].unique().sort()
    listed = pl.concat(of_month(month).with_columns(pl.lit(month).alias("base_month")) for month in months)
    for colour in ("white", "black"):
        names = {name: f"{colour}_{name}" for name in listed.columns if name not in ("fide_id", "base_month")}
        of_colour = listed.rename({**names, "fide_id": f"{colour}_id"})
        games = games.join(of_colour, on=["base_month", f"{colour}_id"], how="left", maintain_order="left")
    return games


def predict(judged: Judged, inputs: MonthInputs, history: dict[str, pl.DataFrame], time_control: str) -> pl.DataFrame:
    """Return the predictions of a family for the counted games of a month (:data:`PREDICTION_TABLE`).

    In: ``history``: :func:`list_of_ratings` of the lists whose system keeps more of a player than a list has.
    """
    games = counted_games(judged, time_control)
    if games.is_empty():
        return PREDICTION_TABLE.empty()

    def of_month(month: str) -> pl.DataFrame:
        if month in history:
            return history[month]
        return list_of_ratings(
            inputs.lists.filter(pl.col("month") == month, pl.col("time_control") == time_control), None
        )

    rule_sets = [one for one in inputs.rules.of(inputs.family) if one.name in games["rule_set"]]
    # A system with an expected score of its own may need the deviations of both players.
    systems = [SYSTEMS[one.system] for one in rule_sets if isinstance(one, SystemRuleSet)]
    needs_deviations = any(system.expected_of_white for system in systems)
    needed = ("fide_id", "rating", *_OF_DEVIATIONS) if needs_deviations else ("fide_id", "rating")
    joined = join_lists_in_force(games, lambda month: of_month(month).select(needed))
    by_rule_set = [
        pl.when(pl.col("rule_set") == one.name).then(_as_units(expected_of_white(one, inputs.rules)))
        for one in rule_sets
    ]
    difference = pl.col("white_rating") - pl.col("black_rating")
    return PREDICTION_TABLE.conform(
        joined.with_columns(
            pl.coalesce(by_rule_set).alias("expected_billionths"),
            difference.alias("difference"),
            list_month=pl.lit(str(inputs.period)),
        )
    )


def list_of_ratings(listed: pl.DataFrame, system_state: pl.DataFrame | None) -> pl.DataFrame:
    """Return ``fide_id``, ``rating``, ``games``, and the hundredths of rating and deviation where a system has them.

    In: one list (``LIST_STATE``), and ``SYSTEM_STATE`` of that list; ``games`` are the games played so far.
    """
    rows = by_fide_id(
        listed.filter(pl.col("rating").is_not_null()).select("fide_id", "rating", pl.col("games_played").alias("games"))
    )
    names = ("rating_hundredths", _DEVIATION)
    if system_state is None or system_state.is_empty():
        return rows.with_columns(pl.lit(None, dtype=pl.Int32).alias(name) for name in names)
    state = by_fide_id(system_state.select("fide_id", *names))
    return rows.join(state, on="fide_id", how="left", maintain_order="left")


def expected_of_white(rule_set: RuleSet, book: RuleBook) -> pl.Expr:
    """Return White's expected score by a rule set, of ``white_rating``, ``black_rating`` and the other columns."""
    difference = (pl.col("white_rating") - pl.col("black_rating")).cast(pl.Int32)
    if isinstance(rule_set, SystemRuleSet):
        own = rule_set.own
        of_system = SYSTEMS[rule_set.system].expected_of_white
        if of_system is not None:
            return of_system(own)
        rules = getattr(own, "expected_score", None)
        if isinstance(rules, TableRules):
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


def _as_units(share: pl.Expr) -> pl.Expr:
    return (share * UNIT).round().cast(pl.Int32)


def with_expected(games: pl.DataFrame, elsewhere: pl.DataFrame) -> pl.DataFrame:
    """Return ``games`` (:data:`PREDICTION_TABLE`) as predictions from elsewhere have them.

    In: ``elsewhere``: the key of the games and ``expected``, White's expected score from 0 to 1. Raises a
    ``PolarsError`` where a column is missing or has another type.
    """
    key = list(PREDICTION_TABLE.key)
    types = pl.Schema({name: PREDICTION_TABLE.columns[name].dtype for name in key})
    units = (pl.col("expected").cast(pl.Float64).clip(0, 1) * UNIT).round().cast(pl.Int32)
    expected = elsewhere.select(*key, units.alias("expected_billionths")).cast(types).unique(key)
    found = games.drop("expected_billionths", "difference").join(expected, on=key, how="left", maintain_order="left")
    return PREDICTION_TABLE.completed(found)
