"""Other accounts may read what is published, and nothing else of an office."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ratinglist.files.durable_files import close_to_others, exposed
from tests.command_line import ratinglist
from tests.conftest import MONTHS, SAMPLE
from tests.stores import open_store

MONTH = MONTHS[0]


@contextmanager
def umask(mask: int) -> Iterator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


def mode(path: Path) -> str:
    return f"{stat.S_IMODE(path.stat().st_mode):04o}"


def modes(home: Path) -> dict[str, str]:
    """The mode of everything in a home."""
    return {path.name: mode(path) for path in sorted(home.iterdir())}


def office(home: Path) -> None:
    """Take an office through every command that makes a file of its own in the home."""
    listed = home / "published" / MONTH / "r1" / "standard.csv"
    for words in (
        ("import-list", SAMPLE / "list-2025-08.csv", "--month", "2025-08"),
        ("import-players", SAMPLE / f"players-{MONTH}.csv"),
        # Before there is a list that it could move.
        ("correct", "player", "99900027", "birth_date=1983-11-03", "--by", "arbiter", "--because", "passport"),
        ("run", MONTH, SAMPLE / "reports" / MONTH),
        ("publish", MONTH, "--preview"),
        ("reconcile", MONTH, listed),
    ):
        assert ratinglist(*words, home=home).returncode == 0


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("permissions") / "home"
    with umask(0o022):
        office(home)
    return home


def test_what_holds_birth_dates_is_closed_from_the_first_command_on(made):
    assert mode(made) == "0755"
    assert modes(made) == {
        "calculations": "0700",
        "log": "0700",
        "originals": "0700",
        "previews": "0700",
        "published": "0755",
        "ratinglist.duckdb": "0600",
        "reconciled": "0700",
        "reports": "0700",
    }


def test_what_is_published_can_be_read_by_all(made):
    closed = [path for path in (made / "published").rglob("*") if not path.stat().st_mode & stat.S_IROTH]
    folders = [path for path in (made / "published").rglob("*/") if mode(path) != "0755"]
    assert (closed, folders) == ([], [])


def test_the_copy_of_the_store_that_a_change_is_made_in_is_closed_too(made, tmp_path):
    shutil.copytree(made, tmp_path / "home")
    with umask(0o022), open_store(tmp_path / "home" / "ratinglist.duckdb") as store, store.trial():
        store.execute("create table kept as select range as one from range(10)")
        (tmp_path / "another").touch()
        assert modes(tmp_path / "home") == {**modes(made), ".tmp-store": "0700"}
    assert mode(tmp_path / "another") == "0644"


def test_a_home_that_is_open_to_others_is_closed_when_it_is_opened_to_write(made, tmp_path):
    home = tmp_path / "home"
    shutil.copytree(made, home)
    (home / "prefect").mkdir()
    for name in ("calculations", "prefect", "previews", "reports", "reconciled"):
        (home / name).chmod(0o755)
    (home / "ratinglist.duckdb").chmod(0o644)
    assert sorted(path.name for path in exposed(home)) == [
        *("calculations", "prefect", "previews", "ratinglist.duckdb", "reconciled", "reports")
    ]
    assert ratinglist("quarantine", home=home).returncode == 0
    assert exposed(home) != [], "a command that only reads changes nothing"
    assert ratinglist("import-players", SAMPLE / "players-2025-12.csv", home=home).returncode == 0
    assert exposed(home) == []
    assert modes(home) == {**modes(made), "prefect": "0700"}


def test_the_folder_that_prefect_is_given_is_private_from_the_start(tmp_path):
    folder = tmp_path / "home" / "prefect"
    program = "import os; os.umask(0o022); import flows"
    subprocess.run([sys.executable, "-c", program], env={**os.environ, "PREFECT_HOME": str(folder)}, check=True)
    assert mode(folder) == "0700"


@pytest.mark.parametrize(("mask", "folder", "file"), [(0o002, "2770", "0660"), (0o077, "2700", "0600")])
def test_a_home_that_a_group_shares_is_open_to_the_group_unless_the_account_withholds_it(mask, folder, file, tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    home.chmod(0o2770)
    with umask(mask):
        assert ratinglist("import-list", SAMPLE / "list-2025-08.csv", "--month", "2025-08", home=home).returncode == 0
        assert ratinglist("load", SAMPLE / "reports" / MONTH, home=home).returncode == 0
    # A folder made in a folder of a group is of that group: the bit 2000.
    folders = dict.fromkeys(("log", "originals", "reports"), folder)
    assert modes(home) == {**folders, "ratinglist.duckdb": file}


def test_a_file_of_another_account_is_left_to_its_owner(tmp_path, monkeypatch):
    (tmp_path / "reports").mkdir(mode=0o755)

    def refused(_path: Path, _mode: int) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(Path, "chmod", refused)
    close_to_others(tmp_path)
    assert exposed(tmp_path) == [tmp_path / "reports"]
