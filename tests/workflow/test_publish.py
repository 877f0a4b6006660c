"""What is published: the files, their bytes, their revisions, and what a killed run leaves behind."""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Mapping
from datetime import date
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ratinglist import office
from ratinglist.errors import CheckError, CommandLineError
from ratinglist.office import FieldPolicy
from ratinglist.period import Period
from ratinglist.publication import revision_writer, revisions, revisions as released
from ratinglist.publication.published_files import verify
from ratinglist.store.table_files import ROW_GROUP, write_parquet
from ratinglist.tables import BOTH_NUMBERS, DIFF, LISTED, PUBLISHED
from ratinglist.workflows import publish, sql
from tests.conftest import published_bytes, unpublish
from tests.published_sample import (
    ANNA,
    BRUNO,
    FACTS,
    NOVEMBER,
    OCTOBER,
    Publication,
    listed,
    november,
    october,
    publish_tables,
    rows,
)


def published(folder: Path, tables: Mapping[str, pl.DataFrame] | None = None) -> Publication:
    return publish_tables(folder, NOVEMBER, tables or november(), FACTS)


def content(revision: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in revision.iterdir()}


def corrected() -> dict[str, pl.DataFrame]:
    return {**november(), "pool": october()["pool"]}


# ------------------------------------------------------------------------------------------------------- the files


def test_a_revision_holds_every_file_of_the_contract(tmp_path):
    names = set(content(published(tmp_path).folder))
    tables = {"changes", "games", "entries", "pool", "events", "unrated"}
    assert names == {
        *(f"{stem}.parquet" for stem in tables | {"standard", "blitz"}),
        "standard.csv",
        "blitz.csv",
        "datapackage.json",
        "manifest.json",
    }
    assert {path.stat().st_mode & 0o777 for path in (tmp_path / "2025-11" / "r1").iterdir()} == {0o444}


@pytest.mark.parametrize("stem", ["standard", "changes", "games", "entries", "pool", "events"])
def test_parquet_columns_have_plain_types(tmp_path, stem):
    plain = {
        pl.String(): pa.string(),
        pl.Int32(): pa.int32(),
        pl.Int64(): pa.int64(),
        pl.Date(): pa.date32(),
        pl.Boolean(): pa.bool_(),
        pl.Decimal(12, 2): pa.decimal128(12, 2),
    }
    schema = pq.read_table(published(tmp_path).folder / f"{stem}.parquet").schema
    columns = PUBLISHED[stem].columns
    assert schema.names == list(columns)
    assert schema.types == [plain[column.dtype] for column in columns.values()]


def test_csv_has_the_same_rows_as_parquet_in_utf8_with_lf_and_minimal_quotes(tmp_path):
    folder = published(tmp_path).folder
    data = (folder / "standard.csv").read_bytes()
    lines = data.split(b"\n")
    assert lines[1].startswith('2025-11,standard,1234567,"Àlba, Anna",ITA,F,,,,2008,2,20,1990,w'.encode())
    assert b'"Bassi, Bruno ""Bobo"""' in lines[3]
    assert (lines[-1], b"\r" in data) == (b"", False)
    parquet = pl.read_parquet(folder / "standard.parquet")
    cells = [["" if cell is None else str(cell) for cell in row] for row in parquet.rows()]
    assert list(csv.reader(data.decode().splitlines())) == [parquet.columns, *cells]


def test_the_manifest_has_the_facts_and_every_other_file(tmp_path):
    done = published(tmp_path)
    manifest = json.loads((done.folder / "manifest.json").read_text(encoding="utf-8"))
    files, digest = manifest.pop("files"), manifest.pop("digest")
    assert len(digest) == 64
    assert manifest == {"month": "2025-11", "revision": 1, **FACTS}
    assert list(files) == sorted(set(content(done.folder)) - {"manifest.json"})
    lines = {name: (done.folder / name).read_bytes().count(b"\n") for name in ("datapackage.json",)}
    for name, entry in files.items():
        held = (done.folder / name).read_bytes()
        text = name.replace(".parquet", ".csv")
        assert entry == {
            "sha256": hashlib.sha256(held).hexdigest(),
            "bytes": len(held),
            "rows": lines.get(name) or done.rows[name.partition(".")[0]],
            **({"logical_sha256": files[text]["sha256"]} if text != name and text in files else {}),
        }


def test_a_column_of_the_frames_that_is_no_published_one_reaches_no_file(tmp_path):
    planted = [pl.lit(date(1990, 7, 23)).alias("birth_date"), pl.lit("1990-07-23").alias("note")]
    done = published(tmp_path, {stem: frame.with_columns(planted) for stem, frame in november().items()})
    for path in done.folder.glob("*.parquet"):
        assert not {"birth_date", "note"} & set(pl.read_parquet_schema(path))
    assert [path for path in done.folder.iterdir() if b"1990-07-23" in path.read_bytes()] == []


# ------------------------------------------------------------------------------------------------ the same bytes


def test_the_order_of_rows_and_facts_does_not_change_the_files(tmp_path):
    straight = published(tmp_path / "one")
    turned = {stem: frame.reverse().select(reversed(frame.columns)) for stem, frame in reversed(november().items())}
    other = publish_tables(tmp_path / "other", NOVEMBER, turned, dict(reversed(FACTS.items())))
    assert content(other.folder) == content(straight.folder)


def test_the_chunks_of_a_frame_do_not_change_the_files(tmp_path):
    height = ROW_GROUP + 5_000
    base = rows(LISTED, listed(NOVEMBER, "standard", ANNA, 2000)).select(pl.all().repeat_by(height).explode())
    whole = base.with_columns(fide_id=pl.int_range(height), name=pl.format("Player {}", pl.int_range(height))).rechunk()
    pieces = pl.concat([whole.slice(start, 7_001) for start in range(0, height, 7_001)], rechunk=False)
    assert pieces.n_chunks() > 1
    whole_path = write_parquet(tmp_path / "one.parquet", LISTED, whole)
    pieces_path = write_parquet(tmp_path / "other.parquet", LISTED, pieces)
    assert whole_path.read_bytes() == pieces_path.read_bytes()
    assert pq.ParquetFile(whole_path).metadata.num_row_groups == 2


# ------------------------------------------------------------------------------------------------------ revisions


def test_other_content_or_facts_are_the_next_revision_and_the_same_make_none(tmp_path):
    first = published(tmp_path)
    before = content(first.folder)
    again = published(tmp_path)
    assert [(done.revision, done.is_new, done.folder) for done in (first, again)] == [
        (1, is_new, tmp_path / "2025-11" / "r1") for is_new in (True, False)
    ]
    assert (tmp_path / "2025-11" / "latest").read_bytes() == b"r1\n"
    other_facts = {**FACTS, "code_version": "2"}
    assert published(tmp_path, corrected()).revision == 2
    assert publish_tables(tmp_path, NOVEMBER, november(), other_facts).revision == 3
    # An older content that is published again is a new revision, and no number is used again; ten follows nine.
    (tmp_path / "2025-11" / "r9").mkdir()
    last = published(tmp_path)
    assert (last.revision, last.is_new, last.folder.name) == (10, True, "r10")
    assert revisions.latest(tmp_path, NOVEMBER) == last.folder
    assert published(tmp_path).is_new is False
    assert content(first.folder) == before


def test_months_are_those_with_a_current_revision(tmp_path):
    assert revisions.months(tmp_path / "nothing") == []
    published(tmp_path)
    publish_tables(tmp_path, OCTOBER, october(), FACTS)
    (tmp_path / "2025-12" / "r1").mkdir(parents=True)
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "latest").write_text("r1")
    assert revisions.months(tmp_path) == [OCTOBER, NOVEMBER]
    assert revisions.latest(tmp_path, NOVEMBER + 1) is None


# -------------------------------------------------------------------------------------------------------- refusals


UNREGISTERED = "The standard list has players who are not registered: "


@pytest.mark.parametrize(
    ("stem", "change", "message"),
    [
        (
            "standard",
            lambda rows: pl.concat([rows, rows]),
            "standard: more than one row for time_control standard, fide_id 1",
        ),
        ("standard", lambda rows: rows.with_columns(name=pl.lit(None)), UNREGISTERED),
        ("games", lambda rows: pl.concat([rows, rows.head(1)]), "games: more than one row for"),
    ],
    ids=["a player twice", "an empty obligatory value", "a game twice"],
)
def test_a_wrong_table_stops_the_list(tmp_path, stem, change, message):
    tables = november()
    with pytest.raises(CheckError, match=message):
        published(tmp_path, {**tables, stem: change(tables[stem])})
    assert revisions.latest(tmp_path, NOVEMBER) is None
    assert list(tmp_path.rglob("*.parquet")) == []


# --------------------------------------------------------------------------------------------------- what stays private


BORN = date(1990, 7, 3)
NARROW = FieldPolicy({"lists": ("sex", "birth_year"), "unrated": ("federation",)})


def birth_dates(fide_ids: pl.Series) -> pl.DataFrame:
    """Anna was born on a day the office knows."""
    return pl.DataFrame({"fide_id": [ANNA], "birth_date": [BORN]}).filter(pl.col("fide_id").is_in(fide_ids.implode()))


def published_with(folder: Path, tables: dict[str, pl.DataFrame], policy: FieldPolicy | None = None) -> Path:
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
    published_with(tmp_path, november())
    folder = published_with(tmp_path, november(), NARROW)
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
        published_with(tmp_path, named(text))
    assert released.latest(tmp_path, NOVEMBER) is None
    assert list(tmp_path.rglob("*.parquet")) == []


@pytest.mark.parametrize(
    "text", ["Àlba, Anna", "Àlba, Anna 1990-07-04", "Àlba, Anna 1990", "Àlba, Anna 12345678", "13.7.1990"]
)
def test_a_number_that_is_no_birth_date_is_published(tmp_path, text):
    assert published_with(tmp_path, named(text)).name == "r1"


def test_the_birth_date_of_another_player_is_published(tmp_path):
    tables = named("Àlba, Anna")
    name = pl.when(pl.col("fide_id") == BRUNO).then(pl.lit("Bassi 1990-07-03")).otherwise("name").alias("name")
    assert published_with(tmp_path, {**tables, "standard": tables["standard"].with_columns(name)}).name == "r1"


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
        published_with(tmp_path, {**november(), stem: PLANTED[stem, column]})


@pytest.mark.parametrize(
    ("stem", "planted", "policy", "column"),
    [
        ("standard", "born", FieldPolicy(), "born (date32[day])"),
        ("changes", "k", FieldPolicy(), "k (date32[day])"),
        ("standard", "", FieldPolicy({"lists": ("birth_year",)}), "birth_year (int32)"),
    ],
    ids=["an unknown column", "another type", "a column that is left out"],
)
def test_a_column_that_may_not_be_there_is_found_in_the_file(tmp_path, stem, planted, policy, column):
    path = published_with(tmp_path, november()) / f"{stem}.parquet"
    path.chmod(0o644)
    frame = pl.read_parquet(path)
    (frame.with_columns(pl.lit(BORN).alias(planted)) if planted else frame).write_parquet(path)
    said = revision_writer.offences(path.parent, policy, birth_dates)
    assert f"{stem}.parquet: carries the column {column}, which it may not" in said


def test_tables_outside_the_revisions_are_scanned_too(tmp_path):
    row = {"list_month": "2025-11", "time_control": "standard", "fide_id": ANNA, "name": "Anna 19900703"}
    path = write_parquet(tmp_path / "both_numbers.parquet", BOTH_NUMBERS, rows(BOTH_NUMBERS, row))
    assert revision_writer.offences_of_table(path, "both_numbers", FieldPolicy(), birth_dates) == [
        "both_numbers.parquet: name of player 1234567 contains the date of birth"
    ]


@pytest.mark.asks_only
def test_a_table_outside_the_revisions_with_a_date_of_birth_is_not_published(first_month, monkeypatch):
    unpublish(first_month, "2025-09")
    before = published_bytes(first_month.home)

    scan = revision_writer.offences_of_table

    def offences(path, stem, *more):
        return ["events.parquet: name has a date"] if stem == "event_status" else scan(path, stem, *more)

    monkeypatch.setattr(revision_writer, "offences_of_table", offences)
    with pytest.raises(CheckError, match="the tables outside the revisions contain data that must stay private"):
        publish.publish(first_month, Period.parse("2025-09"))
    assert published_bytes(first_month.home) == before
