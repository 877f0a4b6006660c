"""No name and no code of an event has a date of birth that the office knows, and a refused report says nothing."""

from __future__ import annotations

import shutil
from pathlib import Path

import polars as pl
import pytest

from tests.command_line import did, ratinglist
from tests.conftest import MONTHS
from tests.parameters import long_but

BEFORE, MONTH = MONTHS[0], MONTHS[1]
PLAYER = 99900027
"""A player of the sample, born on 2 November 1983: the report below has the year alone."""


def report(name: str, births: str = "1983") -> str:
    """Return a report of one game between the player and another one of the sample."""
    players = [(1, PLAYER, births, 2, "w", "1.0"), (2, 99900208, "", 1, "b", "0.0")]
    lines = [
        f"001 {number:4} m    {'Player, A':33}      ORV {fide_id:11} {born:10} {points:>4}       {other:4} {colour} "
        f"{points[0]}"
        for number, fide_id, born, other, colour, points in players
    ]
    head = [f"012 {name}", "032 ORV", "042 2025/09/13", "052 2025/09/13", "102 Arbiter", "122 90 min + 30 sec"]
    return "\n".join([*head, *lines, ""])


def delivered(folder: Path, name: str, code: str = "", births: str = "1983") -> Path:
    folder.mkdir()
    (folder / "a.trf").write_text(report(name, births), encoding="utf-8")
    manifest = f"file,event_id,time_control,received_on\na.trf,{code},standard,2025-09-15\n"
    (folder / "manifest.csv").write_text(manifest, encoding="utf-8")
    return folder


@pytest.fixture
def home(homes: Path, tmp_path: Path) -> Path:
    shutil.copytree(homes / BEFORE, tmp_path / "home")
    return tmp_path / "home"


def published(home: Path, question: str = "unlike_name") -> list[pl.DataFrame]:
    """Return the published events of the list, and of all lists, after the month was run again.

    ``question``: the one that is raised. The report has other names for its FIDE IDs; where it is refused, the list
    rates nothing.
    """
    did(home, "run", MONTH, "--because", f"{question}=made up")
    folder = home / "published"
    latest = folder / MONTH / (folder / MONTH / "latest").read_text(encoding="utf-8").strip()
    return [pl.read_parquet(latest / "events.parquet"), pl.read_parquet(folder / "events.parquet")]


@pytest.mark.parametrize(
    "written",
    long_but(
        [
            "2.11.1983",
            "1983年11月2日",
            "2. Novembre 1983",
            "2 nov. 83",
        ],
        "1983年11月2日",
    ),
)
def test_a_name_with_the_date_of_a_player_whose_report_has_the_year_alone_is_not_published(home, tmp_path, written):
    did(home, "load", delivered(tmp_path / "in", f"Cup of {written}", "CUP1"), "--json")
    for events in published(home):
        event = events.filter(pl.col("event_id") == "CUP1")
        assert event.select("name", "federation", "status").rows() == [("CUP1", "ORV", "rated")]


@pytest.mark.long
@pytest.mark.long
def test_what_a_refused_report_says_is_not_published(home, tmp_path):
    folder = delivered(tmp_path / "in", "Cup of 2.11.1983", "CUP1", births="1983/11/02")
    assert "birth_date_in_name" in ratinglist("load", folder, "--json", home=home).stdout
    for events in published(home, "no_events"):
        event = events.filter(pl.col("event_id") == "CUP1")
        assert event.select("name", "federation", "start_date", "end_date", "reason").rows() == [
            ("CUP1", "", None, None, "report_refused")
        ]
        assert events.filter((pl.col("reason") == "report_refused") & (pl.col("name") != pl.col("event_id"))).is_empty()


@pytest.mark.parametrize("code", long_but(["CUP-1983-11-02", "02111983", "CUP 2. nov. 1983"], "CUP-1983-11-02"))
def test_a_code_with_a_date_of_birth_refuses_its_report_and_is_not_published(home, tmp_path, code):
    shown = ratinglist("load", delivered(tmp_path / "in", "Cup", code), home=home)
    assert (
        "the event_id has the date of birth of a player, and codes of events are published"
        in shown.stderr + shown.stdout
    )
    for events in published(home, "no_events"):
        assert code not in set(events["event_id"])
    assert code not in "".join(path.read_text("utf-8") for path in (home / "published").rglob("manifest.json"))
