"""The folder ``current``: each month once, for tools that know no revisions."""

from __future__ import annotations

import shutil
from pathlib import Path

import duckdb
import polars as pl
import pyarrow.dataset as ds
import pytest

from ratinglist.home.history import History
from ratinglist.publication import settle
from ratinglist.settings import Settings
from ratinglist.tables import LISTS, PUBLISHED
from tests.conftest import office
from tests.published_sample import NOVEMBER, OCTOBER, publish_both


@pytest.fixture
def settings(tmp_path):
    made = office(tmp_path / "home")
    publish_both(made.published)
    settle.keep_current(made, stated(made))
    return made


def stated(settings: Settings, **revisions: int) -> History:
    """What a log states: the first revision of every month is current, or one of ``revisions``, 0 where none is."""
    current = {path.name: revisions.get(f"m{path.name[-2:]}", 1) for path in settings.published.iterdir()}
    return History(current={month: number for month, number in current.items() if number})


def rows_of_lists(revision: Path) -> int:
    return sum(pl.read_parquet(path).height for name in LISTS for path in revision.glob(f"{name}.parquet"))


def months_by_duckdb(folder: Path) -> list[tuple[str, int]]:
    files = f"{folder}/lists/*/*/*.parquet"
    query = f"select month::varchar, revision, count(*) from '{files}' group by all order by all"
    return duckdb.sql(query).fetchall()


def months_by_polars(folder: Path) -> list[tuple[str, int]]:
    rows = pl.scan_parquet(folder / "lists", hive_partitioning=True, try_parse_hive_dates=False)
    return rows.group_by("month", "revision").len().sort("month").collect().rows()


def months_by_pyarrow(folder: Path) -> list[tuple[str, int]]:
    rows = pl.DataFrame(ds.dataset(folder / "lists", partitioning="hive").to_table())
    return rows.group_by(pl.col("month").cast(pl.String), "revision").len().sort("month").rows()


@pytest.mark.parametrize("months", [months_by_duckdb, months_by_polars, months_by_pyarrow])
def test_tools_without_our_sql_see_each_month_once(settings, months):
    newest = {
        str(month): settings.published / str(month) / (settings.published / str(month) / "latest").read_text().strip()
        for month in (OCTOBER, NOVEMBER)
    }
    assert months(settings.current) == [
        (
            month,
            int(folder.name[1:]),
            rows_of_lists(folder),
        )
        for month, folder in sorted(newest.items())
    ]


def test_every_table_is_there(settings):
    tables = {path.name for path in settings.current.iterdir()}
    files = {path.name for path in (settings.published / str(NOVEMBER)).glob("r*/*.parquet")}
    assert tables == {"lists" if name in ("standard", "rapid", "blitz") else name for name in PUBLISHED} & (
        {"lists"} | {name.removesuffix(".parquet") for name in files}
    )


def test_another_revision_takes_the_place_of_the_first(settings):
    month = settings.published / str(OCTOBER)
    number = 1 + max(int(path.name[1:]) for path in month.glob("r*"))
    shutil.copytree(month / "r1", month / f"r{number}")
    settle.keep_current(settings, stated(settings, m10=number))
    assert months_by_duckdb(settings.current)[0][:2] == (str(OCTOBER), number)
    settle.keep_current(settings, stated(settings, m10=0))
    assert [row[0] for row in months_by_duckdb(settings.current)] == [str(NOVEMBER)]


def test_a_file_that_is_no_longer_the_published_one_is_replaced(settings):
    (file,) = (settings.current / "lists").glob(f"month={OCTOBER}/*/standard.parquet")
    before = file.read_bytes()
    file.unlink()
    file.write_bytes(b"another")
    settle.keep_current(settings, stated(settings))
    assert file.read_bytes() == before
    inode = file.stat().st_ino, settings.current.stat().st_ino
    settle.keep_current(settings, stated(settings))
    assert (file.stat().st_ino, settings.current.stat().st_ino) == inode


def test_a_month_that_stays_keeps_the_times_of_its_published_files(settings):
    def times(month):
        return {path: path.stat().st_ctime_ns for path in (settings.published / str(month)).rglob("*.parquet")}

    before = times(OCTOBER)
    shutil.copytree(settings.published / str(NOVEMBER) / "r1", settings.published / str(NOVEMBER) / "r9")
    settle.keep_current(settings, stated(settings, m11=9))
    assert [row[:2] for row in months_by_duckdb(settings.current)][1] == (str(NOVEMBER), 9)
    assert times(OCTOBER) == before


def test_a_disk_that_refuses_is_a_warning(settings, monkeypatch, capsys):
    shutil.rmtree(settings.current)
    monkeypatch.setattr(Path, "rename", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    settle.keep_current(settings, stated(settings))
    assert "is not up to date (the system: No space left on device)" in capsys.readouterr().err
