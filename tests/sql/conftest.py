"""What the tests of the queries share: the store of an office that has published the sample."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from ratinglist.store.database import Store, open_store


@pytest.fixture(scope="session")
def whole(_rated_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    copy = tmp_path_factory.mktemp("queries") / "ratinglist.duckdb"
    shutil.copy(_rated_home / "ratinglist.duckdb", copy)
    with open_store(copy) as store:
        yield store


@pytest.fixture
def store(whole: Store) -> Iterator[Store]:
    """The store of an office that has published the sample; what is done to it is undone."""
    with whole.trial():
        yield whole
