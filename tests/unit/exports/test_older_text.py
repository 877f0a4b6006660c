"""FIDE's text list as it was until 2012, whose header line is read as ``TitlFed``."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ratinglist.errors import ExportError
from ratinglist.lists.transliteration import to_ascii
from tests.unit.exports.lists import export, imported, listed, player, players, publish

CARRIED = ["time_control", "fide_id", "name", "federation", "rating", "games", "birth_year", "flag"]


def lines_of(tmp_path: Path, *rows: dict[str, object]) -> list[str]:
    summary = export(publish(tmp_path / "home", listed(*rows)), "fide-titlfed")
    return Path(summary.file).read_bytes().decode("ascii").split("\r\n")


def test_the_lines_are_those_of_fides_list_of_2011(tmp_path):
    # The header line as FIDE wrote it, with another month, and lines in its places.
    rows = (
        player(4_158_814, "Nemo, Dmitry", federation="RUS", title="GM", rating=2686, games=9, birth_year=1990),
        player(10_206_612, "Onemo, Sourab", federation="BAN", rating=1714, birth_year=None),
        player(7_900_139, "Pnemo, Meriem", federation="ALG", sex="F", women_title="WFM", rating=2005, flag="wi"),
    )
    assert lines_of(tmp_path, *rows) == [
        "ID number Name                              TitlFed  Nov25 GamesBorn  Flag",
        " 4158814  Nemo, Dmitry                      g   RUS  2686    9  1990      ",
        "10206612  Onemo, Sourab                         BAN  1714    0            ",
        " 7900139  Pnemo, Meriem                     wf  ALG  2005    0  1990  wi  ",
        "",
    ]


def test_one_list_is_written_the_standard_list_by_default(tmp_path):
    standard, rapid = listed(player(1)), listed(player(2), time_control="rapid")
    office = publish(tmp_path / "home", standard, rapid)
    written = {name: export(office, "fide-titlfed", time_control=name).file for name in (None, "rapid")}
    assert {name: Path(file).name for name, file in written.items()} == {
        None: "titlfed_standard_2025-11.txt",
        "rapid": "titlfed_rapid_2025-11.txt",
    }
    assert imported(Path(written["rapid"]), time_control="rapid", columns=CARRIED)["fide_id"].to_list() == [2]


def test_a_fide_id_that_is_too_long_stops_the_export(tmp_path):
    with pytest.raises(ExportError, match=r"1000000000 \(Nemo, Nora\).*has room for 9 characters"):
        lines_of(tmp_path, player(1_000_000_000))


def test_a_name_that_is_too_long_is_cut_and_counted(tmp_path):
    summary = export(publish(tmp_path / "home", listed(player(1, "A" * 40))), "fide-titlfed")
    assert summary.counts["texts_cut"] == 1
    assert f"{'A' * 33} " in Path(summary.file).read_text(encoding="ascii")


@pytest.mark.long
@settings(max_examples=15)
@given(rows=players(st.characters(min_codepoint=32, max_codepoint=0x17F)))
def test_the_importer_reads_back_what_the_layout_carries(tmp_path_factory, rows):
    standard = listed(*(row | {"fide_id": row["fide_id"] % 999_999_999 + 1} for row in rows)).unique("fide_id")
    summary = export(publish(tmp_path_factory.mktemp("round") / "home", standard), "fide-titlfed")
    title = pl.when(pl.col("title") == "").then("women_title").otherwise("title")
    read = imported(Path(summary.file), time_control="standard", columns=[*CARRIED, "title", "women_title", "k"])
    plain = to_ascii(standard)[0].with_columns(
        title.alias("title"), pl.col("name").str.head(33).str.strip_chars(), women_title=pl.lit(""), k=None
    )
    expected = plain.select(read.columns).cast(read.schema).sort("fide_id")
    assert read.to_dicts() == expected.to_dicts()
