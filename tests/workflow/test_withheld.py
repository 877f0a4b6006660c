"""Data of players that the office publishes nowhere are in nothing that readers get."""

from __future__ import annotations

import csv
import gzip
import io
import zipfile
from pathlib import Path

import polars as pl
import pytest

from ratinglist.office import LEAVABLE
from ratinglist.period import Period
from ratinglist.settings import Settings
from ratinglist.tables import LISTS
from ratinglist.workflows import correct, rerate
from tests.command_line import did
from tests.conftest import CORRECTION, SAMPLE, import_sample, office, run_sample

OCTOBER = Period.parse("2025-10")
OF_PLAYERS = (*LISTS, "unrated", "diff", "both_numbers")


@pytest.fixture(scope="module")
def narrow(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """An office that publishes no data of players, with two lists, both corrected."""
    home = tmp_path_factory.mktemp("narrow") / "home"
    import_sample(office(home))
    left_out = ", ".join(f'"{name}"' for name in LEAVABLE["lists"])
    (home / "office.toml").write_text(f"[fields.without]\nlists = [{left_out}]\n", encoding="utf-8")
    settings = office(home)
    for month in ("2025-09", "2025-10"):
        run_sample(settings, month)
    file = home.with_suffix(".toml")
    file.write_text(CORRECTION, encoding="utf-8")
    correct.correct(settings, file)
    months = rerate.rerate(settings, Period.parse("2025-09")).months
    assert [(one.revision, one.moved > 0) for one in months] == [("r2", True), ("r2", True)]
    return settings


def names() -> set[str]:
    """The names of the sample's players, as its first list has them."""
    with (SAMPLE / "list-2025-08.csv").open(encoding="utf-8", newline="") as file:
        return {row["name"] for row in csv.DictReader(file)}


def test_no_published_table_has_a_column_left_out(narrow: Settings) -> None:
    tables = [path for path in narrow.published.rglob("*.parquet") if path.stem in OF_PLAYERS]
    assert {path.stem for path in tables} == {"standard", "unrated", "diff", "both_numbers"}
    left_out = set(LEAVABLE["lists"])
    assert [path for path in tables if left_out & {*pl.read_parquet_schema(path)}] == []


def test_no_file_for_readers_has_a_name(narrow: Settings, tmp_path: Path) -> None:
    """Published files, the DIFF.md among them, the site, and every export."""
    out = tmp_path / "out"
    out.mkdir()
    did(narrow.home, "site", "--out", out / "site")
    for one in ("fide-txt", "fide-xml", "csv", "xlsx", "parquet", "sqlite", "swiss-manager-csv"):
        did(narrow.home, "export", "2025-10", "--format", one, "--out", out)
    (out / "account.html").write_text(did(narrow.home, "explain", "99900046", "2025-10", "--html"), encoding="utf-8")
    files = [path for folder in (out, narrow.published) for path in folder.rglob("*") if path.is_file()]
    assert [path for path in files if any(name in text_of(path) for name in names())] == []


def text_of(path: Path) -> str:
    """The text of a file, of all members of an archive."""
    if path.suffix == ".gz":
        return gzip.decompress(path.read_bytes()).decode()
    if path.suffix != ".xlsx":
        return path.read_bytes().decode("utf-8", errors="replace")
    with zipfile.ZipFile(path) as archive:
        return "".join(archive.read(name).decode("utf-8", errors="replace") for name in archive.namelist())


def test_list_prints_the_columns_that_are_published(narrow: Settings) -> None:
    printed = did(narrow.home, "list", "2025-10")
    published = pl.read_csv(narrow.published / "2025-10" / "r2" / "standard.csv")
    assert pl.read_csv(io.StringIO(printed)).equals(published)


def test_columns_left_out_later_are_left_out_of_the_diff(rated: Settings) -> None:
    """The lists before have them: neither is their loss a difference of the players."""
    file = rated.home.with_suffix(".toml")
    file.write_text(CORRECTION, encoding="utf-8")
    correct.correct(rated, file)
    (rated.home / "office.toml").write_text('[fields.without]\nlists = ["name", "sex"]\n', encoding="utf-8")
    summary = rerate.rerate(office(rated.home), Period.parse("2025-09"))
    diff = pl.read_parquet(rated.published / "2025-09" / "r2" / "diff.parquet")
    assert (len(diff), "name" in diff.columns, diff["cause"].unique().to_list()) == (2, False, ["game"])
    assert summary.months[0].moved == len(diff)
