from __future__ import annotations

import zipfile
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from ratinglist.errors import ExportError
from ratinglist.lists import formats
from ratinglist.tables import LISTED
from tests.unit.exports.lists import export, listed, player, publish

COLUMNS = tuple(name for name in LISTED.columns if name not in ("list_month", "time_control"))
SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
NAMES = ["=1+1", "{=1}", "http://example.org", "12345", " <&> ", "Zoë\nTwo"]


def parts(path: str) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture
def exported(tmp_path: Path) -> dict[str, bytes]:
    """The parts of a workbook with names that a spreadsheet would like to calculate."""
    standard = listed(*(player(number, name) for number, name in enumerate(NAMES, start=1)))
    office = publish(tmp_path / "home", standard, listed(player(1), time_control="blitz"))
    return parts(export(office, "xlsx").values["file"])


def test_names_are_text_as_they_are(exported):
    shared = [
        "".join(item.itertext()) for item in ET.fromstring(exported["xl/sharedStrings.xml"]).findall(f"{SHEET}si")
    ]
    assert [name for name in NAMES if name not in shared] == []


def test_no_cell_is_a_formula_or_a_link(exported):
    sheets = [data for name, data in exported.items() if name.startswith("xl/worksheets/")]
    assert [data for data in sheets if b"<f>" in data or b"<f " in data or b"hyperlink" in data] == []


def test_every_list_has_a_sheet(exported):
    sheets = ET.fromstring(exported["xl/workbook.xml"]).iter(f"{SHEET}sheet")
    assert [sheet.get("name") for sheet in sheets] == ["standard 2025-11", "blitz 2025-11"]


def test_the_headings_are_the_columns_it_may_carry(exported):
    shared = ["".join(item.itertext()) for item in ET.fromstring(exported["xl/sharedStrings.xml"])]
    first = next(ET.fromstring(exported["xl/worksheets/sheet1.xml"]).iter(f"{SHEET}row"))
    assert tuple(shared[int(cell.findtext(f"{SHEET}v"))] for cell in first) == COLUMNS


def test_ratings_are_numbers(exported):
    rows = list(ET.fromstring(exported["xl/worksheets/sheet1.xml"]).iter(f"{SHEET}row"))
    rating = next(cell for cell in rows[1] if cell.get("r") == "H2")
    assert (rating.get("t"), rating.findtext(f"{SHEET}v")) == (None, "2000")


def test_a_list_longer_than_a_sheet_is_refused_with_advice(tmp_path, monkeypatch):
    monkeypatch.setattr(formats, "MOST_ROWS", 1)
    office = publish(tmp_path / "home", listed(player(1), player(2)))
    with pytest.raises(ExportError, match=r"2 players, and a sheet has room for 1. Add --federation or --top"):
        export(office, "xlsx")
