"""Published files have only the columns that the office allows, and no player's date of birth."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import polars as pl
import pytest

from ratinglist import office
from ratinglist.errors import CheckError, CommandLineError
from ratinglist.office import FieldPolicy
from ratinglist.period import Period
from ratinglist.publication import revision_writer, revisions as released
from ratinglist.publication.published_files import verify
from ratinglist.store.table_files import write_parquet
from ratinglist.tables import BOTH_NUMBERS, DIFF, LISTED
from ratinglist.workflows import publish, sql
from tests.conftest import published_bytes, unpublish
from tests.published_sample import ANNA, BRUNO, FACTS, NOVEMBER, november, publish_tables, rows

BORN = date(1990, 7, 3)
NARROW = FieldPolicy({"lists": ("sex", "birth_year"), "unrated": ("federation",)})


def birth_dates(fide_ids: pl.Series) -> pl.DataFrame:
    """Anna was born on a day the office knows."""
    return pl.DataFrame({"fide_id": [ANNA], "birth_date": [BORN]}).filter(pl.col("fide_id").is_in(fide_ids.implode()))


def published(folder: Path, tables: dict[str, pl.DataFrame], policy: FieldPolicy | None = None) -> Path:
    return publish_tables(folder, NOVEMBER, tables, FACTS, fields=policy, birth_dates=birth_dates).folder


def named(text: str) -> dict[str, pl.DataFrame]:
    """November's tables, Anna's name being ``text``."""
    is_anna = pl.col("fide_id") == ANNA
    tables = november()
    name = pl.when(is_anna).then(pl.lit(text)).otherwise("name").alias("name")
    return {**tables, "standard": tables["standard"].with_columns(name)}


# --------------------------------------------------------------------------------------------------------- policy


def test_columns_left_out_are_named_in_the_manifest_and_null_where_they_are_read(tmp_path):
    chosen = office.parse('[fields.without]\nlists = ["sex", "birth_year"]\nunrated = ["federation"]\n')
    assert chosen.fields == NARROW
    published(tmp_path, november())
    folder = published(tmp_path, november(), NARROW)
    assert folder.name == "r2"
    stated = json.loads((folder / "manifest.json").read_bytes())
    assert stated["without"] == {"lists": ["birth_year", "sex"], "unrated": ["federation"]}
    assert verify(folder).wrong == []
    tables = released.read_tables(folder)
    assert tables["standard"].schema == LISTED.schema
    assert tables["standard"]["sex"].null_count() == tables["standard"].height
    assert sql.run(tmp_path, "select distinct sex, birth_year from lists").rows() == [(None, None)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('without.list = ["sex"]', "unknown table 'list'"),
        ('without.games = ["date"]', "unknown table 'games'"),
        ('without.lists = ["sexx"]', "'sexx' of lists cannot be left out"),
        ('without.lists = ["k"]', "'k' of lists cannot be left out"),
        ('without.unrated = ["sex"]', "'sex' of unrated cannot be left out"),
        ('without.lists = ["fide_id"]', "'fide_id' of lists cannot be left out"),
        ('without.lists = ["rating"]', "'rating' of lists cannot be left out"),
        ('without.lists = "sex"', "'fields.without.lists' is 'sex'; it must be a list of texts"),
        ("without.lists = [1]", "'fields.without.lists.0' is 1; it must be a text in quotes"),
        ('without = "sex"', "'fields.without' is 'sex'; it must be a table"),
        ('with.lists = ["sex"]', "unknown key 'with' in .fields. - known are without"),
    ],
)
def test_a_wrong_policy_is_refused(text, message):
    with pytest.raises(CommandLineError, match=message):
        office.parse(f"[fields]\n{text}\n")


# -------------------------------------------------------------------------------------------------------- scanner


@pytest.mark.parametrize(
    "text",
    [
        *("Àlba, Anna 1990-07-03", "Àlba (1990/07/03), Anna", "03.07.1990", "3.7.1990", "3/7/1990", "7/3/1990"),
        *("Anna19900703", "03071990", "1990-7-3", "1990.07.03", "Anna 1990 07 03", "3 7 1990", "7 3 1990", "03/7-1990"),
    ],
)
def test_a_birth_date_in_a_name_stops_the_publication(tmp_path, text):
    with pytest.raises(CheckError, match=r"standard\.parquet: name of player 1234567 contains the date of birth"):
        published(tmp_path, named(text))
    assert released.latest(tmp_path, NOVEMBER) is None
    assert list(tmp_path.rglob("*.parquet")) == []


@pytest.mark.parametrize(
    "text", ["Àlba, Anna", "Àlba, Anna 1990-07-04", "Àlba, Anna 1990", "Àlba, Anna 12345678", "13.7.1990"]
)
def test_a_number_that_is_no_birth_date_is_published(tmp_path, text):
    assert published(tmp_path, named(text)).name == "r1"


def test_the_birth_date_of_another_player_is_published(tmp_path):
    tables = named("Àlba, Anna")
    name = pl.when(pl.col("fide_id") == BRUNO).then(pl.lit("Bassi 1990-07-03")).otherwise("name").alias("name")
    assert published(tmp_path, {**tables, "standard": tables["standard"].with_columns(name)}).name == "r1"


PLANTED = {
    **{
        ("blitz", column): november()["blitz"].with_columns(pl.lit("03.07.1990").alias(column))
        for column in ("federation", "title", "other_titles", "flag")
    },
    ("diff", "name"): rows(DIFF, {"time_control": "standard", "fide_id": ANNA, "name": "Anna 1990-07-03"}),
}


@pytest.mark.parametrize(("stem", "column"), PLANTED)
def test_a_birth_date_is_found_in_any_text_of_any_table(tmp_path, stem, column):
    with pytest.raises(CheckError, match=rf"{stem}\.parquet: {column} of player 1234567"):
        published(tmp_path, {**november(), stem: PLANTED[stem, column]})


@pytest.mark.parametrize(
    ("stem", "planted", "policy", "found"),
    [
        ("standard", "born", FieldPolicy(), "born (date32[day])"),
        ("changes", "k", FieldPolicy(), "k (date32[day])"),
        ("standard", "", FieldPolicy({"lists": ("birth_year",)}), "birth_year (int32)"),
    ],
    ids=["an unknown column", "another type", "a column that is left out"],
)
def test_a_column_that_may_not_be_there_is_found_in_the_file(tmp_path, stem, planted, policy, found):
    path = published(tmp_path, november()) / f"{stem}.parquet"
    path.chmod(0o644)
    frame = pl.read_parquet(path)
    (frame.with_columns(pl.lit(BORN).alias(planted)) if planted else frame).write_parquet(path)
    said = revision_writer.offences(path.parent, policy, birth_dates)
    assert f"{stem}.parquet: carries the column {found}, which it may not" in said


def test_tables_outside_the_revisions_are_scanned_too(tmp_path):
    row = {"list_month": "2025-11", "time_control": "standard", "fide_id": ANNA, "name": "Anna 19900703"}
    path = write_parquet(tmp_path / "both_numbers.parquet", BOTH_NUMBERS, rows(BOTH_NUMBERS, row))
    assert revision_writer.offences_of_table(path, "both_numbers", FieldPolicy(), birth_dates) == [
        "both_numbers.parquet: name of player 1234567 contains the date of birth"
    ]


def test_a_table_outside_the_revisions_with_a_date_of_birth_is_not_published(rated, monkeypatch):
    unpublish(rated, "2025-12")
    before = published_bytes(rated.home)

    scan = revision_writer.offences_of_table

    def found(path, stem, *more):
        return ["events.parquet: name has a date"] if stem == "event_status" else scan(path, stem, *more)

    monkeypatch.setattr(revision_writer, "offences_of_table", found)
    with pytest.raises(CheckError, match="the tables outside the revisions contain data that must stay private"):
        publish.publish(rated, Period.parse("2025-12"))
    assert published_bytes(rated.home) == before
