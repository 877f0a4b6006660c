"""Fixtures of the tests of queries: the store of an office that has published the sample."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from ratinglist.home.history import TABLES
from ratinglist.home.log import Log
from ratinglist.store.database import Store
from tests.stores import open_store

CALCULATED = ("list_state", "event", "game", "side", "change", "entry", "pool", "calculation_input")


@pytest.fixture(scope="session")
def whole(_rated_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    copy = Path(shutil.copytree(_rated_home, tmp_path_factory.mktemp("queries") / "home"))
    with open_store(copy / "ratinglist.duckdb") as store:
        yield store


@pytest.fixture(scope="session")
def _with_tables(_rated_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    copy = Path(shutil.copytree(_rated_home, tmp_path_factory.mktemp("faults") / "home"))
    store = Store(Log.open(copy), is_scratch=True)
    as_tables(store)
    yield store
    store.close()


@pytest.fixture
def store(_with_tables: Store) -> Iterator[Store]:
    """The store of an office that has published the sample; what is done to it is undone."""
    offered = dict(_with_tables._views)
    _with_tables.execute("begin transaction")
    yield _with_tables
    _with_tables.execute("rollback")
    # The views that the test was the first to name are gone with what it did.
    _with_tables._views = offered


def as_tables(store: Store) -> None:
    """Put tables in the place of what is read from files and from the log, so that a test can plant faults."""
    names = (*CALCULATED, *TABLES)
    for name in names:
        store.execute(f"create temp table {name}_rows as select * from {name}")
    for name in names:
        store.execute(f"drop view {name}")
        store.execute(f"create temp table {name} as select * from {name}_rows")
        store.execute(f"drop table {name}_rows")
