"""The homes and publications of earlier releases: this version proves, opens, checks and continues each of them."""

from __future__ import annotations

import os
import tarfile
from pathlib import Path
from unittest.mock import patch

import polars as pl
import pytest

import ratinglist
from tests.carried.office import HOMES, NEXT, TO_THE_NEXT_LIST, public_key, write_key
from tests.command_line import entered

KEPT = sorted(HOMES.glob("*.tar.xz"))


@pytest.fixture(params=KEPT, ids=lambda archive: archive.name.removesuffix(".tar.xz"))
def office(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A kept home with its key; next to it are the reports of a month, and in ``next`` the list that they give."""
    with tarfile.open(request.param) as archive:
        archive.extractall(tmp_path, filter="data")
    write_key(tmp_path / "office")
    (tmp_path / "office.pub").write_bytes(public_key())
    monkeypatch.chdir(tmp_path)
    return tmp_path / "office"


def did(*words: str) -> str:
    with patch.dict(os.environ, {"RATINGLIST_HOME": "office", "RATINGLIST_TODAY": f"{NEXT}-01"}):
        shown = entered("ratinglist", *words)
    assert shown.returncode == 0, shown.stderr
    return shown.stdout


def test_a_home_of_this_version_is_kept() -> None:
    """Each version has one, so that a release cannot be made without it."""
    assert f"{ratinglist.__version__}.tar.xz" in [archive.name for archive in KEPT]


def test_what_was_published_is_proved_and_the_store_is_made_again(office: Path) -> None:
    assert "whole" in did("verify", "office/published", "--key", "office.pub", "--office", "Orvania")
    assert "correct" in did("log")
    assert "900000019" in did("find", "900000019")
    assert did("doctor").startswith("office: whole")


@pytest.mark.long
def test_the_next_list_is_the_one_that_its_own_version_published(office: Path) -> None:
    did(*TO_THE_NEXT_LIST)
    stated, published = office.parent / "next", office / "published" / NEXT / "r1"
    tables = sorted(path.name for path in stated.iterdir() if path.suffix in (".csv", ".parquet"))
    assert {"standard.csv", "standard.parquet", "games.parquet"} <= set(tables)
    for name in tables:
        before, now = read(stated / name), read(published / name)
        # A later version may add columns at the end, and its libraries may write the same rows in other bytes.
        assert now.columns[: before.width] == before.columns
        assert now.select(before.columns).equals(before), name


def read(path: Path) -> pl.DataFrame:
    return pl.read_csv(path, infer_schema=False) if path.suffix == ".csv" else pl.read_parquet(path)
