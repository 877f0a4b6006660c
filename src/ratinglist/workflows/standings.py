"""The command `ratinglist standings`: the final standings of an event, from its reports as they are now known."""

from __future__ import annotations

import polars as pl

from ratinglist.analysis.standings import standings as standings_of, unplayed_results
from ratinglist.errors import NothingReadError
from ratinglist.home import originals
from ratinglist.pages.facts import Facts
from ratinglist.reports import cells_of, decode_report
from ratinglist.settings import Settings
from ratinglist.store.database import Store
from ratinglist.workflows.named import event_named
from ratinglist.workflows.opening import open_to_read

ROUND_ROBINS = ("roundrobin", "double_roundrobin")


def standings(settings: Settings, event: str, tie_break: str | None = None) -> Facts:
    """Return the facts of an event, its ``tie_break``, and its ``players`` in the order of the standings.

    Corrections of results and of players are included.

    ``tie_break``: ``buchholz`` or ``sonneborn_berger``; default: the latter for round robins, else the former. An event
    may have come in slices: of the reports that begin with the same round, the newest counts.

    ``event``: as :func:`~ratinglist.workflows.named.event_named` takes it, whose errors are raised. Raises
    :class:`NothingReadError` where the event has no accepted report, and
    :class:`~ratinglist.errors.AlteredError` where the original of a report was altered.
    """
    with open_to_read(settings) as store:
        event_id = event_named(store, event)
        reports = _reports(store, event_id)
        players = _players(store, reports)
        results = pl.concat([_games(store, reports), _unplayed(settings, reports, players)]).unique(
            ["player", "round"], keep="first", maintain_order=True
        )
    people = players.unique("player", keep="first", maintain_order=True).drop("report_no", "event_id")
    newest = reports.row(0, named=True)
    by = tie_break or ("sonneborn_berger" if newest["event_type"] in ROUND_ROBINS else "buchholz")
    ordered = standings_of(
        players.select("event_id", "player", "start_number").unique("player", keep="first", maintain_order=True),
        results,
        by,
    ).drop("event_id")
    described = ordered.join(people.drop("start_number"), on="player", maintain_order="left")
    front = ("rank", "fide_id", "name", "federation", "rating")
    facts = {
        "event_id": event_id,
        "name": newest["name"],
        "event_type": newest["event_type"],
        "time_control": newest["time_control"],
        "start_date": str(reports["start_date"].min() or ""),
        "end_date": str(reports["end_date"].max() or ""),
        "rounds": results.select(pl.max("round").fill_null(0)).item(),
        "tie_break": by,
        "players": described.rename({"player": "fide_id"}).select(*front, pl.exclude(front)),
    }
    return Facts(f"Standings of {event_id}", facts)


def of_published(settings: Settings, events: pl.DataFrame, games: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the standings of published events, of their published games and of their reports' byes and forfeits.

    In: ``EVENT`` and ``GAME`` of one list. Out: ``event_id``, ``fide_id`` and ``place`` of the players, also of those
    without a game; and ``event_id``, ``fide_id``, ``round`` and ``score_halves`` of the results without a game. Missing
    are events without games, and those whose report does not name every player of the published games: an
    identity was corrected after the list.
    """
    with_games = events.join(games, on="event_id", how="semi")
    with open_to_read(settings) as store:
        reports = _published_reports(store, with_games)
        players = _players(store, reports)
    by_event = pl.col("event_id").is_in(
        games.join(players, left_on=["event_id", "fide_id"], right_on=["event_id", "player"], how="anti")["event_id"]
        .unique()
        .implode()
    )
    players = players.filter(~by_event).unique(["event_id", "player"], keep="first", maintain_order=True)
    unplayed = _unplayed(settings, reports, players)
    played = games.select(
        "event_id",
        "round",
        pl.lit(False).alias("is_fictitious"),
        pl.col("score_halves").cast(pl.Int32),
        player="fide_id",
        opponent="opponent_id",
    )
    results = pl.concat([played.select(unplayed.columns), unplayed]).join(players, on="event_id", how="semi")
    is_round_robin = pl.col("event_id").is_in(
        with_games.filter(pl.col("event_type").is_in(ROUND_ROBINS))["event_id"].implode()
    )
    places = pl.concat(
        standings_of(players.filter(of_kind), results.filter(of_kind), tie_break).select(
            "event_id", fide_id="player", place="rank"
        )
        for of_kind, tie_break in ((is_round_robin, "sonneborn_berger"), (~is_round_robin, "buchholz"))
    )
    return places, unplayed.select("event_id", "round", "score_halves", fide_id="player")


_REPORT = "report_no, sha256, file_name, event_id, name, event_type, time_control, start_date, end_date"


def _published_reports(store: Store, events: pl.DataFrame) -> pl.DataFrame:
    """Return the report of each published event."""
    return store.read(
        f"""
        select {_REPORT} from current_report
        where (event_id, sha256) in (select unnest($events), unnest($digests))
        qualify row_number() over (partition by event_id order by report_no desc) = 1
        order by event_id
        """,  # noqa: S608 - names of our own
        events=events["event_id"].to_list(),
        digests=events["report_sha256"].to_list(),
    )


def _reports(store: Store, event_id: str) -> pl.DataFrame:
    """Return the reports of an event that count, the newest first; raise where there is none."""
    reports = store.read(
        f"""
        select {_REPORT} from current_report
        where event_id = $event_id and accepted and not withdrawn
        qualify row_number() over (
            partition by first_round order by version desc, received_on desc, report_id desc
        ) = 1
        order by version desc, received_on desc, report_id desc
        """,  # noqa: S608 - names of our own
        event_id=event_id,
    )
    if reports.is_empty():
        raise NothingReadError(
            f"Every report of the event {event_id} was refused or withdrawn: there are no standings. See why: "
            f"ratinglist event {event_id}"
        )
    return reports


def _players(store: Store, reports: pl.DataFrame) -> pl.DataFrame:
    """Return the players of reports; ``rating`` is what the report states, and null where it states 0 or none.

    An event that was delivered in tables has no names and federations: they are the registered ones. The order is that
    of the reports.
    """
    players = store.read(
        """
        select reported.report_no, reported.fide_id as player, reported.start_number,
            coalesce(nullif(reported.name, ''), registered.name, '') as name,
            coalesce(nullif(reported.federation, ''), registered.federation, '') as federation,
            nullif(reported.rating, 0) as rating
        from current_report_player as reported left join registered_person as registered using (fide_id)
        where reported.report_no in (select unnest($reports)) order by reported.start_number
        """,
        reports=reports["report_no"].to_list(),
    )
    return reports.select("report_no", "event_id").join(players, on="report_no", maintain_order="left_right")


def _games(store: Store, reports: pl.DataFrame) -> pl.DataFrame:
    """Return the games of reports as they are now known, two rows each, in the order of the reports."""
    games = store.read(
        """
        select report_no, white_id as player, round, black_id as opponent, white_halves as score_halves,
            false as is_fictitious
        from current_report_game where report_no in (select unnest($reports))
        union all
        select report_no, black_id, round, white_id, black_halves, false
        from current_report_game where report_no in (select unnest($reports))
        """,
        reports=reports["report_no"].to_list(),
    )
    ordered = reports.select("report_no", "event_id").join(games, on="report_no", maintain_order="left")
    return ordered.select(_RESULT.names())


_RESULT = pl.Schema(
    {
        "event_id": pl.String,
        "player": pl.Int64,
        "round": pl.Int32,
        "opponent": pl.Int64,
        "score_halves": pl.Int32,
        "is_fictitious": pl.Boolean,
    }
)
_REPORTS_AT_ONCE = 300
"""So many reports are parsed together: their cells and lines are in memory."""


def _unplayed(settings: Settings, reports: pl.DataFrame, players: pl.DataFrame) -> pl.DataFrame:
    """Return the byes and forfeits that the bytes of reports have of these players, in the order of the reports."""
    ids = players.select("report_no", "event_id", "start_number", "player")
    opponents = ids.select("report_no", opponent_number="start_number", opponent="player")
    found = [_RESULT.to_frame()]
    for some in reports.iter_slices(_REPORTS_AT_ONCE):
        texts = [
            decode_report(originals.checked_report(settings.home, sha256, f"the report {file}").read_bytes()).text
            for sha256, file in some.select("sha256", "file_name").iter_rows()
        ]
        cells = cells_of(pl.DataFrame({"file_no": some["report_no"], "text": texts})).rename({"file_no": "report_no"})
        of_some = some.select("report_no").join(cells, on="report_no", maintain_order="left_right")
        named = of_some.join(ids, on=["report_no", "start_number"], maintain_order="left").join(
            opponents, on=["report_no", "opponent_number"], how="left", maintain_order="left"
        )
        found.append(unplayed_results(named).cast(_RESULT).select(_RESULT.names()))
    return pl.concat(found)
