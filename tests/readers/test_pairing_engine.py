"""Pairing engines: we load what py4swiss writes; py4swiss, gacrux and caissify-pairings read what we simulate."""

from __future__ import annotations

import json
import subprocess
import zipfile
from collections import Counter
from pathlib import Path

import polars as pl
import pytest

from ratinglist.reports import find, judge, read, read_batches
from ratinglist.tables import DELIVERED, FILE_FINDING
from ratinglist_world.people import Plan, world_of
from ratinglist_world.simulate import simulate
from tests.readers import readers
from tests.world.worlds import FIRST, hard_luck, reports_due

PYTHON = readers.INSTALLED / "bin" / "python"
pytestmark = pytest.mark.skipif(not PYTHON.exists(), reason="make test-readers installs it")


def py4swiss(*arguments: object) -> str:
    script = readers.PROGRAMS / "swiss_tournament.py"
    return subprocess.run(
        [PYTHON, script, *map(str, arguments)], capture_output=True, text=True, check=True, timeout=300
    ).stdout


@pytest.mark.parametrize(("players", "rounds"), [(8, 3), (25, 7), (60, 9)])
def test_a_tournament_that_it_paired_is_loaded_game_by_game(tmp_path: Path, players: int, rounds: int) -> None:
    file = tmp_path / "paired.trf"
    py4swiss("generate", file, players, rounds)
    text = file.read_text(encoding="utf-8")
    facts = {"file_no": 0, "file_name": file.name, "sha256": "0" * 64, "text": text, "time_control": "standard"}
    row = dict.fromkeys(DELIVERED.columns) | facts
    frame = pl.DataFrame([row], schema=DELIVERED.schema).with_columns(received_on=pl.date(2024, 4, 20))
    reading = judge.read(DELIVERED.conform(frame), FILE_FINDING.empty())
    assert reading.reports["accepted"].to_list() == [True], reading.findings.to_dicts()
    assert reading.games.height == rounds * (players // 2)
    sides = Counter[int]()
    for game in reading.games.iter_rows(named=True):
        sides[game["white_id"]] += game["white_halves"] * 5
        sides[game["black_id"]] += game["black_halves"] * 5
    read_back = json.loads(py4swiss("read", file))[str(file)]
    byes = rounds * (players % 2) * 10
    assert sum(sides.values()) + byes == sum(points for _, points, _ in read_back)


def _for_py4swiss(text: str) -> str:
    """Return a report without the dates of the rounds, and with the number of rounds as an extension.

    TRF has a date every ten columns, py4swiss reads one every nine. It knows no record of TRF26 but those of TRF16.
    """
    lines = [line for line in text.splitlines() if not line.startswith("132")]
    return "\n".join(line.replace("142 ", "XXR ", 1) if line.startswith("142 ") else line for line in lines) + "\n"


def test_it_reads_the_reports_that_are_simulated(tmp_path: Path) -> None:
    expected = {}
    for report in reports_due(hard_luck(), 4):
        # py4swiss takes no blank cell, which is one of a round in an earlier part of the event.
        if report.fault in ("no_id", "both_won") or report.first_round > 1:
            continue
        path, text = tmp_path / f"{len(expected)}-{report.file}", report.text()
        path.write_text(_for_py4swiss(text), encoding="utf-8")
        expected[str(path)] = [
            [int(line[57:68]), int(float(line[80:84]) * 10), sum(cell in "1=0" for cell in line[98::10])]
            for line in text.splitlines()
            if line.startswith("001")
        ]
    assert len(expected) > 20
    assert json.loads(py4swiss("read", *expected)) == expected


def test_others_read_every_report_that_is_simulated(tmp_path: Path) -> None:
    simulate(tmp_path / "world", world_of(1500, FIRST, 1, 40, plan=Plan(problems={"late": 60})), 1)
    folder = tmp_path / "world" / "reports" / str(FIRST)
    with zipfile.ZipFile(tmp_path / "reports.zip", "w") as archive:
        for file in sorted(folder.glob("*.trf")):
            archive.write(file, file.name)
    expected = sum(
        read(batch.delivered, batch.findings).games.height
        for batch in read_batches(find([folder]), FIRST.first_day, FIRST.first_day)
    )
    of_gacrux, of_caissify = (
        sorted(
            str(side) for side in map(_of_a_game, readers.read(readers.READERS[name], tmp_path / "reports.zip")) if side
        )
        for name in ("gacrux", "caissify-pairings")
    )
    assert expected > 1000
    assert len(of_gacrux) == 2 * expected
    assert of_gacrux == of_caissify


def _of_a_game(side: dict[str, object]) -> dict[str, object]:
    """Return a side of a game played, an absent rating as 0; of a forfeit nothing."""
    return side | {"rating": side["rating"] or 0} if side["result"] in ("1", "=", "0") else {}
