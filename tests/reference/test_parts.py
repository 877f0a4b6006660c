"""A list whose games are in several buckets is that of all games at once: on the made-up periods of the reference."""

from __future__ import annotations

from pathlib import Path
from random import Random

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from ratinglist.engine import BucketFolder, Study, calculate_month, plan_month
from ratinglist.rating.model import MonthInputs, MonthResult
from ratinglist.rating.systems.registry import SYSTEMS
from tests.parameters import long_but
from tests.reference.test_system_reference import World

SEEDS = {"ffe": (0, 2, 3), "fsi-1998": range(5)}
"""The worlds of a family that have every reason and status which it has to find out across buckets."""


def rated_in_parts(inputs: MonthInputs, number: int, folder: Path | None) -> MonthResult:
    """The list, with the games in so many buckets, in files or in memory."""
    tables = None if folder is None else BucketFolder(folder)
    if tables is not None:
        tables.make()
    study = Study(seen=lambda _judged: None, share=lambda _key, compute: compute())
    return calculate_month(plan_month(inputs, number, tables, study=study)).result()


@pytest.mark.parametrize("family", long_but((name for name, one in SYSTEMS.items() if one.in_parts), "ffe"))
def test_a_list_from_parts_of_its_games_is_the_list_as_a_whole(family: str, tmp_path: Path):
    seen: set[str | None] = set()
    for seed in SEEDS[family]:
        world = World(family, Random(seed))
        for month in world.months[1:]:
            world.play(month)
            rated = world.office.rate(month, Random(seed))
            whole = rated.result
            folder = tmp_path / f"{seed}-{month}" if seed % 2 else None
            in_parts = rated_in_parts(rated.inputs, 1 + seed % 4, folder)
            for table in ("events", "changes", "pool", "list_state", "system_state", "coincidences"):
                assert_frame_equal(getattr(whole, table), getattr(in_parts, table))
            with_reason = whole.sides.filter(pl.col("reason") != "")
            key = ["event_no", "round", "fide_id"]
            # What a system publishes besides, a list from parts does not have.
            common = with_reason.select(in_parts.sides.columns)
            assert_frame_equal(common.sort(key), in_parts.sides.sort(key))
            seen |= {*whole.sides["reason"], *whole.changes["status"]}
    own = {"ffe": {"counts_for_entry", "incompatible"}, "fsi-1998": {"counts_for_promotion"}}
    # Only with these must the list find out what other parts have.
    assert {"", "same_game", "rated", "entered"} | own[family] <= seen
