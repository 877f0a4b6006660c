"""What the guards on a publication refuse: a month far in the future, a list on an unpublished one, a late receipt."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest

from ratinglist.errors import CheckError, CommandLineError
from ratinglist.period import Period
from ratinglist.publication import revisions
from ratinglist.settings import Settings
from ratinglist.workflows import import_files, load, publish, run
from tests.conftest import SAMPLE, published_bytes

NOVEMBER = Period.parse("2025-11")
DECEMBER = Period.parse("2025-12")


@pytest.mark.parametrize(
    ("today", "allowed"), [(date(2025, 11, 1), True), (date(2025, 10, 31), False), (date(2024, 12, 1), False)]
)
def test_a_list_more_than_one_month_after_today_is_refused(today: date, allowed: bool) -> None:
    settings = Settings(home=Path("home"), family="fide", today=today)
    if allowed:
        settings.check_month(DECEMBER)
    else:
        with pytest.raises(CommandLineError, match=r"The list of 2025-12 takes effect more than one month after today"):
            settings.check_month(DECEMBER)


@pytest.mark.parametrize(
    ("days", "refused"), [*(pytest.param(days, False, marks=pytest.mark.long) for days in (0, 1)), (2, True)]
)
def test_a_clock_that_is_days_behind_the_newest_change_is_refused(rated: Settings, days: int, refused: bool) -> None:
    before = published_bytes(rated.home)
    clock = replace(rated, today=rated.today - timedelta(days=days), is_clock=True)
    if not refused:
        assert not publish.publish(clock, DECEMBER).is_new
        return
    with pytest.raises(CheckError, match=r"clock .* says 2025-11-29, and .* made on 2025-12-01\. Nothing was changed"):
        publish.publish(clock, DECEMBER)
    assert published_bytes(rated.home) == before


def test_a_given_day_before_the_newest_change_is_taken(rated: Settings) -> None:
    assert not publish.publish(replace(rated, today=date(2025, 11, 29)), DECEMBER).is_new


def test_the_day_of_the_environment_is_given(tmp_path: Path) -> None:
    given = Settings.read(tmp_path, environment={"RATINGLIST_TODAY": "2025-11-29"})
    assert (given.today, given.is_clock) == (date(2025, 11, 29), False)
    assert Settings.read(tmp_path, environment={}).is_clock


def test_no_list_is_published_on_a_calculated_list_that_is_not(until_october: Settings) -> None:
    for month in (NOVEMBER, DECEMBER):
        import_files.import_players(until_october, SAMPLE / f"players-{month}.csv")
        load.load(until_october, [SAMPLE / "reports" / str(month)])
        run.rate(until_october, month)
    with pytest.raises(CheckError, match=r"was calculated from 2025-11, which is calculated but not published"):
        run.run(until_october, DECEMBER)
    assert revisions.latest(until_october.published, DECEMBER) is None
    publish.publish(until_october, NOVEMBER)
    assert publish.publish(until_october, DECEMBER).revision == "r1"


def test_a_report_of_which_the_manifest_says_so_is_refused_until_it_is_corrected(
    tmp_path: Path, rated: Settings
) -> None:
    report = SAMPLE / "reports" / "2025-11" / "KEL250900001.trf"
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.trf").write_bytes(report.read_bytes().replace(b"012 ", b"012 Another ", 1))
    manifest = tmp_path / "in" / "manifest.csv"
    manifest.write_text("file,received_on,time_control\na.trf,2062-11-03,standard\n", encoding="utf-8")
    loaded = load.load(rated, [tmp_path / "in"])
    assert (loaded.accepted, [one["reason"] for one in loaded.refused]) == (0, ["received_in_the_future"])
    manifest.write_text("file,received_on,time_control\na.trf,2025-11-03,standard\n", encoding="utf-8")
    assert load.load(rated, [tmp_path / "in"]).accepted == 1
