"""The store: one DuckDB file with one writer. It keeps, looks up and checks; it never computes a rating."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import duckdb
import polars as pl

from ratinglist import resources, schemas
from ratinglist.errors import StoreInUseError
from ratinglist.month import MonthInputs, MonthResult
from ratinglist.period import Period
from ratinglist.rules import RuleBook

CALCULATED = {
    "event": schemas.EVENT,
    "game": schemas.GAME,
    "change": schemas.CHANGE,
    "entry": schemas.ENTRY,
    "pool": schemas.POOL,
}
"""The tables that the calculation of a month replaces, besides ``list_state`` and ``calculation``.

Each is published under its schema's own name.
"""


@dataclass(frozen=True, slots=True)
class Offence:
    """A check of ``sql/checks`` that found wrong rows."""

    check: str
    why: str
    rows: list[dict[str, object]]
    count: int


@contextmanager
def open_store(path: Path, threads: int | None = None) -> Iterator[Store]:
    """Open the store for writing, creating and migrating it as needed.

    Raises :class:`StoreInUseError` while another process has it open.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    config: dict[str, str | bool | int | float | list[str]] = {
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
    }
    if threads:
        config["threads"] = threads
    try:
        connection = duckdb.connect(str(path), config=config)
    except duckdb.IOException as error:
        if "lock" not in str(error):
            raise
        raise StoreInUseError(
            f"{path} is in use by another writer. Wait until it has finished, then run the command again."
        ) from None
    with connection:
        store = Store(connection)
        store.migrate()
        yield store


class Store:
    """An open store. Every method that writes is meant to run inside :meth:`transaction`."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing: commit at the end, roll back on any error."""
        self._connection.begin()
        try:
            yield
        except BaseException:
            self._connection.rollback()
            raise
        self._connection.commit()

    def read(self, query: str, **params: object) -> pl.DataFrame:
        """The rows of a query; parameters are named ``$name``."""
        return self._connection.sql(query, params=params or None).pl()

    def _execute(self, statement: str, **params: object) -> None:
        self._connection.execute(statement, params or None).fetchall()

    def _append(self, table: str, rows: pl.DataFrame) -> None:
        self._connection.register("rows_to_append", rows)
        self._execute(f"insert into {table} by name select * from rows_to_append")  # noqa: S608 - names of our own
        self._connection.unregister("rows_to_append")

    # ------------------------------------------------------------------------------------------------ migrations

    def migrate(self) -> None:
        """Run the migrations not yet run, each in a transaction with its own entry, then re-apply the views."""
        self._execute("create table if not exists migration (name varchar primary key, sha256 varchar not null)")
        done = dict(self._connection.sql("select name, sha256 from migration").fetchall())
        for file in sorted(resources.sql("migrations").glob("*.sql")):
            text = file.read_text(encoding="utf-8")
            digest = hashlib.sha256(text.encode()).hexdigest()
            if file.name not in done:
                with self.transaction():
                    self._connection.execute(text).fetchall()
                    self._execute("insert into migration values ($name, $digest)", name=file.name, digest=digest)
        for file in sorted(resources.sql("views").glob("*.sql")):
            self._connection.execute(file.read_text(encoding="utf-8")).fetchall()

    # -------------------------------------------------------------------------------------------- facts: reports

    def add_reports(
        self, reports: pl.DataFrame, players: pl.DataFrame, games: pl.DataFrame, findings: pl.DataFrame
    ) -> pl.DataFrame:
        """Keep versions of reports with what was read from them.

        In: ``REPORT``, ``REPORT_PLAYER``, ``REPORT_GAME`` and ``FINDING``. A version already accepted stays as it is;
        one refused before is replaced by what is read now. Either way the earliest day of receipt holds. Out: the
        ``report_id`` of those that were new or read anew.
        """
        self._connection.register("delivered_reports", reports)
        known = self.read(
            "select report_id, report.accepted, report.received_on from report join delivered_reports using (report_id)"
        )
        self._connection.unregister("delivered_reports")
        kept = known.filter("accepted")["report_id"]
        earliest = pl.concat([known.select("report_id", "received_on"), reports.select("report_id", "received_on")])
        first_received = earliest.group_by("report_id").agg(pl.col("received_on").min())
        self._connection.register("first_received", first_received)
        self._execute(
            "update report set received_on = first_received.received_on from first_received "
            "where report.report_id = first_received.report_id"
        )
        again = known.filter(~pl.col("accepted"))["report_id"]
        if len(again):
            for table in ("report", "finding"):
                self._execute(f"delete from {table} where report_id in $again", again=again.to_list())  # noqa: S608
        self._connection.unregister("first_received")
        fresh = (
            reports.drop("received_on")
            .join(first_received, on="report_id")
            .filter(~pl.col("report_id").is_in(kept.implode()))
        )
        ids = fresh["report_id"].implode()
        self._append("report", schemas.REPORT.conform(fresh))
        accepted = fresh.filter("accepted")["report_id"].implode()
        self._append(
            "report_player", schemas.REPORT_PLAYER.conform(players.filter(pl.col("report_id").is_in(accepted)))
        )
        self._append("report_game", schemas.REPORT_GAME.conform(games.filter(pl.col("report_id").is_in(accepted))))
        self._append("finding", schemas.FINDING.conform(findings.filter(pl.col("report_id").is_in(ids))))
        return fresh.select("report_id")

    # ------------------------------------------------------------------------------------ facts: lists and players

    def add_source_file(self, *, sha256: str, file_name: str, kind: str, month: Period | None, known_on: date) -> int:
        """Note an imported file; returns its number. Its rows are counted when it is complete."""
        number = int(self.read("select coalesce(max(source_no), 0) + 1 as n from source_file").item())
        self._execute(
            "insert into source_file values ($number, $sha256, $file_name, $kind, $month, $known_on, 0)",
            number=number,
            sha256=sha256,
            file_name=file_name,
            kind=kind,
            month=str(month) if month else None,
            known_on=known_on,
        )
        return number

    def count_source_file(self, source_no: int, rows: int) -> None:
        """Say how many rows an import had."""
        self._execute("update source_file set rows = $rows where source_no = $no", rows=rows, no=source_no)

    def add_players(self, players: pl.DataFrame, *, known_on: date, source_no: int) -> tuple[int, int]:
        """Register players and keep changed data as new versions; returns how many are new and how many changed.

        In: ``PLAYER``, one row per FIDE ID. A source that knows only the year of birth does not unlearn the day.
        """
        self._connection.register("delivered_players", players)
        judged = self.read(
            """
            select
                delivered_players.* exclude (birth_date, birth_year),
                coalesce(
                    delivered_players.birth_date,
                    case
                        when coalesce(delivered_players.birth_year, year(player_now.birth_date))
                            = year(player_now.birth_date)
                        then player_now.birth_date
                    end
                ) as birth_date,
                coalesce(delivered_players.birth_year, player_now.birth_year) as birth_year,
                player_now.fide_id is null as is_new,
                player_now.* exclude (fide_id, known_on, source_no)
            from delivered_players left join player_now using (fide_id)
            """
        )
        self._connection.unregister("delivered_players")
        facts = [name for name in schemas.PLAYER.columns if name != "fide_id"]
        # DuckDB tells the second of two columns of one name apart as name_1.
        differs = pl.any_horizontal(pl.col(name).ne_missing(pl.col(f"{name}_1")) for name in facts)
        fresh = judged.filter(pl.col("is_new") | differs)
        rows = schemas.PLAYER.conform(fresh).with_columns(
            pl.lit(known_on).alias("known_on"), pl.lit(source_no, dtype=pl.Int32).alias("source_no")
        )
        self._append("player", rows)
        new = int(fresh["is_new"].sum())
        return new, len(fresh) - new

    def drop_imported_list(self, period: Period, time_control: str) -> None:
        """Make room for another import of a month's list."""
        self._execute(
            "delete from list_state where month = $month and time_control = $time_control",
            month=str(period),
            time_control=time_control,
        )

    def add_list(self, state: pl.DataFrame, source_no: int) -> None:
        """Keep the rows of an imported list (``LIST_STATE``)."""
        rows = schemas.LIST_STATE.conform(state).with_columns(pl.lit(source_no, dtype=pl.Int32).alias("source_no"))
        self._append("list_state", rows)

    # --------------------------------------------------------------------------------------------- a month's work

    def month_inputs(self, period: Period, family: str, rules: RuleBook) -> MonthInputs:
        """Everything the calculation of a month reads."""
        month, first_day = str(period), period.first_day
        earlier = self.read(
            """
            select event.event_id, event.version, event.status, report.games_digest, report.start_date,
                report.time_control
            from event join report using (report_id)
            where event.month < $month and event.status in ('rated', 'late', 'duplicate', 'superseded')
            """,
            month=month,
        )
        reports = self.read(
            """
            with settled as (
                select event_id, max(version) as version
                from event
                where month < $month and status in ('rated', 'late', 'duplicate', 'superseded')
                group by event_id
            )
            select report.*
            from report left join settled using (event_id)
            where report.received_on < $first_day and (settled.version is null or report.version > settled.version)
            """,
            month=month,
            first_day=first_day,
        )
        self._connection.register("wanted", reports.select("report_id", "time_control", "start_date"))
        players = self.read("select report_player.report_id, fide_id from report_player join wanted using (report_id)")
        games = self.read("select report_game.* from report_game join wanted using (report_id)")
        lists = self.read(
            """
            with months as (
                select distinct time_control, month from list_state where month < $month
            ),
            in_force as (
                select wanted.time_control, max(months.month) as month
                from wanted join months
                    on months.time_control = wanted.time_control
                    and months.month <= strftime(wanted.start_date, '%Y-%m')
                group by wanted.time_control, wanted.start_date
                union
                select time_control, max(month) as month from months group by time_control
            )
            select list_state.* exclude (source_no)
            from list_state semi join in_force using (time_control, month)
            """,
            month=month,
        )
        self._connection.unregister("wanted")
        pool = self.read(
            """
            select * exclude (month) from pool
            where month = (select max(month) from calculation where month < $month)
            """,
            month=month,
        )
        return MonthInputs(
            period=period,
            family=family,
            rules=rules,
            lists=schemas.LIST_STATE.conform(lists),
            players=self.players(),
            reports=schemas.REPORT.conform(reports),
            report_players=players,
            report_games=schemas.REPORT_GAME.conform(games),
            pool=schemas.POOL.conform(pool),
            earlier_events=earlier.with_columns(pl.col("version").cast(pl.Int32)),
        )

    def digests_of(self, inputs: MonthInputs) -> dict[str, list[str]]:
        """What a month's inputs are, by digest: the lists, the reports and the files that registered the players.

        A list calculated here is named by its ``calculation_id``, an imported one by the digest of its file. Out:
        sorted texts under ``lists``, ``reports`` and ``players``.
        """
        self._connection.register("used_lists", inputs.lists.select("time_control", "month").unique())
        lists = self.read(
            """
            select distinct
                list_state.month || ' ' || list_state.time_control || ' '
                    || coalesce(source_file.sha256, calculation.calculation_id) as digest
            from list_state
            semi join used_lists using (time_control, month)
            left join source_file using (source_no)
            left join calculation on calculation.month = list_state.month
            """
        )
        self._connection.unregister("used_lists")
        ids = pl.concat([inputs.lists.select("fide_id"), inputs.report_players.select("fide_id")]).unique()
        self._connection.register("used_players", ids)
        players = self.read(
            "select distinct sha256 as digest from player_now semi join used_players using (fide_id) "
            "join source_file using (source_no)"
        )
        self._connection.unregister("used_players")
        return {
            "lists": sorted(lists["digest"]),
            "reports": sorted(inputs.reports["sha256"].unique()),
            "players": sorted(players["digest"]),
        }

    def calculation(self, period: Period) -> dict[str, str] | None:
        """The row of a month's calculation, or None where the month was not calculated."""
        rows = self.read("select * from calculation where month = $month", month=str(period)).to_dicts()
        return rows[0] if rows else None

    def calculation_before(self, period: Period) -> str:
        """The ``calculation_id`` of the newest month calculated before; empty where there is none."""
        rows = self.read(
            "select calculation_id from calculation where month < $month order by month desc limit 1",
            month=str(period),
        )
        return str(rows.item()) if len(rows) else ""

    def calculated_later(self, period: Period) -> list[str]:
        """The months calculated after this one."""
        later = self.read("select month from calculation where month > $month order by month", month=str(period))
        return later["month"].to_list()

    def received_later(self, period: Period) -> int:
        """How many events were only received when the list was in effect already: they count for a later one."""
        return int(
            self.read(
                """
                select count(*)::integer as events from (
                    select event_id from report group by event_id having min(received_on) >= $first_day
                )
                """,
                first_day=period.first_day,
            ).item()
        )

    def replace_month(self, period: Period, result: MonthResult, calculation: dict[str, str]) -> None:
        """Replace everything calculated for a month; ``calculation`` is its row without the month."""
        month = str(period)
        with self.transaction():
            for table in ("calculation", "list_state", *CALCULATED):
                self._execute(f"delete from {table} where month = $month", month=month)  # noqa: S608 - names of our own
            self._append("calculation", pl.DataFrame([{"month": month, **calculation}]))
            self._append("list_state", result.list_state.with_columns(pl.lit(None, dtype=pl.Int32).alias("source_no")))
            frames = (result.events, result.games, result.changes, result.entries, result.pool)
            for table, frame in zip(CALCULATED, frames, strict=True):
                self._append(table, frame.with_columns(pl.lit(month).alias("month")))

    def calculated(self, table: str, period: Period) -> pl.DataFrame:
        """What the calculation of a month left in one of :data:`CALCULATED`, in its published order."""
        schema = CALCULATED[table]
        rows = self.read(f"select * from {table} where month = $month", month=str(period))  # noqa: S608
        return schema.sorted(schema.conform(rows))

    def players(self) -> pl.DataFrame:
        """Everybody known, as now known (``PLAYER``)."""
        return schemas.PLAYER.conform(self.read("select * from player_now"))

    def list_of(self, period: Period) -> pl.DataFrame:
        """The state of a month's list, all time controls."""
        return schemas.LIST_STATE.conform(
            self.read("select * exclude (source_no) from list_state where month = $month", month=str(period))
        )

    # -------------------------------------------------------------------------------------------------- checks

    def check(self, period: Period, checks: Sequence[Path] | None = None) -> list[Offence]:
        """Run every query of ``sql/checks`` on a month; a row it returns is wrong."""
        offences = []
        for file in checks or sorted(resources.sql("checks").glob("*.sql")):
            text = file.read_text(encoding="utf-8")
            rows = self.read(text, month=str(period))
            if len(rows):
                why = " ".join(line[2:].strip() for line in text.splitlines() if line.startswith("--"))
                offences.append(Offence(file.stem, why, rows.head(5).to_dicts(), len(rows)))
        return offences
