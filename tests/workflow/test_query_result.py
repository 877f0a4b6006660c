"""The result of a query, printed and written to a file."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner

from ratinglist.cli.main import program
from ratinglist.errors import CommandLineError
from ratinglist.workflows import sql as query_result
from tests.published_sample import publish_both

QUERY = (
    "select fide_id, name, rating from lists where list_month = newest_list() order by fide_id, time_control limit 2"
)


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    home = tmp_path_factory.mktemp("home")
    publish_both(home / "published")
    return home


def run(home: Path, *options: object, query: str = QUERY) -> str:
    done = CliRunner().invoke(program, ["sql", *map(str, options), "--home", str(home), query])
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.output


def test_csv_is_printed_as_it_is_published(home):
    head, first, *_ = run(home, "--csv").splitlines()
    assert head == "fide_id,name,rating"
    assert first.count('"') == 2


@pytest.mark.parametrize("ending", query_result.ENDINGS)
def test_the_rows_are_written_in_the_format_that_the_name_says(home, tmp_path, ending):
    out = tmp_path / f"rows{ending}"
    summary = json.loads(run(home, "--out", out, "--json"))
    read = {".csv": pl.read_csv, ".json": pl.read_json, ".parquet": pl.read_parquet}[ending](out)
    assert read.rows() == [tuple(row.values()) for row in json.loads(run(home, "--json"))]
    assert summary == {
        "file": str(out),
        "rows": 2,
        "bytes": out.stat().st_size,
        "sha256": hashlib.sha256(out.read_bytes()).hexdigest(),
        "cells_guarded": 0,
    }


def test_a_text_that_a_spreadsheet_would_calculate_is_marked_in_a_csv_file(home, tmp_path):
    query = "select '=1+1' as name, -5 as change"
    said = run(home, "--out", tmp_path / "rows.csv", query=query)
    assert (tmp_path / "rows.csv").read_text(encoding="utf-8") == "name,change\n'=1+1,-5\n"
    assert "cells guarded: 1" in said
    run(home, "--out", tmp_path / "rows.json", query=query)
    assert json.loads((tmp_path / "rows.json").read_text(encoding="utf-8")) == [{"name": "=1+1", "change": -5}]


def test_what_csv_and_json_have_no_value_for(home, tmp_path):
    query = "select [1, 2] as a, 'x,\"y\"' as b, 'nan'::double as c, null as d, date '2025-11-01' as e"
    assert run(home, "--csv", query=query).splitlines()[1] == '"[1, 2]","x,""y""",NaN,,2025-11-01'
    assert json.loads(run(home, "--json", query=query))[0]["c"] is None
    nested = "select {'day': date '2025-11-01', 'c': 'nan'::double, 'n': 1.50::decimal(5, 2)} as a, time '10:30' as b"
    assert json.loads(run(home, "--json", query=nested)) == [
        {"a": {"day": "2025-11-01", "c": None, "n": "1.50"}, "b": "10:30:00"}
    ]
    run(home, "--out", tmp_path / "rows.txt", "--csv", query=query)
    assert (tmp_path / "rows.txt").read_text(encoding="utf-8").startswith("a,b,c,d,e\n")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--csv", "--json"], "both want standard output"),
        (["--out", "rows.xlsx"], "end the name in"),
        (["--out", "."], "name a file"),
        (["--out", "-"], "name a file"),
        (["--out", "nowhere/rows.csv"], "is not a folder"),
    ],
    ids=str,
)
def test_an_impossible_file_is_refused_before_the_query_runs(home, tmp_path, monkeypatch, options, message):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CommandLineError, match=message):
        run(home, *options, query="not even SQL")


def test_nothing_in_the_home_is_replaced(home):
    with pytest.raises(CommandLineError, match="is in the home of the office"):
        run(home, "--out", home / "published" / "rows.csv")
