"""A run killed at any step leaves the state before or the state after, and the same command ends it."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ratinglist.period import Period
from ratinglist.publication.verify import verify
from ratinglist.store.calculations import calculation
from ratinglist.store.opening import open_store
from ratinglist.workflows import run
from tests.conftest import MONTHS, SAMPLE, import_sample, made_once, office, published_bytes, run_sample
from tests.workflow.test_killed_publication import ENVIRONMENT, ROOT

MONTH = Period.parse(MONTHS[1])


@pytest.fixture(scope="session")
def before(for_all_workers: Path) -> Path:
    """An office that has published one month; look, do not touch."""

    def make(home: Path) -> None:
        import_sample(office(home))
        run_sample(office(home), MONTHS[0])

    return made_once(for_all_workers / "before-a-kill", make)


@pytest.fixture(scope="session")
def undisturbed(before: Path, for_all_workers: Path) -> Path:
    """The same office after the next month; look, do not touch."""

    def make(home: Path) -> None:
        shutil.copytree(before, home)
        run_again(home)

    return made_once(for_all_workers / "undisturbed", make)


def run_again(home: Path) -> None:
    run.run(office(home), MONTH, [SAMPLE / "reports" / str(MONTH)])


def killed_at(home: Path, step: int) -> str:
    command = [sys.executable, "-m", "tests.run_killed", str(home), str(MONTH), str(step)]
    done = subprocess.run(command, env=ENVIRONMENT, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == (-signal.SIGKILL if step else 0), done.stderr
    return done.stdout


def calculated_files(home: Path) -> list[str]:
    """Every file of every calculation, without the number of the calculation."""
    root = home / "calculations"
    return sorted(
        f"{path.relative_to(root).parts[0]}/{'/'.join(path.relative_to(root).parts[2:])}"
        for path in root.rglob("*")
        if path.is_file() and path.name != "state.parquet"
    )


def check_killed(tmp_path: Path, before: Path, undisturbed: Path, step: int) -> None:
    home = tmp_path / str(step)
    shutil.copytree(before, home)
    killed_at(home, step)
    # Between the first revision and ``latest`` the month has no current revision: readers do not see it yet.
    without_latest = "is missing, or cannot be read: no revision is current"
    wrong = [one for one in verify(home / "published").wrong if one.description != without_latest]
    assert wrong == [], step
    # Every writer looks at the store first, whatever it was killed at, and finds it whole.
    with open_store(home / "ratinglist.duckdb") as store:
        found = calculation(store, MONTH)
        assert found is None or found.folder.read_tables()["standard"].height > 0
    run_again(home)
    assert published_bytes(home) == published_bytes(undisturbed), step
    assert calculated_files(home) == calculated_files(undisturbed), step
    left = [path for path in home.rglob(".tmp-*") if "reports" not in path.parts]
    assert left == [], step


@pytest.fixture(scope="module")
def steps(before: Path, tmp_path_factory: pytest.TempPathFactory) -> int:
    """How many steps an undisturbed run has."""
    whole = tmp_path_factory.mktemp("whole") / "home"
    shutil.copytree(before, whole)
    return int(killed_at(whole, 0))


@pytest.mark.parametrize("part", [0.1, 0.6, 0.98])
def test_a_run_killed_in_one_of_its_parts_is_ended_by_the_same_command(
    tmp_path: Path, before: Path, undisturbed: Path, steps: int, part: float
) -> None:
    check_killed(tmp_path, before, undisturbed, max(1, int(part * steps)))


@pytest.mark.long
def test_a_run_killed_at_any_step_is_ended_by_the_same_command(
    tmp_path: Path, before: Path, undisturbed: Path, steps: int
) -> None:
    for step in range(1, steps + 1):
        check_killed(tmp_path, before, undisturbed, step)
