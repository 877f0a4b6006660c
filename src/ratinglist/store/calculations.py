"""What the calculation of a month gave, and what it was made from: kept, and replaced whole by the next one."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from datetime import date

import polars as pl

import ratinglist
from ratinglist import schemas
from ratinglist.period import Period
from ratinglist.rating.model import MonthInputs, MonthResult, decode_games, rules_of_list
from ratinglist.store import calculation_log, received
from ratinglist.store.database import Store

CALCULATED = {
    "event": schemas.EVENT,
    "game": schemas.GAME,
    "change": schemas.CHANGE,
    "entry": schemas.ENTRY,
    "pool": schemas.POOL,
}
"""What the calculation of a month replaces besides ``list_state`` and ``calculation``.

Each is published under its schema's own name. ``game`` is a view: games are kept in ``side``, by the numbers of their
events.
"""


def digests_of(store: Store, inputs: MonthInputs) -> dict[str, list[str]]:
    """What a month's inputs are, by digest: the lists, the reports and the files that registered the players.

    A list calculated here is named by its ``calculation_id``, an imported one by the digest of its file. Out:
    sorted texts under ``lists``, ``reports`` and ``players``.
    """
    used_players = pl.concat(one.select("fide_id") for one in (inputs.lists, inputs.report_players))
    with store.seeing(used_lists=inputs.lists_there, used_players=used_players):
        lists = store.read(
            """
            with sources as (
                select distinct month, time_control, source_no
                from list_state where month in (select month from used_lists)
            )
            select distinct
                sources.month || ' ' || sources.time_control || ' '
                    || coalesce(source_file.sha256, calculation.calculation_id) as digest
            from sources
            semi join used_lists using (time_control, month)
            left join source_file using (source_no)
            left join calculation on calculation.month = sources.month
            """
        )
        made = store.read("select distinct sha256 as digest from correction join source_file using (source_no)")
        players = store.read(
            """
            with seen as not materialized (
                select fide_id, source_no from player anti join current_identity using (fide_id)
                where source_no <= coalesce(
                    (select last_source from last_source_seen where month = $month), 2147483647
                ) or fide_id in (select new_id from correction_now where new_id is not null)
            ),
            -- nearly every file is found by a few players: of the others alone all players are asked for
            found as materialized (
                select distinct source_no
                from seen semi join (select fide_id from used_players limit 1000) as few using (fide_id)
                anti join player_changed using (fide_id)
            ),
            rest as materialized (
                select fide_id, source_no
                from seen anti join found using (source_no) anti join player_changed using (fide_id)
            ),
            changed as materialized (
                select fide_id, source_no from seen semi join player_changed using (fide_id)
            ),
            used as materialized (
                select fide_id from used_players
                semi join (select fide_id from rest union all select fide_id from changed) as looked_for using (fide_id)
            ),
            sources as (
                select source_no from found
                union
                select source_no from rest semi join used using (fide_id)
                union
                select max(source_no) from changed semi join used using (fide_id) group by fide_id
            )
            select distinct sha256 as digest from sources join source_file using (source_no)
            """,
            month=str(inputs.period),
        )
    return {
        "corrections": sorted(made["digest"]),
        "lists": sorted(lists["digest"]),
        "reports": sorted(inputs.reports["sha256"].unique()),
        "players": sorted(players["digest"]),
    }


def calculation_row(
    store: Store,
    inputs: MonthInputs,
    digests: Mapping[str, list[str]],
    used: list[tuple[str, str]],
    continue_from: str,
) -> dict[str, str]:
    """The row that says what a calculation was made from; its id is a digest of all of it.

    ``digests``: :func:`digests_of` the inputs; ``used``: name and digest of the rule sets.
    """
    step = {
        one.list.one_time_step
        for one in rules_of_list(inputs).values()
        if one.list.one_time_step != "none" and one.list.one_time_step_month == str(inputs.period)
    }
    row = {
        "before_id": calculation_before(store, inputs.period),
        "family": inputs.family,
        "rule_sets": json.dumps([{"name": name, "sha256": digest} for name, digest in used]),
        "one_time_step": ", ".join(sorted(step)),
        "code_version": ratinglist.__version__,
        "inputs": json.dumps(digests),
        "continue_from": continue_from,
    }
    told = json.dumps({"month": str(inputs.period), **row}, sort_keys=True)
    return {"calculation_id": hashlib.sha256(told.encode()).hexdigest(), **row}


def calculation(store: Store, period: Period) -> dict[str, str] | None:
    """The row of a month's calculation, or None where the month was not calculated."""
    rows = store.read("select * from calculation where month = $month", month=str(period)).to_dicts()
    return rows[0] if rows else None


def is_imported(store: Store, period: Period) -> bool:
    """Whether a list of a month was imported, and is not one calculated here."""
    rows = store.read(
        "select 1 as one from list_state where month = $month and source_no is not null limit 1", month=str(period)
    )
    return len(rows) > 0


def calculation_before(store: Store, period: Period) -> str:
    """The ``calculation_id`` of the newest month calculated before; empty where there is none."""
    rows = store.read(
        "select calculation_id from calculation where month < $month order by month desc limit 1",
        month=str(period),
    )
    return str(rows.item()) if len(rows) else ""


def calculated_later(store: Store, period: Period) -> list[str]:
    """The months calculated after this one."""
    later = store.read("select month from calculation where month > $month order by month", month=str(period))
    return later["month"].to_list()


def received_later(store: Store, period: Period) -> int:
    """How many events were only received when the list was in effect already: they count for a later one."""
    return int(
        store.read(
            """
            select count(*)::integer as events from (
                select event_id from report group by event_id having min(received_on) >= $first_day
            )
            """,
            first_day=period.first_day,
        ).item()
    )


def slices_of_other_versions(store: Store, period: Period) -> pl.DataFrame:
    """Reports that a list rates as a further slice of an event, though their version number is another.

    Nothing in them says whether they go on or put everything right. Out: ``event_id``, ``version``, ``start_date``,
    and the same of the slice before, ending in ``_before``.
    """
    return store.read(
        """
        with slice as (
            select event.month, report.event_id, report.version, report.start_date, report.end_date
            from event join report using (report_id) where event.status = 'rated' and event.month <= $month
        )
        select this.event_id, this.version, this.start_date,
            max_by(before.version, before.start_date) as version_before,
            max(before.start_date) as start_date_before
        from slice as this
        join slice as before
            on before.event_id = this.event_id and before.end_date < this.start_date
        where $month in (this.month, before.month) and before.version <> this.version
        group by all
        order by all
        """,
        month=str(period),
    )


def replace_month(
    store: Store, period: Period, result: MonthResult, calculation: dict[str, str], made_on: date
) -> None:
    """Replace everything calculated for a month; ``calculation`` is its row without the month.

    What the list was before is kept: see :mod:`ratinglist.store.calculation_log`.
    """
    month = pl.lit(str(period)).alias("month")
    with store.transaction():
        calculation_log.note_calculation(store, period, result.list_state, calculation, made_on)
        store.execute(
            "delete from side where event_no in (select event_no from event where month = $month)", month=str(period)
        )
        for table in ("calculation", "list_state", "list_kept", "event", "change", "entry", "pool"):
            store.execute(f"delete from {table} where month = $month", month=str(period))  # noqa: S608 - our own names
        store.append("calculation", pl.DataFrame([calculation]).with_columns(month))
        store.append("list_state", result.list_state.with_columns(pl.lit(None, dtype=pl.Int32).alias("source_no")))
        received.note_lists(store, result.list_state)
        # An event's number is its own over all months.
        free = int(store.read("select coalesce(max(event_no) + 1, 0) as free from event").item())
        store.append("event", result.events.with_columns(month, pl.col("event_no") + free))
        store.append("side", result.sides.with_columns(pl.col("event_no") + free))
        for table, frame in (("change", result.changes), ("entry", result.entries), ("pool", result.pool)):
            store.append(table, frame.with_columns(month))


def calculated(store: Store, table: str, period: Period) -> pl.DataFrame:
    """What the calculation of a month left in one of :data:`CALCULATED`; publishing puts it in order."""
    if table == "game":
        return decode_games(*sides_of(store, period))
    rows = store.read(f"select * from {table} where month = $month", month=str(period))  # noqa: S608 - our own names
    return CALCULATED[table].conform(rows)


def sides_of(store: Store, period: Period) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The sides of a month's games (``SIDE``) in their published order, and their events.

    The view ``game`` without its words: these are cheaper to put in here than to read by the million
    (:func:`~ratinglist.rating.model.decode_games`).
    """
    events = store.read("select * from event where month = $month", month=str(period))
    # The events of a month are numbered one after the other; a range keeps the order, a join would lose it.
    rows = store.read(
        "select * from side where event_no between $first and $last",
        first=events["event_no"].min(),
        last=events["event_no"].max(),
    )
    sides = schemas.SIDE.conform(rows)
    return (sides if schemas.SIDE.is_in_order(sides) else schemas.SIDE.sorted(sides)), events


def list_of(store: Store, period: Period) -> pl.DataFrame:
    """The state of a month's list, all time controls."""
    return schemas.LIST_STATE.conform(
        store.read("select * exclude (source_no) from list_state where month = $month", month=str(period))
    )
