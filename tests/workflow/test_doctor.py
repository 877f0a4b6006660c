"""`doctor` names what is wrong with a home, and deletes only what nothing needs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ratinglist.errors import NothingReadError
from ratinglist.period import Period
from ratinglist.settings import Settings
from ratinglist.workflows import doctor, import_files, load, publish, replay, run
from tests.command_line import ratinglist
from tests.conftest import MONTHS, SAMPLE, copied, published_bytes

FIRST = Period.parse(MONTHS[0])


def names(home: Path) -> set[str]:
    """Everything in a home."""
    return {path.relative_to(home).as_posix() for path in home.rglob("*")}


def test_a_whole_home_is_whole_and_not_changed(first_month: Settings) -> None:
    before = {name: (first_month.home / name).stat().st_mtime_ns for name in names(first_month.home)}
    shown = ratinglist("doctor", "--json", home=first_month.home)
    assert (shown.returncode, json.loads(shown.stdout)["whole"]) == (0, True)
    assert {name: (first_month.home / name).stat().st_mtime_ns for name in names(first_month.home)} == before


def test_what_is_wrong_is_printed_with_its_remedy_and_exit_4(first_month: Settings) -> None:
    (first_month.published / MONTHS[0] / "latest").unlink()
    shown = ratinglist("doctor", home=first_month.home)
    assert shown.returncode == 4
    assert f"{first_month.published}/{MONTHS[0]}/latest" in shown.stdout
    assert "remedy: ratinglist doctor --rebuild" in shown.stdout
    assert shown.stderr.endswith(f": 1 problem found in {first_month.home}\n")


def test_what_nothing_needs_is_deleted_and_named(first_month: Settings) -> None:
    whole, before = names(first_month.home), published_bytes(first_month.home)
    publish.preview(first_month, FIRST)
    for name in ("reports/.tmp-abc", f"published/{MONTHS[0]}/.tmp-latest", "originals/" + "0" * 64):
        (first_month.home / name).touch()
    with pytest.raises(NothingReadError):
        import_files.import_players(first_month, SAMPLE / "README.md")
    done = doctor.tidy(first_month)
    assert [one.partition(": ")[2] for one in done.values["removed"]] == [
        "an old preview",
        *["an original that was not imported"] * 2,
    ]
    preview_entry = {"log/000006.json"}
    assert names(first_month.home) - {"previews"} - preview_entry == whole
    assert doctor.tidy(first_month).values["removed"] == []
    replay.rebuild(first_month)
    assert published_bytes(first_month.home) == before


def test_a_preview_that_can_be_published_is_kept(homes: Path, tmp_path: Path) -> None:
    settings, month = copied(homes / "2025-08", tmp_path), FIRST
    import_files.import_players(settings, SAMPLE / "players-2025-09.csv")
    load.load(settings, [SAMPLE / "reports" / MONTHS[0]])
    run.rate(settings, month)
    publish.preview(settings, month)
    assert doctor.tidy(settings).values["removed"] == []
    run.rate(settings, month)  # another calculation
    publish.preview(settings, month)
    publish.publish(settings, month)
    assert doctor.tidy(settings).values["removed"] == [f"previews/{MONTHS[0]}: an old preview"]
