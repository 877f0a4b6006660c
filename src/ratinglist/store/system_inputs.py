"""Read what the lists of other systems than FIDE's are calculated from besides ratings and reports."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from ratinglist import schemas
from ratinglist.config.office import ContinueFrom
from ratinglist.errors import RulesError
from ratinglist.period import Period
from ratinglist.rating.systems.own_state import NO_STATE
from ratinglist.rating.systems.registry import SYSTEMS
from ratinglist.store.calculated_views import standing_folders
from ratinglist.store.database import Store

_STATE_VIEWS = {"corrected": "calculated_system_state", "published": "first_calculated_system_state"}


def read_system_state(store: Store, month: str, basis: ContinueFrom) -> pl.DataFrame:
    """Return what the system keeps of the players on the newest list before ``month`` (``SYSTEM_STATE``).

    ``basis``: whether that list is read as it is now known, or as it was first published. It is empty where that list
    was imported. A FIDE ID that was merged into another is replaced by that one, as on the list.
    """
    table = _STATE_VIEWS[basis]
    rows = store.read(
        f"""
        with state as (
            select kept.* exclude (month)
            from {table} as kept
            where kept.month = (
                select max(month) from list_kept where month < $month and list_kept.time_control = kept.time_control
            )
        ),
        moved as (
            select state.* replace (current_identity.now_id as fide_id)
            from state join current_identity using (fide_id)
            qualify row_number() over (partition by time_control, now_id order by fide_id) = 1
        )
        select * from state anti join current_identity using (fide_id)
        union all by name
        select * from moved anti join state as own using (time_control, fide_id)
        """,  # noqa: S608 - names of our own
        month=month,
    )
    return schemas.SYSTEM_STATE.conform(rows)


def read_own_state(store: Store, period: Period, basis: ContinueFrom, system: str) -> pl.DataFrame:
    """Return what a system keeps of its own of the newest list before ``period``, as :class:`OwnState` declares it.

    ``basis``: see :func:`read_system_state`, which treats merged FIDE IDs alike. Empty where that list was imported, or
    was calculated by another system. Raises :class:`RulesError` where it was kept in another version.
    """
    declared = SYSTEMS[system].state
    if declared is None:
        return NO_STATE
    (newest,) = store.rows("select max(month) from list_kept where month < $month", month=str(period))
    folders = {
        month: both for month, both in standing_folders(store.log.history, store.folders).items() if month < str(period)
    }
    if newest[0] not in folders:
        return declared.table.empty()
    current, shown = folders[newest[0]]
    folder = current if basis == "corrected" else shown
    files = {version: path for (name, version), path in folder.own_states().items() if name == system}
    if files.keys() - {declared.version}:
        others = [
            month
            for month, both in folders.items()
            for name, version in both[0].own_states()
            if (name, version != declared.version) == (system, True)
        ]
        raise RulesError(
            f"The list of {folder.period} was calculated with version {max(files)} of what the system '{system}' keeps "
            f"of its players, and the installed package keeps version {declared.version}. Calculate the lists since "
            f"then again (ratinglist rerate --from {min(others, default=newest[0])}), or install the version of the "
            "package that made them. Nothing was calculated."
        )
    if not files:
        return declared.table.empty()
    rows = pl.read_parquet(files[declared.version], glob=False, hive_partitioning=False)
    merged = store.read("select fide_id, now_id from current_identity")
    moved = rows.join(merged, on="fide_id").with_columns(pl.col("now_id").alias("fide_id")).drop("now_id")
    own = rows.join(merged, on="fide_id", how="anti")
    moved = moved.unique(list(declared.key), keep="first", maintain_order=True)
    return declared.table.conform(pl.concat([own, moved.join(own, on=list(declared.key), how="anti")]))


def read_imported(store: Store, month: str) -> pl.DataFrame:
    """Return what the imported lists before ``month`` have of their players (``IMPORTED_PLAYER``)."""
    rows = store.read(
        """
        with listed as (
            select time_control, coalesce(now_id, fide_id) as fide_id, rating, month, source_no
            from imported_list left join current_identity using (fide_id)
            where month < $month
        ),
        first_list as (
            select time_control, fide_id, max(source_no) as source_no from listed
            where month = (select min(month) from listed as other where other.time_control = listed.time_control)
            group by all
        ),
        titled as (
            select first_list.time_control, first_list.fide_id, arg_max(player.title, player.source_no) as title
            from first_list join player
                on player.fide_id = first_list.fide_id and player.source_no <= first_list.source_no
            group by all
        )
        select listed.time_control, listed.fide_id, max(rating) as highest_imported,
            coalesce(any_value(title), '') as first_title
        from listed left join titled using (time_control, fide_id)
        group by all
        order by all
        """,
        month=month,
    )
    return schemas.IMPORTED_PLAYER.conform(rows)


def read_pooled_games(store: Store, pool: pl.DataFrame) -> pl.DataFrame:
    """Return the games of the results that wait in the ``pool`` (``POOLED_GAME``).

    Nothing of a player's waiting results has expired or entered, so they are all the games that a list has counted for
    an entry of the player, and the pool states which lists.
    """
    waiting = pool.select("fide_id", "counted_month").unique()
    if waiting.is_empty():
        return schemas.POOLED_GAME.empty()
    with store.seeing(waiting=waiting):
        rows = store.read(
            """
            with counted as (
                select coalesce(own.now_id, game.fide_id) as fide_id, event_id, round,
                    coalesce(other.now_id, game.opponent_id) as opponent_id, score_halves, game.month as counted_month
                from game
                left join current_identity as own on own.fide_id = game.fide_id
                left join current_identity as other on other.fide_id = game.opponent_id
                where reason = 'counts_for_entry' and game.month in (select counted_month from waiting)
            )
            select * from counted semi join waiting using (fide_id, counted_month)
            order by all
            """
        )
    return schemas.POOLED_GAME.conform(rows)


def read_references(store: Store, months: Sequence[str]) -> pl.DataFrame:
    """Return the reference lists that the lists of ``months`` need (``REFERENCE_RATING``).

    These are the newest one of each month, and those in force when the reports that the store has as ``wanted``
    began and ended.
    """
    rows = store.read(
        """
        with needed as (
            select distinct strftime(start_date, '%Y-%m') as month from wanted where start_date is not null
            union
            select distinct strftime(end_date, '%Y-%m') as month from wanted where end_date is not null
            union
            select unnest($months)
        ),
        lists as (
            select distinct month from reference_list
        ),
        read as (
            select needed.month as needed_for, max(lists.month) as month
            from needed join lists on lists.month <= needed.month
            group by needed_for
        )
        select reference_list.month, coalesce(now_id, reference_list.fide_id) as fide_id, max(rating) as rating
        from reference_list left join current_identity using (fide_id)
        where reference_list.month in (select month from read)
        group by all
        order by all
        """,
        months=list(months),
    )
    return schemas.REFERENCE_RATING.conform(rows)
