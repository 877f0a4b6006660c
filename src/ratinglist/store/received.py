"""Insert received reports, players and official lists. These tables only grow: a change is a new row."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

import polars as pl

from ratinglist import tables
from ratinglist.period import Period
from ratinglist.rating.model import distinct_lists
from ratinglist.store.database import Store


@dataclass(frozen=True, slots=True)
class AddedReports:
    """What a delivery added: the ``report_id`` of the inserted versions, and how many known ones were there earlier."""

    report_ids: pl.Series
    received_earlier: int


def add_reports(
    store: Store, reports: pl.DataFrame, players: pl.DataFrame, games: pl.DataFrame, findings: pl.DataFrame
) -> AddedReports:
    """Insert versions of reports with their players, games and findings.

    In: ``REPORT``, ``REPORT_PLAYER``, ``REPORT_GAME`` and ``FINDING``. A version that was accepted before stays as it
    is; one that was refused before is replaced. Either way the earliest day of receipt is kept, but for a day that was
    refused itself.
    """
    with store.seeing(delivered=reports):
        stored = store.read(
            """
            select report_id, report.accepted,
                case when report_id not in (select report_id from finding where rule = 'received_before_start')
                    then report.received_on end as received_on
            from report join delivered using (report_id)
            """
        )
    kept = stored.filter("accepted")["report_id"]
    days = pl.concat([stored.select("report_id", "received_on"), reports.select("report_id", "received_on")])
    first_received = days.group_by("report_id").agg(pl.col("received_on").min())
    if len(stored):
        with store.seeing(first_received=first_received):
            store.execute(
                "update report set received_on = first_received.received_on from first_received "
                "where report.report_id = first_received.report_id"
            )
    replaced = stored.filter(~pl.col("accepted"))["report_id"]
    if len(replaced):
        for table in ("report", "finding"):
            statement = f"delete from {table} where report_id in $replaced"  # noqa: S608 - our own names
            store.execute(statement, replaced=replaced.to_list())
    new = (
        reports.drop("received_on")
        .join(first_received, on="report_id", maintain_order="left")
        .filter(~pl.col("report_id").is_in(kept.implode()))
    )
    ids = new["report_id"].implode()
    free = int(store.read("select coalesce(max(report_no) + 1, 0) as free from report").item())
    new = new.with_columns(
        pl.int_range(free, free + pl.len(), dtype=pl.Int32).alias("report_no"),
        pl.lit(store.log.next_number, dtype=pl.Int32).alias("loaded_no"),
    )
    store.append("report", tables.REPORT.conform(new).with_columns(new["report_no"], new["loaded_no"]))
    numbers = new.filter("accepted").select("report_id", "report_no")
    for schema, rows in ((tables.REPORT_PLAYER, players), (tables.REPORT_GAME, games)):
        store.append(schema.name, _numbered(schema, rows, numbers))
    store.append("finding", tables.FINDING.conform(findings.filter(pl.col("report_id").is_in(ids))))
    earlier = stored.filter("accepted").join(first_received, on="report_id", suffix="_first")
    return AddedReports(new["report_id"], earlier.filter(pl.col("received_on_first") < pl.col("received_on")).height)


def receipts_digest(store: Store) -> int:
    """Return a number that differs where another report was received, on another day or with another finding."""
    digest = store.read(
        """
        select (
            (
                select coalesce(sum(hash(row_of)::hugeint), 0)
                from (select * exclude (report_no, loaded_no) from report) as row_of
            )
            + (select coalesce(sum(hash(finding)::hugeint), 0) from finding)
        )::varchar as digest
        """
    )
    return int(digest.item())


def _numbered(table: tables.Table, rows: pl.DataFrame, numbers: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of the reports ``numbers``, as the store keeps them: ``report_no`` in place of ``report_id``."""
    numbers = numbers.with_columns(pl.col("report_id").cast(rows.schema["report_id"]))
    return rows.join(numbers, on="report_id", maintain_order="left").select(
        "report_no", *(pl.col(name).cast(column.dtype) for name, column in table.columns.items() if name != "report_id")
    )


def add_source_file(
    store: Store, *, sha256: str, file_name: str, kind: str, month: Period | None, known_on: date
) -> int:
    """Insert an imported file, with 0 rows until :func:`count_source_file`; return its number: that of its entry."""
    number = store.log.next_number
    store.execute(
        "insert into source_file values ($number, $sha256, $file_name, $kind, $month, $known_on, 0, false)",
        number=number,
        sha256=sha256,
        file_name=file_name,
        kind=kind,
        month=str(month) if month else None,
        known_on=known_on,
    )
    return number


def drop_source_file(store: Store, source_no: int) -> None:
    """Delete an imported file that changed nothing."""
    store.execute("delete from source_file where source_no = $no", no=source_no)


def count_source_file(store: Store, source_no: int, rows: int, *, names_kept: bool = False) -> None:
    """Store the number of rows of an imported file, and whether names were kept that it has in ASCII alone."""
    store.execute(
        "update source_file set rows = $rows, names_kept = $kept where source_no = $no",
        rows=rows,
        kept=names_kept,
        no=source_no,
    )


def is_imported_again(store: Store, source_no: int) -> bool:
    """Return whether a file with the same bytes, kind and month was imported before ``source_no``."""
    return store.finds_rows(
        """
        select 1 from source_file as this join source_file as earlier using (sha256, kind)
        where this.source_no = $no and earlier.source_no < $no and earlier.month is not distinct from this.month
        limit 1
        """,
        no=source_no,
    )


def stored_players(store: Store, players: pl.DataFrame) -> pl.DataFrame:
    """Return the newest data of those of ``players`` (``fide_id``) that are registered (``PLAYER``)."""
    return _newest_versions(store, "player", players)


def add_players(store: Store, players: pl.DataFrame, *, known_on: date, source_no: int) -> None:
    """Insert new players, and changed data of registered ones as new versions (``PLAYER``)."""
    _add_versions(store, "player", tables.PLAYER.conform(players), known_on, source_no)


def stored_memberships(store: Store, players: pl.DataFrame) -> pl.DataFrame:
    """Return the newest memberships (``MEMBERSHIP``) that were stated of any of ``players`` (``fide_id``)."""
    return _newest_versions(store, "membership", players)


def add_memberships(store: Store, memberships: pl.DataFrame, *, known_on: date, source_no: int) -> None:
    """Insert changed memberships as new versions (``MEMBERSHIP``)."""
    _add_versions(store, "membership", tables.MEMBERSHIP.conform(memberships), known_on, source_no)


def _newest_versions(store: Store, table: str, players: pl.DataFrame) -> pl.DataFrame:
    """Return the newest row of ``table`` for each of ``players`` who has one, without when it was known and from what.

    The views of what is known now do this for all players, which is expensive.
    """
    with store.seeing(delivered=players.select("fide_id")):
        return store.read(
            f"""
            select {table}.* exclude (known_on, source_no)
            from {table} semi join delivered using (fide_id)
            qualify row_number() over (partition by fide_id order by source_no desc) = 1
            """  # noqa: S608 - a table of our own
        )


def _add_versions(store: Store, table: str, rows: pl.DataFrame, known_on: date, source_no: int) -> None:
    """Insert rows as new versions, with the day on which they were known and the number of their source."""
    store.append(
        table,
        rows.with_columns(pl.lit(known_on).alias("known_on"), pl.lit(source_no, dtype=pl.Int32).alias("source_no")),
    )


def members(store: Store) -> pl.DataFrame:
    """Return the registered players who are of a club, as now known (``MEMBER``): by FIDE ID."""
    return tables.MEMBER.conform(
        store.read(
            """
            select fide_id, name, federation, club, member_until
            from registered_person join membership_now using (fide_id)
            order by fide_id
            """
        )
    )


def club_members(store: Store, club: str, day: date) -> pl.DataFrame:
    """Return the registered players who are of a club on a day, with a row for each FIDE ID that they had.

    The case of the letters of ``club`` does not matter. Out: the columns of ``PLAYER``, ``club`` and ``any_id``, the
    player's FIDE ID or one that was merged into it.
    """
    return store.read(
        """
        with member as (
            select registered_person.* exclude (known_on, source_no), club
            from registered_person join membership_now using (fide_id)
            where lower(club) = lower($club) and coalesce(member_until >= $day, true)
        ),
        id as (
            select fide_id, fide_id as any_id from member
            union all
            select now_id, fide_id from current_identity
        )
        select member.*, any_id from member join id using (fide_id) order by fide_id, any_id
        """,
        club=club,
        day=day,
    )


def clubs(store: Store, day: date) -> list[str]:
    """Return the clubs that have a member on a day, sorted."""
    rows = store.read(
        "select distinct club from membership_now where coalesce(member_until >= $day, true) order by club", day=day
    )
    return rows["club"].to_list()


def start_of_event(store: Store, event_id: str) -> date | None:
    """Return the first day of an event by any of its reports; None where none has come."""
    rows = store.read("select min(start_date) as first from current_report where event_id = $code", code=event_id)
    first: date | None = rows.item()
    return first


def lists_imported_from(store: Store, period: Period, sha256: str) -> dict[str, int]:
    """Return the number of the import of each list of a month that comes from this file, by time control."""
    rows = store.read(
        """
        select distinct time_control, source_no
        from imported_list join source_file using (source_no)
        where imported_list.month = $month and sha256 = $sha256
        """,
        month=str(period),
        sha256=sha256,
    )
    return dict(rows.iter_rows())


def lists_imported(store: Store, period: Period) -> list[str]:
    """Return the time controls of the lists of a month that are imported."""
    rows = store.read(
        "select distinct time_control from imported_list where month = $month order by time_control", month=str(period)
    )
    return rows["time_control"].to_list()


def drop_imported_list(store: Store, period: Period, time_control: str, source_no: int | None = None) -> None:
    """Delete an imported list, before it is imported again; with ``source_no`` only the rows of that import."""
    store.execute(
        """
        delete from imported_list
        where month = $month and time_control = $time_control and ($no is null or source_no = $no)
        """,
        month=str(period),
        time_control=time_control,
        no=source_no,
    )


def is_same_list(store: Store, period: Period, time_control: str, one: int, other: int) -> bool:
    """Return whether two imports, by number, gave the same rows of a list."""
    different = store.read(
        """
        with one as (
            select * exclude (source_no) from imported_list
            where month = $month and time_control = $time_control and source_no = $one
        ),
        other as (
            select * exclude (source_no) from imported_list
            where month = $month and time_control = $time_control and source_no = $other
        )
        select * from (from one except from other) union all select * from (from other except from one) limit 1
        """,
        month=str(period),
        time_control=time_control,
        one=one,
        other=other,
    )
    return different.is_empty()


def add_list(store: Store, state: pl.DataFrame, source_no: int) -> None:
    """Insert the rows of an imported list (``LIST_STATE``)."""
    rows = tables.LIST_STATE.conform(state).with_columns(pl.lit(source_no, dtype=pl.Int32).alias("source_no"))
    store.append("imported_list", rows)
    with store.seeing(inserted_lists=distinct_lists(rows)):
        store.execute(
            "insert into list_imported by name "
            "select * from inserted_lists anti join list_imported using (month, time_control)"
        )


def replace_reference_list(store: Store, period: Period, rated: pl.DataFrame, source_no: int) -> bool:
    """Insert the ratings of a reference list (``fide_id``, ``rating``) and delete the month's earlier ones.

    Return whether anything changed.
    """
    month = str(period)
    earlier = store.read("select fide_id, rating from reference_list where month = $month order by all", month=month)
    if earlier.equals(rated.sort("fide_id", "rating")):
        return False
    store.execute("delete from reference_list where month = $month", month=month)
    rows = rated.sort("fide_id").with_columns(
        pl.lit(month).alias("month"), pl.lit(source_no, dtype=pl.Int32).alias("source_no")
    )
    store.append("reference_list", rows)
    return True


def players(store: Store) -> pl.DataFrame:
    """Return all registered players, as now known (``PLAYER``)."""
    return tables.PLAYER.conform(store.read("select * from registered_person"))
