"""`doctor` names what is wrong with a home, and deletes only what nothing needs."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from ratinglist.config import Settings
from ratinglist.errors import NothingReadError
from ratinglist.home import compared_files
from ratinglist.period import Period
from ratinglist.workflows import doctor, import_files, load, publish, rate, rebuild, tidy
from ratinglist.workflows.opening import open_to_write
from tests.command_line import ratinglist
from tests.conftest import MONTHS, SAMPLE, office, published_bytes

FIRST = Period.parse(MONTHS[0])


@pytest.fixture
def small(homes: Path, tmp_path: Path) -> Settings:
    """An office that has published one month; yours to break."""
    shutil.copytree(homes / MONTHS[0], tmp_path / "home")
    return office(tmp_path / "home")


def names(home: Path) -> set[str]:
    """Everything in a home but for what is written once the published files are two seconds old."""
    return {path.relative_to(home).as_posix() for path in home.rglob("*")} - {compared_files.NAME}


def test_a_whole_home_is_whole_and_not_changed(small: Settings) -> None:
    before = {name: (small.home / name).stat().st_mtime_ns for name in names(small.home)}
    shown = ratinglist("doctor", "--json", home=small.home)
    assert (shown.returncode, json.loads(shown.stdout)["whole"]) == (0, True)
    assert {name: (small.home / name).stat().st_mtime_ns for name in names(small.home)} == before


def test_what_is_wrong_is_printed_with_its_remedy_and_exit_4(small: Settings) -> None:
    (small.published / MONTHS[0] / "latest").unlink()
    shown = ratinglist("doctor", home=small.home)
    assert shown.returncode == 4
    assert f"{small.published}/{MONTHS[0]}/latest" in shown.stdout
    assert "remedy: ratinglist doctor --rebuild" in shown.stdout
    assert shown.stderr.endswith(f": 1 problem found in {small.home}\n")


def test_the_folder_for_other_tools_is_compared_and_made_again(small: Settings) -> None:
    with open_to_write(small):
        pass
    lists, games = (small.current / name / f"month={FIRST}" / "revision=1" for name in ("lists", "games"))
    (games / "games.parquet").unlink()
    (lists / "standard.parquet").unlink()
    shutil.copy(small.published / MONTHS[0] / "r1" / "pool.parquet", lists / "standard.parquet")
    (lists / "old.parquet").touch()
    found = doctor.check(small)
    assert {(one.file, one.description.partition(": ")[0]) for one in found.problems} == {
        (str(games / "games.parquet"), "is missing"),
        (str(lists / "old.parquet"), "is no table of a current revision"),
        (
            str(lists / "standard.parquet"),
            f"is another file than {small.published / MONTHS[0] / 'r1' / 'standard.parquet'}",
        ),
    }
    assert {one.remedy for one in found.problems} == {doctor.MAKE_CURRENT}
    with open_to_write(small):
        pass
    assert doctor.check(small).problems == []


def test_a_copy_of_a_home_has_tables_of_its_own_for_other_tools(small: Settings) -> None:
    with open_to_write(small):
        pass
    copy = office(Path(shutil.copytree(small.home, small.home.with_name("copy"))))
    table = next(copy.current.rglob("standard.parquet"))
    assert not table.samefile(copy.published / MONTHS[0] / "r1" / "standard.parquet")
    assert doctor.check(copy).problems == []


def test_there_is_a_home_to_check(tmp_path: Path) -> None:
    with pytest.raises(NothingReadError, match="there is no home here"):
        doctor.check(office(tmp_path / "nowhere"))
    (tmp_path / "published").mkdir()
    shown = ratinglist("doctor", "--rebuild", "--tidy", home=tmp_path)
    assert (shown.returncode, "two commands" in shown.stderr) == (2, True)


def test_what_nothing_needs_is_deleted_and_named(small: Settings) -> None:
    whole, before = names(small.home), published_bytes(small.home)
    publish.preview(small, FIRST)
    for name in ("reports/.abc.1.tmp", f"published/{MONTHS[0]}/.tmp-latest", "originals/" + "0" * 64):
        (small.home / name).touch()
    (small.home / "buckets" / "sides").mkdir(parents=True)
    with pytest.raises(NothingReadError):
        import_files.import_players(small, SAMPLE / "README.md")
    done = tidy.tidy(small)
    assert [one.partition(": ")[2] for one in done.removed] == [
        "an old preview",
        "the buckets of a month whose calculation was killed",
        *["an original that was not imported"] * 2,
    ]
    preview_entry = {"log/000006.json"}
    assert names(small.home) - {"previews"} - preview_entry == whole
    assert tidy.tidy(small).text() == f"{small.home}: nothing to delete"
    rebuild.rebuild(small)
    assert published_bytes(small.home) == before


@pytest.mark.thorough
def test_a_preview_that_can_be_published_is_kept(homes: Path, tmp_path: Path) -> None:
    settings, month = office(Path(shutil.copytree(homes / "2025-08", tmp_path / "home"))), FIRST
    load.load(settings, [SAMPLE / "reports" / MONTHS[0]])
    rate.rate(settings, month)
    publish.preview(settings, month)
    assert tidy.tidy(settings).removed == []
    rate.rate(settings, month)  # another calculation
    publish.preview(settings, month)
    publish.publish(settings, month)
    assert tidy.tidy(settings).removed == [f"previews/{MONTHS[0]}: an old preview"]
