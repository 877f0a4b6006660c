"""CSV and Parquet: the published columns as they are."""

from __future__ import annotations

import csv
import io
import sqlite3
from contextlib import closing
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings, strategies as st

from ratinglist.tables import LISTED
from tests.conftest import office
from tests.unit.exports.lists import MONTH, READ_BACK_BY_NAME, export, imported, listed, player, players, publish, same

HARD = ['Bassi, Bruno "Bobo"', "a,b", '"', ",", "it's", "semi;colon", "Zoë"]
ON_ONE_LINE = st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp"))


@pytest.mark.parametrize("name", [*HARD, "two\nlines"], ids=ascii)
@pytest.mark.parametrize("format_name", ["csv", "csv-spreadsheet"])
def test_another_reader_of_csv_reads_a_name_as_it_is(tmp_path, format_name, name):
    summary = export(publish(tmp_path / "home", listed(player(1, name))), format_name)
    read = list(csv.DictReader(io.StringIO(Path(summary.values["file"]).read_text(encoding="utf-8"), newline="")))
    assert [row["name"] for row in read] == [name]


def test_csv_of_one_list_is_the_published_file_to_the_byte(published, tmp_path):
    summary = export(office(published.parent), "csv", tmp_path, time_control="standard")
    folder = published / str(MONTH)
    current = folder / (folder / "latest").read_text(encoding="utf-8").strip()
    assert Path(summary.values["file"]).read_bytes() == (current / "standard.csv").read_bytes()


def test_csv_parquet_and_sqlite_are_the_published_tables_in_turn(tmp_path):
    lists = listed(player(1), player(2)), listed(player(1), time_control="rapid")
    office, published = publish(tmp_path / "home", *lists), pl.concat(lists)
    read = pl.read_csv(export(office, "csv").values["file"])
    assert (read.columns, read["time_control"].to_list()) == (list(LISTED.columns), ["standard", "standard", "rapid"])
    assert pl.read_parquet(export(office, "parquet").values["file"]).equals(published)
    with closing(sqlite3.connect(export(office, "sqlite").values["file"])) as database:
        rows = database.execute("select * from rating_list order by time_control desc, fide_id")
        assert [column[0] for column in rows.description] == list(LISTED.columns)
        assert rows.fetchall() == published.rows()
        of_types = {row[1]: (row[2], row[5]) for row in database.execute("pragma table_info(rating_list)")}
        assert (of_types["fide_id"], of_types["name"]) == (("INTEGER", 1), ("TEXT", 0))
        plan = database.execute("explain query plan select * from rating_list where name = 'x'").fetchone()[3]
        assert "rating_list_name" in plan
        assert database.execute("pragma user_version").fetchone() == (int(str(MONTH).replace("-", "")),)


@pytest.mark.long
@pytest.mark.parametrize(
    ("format_name", "letters"),
    [("csv", ON_ONE_LINE), ("parquet", st.characters(exclude_categories=("Cs", "Cc")))],
    ids=["csv", "parquet"],
)
@settings(max_examples=15)
@given(data=st.data())
def test_the_importer_reads_it_back(tmp_path_factory, format_name, letters, data):
    standard = listed(*data.draw(players(letters)))
    summary = export(publish(tmp_path_factory.mktemp("round") / "home", standard), format_name)
    file = Path(summary.values["file"])
    assert imported(file, columns=READ_BACK_BY_NAME).equals(same(standard, columns=READ_BACK_BY_NAME))
