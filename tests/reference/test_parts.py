"""A list whose games come part by part is the list of all games at once: on the made-up periods of the reference."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from ratinglist.rating.judged_parts import judge_in_parts
from ratinglist.rating.model import MonthInputs, MonthResult
from ratinglist.rating.rules import SystemRuleSet
from ratinglist.rating.system_month import IN_PARTS, rate_parts
from tests.reference.test_system_reference import World

SEEDS = range(5)


def rated_in_parts(inputs: MonthInputs, number: int) -> MonthResult:
    """The list, with the games of every ``number``-th report in one part."""
    rows = {"report_players": inputs.report_players, "report_games": inputs.report_games}

    def read(name: str, report_ids: pl.Series) -> pl.DataFrame:
        return rows[name].filter(pl.col("report_id").cast(pl.String).is_in(report_ids.implode()))

    parts = [inputs.reports["report_id"].gather_every(number, first) for first in range(number)]
    shared = inputs.reports.filter(pl.col("event_id").is_duplicated())["report_id"]
    bare = replace(inputs, report_players=inputs.report_players.clear(), report_games=read("report_games", shared))
    rule_set = inputs.rules.on(inputs.family, "standard", inputs.period.first_day)
    assert isinstance(rule_set, SystemRuleSet)
    return rate_parts(bare, judge_in_parts(bare, parts, read), rule_set)


@pytest.mark.parametrize("family", IN_PARTS)
def test_a_list_from_parts_of_its_games_is_the_list_as_a_whole(family: str):
    seen: set[str | None] = set()
    for seed in SEEDS:
        world = World(family, Random(seed))
        for month in world.months[1:]:
            world.play(month)
            rated = world.office.rate(month, Random(seed))
            whole = rated.result
            in_parts = rated_in_parts(rated.inputs, 1 + seed % 4)
            for table in ("events", "changes", "pool", "list_state", "system_state", "coincidences"):
                assert_frame_equal(getattr(whole, table), getattr(in_parts, table))
            with_reason = whole.sides.filter(pl.col("reason") != "")
            key = ["event_no", "round", "fide_id"]
            assert_frame_equal(with_reason.sort(key), in_parts.sides.sort(key))
            seen |= {*whole.sides["reason"], *whole.changes["status"]}
    own = {"ffe": {"counts_for_entry", "incompatible"}, "fsi-1998": {"counts_for_promotion"}}
    # Only with these must the list find out what other parts have.
    assert {"", "same_game", "rated", "entered"} | own[family] <= seen
