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
    return Path(shutil.copytree(homes / MONTHS[0], tmp_path_factory.mktemp("outputs") / "home"))


def files(home: Path) -> dict[str, int]:
    return {path.relative_to(home).as_posix(): path.lstat().st_size for path in home.rglob("*") if path.is_file()}


IN_THE_HOME = "Name another place"
READ = "is the file that is read, and would be replaced"
EXPORT, RECONCILE = ("export", MONTHS[0], "--format", "csv", "--out"), ("reconcile", MONTHS[0], "{official}", "--out")
REFUSED: list[tuple[tuple[str, ...], str, str]] = [
    *((EXPORT, out, IN_THE_HOME) for out in ("{home}/x.csv", "{published}/standard.csv", "{link}/x.csv")),
    *((RECONCILE, out, IN_THE_HOME) for out in ("{home}/x.csv", "{link}/x.csv")),
    (RECONCILE, "{official}", READ),
    (RECONCILE, "{place}/same.csv", READ),
    (RECONCILE, "{place}/x.csv", "is a device, a pipe, a link or a folder"),
    (EXPORT, "{place}/other/calculations/x.csv", "is in the home of an office ({place}/other)"),
    (EXPORT, "{place}/web/2025-09", "is in a folder of published lists ({place}/web)"),
]


@pytest.mark.parametrize(("words", "out", "says"), REFUSED)
def test_an_output_in_an_office_or_over_another_file_is_refused(home, tmp_path, words, out, says):
    names = {"home": home, "published": home / "published" / MONTHS[0] / "r1", "place": tmp_path}
    names |= {"link": tmp_path / "link", "official": tmp_path / "official.csv"}
    shutil.copyfile(names["published"] / "standard.csv", names["official"])
    (tmp_path / "same.csv").hardlink_to(names["official"])
    names["link"].symlink_to(home / "published")
    (tmp_path / "x.csv").symlink_to(tmp_path / "elsewhere.csv")
    (tmp_path / "other" / "calculations").mkdir(parents=True)
    (tmp_path / "other" / "ratinglist.duckdb").touch()
    shutil.copytree(home / "published", tmp_path / "web")
    before = files(home) | files(tmp_path)
    shown = ratinglist(*(word.format(**names) for word in (*words, out)), home=home)
    assert (shown.returncode, shown.stdout) == (2, "")
    assert says.format(**names) in shown.stderr
    assert files(home) | files(tmp_path) == before


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
