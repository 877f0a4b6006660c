"""A publication killed by the system at any step of writing: readers see the old revision or the new one, whole."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ratinglist.publication import revisions
from ratinglist.publication.verify import verify
from tests.publication_killed import publish_first, publish_second
from tests.published_sample import NOVEMBER

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENT = {
    **os.environ,
    "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)]),
    "POLARS_MAX_THREADS": "1",
    "PYTHONWARNINGS": "ignore",
}


def kill(base: Path, *steps: int) -> None:
    command = [sys.executable, "-m", "tests.publication_killed", str(base), *map(str, steps)]
    subprocess.run(command, check=True, env=ENVIRONMENT, cwd=ROOT)


def content(revision: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in revision.iterdir()}


def killed_at(base: Path, steps: list[int], complete: Path) -> set[str]:
    """Kill a run at each of these steps, publish again, and return the revisions that readers saw between."""
    kill(base, *steps)
    old, new = (content(complete / "2025-11" / name) for name in ("r1", "r2"))
    seen = set()
    for step in steps:
        folder = base / str(step) / "published"
        assert verify(folder).wrong == [], step
        current = revisions.latest(folder, NOVEMBER)
        assert current is not None
        assert content(current) == {"r1": old, "r2": new}[current.name], step
        seen.add(current.name)
        again = publish_second(folder)
        assert (again.name, content(again)) == ("r2", new), step
        assert sorted(path.name for path in (folder / "2025-11").iterdir()) == ["latest", "r1", "r2"], step
    return seen


@pytest.fixture(scope="module")
def complete(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("undisturbed")
    publish_first(folder)
    publish_second(folder)
    return folder


def test_killed_at_a_few_steps_readers_see_the_old_or_the_new(tmp_path, complete):
    assert killed_at(tmp_path, [1, 9, 30, 60], complete) == {"r1"}


@pytest.mark.long
def test_killed_at_every_step_readers_see_the_old_or_the_new(tmp_path, complete):
    kill(tmp_path, 0)
    steps = int((tmp_path / "steps").read_text())
    assert steps > 50
    assert killed_at(tmp_path, list(range(1, steps + 1)), complete) == {"r1", "r2"}
