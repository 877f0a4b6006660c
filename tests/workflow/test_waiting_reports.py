"""Reports without a time control wait; a list keeps the readings that it was published by."""

from __future__ import annotations

import shutil
from pathlib import Path

import polars as pl
import pytest

from ratinglist.config import Settings
from ratinglist.period import Period
from ratinglist.rating import readings
from ratinglist.workflows import event, import_files, load, quarantine, rate, rebuild, reproduce, rerate, run
from tests import conftest, trf_text

OCTOBER, NOVEMBER, DECEMBER = (Period.parse(month) for month in ("2025-10", "2025-11", "2025-12"))
HEAD = tuple(line for line in trf_text.HEAD if not line.startswith(("042", "052", "122")))
COLUMNS = (
    "fide_id,name,federation,sex,title,women_title,other_titles,birth_date,birth_year,time_control,rating,k,"
    "games_played,reached_2400,reached_2300,last_played,flag"
)


def deliver(folder: Path, name: str, head: tuple[str, ...] = HEAD, **facts: str) -> Path:
    """Write a report into a folder with a manifest of ``facts``."""
    folder.mkdir(parents=True)
    (folder / name).write_text(trf_text.report(head=(f"012 {name}", *head[1:])), encoding="utf-8")
    rows = {"file": name, "event_id": name, "version": "1", "official": "0", "registered_on": "2025-01-01", **facts}
    (folder / "manifest.csv").write_text(f"{','.join(rows)}\n{','.join(rows.values())}\n", encoding="utf-8")
    return folder


SEPTEMBER_DAYS = {"start_date": "2025-09-01", "end_date": "2025-09-20", "received_on": "2025-09-21"}
OCTOBER_DAYS = {"start_date": "2025-10-01", "end_date": "2025-10-20", "received_on": "2025-10-21"}


@pytest.fixture(scope="module")
def old_home(tmp_path_factory):
    """Return a home by the first readings: October is published, and a report is there that no list has looked at."""
    folder = tmp_path_factory.mktemp("old")
    settings = conftest.office(folder / "home")
    names = enumerate(("Alder", "Birch", "Cedar", "Dogwood"), start=900001)
    rows = [f"{number},{name},ITA,m,,,,,1990,standard,1800,20,0,,,," for number, name in names]
    (folder / "list.csv").write_text("\n".join([COLUMNS, *rows]) + "\n", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(readings, "NEWEST", readings.FIRST)
        import_files.import_list(settings, folder / "list.csv", Period.parse("2025-09"))
        run.run(settings, OCTOBER, [deliver(folder / "in", "assumed.trf", **SEPTEMBER_DAYS)])
        load.load(settings, [deliver(folder / "next", "next.trf", **OCTOBER_DAYS)])
    return settings.home


@pytest.fixture
def old(old_home, tmp_path) -> Settings:
    shutil.copytree(old_home, tmp_path / "home")
    return conftest.office(tmp_path / "home")


def events(settings: Settings, month: str) -> dict[str, tuple[str, str]]:
    found = pl.read_parquet(settings.published / month / "r1" / "events.parquet")
    return {one["event_id"]: (one["status"], one["reason"]) for one in found.to_dicts()}


def revisions(settings: Settings) -> dict[str, bytes]:
    return {name: data for name, data in conftest.published_bytes(settings.home).items() if "/r" in name}


@pytest.mark.long
def test_a_home_of_before_keeps_what_it_published(old: Settings) -> None:
    before = revisions(old)
    assert events(old, "2025-10") == {"assumed.trf": ("rated", "")}
    assert b'"readings"' not in (old.published / "2025-10" / "r1" / "manifest.json").read_bytes()
    rerate.rerate(old, OCTOBER)
    rate.rate(old, OCTOBER)
    assert revisions(old) == before


@pytest.mark.long
def test_a_home_of_before_is_rebuilt_and_reproduced_as_it_was_published(old: Settings) -> None:
    before = revisions(old)
    assert rebuild.rebuild(old).put_back == []
    assert revisions(old) == before
    assert reproduce.reproduce(old.published / "2025-10" / "r1", old.home, old).month == "2025-10"


@pytest.mark.long
def test_the_next_list_of_a_home_of_before_takes_no_report_that_was_taken_as_standard(old: Settings) -> None:
    summary = run.run(old, NOVEMBER, because={"no_events": "its one report waits"})
    assert events(old, "2025-11") == {"next.trf": ("refused", "time_control_unknown")}
    (row,) = summary.rated.refused
    assert row["file"].endswith("next.trf")
    assert (row["reason"], row["status"]) == ("time_control_unknown", "waiting")
    assert reproduce.reproduce(old.published / "2025-11" / "r1", old.home, old).month == "2025-11"


@pytest.mark.long
def test_a_report_waits_until_its_time_control_is_stated(old: Settings, tmp_path: Path) -> None:
    loaded = load.load(old, [deliver(tmp_path / "a", "weekend.trf", (*HEAD, "122 90 min x 40"), **OCTOBER_DAYS)])
    (row,) = loaded.refused
    assert (row["reason"], row["status"], row["line"], row["column"]) == ("time_control_unknown", "waiting", 7, 5)
    assert "waits    " in loaded.text()
    assert "90 min x 40" in loaded.text()
    assert [one["reason"] for one in quarantine.quarantined(old) if "weekend" in str(one["file"])] == [row["reason"]]
    deliver(tmp_path / "b", "weekend.trf", (*HEAD, "122 90 min x 40"), time_control="standard", **OCTOBER_DAYS)
    run.run(old, NOVEMBER, [tmp_path / "b"])
    assert events(old, "2025-11")["weekend.trf"] == ("rated", "")
    assert not [one for one in quarantine.quarantined(old) if "weekend" in str(one["file"])]
    assert set(event.report_statuses(old, "weekend.trf")["status"]) == {"waiting", "rated"}


@pytest.mark.long
def test_the_office_may_state_a_time_control_for_all(old: Settings, tmp_path: Path) -> None:
    (old.home / "office.toml").write_text('[reports]\ntime_control = "standard"\n', encoding="utf-8")
    loaded = load.load(conftest.office(old.home), [deliver(tmp_path / "a", "weekend.trf", **OCTOBER_DAYS)])
    assert loaded.refused == []
    assert "office_time_control" in [note.reason for note in loaded.notes]
