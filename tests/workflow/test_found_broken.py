"""Faults that were found once, each in the state in which it was found."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
from pathlib import Path

import polars as pl
import pytest
from xlsxwriter.exceptions import FileCreateError

from ratinglist.errors import AlteredError, CheckError, CommandLineError, NothingReadError
from ratinglist.files import atomic_file
from ratinglist.home.log import Log
from ratinglist.period import Period
from ratinglist.settings import Settings
from ratinglist.workflows import doctor, import_files, letters, load, publish, rate, rebuild, undo
from tests.command_line import Shown, ratinglist
from tests.conftest import MONTHS, SAMPLE, copied, corrected_office, office, published_bytes
from tests.parameters import long_but

FIRST, OCTOBER, NOVEMBER, DECEMBER = map(Period.parse, MONTHS)


@pytest.fixture(scope="module")
def corrected_first_month(homes: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An office that has published one month, and published it again after a correction; look, do not touch."""
    home = tmp_path_factory.mktemp("corrected") / "home"
    corrected_office(homes / MONTHS[0], home)
    return home


@pytest.mark.parametrize("damage", long_but(["altered", "missing", "a folder"], "altered"))
def test_a_rollback_of_a_damaged_revision_keeps_its_digest_and_can_be_rebuilt(
    corrected_first_month: Path, tmp_path: Path, damage: str
) -> None:
    settings = copied(corrected_first_month, tmp_path)
    manifest = settings.published / str(FIRST) / "r2" / "manifest.json"
    digest = manifest.read_text(encoding="utf-8").split('"digest": "')[1].partition('"')[0]
    data = manifest.read_bytes()
    manifest.unlink()
    if damage == "altered":
        manifest.write_bytes(data[: len(data) // 2])
    elif damage == "a folder":
        manifest.mkdir()
    undo.rollback(settings, FIRST, "its manifest is gone")
    assert digest in (settings.published / str(FIRST) / "rollbacks.csv").read_text(encoding="utf-8")
    after = published_bytes(settings.home)
    shutil.rmtree(settings.published / str(FIRST) / "r2")
    rebuild.rebuild(settings)
    assert published_bytes(settings.home) == {**after, f"{FIRST}/r2/manifest.json": data}
    assert doctor.check(settings).problems == []


def test_months_that_were_calculated_out_of_order_end_in_a_remedy_that_works(homes: Path, tmp_path: Path) -> None:
    settings = copied(homes / MONTHS[1], tmp_path)
    for month in MONTHS[2:]:
        import_files.import_players(settings, SAMPLE / f"players-{month}.csv")
    load.load(settings, [SAMPLE / "reports" / MONTHS[3]])
    rate.rate(settings, DECEMBER)
    load.load(settings, [SAMPLE / "reports" / MONTHS[2]])
    rate.rate(settings, NOVEMBER)
    with pytest.raises(CheckError) as stopped:
        publish.publish(settings, NOVEMBER)
    assert "ratinglist rate 2025-12" in str(stopped.value)
    rate.rate(settings, DECEMBER)
    assert publish.publish(settings, NOVEMBER).revision == "r1"
    assert publish.publish(settings, DECEMBER).revision == "r1"


def test_a_file_of_a_calculation_that_was_cut_is_no_defect_of_the_program(homes: Path, tmp_path: Path) -> None:
    settings = office(Path(shutil.copytree(homes / MONTHS[0], tmp_path / "home")))
    load.load(settings, [SAMPLE / "reports" / MONTHS[1]])
    rate.rate(settings, OCTOBER)
    (path,) = (settings.home / "calculations" / f"month={OCTOBER}").glob("c*/standard.parquet")
    path.write_bytes(path.read_bytes()[:-4])
    shown = ratinglist("publish", MONTHS[1], home=settings.home)
    assert shown.returncode == AlteredError.exit_code
    assert str(path) in shown.stderr


def test_another_table_in_the_place_of_a_calculated_one_is_no_defect_of_the_program(
    homes: Path, tmp_path: Path
) -> None:
    home = Path(shutil.copytree(homes / MONTHS[0], tmp_path / "home"))
    (path,) = (home / "calculations" / f"month={FIRST}").glob("c*/games.parquet")
    path.write_bytes(path.with_name("changes.parquet").read_bytes())
    check_named(path, ratinglist("load", SAMPLE / "reports" / MONTHS[1], home=home))


def check_named(path: Path, shown: Shown) -> None:
    assert shown.returncode == NothingReadError.exit_code, shown
    assert f"{path} was altered" in shown.stderr
    assert "ratinglist doctor --rebuild" in shown.stderr


def test_what_a_killed_command_left_in_the_folder_of_letters_is_removed_by_the_next_one(
    homes: Path, tmp_path: Path
) -> None:
    ended = subprocess.Popen(["true"])
    ended.wait()
    left = tmp_path / f"{atomic_file._OF_MACHINE}{ended.pid}-a"
    left.mkdir()
    (left / "half.txt").touch()
    assert letters.letters(office(homes / MONTHS[0]), FIRST, tmp_path).letters
    assert not left.exists()


def test_a_home_is_not_loaded_and_neither_is_a_part_of_one(first_month: Settings, tmp_path: Path) -> None:
    other = Path(shutil.copytree(first_month.home, tmp_path / "other"))
    entries = len(Log.open(first_month.home).entries)
    for folder in (first_month.home, first_month.reports, other, other / "reports", other / "published" / MONTHS[0]):
        with pytest.raises(CommandLineError, match="is the home of an office, or is in it"):
            load.load(first_month, [folder])
    inbox = Path(shutil.copytree(SAMPLE / "reports" / MONTHS[1], first_month.home / "inbox"))
    assert len(Log.open(first_month.home).entries) == entries
    assert load.load(first_month, [inbox]).accepted


def test_a_workbook_for_which_there_is_no_space_is_no_defect_of_the_program(
    homes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise FileCreateError(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))

    monkeypatch.setattr("xlsxwriter.Workbook.close", refused)
    words = ("export", MONTHS[0], "--format", "xlsx", "--out", tmp_path / "list.xlsx")
    shown = ratinglist(*words, home=homes / MONTHS[0])
    assert shown.returncode == NothingReadError.exit_code
    assert "Free space on the disk" in shown.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("number", long_but([errno.EIO, errno.ENOSPC, errno.EMFILE], errno.ENOSPC))
def test_an_error_of_the_disk_while_months_are_replayed_is_no_defect_of_the_program(
    homes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    home = Path(shutil.copytree(homes / MONTHS[0], tmp_path / "home"))
    file, text = str(home / "lab" / "a.parquet"), os.strerror(number)

    def refused(*_: object, **__: object) -> None:
        raise OSError(number, text, file)

    monkeypatch.setattr(pl.DataFrame, "write_parquet", refused)
    shown = ratinglist("lab", "replay", "--systems", "fide", home=home)
    assert shown.returncode == NothingReadError.exit_code
    assert "defect" not in shown.stderr
    assert ("Free space" in shown.stderr) == (number == errno.ENOSPC)
