"""The rule as one plain SQL statement, Parquet to Parquet, by DuckDB alone."""

from __future__ import annotations

from pathlib import Path

import duckdb

from benchmarks.peers.given import YEAR, higher_scores

RATE = """
copy (
    with rule as (
        select (row_number() over () - 1)::uinteger as event_row, cap, cap_players_below from read_parquet($events)
    ),
    counted as (
        select fide_id, count(*)::integer as games from read_parquet($sides) group by fide_id
    ),
    coefficient as (
        select fide_id, games,
               case when reached_2400 then 10
                    when $year - birth_year <= 18 and not reached_2300 then 40
                    when games_played < 30 then 40
                    else 20 end as unlimited,
               case when unlimited * games > 700 then 700 // games else unlimited end as k
        from counted join read_parquet($state) using (fide_id)
    ),
    difference as (
        select fide_id, score_halves, rating - opponent_rating as whole,
               case when rating < cap_players_below then least(greatest(whole, -cap), cap) else whole end as used
        from read_parquet($sides) join rule using (event_row)
    ),
    side as (
        select fide_id, k, games,
               k * (score_halves * 50 - case when used >= 0 then higher else 100 - higher end) as hundredths
        from difference
        join expected on expected.difference = least(abs(used), $last)
        join coefficient using (fide_id)
    )
    select fide_id, any_value(games) as games, any_value(k)::integer as k,
           sum(hundredths)::integer as change_hundredths,
           (sign(sum(hundredths)) * ((abs(sum(hundredths)) + 50)::bigint // 100))::integer as change
    from side
    group by fide_id
    order by fide_id
) to '{out}' (format parquet, compression zstd, compression_level 3)
"""


def rate(folder: Path, out: Path) -> None:
    """Read sides, events and state, rate the sides, write the changes: all inside one statement."""
    scores = higher_scores()
    connection = duckdb.connect()
    connection.execute(
        "create temp table expected as select unnest(range(len($scores))) as difference, unnest($scores) as higher",
        {"scores": scores},
    )
    files = {name: str(folder / f"{name}.parquet") for name in ("events", "sides", "state")}
    quoted = str(out).replace("'", "''")
    connection.execute(RATE.format(out=quoted), files | {"last": len(scores) - 1, "year": YEAR})
