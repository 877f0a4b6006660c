"""What one replayed month leaves for the next: lists, waiting results, and the reports that are settled.

The chain starts from the inputs of the first month, and each replayed month adds what the store would keep of it. So a
replay reads the same inputs as a calculation from the store does.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import polars as pl

from ratinglist.period import Period
from ratinglist.rating.model import MonthInputs, MonthResult
from ratinglist.rating.rules import RuleBook
from ratinglist.rating.systems.own_state import NO_STATE
from ratinglist.tables import EARLIER_EVENT, EARLIER_GAME, LIST_STATE, POOLED_GAME

_SETTLED = ("rated", "late", "duplicate", "superseded")
_PAIRING = ["round", "white_id", "black_id"]
_OF_OPEN_REPORT = ("report_id", "received_on", "start_date")
_SAME_GAME = {"report_id": pl.String, "round": pl.Int32, "white_id": pl.Int64}
"""Games that counted in another report: no later report has them again because of this one."""


@dataclass(frozen=True, slots=True)
class MonthChain:
    """The state between two replayed months.

    ``first``: the inputs of the first month, with the reports of all. ``open_reports``: ``report_id``, ``received_on``
    and ``start_date`` of those that no month has settled. ``lists``: ``LIST_STATE`` of all lists so far.
    ``earlier_events``: ``EARLIER_EVENT`` of what lists settled. ``earlier_games``: games that were rated before the
    first month. ``same_games``: games of replayed reports that counted in another one.
    """

    family: str
    rules: RuleBook
    first: MonthInputs
    open_reports: pl.DataFrame
    lists: pl.DataFrame
    pool: pl.DataFrame
    earlier_events: pl.DataFrame
    earlier_games: pl.DataFrame
    system_state: pl.DataFrame
    own_state: pl.DataFrame
    pooled_games: pl.DataFrame
    same_games: pl.DataFrame

    @classmethod
    def start(cls, inputs: MonthInputs, family: str, rules: RuleBook, *, continues: bool, is_empty: bool) -> MonthChain:
        """Return the chain before the first month.

        In: ``inputs`` of that month, with the reports of all months. ``continues``: the system is the one of the
        office's lists, so waiting results and its own state count too. ``is_empty``: start from scratch, with the same
        players, none of them rated.
        """
        lists = inputs.lists
        if is_empty:
            inputs = replace(inputs, imported=inputs.imported.clear())
            lists = lists.with_columns(
                pl.lit(None, dtype=pl.Int32).alias("rating"),
                pl.lit(None, dtype=pl.Int32).alias("k"),
                pl.lit(0, dtype=pl.Int32).alias("games"),
                pl.lit(0, dtype=pl.Int32).alias("games_played"),
                pl.lit(value=False).alias("reached_2400"),
                pl.lit(value=False).alias("reached_2300"),
                pl.lit(None, dtype=pl.Date).alias("last_played"),
            )
        keeps = continues and not is_empty
        open_reports = inputs.reports.select(_OF_OPEN_REPORT).join(inputs.earlier_events, on="report_id", how="anti")
        return cls(
            family=family,
            rules=rules,
            first=inputs,
            open_reports=open_reports,
            lists=lists,
            pool=inputs.pool if keeps else inputs.pool.clear(),
            earlier_events=inputs.earlier_events,
            earlier_games=inputs.earlier_games.unique(),
            system_state=inputs.system_state if keeps else inputs.system_state.clear(),
            own_state=inputs.own_state if keeps else NO_STATE,
            pooled_games=inputs.pooled_games if keeps else inputs.pooled_games.clear(),
            same_games=pl.DataFrame(schema=_SAME_GAME),
        )

    def inputs(self, period: Period, players: pl.DataFrame) -> MonthInputs:
        """Return the inputs of a month, as the store would give them after the months replayed so far."""
        opened = self.open_reports.filter(pl.col("received_on") < period.first_day)
        reports = self.first.reports.join(opened.select("report_id"), on="report_id", how="semi", maintain_order="left")
        settled = self.earlier_events.join(reports, on="event_id", how="semi")["report_id"]
        wanted = reports["report_id"]
        return replace(
            self.first,
            period=period,
            family=self.family,
            rules=self.rules,
            lists=self.lists,
            players=players,
            reports=reports,
            report_players=self._of("report_players", wanted),
            report_games=self._of("report_games", pl.concat([wanted, settled]).unique()),
            pool=self.pool,
            earlier_events=self.earlier_events,
            earlier_games=self._earlier_games(reports),
            system_state=self.system_state,
            own_state=self.own_state,
            pooled_games=self.pooled_games,
        )

    def _of(self, name: str, report_ids: pl.Series) -> pl.DataFrame:
        """Return the rows of ``report_players`` or ``report_games`` of some reports."""
        rows: pl.DataFrame = getattr(self.first, name)
        return rows.filter(pl.col("report_id").is_in(report_ids.cast(rows.schema["report_id"]).implode()))

    def after(self, result: MonthResult, period: Period) -> MonthChain:
        """Return the chain after a month."""
        settled = result.events.filter(pl.col("status").is_in(_SETTLED)).select("report_id", "status", "version")
        facts = self.first.reports.select([name for name in EARLIER_EVENT.columns if name not in ("status", "version")])
        earlier_events = pl.concat(
            [self.earlier_events, EARLIER_EVENT.conform(settled.join(facts, on="report_id", how="inner"))]
        )
        open_reports = self.open_reports.join(settled, on="report_id", how="anti")
        return replace(
            self,
            open_reports=open_reports,
            lists=pl.concat([self.lists, LIST_STATE.conform(result.list_state)]),
            pool=result.pool,
            earlier_events=earlier_events,
            system_state=result.system_state,
            own_state=result.own_state,
            pooled_games=self._pooled_games(result, period),
            same_games=pl.concat([self.same_games, _same_games(result)]),
        )

    def newest_list(self, time_control: str) -> pl.DataFrame | None:
        """Return the newest list of a time control (``LIST_STATE``); None where there is none."""
        of_control = self.lists.filter(time_control=time_control)
        return of_control.filter(pl.col("month") == pl.col("month").max()) if of_control.height else None

    def _earlier_games(self, reports: pl.DataFrame) -> pl.DataFrame:
        """Return the games rated in earlier months that the ``reports`` of a month have again (``EARLIER_GAME``)."""
        if reports.is_empty():
            return EARLIER_GAME.empty()
        pairings = self._of("report_games", reports["report_id"]).select(_PAIRING)
        first_start, codes = reports["start_date"].min(), reports["event_id"].implode()
        may_repeat = (pl.col("end_date") >= first_start) | pl.col("event_id").is_in(codes)
        before = self.earlier_games.rename({"event_code": "event_id"}).filter(may_repeat)
        before = before.rename({"event_id": "event_code"})
        rated = self.earlier_events.filter(pl.col("status") == "rated").filter(may_repeat).select("report_id")
        facts = self.first.reports.join(rated, on="report_id", how="semi").select(
            *(name for name in EARLIER_GAME.columns if name in self.first.reports.columns),
            pl.col("event_id").alias("event_code"),
            pl.col("received_on").alias("first_received_on"),
        )
        again = before.join(pairings, on=_PAIRING, how="semi")
        played_again = (
            self._of("report_games", facts["report_id"])
            .join(pairings, on=_PAIRING, how="semi")
            .with_columns(pl.col("report_id").cast(pl.String))
            .join(self.same_games, on=["report_id", "round", "white_id"], how="anti")
            .join(facts, on="report_id")
        )
        return pl.concat([EARLIER_GAME.conform(again), EARLIER_GAME.conform(played_again)])

    def _pooled_games(self, result: MonthResult, period: Period) -> pl.DataFrame:
        """Return the games of the results that wait after a month (``POOLED_GAME``), where the system needs them."""
        if not self.rules.is_system(self.family):
            return self.pooled_games
        waiting = result.pool.select("fide_id", "counted_month").unique()
        if waiting.is_empty():
            return POOLED_GAME.empty()
        counted = result.games.filter(pl.col("reason") == "counts_for_entry")
        of_month = POOLED_GAME.conform(counted.with_columns(pl.lit(str(period)).alias("counted_month")))
        return pl.concat([self.pooled_games, of_month]).join(waiting, on=["fide_id", "counted_month"], how="semi")


def _same_games(result: MonthResult) -> pl.DataFrame:
    """Return the games of a month that count in another report, by White."""
    games = result.games.cast({"event_id": pl.String})
    same_games = games.filter(pl.col("reason") == "same_game", pl.col("colour") == "w")
    reports = result.events.select("event_id", "report_id")
    return same_games.join(reports, on="event_id").select(
        "report_id", pl.col("round").cast(pl.Int32), pl.col("fide_id").alias("white_id")
    )
