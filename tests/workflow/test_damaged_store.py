"""A store that is lost, damaged, or not that of its log is made again with the same facts."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from ratinglist.errors import HomeError, StoreDamagedError
from ratinglist.home.location import held_to_write
from ratinglist.home.log import Log, path_of
from ratinglist.settings import Settings
from ratinglist.store.database import Store
from ratinglist.workflows import doctor, import_files, replay
from ratinglist.workflows.opening import UNUSABLE, open_to_read, open_to_write
from tests.command_line import ratinglist
from tests.conftest import MONTHS, SAMPLE, published_bytes
from tests.parameters import long_but
from tests.stores import open_store

HEADER = 4096


def facts(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """Every row of every table of a store, but for what it was made from."""
    with duckdb.connect(str(path), read_only=True) as connection:
        names = connection.execute("select table_name from duckdb_tables() order by 1").fetchall()
        return {
            name: connection.execute(f"from {name} order by all").fetchall() for (name,) in names if name != "made_from"
        }


def flipped(data: bytes, at: int) -> bytes:
    """The same bytes but for one."""
    return data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :]


BROKEN: dict[str, Callable[[bytes], bytes]] = {
    "a byte of the first header": lambda data: flipped(data, 0),
    "a byte of the second header": lambda data: flipped(data, HEADER + 100),
    "a byte of the catalogue": lambda data: flipped(data, 3 * HEADER + 100),
    "cut off within a header": lambda data: data[:100],
    "cut off in the middle": lambda data: data[: len(data) // 2],
    "no bytes": lambda _data: b"",
    "zeros": lambda data: bytes(len(data)),
    "text": lambda _data: b"hello\n" * 9000,
    "a database of another kind": lambda _data: b"SQLite format 3\0" + bytes(9000),
}


def changed(statement: str) -> Callable[[Settings], None]:
    def change(settings: Settings) -> None:
        with duckdb.connect(str(settings.store)) as other:
            other.execute(statement)

    return change


def behind(settings: Settings) -> None:
    before = settings.store.read_bytes()
    import_files.import_players(settings, SAMPLE / f"players-{MONTHS[1]}.csv")
    settings.store.write_bytes(before)


def cut(settings: Settings) -> None:
    """Lose the newest entry of the log, an import."""
    import_files.import_players(settings, SAMPLE / f"players-{MONTHS[1]}.csv")
    max((settings.home / "log").iterdir()).unlink()


def rewritten(settings: Settings) -> None:
    """Put another history in the place of the whole log, as whole as the one before."""
    before = Log.open(settings.home).entries
    log = Log(settings.home)
    for number, entry in enumerate(before):
        log.by = "somebody else" if number else entry.by
        log.push(log.supposed(entry.kind, entry.day, entry.facts))
    for entry in log.entries:
        path_of(settings.home, entry.number).write_bytes(entry.encode())


NOT_OF_THE_LOG: dict[str, tuple[Callable[[Settings], None], str]] = {
    "lost": (lambda settings: settings.store.unlink(), UNUSABLE),
    "another layout": (changed("update made_from set layout = 'another'"), UNUSABLE),
    "behind": (behind, "lacks the newest entries of the log"),
}


@pytest.mark.parametrize("open_home", [open_to_read, pytest.param(open_to_write, marks=pytest.mark.long)])
@pytest.mark.parametrize("name", long_but(NOT_OF_THE_LOG, "behind"))
def test_a_store_that_is_not_that_of_the_log_is_made_again(
    first_month: Settings, name: str, open_home: Callable[[Settings], AbstractContextManager[Store]]
) -> None:
    damage, reason = NOT_OF_THE_LOG[name]
    before = published_bytes(first_month.home)
    damage(first_month)
    warnings: list[str] = []
    with open_home(replace(first_month, warn=warnings.append)) as store:
        assert not store.missing_entries()
    (warning,) = warnings
    assert warning.startswith(f"{first_month.store} {reason}")
    assert len(facts(first_month.store)["source_file"]) == (3 if name == "behind" else 2)
    assert published_bytes(first_month.home) == before
    assert doctor.check(first_month).problems == []


@pytest.mark.parametrize("open_home", [open_to_read, open_to_write])
@pytest.mark.parametrize(("change", "name"), [(cut, "000006.json"), (rewritten, "000003.json")])
def test_a_log_that_is_not_the_one_of_the_store_stops_every_command(
    first_month: Settings,
    change: Callable[[Settings], None],
    name: str,
    open_home: Callable[[Settings], AbstractContextManager[Store]],
) -> None:
    change(first_month)
    before = first_month.store.read_bytes()
    with pytest.raises(HomeError, match=rf"(?s){name}.*doctor --rebuild"), open_home(first_month):
        pass
    assert first_month.store.read_bytes() == before
    assert "log" in {one.part for one in doctor.check(first_month).problems}
    rebuild.rebuild(first_month)
    with open_home(first_month) as store:
        assert not store.missing_entries()


def test_a_reader_has_the_home_of_before_while_another_command_is_between_entry_and_store(
    first_month: Settings,
) -> None:
    behind(first_month)
    with held_to_write(first_month.home), open_to_read(first_month) as store:
        assert (len(store.log.entries), store.rows("select count(*) from source_file")) == (5, [(2,)])
    with open_to_read(first_month) as store:
        assert (len(store.log.entries), store.rows("select count(*) from source_file")) == (6, [(3,)])


@pytest.mark.parametrize("name", long_but(BROKEN, "cut off in the middle"))
def test_a_damaged_store_is_found_and_made_again(first_month: Settings, name: str) -> None:
    expected = facts(first_month.store)
    first_month.store.write_bytes(BROKEN[name](first_month.store.read_bytes()))
    problems = doctor.check(first_month).problems
    assert {(one.part, one.file, one.remedy) for one in problems} == {("store", str(first_month.store), doctor.AGAIN)}
    shown = ratinglist("quarantine", home=first_month.home)
    assert shown.returncode == 0
    assert f"{first_month.store} {UNUSABLE}. It is made again from the log and the originals." in shown.stderr
    assert facts(first_month.store) == expected
    assert doctor.check(first_month).problems == []


def test_a_folder_in_the_place_of_the_store_is_named_and_kept(first_month: Settings) -> None:
    first_month.store.unlink()
    first_month.store.mkdir()
    shown = ratinglist("quarantine", home=first_month.home)
    assert (shown.returncode, str(first_month.store) in shown.stderr) == (3, True)
    assert doctor.check(first_month).problems[0].file == str(first_month.store)
    assert first_month.store.is_dir()


# ------------------------------------------------------------------------------------------------ while it is open


def test_a_block_that_is_damaged_while_the_store_is_open_is_named(first_month: Settings) -> None:
    def damage_and_read(opened: Store) -> None:
        data = first_month.store.read_bytes()
        with first_month.store.open("r+b") as file:
            file.seek(3 * HEADER)
            file.write(bytes(len(data) - 3 * HEADER))
        for (table,) in opened.rows("select table_name from duckdb_tables() where not temporary"):
            opened.read(f"select * from {table}")

    with pytest.raises(StoreDamagedError) as raised, open_store(first_month.store) as opened:
        damage_and_read(opened)
    assert str(raised.value).startswith(f"{first_month.store} is damaged (")
    assert "Nothing is lost" in str(raised.value)
    first_month.store.unlink()
    with open_to_read(first_month) as store:
        assert not store.missing_entries()


@pytest.mark.parametrize(
    "error",
    [
        duckdb.CatalogException("no such table"),
        duckdb.FatalException("FATAL Error: Checkpoint failed. Original error: No space left on device"),
    ],
)
def test_an_error_of_a_query_or_of_a_full_disk_is_no_damage(first_month: Settings, error: duckdb.Error) -> None:
    with pytest.raises(type(error)), open_store(first_month.store):
        raise error
