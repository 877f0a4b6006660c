"""What an analyst reads of published lists: the rows of the files, or a reason."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from ratinglist.errors import AlteredError, CommandLineError, NothingReadError
from ratinglist.period import Period
from ratinglist.publication import revision_writer
from ratinglist.published import TABLES, open_published
from ratinglist.tables import LISTS, PUBLISHED, SYSTEM_PUBLISHED
from tests.conftest import MONTHS

LAST = MONTHS[-1]


@pytest.fixture
def copied(published: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(published, tmp_path / "published"))


def of_files(folder: Path, name: str) -> pl.DataFrame:
    """The rows of the files of every month, as ``ratinglist sql`` names them."""
    stems = LISTS if name == "lists" else (name,)
    files = [folder / month / "r1" / f"{stem}.parquet" for month in MONTHS for stem in stems]
    frames = [
        pl.read_parquet(file).select(
            pl.lit(file.parent.parent.name).alias("list_month"),
            pl.lit(1, pl.Int32).alias("revision"),
            pl.exclude("list_month"),
        )
        for file in files
        if file.is_file()
    ]
    return pl.concat(frames)


@pytest.mark.parametrize("name", [name for name in TABLES if name != "diff"])
def test_a_table_has_the_rows_of_the_files(published: Path, name: str):
    table = open_published(published).table(name)
    assert table.height > 0
    assert_frame_equal(table, of_files(published, name), categorical_as_str=True, check_dtypes=False)


def test_what_a_revision_corrected_is_a_table_of_the_revisions_that_did(published: Path, corrected_home: Path):
    none = open_published(published).table("diff")
    table = open_published(corrected_home / "published").table("diff")
    assert (none.height, none.schema) == (0, table.schema)
    files = sorted((corrected_home / "published").glob("*/r2/diff.parquet"))
    assert table["list_month"].unique(maintain_order=True).to_list() == [file.parent.parent.name for file in files]
    assert table["because"].to_list() == [text for file in files for text in pl.read_parquet(file)["because"]]


def test_the_months_that_are_named_are_read_in_order(published: Path):
    opened = open_published(published)
    assert opened.months == list(MONTHS)
    assert opened.table("games", LAST)["list_month"].unique().to_list() == [LAST]
    read = open_published(published, months=[MONTHS[1], MONTHS[0]]).table("lists")
    assert read["list_month"].unique(maintain_order=True).to_list() == list(MONTHS[:2])


def test_every_column_is_described_with_its_unit(published: Path):
    columns = open_published(published).columns("games")
    assert columns["column"].to_list() == list(PUBLISHED["games"].columns)
    unit = dict(columns.select("column", "unit").iter_rows())
    assert (unit["score_halves"], unit["change_hundredths"], unit["round"]) == ("half points", "hundredths", "")


def of_first_month(path: Path) -> None:
    shutil.copy(path.parents[2] / MONTHS[0] / "r1" / path.name, path)


DAMAGES: list[tuple[str, Callable[[Path], object], type[Exception], str]] = [
    ("latest", lambda path: path.write_bytes(b"newest\n"), NothingReadError, "latest"),
    ("r1/manifest.json", lambda path: path.write_bytes(b"{}\n"), AlteredError, r"manifest\.json"),
    ("r1/manifest.json", Path.unlink, AlteredError, r"manifest\.json"),
    ("r1/manifest.json", of_first_month, AlteredError, f"r1 of {MONTHS[0]}"),
    ("r1/games.parquet", Path.unlink, AlteredError, r"games\.parquet"),
    ("r1/games.parquet", of_first_month, AlteredError, r"r1/games\.parquet is not what was published"),
]


@pytest.mark.parametrize(("file", "damage", "error", "says"), DAMAGES)
def test_a_copy_that_is_not_whole_is_named(
    copied: Path, file: str, damage: Callable[[Path], object], error: type[Exception], says: str
):
    path = copied / LAST / file
    path.chmod(0o644)
    damage(path)
    with pytest.raises(error, match=says):
        open_published(copied).table("games", LAST)


def test_a_withdrawn_month_is_not_there(copied: Path):
    (copied / LAST / "latest").unlink()
    shutil.rmtree(copied / LAST / "r1")
    assert open_published(copied).months == list(MONTHS[:-1])


MISSING: list[tuple[Callable[[Path], object], type[Exception], str]] = [
    (
        lambda folder: open_published(folder).table("players"),
        CommandLineError,
        r"'players' is not a published table\. Tables: lists, changes",
    ),
    (
        lambda folder: open_published(folder).table("games", "2024-01"),
        CommandLineError,
        f"2024-01 has no current list here. Months: {MONTHS[0]}",
    ),
    (lambda folder: open_published(folder, months=["November"]), CommandLineError, "is not a month"),
    (lambda folder: open_published(folder, months=["2024-01"]), CommandLineError, "2024-01 has no current list here"),
    (lambda folder: open_published(folder / "nowhere"), NothingReadError, "has no published list"),
]


@pytest.mark.parametrize(("read", "error", "says"), MISSING)
def test_what_is_not_there_is_named(published: Path, read: Callable[[Path], object], error: type[Exception], says: str):
    with pytest.raises(error, match=says):
        read(published)


# ----------------------------------------------------------------------------------------------------- datapackage.json


TYPES = {"integer": pl.Int64, "string": pl.String, "boolean": pl.Boolean, "date": pl.Date}


@pytest.fixture(scope="module")
def revision(published: Path) -> Path:
    return published / "2025-11" / "r1"


def resources(revision: Path) -> dict[str, dict]:
    package = json.loads((revision / "datapackage.json").read_text(encoding="utf-8"))
    assert package["profile"] == "data-package"
    assert package["name"] == "rating-list-2025-11"
    return {resource["name"]: resource for resource in package["resources"]}


def test_every_table_is_described_as_it_is(revision):
    described = resources(revision)
    files = {path.stem for path in revision.glob("*.parquet")}
    assert set(described) == {*files, *(f"{stem}-csv" for stem in LISTS if stem in files)}
    for name, resource in described.items():
        is_csv = name.endswith("-csv")
        table = (pl.read_csv if is_csv else pl.read_parquet)(revision / resource["path"])
        fields = {field["name"]: field for field in resource["schema"]["fields"]}
        assert list(fields) == table.columns
        if not is_csv:
            types = {name: TYPES.get(field["type"], pl.Decimal) for name, field in fields.items()}
            assert {name: pl.Int64 if dtype.is_integer() else dtype for name, dtype in table.schema.items()} == types
            assert not table.select(resource["schema"]["primaryKey"]).is_duplicated().any()
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
