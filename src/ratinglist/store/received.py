"""What was received, kept: reports, players and official lists. These tables only grow; a change is a new row."""

from __future__ import annotations

from datetime import date

import polars as pl

from ratinglist import schemas
from ratinglist.period import Period
from ratinglist.rating.model import distinct_lists
from ratinglist.store.database import Store


def add_reports(
    store: Store, reports: pl.DataFrame, players: pl.DataFrame, games: pl.DataFrame, findings: pl.DataFrame
) -> pl.DataFrame:
    """Keep versions of reports with what was read from them.

    In: ``REPORT``, ``REPORT_PLAYER``, ``REPORT_GAME`` and ``FINDING``. A version already accepted stays as it is;
    one refused before is replaced by what is read now. Either way the earliest day of receipt holds. Out: the
    ``report_id`` of those that were new or read anew.
    """
    with store.seeing(delivered=reports):
        known = store.read(
            "select report_id, report.accepted, report.received_on from report join delivered using (report_id)"
        )
    kept = known.filter("accepted")["report_id"]
    earliest = pl.concat([known.select("report_id", "received_on"), reports.select("report_id", "received_on")])
    first_received = earliest.group_by("report_id").agg(pl.col("received_on").min())
    if len(known):
        with store.seeing(first_received=first_received):
            store.execute(
                "update report set received_on = first_received.received_on from first_received "
                "where report.report_id = first_received.report_id"
            )
    again = known.filter(~pl.col("accepted"))["report_id"]
    if len(again):
        for table in ("report", "finding"):
            store.execute(f"delete from {table} where report_id in $again", again=again.to_list())  # noqa: S608
    fresh = (
        reports.drop("received_on")
        .join(first_received, on="report_id", maintain_order="left")
        .filter(~pl.col("report_id").is_in(kept.implode()))
    )
    ids = fresh["report_id"].implode()
    free = int(store.read("select coalesce(max(report_no) + 1, 0) as free from report").item())
    fresh = fresh.with_columns(pl.int_range(free, free + pl.len(), dtype=pl.Int32).alias("report_no"))
    store.append("report", schemas.REPORT.conform(fresh).with_columns(fresh["report_no"]))
    accepted = fresh.filter("accepted")
    # Nearly always all are new and accepted: then there is nothing to choose.
    if len(accepted) < len(reports):
        chosen = pl.col("report_id").is_in(accepted["report_id"].implode())
        players, games = players.filter(chosen), games.filter(chosen)
    numbers = accepted.select(pl.col("report_id").cast(games.schema["report_id"]), "report_no")
    games = games.join(numbers, on="report_id", how="left", maintain_order="left")
    store.append("report_player", _under_their_ids(schemas.REPORT_PLAYER, players))
    store.append("report_game", _under_their_ids(schemas.REPORT_GAME, games).with_columns(games["report_no"]))
    store.append("finding", schemas.FINDING.conform(findings.filter(pl.col("report_id").is_in(ids))))
    return fresh.select("report_id")


def _under_their_ids(table: schemas.Table, rows: pl.DataFrame) -> pl.DataFrame:
    """``rows`` as ``table`` has them; an Enum of the ids stays one.

    The store takes that at two thirds of the cost of so many texts, which are not made either.
    """
    return rows.select(
        "report_id",
        *(pl.col(name).cast(column.dtype) for name, column in table.columns.items() if name != "report_id"),
    )


def add_source_file(
    store: Store, *, sha256: str, file_name: str, kind: str, month: Period | None, known_on: date
) -> int:
    """Note an imported file; returns its number. Its rows are counted when it is complete."""
    number = int(store.read("select coalesce(max(source_no), 0) + 1 as n from source_file").item())
    store.execute(
        "insert into source_file values ($number, $sha256, $file_name, $kind, $month, $known_on, 0)",
        number=number,
        sha256=sha256,
        file_name=file_name,
        kind=kind,
        month=str(month) if month else None,
        known_on=known_on,
    )
    return number


def count_source_file(store: Store, source_no: int, rows: int) -> None:
    """Say how many rows an import had."""
    store.execute("update source_file set rows = $rows where source_no = $no", rows=rows, no=source_no)


def add_players(store: Store, players: pl.DataFrame, *, known_on: date, source_no: int) -> tuple[int, int]:
    """Register players and keep changed data as new versions; returns how many are new and how many changed.

    In: ``PLAYER``, one row per FIDE ID. A source that knows only the year of birth does not unlearn the day.
    """
    with store.seeing(delivered=players.select("fide_id")):
        # The view player_now, of these players only: looking for the newest version of everybody is dear.
        known = store.read(
            """
            select player.* exclude (known_on, source_no)
            from player semi join delivered using (fide_id)
            qualify row_number() over (partition by fide_id order by source_no desc) = 1
            """
        )
    new = players.join(known, on="fide_id", how="anti")
    day_known, year = pl.col("birth_date_known"), pl.col("birth_date_known").dt.year()
    told = players.join(known, on="fide_id", how="inner", suffix="_known").with_columns(
        pl.coalesce("birth_date", pl.when(pl.coalesce("birth_year", year) == year).then(day_known)).alias("birth_date"),
        pl.coalesce("birth_year", "birth_year_known").alias("birth_year"),
    )
    facts = [name for name in schemas.PLAYER.columns if name != "fide_id"]
    changed = told.filter(pl.any_horizontal(pl.col(name).ne_missing(pl.col(f"{name}_known")) for name in facts))
    rows = pl.concat(schemas.PLAYER.conform(frame) for frame in (new, changed)).with_columns(
        pl.lit(known_on).alias("known_on"), pl.lit(source_no, dtype=pl.Int32).alias("source_no")
    )
    store.append("player", rows)
    return len(new), len(changed)


def drop_imported_list(store: Store, period: Period, time_control: str) -> None:
    """Make room for another import of a month's list."""
    for table in ("imported_list", "list_kept"):
        store.execute(
            f"delete from {table} where month = $month and time_control = $time_control",  # noqa: S608 - our own names
            month=str(period),
            time_control=time_control,
        )


def add_list(store: Store, state: pl.DataFrame, source_no: int) -> None:
    """Keep the rows of an imported list (``LIST_STATE``)."""
    rows = schemas.LIST_STATE.conform(state).with_columns(pl.lit(source_no, dtype=pl.Int32).alias("source_no"))
    store.append("imported_list", rows)
    note_lists(store, rows)


def note_lists(store: Store, state: pl.DataFrame) -> None:
    """Note which lists there are, of rows just kept: ``month`` and ``time_control`` of ``LIST_STATE``."""
    with store.seeing(lists_kept_now=distinct_lists(state)):
        store.execute(
            "insert into list_kept by name select * from lists_kept_now anti join list_kept using (month, time_control)"
        )


def players(store: Store) -> pl.DataFrame:
    """Everybody known, as now known (``PLAYER``)."""
    return schemas.PLAYER.conform(store.read("select * from registered_person"))
