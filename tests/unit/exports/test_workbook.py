from __future__ import annotations

import zipfile
from xml.etree import ElementTree as ET

import pytest

from ratinglist.errors import ExportError
from ratinglist.lists import formats
from ratinglist.tables import LISTED
from tests.unit.exports.lists import export, listed, player, publish

COLUMNS = tuple(name for name in LISTED.columns if name not in ("list_month", "time_control"))
SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
NAMES = ["=1+1", "{=1}", "http://example.org", "12345", " <&> ", "Zoë\nTwo"]


def test_a_workbook_has_a_sheet_of_each_list_with_names_as_text_and_ratings_as_numbers(tmp_path):
    # Names that a spreadsheet would like to calculate or link.
    standard = listed(*(player(number, name) for number, name in enumerate(NAMES, start=1)))
    office = publish(tmp_path / "home", standard, listed(player(1), time_control="blitz"))
    with zipfile.ZipFile(export(office, "xlsx").values["file"]) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    sheets = ET.fromstring(parts["xl/workbook.xml"]).iter(f"{SHEET}sheet")
    assert [sheet.get("name") for sheet in sheets] == ["standard 2025-11", "blitz 2025-11"]
    shared = ["".join(item.itertext()) for item in ET.fromstring(parts["xl/sharedStrings.xml"]).findall(f"{SHEET}si")]
    assert [name for name in NAMES if name not in shared] == []
    of_sheets = [data for name, data in parts.items() if name.startswith("xl/worksheets/")]
    assert [data for data in of_sheets if b"<f>" in data or b"<f " in data or b"hyperlink" in data] == []
    first, second, *_ = ET.fromstring(parts["xl/worksheets/sheet1.xml"]).iter(f"{SHEET}row")
    assert tuple(shared[int(cell.findtext(f"{SHEET}v"))] for cell in first) == COLUMNS
    rating = next(cell for cell in second if cell.get("r") == "H2")
    assert (rating.get("t"), rating.findtext(f"{SHEET}v")) == (None, "2000")


def test_a_list_longer_than_a_sheet_is_refused_with_advice(tmp_path, monkeypatch):
    monkeypatch.setattr(formats, "MOST_ROWS", 1)
    office = publish(tmp_path / "home", listed(player(1), player(2)))
    with pytest.raises(ExportError, match=r"2 players, and a sheet has room for 1. Add --federation"):
        export(office, "xlsx")
