"""No command writes its output into an office, nor over the file that it reads."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ratinglist.files.atomic_file import write_text_atomically
from tests.command_line import ratinglist
from tests.conftest import MONTHS


@pytest.fixture(scope="module")
def home(homes: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An office; every test leaves it as it was."""
    home = tmp_path_factory.mktemp("outputs") / "home"
    shutil.copytree(homes / MONTHS[0], home)
    return home


def files(home: Path) -> dict[str, int]:
    return {path.relative_to(home).as_posix(): path.lstat().st_size for path in home.rglob("*") if path.is_file()}


COMMANDS = {
    "export": ("export", MONTHS[0], "--format", "csv", "--out"),
    "reconcile": ("reconcile", MONTHS[0], "{list}", "--out"),
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("place", ["{home}/x.csv", "{home}/published/2025-09/r1/standard.csv", "{link}/x.csv"])
def test_an_output_in_the_home_is_refused(home, tmp_path, command, place):
    (tmp_path / "link").symlink_to(home / "published")
    before = files(home)
    out = place.format(home=home, link=tmp_path / "link")
    listed = home / "published" / MONTHS[0] / "r1" / "standard.csv"
    shown = ratinglist(*(word.format(list=listed) for word in COMMANDS[command]), out, home=home)
    assert (shown.returncode, shown.stdout) == (2, "")
    if command == "reconcile" and out == str(listed):
        assert "is the file that is read, and would be replaced" in shown.stderr
    else:
        assert "Name another place" in shown.stderr
    assert files(home) == before


def test_an_output_that_is_a_link_is_refused(home, tmp_path):
    (tmp_path / "x.csv").symlink_to(tmp_path / "elsewhere.csv")
    listed = home / "published" / MONTHS[0] / "r1" / "standard.csv"
    words = (word.format(list=listed) for word in COMMANDS["reconcile"])
    shown = ratinglist(*words, tmp_path / "x.csv", home=home)
    assert shown.returncode == 2
    assert "is a device, a pipe, a link or a folder" in shown.stderr
    assert not (tmp_path / "elsewhere.csv").exists()


def test_an_output_in_another_office_is_refused(home, tmp_path):
    (tmp_path / "other" / "calculations").mkdir(parents=True)
    (tmp_path / "other" / "ratinglist.duckdb").touch()
    out = tmp_path / "other" / "calculations" / "x.csv"
    shown = ratinglist("export", MONTHS[0], "--format", "csv", "--out", out, home=home)
    assert shown.returncode == 2
    assert f"is in the home of an office ({tmp_path / 'other'})" in shown.stderr


def test_an_output_in_a_copy_of_what_is_published_is_refused(home, tmp_path):
    shutil.copytree(home / "published", tmp_path / "web")
    shown = ratinglist("export", MONTHS[0], "--format", "csv", "--out", tmp_path / "web" / "2025-09", home=home)
    assert shown.returncode == 2
    assert f"is in a folder of published lists ({tmp_path / 'web'})" in shown.stderr


def test_the_file_that_is_read_is_not_replaced(home, tmp_path):
    listed = tmp_path / "official.csv"
    shutil.copyfile(home / "published" / MONTHS[0] / "r1" / "standard.csv", listed)
    before = listed.read_bytes()
    (tmp_path / "same.csv").hardlink_to(listed)
    for out in (listed, tmp_path / "same.csv"):
        shown = ratinglist("reconcile", MONTHS[0], listed, "--out", out, home=home)
        assert shown.returncode == 2
        assert "is the file that is read, and would be replaced" in shown.stderr
    assert listed.read_bytes() == before


@pytest.mark.parametrize("place", ["{home}/simulated", "{link}/simulated", "{home}/reports/a/b", "{home}"])
def test_a_federation_is_not_made_up_inside_an_office(home, tmp_path, place):
    (tmp_path / "link").symlink_to(home / "reports")
    before = files(home)
    out = place.format(home=home, link=tmp_path / "link")
    shown = ratinglist("simulate", out, "--players", "60", home=home)
    assert shown.returncode == 2
    assert f"is in the home of an office ({home})" in shown.stderr
    assert files(home) == before


def test_what_a_killed_export_left_is_removed_by_the_next_one(tmp_path):
    killed = (
        "import os, signal\nfrom pathlib import Path\nfrom ratinglist.files.atomic_file import write_atomically\n"
        f"write_atomically(Path({str(tmp_path / 'a.csv')!r}), lambda path: os.kill(os.getpid(), signal.SIGKILL))"
    )
    assert subprocess.run([sys.executable, "-c", killed], check=False).returncode == -signal.SIGKILL
    (left,) = tmp_path.iterdir()
    assert left.name.startswith(".tmp-export-")
    write_text_atomically(tmp_path / "b.csv", "b")
    write_text_atomically(tmp_path / "a.csv", "a")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.csv", "b.csv"]
