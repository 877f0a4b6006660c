"""The command `ratinglist standings`: the final standings of an event, from its reports as they are now known.

Points, Buchholz and Sonneborn-Berger, and results among those who are equal. All sums are whole numbers: half points,
and quarter points for Sonneborn-Berger, which counts half of a half point.
"""

from __future__ import annotations

import polars as pl

from ratinglist.errors import NothingReadError
from ratinglist.files import resources
from ratinglist.home import originals
from ratinglist.reports import cells_of, decode_report
from ratinglist.result_codes import BYES, POINT_HALVES, UNPLAYED
from ratinglist.settings import Settings
from ratinglist.store.database import Store
from ratinglist.summaries import Facts
from ratinglist.workflows.find import event_named
from ratinglist.workflows.opening import open_to_read
from ratinglist_lab.measures import queried


def standings(settings: Settings, event: str, tie_break: str | None = None) -> Facts:
    """Return the facts of an event, its ``tie_break``, and its ``players`` in the order of the standings.

    Corrections of results and of players are included.

    ``tie_break``: ``buchholz`` or ``sonneborn_berger``; default: the latter for round robins, else the former. An event
    may have come in slices: of the reports that begin with the same round, the newest counts.

    ``event``: as :func:`~ratinglist.workflows.find.event_named` takes it, whose errors are raised. Raises
    :class:`NothingReadError` where the event has no accepted report, and
    :class:`~ratinglist.errors.AlteredError` where the original of a report was altered.
    """
    with open_to_read(settings) as store:
        event_id = event_named(store, event)
        reports = _reports(store, event_id)
        numbers = reports["report_no"].to_list()
        lines, games = store.read(_LINES, reports=numbers), store.read(_GAMES, reports=numbers)
    results = pl.concat([games, _unplayed(settings, reports, lines)]).unique(
        ["player", "round"], keep="first", maintain_order=True
    )
    players = lines.unique("player", keep="first", maintain_order=True)
    newest = reports.row(0, named=True)
    by = tie_break or (
        "sonneborn_berger" if newest["event_type"] in ("roundrobin", "double_roundrobin") else "buchholz"
    )
    ordered = ordered_standings(players, results, by)
    people = players.select("player", "name", "federation", "rating")
    described = ordered.join(people, on="player", maintain_order="left").rename({"player": "fide_id"})
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
        "players": described.select(*front, pl.exclude(front)),
    }
    return Facts(f"Standings of {event_id}", facts)


def _reports(store: Store, event_id: str) -> pl.DataFrame:
    """Return the reports of an event that count, the newest first; raise where there is none."""
    reports = store.read(
        """
        select report_no, sha256, file_name, name, event_type, time_control, start_date, end_date
        from current_report
        where event_id = $event_id and accepted and not withdrawn
        qualify row_number() over (
            partition by first_round order by version desc, received_on desc, report_id desc
        ) = 1
        order by version desc, received_on desc, report_id desc
        """,
        event_id=event_id,
    )
    if reports.is_empty():
        raise NothingReadError(
            f"Every report of the event {event_id} was refused or withdrawn: there are no standings. See why: "
            f"ratinglist event {event_id}"
        )
    return reports


_LINES = """
select reported.report_no, reported.fide_id as player, reported.start_number,
    coalesce(nullif(reported.name, ''), registered.name, '') as name,
    coalesce(nullif(reported.federation, ''), registered.federation, '') as federation,
    nullif(reported.rating, 0) as rating
from current_report_player as reported left join registered_person as registered using (fide_id)
where list_contains($reports, reported.report_no)
order by list_position($reports, reported.report_no), reported.start_number
"""
"""The players of reports, in their order. ``rating``: what the report states; null where it states 0 or none.

An event that was delivered in tables has no names and federations: they are the registered ones.
"""

_GAMES = """
with game as (select * from current_report_game where list_contains($reports, report_no)),
side as (
    select report_no, white_id as player, round, black_id as opponent, white_halves as score_halves from game
    union all
    select report_no, black_id, round, white_id, black_halves from game
)
select player, round, opponent, score_halves, false as is_fictitious
from side order by list_position($reports, report_no), round, player
"""
"""The games of reports as they are now known, two rows each, in the order of the reports."""


def _unplayed(settings: Settings, reports: pl.DataFrame, lines: pl.DataFrame) -> pl.DataFrame:
    """Return the byes and forfeits that the bytes of reports have, in the order of the reports."""
    texts = [
        decode_report(originals.checked_report(settings.home, sha256, f"the report {file}").read_bytes()).text
        for sha256, file in reports.select("sha256", "file_name").iter_rows()
    ]
    cells = cells_of(pl.DataFrame({"file_no": reports["report_no"], "text": texts})).rename({"file_no": "report_no"})
    ids = lines.select("report_no", "start_number", "player")
    opponents = ids.rename({"start_number": "opponent_number", "player": "opponent"})
    return unplayed_results(
        reports.select("report_no")
        .join(cells, on="report_no", maintain_order="left_right")
        .join(ids, on=["report_no", "start_number"], maintain_order="left")
        .join(opponents, on=["report_no", "opponent_number"], how="left", maintain_order="left")
    )


def unplayed_results(cells: pl.DataFrame) -> pl.DataFrame:
    """Return the byes, forfeits and games of less than one move among the cells of reports.

    In: ``player``, ``round``, ``opponent`` and ``code``. Out: ``player``, ``round``, ``opponent`` (of a game of less
    than one move alone), ``score_halves`` and ``is_fictitious`` (counts as an opponent with 0 points).
    """
    code = pl.col("code").cast(pl.String)
    return cells.filter(code.is_in([*UNPLAYED, *BYES])).select(
        "player",
        "round",
        pl.when(code.is_in(["W", "D", "L"])).then("opponent").alias("opponent"),
        code.replace_strict(POINT_HALVES, default=0, return_dtype=pl.Int32).alias("score_halves"),
        # An opponent with 0 points: the fictitious player of an odd field.
        code.is_in(["+", "U"]).alias("is_fictitious"),
    )


def ordered_standings(players: pl.DataFrame, results: pl.DataFrame, tie_break: str) -> pl.DataFrame:
    """Return the players of an event in the order of the standings.

    In: ``players``: ``player`` and ``start_number``; ``results``: ``player``, ``round``, ``opponent`` (null where there
    is none), ``score_halves`` and ``is_fictitious``, one row per player and round.

    Out: ``rank``, ``player``, ``start_number``, ``games`` (with an opponent), ``score_halves`` (the points, byes and
    forfeits included), ``buchholz_halves``, ``lowest_opponent_halves`` (null without an opponent),
    ``sonneborn_berger_quarters``, ``direct_halves`` (points against those equal so far) and ``wins``. Players who
    differ in the start number alone share a rank.

    - ``buchholz``: by points; own points + the points of all opponents but the lowest; the points of that lowest
      opponent; results among those equal so far; wins; the lower start number.
    - ``sonneborn_berger``: by points; own points + points of the beaten + half the points of those drawn with; the
      results against the players in the order of the standings; wins; the lower start number.
    """
    frames = {"player_of_event": players.select("player", "start_number"), "result": results}
    return queried(resources.sql("measures") / "standings.sql", frames, buchholz=tie_break == "buchholz")
