"""Find what can have moved on a list since it was calculated, and calculate that again: the rest stays as it was.

The figures of a player on a list follow from the player's own rows of the lists and the pool before, the player's
games of the month, and the ratings of the opponents when their events began. So, where nothing else is another:

- ``moved``: players with another row on an earlier list or in a pool, and all players of reports of which a result was
  corrected: reports that contain the same games have the same players, so duplicate games and copies are among these;
- ``reached``: those and their opponents of the month. No other player can have another figure.

The events of all players reached are calculated again, by the functions that calculate every month, with the list rows
of everybody in their reports: the verdict on an event needs all its players, a limit on K or a first rating all events
of a player. The rows of players reached replace those they had (:mod:`ratinglist.store.replaced_rows`).

A month is calculated as a whole where anything else may be another, and this is found by comparison: another register,
another report, another kind of correction, another verdict on an event, another rule set, version or ``office.toml``.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import polars as pl

from ratinglist import schemas
from ratinglist.config.office import ContinueFrom
from ratinglist.engine import BucketedMonth, calculate_month, plan_month, published_events
from ratinglist.errors import AlteredError, NothingReadError
from ratinglist.rating.event_verdicts import select_reports
from ratinglist.rating.model import MonthInputs
from ratinglist.store.bucketed_inputs import read_bare_inputs
from ratinglist.store.calculation_folder import CONSIDERED_EVENT
from ratinglist.store.calculations import Calculation, calculation, digests_of
from ratinglist.store.database import Store
from ratinglist.store.month_inputs import POOL_BEFORE, games_of_reports, players_of_reports, read_lists
from ratinglist.store.player_history import PLAYERS_WANTED
from ratinglist.store.rule_files import rule_book

FEWEST_SIDES = 500_000
"""Of fewer sides, a month costs less to calculate as a whole than to look for what moved."""

_LARGEST_SHARE = 5
"""One part of so many of a month's games: where more are reached, the month is calculated as a whole."""

_BASIS: ContinueFrom = "corrected"
_SAME_INPUTS = ("players", "reports", "references", "systems")


@dataclass(slots=True)
class Moves:
    """Who moved on the lists that one command has calculated again.

    ``months``: by month the number of the calculation replaced, and the ``fide_id`` of the players with another row of
    the state or the pool; None where more than results was corrected, or an event has another verdict.
    """

    months: dict[str, tuple[int, pl.Series | None]] = field(default_factory=dict)

    @contextmanager
    def noted(self, store: Store, before: Calculation | None) -> Iterator[None]:
        """Note who moves on the list that the block calculates again, in the place of the calculation ``before``.

        Players of reports corrected since are among these: their games may count elsewhere, which no rating shows.
        """
        if before is None or not _is_large(before):
            yield
            return
        pool, events = before.folder.read_table("pool"), pl.read_parquet(before.folder.events)
        yield
        now, corrected = calculation(store, before.period), _corrected_since(store, before)
        assert now is not None  # noqa: S101 - the block made it
        is_same = before.code_version == now.code_version and events.equals(pl.read_parquet(now.folder.events))
        if corrected is None or not is_same:
            self.months[str(before.period)] = (before.number, None)
            return
        states = (one.folder.read_state() for one in (before, now))
        ids = [_players_differing(*states), _players_differing(pool, now.folder.read_table("pool"))]
        self.months[str(before.period)] = (before.number, pl.concat([*ids, corrected["fide_id"]]).unique())

    def since(self, store: Store, made: Calculation) -> pl.Series | None:
        """Return who moved on the lists before that of ``made`` since it was calculated; None: it is not known."""
        history = store.log.history
        ids = [pl.Series("fide_id", [], dtype=pl.Int64())]
        for month, standing in history.standing_calculations().items():
            if month >= str(made.period) or standing.number < made.number:
                continue
            known_then = [one.number for one in history.calculations if one.month == month and one.number < made.number]
            number, moved = self.months.get(month, (0, None))
            if moved is None or number != max(known_then, default=0):
                return None
            ids.append(moved)
        return pl.concat(ids).unique()


@dataclass(frozen=True, slots=True)
class MovedMonth:
    """What was calculated again of a month.

    ``inputs``: of the month, without the rows of lists, players and reports; ``digests``: of all of them
    (:func:`~ratinglist.store.calculations.digests_of`); ``month``: the events of the players ``reached``.
    """

    inputs: MonthInputs
    digests: dict[str, list[str]]
    reached: pl.Series
    month: BucketedMonth


def calculate_moved(store: Store, made: Calculation, office: str, readings: int, moves: Moves) -> MovedMonth | None:
    """Calculate again what can have moved since ``made``, the current calculation of a month.

    ``office``: the digest of ``office.toml``; ``readings``: those that the month is calculated by now. None: the month
    is to be calculated as a whole.
    """
    history, book = store.log.history, rule_book()
    if (
        book.is_system(made.family)
        or (made.continue_from, made.readings, made.office) != (_BASIS, readings, office)
        or made.code_version != store.log.version
        or not _has_these_rules(made)
        or history.rollbacks
        or _has_lost_a_correction(store)
        or not _is_large(made)
        or not _is_whole(store, made)
    ):
        return None
    corrected, moved = _corrected_since(store, made), moves.since(store, made)
    if corrected is None or moved is None:
        return None
    events = pl.read_parquet(made.folder.events)
    reached = _reached(made, _as_now(store, pl.concat([moved, corrected["fide_id"]])), events)
    if reached is None:
        return None
    inputs = read_bare_inputs(store, made.period, made.family, book, readings)
    reports = select_reports(inputs)
    if not _has_these_events(inputs, reports, events):
        return None
    numbered = _numbered(store, inputs.reports)
    with store.seeing(wanted=numbered):
        lines = players_of_reports(store, numbered)
        digests = _digests(store, inputs, lines)
    before = made.inputs
    if (
        any(digests.get(kind) != before.get(kind) for kind in _SAME_INPUTS)
        or not set(before.get("corrections", ())) <= set(digests["corrections"])
        or _lists_of(store, digests) != _lists_of(store, before)
    ):
        return None
    of_reached = lines.filter(pl.col("fide_id").is_in(reached.implode()))["report_id"].unique().cast(pl.String)
    chosen = reports.filter(
        pl.col("report_id").is_in(of_reached.implode()) | pl.col("event_code").is_in(corrected["event_id"].implode())
    )
    month = calculate_month(plan_month(_only_of(store, inputs, chosen, lines, reached), reports=chosen))
    again = CONSIDERED_EVENT.conform(month.events).drop("event_no")
    if not again.equals(events.drop("event_no").filter(pl.col("event_id").is_in(chosen["event_id"].implode()))):
        return None
    return MovedMonth(inputs, digests, reached, month)


def _is_large(made: Calculation) -> bool:
    files = made.folder.table_files("games")
    return bool(files) and pl.scan_parquet(files).select(pl.len()).collect().item() >= FEWEST_SIDES


def _is_whole(store: Store, made: Calculation) -> bool:
    """Return whether all files of a calculation are those that its entry states."""
    stated = store.log.history.newest_calculations()[str(made.period)].facts
    try:
        if any(stated[name] != digest for name, digest in made.folder.digests().items()):
            return False
        made.folder.check_unaltered(lists=True)
        made.folder.check_complete()
    except (AlteredError, NothingReadError, OSError):
        return False
    return True


def _has_lost_a_correction(store: Store) -> bool:
    """Return whether corrections were taken back as deliveries are, so that numbers do not tell which are new."""
    return any(one.kind == "correct" and one.number in store.log.history.retracted for one in store.log.entries)


def _corrected_since(store: Store, made: Calculation) -> pl.DataFrame | None:
    """Return ``event_id`` and ``fide_id`` of all players of reports of which a result was corrected since.

    None where anything else was corrected.
    """
    since = store.read(
        """
        select coalesce(undone.action, made.action) as action, coalesce(undone.event_id, made.event_id) as event_id
        from correction as made left join correction as undone on undone.correction_no = made.undoes
        where made.correction_no > $last
        """,
        last=made.last_correction,
    )
    if since.filter((pl.col("action") != "change_result") | pl.col("event_id").is_null()).height:
        return None
    with store.seeing(corrected=since.select("event_id").unique()):
        return store.read(
            """
            select distinct report.event_id, fide_id
            from report semi join corrected using (event_id) join current_report_player using (report_no)
            """
        )


def _as_now(store: Store, ids: pl.Series) -> pl.Series:
    """Return players by every FIDE ID that they are known by: lists before a merge have that of then."""
    with store.seeing(moved_player=ids.to_frame("fide_id")):
        now = store.read("select now_id as fide_id from current_identity semi join moved_player using (fide_id)")
    return pl.concat([ids, now["fide_id"]]).unique()


def _reached(made: Calculation, moved: pl.Series, events: pl.DataFrame) -> pl.Series | None:
    """Return the players who moved and their opponents; None where they have too large a share of the games."""
    sides = pl.scan_parquet(made.folder.table_files("games"), glob=False, hive_partitioning=False)
    opponents = sides.filter(pl.col("fide_id").is_in(moved.implode())).select("opponent_id").collect()
    reached = pl.concat([moved, opponents["opponent_id"].alias("fide_id")]).unique()
    own = sides.filter(pl.col("fide_id").is_in(reached.implode())).select(pl.col("event_id").unique()).collect()
    games = events.filter(pl.col("event_id").is_in(own["event_id"].implode()))["games"].sum()
    return None if games * _LARGEST_SHARE > events["games"].sum() else reached


def _has_these_rules(made: Calculation) -> bool:
    """Return whether every rule set that ``made`` states is there, unchanged; a version has the others."""
    found = {one.name: one.digest for one in rule_book().of(made.family)}
    return all(found.get(one["name"]) == one["sha256"] for one in made.rule_sets)


def _has_these_events(inputs: MonthInputs, reports: pl.DataFrame, events: pl.DataFrame) -> bool:
    """Return whether the reports give the same ``events``, as long as no verdict on one is another."""
    judged = reports.rename({"sha256": "report_sha256"}).join(
        events.select("event_id", "status", "reason"), on="event_id", how="left"
    )
    if judged["status"].null_count():
        return False
    found = published_events(judged.sort("time_control", "event_id"), inputs)
    return CONSIDERED_EVENT.conform(found).equals(events)


def _numbered(store: Store, reports: pl.DataFrame) -> pl.DataFrame:
    """Return ``report_id`` and ``report_no`` of some reports."""
    with store.seeing(some_reports=reports.select("report_id")):
        return store.read("select report_id, report_no from report semi join some_reports using (report_id)")


def _digests(store: Store, inputs: MonthInputs, lines: pl.DataFrame) -> dict[str, list[str]]:
    """Return the digests of the inputs; ``lines``: the players of all reports."""
    with store.seeing(needed=inputs.lists_there):
        on_lists = store.read(
            """
            select fide_id from list_to_stand_on semi join needed using (time_control, month)
            where basis = $basis and month between $first and $last
            """,
            basis=_BASIS,
            first=inputs.lists_there["month"].min(),
            last=inputs.lists_there["month"].max(),
        )
    with store.seeing(used_players=pl.concat([on_lists, lines.select("fide_id")])):
        return digests_of(store, inputs)


def _lists_of(store: Store, digests: dict[str, list[str]]) -> set[str]:
    """Return the lists among digests: month and time control, and of an imported one the digest of its file."""
    calculated = store.log.history.standing_calculations()
    return {one.rpartition(" ")[0] if one.partition(" ")[0] in calculated else one for one in digests.get("lists", ())}


def _only_of(
    store: Store, inputs: MonthInputs, chosen: pl.DataFrame, lines: pl.DataFrame, reached: pl.Series
) -> MonthInputs:
    """Return the inputs of the ``chosen`` reports, with the lists and data of everybody in them."""
    of_chosen = lines.filter(pl.col("report_id").cast(pl.String).is_in(chosen["report_id"].implode()))
    wanted = pl.concat([of_chosen["fide_id"], reached]).unique()
    with store.seeing(wanted_player=wanted.to_frame("fide_id")):
        players = store.read(
            f"""
            from ({PLAYERS_WANTED}) anti join current_identity using (fide_id)
            """,
            month=str(inputs.period),
        )
        lists = read_lists(store, _BASIS, inputs.lists_there, only_wanted=True)
    pool = store.read(POOL_BEFORE, month=str(inputs.period)).filter(pl.col("fide_id").is_in(reached.implode()))
    return replace(
        inputs,
        lists=lists,
        players=schemas.PLAYER.conform(players),
        report_players=of_chosen,
        report_games=games_of_reports(store, _numbered(store, chosen)),
        pool=schemas.POOL.conform(pool),
    )


def _players_differing(before: pl.DataFrame, now: pl.DataFrame) -> pl.Series:
    """Return the ``fide_id`` of the rows that only one of two tables has; rows equal in one place need no join."""
    if before.height == now.height:
        differs = pl.any_horizontal(pl.col(name).ne_missing(now[name]) for name in before.columns)
        is_other = before.select(is_other=differs)["is_other"]
        before, now = before.filter(is_other), now.filter(is_other)
    names = before.columns
    only = (one.join(other, on=names, how="anti", nulls_equal=True) for one, other in ((before, now), (now, before)))
    return pl.concat(one["fide_id"] for one in only)
