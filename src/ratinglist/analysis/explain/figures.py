"""Compare the figures of other systems than FIDE's, for all players of a list, with what they follow from."""

from __future__ import annotations

import polars as pl

from ratinglist.rating.rules import SystemRuleSet
from ratinglist.rating.systems.account import Calculated
from ratinglist.rating.systems.registry import SYSTEMS

_DUE = "due_"


def differing(calculated: Calculated, rule_set: SystemRuleSet) -> pl.DataFrame:
    """Return the figures of players and games that do not follow from the others.

    Out: ``fide_id``, ``event_id`` and ``round`` (null where the figure is one of the player's change), ``figure``,
    ``published``, ``due``.
    """
    of_system, rules = SYSTEMS[rule_set.system].account, rule_set.own
    figures = of_system.figures(calculated, rules)
    due = [name for name in figures.columns if name.startswith(_DUE)]
    own = figures.select("fide_id", *due, event_id=pl.lit(None, pl.String), round=pl.lit(None, pl.Int32)).join(
        calculated.changes, on="fide_id", how="left"
    )
    games = of_system.games(calculated, rules).join(figures, on="fide_id", how="left", suffix="_of_player")
    compared = [(own, name.removeprefix(_DUE), pl.col(name)) for name in due]
    compared += [(games, name, value) for name, value in of_system.due_of_games(calculated, rules).items()]
    return pl.concat(
        rows.filter(value.is_not_null(), pl.col(name).ne_missing(value)).select(
            "fide_id",
            "event_id",
            "round",
            pl.lit(name).alias("figure"),
            pl.col(name).cast(pl.Int64).alias("published"),
            value.cast(pl.Int64).alias("due"),
        )
        for rows, name, value in compared
    ).sort("fide_id", "event_id", "round", "figure")
