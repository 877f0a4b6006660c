"""Compare the reports of a delivery with what is known of their events: other games, and higher version numbers."""

from __future__ import annotations

from typing import Any

import polars as pl

from ratinglist.number_text import halves
from ratinglist.store.database import Store


def rivals(store: Store, report_ids: pl.Series) -> list[str]:
    """Return a sentence for each event and version of which one of these reports differs from another report."""
    pairs = _rival_reports(store, report_ids)
    return [_rivals_text(one.to_dicts()) for one in pairs.partition_by("event_id", "version", maintain_order=True)]


def _rivals_text(pairs: list[dict[str, Any]]) -> str:
    """Return the sentence on the reports of one event and version; where several differ, they are named once."""
    row = pairs[0]
    if len(pairs) > 1:
        files = sorted({name for one in pairs for name in (one["file_name"], one["rival"])})
        return (
            f"{len(files):,} reports have the code {row['event_id']} and version {row['version']}, and other games: "
            f"{', '.join(files)}. First undo this delivery: ratinglist retract {row['loaded_no']}. Then, in "
            f"manifest.csv, give each event an event_id of its own, or the right report version {row['version'] + 1}"
        )
    return (
        f"{row['file_name']} and {row['rival']} are both version {row['version']} of the event {row['event_id']}, and "
        f"{row['games']:,} {'game differs' if row['games'] == 1 else 'games differ'} (round {row['round']}, "
        f"{row['white_id']} against {row['black_id']}: {_result(row['result'])} here, {_result(row['rival_result'])} "
        "there). If they are one event, no further list takes either. To use this one: write version "
        f"{row['version'] + 1} for it in manifest.csv, and load it again. To use the other one: ratinglist retract "
        f"{row['loaded_no']}"
    )


def below_known(store: Store, report_ids: pl.Series) -> list[str]:
    """Return a sentence for each of these reports whose version number is lower than one that was loaded before."""
    return [
        f"{row['file_name']}: version {row['version']} of the event {row['event_id']} changes nothing, because version "
        f"{row['newest']} is known: {row['newest_file']}. If this report is right, write version {row['newest'] + 1} "
        "for it in manifest.csv, and load it again"
        for row in _lower_versions(store, report_ids).iter_rows(named=True)
    ]


def _result(score: str | None) -> str:
    """Return a result, in half points of White and Black, as ``1-0``; None: the report does not have the game."""
    return "no game" if score is None else "-".join(halves(int(half)) for half in score.split())


def _rival_reports(store: Store, report_ids: pl.Series) -> pl.DataFrame:
    """Return the reports of an event and version of which one of these reports has other games.

    Compared are accepted reports in which a player has a game in one round: those of two slices have none. Out: one row
    per pair: ``file_name``, ``event_id``, ``version``, ``loaded_no``, ``rival`` (the name of the other file), ``games``
    (how many differ), and of the first of them ``round``, ``white_id``, ``black_id``, ``result`` and ``rival_result``
    (null where a report does not have it).
    """
    with store.seeing(sent=pl.DataFrame([report_ids.alias("report_id")])):
        return store.read(
            """
            with pair as (
                select this.report_no, other.report_no as rival_no, this.file_name, this.event_id, this.version,
                    this.loaded_no, other.file_name as rival
                from report as this semi join sent using (report_id)
                join report as other using (event_id, version)
                where this.accepted and other.accepted and this.games_digest <> other.games_digest
                    and this.time_control <> '' and other.time_control <> '' and other.report_no < this.report_no
            ),
            game as (
                select report_no, round, white_id, black_id, white_halves || ' ' || black_halves as result
                from report_game
                where report_no in (select report_no from pair union all select rival_no from pair)
            ),
            place as (
                select report_no, round, unnest([white_id, black_id]) as fide_id from game
            ),
            related as (
                select distinct pair.*
                from pair
                join place using (report_no)
                join place as other
                    on other.report_no = rival_no and other.round = place.round and other.fide_id = place.fide_id
            ),
            differing as (
                select related.report_no, rival_no, game.round, game.white_id, game.black_id, game.result,
                    other.result as rival_result
                from related join game using (report_no) left join game as other
                    on other.report_no = rival_no and other.round = game.round
                        and other.white_id = game.white_id and other.black_id = game.black_id
                where game.result is distinct from other.result
                union all
                select related.report_no, rival_no, other.round, other.white_id, other.black_id, null, other.result
                from related join game as other on other.report_no = rival_no
                where not exists (
                    select 1 from game
                    where game.report_no = related.report_no and game.round = other.round
                        and game.white_id = other.white_id and game.black_id = other.black_id
                )
            )
            select file_name, event_id, version, loaded_no, rival, round, white_id, black_id, result, rival_result,
                count(*) over (partition by report_no, rival_no) as games
            from related join differing using (report_no, rival_no)
            qualify row_number() over (partition by report_no, rival_no order by round, white_id, black_id) = 1
            order by file_name, event_id, rival
            """
        )


def _lower_versions(store: Store, report_ids: pl.Series) -> pl.DataFrame:
    """Return which of these reports have a lower version number than one of their event that was loaded before.

    Compared are accepted reports that begin on one day: a slice has versions of its own. Out: ``file_name``,
    ``event_id``, ``version``, ``newest`` and ``newest_file`` (of the highest version).
    """
    with store.seeing(sent=pl.DataFrame([report_ids.alias("report_id")])):
        return store.read(
            """
            select this.file_name, this.event_id, this.version, max(other.version) as newest,
                max_by(other.file_name, other.version) as newest_file
            from report as this semi join sent using (report_id)
            join report as other using (event_id, start_date)
            where this.accepted and other.accepted and other.version > this.version and other.loaded_no < this.loaded_no
            group by this.report_id, this.file_name, this.event_id, this.version
            order by all
            """
        )
