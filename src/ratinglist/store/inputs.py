"""Read the inputs of a month's calculation from the store, as now known: a function for each table."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import polars as pl

from ratinglist import tables
from ratinglist.errors import RulesError
from ratinglist.period import Period
from ratinglist.rating.model import NO_STATE, MonthInputs
from ratinglist.rating.rules import RuleBook
from ratinglist.rating.systems.registry import SYSTEMS
from ratinglist.store import received
from ratinglist.store.calculation_folder import standing_folders
from ratinglist.store.database import Store
from ratinglist.tables import IMPORTED_PLAYER, POOLED_GAME, REFERENCE_RATING, SYSTEM_STATE


def read_month_inputs(
    store: Store,
    period: Period,
    family: str,
    rules: RuleBook,
) -> MonthInputs:
    """Read everything that the calculation of a month needs, as corrected: of the reports those received before it."""
    month = str(period)
    earlier = read_earlier_events(store, month)
    reports = read_reports(store, month, period.first_day)
    # Versions of one event are recognised by their games, also where an earlier list has judged the other version.
    settled = earlier.join(reports, on="event_id", how="semi")
    compared = pl.concat([versions.select("report_id", "report_no") for versions in (reports, settled)]).unique()
    is_system = rules.is_system(family)
    pool = read_pool(store, month)
    with store.with_frames(wanted=reports):
        return MonthInputs(
            period=period,
            family=family,
            rules=rules,
            lists=read_lists(store, month),
            players=read_players(store, period),
            reports=tables.REPORT.conform(reports),
            report_players=_of_reports(store, reports, "select id_no, fide_id from current_report_player"),
            report_games=_of_reports(store, compared, _GAMES),
            pool=pool,
            earlier_events=tables.EARLIER_EVENT.conform(earlier),
            earlier_games=read_earlier_games(store, month),
            withdrawn=store.read("select report_id from current_report where withdrawn")["report_id"],
            without_name=received.reports_with(store, reports.select("report_id", "start_date", text="name")),
            with_player_twice=store.read(
                "select distinct report_id from player_line_now join report using (report_no) where is_twice"
            )["report_id"],
            without_games=store.read("select report_id from finding where rule = 'no_games'")["report_id"],
            system_state=read_system_state(store, month) if is_system else SYSTEM_STATE.empty(),
            own_state=read_own_state(store, period, rules.of(family)[0].system) if is_system else NO_STATE,
            pooled_games=read_pooled_games(store, pool) if is_system else POOLED_GAME.empty(),
            references=read_references(store, [month]) if rules.reads_references(family) else REFERENCE_RATING.empty(),
            imported=read_imported(store, month) if is_system else IMPORTED_PLAYER.empty(),
        )


def read_pool(store: Store, month: str) -> pl.DataFrame:
    """Return the pool after the list before ``month`` (``POOL``)."""
    pool = store.read(
        """
        select pool.* exclude (month) replace (coalesce(now_id, fide_id) as fide_id)
        from pool left join current_identity using (fide_id)
        where month = (select max(month) from calculation where is_standing and month < $month)
        """,
        month=month,
    )
    return tables.POOL.conform(pool)


def read_players(store: Store, period: Period) -> pl.DataFrame:
    """Return the players as the list of a month knows them, without the FIDE IDs that were merged (``PLAYER``)."""
    merged = store.read("select fide_id from current_identity")
    return players_of(store, period).join(merged, on="fide_id", how="anti", maintain_order="left")


def read_earlier_events(store: Store, month: str) -> pl.DataFrame:
    """Return the reports that lists before ``month`` settled (``EARLIER_EVENT``), with ``report_no``."""
    return store.read(
        """
        select report.event_id, report.report_id, report.report_no, event.version, event.status,
            coalesce(current_report.received_on, report.received_on) as received_on, report.games_digest,
            report.start_date, report.end_date, report.time_control, report.first_round,
            report.last_round
        from event join report_now as report using (report_id) left join current_report using (report_id)
        where event.month < $month and is_settled(event.status)
        """,
        month=month,
    )


def read_reports(store: Store, month: str, received_before: date) -> pl.DataFrame:
    """Return the reports that the list of ``month`` judges (``REPORT``), with ``report_no``."""
    # A file that could not be read at all is no event: it is in quarantine.
    return store.read(
        """
        select report.* from current_report as report
        anti join (
            select report_id from event where month < $month and is_settled(status)
        ) as settled using (report_id)
        anti join (
            select report_id from finding where rule in ('not_a_report', 'empty_file', 'binary_file')
        ) as unreadable using (report_id)
        where report.received_on < $received_before
        -- The same bytes with other facts of a manifest: of one version, what was loaded last counts.
        qualify row_number() over (
            partition by event_id, version, report.sha256 order by report.accepted desc, report_no desc
        ) = 1
        """,
        month=month,
        received_before=received_before,
    )


_GAMES = "select id_no, round, date, white_id, black_id, white_halves, black_halves from current_report_game"


def _of_reports(store: Store, reports: pl.DataFrame, select: str) -> pl.DataFrame:
    """Return the rows of some reports with ``report_id``, an Enum: of millions of rows, each text is kept once."""
    numbers = reports.select("report_id", "report_no").sort("report_id").with_row_index("id_no")
    with store.with_frames(numbers=numbers.drop("report_id")):
        rows = store.read(f"{select} join numbers using (report_no)")
    return rows.select(pl.col("id_no").cat.to(pl.Enum(numbers["report_id"])).alias("report_id"), pl.exclude("id_no"))


def read_earlier_games(store: Store, month: str) -> pl.DataFrame:
    """Return the games rated before ``month`` that are in the reports ``wanted`` again (``EARLIER_GAME``).

    It reads the events with the same codes, and those that had not ended when the first of the reports began. The store
    has the reports as ``wanted``.
    """
    # Before the first list there is none, and the query reads every game of the month.
    if not store.rows("select 1 from event where month < $month and status = 'rated' limit 1", month=month):
        return tables.EARLIER_GAME.empty()
    games = store.read(
        """
        with before as (
            select event.month, event.event_id, report.report_no
            from event join report_now as report using (report_id)
            where event.month < $month and event.status = 'rated'
                and (
                    report.end_date >= (select min(start_date) from wanted)
                    or report.event_id in (select event_id from wanted)
                )
        ),
        again as (
            select round, white_id, black_id from current_report_game semi join wanted using (report_no)
        ),
        counted_elsewhere as (
            select game.* from game semi join before using (month, event_id) where reason = 'same_game'
        ),
        rated as (
            select before.month, before.event_id, game.*
            from current_report_game as game join before using (report_no)
            semi join again using (round, white_id, black_id)
        )
        select report.event_id as event_code, report.report_id, report.games,
            report.name, report.federation,
            report.time_control, report.version, report.received_on, report.received_on as first_received_on,
            report.start_date, report.end_date, report.first_round, report.last_round,
            rated.round, rated.date, rated.white_id, rated.black_id, rated.white_halves, rated.black_halves
        from rated
        join report_now as report using (report_no)
        anti join counted_elsewhere
            on counted_elsewhere.month = rated.month
            and counted_elsewhere.event_id = rated.event_id
            and counted_elsewhere.round = rated.round
            and counted_elsewhere.fide_id = rated.white_id
        """,
        month=month,
    )
    return tables.EARLIER_GAME.conform(games)


def read_lists(store: Store, month: str) -> pl.DataFrame:
    """Return the newest list of each time control before ``month``, and those in force when events began.

    The store has the reports as ``wanted``. Out: ``LIST_STATE``. Raises :class:`~ratinglist.errors.AlteredError` where
    a calculation that one of the lists comes from was altered.
    """
    needed = store.read(
        """
        from needed_list($month, (
            select list(distinct {'time_control': time_control, 'start_date': start_date}) from wanted
        ))
        """,
        month=month,
    )
    for folder in store.current_folders(needed["month"].unique().to_list()):
        folder.check_unaltered()
    with store.with_frames(needed=needed):
        lists = store.read(
            """
            select list_to_stand_on.* exclude (source_no)
            from list_to_stand_on semi join needed using (time_control, month)
            where month in (select month from needed)
            """
        )
    return tables.LIST_STATE.conform(lists)


def read_system_state(store: Store, month: str) -> pl.DataFrame:
    """Return what the system keeps of the players on the newest list before ``month`` (``SYSTEM_STATE``).

    It is empty where that list was imported. A FIDE ID that was merged into another is replaced by that one, as on the
    list.
    """
    state = store.read(
        """
        select kept.* exclude (month)
        from calculated_system_state as kept
        where kept.month = (
            select max(month) from standing_list as list
            where list.month < $month and list.time_control = kept.time_control
        )
        """,
        month=month,
    )
    return tables.SYSTEM_STATE.conform(_of_current_ids(store, state, ["time_control", "fide_id"]))


def _of_current_ids(store: Store, kept: pl.DataFrame, key: Sequence[str]) -> pl.DataFrame:
    """Return rows of which ``key`` is one, with the FIDE IDs of now, as ``list_to_stand_on`` chooses among several."""
    merged = store.read("select fide_id, now_id from current_identity")
    own = kept.join(merged, on="fide_id", how="anti")
    moved = (
        kept.sort("fide_id")
        .join(merged, on="fide_id", maintain_order="left")
        .with_columns(pl.col("now_id").alias("fide_id"))
        .drop("now_id")
        .unique(key, keep="first", maintain_order=True)
    )
    return pl.concat([own, moved.join(own, on=key, how="anti")])


def read_own_state(store: Store, period: Period, system: str) -> pl.DataFrame:
    """Return what a system keeps of its own of the newest list before ``period``, as :class:`OwnState` declares it.

    Merged FIDE IDs are treated as :func:`read_system_state` does. Empty where that list was imported, or was calculated
    by another system. Raises :class:`RulesError` where it was kept in another version.
    """
    declared = SYSTEMS[system].state
    if declared is None:
        return NO_STATE
    (newest,) = store.rows("select max(month) from standing_list where month < $month", month=str(period))
    standing = standing_folders(store.log.history, store.folders)
    folders = {month: folder for month, folder in standing.items() if month < str(period)}
    if newest[0] not in folders:
        return declared.table.empty()
    folder = folders[newest[0]]
    files = {version: path for (name, version), path in folder.own_states().items() if name == system}
    if files.keys() - {declared.version}:
        raise RulesError(
            f"The list of {folder.period} was calculated with version {max(files)} of what the system '{system}' keeps "
            f"of its players, and the installed package keeps version {declared.version}. Install the version of the "
            "package that made it, or calculate the lists again from the first one that it made: ratinglist rerate "
            "--from YYYY-MM. Nothing was calculated."
        )
    if not files:
        return declared.table.empty()
    kept = pl.read_parquet(files[declared.version], glob=False, hive_partitioning=False)
    return declared.table.conform(_of_current_ids(store, kept, declared.key))


def read_imported(store: Store, month: str) -> pl.DataFrame:
    """Return what the imported lists before ``month`` have of their players (``IMPORTED_PLAYER``)."""
    imported = store.read(
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
    return tables.IMPORTED_PLAYER.conform(imported)


def read_pooled_games(store: Store, pool: pl.DataFrame) -> pl.DataFrame:
    """Return the games of the results that wait in the ``pool`` (``POOLED_GAME``).

    Nothing of a player's waiting results has expired or entered, so they are all the games that a list has counted for
    an entry of the player, and the pool states which lists.
    """
    waiting = pool.select("fide_id", "counted_month").unique()
    if waiting.is_empty():
        return tables.POOLED_GAME.empty()
    with store.with_frames(waiting=waiting):
        games = store.read(
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
    return tables.POOLED_GAME.conform(games)


def read_references(store: Store, months: Sequence[str]) -> pl.DataFrame:
    """Return the reference lists that the lists of ``months`` need (``REFERENCE_RATING``).

    These are the newest one of each month, and those in force when the reports that the store has as ``wanted``
    began and ended.
    """
    ratings = store.read(
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
    return tables.REFERENCE_RATING.conform(ratings)


def players_of(store: Store, period: Period) -> pl.DataFrame:
    """Return all players as the list of a month knows them (``PLAYER``): the data known while it was the newest list.

    From the first calculation of a later list on, only corrections change the players of this one: a title of May is
    not on the list of March, and an event that waited for a registration stays with the list that rated it. A player
    named by a correction, or by a report that came with one, is known to every list, with the data of their first
    registration. A file of players that counts from a later list on is not known. Merged FIDE IDs are included.
    """
    players = store.read("select * from known_player($month)", month=str(period))
    return tables.PLAYER.conform(players)
