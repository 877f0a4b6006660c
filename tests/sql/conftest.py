"""Fixtures of the tests of queries: the store of an office that has published the sample."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from ratinglist.store.database import Store
from tests.stores import open_store

CALCULATED = ("list_state", "event", "game", "side", "change", "entry", "pool")


@pytest.fixture(scope="session")
def whole(_rated_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    copy = tmp_path_factory.mktemp("queries") / "home"
    shutil.copytree(_rated_home, copy)
    with open_store(copy / "ratinglist.duckdb") as store:
        yield store


@pytest.fixture(scope="session")
def _with_tables(_rated_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    copy = tmp_path_factory.mktemp("faults") / "home"
    shutil.copytree(_rated_home, copy)
    with open_store(copy / "ratinglist.duckdb") as store, pytest.MonkeyPatch.context() as patch:
        as_tables(store)
        # A trial offers the views again at its end; here the tables stay in their place.
        patch.setattr(store, "show_calculations", lambda: None)
        yield store


@pytest.fixture
def store(_with_tables: Store) -> Iterator[Store]:
    """The store of an office that has published the sample; what is done to it is undone."""
    with _with_tables.trial():
        yield _with_tables


def as_tables(store: Store) -> None:
    """Put tables in the place of the views over the files, so that a test can plant a fault with SQL."""
    for name in CALCULATED:
        store.execute(f"create temp table {name}_rows as select * from {name}")
    for name in CALCULATED:
        store.execute(f"drop view {name}")
        store.execute(f"create temp table {name} as select * from {name}_rows")
        store.execute(f"drop table {name}_rows")
