"""The files that the documents name, copied to where a checkout has them."""

from __future__ import annotations

import tomllib
from pathlib import PurePath

from ratinglist.workflows.files import FOLDERS
from tests.command_line import did, stopped
from tests.conftest import ROOT

CARRIED = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
IN_WHEEL = CARRIED["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]


def test_each_folder_is_copied_with_all_that_its_users_need(tmp_path):
    did(tmp_path / "office", "files", *FOLDERS, "--out", tmp_path)
    copied = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    assert {PurePath(name).suffix for name in copied if name.startswith("deploy/")} == {".service"}
    assert not [name for name in copied if name.startswith("data/sample/") and name.endswith(".py")]
    for name in ("data/sample/list-2025-08.csv", "data/laboratory/mine.py", "docs/notebooks/upsets.py"):
        assert name in copied
    assert "data/systems/dwz/ratinglist_dwz/expected_billionths.csv" in copied
    assert all((tmp_path / name).read_bytes() == (ROOT / name).read_bytes() for name in copied)
    in_wheel = [path for path in IN_WHEEL if path.endswith(".service")] + [name for name in FOLDERS if name in IN_WHEEL]
    assert all(any(name == place or name.startswith(f"{place}/") for place in in_wheel) for name in copied)
    assert all(f"ratinglist/_{place}" == IN_WHEEL[place] for place in in_wheel)
    assert not (tmp_path / "office").exists()


def test_nothing_is_copied_over_what_is_there(tmp_path):
    (tmp_path / "deploy").mkdir()
    said = stopped(tmp_path / "office", 2, "files", "sql/examples", "deploy", "--out", tmp_path)
    assert "is there already, and stays as it is" in said
    assert not (tmp_path / "sql").exists()


def test_the_folders_are_named(tmp_path):
    shown = did(tmp_path / "office", "files")
    assert [line.split()[0] for line in shown.splitlines()] == list(FOLDERS)
    assert "Name one of: data/sample" in stopped(tmp_path / "office", 2, "files", "src")
