"""Show what a calculated month moves, player by player, and the corrections made."""

from __future__ import annotations

import polars as pl

from ratinglist.period import Period
from ratinglist.settings import Settings
from ratinglist.store import calculations
from ratinglist.store.inputs import players_of
from ratinglist.workflows.opening import open_to_read


def month_changes(settings: Settings, period: Period) -> pl.DataFrame | None:
    """Return the players whom the calculation of a month rates, enters or delists, with their names.

    Out: the columns of the published table ``changes``, ``name`` and ``federation``, the largest changes first. None
    where the month is not calculated.
    """
    with open_to_read(settings) as store:
        calculation = calculations.calculation(store, period)
        if calculation is None:
            return None
        players = players_of(store, period).select("fide_id", "name", "federation")
        changes = calculation.folder.read_table("changes")
    return changes.join(players, on="fide_id", how="left").sort(
        pl.col("change").abs(), "time_control", "fide_id", descending=[True, False, False], nulls_last=True
    )


def corrections_made(settings: Settings) -> list[dict[str, object]]:
    """Return a row for each correction, the newest first.

    Out: ``number``, ``what``, ``reason``, ``who``, ``day``, and ``counts``: whether it was not undone.
    """
    with open_to_read(settings) as store:
        rows = store.read(
            """
            select correction_no as number, what, reason, who, reported_on::varchar as day,
                correction_no in (select correction_no from correction_now) and undoes is null as counts
            from correction_described order by correction_no desc
            """
        )
    return rows.to_dicts()
