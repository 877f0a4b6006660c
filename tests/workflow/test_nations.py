"""The systems of nations in an office: published, explained, reproduced, and read back by the next list."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from importlib import import_module
from pathlib import Path

import polars as pl
import pytest

from ratinglist.errors import RulesError
from ratinglist.period import Period
from ratinglist.rating.systems.registry import SYSTEMS
from ratinglist.settings import Settings
from ratinglist.workflows import run
from tests.conftest import SAMPLE, asks_nothing, import_sample
from tests.parameters import long_but

FAMILIES = ("dwz", "ecf", "uschess")
SEPTEMBER, OCTOBER = Period.parse("2025-09"), Period.parse("2025-10")


def office(home: Path, family: str) -> Settings:
    settings = Settings(home=home, family=family, today=date(2025, 10, 2))
    asks_nothing(settings.home)
    import_sample(replace(settings, family="fide"))
    return settings


@pytest.fixture(scope="module", params=long_but(FAMILIES, "uschess"))
def published(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """An office with the lists of September and October of one system."""
    settings = office(tmp_path_factory.mktemp("office") / "home", request.param)
    for month in (SEPTEMBER, OCTOBER):
        reason = {"no_players_file": "the players of October register in November"}
        run.run(settings, month, [SAMPLE / "reports" / str(month)], because=reason)
    return settings


def tables(settings: Settings, month: Period, name: str) -> pl.DataFrame:
    return pl.read_parquet(settings.published / str(month) / "r1" / f"{name}.parquet")


SPARSE = {
    "dwz": {"k_tenths", "old_dwz_index"},
    "ecf": set(),
    "uschess": set(),
}
"""Columns that are empty in the sample: of rules that are not in force then, of players who are new."""


def test_its_own_columns_are_published_at_the_end_and_described(published):
    system = SYSTEMS[published.family]
    for name in ("standard", "changes", "games"):
        own = list(system.own_columns[name])
        found = tables(published, OCTOBER, name)
        assert found.columns[-len(own) :] == own
        assert {one for one in own if not found[one].count()} <= SPARSE[published.family]
    described = (published.published / str(OCTOBER) / "r1" / "datapackage.json").read_text("utf-8")
    assert next(iter(system.list_columns.values())).description in described
    # A list as CSV has the same columns.
    head = (published.published / str(OCTOBER) / "r1" / "standard.csv").read_text("utf-8").partition("\n")[0]
    assert head.split(",") == tables(published, OCTOBER, "standard").columns


def test_the_next_list_goes_on_from_its_own_state(published):
    def game(month: Period, name: str, last: bool) -> pl.DataFrame:
        rows = tables(published, month, "games").filter(reason="").sort("event_place", descending=last)
        return rows.unique("fide_id", keep="first", maintain_order=True).select("fide_id", name)

    if published.family == "uschess":
        # The rating with its decimals.
        before = game(SEPTEMBER, "rating_after_hundredths", last=True)
        both = before.join(game(OCTOBER, "rating_hundredths", last=False), on="fide_id")
        same = both["rating_after_hundredths"] == both["rating_hundredths"]
        assert len(both) > 5
        # One who is established since is shown in hundredths from then on.
        assert (same | (both["rating_after_hundredths"] % 100 == 0)).all()
        assert (both["rating_hundredths"] % 100 != 0).any()
    if published.family == "dwz":
        before = tables(published, SEPTEMBER, "standard").select("fide_id", before="dwz_index")
        changed = tables(published, OCTOBER, "changes").join(before, on="fide_id")
        assert len(changed)
        assert changed["old_dwz_index"].equals(changed["before"], check_names=False)
        now = tables(published, OCTOBER, "standard").select("fide_id", now="dwz_index")
        assert changed.join(now, on="fide_id").filter(pl.col("now") != pl.col("before") + pl.col("events")).is_empty()


def test_no_birth_date_is_in_its_state(published):
    for path in (published.home / "calculations").rglob("own_state.*.parquet"):
        assert not [name for name in pl.read_parquet_schema(path) if "birth" in name]
    assert list((published.home / "calculations").rglob("own_state.*.parquet"))


def test_a_state_of_another_version_is_refused(published, monkeypatch):
    system = SYSTEMS[published.family]
    assert system.state is not None
    newer = replace(system, state=replace(system.state, version=2))
    monkeypatch.setattr(import_module(f"ratinglist_nations.{published.family}.month"), "SYSTEM", newer)
    message = r"The list of 2025-09 was calculated with version 1 .* keeps version 2.*rerate --from"
    with pytest.raises(RulesError, match=message):
        run.rate(published, OCTOBER)
