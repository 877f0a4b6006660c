"""The figures of all players of a list, calculated again from what it publishes and compared with it beforehand.

No formula is stated a second time: the functions are those that calculate a list.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from ratinglist.period import Period
from ratinglist.rating.change import change_hundredths
from ratinglist.rating.expected import expected_units
from ratinglist.rating.systems.month import change_thousandths

_NO_PLAYERS = {"fide_id": pl.Int64(), "rating_hundredths": pl.Int32(), "deviation_hundredths": pl.Int32()}


@dataclass(frozen=True, slots=True)
class Deviations:
    """What the list before has of its players, and the months since that list; None: not known.

    ``before``: ``fide_id``, ``rating_hundredths``, ``deviation_hundredths``.
    """

    before: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=_NO_PLAYERS))
    months: int | None = None


@dataclass(frozen=True, slots=True)
class Calculated:
    """What a list of another system is calculated from, as it is published.

    ``changes``: ``SYSTEM_CHANGE``. ``games``: ``SYSTEM_GAME`` of these players, with ``start_date`` and ``end_date`` of
    the event; ``reason`` is empty where a game counts. ``listed_events``: the events with a counted game of a listed
    player; None: not known. ``deviations``: those of the list before. ``tables``: as
    :class:`~ratinglist.rating.systems.month.SystemMonth` has them.
    ``rule_sets``: the rules by the name of the rule set. Only for the check before a publication, else None:
    ``period`` of the list; ``births``, ``fide_id``, ``birth_date`` and ``birth_year`` of all players; ``own_state``,
    the system's own state of the list before; ``references``, the ratings of the reference lists
    (``REFERENCE_RATING``).
    """

    changes: pl.DataFrame
    games: pl.DataFrame
    listed_events: frozenset[str] | None = None
    deviations: Deviations = field(default_factory=Deviations)
    tables: Mapping[str, pl.Series] = field(default_factory=dict)
    rule_sets: Mapping[str, Any] = field(default_factory=dict)
    period: Period | None = None
    births: pl.DataFrame | None = None
    own_state: pl.DataFrame | None = None
    references: pl.DataFrame | None = None

    @property
    def counted(self) -> pl.DataFrame:
        """Return the games that change a rating."""
        return self.games.filter(pl.col("reason") == "").with_row_index("row")


def counted_games(calculated: Calculated, rules: Any) -> pl.DataFrame:
    """Return the games that change a rating."""
    del rules
    return calculated.counted


@dataclass(frozen=True, slots=True)
class SystemAccount:
    """What a system states of its lists for the check before a publication.

    ``figures``: from what is published and the rules, the operands and results of every player of the changes or with a
    counted game; a column ``due_<name>`` is what the column ``<name>`` of the changes has to be, null where it may be
    anything. ``due_of_games``: what the columns of a counted game have to be, from its other columns, the player's
    figures, and the columns that ``games`` adds.
    """

    figures: Callable[[Calculated, Any], pl.DataFrame]
    due_of_games: Callable[[Calculated, Any], dict[str, pl.Expr]]
    games: Callable[[Calculated, Any], pl.DataFrame] = counted_games


def of_players(calculated: Calculated, *sums: pl.Expr) -> pl.DataFrame:
    """Return the changes with ``due_games`` and other sums of the counted games; null without a change or a game."""
    games = calculated.counted.group_by("fide_id").agg(pl.len().cast(pl.Int64).alias("due_games"), *sums)
    wide = calculated.changes.with_columns(pl.col(pl.Int32).cast(pl.Int64))
    return wide.join(games, on="fide_id", how="full", coalesce=True).with_columns(pl.col("due_games").fill_null(0))


def expected_of_game(calculated: Calculated, table: str, whole: int) -> pl.Expr:
    """Return the expected score of the difference used; null where the tables are not at hand."""
    found = calculated.tables.get(table)
    return pl.lit(None, pl.Int64) if found is None else expected_units(pl.col("difference_used"), found, whole)


CHANGE = {
    "hundredths": change_hundredths(pl.col("k"), pl.col("score_halves"), pl.col("expected_hundredths")),
    "thousandths": change_thousandths(pl.col("k"), pl.col("score_halves"), pl.col("expected_thousandths")),
}
"""The change of a game by the unit it is published in."""
