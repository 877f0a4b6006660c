"""Commands that only read show nothing of what is published where the log states it otherwise."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from ratinglist.home.location import held_to_write
from ratinglist.home.log import Log
from ratinglist.publication import settle
from ratinglist.settings import Settings
from ratinglist.workflows import opening, sql, status
from tests.command_line import Shown, ratinglist
from tests.conftest import MONTHS, office, unpublish

LAST, BEFORE = MONTHS[-1], MONTHS[-2]
AGREE = "Nothing was shown: the log and what is published do not agree."
COUNT = "select count(distinct list_month) as months from lists"


def list_of_another_month(published: Path) -> Path:
    file = published / LAST / "r1" / "standard.parquet"
    file.unlink()
    shutil.copyfile(published / BEFORE / "r1" / "standard.parquet", file)
    return file


def lost_month(published: Path) -> Path:
    shutil.rmtree(published / LAST)
    return published / LAST


def lost_folder(published: Path) -> Path:
    shutil.rmtree(published)
    return published / LAST


def lost_pointer(published: Path) -> Path:
    (published / LAST / "latest").unlink()
    return published / LAST / "latest"


DAMAGES = [list_of_another_month, lost_month, lost_folder, lost_pointer]


@pytest.fixture(scope="module", params=DAMAGES, ids=lambda damage: damage.__name__)
def damaged(
    request: pytest.FixtureRequest, homes: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, Path, Callable[[Path], Path]]:
    """An office with a damage, the file that is named for it, and the damage; look, do not touch."""
    copy = tmp_path_factory.mktemp("damaged") / "home"
    shutil.copytree(homes / LAST, copy)
    return copy, request.param(copy / "published"), request.param


def all_commands(folder: Path, home: Path) -> dict[str, Shown]:
    commands = [
        ("sql", COUNT),
        ("statistics", LAST, "--out", folder / "statistics"),
        ("find", "a"),
        ("explain", "90000001"),
        ("performance", "90000001"),
        ("export", LAST, "--format", "csv", "--out", folder / "list.csv"),
        ("site", "--out", folder / "site"),
    ]
    return {str(command[0]): ratinglist(*command, home=home) for command in commands}


def test_no_command_shows_it_and_nothing_is_written(
    damaged: tuple[Path, Path, Callable[[Path], Path]], tmp_path: Path
) -> None:
    home, file, _ = damaged
    before = {path: path.lstat().st_mtime_ns for path in home.rglob("*")}
    for name, shown in all_commands(tmp_path, home).items():
        assert shown.returncode == 4, (name, shown)
        assert [text for text in (AGREE, f"{file}: ", "ratinglist doctor") if text not in shown.stderr] == [], name
    assert list(tmp_path.iterdir()) == []
    after = {path: path.lstat().st_mtime_ns for path in home.rglob("*")}
    assert {path: after[path] for path in after if before.get(path) != after[path]}.keys() <= {home}


def test_status_shows_it_first_and_offers_no_publication(
    damaged: tuple[Path, Path, Callable[[Path], Path]],
) -> None:
    home, file, _ = damaged
    found = status.status(office(home))
    assert any(one.startswith(f"{file}: ") for one in found.disagreements)
    assert found.as_dict()["disagreements"] == found.disagreements
    lines = found.text().splitlines()
    assert lines[1].startswith("NOT AS PUBLISHED: ")
    assert lines[len(found.disagreements) + 2].endswith(": ratinglist doctor")
    assert found.open_months == []
    assert found.next_list is not None
    assert found.next_list.month == "2026-01"
    assert [one.month for one in found.published] == list(MONTHS)


def test_another_month_is_exported_still(homes: Path, tmp_path: Path) -> None:
    shutil.copytree(homes / LAST, tmp_path / "home")
    list_of_another_month(tmp_path / "home" / "published")
    words = ("export", BEFORE, "--format", "csv", "--out", tmp_path / "list.csv")
    assert ratinglist(*words, home=tmp_path / "home").returncode == 0


def test_a_copy_of_the_published_folder_alone_is_read(homes: Path, tmp_path: Path) -> None:
    shutil.copytree(homes / LAST / "published", tmp_path / "home" / "published")
    lost_month(tmp_path / "home" / "published")
    assert sql.query(office(tmp_path / "home"), COUNT).item() == len(MONTHS) - 1


def test_what_is_being_written_is_compared_by_the_command_that_writes(rated: Settings) -> None:
    lost_month(rated.published)
    log = Log.open(rated.home)
    with held_to_write(rated.home):
        assert opening.disagreements(log, rated) == []
    assert opening.disagreements(log, rated)


def test_what_changes_while_it_is_compared_is_no_disagreement(rated: Settings) -> None:
    before = Log.open(rated.home)
    unpublish(rated, LAST)
    assert opening.disagreements(Log.open(rated.home), rated) == []
    assert opening.disagreements(before, rated) == []


def test_a_change_that_was_decided_and_is_not_in_place_is_no_disagreement(rated: Settings) -> None:
    log = Log.open(rated.home)
    (rated.drafts / "published").mkdir(parents=True)
    (rated.published / LAST).rename(rated.drafts / "published" / LAST)
    (rated.drafts / settle.DECIDED).write_text(str(len(log.entries)), encoding="utf-8")
    assert opening.disagreements(log, rated) == []
    shutil.rmtree(rated.drafts)
    assert opening.disagreements(log, rated)
