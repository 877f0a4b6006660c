"""An open store: its transactions, and the folders of its calculations."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import date
from pathlib import Path

import duckdb
import polars as pl
import pytest

from ratinglist.errors import AlteredError, HomeError, NothingReadError, RatinglistError, StoreDamagedError
from ratinglist.home.location import held_to_write
from ratinglist.home.log import Log, path_of
from ratinglist.period import Period
from ratinglist.settings import STORE, Settings
from ratinglist.store.calculations import Calculation, calculation
from ratinglist.store.database import Store
from ratinglist.tables import PUBLISHED
from ratinglist.workflows import doctor, import_files, publish, quarantine, replay, rerate, run
from ratinglist.workflows.opening import UNUSABLE, open_to_read, open_to_write
from tests.command_line import ratinglist
from tests.conftest import MONTHS, SAMPLE, office, published_bytes, unpublish
from tests.parameters import long_but
from tests.stores import open_store

pytestmark = pytest.mark.asks_only()

LAST = Period.parse(MONTHS[-1])


@pytest.fixture
def store(homes: Path, tmp_path: Path) -> Iterator[Store]:
    """The store of an office with its first list; yours to change."""
    shutil.copytree(homes / "2025-08", tmp_path / "home")
    with open_store(tmp_path / "home" / "ratinglist.duckdb") as opened:
        yield opened


def change(store: Store) -> None:
    store.append("list_imported", pl.DataFrame({"month": ["2025-10"], "time_control": ["standard"]}))


def changed(store: Store) -> bool:
    return bool(store.rows("select 1 from list_imported where month = '2025-10'"))


def half_way(store: Store) -> None:
    with store.changing_facts():
        change(store)
        store.record("import-list", date(2025, 12, 1), file="x")
        raise NothingReadError("half way")


def test_nothing_of_a_change_that_failed_or_recorded_nothing_is_kept(store: Store) -> None:
    before, entries = store.path.read_bytes(), len(store.log.entries)
    with pytest.raises(NothingReadError):
        half_way(store)
    with store.changing_facts():
        change(store)
    assert not changed(store)
    assert (store.path.read_bytes(), len(store.log.entries)) == (before, entries)
    assert list(store.home.glob(".tmp-*")) == []


def test_frames_and_prepared_tables_go_at_the_end_also_after_an_error(store: Store) -> None:
    frame = pl.DataFrame({"month": ["2025-10"]})

    def fail_half_way() -> None:
        with store.with_frames(asked=frame), store.with_views({"prepared": lambda: frame}):
            assert store.rows("select month from asked join prepared using (month)") == [("2025-10",)]
            raise NothingReadError("half way")

    with pytest.raises(NothingReadError):
        fail_half_way()
    for name in ("asked", "prepared"):
        with pytest.raises(duckdb.CatalogException):
            store.rows(f"select * from {name}")


def test_the_error_that_ends_a_change_is_told_and_not_that_its_transaction_has_ended(store: Store) -> None:
    def change_twice() -> None:
        with store.changing_facts(), store.with_frames(asked=pl.DataFrame({"entry_no": [1, 1]})):
            store.execute("create table once (entry_no integer primary key)")
            store.execute("insert into once select entry_no from asked")

    with pytest.raises(duckdb.ConstraintException):
        change_twice()
    with pytest.raises(duckdb.CatalogException):
        store.rows("select * from asked")


def test_a_change_is_one_entry_and_one_file(store: Store) -> None:
    entries, inode = len(store.log.entries), store.path.stat().st_ino
    with store.changing_facts():
        with store.changing_facts():
            change(store)
        # The file of the store is that of before until the entry is there.
        assert store.path.stat().st_ino == inode
        store.record("import-reference", date(2025, 12, 1), month="2025-10", file="x", sha256="0" * 64)
        assert len(store.log.entries) == entries
    assert changed(store)
    assert not store.missing_entries()
    assert (len(store.log.entries), store.path.stat().st_ino != inode) == (entries + 1, True)
    assert {path.name for path in store.home.glob("*.duckdb*")} == {"ratinglist.duckdb"}


def test_a_trial_leaves_everything_as_it_was(store: Store) -> None:
    before, entries = store.path.read_bytes(), len(store.log.entries)
    with store.changing_facts(), store.trial():
        change(store)
        store.record("import-list", date(2025, 12, 1), month="2025-10", file="x", sha256="0" * 64)
        assert changed(store)
    assert not changed(store)
    assert (store.path.read_bytes(), len(store.log.entries)) == (before, entries)


def current(settings: Settings, month: str = MONTHS[-1]) -> Calculation:
    with open_store(settings.store) as store:
        calculated = calculation(store, Period.parse(month))
    assert calculated is not None
    return calculated


def test_what_is_published_is_the_calculation_itself(rated: Settings) -> None:
    unpublish(rated, MONTHS[-1])
    folder = current(rated).folder.path
    revision = Path(publish.publish(rated, LAST).path)
    names = sorted(path.name for path in folder.iterdir() if path.suffix in (".parquet", ".csv"))
    assert {f"{stem}.parquet" for stem in PUBLISHED} > set(names) - {"standard.csv"}
    assert [name for name in names if not (folder / name).samefile(revision / name)] == []
    assert {path.name for path in revision.iterdir()} == {*names, "manifest.json", "datapackage.json"}


def altered(path: Path) -> None:
    path.chmod(0o644)
    path.write_bytes(path.read_bytes() + b"x")


@pytest.mark.parametrize(
    "name",
    long_but(["pool.parquet", "standard.csv", "private/events.parquet", "private/state.parquet"], "pool.parquet"),
)
def test_an_altered_file_of_a_calculation_is_named_and_not_published(rated: Settings, name: str) -> None:
    unpublish(rated, MONTHS[-1])
    altered(current(rated).folder.path / name)
    with pytest.raises(RatinglistError, match=rf"{name} was altered(?s:.)*ratinglist (doctor --rebuild|rate)"):
        publish.publish(rated, LAST)
    assert not (rated.published / MONTHS[-1]).exists()


def test_no_list_is_calculated_from_an_altered_one(first_month: Settings) -> None:
    before = current(first_month, MONTHS[0])
    before.folder.private("state").chmod(0o644)
    state = pl.read_parquet(before.folder.private("state"), glob=False, hive_partitioning=False)
    state.with_columns(pl.col("rating") + 100).write_parquet(before.folder.private("state"))
    with pytest.raises(AlteredError, match=rf"{before.folder.private('state')} was altered"):
        run.rate(first_month, Period.parse(MONTHS[1]))
    # Nor is one compared with it.
    with pytest.raises(AlteredError, match="was altered"):
        rerate.rerate(first_month, Period.parse(MONTHS[0]), preview=True)
    replay.rebuild(first_month)
    assert run.rate(first_month, Period.parse(MONTHS[1])).listed["standard"] > 100


@pytest.mark.parametrize(
    ("name", "view"),
    [("changes.parquet", "change"), ("private/events.parquet", "event"), ("private/state.parquet", "list_state")],
)
def test_a_missing_file_of_a_calculation_is_named_with_what_to_do(rated: Settings, name: str, view: str) -> None:
    gone = current(rated).folder.path / name
    gone.unlink()
    missing = rf"{gone} is missing. Rebuild the calculations: ratinglist doctor --rebuild"
    with pytest.raises(NothingReadError, match=missing), open_store(rated.store) as store:
        store.read(f"select * from {view}")
    with pytest.raises(AlteredError, match=rf"{gone} is missing. Nothing was calculated or published. Rebuild"):
        publish.publish(rated, LAST)


def test_a_pipe_in_the_place_of_a_file_of_a_calculation_is_named_and_not_waited_for(rated: Settings) -> None:
    replaced = current(rated).folder.private("events")
    replaced.unlink()
    os.mkfifo(replaced)
    with pytest.raises(NothingReadError, match=rf"{replaced}.*Rebuild the calculations"):
        quarantine.event(rated, "ORV25093")


def test_a_damaged_table_is_named_by_a_command_that_only_reads_it(rated: Settings) -> None:
    events = current(rated).folder.private("events")
    events.chmod(0o644)
    events.write_bytes(b"PAR1 and nothing more")
    with pytest.raises(NothingReadError, match=rf"{events}.*Rebuild the calculations"):
        quarantine.event(rated, "ORV25093")


def test_the_path_of_the_home_does_not_show(homes: Path, tmp_path: Path) -> None:
    """A name that DuckDB would take for a partition, a pattern or a view; another home that the pattern would find."""
    partitions = f"month={MONTHS[1]}/rating=5/month={MONTHS[0]}/c1/one side of an event, game"
    pattern = 'a*b[x] o\'ffice "of" {a,b} é'
    home = tmp_path / partitions / pattern / "home"
    for copy in (home, tmp_path / partitions / 'aXbx o\'ffice "of" a é' / "home"):
        shutil.copytree(homes / MONTHS[1], copy)
    unpublish(office(home), MONTHS[1])
    settings = office(home)
    run.run(settings, Period.parse(MONTHS[1]))
    assert published_bytes(home) == published_bytes(homes / MONTHS[1])
    assert not rerate.rerate(settings, Period.parse(MONTHS[0])).months[0].revision


@pytest.mark.asks_only("unlike_name")
def test_a_list_is_written_again_where_a_player_changed_after_the_calculation(rated: Settings) -> None:
    unpublish(rated, MONTHS[-1])
    listed = current(rated).folder.read_tables()["standard"].row(0, named=True)
    players = rated.home / "players.csv"
    players.write_text(f'fide_id,name,federation\n{listed["fide_id"]},"Newname, Nora",{listed["federation"]}\n')
    import_files.import_players(rated, players, because={"unlike_name": "the player has another name now"})
    done = Path(publish.publish(rated, LAST).path)
    published = pl.read_parquet(done / "standard.parquet").row(0, named=True)
    assert (published["fide_id"], published["name"]) == (listed["fide_id"], "Newname, Nora")
    assert (done / "games.parquet").samefile(current(rated).folder.path / "games.parquet")
    assert not (done / "standard.parquet").samefile(current(rated).folder.path / "standard.parquet")


def test_what_a_store_has_spilled_is_deleted_when_it_is_closed(homes: Path, tmp_path: Path) -> None:
    shutil.copytree(homes / "2025-08", tmp_path / "home")
    with open_store(tmp_path / "home" / STORE) as store:
        store.execute("set memory_limit = '40MB'")
        store.execute("create temp table large as select range as number, md5(range::text) from range(2000000)")
        assert list((store.home / "log" / ".tmp-spilled").iterdir())
    assert not (store.home / "log" / ".tmp-spilled").exists()


# -------------------------------------------------------------------------------------- a store that is lost or damaged


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


def altered_by(statement: str) -> Callable[[Settings], None]:
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
    "another layout": (altered_by("update made_from set layout = 'another'"), UNUSABLE),
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


@pytest.mark.parametrize(("change", "name"), [(cut, "000006.json"), (rewritten, "000003.json")])
def test_a_log_that_is_not_the_one_of_the_store_stops_every_command(
    first_month: Settings, change: Callable[[Settings], None], name: str
) -> None:
    change(first_month)
    before = first_month.store.read_bytes()
    for open_home in (open_to_read, open_to_write):
        with pytest.raises(HomeError, match=rf"(?s){name}.*doctor --rebuild"), open_home(first_month):
            pass
    assert first_month.store.read_bytes() == before
    assert "log" in {problem.part for problem in doctor.check(first_month).problems}
    replay.rebuild(first_month)
    for open_home in (open_to_read, open_to_write):
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
    assert {(problem.part, problem.file, problem.remedy) for problem in problems} == {
        ("store", str(first_month.store), doctor.AGAIN)
    }
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
