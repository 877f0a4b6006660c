from __future__ import annotations

import csv
from pathlib import Path

import polars as pl
import pytest

from ratinglist.store.table_files import guard_formulas
from tests.unit.exports.lists import export, listed, player, publish

DANGEROUS = {
    "=1+1": "'=1+1",
    "+1": "'+1",
    "-,-": "'-,-",
    "-;-": "'-;'-",
    "a|=1": "a|'=1",
    "@SUM(A1)": "'@SUM(A1)",
    "\tA": "'\tA",
    "\rA": "'\rA",
    "  =1": "  '=1",
    '"=1"': '"\'=1"',
    "'=1": "''=1",
    "\u201c=1": "\u201c'=1",
    "\u00a0=1": "\u00a0'=1",
    "\u200b=1": "\u200b'=1",
    "\ufeff=1": "\ufeff'=1",
    "\uff1d1": "'\uff1d1",
    "\uff0b1": "'\uff0b1",
    "\uff0d1": "'\uff0d1",
    "\uff20A": "'\uff20A",
    "\u22121": "'\u22121",
    "a;=1": "a;'=1",
    "a\n=1": "a\n'=1",
    "\t=1": "'\t'=1",
}
HARMLESS = ["Obuya-Lindt, Samuel", "Amar, -Kahtan", "O'Dal", "a = b", "", "1-2", "Ana (+1)", "mail@home"]


@pytest.mark.parametrize(("text", "written"), [*DANGEROUS.items(), *((text, text) for text in HARMLESS)], ids=ascii)
def test_what_a_spreadsheet_would_calculate_gets_an_apostrophe_and_no_other_text(text, written):
    rows, changed = guard_formulas(pl.DataFrame({"name": [text]}))
    assert (rows["name"][0], changed) == (written, int(text != written))


def test_every_text_column_is_looked_at_with_its_separator_and_every_cell_counted():
    rows, changed = guard_formulas(pl.DataFrame({"name": ["=1", "a"], "federation": ["+A", "-B"], "rating": [-1, 2]}))
    assert changed == 3
    assert rows.to_dict(as_series=False) == {"name": ["'=1", "a"], "federation": ["'+A", "'-B"], "rating": [-1, 2]}
    rows, _ = guard_formulas(pl.DataFrame({"name": ["a, -1", "a;-1"]}), ";")
    assert rows["name"].to_list() == ["a, '-1", "a;-1"]


@pytest.mark.parametrize(("semicolons", "separator"), [(False, ","), (True, ";")])
def test_the_file_begins_with_a_byte_order_mark_and_has_its_separator(tmp_path, semicolons, separator):
    office = publish(tmp_path / "home", listed(player(1, "Çelelli, Ömer")))
    data = Path(export(office, "csv-spreadsheet", semicolons=semicolons).values["file"]).read_bytes()
    assert data.startswith("\ufefflist_month".encode())
    row = next(csv.DictReader(data.decode("utf-8-sig").splitlines(), delimiter=separator))
    assert (row["name"], row["rating"]) == ("Çelelli, Ömer", "2000")
