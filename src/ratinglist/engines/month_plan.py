"""How a month is cut into buckets, and the inputs that each bucket has."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from ratinglist.engines.bucket_folder import BucketFolder
from ratinglist.period import Period
from ratinglist.rating.model import MonthInputs
from ratinglist.rating.rules import RuleBook
from ratinglist.schemas import EARLIER_EVENT, EARLIER_GAME, LIST_STATE, PLAYER, POOL, REPORT, REPORT_GAME

_ROW = pl.UInt32()
_OF_REPORT = ("round", "date", "white_id", "black_id", "white_halves", "black_halves")
_OF_LIST = ("time_control", "month", "fide_id", "rating", "games_played", "reached_2400", "reached_2300")

REPORT_LINES = pl.DataFrame(schema={"report_row": _ROW, "fide_id": pl.Int64()})
"""By bucket of events: the players of the selected reports. ``report_row`` is the row among the bucket's reports."""

REPORT_GAMES = pl.DataFrame(
    schema={"report_row": _ROW, **{name: REPORT_GAME.columns[name].dtype for name in _OF_REPORT}}
)
"""By bucket of events: the games of the selected reports."""

OPENING_RATINGS = pl.DataFrame(schema={name: LIST_STATE.columns[name].dtype for name in _OF_LIST})
"""By bucket of events: the rows of the lists that the month needs, of the players of the bucket's reports."""

PERSONS = pl.DataFrame(
    schema={name: PLAYER.columns[name].dtype for name in ("fide_id", "sex", "birth_date", "birth_year")}
)
"""By bucket of events: the registered players of the bucket's reports."""

INPUTS_OF_EVENTS = {
    "report_lines": REPORT_LINES,
    "report_games": REPORT_GAMES,
    "opening_ratings": OPENING_RATINGS,
    "persons": PERSONS,
}
"""The inputs by bucket of events, by the name of their table."""

INPUTS_OF_PLAYERS = {"newest_lists": LIST_STATE.empty(), "players": PLAYER.empty(), "waiting": POOL.empty()}
"""The inputs by bucket of players: the newest list of each time control, all players, the pool of the list before."""


@dataclass(frozen=True, slots=True)
class MonthPlan:
    """A month cut into buckets; every worker gets it with each step.

    ``event_buckets``: how many buckets of events there are: ranges of the published order, by time control and event.
    ``player_bounds``: the first FIDE ID of each bucket of players but the first. ``lists_there``:
    :func:`~ratinglist.rating.model.distinct_lists`.
    """

    folder: BucketFolder
    period: Period
    family: str
    rules: RuleBook
    lists_there: pl.DataFrame
    event_buckets: int
    player_bounds: tuple[int, ...]

    @property
    def player_buckets(self) -> int:
        """How many buckets of players there are: ranges of FIDE IDs."""
        return len(self.player_bounds) + 1

    def player_bucket(self, fide_id: pl.Series) -> pl.Series:
        """Return the bucket of each player."""
        bounds = pl.Series(self.player_bounds, dtype=pl.Int64)
        return bounds.search_sorted(fide_id, side="right").cast(pl.Int32).alias("to_bucket")

    def inputs_of_players(self, bucket: int, *, pool_alone: bool = False) -> MonthInputs:
        """Return what a bucket of players has of the month's inputs: its lists, its players and their pool.

        ``pool_alone``: the lists and the players are not read.
        """
        lists, players, pool = (
            empty if pool_alone and table != "waiting" else self.folder.read(table, bucket, empty)
            for table, empty in INPUTS_OF_PLAYERS.items()
        )
        return MonthInputs(
            period=self.period,
            family=self.family,
            rules=self.rules,
            lists=lists,
            players=players,
            reports=REPORT.empty(),
            report_players=REPORT_LINES,
            report_games=REPORT_GAMES,
            pool=pool,
            earlier_events=EARLIER_EVENT.empty(),
            earlier_games=EARLIER_GAME.empty(),
            lists_there=self.lists_there,
        )


def assign_buckets(reports: pl.DataFrame, buckets: int) -> pl.DataFrame:
    """Cut the selected reports into ``buckets`` of about as many games each, in the published order of their events.

    In: :func:`~ratinglist.rating.event_verdicts.select_reports`. Out: a row for each report, in that order:
    ``bucket``, ``row_in_bucket`` (the row among the bucket's reports, in the order given), ``report_id``.
    """
    ordered = reports.with_row_index("report_row").sort("time_control", "event_id")
    # One more for each report, so that reports without games are spread too.
    weight = pl.col("games").cast(pl.Int64) + 1
    before = weight.cum_sum() - weight
    return (
        ordered.with_columns((before * buckets // weight.sum()).cast(pl.Int32).alias("bucket"))
        .sort("report_row")
        .with_columns(pl.int_range(pl.len(), dtype=pl.UInt32).over("bucket").alias("row_in_bucket"))
        .select("bucket", "row_in_bucket", "report_id")
    )
