"""Write the calculations of a store of before into folders: the program's part of migration 0009.

Until then what was calculated stood in tables of the store. Every current calculation is written out complete, every
one that was replaced as the list it gave. Nothing is calculated again.
"""

from __future__ import annotations

import polars as pl

from ratinglist import resources, schemas
from ratinglist.field_policy import FieldPolicy
from ratinglist.period import Period
from ratinglist.rating.model import GameDecoder
from ratinglist.store import player_history
from ratinglist.store.database import Store
from ratinglist.store.month_tables import EncodedTable, Rows, lists_of
from ratinglist.store.rule_files import rule_book

_VIEWS = ("correction_as_known", "correction_now", "current_identity", "player_as_known", "player_changed")
"""What the players of a list are read through."""


def write_folders(store: Store) -> None:
    """Write the folder of every calculation that the tables hold; called before these are dropped."""
    for name in _VIEWS:
        store.execute((resources.sql("views") / f"{name}.sql").read_text(encoding="utf-8"))
    made = store.read("select month, calculation_no, family from calculation_made order by month, calculation_no")
    newest = made.group_by("month").agg(pl.col("calculation_no").max())
    current = made.join(newest, on=["month", "calculation_no"]).join(
        store.read("select month from calculation"), on="month"
    )
    for month, number, family in current.sort("month").iter_rows():
        _write(store, Period.parse(month), number, family)
    for month, number, _ in made.join(current, on="calculation_no", how="anti").iter_rows():
        period = Period.parse(month)
        store.folder(period, number).write_state(_state_after(store, month, number))


def _write(store: Store, period: Period, number: int, family: str) -> None:
    """Write the folder of the current calculation of a month."""

    def of_month(table: str) -> pl.DataFrame:
        return store.read(f"select * from {table} where month = $month", month=str(period))  # noqa: S608 - our own names

    events = of_month("event").sort("event_id")
    sides = store.read("select side.* from side join event using (event_no) where month = $month", month=str(period))
    sides = schemas.SIDE.sorted(schemas.SIDE.conform(sides))
    state = schemas.LIST_STATE.sorted(schemas.LIST_STATE.conform(of_month("list_state")))
    players, no_state = player_history.players_of(store, period), schemas.SYSTEM_STATE.empty()
    tables: dict[str, Rows] = {
        **{stem: schemas.PUBLISHED[stem].conform(of_month(stem.removesuffix("s"))) for stem in ("changes", "pool")},
        "entries": schemas.ENTRY.conform(of_month("entry")),
        "games": EncodedTable(sides, GameDecoder(events).decode),
        "events": schemas.EVENT.conform(events),
        **lists_of(period, family, state, players, rule_book(), no_state),
    }
    first = events["event_no"].min()
    numbered = events.with_columns(pl.col("event_no") - (0 if first is None else first))
    store.folder(period, number).write(tables, state, numbered, FieldPolicy())


def _state_after(store: Store, month: str, number: int) -> pl.DataFrame:
    """Return a month's list as a calculation gave it that another one has replaced (``LIST_STATE``)."""
    columns = ", ".join(schemas.LIST_STATE.columns)
    rows = store.read(
        f"""
        with then_known as (
            select * from list_state_past
            where month = $month and replaced_by > $number
            qualify row_number() over (partition by time_control, fide_id order by replaced_by) = 1
        )
        select {columns} from list_state anti join then_known using (time_control, fide_id) where month = $month
        union all by name
        select {columns} from then_known where not is_absent
        """,  # noqa: S608 - names of our own
        month=month,
        number=number,
    )
    return schemas.LIST_STATE.sorted(schemas.LIST_STATE.conform(rows))
