"""What was received: insert reports, players and official lists, look them up, and keep dates of birth out of texts.

These tables only grow: a change is a new row.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import date

import polars as pl

from ratinglist import tables
from ratinglist.period import Period
from ratinglist.reports import (
    YOUNGEST,
    birth_date_problem,
    dates_in,
    full_dates,
    was_born,
    years_before,
)
from ratinglist.store.database import Store


def add_reports(
    store: Store, reports: pl.DataFrame, players: pl.DataFrame, games: pl.DataFrame, findings: pl.DataFrame
) -> tuple[pl.Series, int]:
    """Insert versions of reports with their players, games and findings.

    In: ``REPORT``, ``REPORT_PLAYER``, ``REPORT_GAME`` and ``FINDING``. A version that was accepted before stays as it
    is; one that was refused before is replaced. Either way the earliest day of receipt is kept, except a day that was
    refused itself. Out: the ``report_id`` of the inserted versions, and how many known ones had arrived earlier.
    """
    with store.with_frames(delivered=reports):
        stored = store.read(
            """
            select report_id, report.accepted,
                case when report_id not in (select report_id from finding where rule = 'received_before_start')
                    then report.received_on end as received_on
            from report join delivered using (report_id)
            """
        )
    days = pl.concat([stored.select("report_id", "received_on"), reports.select("report_id", "received_on")])
    first_received = days.group_by("report_id").agg(pl.col("received_on").min())
    with store.with_frames(first_received=first_received):
        store.execute(
            "update report set received_on = first_received.received_on from first_received "
            "where report.report_id = first_received.report_id"
        )
    accepted, refused = stored.filter("accepted"), stored.filter(~pl.col("accepted"))
    with store.with_frames(refused=refused):
        for table in ("report", "finding"):
            store.execute(f"delete from {table} where report_id in (select report_id from refused)")  # noqa: S608 - our own names
    new = (
        reports.drop("received_on")
        .join(first_received, on="report_id", maintain_order="left")
        .join(accepted, on="report_id", how="anti", maintain_order="left")
    )
    ids = new["report_id"].implode()
    free = int(store.value("select coalesce(max(report_no) + 1, 0) from report"))
    new = new.with_columns(
        pl.int_range(free, free + pl.len(), dtype=pl.Int32).alias("report_no"),
        pl.lit(store.log.next_number, dtype=pl.Int32).alias("loaded_no"),
    )
    store.append("report", tables.REPORT.conform(new).with_columns(new["report_no"], new["loaded_no"]))
    numbers = new.filter("accepted").select("report_id", "report_no")
    for schema, rows in ((tables.REPORT_PLAYER, players), (tables.REPORT_GAME, games)):
        store.append(schema.name, _numbered(schema, rows, numbers))
    store.append("finding", tables.FINDING.conform(findings.filter(pl.col("report_id").is_in(ids))))
    with store.with_frames(loaded=new.select("report_id", "sha256", "event_id")):
        for table in ("corrected_report", "corrected_game", "corrected_player", "corrected_field"):
            store.execute(_CORRECTED_AGAIN.format(table=table))
    earlier = accepted.join(first_received, on="report_id", suffix="_first")
    return new["report_id"], earlier.filter(pl.col("received_on_first") < pl.col("received_on")).height


_CORRECTED_AGAIN = """
-- What was corrected in a report is corrected in the same bytes under its code, whatever else a manifest says of them.
insert into {table} by name
select distinct {table}.* replace (loaded.report_id as report_id)
from {table} join report using (report_id) join loaded using (sha256, event_id)
where report.report_id <> loaded.report_id
"""


def receipts_digest(store: Store) -> int:
    """Return a number that differs where another report was received, on another day or with another finding."""
    return int(
        store.value(
            """
            select (
                select coalesce(sum(hash(row_of)::hugeint), 0)
                from (select * exclude (report_no, loaded_no) from report) as row_of
            )
            + (select coalesce(sum(hash(finding)::hugeint), 0) from finding)
            """
        )
    )


def _numbered(table: tables.Table, rows: pl.DataFrame, numbers: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of the reports ``numbers``, as the store keeps them: ``report_no`` in place of ``report_id``."""
    numbers = numbers.with_columns(pl.col("report_id").cast(rows.schema["report_id"]))
    return rows.join(numbers, on="report_id", maintain_order="left").select(
        "report_no", *(pl.col(name).cast(column.dtype) for name, column in table.columns.items() if name != "report_id")
    )


def add_source_file(
    store: Store,
    *,
    sha256: str,
    file_name: str,
    kind: str,
    month: Period | None,
    known_on: date,
    first_month: Period | None = None,
) -> int:
    """Insert an imported file; return its number: that of its entry.

    ``first_month``: the first list that knows its players so; None: the next one.
    """
    number = store.log.next_number
    store.execute(
        "insert into source_file values ($number, $sha256, $file_name, $kind, $month, $known_on, $first)",
        number=number,
        sha256=sha256,
        file_name=file_name,
        kind=kind,
        month=str(month) if month else None,
        known_on=known_on,
        first=str(first_month) if first_month else None,
    )
    return number


def earlier_import(store: Store, source_no: int) -> tuple[int, bool] | None:
    """Return the newest import before ``source_no`` of the same bytes, kind and month; None where there is none.

    Out: its entry, and whether it counts from the same list.
    """
    entries: list[tuple[int, bool]] = store.rows(
        """
        select earlier.source_no, earlier.counts_from is not distinct from this.counts_from
        from source_file as this join source_file as earlier using (sha256, kind)
        where this.source_no = $no and earlier.source_no < $no and earlier.month is not distinct from this.month
        order by earlier.source_no desc limit 1
        """,
        no=source_no,
    )
    return entries[0] if entries else None


def newest_versions(store: Store, table: tables.Table, players: pl.DataFrame, view: str = "") -> pl.DataFrame:
    """Return the newest row of ``table`` (``PLAYER`` or ``MEMBERSHIP``) for each of ``players`` who has one.

    In: ``fide_id``; ``view``: where the rows are, if not in the table itself. Out: the columns of the table. The views
    of what is known now do this for all players, which is expensive.
    """
    with store.with_frames(delivered=players.select("fide_id")):
        return store.read(
            f"""
            select * exclude (known_on, source_no)
            from {view or table.name} semi join delivered using (fide_id)
            qualify row_number() over (partition by fide_id order by source_no desc) = 1
            """  # noqa: S608 - a table of our own
        )


def add_versions(store: Store, table: tables.Table, versions: pl.DataFrame, *, known_on: date, source_no: int) -> None:
    """Insert new rows of ``table`` (``PLAYER`` or ``MEMBERSHIP``), and changed ones as new versions."""
    known = pl.lit(known_on).alias("known_on"), pl.lit(source_no, dtype=pl.Int32).alias("source_no")
    store.append(table.name, table.conform(versions).with_columns(known))
    # Who has several versions is read once.
    store.refresh()


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


def start_of_event(store: Store, event_id: str) -> date | None:
    """Return the first day of an event by any of its reports; None where none has come."""
    first: date | None = store.value("select min(start_date) from current_report where event_id = $code", code=event_id)
    return first


def lists_imported(store: Store, period: Period) -> list[str]:
    """Return the time controls of the imported lists of a month, sorted."""
    controls = store.rows("select time_control from list_imported where month = $month order by all", month=str(period))
    return [name for (name,) in controls]


def imported_rows(store: Store, period: Period) -> pl.DataFrame:
    """Return the rows of the imported lists of a month, without the number of the import, in one order."""
    return store.read(
        "select * exclude (source_no) from imported_list where month = $month order by time_control, fide_id",
        month=str(period),
    )


def replace_lists(
    store: Store, period: Period, time_controls: Sequence[str], state: pl.DataFrame, source_no: int
) -> None:
    """Insert the rows of imported lists (``LIST_STATE``) in the place of those that were imported before."""
    store.execute(
        "delete from imported_list where month = $month and time_control in (select unnest($names))",
        month=str(period),
        names=time_controls,
    )
    listed = tables.LIST_STATE.conform(state).with_columns(pl.lit(source_no, dtype=pl.Int32).alias("source_no"))
    store.append("imported_list", listed)
    with store.with_frames(inserted=listed.select("month", "time_control").unique()):
        store.execute(
            "insert into list_imported by name "
            "select * from inserted anti join list_imported using (month, time_control)"
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
    ratings = rated.sort("fide_id").with_columns(
        pl.lit(month).alias("month"), pl.lit(source_no, dtype=pl.Int32).alias("source_no")
    )
    store.append("reference_list", ratings)
    return True


EVER_KNOWN = """
    select fide_id, birth_date from player where birth_date is not null
    union all
    select fide_id, birth_date from registered_person where birth_date is not null
    union all
    select fide_id, birth_date from report_player where birth_date is not null
"""
"""Every date of birth that the store has of a player, dates that were corrected since included."""


def text_problem(
    store: Store,
    text: str,
    today: date,
    *,
    played: date | None = None,
    named: Collection[int] = (),
    also: Collection[date] = (),
) -> str:
    """Return why ``text`` may not be published because of a date of birth; empty where it may be.

    ``played``: the day of the list or the event that the text is about; ``today`` where it is about neither. Players of
    that day were born at least :data:`~ratinglist.reports.YOUNGEST` years before: a later date is a day of play.
    ``named``: FIDE IDs of the players that the text is about; ``also``: dates of birth that come with it.
    """
    # Most texts have no date, and a lookup reads every player.
    if not full_dates(text):
        return ""
    return birth_date_problem(
        text,
        of_players=lambda days: _ever_known(store, days, ()),
        is_player=lambda number: bool(store.rows("select 1 from player where fide_id = $n limit 1", n=number)),
        last=years_before(min(today, played or today), YOUNGEST),
        named={*(_ever_known(store, (), named) if named else ()), *also},
    )


def reports_with(store: Store, texts: pl.DataFrame, players: pl.DataFrame | None = None) -> pl.Series:
    """Return the ``report_id`` of the reports of which a text has a date of birth that the office knows.

    In: ``texts``: ``report_id``, ``text`` and ``start_date``; ``players``: ``report_id``, ``fide_id`` and
    ``birth_date`` of the players of these reports; default: those in the store.
    """
    days = texts.join(dates_in(texts["text"]), on="text").filter(was_born(pl.col("day"), pl.col("start_date")))
    # Hardly any name has a date, and a lookup reads every player.
    if days.is_empty():
        return pl.Series("report_id", [], dtype=pl.String)
    days = days.select("report_id", "day", "certain")
    with store.with_frames(days_of_texts=days):
        if players is None:
            players = store.read(
                "select report_id, fide_id, birth_date from report_player join report using (report_no) "
                "semi join days_of_texts using (report_id)"
            )
        else:
            players = players.select(pl.col("report_id").cast(pl.String), "fide_id", "birth_date")
        with store.with_frames(players_of_texts=players):
            with_date = store.read(
                f"""
                with days as (select * from days_of_texts),
                known as ({EVER_KNOWN})
                select report_id from days where certain and day in (select birth_date from known)
                union
                select report_id from days join players_of_texts as own using (report_id)
                where day = own.birth_date
                union
                select report_id from days join players_of_texts as own using (report_id)
                join known using (fide_id) where day = known.birth_date
                order by report_id
                """,  # noqa: S608 - our own text
            )
    return with_date["report_id"]


def without_dates(store: Store, reports: pl.DataFrame) -> pl.DataFrame:
    """Return ``reports`` with an empty ``name`` where it has a date of birth that the office knows.

    In: ``report_id``, ``name``, ``start_date``, and any other column.
    """
    has_date = reports_with(store, reports.select("report_id", "start_date", text="name"))
    is_free = ~pl.col("report_id").is_in(has_date.implode())
    return reports.with_columns(pl.when(is_free).then("name").otherwise(pl.lit("")).alias("name"))


def birth_dates_of(store: Store, fide_ids: pl.Series) -> pl.DataFrame:
    """Return ``fide_id`` and ``birth_date``: every date of birth ever known of these players."""
    return store.read(
        f"select distinct * from ({EVER_KNOWN}) where fide_id in (select unnest($ids)) order by all",  # noqa: S608 - our own text
        ids=fide_ids.to_list(),
    )


def _ever_known(store: Store, days: Collection[date], fide_ids: Collection[int]) -> set[date]:
    """Return the dates of birth that are one of ``days`` or of one of the players, those corrected since included."""
    births = store.read(
        f"""
        select distinct birth_date from ({EVER_KNOWN})
        where birth_date in (select unnest($days::date[])) or fide_id in (select unnest($ids::bigint[]))
        """,  # noqa: S608 - our own text
        days=sorted(days),
        ids=sorted(fide_ids),
    )
    return set(births["birth_date"])
