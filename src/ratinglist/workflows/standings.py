"""The command `ratinglist standings`: the final standings of an event, from its reports as they are now known.

Points, Buchholz and Sonneborn-Berger, and results among those who are equal; and the number of rounds that a Swiss
tournament of so many players should have. All sums are whole numbers: half points, and quarter points for
Sonneborn-Berger, which counts half of a half point.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from ratinglist.errors import NothingReadError
from ratinglist.home import originals
from ratinglist.reports import cells_of, decode_report
from ratinglist.result_codes import BYES, POINT_HALVES, UNPLAYED
from ratinglist.settings import Settings
from ratinglist.store.database import Store
from ratinglist.summaries import Facts
from ratinglist.workflows.find import event_named
from ratinglist.workflows.opening import open_to_read

ROUND_ROBINS = ("roundrobin", "double_roundrobin")


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
        players = _players(store, reports)
        results = pl.concat([_games(store, reports), _unplayed(settings, reports, players)]).unique(
            ["player", "round"], keep="first", maintain_order=True
        )
    people = players.unique("player", keep="first", maintain_order=True).drop("report_no", "event_id")
    newest = reports.row(0, named=True)
    by = tie_break or ("sonneborn_berger" if newest["event_type"] in ROUND_ROBINS else "buchholz")
    ordered = ordered_standings(
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


_REPORT = "report_no, sha256, file_name, event_id, name, event_type, time_control, start_date, end_date"


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


_EMPTY_POINTS = ("+", "U")
"""The results without a game that count as an opponent with 0 points: the fictitious player of an odd field."""
_ROUNDS = {
    9: ((3, 5), ()),
    10: ((4, 5, 6), ()),
    11: ((5,), ()),
    12: ((5, 6, 7), ()),
    13: ((5, 7), ()),
    14: ((5, 6, 7), (8,)),
    15: ((5, 7), ()),
    16: ((7, 8), (6, 9)),
    17: ((7, 9), ()),
    18: ((8, 9), (7, 10)),
    19: ((7, 9), ()),
    20: ((8, 9, 10), (7, 11)),
    21: ((7, 9), (11,)),
    22: ((9, 10, 11), (8, 12)),
    23: ((9, 11), ()),
    24: ((9, 10, 11, 12), (8, 13)),
    25: ((9, 11), (13,)),
    26: ((10, 11, 12, 13), (9, 14)),
    27: ((9, 11), (13,)),
    28: ((10, 11, 12, 13, 14), (9, 15)),
    29: ((11, 13), (15,)),
    30: ((11, 12, 13, 14, 15), (10, 16)),
    31: ((11, 13, 15), ()),
    32: ((11, 12, 13, 14, 15, 16), (10, 17)),
}


def unplayed_results(cells: pl.DataFrame) -> pl.DataFrame:
    """Return the byes, forfeits and games of less than one move among the cells of reports.

    In: ``event_id``, ``player``, ``round``, ``opponent`` and ``code``. Out: ``event_id``, ``player``, ``round``,
    ``opponent`` (of a game of less than one move alone), ``score_halves`` and ``is_fictitious`` (counts as an opponent
    with 0 points).
    """
    code = pl.col("code").cast(pl.String)
    return cells.filter(code.is_in([*UNPLAYED, *BYES])).select(
        "event_id",
        "player",
        "round",
        pl.when(code.is_in(["W", "D", "L"])).then("opponent").alias("opponent"),
        code.replace_strict(POINT_HALVES, default=0, return_dtype=pl.Int32).alias("score_halves"),
        code.is_in(_EMPTY_POINTS).alias("is_fictitious"),
    )


def ordered_standings(players: pl.DataFrame, results: pl.DataFrame, tie_break: str) -> pl.DataFrame:
    """Return the players of each event in the order of the standings.

    In: ``players``: ``event_id``, ``player`` and ``start_number``; ``results``: ``event_id``, ``player``, ``round``,
    ``opponent`` (null where there is none), ``score_halves`` and ``is_fictitious``, one row per player and round.

    Out: ``event_id``, ``rank``, ``player``, ``start_number``, ``games`` (with an opponent), ``score_halves`` (the
    points, byes and forfeits included), ``buchholz_halves``, ``lowest_opponent_halves`` (null without an opponent),
    ``sonneborn_berger_quarters``, ``direct_halves`` (points against those equal so far) and ``wins``. Players who
    differ in the start number alone share a rank.

    - ``buchholz``: by points; own points + the points of all opponents but the lowest; the points of that lowest
      opponent; results among those equal so far; wins; the lower start number.
    - ``sonneborn_berger``: by points; own points + points of the beaten + half the points of those drawn with; the
      results against the players in the order of the standings; wins; the lower start number.
    """
    is_buchholz = tie_break == "buchholz"
    first = ["score_halves", "buchholz_halves", "lowest_opponent_halves"]
    order = first if is_buchholz else ["score_halves", "sonneborn_berger_quarters"]
    criteria = pl.struct(pl.col(order).fill_null(0))
    rows = _points(players, results).with_columns(
        criteria.rank("dense", descending=True).over("event_id").cast(pl.Int32).alias("place")
    )
    against = _against(rows, results)
    direct = against.filter(pl.col("place") == pl.col("opponent_place")).select(*_KEY, "direct_halves")
    rows = rows.join(direct, on=_KEY, how="left").with_columns(pl.col("direct_halves").fill_null(0))
    decides = "direct_halves"
    if not is_buchholz:
        rows, decides = rows.join(_in_order_of_places(rows, against), on=_KEY, how="left"), "in_order"
    differing = ["event_id", "place", decides, "wins"]
    return (
        rows.sort(*differing, "start_number", descending=[False, False, True, True, False])
        .with_columns((pl.int_range(pl.len(), dtype=pl.Int32) + 1).over("event_id").alias("rank"))
        .with_columns(pl.col("rank").min().over(differing))
        .select(
            *("event_id", "rank", "player", "start_number", "games", "score_halves", "buchholz_halves"),
            *("lowest_opponent_halves", "sonneborn_berger_quarters", "direct_halves", "wins"),
        )
    )


_KEY = ["event_id", "player"]


def _points(players: pl.DataFrame, results: pl.DataFrame) -> pl.DataFrame:
    """Return the players with their points, and the sums over their opponents' points."""
    halves = pl.col("score_halves")
    own = results.group_by(_KEY).agg(
        halves.sum().cast(pl.Int32),
        (pl.col("opponent").is_not_null() & (halves == 2)).sum().cast(pl.Int32).alias("wins"),
        pl.col("opponent").count().cast(pl.Int32).alias("games"),
    )
    scored = players.join(own, on=_KEY, how="left").with_columns(pl.col("score_halves", "wins", "games").fill_null(0))
    opponents = scored.select("event_id", pl.col("player").alias("opponent"), halves.alias("opponent_halves"))
    met = (
        results.filter(pl.col("opponent").is_not_null() | pl.col("is_fictitious"))
        .join(opponents, on=["event_id", "opponent"], how="left")
        .with_columns(pl.col("opponent_halves").fill_null(0))
    )
    sums = met.group_by(_KEY).agg(
        (pl.col("opponent_halves").sum() - pl.col("opponent_halves").min()).cast(pl.Int32).alias("others"),
        pl.col("opponent_halves").min().cast(pl.Int32).alias("lowest_opponent_halves"),
        (halves * pl.col("opponent_halves")).sum().cast(pl.Int32).alias("quarters"),
    )
    return scored.join(sums, on=_KEY, how="left").with_columns(
        (halves + pl.col("others").fill_null(0)).alias("buchholz_halves"),
        (2 * halves + pl.col("quarters").fill_null(0)).alias("sonneborn_berger_quarters"),
    )


def _against(rows: pl.DataFrame, results: pl.DataFrame) -> pl.DataFrame:
    """Return the half points of each player against the players of each place, ``direct_halves``: equals share one."""
    place = rows.select(*_KEY, "place")
    of_opponents = place.rename({"player": "opponent", "place": "opponent_place"})
    return (
        results.drop_nulls("opponent")
        .join(place, on=_KEY)
        .join(of_opponents, on=["event_id", "opponent"])
        .group_by(*_KEY, "place", "opponent_place")
        .agg(pl.col("score_halves").sum().cast(pl.Int32).alias("direct_halves"))
    )


def _in_order_of_places(rows: pl.DataFrame, against: pl.DataFrame) -> pl.DataFrame:
    """Return for each player the half points against every place, the first one first, as a text that sorts so."""
    places = rows.select("event_id", pl.col("place").alias("opponent_place")).unique()
    halves = pl.col("direct_halves").fill_null(0).cast(pl.String).str.zfill(4)
    return (
        rows.select(_KEY)
        .join(places, on="event_id")
        .join(against, on=[*_KEY, "opponent_place"], how="left")
        .sort("opponent_place")
        .group_by(_KEY)
        .agg(halves.str.join("").alias("in_order"))
    )


def recommended_rounds(players: int) -> tuple[Sequence[int], Sequence[int]]:
    """Return the numbers of rounds recommended for so many players, and those that are possible too.

    Both are empty where there are fewer than 9 players or more than 32: there is no recommendation.
    """
    return _ROUNDS.get(players, ((), ()))
