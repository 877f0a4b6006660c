"""Commands that only read: while another process writes, on a disk that cannot be written, on a home that is none."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pytest

from ratinglist.config import Settings
from ratinglist.errors import CommandLineError, NothingReadError, StoreInUseError
from ratinglist.store import snapshot
from ratinglist.store.home import check_home
from ratinglist.store.reading import open_to_read
from tests.command_line import ratinglist
from tests.conftest import MONTHS, office
from tests.stores import open_store

READING = (
    ["status"],
    ["find", "anna"],
    ["quarantine"],
    ["event", "ORV25094"],
    ["identities"],
    ["list", "2025-11"],
    ["explain", "99900471"],
    ["sql", "select 1 as one"],
)


def state(home: Path) -> dict[str, tuple[int, bytes]]:
    """Every file of a home but the index of names: when it was written, and its bytes."""
    return {
        path.relative_to(home).as_posix(): (path.stat().st_mtime_ns, path.read_bytes())
        for path in sorted(home.rglob("*"))
        if path.is_file() and path.parent.name != "search"
    }


@contextmanager
def another_writer(store: Path) -> Iterator[None]:
    """Hold the store open for writing in another process, with a row that is in its log alone."""
    program = (
        "import duckdb, sys\n"
        "store = duckdb.connect(sys.argv[1])\n"
        "store.execute(\"insert into list_kept values ('2031-01', 'standard')\")\n"
        "print('open', flush=True)\n"
        "sys.stdin.read()\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program, str(store)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "open\n"
    try:
        yield
    finally:
        process.communicate()


def test_reading_commands_change_no_file(rated: Settings) -> None:
    before = state(rated.home)
    for command in READING:
        assert ratinglist(*command, home=rated.home).returncode == 0, command
    assert state(rated.home) == before


@pytest.mark.thorough
def test_reading_commands_work_while_another_process_writes(rated: Settings) -> None:
    with another_writer(rated.store):
        for command in READING:
            shown = ratinglist(*command, home=rated.home)
            assert (shown.returncode, shown.stderr) == (0, ""), command
        with open_to_read(rated.store) as store:
            # What was committed is read, though it is in the log of the writer alone.
            assert len(store.read("select * from list_kept where month = '2031-01'")) == 1


def test_a_writer_waits_for_a_reader_and_not_for_a_writer(rated: Settings) -> None:
    program = (
        "import duckdb, sys, time\n"
        "store = duckdb.connect(sys.argv[1], read_only=True)\n"
        "print('open', flush=True)\n"
        "time.sleep(1)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, str(rated.store)], stdout=subprocess.PIPE, text=True
    ) as reader:
        assert reader.stdout is not None
        assert reader.stdout.readline() == "open\n"
        with open_store(rated.store) as store:
            assert not store.in_transaction
    with another_writer(rated.store), pytest.raises(StoreInUseError):
        open_store(rated.store).__enter__()


def test_a_store_that_changes_all_the_time_is_in_use(rated: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    changes = iter(range(1000))
    monkeypatch.setattr(snapshot, "_header", lambda _path: str(next(changes)).encode())
    monkeypatch.setattr(snapshot, "_TRIES", 2)
    with (
        another_writer(rated.store),
        pytest.raises(StoreInUseError, match="is being written"),
        open_to_read(rated.store),
    ):
        pass


def test_a_calculation_that_a_writer_replaces_is_no_damage(rated: Settings) -> None:
    def read_after_the_folders_went() -> None:
        with open_to_read(rated.store) as store:
            shutil.rmtree(rated.home / "calculations")
            store.read("select * from event")

    with another_writer(rated.store), pytest.raises(StoreInUseError, match="was changed while it was read"):
        read_after_the_folders_went()
    with pytest.raises(NothingReadError, match="is missing"), open_to_read(rated.store):
        pass


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_reading_commands_work_where_nothing_may_be_written(rated: Settings) -> None:
    folders = [rated.home, *(path for path in rated.home.rglob("*") if path.is_dir())]
    for folder in folders:
        folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        for command in READING:
            assert ratinglist(*command, home=rated.home).returncode == 0, command
    finally:
        for folder in folders:
            folder.chmod(stat.S_IRWXU)


def test_a_store_of_another_layout_is_migrated_where_it_may_be_written(
    rated: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    last = "(select max(name) from migration)"
    with duckdb.connect(str(rated.store)) as store:
        store.execute(f"update migration set sha256 = 'another' where name = {last}")
    with pytest.raises(Exception, match="made by another"), open_to_read(rated.store):
        pass
    monkeypatch.setattr(os, "access", lambda _path, _mode: False)
    with pytest.raises(NothingReadError, match="layout of another version"), open_to_read(rated.store):
        pass


# ------------------------------------------------------------------------------------------------ the home


@pytest.mark.parametrize(
    "command",
    [
        *READING,
        ["load", "data/sample/reports/2025-09"],
        ["rate", "2025-09"],
        ["import-players", "data/sample/players-2025-09.csv"],
        ["publish", "2025-09"],
        ["letters", "2025-09"],
    ],
)
def test_a_mistyped_home_is_an_error_and_makes_nothing(tmp_path: Path, command: list[str]) -> None:
    (tmp_path / "office" / "published").mkdir(parents=True)
    shown = ratinglist(*command, home=tmp_path / "offcie")
    assert shown.returncode == 2
    assert f"Did you mean {tmp_path / 'office'}?" in shown.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["office"]


def test_a_folder_that_is_no_home_and_a_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(CommandLineError, match=r"has neither ratinglist\.duckdb nor published/"):
        check_home(tmp_path)
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(CommandLineError, match="is a file"):
        check_home(file)


def test_a_folder_above_or_below_a_home_names_it(tmp_path: Path, homes: Path) -> None:
    home = tmp_path / "homes" / "office"
    home.parent.mkdir()
    shutil.copytree(homes / "2025-08", home)
    with pytest.raises(CommandLineError, match=f"Did you mean {home}?"):
        check_home(home.parent)
    with pytest.raises(CommandLineError, match=f"Did you mean {home}?"):
        check_home(home / "reports")


def test_import_list_makes_a_home_and_says_so(tmp_path: Path) -> None:
    home = tmp_path / "new"
    command = ("import-list", "data/sample/list-2025-08.csv", "--month", "2025-08")
    said = f"a new home was made: {home}"
    assert said in ratinglist(*command, home=home).stderr
    assert said not in ratinglist(*command, home=home).stderr


def test_a_list_that_is_not_there_makes_no_home(tmp_path: Path) -> None:
    assert ratinglist("import-list", "not-there.csv", "--month", "2025-08", home=tmp_path / "new").returncode == 3
    assert not (tmp_path / "new").exists()


def test_a_home_without_a_store_says_how_to_begin(tmp_path: Path) -> None:
    (tmp_path / "home" / "published").mkdir(parents=True)
    with pytest.raises(NothingReadError, match="ratinglist import-list"), open_to_read(office(tmp_path / "home").store):
        pass


def test_published_lists_are_read_without_a_store(homes: Path, tmp_path: Path) -> None:
    shutil.copytree(homes / MONTHS[-1] / "published", tmp_path / "home" / "published")
    assert ratinglist("explain", "99900471", home=tmp_path / "home").returncode == 0
