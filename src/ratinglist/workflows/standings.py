"""The command `ratinglist standings`: the final standings of an event, from its reports as they are now known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from ratinglist.analysis.standings import recommended_rounds, unplayed_results
from ratinglist.analysis.standings import standings as standings_of
from ratinglist.config import Settings
from ratinglist.errors import NothingReadError
from ratinglist.home import originals
from ratinglist.number_text import halves
from ratinglist.pages.plain_text import text_table
from ratinglist.reports import decode_report, parse
from ratinglist.store.database import Store
from ratinglist.workflows.opening import open_to_read

ROUND_ROBINS = ("roundrobin", "double_roundrobin")


@dataclass(frozen=True, slots=True)
class Standings:
    """The standings of an event. ``event``: its facts; ``rows``: the players, the first first."""

    event: dict[str, Any]
    tie_break: str
    rows: pl.DataFrame

    def as_dict(self) -> dict[str, object]:
        """Return the standings as JSON-able values."""
        return {**self.event, "tie_break": self.tie_break, "players": self.rows.to_dicts()}

    def text(self) -> str:
        """Return the standings as a table."""
        header = ["rank", "player", "fed", "rating", "points", "Buchholz", "lowest", "Sonneborn-B.", "direct", "wins"]
        rows = [
            [
                str(row["rank"]),
                row["name"],
                row["federation"],
                str(row["rating"] or ""),
                halves(row["score_halves"]),
                halves(row["buchholz_halves"]),
                halves(row["lowest_opponent_halves"]),
                _quarters(row["sonneborn_berger_quarters"]),
                halves(row["direct_halves"]),
                str(row["wins"]),
            ]
            for row in self.rows.iter_rows(named=True)
        ]
        table = text_table(header, rows, [True, False, False, *[True] * 7], rule=True)
        event, players = self.event, self.rows.height
        recommended, possible = recommended_rounds(players)
        rounds = f"{players} players, {event['rounds']} {'round' if event['rounds'] == 1 else 'rounds'}"
        if recommended and event["event_type"] not in ROUND_ROBINS:
            also = f" (possible: {_numbers(possible)})" if possible else ""
            rounds += f"; recommended for a Swiss tournament of so many players: {_numbers(recommended)}{also}"
        order = "Buchholz" if self.tie_break == "buchholz" else "Sonneborn-Berger"
        return "\n".join(
            [
                f"{event['event_id']}  {event['name']} ({event['start_date']} to {event['end_date']})",
                *table,
                f"{rounds}. In the order of points, then {order}.",
            ]
        )


def standings(settings: Settings, event_id: str, tie_break: str | None = None) -> Standings:
    """Return the standings of an event, corrections of results and of players included.

    ``tie_break``: ``buchholz`` or ``sonneborn_berger``; default: the latter for round robins, else the former. An event
    may have come in slices: of the reports that begin with the same round, the newest counts.

    Raises :class:`NothingReadError` where the event has no accepted report, and
    :class:`~ratinglist.errors.AlteredError` where the original of a report was altered.
    """
    with open_to_read(settings) as store:
        reports = _reports(store, event_id)
        players = pl.concat([_players(store, report_no) for report_no in reports["report_no"]])
        results = pl.concat(
            [
                _results(store, settings, report, players.filter(report_no=report["report_no"]))
                for report in reports.iter_rows(named=True)
            ]
        ).unique(["player", "round"], keep="first", maintain_order=True)
    people = players.unique("player", keep="first", maintain_order=True).drop("report_no")
    newest = reports.row(0, named=True)
    by = tie_break or ("sonneborn_berger" if newest["event_type"] in ROUND_ROBINS else "buchholz")
    ordered = standings_of(people.select("player", "start_number"), results, by)
    event = {
        "event_id": event_id,
        "name": newest["name"],
        "event_type": newest["event_type"],
        "time_control": newest["time_control"],
        "start_date": str(reports["start_date"].min() or ""),
        "end_date": str(reports["end_date"].max() or ""),
        "rounds": results.select(pl.max("round").fill_null(0)).item(),
    }
    described = ordered.join(people.drop("start_number"), on="player", maintain_order="left")
    front = ("rank", "fide_id", "name", "federation", "rating")
    rows = described.rename({"player": "fide_id"})
    return Standings(event, by, rows.select(*front, pl.exclude(front)))


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
            f"No accepted report of an event '{event_id}' is in the store. See what was received: ratinglist event "
            f"{event_id}; reports that were refused: ratinglist quarantine"
        )
    return reports


def _players(store: Store, report_no: int) -> pl.DataFrame:
    """Return the players of a report; ``rating`` is what the report states, and null where it states 0 or none.

    An event that was delivered in tables has no names and federations: they are the registered ones.
    """
    return store.read(
        """
        select reported.report_no, reported.fide_id as player, reported.start_number,
            coalesce(nullif(reported.name, ''), registered.name, '') as name,
            coalesce(nullif(reported.federation, ''), registered.federation, '') as federation,
            nullif(reported.rating, 0) as rating
        from current_report_player as reported left join registered_person as registered using (fide_id)
        where reported.report_no = $report_no order by reported.start_number
        """,
        report_no=report_no,
    )


def _results(store: Store, settings: Settings, report: dict[str, Any], players: pl.DataFrame) -> pl.DataFrame:
    """Return the results of a report: the games as they are now known, and the byes and forfeits of its bytes."""
    games = store.read(
        """
        select white_id as player, round, black_id as opponent, white_halves as score_halves, false as is_fictitious
        from current_report_game where report_no = $report_no
        union all
        select black_id, round, white_id, black_halves, false
        from current_report_game where report_no = $report_no
        """,
        report_no=report["report_no"],
    )
    path = originals.checked_report(settings.home, report["sha256"], f"the report {report['file_name']}")
    text = decode_report(path.read_bytes()).text
    cells = parse(pl.DataFrame({"file_no": [1], "text": [text]})).cells
    ids = players.select("start_number", "player")
    unplayed = unplayed_results(
        cells.join(ids, on="start_number").join(
            ids.select(pl.col("start_number").alias("opponent_number"), pl.col("player").alias("opponent")),
            on="opponent_number",
            how="left",
        )
    )
    return pl.concat([games, unplayed.select(pl.col(name).cast(dtype) for name, dtype in games.schema.items())])


def _quarters(quarters: int) -> str:
    """Return quarter points as points: ``4.75``."""
    return f"{quarters // 4}.{quarters % 4 * 25:02}"


def _numbers(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))
