from __future__ import annotations

import csv
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ratinglist.errors import CommandLineError
from ratinglist_world.people import FEDERATIONS, world_of
from ratinglist_world.simulate import MANIFEST, simulate
from tests.world.worlds import FIRST, MONTHS_WRITTEN

MONTHS_WRITTEN_AGAIN = 2


def written(folder: Path) -> dict[str, bytes]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_a_world_is_a_list_registrations_and_reports_with_a_manifest(world_folder):
    names = {path.relative_to(world_folder).as_posix() for path in world_folder.iterdir()}
    assert names == {"list-2025-10.csv", "reports", *(f"players-{month}.csv" for month in months_written())}
    for month in months_written():
        folder = world_folder / "reports" / month
        with (folder / MANIFEST).open(encoding="utf-8", newline="") as file:
            named = [row["file"] for row in csv.DictReader(file)]
        assert sorted([*named, MANIFEST]) == sorted(path.name for path in folder.iterdir())


def months_written() -> list[str]:
    return [str(FIRST + number) for number in range(MONTHS_WRITTEN)]


def test_the_same_seed_gives_the_same_bytes_in_another_process_and_a_month_needs_none_after_it(world_folder, tmp_path):
    script = (
        "from pathlib import Path; import sys; from ratinglist_world.simulate import simulate;"
        "from tests.world.worlds import hard_luck; simulate(Path(sys.argv[1]), hard_luck(), int(sys.argv[2]))"
    )
    root = Path(__file__).parents[2]
    subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "out"), str(MONTHS_WRITTEN_AGAIN)],
        check=True,
        cwd=root,
        env=os.environ | {"PYTHONHASHSEED": "7", "PYTHONPATH": f"{root / 'src'}{os.pathsep}{root}"},
    )
    later = months_written()[MONTHS_WRITTEN_AGAIN:]
    first = {name: data for name, data in written(world_folder).items() if not any(month in name for month in later)}
    assert written(tmp_path / "out") == first


def test_the_summary_counts_what_is_written(tmp_path):
    summary = simulate(tmp_path / "out", world_of(300, FIRST, reports=30), 2).values
    names = {name.split("/")[-1] for name in written(tmp_path / "out")}
    assert summary["reports"] == len([name for name in names if name.endswith(".trf")])
    assert sum(summary["events"].values()) <= 60
    assert summary["games"] > 1000
    registered = [
        (tmp_path / "out" / f"players-{FIRST + at}.csv").read_text("utf-8").count("\n") - 1 for at in range(2)
    ]
    assert summary["newcomers"] + summary["changed_players"] == sum(registered)


def test_a_folder_with_other_files_and_no_months_are_refused(tmp_path):
    with pytest.raises(CommandLineError, match="--months is 0"):
        simulate(tmp_path / "out", world_of(60, FIRST), 0)
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(CommandLineError, match="is there already"):
        simulate(tmp_path, world_of(60, FIRST), 1)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"players": 59}, "--players is 59"),
        ({"players": 2_000_001}, "--players is 2,000,001"),
        ({"players": 60, "reports": 0}, "--reports is 0"),
        ({"players": 60, "federations": ("orv",)}, "--federation is 'orv'"),
        ({"players": 60, "federations": ("ORV", "ORV")}, "twice"),
    ],
)
def test_an_impossible_world_is_refused(options, message):
    with pytest.raises(CommandLineError, match=message):
        world_of(first=FIRST, **options)


@pytest.mark.parametrize(
    ("players", "reports", "federations"),
    [(60, 4, 1), (1_000, 4, 1), (20_000, 60, 1), (20_001, 60, 2), (2_000_000, 5_010, len(FEDERATIONS))],
)
def test_the_number_of_reports_and_of_federations_follows_from_the_players(players, reports, federations):
    world = world_of(players, FIRST)
    assert (world.reports, world.federations) == (reports, FEDERATIONS[:federations])
