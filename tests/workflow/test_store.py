"""An open store: its transactions, and the folders of its calculations."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import polars as pl
import pytest

from ratinglist.errors import AlteredError, NothingReadError, RatinglistError
from ratinglist.period import Period
from ratinglist.settings import STORE, Settings
from ratinglist.store.calculations import Calculation, calculation
from ratinglist.store.database import Store
from ratinglist.tables import PUBLISHED
from ratinglist.workflows import import_files, publish, quarantine, replay, rerate, run
from tests.conftest import MONTHS, office, published_bytes, unpublish
from tests.parameters import long_but
from tests.stores import open_store

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
    return store.finds_rows("select 1 from list_imported where month = '2025-10'")


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
    with store.trial():
        change(store)
        store.record("import-list", date(2025, 12, 1), month="2025-10", file="x", sha256="0" * 64)
        assert changed(store)
    assert not changed(store)
    assert (store.path.read_bytes(), len(store.log.entries)) == (before, entries)


def current(settings: Settings, month: str = MONTHS[-1]) -> Calculation:
    with open_store(settings.store) as store:
        found = calculation(store, Period.parse(month))
    assert found is not None
    return found


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
    with pytest.raises(
        RatinglistError, match=rf"{name} is not what was calculated(?s:.)*ratinglist (doctor --rebuild|rate)"
    ):
        publish.publish(rated, LAST)
    assert not (rated.published / MONTHS[-1]).exists()


def test_no_list_is_calculated_from_an_altered_one(rated: Settings) -> None:
    before = current(rated, MONTHS[-2])
    before.folder.private("state").chmod(0o644)
    state = pl.read_parquet(before.folder.private("state"), glob=False, hive_partitioning=False)
    state.with_columns(pl.col("rating") + 100).write_parquet(before.folder.private("state"))
    with pytest.raises(AlteredError, match=rf"{before.folder.private('state')} is not what was calculated"):
        run.rate(rated, LAST)
    replay.rebuild(rated)
    assert run.rate(rated, LAST).listed["standard"] > 100


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
    run.rate(settings, Period.parse(MONTHS[0]))
    run.run(settings, Period.parse(MONTHS[1]))
    assert published_bytes(home) == published_bytes(homes / MONTHS[1])
    assert not rerate.rerate(settings, Period.parse(MONTHS[0])).months[0].revision


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


def test_two_stores_are_open_side_by_side(homes: Path) -> None:
    months = "select count(distinct month) from standing_calculation"
    with open_store(homes / "2025-09" / STORE) as one, open_store(homes / "2025-10" / STORE) as two:
        assert [one.rows(months), two.rows(months), one.rows(months)] == [[(1,)], [(2,)], [(1,)]]


def test_what_a_store_has_spilled_is_deleted_when_it_is_closed(homes: Path, tmp_path: Path) -> None:
    shutil.copytree(homes / "2025-08", tmp_path / "home")
    with open_store(tmp_path / "home" / STORE) as store:
        store.execute("set memory_limit = '40MB'")
        store.execute("create temp table large as select range as number, md5(range::text) from range(2000000)")
        assert list((store.home / "log" / ".tmp-spilled").iterdir())
    assert not (store.home / "log" / ".tmp-spilled").exists()
