"""The tables of layouts in the reference of imports are true: each is read, or refused, as they say."""

from __future__ import annotations

import csv
import re
from datetime import date
from pathlib import Path

import pytest

from ratinglist.lists import list_reader
from ratinglist.lists.list_reader import OfficialListError
from ratinglist.period import Period
from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "reference" / "imports.md").read_text(encoding="utf-8")
SECTION = PAGE.partition("## Layouts that are read\n")[2].partition("\n## ")[0]
READ, REFUSED, TEXT_LISTS = (
    [[cell.strip() for cell in line.strip("|").split(" | ")] for line in table.splitlines()[2:]]
    for table in re.findall(r"(?:^\|.*\n)+", SECTION, re.MULTILINE)
)

TODAY = date(2026, 10, 1)
CELLS = {
    "700011": (
        *("fide_id", "Fide_No", "FideID", "FIDE-ID", "FideKenn.", "FIDE_no", "FIN", "FIDE Number", "Id FIDE"),
        "FIDE-Code",
    ),
    "Prova, Anna": ("name", "full_name", "Name", "Spielername", "Teilnehmer", "Nominativo"),
    "Prova": ("last_name", "Nachname", "Last", "Nazwisko"),
    "Anna": ("first_name", "Vorname", "First", "Imię"),
    "F": ("sex", "Sex", "gender", "Płeć"),
    "w": ("Geschlecht",),
    "ITA": ("federation", "Fed", "FED", "FIDE-Land", "Land", "nation", "Federazione"),
    "FM": ("title", "FIDE-Titel", "Titel", "Title"),
    "WIM": ("women_title", "FIDE-Frauentitel"),
    "FA": ("other_titles",),
    "1990-05-03": ("birth_date", "Birthday", "BirthDay", "Geburt", "Data Nascita", "Data ur."),
    "1990": ("birth_year", "year_of_birth", "Geburtsjahr", "Anno Nascita", "Jahrgang"),
    "Example Club": ("club", "ClubName", "Verein/Ort", "club_name", "Klub", "Verein", "Circolo Attuale"),
    "2030-12-31": ("member_until",),
}  # fmt: skip
CELL_OF = {heading: cell for cell, headings in CELLS.items() for heading in headings}
WORDS = {
    "fide_id": "FIDE ID",
    "name": "name",
    "federation": "federation",
    "sex": "sex",
    "title": "title",
    "women_title": "women's title",
    "other_titles": "other titles",
    "birth_date": "date of birth",
    "birth_year": "year of birth",
    "club": "club",
    "member_until": "member until",
}
WIDTHS = {"ID Number": 15, "ID_Number": 15, "CODE": 9, "Name": 35, "NAME": 35, "Club": 20}


def _headings(cell: str) -> tuple[str, list[str]]:
    """The separator and the headings in a cell of a table."""
    text = cell.strip("`")
    separator = ";" if ";" in text else ","
    return separator, [
        heading.strip() for heading in next(csv.reader([text], delimiter=separator, skipinitialspace=True))
    ]


def _file(path: Path, cell: str) -> Path:
    separator, headings = _headings(cell)
    rows = [headings, [CELL_OF.get(heading, "x" if heading in ("Status", "City") else "") for heading in headings]]
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter=separator).writerows(rows)
    return path


@pytest.mark.parametrize(("made_by", "headings", "read"), READ, ids=[row[0] for row in READ])
def test_a_table_is_read_as_the_page_says(tmp_path, made_by, headings, read):
    (batch,) = list_reader.read_players(_file(tmp_path / "players.csv", headings), until=TODAY)
    (player,) = batch.rows.to_dicts()
    memberships = batch.memberships.to_dicts()
    stated = player | (memberships[0] if memberships else {})
    assert {word for name, word in WORDS.items() if stated.get(name) not in (None, "")} == set(read.split(", "))
    assert (player["fide_id"], player["name"], player["birth_year"] or 1990) == (700011, "Prova, Anna", 1990)


@pytest.mark.parametrize(("made_by", "headings"), REFUSED, ids=[row[0] for row in REFUSED])
def test_a_table_without_a_fide_id_is_refused_with_its_headings(tmp_path, made_by, headings):
    first, second = _headings(headings)[1][:2]
    with pytest.raises(OfficialListError, match=f"no heading for the FIDE ID among {first}, {second}, "):
        list(list_reader.read_players(_file(tmp_path / "players.csv", headings), until=TODAY))


@pytest.mark.parametrize(("layout", "headings"), TEXT_LISTS, ids=[row[0] for row in TEXT_LISTS])
def test_a_text_list_is_read_by_the_headings_of_the_page(tmp_path, layout, headings):
    cells = {"Name": "Prova, Anna", "NAME": "Prova, Anna", "Flag": "w", "FLAG": "w", "Sex": "F", "Club": "Example Club"}
    cells |= dict.fromkeys(("ID Number", "ID_Number", "CODE"), "700011") | dict.fromkeys(("Fed", "COUNTRY"), "ITA")
    cells |= dict.fromkeys(("SRtng", "OCT25", "OCT11", "JUL02"), "2100")
    names = _headings(headings)[1]
    header, line = ("".join(f"{text:<{WIDTHS.get(heading, 9)}}" for heading, text in row) for row in (
        [(heading, heading) for heading in names], [(heading, cells.get(heading, "")) for heading in names],
    ))  # fmt: skip
    path = tmp_path / ("players_list.txt" if "SRtng" in names else "standard_rating_list.txt")
    path.write_text(f"{header}\n{line}\n", encoding="utf-8")
    month = next(
        (
            f"20{heading[3:]}-{'10' if heading.startswith('OCT') else '07'}"
            for heading in names
            if heading[3:].isdigit()
        ),
        "2025-10",
    )
    (batch,) = list_reader.read(path, month=Period.parse(month))
    (row,) = batch.rows.to_dicts()
    assert [row[name] for name in ("fide_id", "name", "federation", "sex", "rating", "flag")] == [
        *(700011, "Prova, Anna", "ITA", "F", 2100, "w"),
    ]


def test_the_published_names_are_all_of_a_player():
    published = READ[0]
    of_lists = {
        "time_control",
        "rating",
        "k",
        "games",
        "games_played",
        "reached_2400",
        "reached_2300",
        "last_played",
        "flag",
    }
    assert set(_headings(published[1])[1]) == {*list_reader.COLUMNS} - of_lists
