"""A store that is open: what another connection to it sees, and when."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import duckdb
import polars as pl
import pytest

from ratinglist.errors import NothingReadError
from ratinglist.period import Period
from ratinglist.store.database import Store, open_store
from ratinglist.workflows import run
from tests.conftest import MONTHS, SAMPLE, import_sample, office

LISTS = "select month, time_control from list_kept order by all"
OCTOBER = pl.DataFrame({"month": ["2025-10"], "time_control": ["standard"]})


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "ratinglist.duckdb") as opened:
        yield opened


def kept(store: Store) -> int:
    """How many lists there are for who reads the store beside."""
    with store.for_another_thread() as beside:
        return len(beside.read(LISTS))


def test_what_is_held_is_seen_here_at_once_and_elsewhere_when_it_is_kept(store: Store) -> None:
    given, keep = store.held(lambda: store.append("list_kept", OCTOBER) or "done")
    assert given == "done"
    assert (store.read(LISTS).rows(), kept(store)) == ([("2025-10", "standard")], 0)
    with ThreadPoolExecutor(max_workers=2) as others:
        for one in [others.submit(keep), others.submit(keep)]:
            one.result()
    assert kept(store) == 1
    with store.transaction():
        store.execute("delete from list_kept")
    keep()
    assert kept(store) == 0


def test_a_transaction_inside_what_is_held_is_part_of_it(store: Store) -> None:
    def two_steps() -> None:
        with store.transaction():
            store.append("list_kept", OCTOBER)
        store.append("list_kept", OCTOBER.with_columns(time_control=pl.lit("rapid")))

    _, keep = store.held(two_steps)
    assert kept(store) == 0
    keep()
    assert kept(store) == 2


def test_nothing_of_what_went_wrong_is_held(store: Store) -> None:
    def half() -> None:
        store.append("list_kept", OCTOBER)
        raise NothingReadError("no more")

    with pytest.raises(NothingReadError, match="no more"):
        store.held(half)
    assert (len(store.read(LISTS)), kept(store)) == (0, 0)
    with store.transaction():
        store.append("list_kept", OCTOBER)
    assert kept(store) == 1


def test_whoever_asks_is_told_that_it_could_not_be_kept(store: Store) -> None:
    same = "insert into migration values ('9999_of_two', '')"
    _, keep = store.held(lambda: store.execute(same))
    with store.for_another_thread() as other:
        other.execute(same)
    for _ in range(2):
        with pytest.raises(duckdb.Error, match="9999_of_two"):
            keep()
    with store.transaction():
        store.append("list_kept", OCTOBER)
        with pytest.raises(duckdb.Error, match="9999_of_two"):
            keep()
    assert kept(store) == 1


def test_a_load_that_could_not_be_kept_is_not_rated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = office(tmp_path / "home")
    import_sample(settings)
    held = Store.held

    def full_disk(store: Store, work: Callable[[], object]) -> tuple[object, Callable[[], None]]:
        value, _ = held(store, work)

        def keep() -> None:
            raise OSError(28, "No space left on device")

        return value, keep

    monkeypatch.setattr(Store, "held", full_disk)
    with pytest.raises(OSError, match="No space left"):
        run.run(settings, Period.parse(MONTHS[0]), [SAMPLE / "reports" / MONTHS[0]])
    monkeypatch.undo()
    assert not (settings.published / MONTHS[0]).exists()
    with open_store(settings.store) as store:
        counted = "select (select count(*) from report) + (select count(*) from event)"
        assert store.read(counted).item() == 0
