from __future__ import annotations

import zipfile
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings, strategies as st

from ratinglist.errors import ExportError
from ratinglist.lists import formats as writer
from ratinglist.lists.formats import ExportRequest, combine_lists, with_both_titles
from ratinglist.names.alike import to_ascii
from ratinglist.tables import FideColumn
from ratinglist_lab import reconcile
from tests.unit.exports.lists import MONTH, export, imported, listed, player, players, publish, same

FOA = (
    "ID Number      Name                                                         Fed Sex Tit  WTit OTit           "
    "FOA SRtng SGm SK RRtng RGm Rk BRtng BGm BK B-day Flag"
)
STARTS = {
    "foa": {"SRtng": 113, "SGm": 119, "SK": 123, "RRtng": 126, "BK": 149, "B-day": 152, "Flag": 158},
    "one list": {"FOA": 109, "NOV25": 113, "Gms": 119, "K": 123, "B-day": 126, "Flag": 132},
}
LAYOUTS = {
    "foa": writer.layout(ExportRequest(MONTH, "fide-txt")),
    "one list": writer.layout(ExportRequest(MONTH, "fide-txt", time_control="standard")),
}


def lines(layout: dict[str, FideColumn], *rows: dict[str, object]) -> list[str]:
    """Return the lines of one standard list."""
    standard = {"standard": listed(*rows)}
    of_one_list = "rating" in layout
    whole = standard["standard"] if of_one_list else combine_lists(standard).sort("fide_id")
    fitted, _ = writer.fit(whole.with_columns(foa_title=pl.lit("")), layout)
    return fitted.select(line=writer.line(layout))["line"].to_list()


def test_the_headings_are_where_fides_are():
    assert writer.header(LAYOUTS["foa"]) == FOA
    for name, starts in STARTS.items():
        header = writer.header(LAYOUTS[name])
        assert {heading: header.index(f" {heading}") + 1 for heading in starts} == starts


def test_a_line_has_its_values_under_the_headings():
    row = player(
        99900027, "Castellane, Emile", title="GM", other_titles="FA", rating=2559, games=3, k=10, birth_year=1983
    )
    assert lines(LAYOUTS["foa"], row) == [
        "99900027       Castellane, Emile                                            ORV M   GM        FA             "
        "    2559  3   10 0     0   0  0     0   0  1983      "
    ]
    assert lines(LAYOUTS["one list"], player(1, birth_year=None))[0][126:132] == "0000  "


@pytest.mark.parametrize(
    ("column", "value", "fits", "cuts"),
    [
        ("name", "x" * 61, "x" * 60, 1),
        ("name", "y" * 60, "y" * 60, 0),
        ("other_titles", "FA,FI,FST,DI,NI", "FA,FI,FST,DI,NI", 0),
        ("other_titles", "SI,FI,LSI,SLI,NAAFM", "SI,FI,LSI,SLI", 1),
    ],
    ids=["a long name", "the longest name", "the longest titles", "titles cut at a whole one"],
)
def test_a_text_longer_than_its_column_is_cut_and_counted(column, value, fits, cuts):
    fitted, cut = writer.fit(
        listed(player(1, **{column: value})).with_columns(foa_title=pl.lit("")), LAYOUTS["one list"]
    )
    assert (fitted[column][0], cut) == (fits, cuts)


def test_a_number_is_never_cut():
    with pytest.raises(ExportError, match=r"games of player 7 .* 1000, and the column Gms"):
        writer.fit(listed(player(7, games=1000)).with_columns(foa_title=pl.lit("")), LAYOUTS["one list"])


def test_the_file_is_sorted_by_name_in_ascii_with_fides_ends_of_lines_and_what_is_lost_counted(tmp_path):
    rows = [
        player(3, "Éva", rating=1500),
        player(2, "Fay " + "n" * 70, rating=2500),
        player(1, "Dan"),
        player(4, "Dan"),
    ]
    summary = export(publish(tmp_path / "home", listed(*rows)), "fide-txt", tmp_path / "list.txt")
    header, *of_players, end = (tmp_path / "list.txt").read_bytes().decode("ascii").split("\r\n")
    assert (header, end, {len(line) for line in of_players}) == (FOA, "", {162})
    assert [line[:15].strip() for line in of_players] == ["1", "4", "3", "2"]
    assert summary.values["counts"] == {"names_changed": 1, "letters_replaced": 1, "letters_dropped": 0, "texts_cut": 1}


def test_a_zip_holds_one_file_and_is_always_the_same(tmp_path):
    office = publish(tmp_path / "home", listed(player(1)))
    digests = {export(office, "fide-txt", tmp_path / name).values["sha256"] for name in ("a.zip", "b.zip")}
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        assert archive.namelist() == ["players_list_foa.txt"]
        assert archive.read("players_list_foa.txt").startswith(b"ID Number")
    assert len(digests) == 1
    export(office, "csv", tmp_path / "c.zip")
    with zipfile.ZipFile(tmp_path / "c.zip") as archive:
        assert archive.namelist() == ["rating_list_2025-11.csv"]


@pytest.mark.long
@settings(max_examples=15)
@given(
    rows=players(st.characters(codec="ascii", min_codepoint=32, max_codepoint=126)),
    alone=st.booleans(),
)
def test_the_importer_reads_back_what_was_exported(tmp_path_factory, rows, alone):
    folder = tmp_path_factory.mktemp("round")
    standard = listed(*rows)
    summary = export(
        publish(folder / "home", standard),
        "fide-txt",
        time_control="standard" if alone else None,
    )
    assert imported(Path(summary.values["file"])).equals(same(with_both_titles(standard)))


@pytest.mark.long
@settings(max_examples=12)
@given(rows=players(st.characters(exclude_categories=("Cs",))))
def test_the_importer_reads_any_name_back_to_ascii(tmp_path_factory, rows):
    folder = tmp_path_factory.mktemp("round")
    standard = listed(*rows)
    summary = export(publish(folder / "home", standard), "fide-txt")
    shown = to_ascii(with_both_titles(standard))[0].with_columns(pl.col("name").str.head(60).str.strip_chars())
    assert imported(Path(summary.values["file"])).equals(same(shown))


def test_the_flag_of_a_combined_list_is_compared_with_the_first_list_of_the_player(tmp_path):
    lists = [
        listed(player(1, flag="i"), player(2)),
        listed(player(1), player(3, flag="i"), time_control="rapid"),
        listed(player(3), time_control="blitz"),
    ]
    file = Path(export(publish(tmp_path / "home", *lists), "fide-txt").values["file"])
    stated = reconcile._official(file, MONTH, None).select("time_control", "fide_id", "flag").drop_nulls()
    assert set(stated.iter_rows()) == {("standard", 1, "i"), ("standard", 2, ""), ("rapid", 3, "i")}
