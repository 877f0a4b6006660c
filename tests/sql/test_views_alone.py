"""Every view and macro can be the first that a question names; words of comments and texts are no names."""

from __future__ import annotations

from pathlib import Path

import pytest

from ratinglist.files import resources
from ratinglist.publication.doubts import seen
from tests.stores import open_store

VIEWS = sorted(file.stem for file in resources.sql("views").rglob("*.sql"))


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_can_be_the_first_that_is_named(tmp_path: Path, name: str) -> None:
    with open_store(tmp_path / "ratinglist.duckdb") as store, seen(store, {}, {}) as read:
        read(f"select 1 as {name}")
