"""A report with a FIDE ID that nobody has, and the name of a player who is registered."""

from __future__ import annotations

from pathlib import Path

import pytest

from ratinglist.period import Period
from ratinglist.workflows import import_files, load
from tests import conftest, trf_text

MISTYPED = 900991
REGISTERED = {
    900001: ("Alder, Jon", "ITA", 1990),
    900002: ("Birch, Kay", "ITA", 1990),
    900003: ("Cedar, Lou", "ITA", 1990),
    900005: ("Thorbjörnsson, Egill", "ISL", 1961),
    900006: ("Dogwood, May", "ITA", 1985),
    900007: ("Dogwood, Mary", "FRA", 1985),
}


def remedy(folder: Path, name: str) -> str:
    """What is to be done about a report whose fourth player has a mistyped FIDE ID and this name."""
    settings = conftest.office(folder / "home")
    rows = [f'{number},"{name}",{where},m,{born},standard,1800' for number, (name, where, born) in REGISTERED.items()]
    columns = "fide_id,name,federation,sex,birth_year,time_control,rating"
    (folder / "list.csv").write_text("\n".join([columns, *rows, ""]), encoding="utf-8")
    import_files.import_list(settings, folder / "list.csv", Period.parse("2024-04"))
    lines = [*trf_text.players()[:3], trf_text.player(4, name, trf_text.CELLS[3], fide_id=MISTYPED)]
    (folder / "report.trf").write_text(trf_text.report(lines), encoding="utf-8")
    (row,) = load.load(settings, [folder / "report.trf"]).refused
    assert (row["reason"], row["value"]) == ("unknown_player", str(MISTYPED))
    return str(row["remedy"])


@pytest.mark.parametrize(
    ("name", "likely"),
    [
        ("Thorbjornsson, Egill", [900005]),
        ("Egill Thorbjörnsson", [900005]),
        ("DOGWOOD, MAY", [900006, 900007]),
        ("Dogwod, Mary", [900007, 900006]),
    ],
)
def test_a_registered_player_with_such_a_name_is_the_first_remedy(tmp_path: Path, name: str, likely: list[int]) -> None:
    said = remedy(tmp_path, name)
    first = [int(part.split()[0].rstrip(";")) for part in said.split(f"{MISTYPED}=")[1:]]
    assert first == likely
    assert said.startswith(f"if the player is {likely[0]} {REGISTERED[likely[0]][0]} (")


@pytest.mark.parametrize("name", ["Novak, Petra", "Thorsen, Emil", "D"])
def test_a_name_that_nobody_has_is_to_be_registered(tmp_path: Path, name: str) -> None:
    assert remedy(tmp_path, name).startswith("register the player")
