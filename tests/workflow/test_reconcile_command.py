"""The command `ratinglist reconcile`."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from ratinglist.period import Period
from ratinglist.settings import Settings
from ratinglist.workflows import import_files, load, run
from ratinglist_lab.reconcile import DIFFERENCE
from tests.command_line import did, ratinglist
from tests.conftest import SAMPLE, office

pytestmark = pytest.mark.asks_only()


def own_list(settings: Settings, month: str = "2025-11") -> Path:
    return settings.published / month / "r1" / "standard.csv"


def doctored(settings: Settings, folder: Path, *changes: tuple[str, str]) -> Path:
    """Write our list of November as an official file, with some lines changed."""
    text = own_list(settings).read_text(encoding="utf-8")
    for old, new in changes:
        assert text.count(old) == 1
        text = text.replace(old, new)
    file = folder / "official.csv"
    file.write_text(text, encoding="utf-8")
    return file


def line_of(settings: Settings, fide_id: int) -> str:
    (line,) = [row for row in own_list(settings).read_text(encoding="utf-8").splitlines() if f",{fide_id}," in row]
    return line


def test_an_unexplained_difference_is_exit_4_and_written_to_the_given_file(last: Settings, tmp_path: Path) -> None:
    line = line_of(last, 99900471)
    (rating,) = pl.read_csv(own_list(last)).filter(pl.col("fide_id") == 99900471)["rating"]
    file = doctored(last, tmp_path, (line, line.replace(f",{rating},", ",1999,")))
    shown = ratinglist("reconcile", "2025-11", file, "--out", tmp_path / "differences.parquet", home=last.home)
    assert (shown.returncode, "1 difference is unexplained" in shown.stderr) == (4, True)
    assert "unexplained: 99900471 Brightwater" in shown.stdout
    rows = pl.read_parquet(tmp_path / "differences.parquet")
    assert dict(rows.schema) == dict(DIFFERENCE.schema)
    assert rows["official"].to_list() == ["1999"]
    assert not (last.home / "reconciled").exists()


def test_an_event_that_is_missing_there_is_found_among_ours(rated: Settings, tmp_path: Path) -> None:
    games = pl.read_parquet(rated.published / "2025-11" / "r1" / "games.parquet").filter("rated")
    changes = pl.read_parquet(rated.published / "2025-11" / "r1" / "changes.parquet").filter(pl.col("k").is_not_null())
    events = games.group_by("fide_id").agg(pl.col("event_id").n_unique(), pl.len())
    one_event = changes.join(events.filter(pl.col("event_id") == 1), on="fide_id").sort("fide_id").to_dicts()[0]
    line = line_of(rated, one_event["fide_id"])
    new = line.replace(f",{one_event['new_rating']},{one_event['games']},", f",{one_event['old_rating']},0,")
    shown = did(rated.home, "reconcile", "2025-11", doctored(rated, tmp_path, (line, new)), "--json")
    assert json.loads(shown)["unexplained"] == 0
    written = pl.read_csv(rated.home / "reconciled" / "2025-11.csv").to_dicts()
    assert {row["column"]: (row["class"], row["cause"]) for row in written} == {
        "rating": ("event", "extra_event"),
        "games": ("event", "extra_event"),
    }


@pytest.mark.long
def test_a_list_that_is_only_calculated(rated: Settings, tmp_path: Path) -> None:
    """What is published is not deleted for it: a home whose log and publications disagree shows nothing."""
    settings = office(tmp_path / "calculated")
    import_files.import_list(settings, SAMPLE / "list-2025-08.csv", Period.parse("2025-08"))
    import_files.import_players(settings, SAMPLE / "players-2025-09.csv")
    load.load(settings, [SAMPLE / "reports" / "2025-09"])
    run.rate(settings, Period.parse("2025-09"))
    shown = did(settings.home, "reconcile", "2025-09", own_list(rated, "2025-09"))
    assert "List of 2025-09 (calculated) against" in shown


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["2025-13", "LIST"], 2, "write YYYY-MM"),
        (["2025-11", "LIST", "--out", "differences.txt"], 2, ".csv or .parquet"),
        (["2025-11", "LIST", "--out", "not-there/differences.csv"], 2, "not a folder"),
        (["2025-11", "not-there.csv"], 3, "cannot be opened"),
        (["2025-12", "LIST"], 3, "column list_month: '2025-11' is not 2025-12"),
        (["2026-03", "EARLY"], 3, "not calculated yet"),
        (["2025-11", "LIST", "--time-control", "rapid"], 3, "no time control in common"),
    ],
)
def test_what_cannot_be_compared(
    arguments: list[str], code: int, message: str, last: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "early.csv").write_text("fide_id,name,time_control,rating\n1,A,standard,1800\n", encoding="utf-8")
    files = {"LIST": str(own_list(last)), "EARLY": "early.csv"}
    shown = ratinglist("reconcile", *(files.get(word, word) for word in arguments), home=last.home)
    assert (shown.returncode, message in shown.stderr) == (code, True), shown.stderr
    assert not (last.home / "reconciled").exists()
