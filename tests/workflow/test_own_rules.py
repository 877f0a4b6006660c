"""Rule files of an office's own: taken over, used, named in what is published, and refused whole."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from tests.command_line import did, ratinglist
from tests.conftest import ROOT, SAMPLE, asks_nothing

FIRST, SECOND = "2025-09", "2025-10"
ANSWER = 'no_players_file="the players of October register in November"'


def rules_of(folder: Path, family: str, normal_k: int) -> Path:
    """Write the rule files of a family, with another K of most players, into a folder ``hill-club``."""
    copied = folder / "hill-club"
    shutil.copytree(ROOT / "data" / "rules" / family, copied, dirs_exist_ok=True)
    for path in copied.rglob("*.toml"):
        text = re.sub(r'(?m)^family = ".*"$', 'family = "hill-club"', path.read_text("utf-8"))
        path.write_text(re.sub(r"(?m)^(normal *= \{ value = )\d+", rf"\g<1>{normal_k}", text), "utf-8")
    return copied


@pytest.fixture
def home(tmp_path: Path) -> Path:
    asks_nothing(tmp_path / "home")
    did(tmp_path / "home", "import-list", SAMPLE / "list-2025-08.csv", "--month", "2025-08")
    did(tmp_path / "home", "import-players", SAMPLE / f"players-{FIRST}.csv")
    return tmp_path / "home"


def run(home: Path, month: str, *options: str | Path) -> None:
    did(home, "run", month, SAMPLE / "reports" / month, *options, "--because", ANSWER, "--yes")


def manifest(home: Path, month: str) -> dict[str, object]:
    content: dict[str, object] = json.loads((home / "published" / month / "r1" / "manifest.json").read_bytes())
    return content


@pytest.mark.parametrize("family", ["club", "fide"])
def test_an_own_family_is_used_month_after_month(family: str, home: Path, tmp_path: Path) -> None:
    folder = rules_of(tmp_path, family, 24)
    run(home, FIRST, "--rules", folder)
    shutil.rmtree(folder)
    run(home, SECOND)
    for month in (FIRST, SECOND):
        assert manifest(home, month)["family"] == "hill-club"
    changes = "select count(*) as n from changes where k = 24"
    (row,) = json.loads(did(home, "sql", changes, "--json"))
    assert row["n"] > 0
    did(home, "backup", tmp_path / "backup")
    did(tmp_path / "again", "restore", tmp_path / "backup")
    did(tmp_path / "again", "doctor", "--rebuild")


def test_a_changed_file_is_named_and_one_that_a_killed_command_was_writing_is_none(home: Path, tmp_path: Path) -> None:
    run(home, FIRST, "--rules", rules_of(tmp_path, "fide", 24))
    unfinished = home / "rules" / "hill-club" / "standard" / ".tmp-2025-10-01.toml"
    unfinished.write_text("family =", "utf-8")
    did(home, "rate", SECOND, "--rules", rules_of(tmp_path, "fide", 25))
    assert "which changed since: ratinglist rerate --from 2025-09" in did(home, "status")
    assert not unfinished.exists()


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("hill-club/standard/2025-01-01.toml", b"family = 1\n", "hill-club/standard/2025-01-01"),
        ("hill-club/standard/2025-01-01.toml", b"# \xe9\n", "is not UTF-8"),
        ("hill-club/notes.txt", b"nothing", "no rule file"),
        ("club/standard/2025-01-01.toml", b"family = 'club'\n", "comes with the program"),
    ],
)
def test_a_folder_that_is_wrong_is_refused_and_nothing_is_kept(
    name: str, content: bytes, says: str, home: Path, tmp_path: Path
) -> None:
    file = tmp_path / "wrong" / name
    file.parent.mkdir(parents=True)
    file.write_bytes(content)
    folder = tmp_path / "wrong" / name.partition("/")[0]
    shown = ratinglist("rate", FIRST, "--rules", folder, home=home)
    assert shown.returncode in (2, 3), shown
    assert says in shown.stderr
    assert not (home / "rules").exists()
