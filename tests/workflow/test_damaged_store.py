"""A store that cannot be opened or read: what the officer reads, and that nothing is changed. One file per message."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from flows.tasks import store_is_in_use
from ratinglist.errors import NewerStoreError, NothingReadError, RatinglistError, StoreDamagedError, StoreInUseError
from ratinglist.store import write_ahead_log
from ratinglist.store.database import Store
from ratinglist.store.reading import open_to_read
from tests.command_line import Shown, ratinglist
from tests.stores import open_store

HEADER = 4096
DOCTOR = "ratinglist doctor shows what is damaged, and ratinglist doctor --rebuild makes the store again"
NEWER = "was made by a newer version of ratinglist"

WRITES_AND_IS_KILLED = """
import os, sys, duckdb
store = duckdb.connect(sys.argv[1])
store.execute("create table written (number integer, text varchar)")
for number in range(3):
    store.execute("insert into written values (?, 'text')", [number])
os._exit(9)
"""
OPENS = """
import sys
from pathlib import Path
from tests.stores import open_store
with open_store(Path(sys.argv[1])):
    print("open", flush=True)
    sys.stdin.read()
"""


@pytest.fixture(scope="module")
def _imported(homes: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shutil.copytree(homes / "2025-08", tmp_path_factory.mktemp("imported") / "home")


@pytest.fixture
def store(_imported: Path, tmp_path: Path) -> Path:
    """The store of an office with its first list; yours to break."""
    return Path(shutil.copytree(_imported, tmp_path / "home")) / "ratinglist.duckdb"


@pytest.fixture(scope="module")
def log(_imported: Path, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The write-ahead log that a killed process left of that store."""
    copy = shutil.copy(_imported / "ratinglist.duckdb", tmp_path_factory.mktemp("killed"))
    subprocess.run([sys.executable, "-c", WRITES_AND_IS_KILLED, copy], check=False)
    return write_ahead_log.path_of(Path(copy)).read_bytes()


def flipped(data: bytes, at: int) -> bytes:
    """The same bytes but for one."""
    return data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :]


def with_version(data: bytes, version: int) -> bytes:
    """A store's bytes with another version of the storage format, and the checksum that goes with it."""
    content = data[8:12] + version.to_bytes(8, "little") + data[20:HEADER]
    checksum = 5381
    for at in range(0, len(content), 8):
        checksum ^= int.from_bytes(content[at : at + 8], "little") * 0xBF58476D1CE4E5B9 % 2**64
    return checksum.to_bytes(8, "little") + content + data[HEADER:]


def refused(store: Path, error: type[RatinglistError] = StoreDamagedError) -> str:
    """The one message of an error that comes at opening and changes no file."""
    before = {path: path.read_bytes() for path in store.parent.glob("*.duckdb*") if path.is_file()}
    with pytest.raises(error) as raised, open_store(store):
        pass
    assert type(raised.value) is error
    assert {path: path.read_bytes() for path in store.parent.glob("*.duckdb*") if path.is_file()} == before
    message = str(raised.value)
    assert "Nothing was changed." in message
    assert "\n" not in message
    return message


BROKEN: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "a byte of the first header": (lambda data: flipped(data, 0), "Corrupt database file: computed checksum"),
    "a byte of the second header": (lambda data: flipped(data, HEADER + 100), "in block at location 4096"),
    "a byte of the catalogue": (lambda data: flipped(data, 3 * HEADER + 100), "in block at location 12288"),
    "cut off behind the first header": (lambda data: data[:HEADER], "Could not read enough bytes from the file"),
    "cut off within a header": (lambda data: data[:100], "Could not read enough bytes from the file"),
    "cut off in the middle": (lambda data: data[: len(data) // 2], "Could not read enough bytes from the file"),
    "no bytes": (lambda _data: b"", "it is empty"),
    "zeros": (lambda data: bytes(len(data)), "it begins with zeros alone"),
    "text": (lambda _data: b"hello\n" * 9000, "it is not a DuckDB file"),
    "a database of another kind": (lambda _data: b"SQLite format 3\0" + bytes(9000), "it is not a DuckDB file"),
}


def test_a_reader_names_the_damaged_file_once(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store.write_bytes(store.read_bytes()[: store.stat().st_size // 2])
    monkeypatch.chdir(store.parent)
    with pytest.raises(StoreDamagedError) as raised, open_to_read(Path(store.name)):
        pass
    message = str(raised.value)
    assert "bytes from the file: attempted to read" in message
    assert str(store.parent) not in message
    assert "Nothing was changed. " in message


@pytest.mark.parametrize("name", BROKEN)
def test_a_damaged_store_is_named_with_the_way_out(store: Path, name: str) -> None:
    damage, message = BROKEN[name]
    store.write_bytes(damage(store.read_bytes()))
    said = refused(store)
    assert said.startswith(f"{store} is damaged: ")
    assert message in said
    assert DOCTOR in said


def test_a_store_that_is_a_folder_is_named(store: Path) -> None:
    store.unlink()
    store.mkdir()
    assert refused(store).startswith(f"{store} is damaged: it is not a file. ")


def test_damage_ends_a_command_with_3_and_is_not_tried_again(store: Path) -> None:
    # Its message contains "block", and so the letters of "lock".
    store.write_bytes(flipped(store.read_bytes(), 0))
    shown: Shown = ratinglist("quarantine", home=store.parent)
    assert shown.returncode == 3
    assert "in block at location 0" in shown.stderr
    assert not store_is_in_use(*failed_with(StoreDamagedError("in block at location 0")))
    assert store_is_in_use(*failed_with(StoreInUseError("in use")))


def failed_with(error: Exception) -> tuple[object, object, object]:
    """What Prefect passes for a task that failed with ``error``."""

    class Failed:
        def result(self, *, raise_on_failure: bool) -> Exception:
            assert not raise_on_failure
            return error

    return None, None, Failed()


@pytest.mark.thorough
def test_a_store_that_another_process_has_open_is_in_use(store: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", OPENS, str(store)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "open\n"
        shown = ratinglist("rate", "2025-09", home=store.parent)
        assert (shown.returncode, f"{store} is in use by another writer" in shown.stderr) == (5, True)
        assert ratinglist("quarantine", home=store.parent).returncode == 0
        other.communicate("")
    assert ratinglist("quarantine", home=store.parent).returncode == 0


@pytest.mark.thorough
def test_a_store_is_locked_until_it_is_closed(store: Path) -> None:
    # The system ends the lock of a process on a file when the process closes any handle of that file.
    with open_store(store):
        other = subprocess.run([sys.executable, "-c", OPENS, str(store)], capture_output=True, text=True, check=False)
    assert "is in use by another writer" in other.stderr


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write every file")
def test_a_store_that_may_not_be_written_is_not_called_damaged(store: Path) -> None:
    store.chmod(0o400)
    assert "Check that the file and its folder may be read and written" in refused(store, NothingReadError)


# ------------------------------------------------------------------------------------------------ while it is open


def test_a_block_that_is_damaged_while_the_store_is_open_is_named(store: Path) -> None:
    def damage_and_read(opened: Store) -> None:
        data = store.read_bytes()
        with store.open("r+b") as file:
            file.seek(3 * HEADER)
            file.write(bytes(len(data) - 3 * HEADER))
        for table in opened.read("select table_name from duckdb_tables() where not temporary")["table_name"]:
            opened.read(f"select * from {table}")

    with pytest.raises(StoreDamagedError) as raised, open_store(store) as opened:
        damage_and_read(opened)
    assert str(raised.value).startswith(f"{store} is damaged: Corrupt database file")
    assert "Nothing was changed" not in str(raised.value)


def test_an_error_of_a_query_is_no_damage(store: Path) -> None:
    with pytest.raises(duckdb.CatalogException), open_store(store) as opened:
        opened.read("select * from not_there")


def test_a_full_disk_is_no_damage(store: Path) -> None:
    with pytest.raises(duckdb.FatalException), open_store(store):
        raise duckdb.FatalException("FATAL Error: Checkpoint failed. Original error: No space left on device")


# ---------------------------------------------------------------------------------------------- write-ahead log


def test_the_log_of_a_killed_process_is_replayed(store: Path, log: bytes) -> None:
    write_ahead_log.path_of(store).write_bytes(log)
    with open_store(store) as opened:
        assert opened.read("select count(*) from written").item() == 3


def test_a_log_that_was_cut_off_loses_what_was_not_committed(store: Path, log: bytes) -> None:
    write_ahead_log.path_of(store).write_bytes(log[:-3])
    with open_store(store) as opened:
        assert opened.read("select count(*) from written").item() == 2


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda log: flipped(log, 0), "does not begin as a log does"),
        (lambda log: bytes(len(log)), "does not begin as a log does"),
        (lambda _log: b"hello\n" * 100, "does not begin as a log does"),
        (lambda log: log[:-20] + b"\xff" + log[-19:], "has an entry that states another length than it has"),
        (lambda log: flipped(log, len(log) // 2), "Failure while replaying WAL file"),
        (
            lambda log: log.replace(b"\x67\x00\x01\xff\xff", b"\x67\x00\x09\xff\xff", 1),
            "This WAL was created for this database file",
        ),
    ],
    ids=["first byte", "zeros", "text", "length", "entry", "other checkpoint"],
)
def test_a_damaged_log_is_named(store: Path, log: bytes, damage: Callable[[bytes], bytes], message: str) -> None:
    write_ahead_log.path_of(store).write_bytes(damage(log))
    said = refused(store)
    assert message in said
    assert DOCTOR in said


def test_no_damaged_byte_of_a_log_is_silent(tmp_path: Path, log: bytes) -> None:
    # DuckDB compares the checksums of entries: what is left are the header and the lengths.
    path = tmp_path / "log"
    at, places = log.index(b"\xff\xff") + 2, list(range(log.index(b"\xff\xff") + 2))
    while at < len(log):
        places += range(at + 4, at + 8)
        at += 16 + int.from_bytes(log[at : at + 8], "little")
    values = range(9, places.index(log.index(b"\x67\x00")))
    for place in places:
        path.write_bytes(flipped(log, place))
        # A value of the header may be another value: it is that of another database then, which DuckDB finds.
        assert write_ahead_log.problem_of(path) or place in values, place


# ----------------------------------------------------------------------------------------------------- versions


def test_a_store_of_a_newer_storage_format_is_refused(store: Path) -> None:
    store.write_bytes(with_version(store.read_bytes(), 2000))
    said = refused(store, NewerStoreError)
    assert said.startswith(f"{store} {NEWER}: its storage format is 2000, which this version does not read. ")
    assert ratinglist("quarantine", home=store.parent).returncode == 3


def test_a_store_of_an_older_storage_format_is_refused(store: Path) -> None:
    store.write_bytes(with_version(store.read_bytes(), 3))
    assert "was made by a DuckDB that is older than any ratinglist: its storage format is 3." in refused(
        store, NothingReadError
    )


def test_a_store_with_a_migration_of_a_newer_version_is_refused(store: Path) -> None:
    with duckdb.connect(str(store)) as other:
        other.execute("insert into migration values ('9000_later.sql', 'x')")
    said = refused(store, NewerStoreError)
    assert f"{NEWER}: it has 9000_later.sql, and this version knows the layouts up to 00" in said


def test_a_newer_store_that_a_killed_process_left_is_not_written(store: Path, log: bytes) -> None:
    with duckdb.connect(str(store)) as other:
        other.execute("insert into migration values ('9000_later.sql', 'x')")
    subprocess.run([sys.executable, "-c", WRITES_AND_IS_KILLED, str(store)], check=False)
    assert write_ahead_log.path_of(store).exists()
    refused(store, NewerStoreError)


def test_a_store_with_another_text_of_a_migration_is_refused(store: Path) -> None:
    with duckdb.connect(str(store)) as other:
        other.execute("update migration set sha256 = 'x' where name = '0001_facts.sql'")
    assert f"{NEWER}: it was made by another 0001_facts.sql than this version has." in refused(store, NewerStoreError)


def test_a_database_of_another_program_is_refused(store: Path) -> None:
    store.unlink()
    with duckdb.connect(str(store)) as other:
        other.execute("create table games (number integer)")
    assert "is a database of another program: it has the table games and none of migrations." in refused(store)


def test_a_store_without_one_of_its_tables_is_damaged(store: Path) -> None:
    with duckdb.connect(str(store)) as other:
        other.execute("drop table finding")
    shown = ratinglist("quarantine", home=store.parent)
    assert (shown.returncode, f"{store} is damaged: its table finding is missing. " in shown.stderr) == (3, True)


def test_a_new_store_is_whole_or_not_there(tmp_path: Path) -> None:
    with open_store(tmp_path / "home" / "ratinglist.duckdb") as opened:
        assert opened.read("select count(*) from migration").item() > 0
    assert [path.name for path in (tmp_path / "home").iterdir()] == ["ratinglist.duckdb"]
