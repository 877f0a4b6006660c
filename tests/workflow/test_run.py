"""The whole line on the sample federation: what comes in, what comes out, and that nothing else can."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from datetime import date
from pathlib import Path

import polars as pl
import pytest

from ratinglist.period import Period
from ratinglist.settings import Settings
from ratinglist.store import received
from ratinglist.workflows import import_files, load, publish, run
from tests.conftest import MONTHS, ROOT, SAMPLE, office, published_bytes
from tests.stores import open_store


def environment(home: Path, **more: str) -> dict[str, str]:
    return {**os.environ, "RATINGLIST_HOME": str(home), "RATINGLIST_TODAY": "2025-12-01", **more}


def decoded(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252")


def table(published: Path, month: str, name: str) -> pl.DataFrame:
    return pl.read_parquet(published / month / "r1" / f"{name}.parquet")


def test_birth_dates_stay_in_the_store(rated: Settings) -> None:
    with open_store(rated.store) as store:
        born = received.players(store).filter(pl.col("birth_date").is_not_null())
    assert len(born) > 10
    everything = published_bytes(rated.home)
    for birth_date in born["birth_date"]:
        assert not any(str(birth_date).encode() in content for content in everything.values())
    for name, content in everything.items():
        if name.endswith(".parquet"):
            dates = [column for column, dtype in pl.read_parquet(content).schema.items() if dtype == pl.Date]
            of_events = {"date", "start_date", "end_date", "received_on", "registered_on", "rateable_until"}
            assert set(dates) <= of_events, name


FOUR_MONTHS, TWO_MONTHS, ONE_MONTH = 4, 2, 1


@pytest.mark.parametrize("months", [TWO_MONTHS, pytest.param(FOUR_MONTHS, marks=pytest.mark.long)])
def test_order_of_delivery_never_matters(months: int, homes: Path, tmp_path: Path) -> None:
    """Everything at once, in another order, then step by step: the same bytes as month by month in one run."""
    settings = office(tmp_path / "home")
    import_files.import_list(settings, SAMPLE / "list-2025-08.csv", Period.parse("2025-08"))
    folders = [SAMPLE / "reports" / month for month in MONTHS[:months]]
    random.Random(3).shuffle(folders)
    for folder in folders:
        load.load(settings, [folder])
    for month in MONTHS[:months]:
        if (players := SAMPLE / f"players-{month}.csv").exists():
            import_files.import_players(settings, players)
        run.rate(settings, Period.parse(month))
        publish.publish(settings, Period.parse(month))
    assert published_bytes(settings.home) == published_bytes(homes / MONTHS[months - 1])


@pytest.mark.parametrize(
    ("threads", "months"),
    [
        # Another number than `make test` runs with.
        ("3", ONE_MONTH),
        pytest.param("3", TWO_MONTHS, marks=pytest.mark.long),
        pytest.param("1", FOUR_MONTHS, marks=pytest.mark.long),
        pytest.param("2", FOUR_MONTHS, marks=pytest.mark.long),
    ],
)
def test_number_of_threads_never_matters(threads: str, months: int, homes: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    script = (
        "from tests.conftest import *; from ratinglist.settings import Settings;"
        "from datetime import date; import sys;"
        "rate_sample(Settings.read(sys.argv[1], today=date(2025, 12, 1)), MONTHS[:int(sys.argv[2])])"
    )
    subprocess.run(
        [sys.executable, "-c", script, str(home), str(months)],
        check=True,
        cwd=ROOT,
        env=environment(home, POLARS_MAX_THREADS=threads),
    )
    assert published_bytes(home) == published_bytes(homes / MONTHS[months - 1])


def test_running_a_month_again_changes_nothing(rated: Settings) -> None:
    before = published_bytes(rated.home)
    done = run.run(rated, Period.parse("2025-12"), [SAMPLE / "reports" / "2025-12"])
    assert not done.published.is_new
    assert done.loaded is not None
    assert done.loaded.accepted == 0
    assert published_bytes(rated.home) == before


def test_every_report_is_kept_by_its_digest(rated: Settings) -> None:
    kept = {path.name for path in (rated.home / "reports").iterdir()}
    with open_store(rated.store) as store:
        known = set(store.read("select sha256 from report")["sha256"])
    assert kept == known
    assert len(kept) >= 25


def test_a_published_game_is_walked_back_to_its_line(rated: Settings) -> None:
    with open_store(rated.store) as store:
        walked = store.read(
            """
            with line_of as (
                select report_no, round, white_id as fide_id, white_line as line from current_report_game
                union all
                select report_no, round, black_id, black_line from current_report_game
            )
            select report.sha256, line_of.line, 92 + 10 * (side.round - 1) as cell_column
            from side join event using (month, event_no) join report using (report_id)
            join line_of using (report_no, round, fide_id)
            where event.month = '2025-11' order by all limit 50
            """
        ).to_dicts()
    for row in walked:
        text = decoded((rated.home / "reports" / row["sha256"]).read_bytes())
        line = text.splitlines()[row["line"] - 1]
        assert line.startswith("001 ")
        cell = line[row["cell_column"] - 1 :][:8]
        assert cell[7] in "1=0", (row, cell)


def test_a_repeated_load_keeps_the_earliest_day_of_receipt(tmp_path: Path) -> None:
    settings = office(tmp_path / "home")
    report = tmp_path / "open.trf"
    report.write_text(SMALL_REPORT)
    for day in (date(2025, 11, 3), date(2025, 10, 20), date(2025, 11, 9)):
        load.load(settings, [report], day)
    with open_store(settings.store) as store:
        assert store.read("select received_on from report")["received_on"].to_list() == [date(2025, 10, 20)]


def test_manifest_names_rules_inputs_and_files(published: Path) -> None:
    manifest = json.loads((published / "2025-11" / "r1" / "manifest.json").read_text())
    assert [one["name"] for one in manifest["rule_sets"]] == ["fide/standard/2024-03-01", "fide/standard/2025-10-01"]
    assert manifest["inputs"]["reports"] == sorted(manifest["inputs"]["reports"])
    assert set(manifest["files"]) == {path.name for path in (published / "2025-11" / "r1").iterdir()} - {
        "manifest.json"
    }


SMALL_REPORT = """\
012 Small Open
032 SOL
042 2025/10/10
052 2025/10/11
102 Arbiter
122 90 minutes + 30 seconds a move
001    1 m    One, Player                       1800 SOL    99900901 1980/01/01  1.0    1     2 w 1
001    2 m    Two, Player                       1800 SOL    99900902 1980/01/01  0.0    2     1 b 0
"""
