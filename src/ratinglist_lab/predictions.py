"""What a family predicts of a game: White's expected score from the ratings in force when the event began.

Such a list is older than the one that the game counts for, so no system has seen a game that it predicts. A game of a
player without a rating then is counted, and not predicted. White's expected score is that of the family's regulations:

- the table, cut as the rule set says (FIDE's families, ``fsi``, ``fsi-1998``), by White's own difference;
- the thousandths of the logistic curve (``club``, ``uscf``);
- the logistic curve where the regulations have none (``ffe``);
- the logistic curve with the deviations of both players and White's advantage (``glicko``, ``wcc``).
"""

from __future__ import annotations

import polars as pl

from ratinglist.rating.change import expected_units
from ratinglist.rating.rules import RuleBook, RuleSet, SystemRuleSet, TableRules, ThousandthsRules
from ratinglist.rating.systems.glicko import logistic
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


def predicted(games: pl.DataFrame, family: str, rules: RuleBook) -> pl.DataFrame:
    """Return what a family predicts of games (:data:`PREDICTION_TABLE`); in: as ``sql/measures/games.sql``."""
    by_rule_set = [
        pl.when(pl.col("rule_set") == rule_set.name).then(_in_units(expected_of_white(rule_set, rules)))
        for rule_set in rules.of(family)
    ]
    rows = games.with_columns(
        pl.coalesce(by_rule_set).alias("expected_billionths"),
        (pl.col("white_rating") - pl.col("black_rating")).alias("difference"),
    )
    return PREDICTION_TABLE.sorted(PREDICTION_TABLE.conform(rows))


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
            return expected_units(cut, book.tables[rules.table], 100) / 100
        if isinstance(rules, ThousandthsRules):
            return expected_units(difference, book.tables[rules.table], 1000) / 1000
        return logistic(difference)
    of_fide = rule_set.expected_score
    capped = difference.clip(-of_fide.cap, of_fide.cap) if of_fide.cap else difference
    if of_fide.cap_applies_to == "players_below":
        capped = pl.when(pl.col("white_rating") < of_fide.cap_players_below).then(capped).otherwise(difference)
    return expected_units(capped, book.tables[of_fide.table], 100) / 100


def with_expected(games: pl.DataFrame, elsewhere: pl.DataFrame) -> pl.DataFrame:
    """Return ``games`` (:data:`PREDICTION_TABLE`) as predictions from elsewhere have them.

    In: ``elsewhere``: the key of the games and ``expected``, White's expected score from 0 to 1. Raises a
    ``PolarsError`` where a column is missing or has another type.
    """
    key = list(PREDICTION_TABLE.key)
    types = pl.Schema({name: PREDICTION_TABLE.columns[name].dtype for name in key})
    expected = _in_units(pl.col("expected").cast(pl.Float64).clip(0, 1)).alias("expected_billionths")
    rows = elsewhere.select(*key, expected).cast(types).unique(key)
    joined = games.drop("expected_billionths", "difference").join(rows, on=key, how="left", maintain_order="left")
    return PREDICTION_TABLE.completed(joined)


def _in_units(share: pl.Expr) -> pl.Expr:
    return (share * UNIT).round().cast(pl.Int32)
