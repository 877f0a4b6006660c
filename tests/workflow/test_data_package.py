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


def test_every_table_of_the_revision_is_described_with_its_columns_in_order(revision):
    described = resources(revision)
    files = {path.stem for path in revision.glob("*.parquet")}
    assert set(described) == {*files, *(f"{stem}-csv" for stem in LISTS if stem in files)}
    for one in described.values():
        path = revision / one["path"]
        columns = (pl.read_parquet if path.suffix == ".parquet" else pl.read_csv)(path).columns
        assert [field["name"] for field in one["schema"]["fields"]] == columns


def test_the_types_are_those_of_the_tables(revision):
    for name, one in resources(revision).items():
        if name.endswith("-csv"):
            continue
        table = pl.read_parquet(revision / one["path"])
        for field in one["schema"]["fields"]:
            dtype = table.schema[field["name"]]
            kind = TYPES.get(field["type"])
            assert dtype.is_integer() if kind == pl.Int64 else dtype == kind if kind else dtype.is_decimal()


def test_a_key_identifies_a_row_and_a_required_value_is_never_missing(revision):
    for name, one in resources(revision).items():
        if name.endswith("-csv"):
            continue
        table = pl.read_parquet(revision / one["path"])
        assert not table.select(one["schema"]["primaryKey"]).is_duplicated().any()
        required = [
            field["name"] for field in one["schema"]["fields"] if field.get("constraints") == {"required": True}
        ]
        assert table.select(pl.col(required).null_count()).sum_horizontal().sum() == 0
    fields = {field["name"]: field for field in resources(revision)["standard"]["schema"]["fields"]}
    assert fields["rating"]["constraints"] == {"required": True}
    assert "constraints" not in fields["birth_year"]


def test_the_games_are_of_events_of_the_revision(revision):
    (key,) = resources(revision)["games"]["schema"]["foreignKeys"]
    assert key == {"fields": "event_id", "reference": {"resource": "events", "fields": "event_id"}}
    games, events = (pl.read_parquet(revision / f"{name}.parquet") for name in ("games", "events"))
    assert set(games["event_id"]) <= set(events["event_id"])


def test_units_are_the_ends_of_the_columns_names(revision):
    fields = resources(revision)["games"]["schema"]["fields"]
    assert {field["name"]: field["unit"] for field in fields if "unit" in field} == {
        "score_halves": "half points",
        "expected_hundredths": "hundredths",
        "change_hundredths": "hundredths",
    }


def test_a_list_of_another_system_is_described_with_its_own_columns():
    tables = {"standard": SYSTEM_PUBLISHED["standard"]}
    package = json.loads(revision_writer.described(Period.parse("2025-11"), tables))
    assert "rating_hundredths" in [field["name"] for field in package["resources"][0]["schema"]["fields"]]
