from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings, strategies as st

from ratinglist.lists.formats import with_both_titles
from tests.unit.exports.lists import export, imported, listed, player, players, publish, same

PERSON = ["fideid", "name", "country", "sex", "title", "w_title", "o_title"]
OF_ONE = ["rating", "games", "k"]
OF_ALL = [*OF_ONE, *(f"{name}_{part}" for name in ("rapid", "blitz") for part in OF_ONE)]
ORDER = {
    "foa": [*PERSON, "foa_title", *OF_ALL, "birthday", "flag"],
    "one list": [*PERSON, "foa_title", *OF_ONE, "birthday", "flag"],
}
OPTIONS = {"foa": {}, "one list": {"time_control": "standard"}}
POSSIBLE = st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\ufffe\uffff")


def written(folder: Path, *lists, **options: object) -> bytes:
    return Path(export(publish(folder / "home", *lists), "fide-xml", **options).values["file"]).read_bytes()


@pytest.mark.parametrize("layout", ORDER)
def test_the_elements_are_in_fides_order(tmp_path, layout):
    root = ET.fromstring(written(tmp_path, listed(player(1)), **OPTIONS[layout]))
    assert (root.tag, root[0].tag, [child.tag for child in root[0]]) == ("playerslist", "player", ORDER[layout])


def test_a_player_has_a_line_per_element(tmp_path):
    row = player(7, "Émile", title="GM", rating=2559, games=3, k=10, birth_year=None, other_titles="FA,FI", flag="i")
    assert written(tmp_path, listed(row), time_control="standard").decode("ascii").split("\r\n") == [
        *("<playerslist>", "<player>", "<fideid>7</fideid>", "<name>Emile</name>", "<country>ORV</country>"),
        *("<sex>M</sex>", "<title>GM</title>", "<w_title></w_title>", "<o_title>FA,FI</o_title>"),
        *("<foa_title></foa_title>", "<rating>2559</rating>", "<games>3</games>", "<k>10</k>"),
        *("<birthday></birthday>", "<flag>i</flag>", "</player>", "</playerslist>", ""),
    ]


def test_names_are_in_ascii_unless_the_original_ones_are_requested(tmp_path):
    office = publish(tmp_path / "home", listed(player(1, "Ödön & Co, Пётр\x07", women_title="WFM", sex="F")))
    summary = export(office, "fide-xml")
    element = ET.fromstring(Path(summary.values["file"]).read_bytes().decode("ascii"))[0]
    assert [element.findtext(name) for name in ("name", "title", "w_title")] == ["Odon & Co, Petr", "WFM", "WFM"]
    assert summary.values["counts"]["names_changed"] == 1


def test_an_absent_rating_is_zero(tmp_path):
    rapid = listed(player(1), time_control="rapid")
    root = ET.fromstring(written(tmp_path, listed(player(2)), rapid))
    element = next(child for child in root if child.findtext("fideid") == "1")
    assert [element.findtext(name) for name in OF_ALL] == ["0", "0", "0", "2000", "0", "20", "0", "0", "0"]


@pytest.mark.parametrize(
    "name", ["A & B", "<b>", "]]>", "B \"C\" 'D'", "&amp;", "E\r\nF", "G\tH", "\u202eI"], ids=ascii
)
def test_any_parser_reads_a_name_as_it_is(tmp_path, name):
    root = ET.fromstring(written(tmp_path, listed(player(1, name)), original_names=True))
    assert root[0].findtext("name") == name


@pytest.mark.long
@settings(max_examples=15)
@given(rows=players(POSSIBLE), alone=st.booleans())
def test_the_importer_reads_back_what_was_exported(tmp_path_factory, rows, alone):
    folder = tmp_path_factory.mktemp("round")
    standard = listed(*rows)
    time_control = "standard" if alone else None
    options = {"time_control": time_control, "original_names": True}
    summary = export(publish(folder / "home", standard), "fide-xml", **options)
    assert imported(Path(summary.values["file"]), time_control=time_control).equals(same(with_both_titles(standard)))
