"""The command: what it reads, where it writes and what it prints, on the sample federation's published lists."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from pathlib import Path
from xml.etree import ElementTree as ET

import polars as pl
import pytest

from ratinglist.cli import readers
from ratinglist.cli.main import main
from ratinglist.errors import AlteredError, CommandLineError, ExportError, NothingReadError
from ratinglist.lists.formats import FORMATS
from ratinglist.tables import LISTED
from tests.conftest import office
from tests.unit.exports.lists import (
    BEFORE,
    MONTH,
    export,
    imported,
    listed,
    player,
    publish,
    same,
    write_manifest,
)


def test_the_command_offers_every_format():
    (option,) = (option for option in readers.export.params if option.name == "format_name")
    assert option.type.choices == tuple(FORMATS)


@pytest.fixture
def sample(published: Path):
    return office(published.parent)


@pytest.fixture
def run(sample, monkeypatch):
    """Export the sample's list by the command line; give its exit code."""

    def with_arguments(*arguments: object) -> int:
        monkeypatch.setattr(
            "sys.argv", ["ratinglist", "--home", str(sample.home), "export", *map(str, (MONTH, *arguments))]
        )
        with pytest.raises(SystemExit) as end:
            main()
        return int(end.value.code or 0)

    return with_arguments


@pytest.mark.parametrize("format_name", FORMATS)
def test_the_same_list_is_the_same_file(sample, tmp_path, format_name):
    first, second = (export(sample, format_name, tmp_path / name) for name in ("first", "second"))
    assert (tmp_path / "first").read_bytes() == (tmp_path / "second").read_bytes()
    assert (
        first.values["sha256"]
        == second.values["sha256"]
        == hashlib.sha256((tmp_path / "first").read_bytes()).hexdigest()
    )


def test_a_combined_list_gives_every_time_control_back(tmp_path):
    lists = [
        listed(player(1, rating=2100, games=3), player(2, flag="i")),
        listed(player(1, rating=1900, k=40), time_control="rapid"),
        listed(player(3, rating=1500, flag="w", sex="F"), time_control="blitz"),
    ]
    home = publish(tmp_path / "home", *lists)
    for format_name in ("fide-txt", "fide-xml"):
        assert imported(Path(export(home, format_name).values["file"])).equals(same(*lists))


@pytest.mark.parametrize("format_name", FORMATS)
def test_a_birth_date_is_in_no_file_and_the_store_is_not_read(tmp_path, format_name):
    home = publish(tmp_path / "home", listed(player(1, birth_year=1988), player(2)))
    home.store.write_text("another process writes here", encoding="utf-8")
    summary = export(home, format_name, tmp_path / "file")
    assert summary.values["rows"] == 2
    data = Path(summary.values["file"]).read_bytes()
    if format_name == "xlsx":
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            data = b"".join(archive.read(name) for name in archive.namelist())
    assert (b"birth_date" in data, b"1988-" in data) == (False, False)


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"revision": "r9"}, NothingReadError, "revision"),
        ({"revision": "../r1"}, CommandLineError, "revision"),
        ({"time_control": "blitz"}, NothingReadError, "has no blitz list; it has: standard"),
        ({"federation": "xyz"}, NothingReadError, "2025-11 has no player of XYZ; it has players of: ITA, ORV"),
    ],
)
def test_what_is_not_there_is_refused_with_what_is(tmp_path, options, error, says):
    home = publish(tmp_path / "home", listed(player(1), player(2, federation="ITA")))
    with pytest.raises(error, match=says):
        export(home, "csv", **options)


def test_a_refused_export_leaves_what_was_there(tmp_path):
    out = tmp_path / "list.txt"
    out.write_text("before", encoding="utf-8")
    home = publish(tmp_path / "home", listed(player(1, games=1000)))
    with pytest.raises(ExportError):
        export(home, "fide-txt", out)
    assert (out.read_text(encoding="utf-8"), sorted(path.name for path in tmp_path.iterdir())) == (
        "before",
        ["home", "list.txt"],
    )


@pytest.mark.parametrize("format_name", FORMATS)
def test_an_export_takes_the_place_of_an_earlier_one(tmp_path, format_name):
    out, written = tmp_path / "out", set()
    out.touch()
    for month, fide_id in ((BEFORE, 1), (MONTH, 2222222)):
        settings = publish(tmp_path / str(month), listed(player(fide_id), month=month), month=month)
        assert export(settings, format_name, out, period=month).values["month"] == str(month)
        written.add(out.read_bytes())
    assert len(written) == 2


def test_the_command_prints_the_file_and_what_it_could_not_keep(run, tmp_path, capsys):
    assert run("--format", "fide-txt", "--out", tmp_path / "list.txt") == 0
    printed = capsys.readouterr().out
    assert f"file: {tmp_path / 'list.txt'}\n" in printed
    assert "\ncounts, names changed: " in printed


def test_as_json_the_counts_are_numbers(run, tmp_path, capsys):
    assert run("--format", "vega-csv", "--out", tmp_path, "--json") == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["format"], answer["revision"], set(answer["counts"])) == (
        "vega-csv",
        "r1",
        {"names_changed", "letters_replaced", "letters_dropped", "texts_cut"},
    )
    assert answer["bytes"] == (tmp_path / f"vega_standard_{MONTH}.csv").stat().st_size


def test_to_standard_output_goes_the_file_and_nothing_else(run, capfdbinary):
    assert run("--format", "fide-xml", "--out", "-") == 0
    printed = capfdbinary.readouterr()
    assert ET.fromstring(printed.out).tag == "playerslist"
    assert b"\nfile: -\nformat: fide-xml\n" in printed.err


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--format", "csv", "--out", "-", "--json"], 2),
        (["--format", "nonsense"], 2),
        (["--format", "csv", "--federation", "XYZ"], 3),
    ],
    ids=str,
)
def test_an_impossible_request_ends_with_the_contracts_exit_code(run, capfd, arguments, code):
    assert run(*arguments) == code


@pytest.fixture
def narrow(tmp_path: Path):
    """An office that leaves sex, year of birth, games and K out of its lists."""
    home = publish(tmp_path / "home", listed(player(1, sex="F", rating=2000 + MONTH.index % 7)))
    file = home.published / str(MONTH) / "r1" / "standard.parquet"
    pl.read_parquet(file).drop("sex", "birth_year", "games", "k").write_parquet(file)
    write_manifest(file.parent)
    return home


def test_a_column_that_the_office_leaves_out_is_left_out_and_blank_in_a_layout_of_others(narrow):
    files = {format_name: Path(export(narrow, format_name).values["file"]) for format_name in FORMATS}
    of_tables = [pl.read_csv(files[name]).columns for name in ("csv", "csv-spreadsheet")]
    for columns in (*of_tables, pl.read_parquet(files["parquet"]).columns):
        assert columns == [name for name in LISTED.columns if name not in ("sex", "birth_year", "games", "k")]
    line = files["fide-txt"].read_text(encoding="ascii").splitlines()[1]
    assert (line[80:84], line[119:126], line[152:158]) == ("    ", "0   0  ", "0000  ")


@pytest.mark.parametrize(("format_name", "name"), [("vega-csv", "vega.txt"), ("csv", "list"), ("fide-txt", "l.2025")])
def test_a_file_has_the_name_that_was_asked_for(tmp_path, format_name, name):
    home = publish(tmp_path / "home", listed(player(1)))
    assert export(home, format_name, tmp_path / name).values["file"] == str(tmp_path / name)


# ------------------------------------------------------------------------------------------ what was altered on disk


def alter(file: Path) -> None:
    pl.read_parquet(file).with_columns(pl.col("rating") + 100).write_parquet(file)


def another_month(file: Path) -> None:
    path = file.parent / "manifest.json"
    path.write_bytes(path.read_bytes().replace(b"2025-11", b"2025-12"))


ALTERED = {
    "rows": (alter, "standard.parquet"),
    "gone": (Path.unlink, "standard.parquet"),
    "manifest": (another_month, "manifest.json"),
    "no manifest": (lambda file: (file.parent / "manifest.json").unlink(), "manifest.json"),
    "signature": (lambda file: (file.parent / "manifest.json.sig").write_text("mine"), "manifest.json.sig"),
}


@pytest.mark.parametrize("how", ALTERED)
def test_an_altered_list_is_not_exported(tmp_path, how):
    home = publish(tmp_path / "home", listed(player(1)))
    change, named = ALTERED[how]
    change(home.published / str(MONTH) / "r1" / "standard.parquet")
    with pytest.raises(AlteredError, match=rf"r1/{named} is not what was published.*ratinglist verify"):
        export(home, "csv", tmp_path / "list.csv")
    assert not (tmp_path / "list.csv").exists()


def test_a_list_copied_from_another_month_is_not_exported(tmp_path):
    publish(tmp_path / "home", listed(player(1), month=BEFORE), month=BEFORE)
    home = publish(tmp_path / "home", listed(player(1)))
    (home.published / str(MONTH)).rename(tmp_path / "away")
    (home.published / str(BEFORE)).rename(home.published / str(MONTH))
    with pytest.raises(AlteredError, match="it is that of r1 of 2025-10"):
        export(home, "csv")
