"""What the tests of the simulation share: a world with many planted problems, as files."""

from __future__ import annotations

from pathlib import Path

import pytest

from ratinglist_world.simulate import simulate
from tests.conftest import made_once
from tests.world.worlds import MONTHS_WRITTEN, hard_luck


@pytest.fixture(scope="session")
def world_folder(for_all_workers: Path) -> Path:
    """Return a folder with the first months of that world as `simulate` writes them; tests must not change it."""

    def write(folder: Path) -> None:
        simulate(folder, hard_luck(), MONTHS_WRITTEN)

    return made_once(for_all_workers / "world", write)
