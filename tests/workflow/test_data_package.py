"""``datapackage.json`` of a revision: what it says is what the tables are."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from ratinglist.period import Period
from ratinglist.publication import revision_writer
from ratinglist.tables import LISTS, SYSTEM_PUBLISHED

TYPES = {"integer": pl.Int64, "string": pl.String, "boolean": pl.Boolean, "date": pl.Date}


@pytest.fixture(scope="module")
def revision(published: Path) -> Path:
    return published / "2025-11" / "r1"


def resources(revision: Path) -> dict[str, dict]:
    package = json.loads((revision / "datapackage.json").read_text(encoding="utf-8"))
    assert package["profile"] == "data-package"
    assert package["name"] == "rating-list-2025-11"
    return {one["name"]: one for one in package["resources"]}


def test_every_table_is_described_as_it_is(revision):
    described = resources(revision)
    files = {path.stem for path in revision.glob("*.parquet")}
    assert set(described) == {*files, *(f"{stem}-csv" for stem in LISTS if stem in files)}
    for name, one in described.items():
        is_csv = name.endswith("-csv")
        table = (pl.read_csv if is_csv else pl.read_parquet)(revision / one["path"])
        fields = {field["name"]: field for field in one["schema"]["fields"]}
        assert list(fields) == table.columns
        if not is_csv:
            types = {name: TYPES.get(field["type"], pl.Decimal) for name, field in fields.items()}
            assert {name: pl.Int64 if dtype.is_integer() else dtype for name, dtype in table.schema.items()} == types
            assert not table.select(one["schema"]["primaryKey"]).is_duplicated().any()
            required = [name for name, field in fields.items() if field.get("constraints") == {"required": True}]
            assert table.select(pl.col(required).null_count()).sum_horizontal().sum() == 0
    standard = {field["name"]: field.get("constraints") for field in described["standard"]["schema"]["fields"]}
    assert (standard["rating"], standard["birth_year"]) == ({"required": True}, None)


def test_the_games_are_of_events_of_the_revision(revision):
    (key,) = resources(revision)["games"]["schema"]["foreignKeys"]
    assert key == {"fields": "event_id", "reference": {"resource": "events", "fields": "event_id"}}
    games, events = (pl.read_parquet(revision / f"{name}.parquet") for name in ("games", "events"))
    assert set(games["event_id"]) <= set(events["event_id"])


def test_a_list_of_another_system_is_described_with_its_own_columns():
    tables = {"standard": SYSTEM_PUBLISHED["standard"]}
    package = json.loads(revision_writer.described(Period.parse("2025-11"), tables))
    assert "rating_hundredths" in [field["name"] for field in package["resources"][0]["schema"]["fields"]]
