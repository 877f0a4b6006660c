"""Commands that only read show nothing of what is published where the log states it otherwise."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from ratinglist.errors import AlteredError, NothingReadError
from ratinglist.home.location import held_to_write
from ratinglist.home.log import Log
from ratinglist.period import Period
from ratinglist.publication import revisions, settle
from ratinglist.settings import Settings
from ratinglist.workflows import opening, sql, status
from tests.command_line import ratinglist
from tests.conftest import MONTHS, office, unpublish

LAST, BEFORE = MONTHS[-1], MONTHS[-2]
AGREE = "Nothing was shown: the log and what is published do not agree."
COUNT = "select count(distinct list_month) as months from lists"


def list_of_another_month(published: Path) -> None:
    file = published / LAST / "r1" / "standard.parquet"
    file.unlink()
    shutil.copyfile(published / BEFORE / "r1" / "standard.parquet", file)


DAMAGES: list[tuple[str, Callable[[Path], object]]] = [
    (f"{LAST}/r1/standard.parquet", list_of_another_month),
    (LAST, lambda published: shutil.rmtree(published / LAST)),
    (LAST, shutil.rmtree),
    (f"{LAST}/latest", lambda published: (published / LAST / "latest").unlink()),
]
"""The file that is named, and what is done to the published folder."""


@pytest.fixture(scope="module", params=DAMAGES, ids=["another month", "no month", "no folder", "no latest"])
def damaged(request: pytest.FixtureRequest, homes: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """An office with a damage, and the file that is named for it; look, do not touch."""
    copy = Path(shutil.copytree(homes / LAST, tmp_path_factory.mktemp("damaged") / "home"))
    name, damage = request.param
    damage(copy / "published")
    return copy, copy / "published" / name


def test_no_command_shows_it_and_nothing_is_written(damaged: tuple[Path, Path], tmp_path: Path) -> None:
    home, file = damaged
    before = {path: path.lstat().st_mtime_ns for path in home.rglob("*")}
    for words in (
        ("sql", COUNT),
        ("statistics", LAST, "--out", tmp_path / "statistics"),
        ("find", "a"),
        ("explain", "90000001"),
        ("performance", "90000001"),
        ("export", LAST, "--format", "csv", "--out", tmp_path / "list.csv"),
        ("site", "--out", tmp_path / "site"),
    ):
        shown = ratinglist(*words, home=home)
        assert shown.returncode == 4, (words, shown)
        assert [text for text in (AGREE, f"{file}: ", "ratinglist doctor") if text not in shown.stderr] == [], words
    assert list(tmp_path.iterdir()) == []
    after = {path: path.lstat().st_mtime_ns for path in home.rglob("*")}
    assert {path: after[path] for path in after if before.get(path) != after[path]}.keys() <= {home}


def test_status_shows_it_first_and_offers_no_publication(damaged: tuple[Path, Path]) -> None:
    home, file = damaged
    shown = status.status(office(home))
    assert any(disagreement.startswith(f"{file}: ") for disagreement in shown.disagreements)
    assert shown.text().splitlines()[1].startswith("NOT AS PUBLISHED: ")
    assert (shown.open_months, shown.next_list and shown.next_list.month) == ([], "2026-01")
    assert [month.month for month in shown.published] == list(MONTHS)


def test_another_month_is_exported_still(homes: Path, tmp_path: Path) -> None:
    shutil.copytree(homes / LAST, tmp_path / "home")
    list_of_another_month(tmp_path / "home" / "published")
    words = ("export", BEFORE, "--format", "csv", "--out", tmp_path / "list.csv")
    assert ratinglist(*words, home=tmp_path / "home").returncode == 0


def test_a_copy_of_the_published_folder_alone_is_read(homes: Path, tmp_path: Path) -> None:
    shutil.copytree(homes / LAST / "published", tmp_path / "home" / "published")
    shutil.rmtree(tmp_path / "home" / "published" / LAST)
    assert sql.query(office(tmp_path / "home"), COUNT).item() == len(MONTHS) - 1


def test_what_is_being_written_is_compared_by_the_command_that_writes(rated: Settings) -> None:
    shutil.rmtree(rated.published / LAST)
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


# ----------------------------------------------------------------------------------- `latest` of a folder without a log


def month_folder(published: Path, *names: str) -> Path:
    """A month of these revisions, without ``latest``."""
    for name in names:
        (published / "2025-11" / name).mkdir(parents=True)
        (published / "2025-11" / name / "manifest.json").touch()
    return published / "2025-11"


@pytest.mark.parametrize(
    ("write", "message"),
    [
        (lambda _path: None, "is missing, and its folder has r1, r2: which list of 2025-11 is current"),
        (lambda path: path.write_bytes(b""), "names no revision of its folder, it is empty: which list"),
        (lambda path: path.write_bytes(b"r3\n"), "names no revision of its folder, it says 'r3': which list"),
        (lambda path: path.write_bytes(b"\xff" * 20), "names no revision of its folder, it says '"),
        (lambda path: path.write_bytes(b"../2025-10/r1"), "names no revision of its folder, it says '../2025-10/r1'"),
    ],
)
def test_what_is_wrong_with_it_is_said(tmp_path: Path, write: Callable[[Path], object], message: str) -> None:
    write(month_folder(tmp_path, "r1", "r2") / "latest")
    with pytest.raises(NothingReadError) as error:
        revisions.latest(tmp_path, Period.parse("2025-11"))
    assert message in str(error.value)
    assert len(str(error.value)) < 700
    assert revisions.months(tmp_path) == [Period.parse("2025-11")]


@pytest.mark.parametrize(
    "put",
    [os.mkfifo, os.mkdir, lambda path: path.symlink_to("r1"), lambda path: path.write_bytes(b"\xff" * 5000)],
    ids=["pipe", "folder", "link", "too large"],
)
def test_what_is_no_file_is_not_opened(put: Callable[[Path], None], tmp_path: Path) -> None:
    (tmp_path / BEFORE).mkdir()
    put(tmp_path / BEFORE / "latest")
    with pytest.raises(AlteredError, match=r"latest is a link, a folder or a device.*ratinglist doctor"):
        revisions.latest(tmp_path, Period.parse(BEFORE))
