"""Official lists in every form: what is read from them, and what refuses them."""

from __future__ import annotations

import io
import zipfile
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import polars as pl
import pytest

from ratinglist.errors import CommandLineError
from ratinglist.lists import fide_lists, list_reader, official_rows
from ratinglist.lists.official_rows import Inspection, OfficialListError
from ratinglist.period import Period
from ratinglist.tables import PLAYER

MONTH = Period.parse("2026-10")
TODAY = date(2026, 10, 1)

# Heading and width of every column, in the order of the layout.
PERSON = [("ID Number", 15), ("Name", 61), ("Fed", 4), ("Sex", 4), ("Tit", 5), ("WTit", 5), ("OTit", 15)]
FOA = [("FOA", 4)]
THREE = [
    *(("SRtng", 6), ("SGm", 4), ("SK", 3)),
    *(("RRtng", 6), ("RGm", 4), ("Rk", 3)),
    *(("BRtng", 6), ("BGm", 4), ("BK", 3)),
]
LAST = [("B-day", 6), ("Flag", 4)]
COMBINED = [*PERSON, *FOA, *THREE, *LAST]
LEGACY = [*PERSON, *THREE, *LAST]
SINGLE = [*PERSON, *FOA, ("OCT26", 6), ("Gms", 4), ("K", 3), *LAST]
SINGLE_WITHOUT_FOA = [*PERSON, ("feb14", 6), ("Gms", 4), ("K", 3), *LAST]
OLD = [("ID number", 11), ("Name", 34), ("Titl", 4), ("Fed", 5), ("Mar11", 6), ("Games", 5), ("Born", 6), ("Flag", 4)]


def text_line(layout: list[tuple[str, int]], **cells: str) -> str:
    """A record; a cell wider than its column pushes the rest to the right, as in the real files."""
    return "".join(cells.get(heading.replace(" ", "_"), "").ljust(width) for heading, width in layout)


def text_list(layout: list[tuple[str, int]], *lines: str, end: str = "\r\n") -> str:
    header = "".join(heading.ljust(width) for heading, width in layout)
    return "".join(line + end for line in (header, *lines))


ANNA = {"ID_Number": "700001", "Name": "Prova, Anna", "Fed": "ITA", "Sex": "F", "B-day": "1990", "Flag": "w"}
BRUNO = {"ID_Number": "700002", "Name": "Prova, Bruno", "Fed": "FRA", "Sex": "M", "B-day": "0000"}
STANDARD = {"SRtng": "1822", "SGm": "7", "SK": "20"}


@dataclass
class Desk:
    """A folder for lists."""

    folder: Path

    def file(self, name: str, content: str | bytes) -> Path:
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode("latin-1"))
        return path

    def zip(self, name: str, **members: str) -> Path:
        path = self.folder / name
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for member, content in members.items():
                archive.writestr(member.replace("__", "."), content)
        return path


@pytest.fixture
def desk(tmp_path):
    return Desk(tmp_path)


def rows(path: Path, month: Period = MONTH, time_control: str | None = None) -> list[dict[str, object]]:
    frames = [batch.rows for batch in list_reader.read(path, month=month, time_control=time_control)]
    return pl.concat(frames).sort("fide_id", "time_control").to_dicts()


def notes(path: Path, month: Period = MONTH, time_control: str | None = None) -> dict[str, tuple[int, str]]:
    *_, last = list_reader.read(path, month=month, time_control=time_control)
    return {note.kind: (note.count, note.example) for note in last.notes}


def refusal(path: Path, month: Period = MONTH, time_control: str | None = None) -> str:
    with pytest.raises(OfficialListError) as refused:
        list(list_reader.read(path, month=month, time_control=time_control))
    return str(refused.value)


# ------------------------------------------------------------------------------------------------------- FIDE's text


def test_a_tab_in_a_name_is_a_blank_and_noted(desk):
    line = text_line(COMBINED, **{**ANNA, "Name": "Prova,\tAnna"}, SRtng="2105", SGm="11", SK="20")
    path = desk.file("list.txt", text_list(COMBINED, line))
    assert rows(path)[0]["name"] == "Prova, Anna"
    assert notes(path)["odd_character"][0] == 1
    assert notes(path)["odd_character"][1].startswith("line 2")


@pytest.mark.parametrize("blanks", [2, 3, 9])
def test_a_tab_that_stands_for_blanks_moves_the_columns_and_is_refused(desk, blanks):
    line = text_line(COMBINED, **ANNA, SRtng="2105", SGm="11", SK="20")
    whole = [text_line(COMBINED, **{**ANNA, "ID_Number": str(700002 + n)}, SRtng="2105") for n in range(4)]
    at = line.index("Anna") + 4
    path = desk.file("list.txt", text_list(COMBINED, *whole, line[:at] + "\t" + line[at + blanks :]))
    assert "the line has a tab" in refusal(path)


def test_combined_text_gives_every_column(desk):
    line = text_line(
        COMBINED,
        **ANNA,
        Tit="WIM",
        WTit="WIM",
        OTit="FI,LSI",
        FOA="AFM",
        SRtng="2105",
        SGm="11",
        SK="20",
        BRtng="1998",
        BGm="0",
        BK="40",
    )
    assert rows(desk.file("list.txt", text_list(COMBINED, line))) == [
        {
            "fide_id": 700001,
            "name": "Prova, Anna",
            "federation": "ITA",
            "sex": "F",
            "title": "WIM",
            "women_title": "WIM",
            "other_titles": "FI,LSI",
            "birth_date": None,
            "birth_year": 1990,
            "time_control": time_control,
            "rating": rating,
            "k": k,
            "games": games,
            "games_played": None,
            "reached_2400": None,
            "reached_2300": None,
            "last_played": None,
            "flag": "w",
        }
        for time_control, rating, k, games in (("blitz", 1998, 40, 0), ("standard", 2105, 20, 11))
    ]


def test_a_player_without_any_rating_has_one_row_without_time_control(desk):
    zeros = dict.fromkeys(("SRtng", "RRtng", "BRtng"), "0")
    path = desk.file(
        "list.txt", text_list(COMBINED, text_line(COMBINED, **ANNA), text_line(COMBINED, **BRUNO, **zeros))
    )
    found = rows(path)
    assert [(row["fide_id"], row["time_control"], row["rating"]) for row in found] == [
        (700001, None, None),
        (700002, None, None),
    ]


def test_single_text_takes_its_time_control_from_the_file_name(desk):
    line = text_line(SINGLE, **ANNA, OCT26="1822", Gms="7", K="20")
    (row,) = rows(desk.file("rapid_rating_list.txt", text_list(SINGLE, line)))
    assert (row["time_control"], row["rating"], row["games"], row["k"]) == ("rapid", 1822, 7, 20)


def test_single_text_takes_its_time_control_from_the_command(desk):
    line = text_line(SINGLE_WITHOUT_FOA, **ANNA, feb14="1822", Gms="7", K="0")
    path = desk.file("list.txt", text_list(SINGLE_WITHOUT_FOA, line, end="\n"))
    (row,) = rows(path, Period.parse("2014-02"), "blitz")
    assert (row["time_control"], row["rating"], row["k"]) == ("blitz", 1822, 0)


def test_old_text_is_read_under_its_touching_headings(desk):
    line = text_line(
        OLD,
        ID_number=" 700001",
        Name="Prova, Anna",
        Titl="wg",
        Fed="ITA",
        Mar11="2301",
        Games=" 12",
        Born="1990",
        Flag="wi",
    )
    assert "TitlFed" in text_list(OLD)
    assert "GamesBorn" in text_list(OLD)
    (row,) = rows(desk.file("list.txt", text_list(OLD, line)), Period.parse("2011-03"), "standard")
    assert (row["title"], row["federation"], row["rating"], row["games"], row["k"], row["birth_year"], row["flag"]) == (
        *("WGM", "ITA", 2301, 12, None, 1990, "wi"),
    )


LIST_OF_2001 = """ID_NUMBER NAME                             TITLE COUNTRY JAN01 GAMES FLAG

  100011  Prova, Anna                      wg    ITA     2301   12   w
  100012  Prova, Bruno                           FRA     2063    0   i
"""
DATA_OF_2001 = LIST_OF_2001.partition("\n")[2]


def test_a_list_without_a_birth_column_is_read(desk):
    path = desk.file("list.txt", LIST_OF_2001)
    found = rows(path, Period.parse("2001-01"), "standard")
    assert [(row["fide_id"], row["title"], row["rating"], row["games"], row["birth_year"]) for row in found] == [
        (100011, "WGM", 2301, 12, None),
        (100012, "", 2063, 0, None),
    ]


OF_2011 = [
    ("ID_Number", 11),
    ("Name", 33),
    ("Titl", 4),
    ("Fed", 5),
    ("JUL11", 6),
    ("Games", 5),
    ("Born", 6),
    ("Flag", 4),
]


def line_of_2011(number: int, flag: str = "", name: str = "Prova, Anna") -> str:
    cells = {"ID_Number": str(number), "Name": name, "Fed": "ITA", "JUL11": "2105", "Games": "0", "Born": "1990"}
    return text_line(OF_2011, **cells, Flag=flag)


def rows_of_2011(desk: Desk, *lines: str) -> tuple[list[dict[str, object]], dict[str, str]]:
    path = desk.file("list.txt", text_list(OF_2011, *lines))
    (batch,) = list_reader.read(path, month=Period.parse("2011-07"), time_control="standard")
    return batch.rows.to_dicts(), {note.kind: note.text() for note in batch.notes}


def test_the_flag_of_old_lists_gives_the_sex_of_women(desk):
    found, noted = rows_of_2011(desk, *(line_of_2011(700001 + n, flag) for n, flag in enumerate(("w", "wi", "i", ""))))
    assert [(row["sex"], row["flag"]) for row in found] == [("F", "w"), ("F", "wi"), ("", "i"), ("", "")]
    assert noted["sex_of_flag"].startswith(
        "2 × the list has no column for the sex; a player with the flag w is a woman"
    )


def test_a_club_under_its_heading_is_read_of_a_file_of_players(desk):
    layout = [*OF_2011, ("Club", 10)]
    line = text_line(layout, ID_Number="700001", Name="Prova, Anna", Fed="ITA", JUL11="2105", Club="Wien West")
    (batch,) = list_reader.read_players(desk.file("list.txt", text_list(layout, line)), until=TODAY)
    assert batch.memberships.select("fide_id", "club").rows() == [(700001, "Wien West")]


@pytest.mark.parametrize(("short", "noted"), [(11, True), (10, False)])
def test_many_ids_far_shorter_than_fides_are_noted(desk, short, noted):
    numbers = [*range(1, short + 1), *range(700001, 700021 - short)]
    _, notes_of_list = rows_of_2011(desk, *(line_of_2011(number) for number in numbers))
    assert ("short_ids" in notes_of_list) == noted
    assert not noted or next(iter(notes_of_list)) == "short_ids"


@pytest.mark.parametrize(
    ("written", "title"),
    [("g", "GM"), ("m", "IM"), ("f", "FM"), ("c", "CM"), ("wg", "WGM"), ("wm", "WIM"), ("wf", "WFM"), ("wc", "WCM")],
)
def test_old_titles_are_written_in_full(desk, written, title):
    path = desk.file("list.txt", text_list(COMBINED, text_line(COMBINED, **ANNA, Tit=written, WTit=written.upper())))
    (row,) = rows(path)
    assert (row["title"], row["women_title"]) == (title, title)


def test_a_line_shifted_by_long_other_titles_is_read_from_the_right(desk):
    titles = "SI,FI,LSI,SLI,NA"
    line = text_line(COMBINED, **ANNA, **STANDARD, OTit=titles, FOA="AFM", BRtng="1900", BGm="12", BK="40")
    assert len(line) == 163
    path = desk.file("list.txt", text_list(COMBINED, line, text_line(COMBINED, **BRUNO, **STANDARD)))
    found = rows(path)
    assert [(r["other_titles"], r["rating"], r["k"], r["birth_year"], r["flag"]) for r in found] == [
        (titles, 1900, 40, 1990, "w"),
        (titles, 1822, 20, 1990, "w"),
        ("", 1822, 20, None, ""),
    ]
    assert notes(path)["line_overflows"][0] == 1


@pytest.mark.parametrize(
    ("layout", "cells", "titles"),
    [
        (COMBINED, {"OTit": "SI,FI,LSI,SLI,N", "FOA": "A"}, "SI,FI,LSI,SLI,NA"),
        (COMBINED, {"OTit": "SI,FI,LSI,SLI,F", "FOA": "ST"}, "SI,FI,LSI,SLI,FST"),
        (COMBINED, {"OTit": "IA,FT,SI,FI,LSI", "FOA": ",DI"}, "IA,FT,SI,FI,LSI,DI"),
        (COMBINED, {"OTit": "FI,LSI,IA,SI,DI", "FOA": "AFM"}, "FI,LSI,IA,SI,DI"),
        (COMBINED, {"OTit": "IA,FT,SI,FI,LSI,SLI,NA", "FOA": "ACM"}, "IA,FT,SI,FI,LSI,SLI,NA"),
        (LEGACY, {"OTit": "FI,LSI,IA,SI,DI"}, "FI,LSI,IA,SI,DI"),
    ],
    ids=["a letter over", "two over", "three over", "beside an arena title", "seven over", "beside the rating"],
)
def test_long_other_titles_are_read_whole_and_cut_no_number(desk, layout, cells, titles):
    line = text_line(layout, **ANNA, **STANDARD, **cells)
    (row, _) = rows(desk.file("list.txt", text_list(layout, line, text_line(layout, **BRUNO, **STANDARD))))
    assert (row["other_titles"], row["rating"], row["games"], row["k"]) == (titles, 1822, 7, 20)


def test_lines_that_lost_their_blanks_at_the_end_are_read(desk):
    (row,) = rows(desk.file("list.txt", text_list(COMBINED, text_line(COMBINED, **BRUNO, **STANDARD).rstrip())))
    assert (row["rating"], row["games"], row["birth_year"], row["flag"]) == (1822, 7, None, "")


@pytest.mark.parametrize("encoding", ["latin-1", "utf-8", "utf-8-sig"])
def test_letters_with_accents_do_not_shift_a_line(desk, encoding):
    line = text_line(COMBINED, **{**ANNA, "Name": "Pröva, Ànnà"}, **STANDARD)
    (row,) = rows(desk.file("list.txt", text_list(COMBINED, line).encode(encoding)))
    assert (row["name"], row["rating"]) == ("Pröva, Ànnà", 1822)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("chunk", [1, 163, 164, 165, 400])
def test_chunks_and_line_ends_change_nothing(monkeypatch, end, chunk):
    monkeypatch.setattr(official_rows, "CHUNK_BYTES", chunk)
    lines = [f"line {n}".ljust(161) for n in range(1, 8)]
    stream = io.BytesIO((end.join(lines) + end).encode())
    found = pl.concat(official_rows.text_lines(stream, Inspection("list.txt")))
    assert found.to_dict(as_series=False) == {"line": list(range(1, 8)), "text": lines}


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ({"ID_Number": ""}, "column 1 (ID Number): '' is not a FIDE ID"),
        ({"ID_Number": "0"}, "column 1 (ID Number): '0' is not a FIDE ID"),
        ({"SRtng": "18x2"}, "column 114 (SRtng): '18x2' is not a rating from 0 to 4000"),
        ({"SRtng": "4001"}, "column 114 (SRtng): '4001' is not a rating from 0 to 4000"),
        ({"RRtng": "-5"}, "column 127 (RRtng): '-5' is not a rating from 0 to 4000"),
        ({"BK": "x"}, "column 150 (BK): 'x' is not a K"),
        ({"SGm": "1.5"}, "column 120 (SGm): '1.5' is not a number of games"),
        ({"B-day": "19?0"}, "column 153 (B-day): '19?0' is not a year"),
    ],
)
def test_a_value_that_cannot_be_parsed_refuses_the_list(desk, cells, expected):
    path = desk.file(
        "list.txt", text_list(COMBINED, text_line(COMBINED, **BRUNO), text_line(COMBINED, **{**ANNA, **cells}))
    )
    message = refusal(path)
    assert f"line 3, {expected}" in message
    assert message.startswith("list.txt: refused, nothing of it was read. 1 problem:")


def test_a_refusal_lists_fifty_problems_and_counts_the_others(desk):
    lines = [text_line(COMBINED, **{**ANNA, "ID_Number": f"x{n}"}) for n in range(55)]
    message = refusal(desk.file("list.txt", text_list(COMBINED, *lines)))
    assert "55 problems:" in message
    assert "'x49'" in message
    assert "'x50'" not in message
    assert message.endswith("and 5 more")


def test_a_value_that_many_lines_have_is_one_problem_with_their_number(desk):
    rows = "".join(f"{number},A,{'bliz' if number < 40 else 'rapid'},1800\n" for number in range(1, 50))
    message = refusal(desk.file("list.csv", f"fide_id,name,time_control,rating\n{rows}50,B,standrad,1900\n"))
    assert message.split("\n  ") == [
        "list.csv: refused, nothing of it was read. 40 problems:",
        "line 2 and 38 more lines, column time_control: 'bliz' is no time control; write standard, rapid, blitz",
        "line 51, column time_control: 'standrad' is no time control; write standard, rapid, blitz",
    ]


def test_a_player_twice_is_refused(desk):
    line, other = (text_line(COMBINED, **ANNA, **{**STANDARD, "SRtng": rating}) for rating in ("2105", "2106"))
    message = refusal(desk.file("list.txt", text_list(COMBINED, line, text_line(COMBINED, **BRUNO), other)))
    assert "line 4, FIDE ID: '700001 (first in line 2)' occurs twice in the list" in message
    assert "1 problem:" in message


@pytest.mark.parametrize(
    ("cells", "kind", "example"),
    [
        ({"Sex": "D"}, "unknown_sex", "line 2: 'D'"),
        ({"Tit": "XM"}, "unknown_title", "line 2: 'XM'"),
        ({"OTit": "FI,XYZ"}, "unknown_other_title", "line 2: 'FI,XYZ'"),
        ({"Fed": "IT"}, "unknown_federation", "line 2: 'IT'"),
        ({"Name": ""}, "no_name", "line 2: ''"),
        ({"Flag": "wx"}, "unknown_flag", "line 2: 'wx'"),
        ({"B-day": "3"}, "impossible_birth_year", "line 2: '3'"),
        ({"B-day": "2027"}, "impossible_birth_year", "line 2: '2027'"),
    ],
)
def test_what_cannot_change_a_rating_is_noted(desk, cells, kind, example):
    lines = [text_line(COMBINED, **{**ANNA, "ID_Number": str(n), **cells}) for n in (1, 2)]
    path = desk.file("list.txt", text_list(COMBINED, *lines, text_line(COMBINED, **BRUNO)))
    assert notes(path) == {kind: (2, example)}


def test_what_was_noted_is_kept_or_blanked(desk):
    odd = {"Sex": "D", "Tit": "xm", "OTit": "XYZ", "B-day": "3", "Flag": "WIX", "Fed": "ita"}
    (row,) = rows(desk.file("list.txt", text_list(COMBINED, text_line(COMBINED, **{**ANNA, **odd}))))
    assert [row[name] for name in ("sex", "title", "other_titles", "birth_year", "flag", "federation")] == [
        *("", "XM", "XYZ", None, "wi", "ITA"),
    ]


# -------------------------------------------------------------------------------------------------------- FIDE's XML

XML_ELEMENTS = (
    *("fideid", "name", "country", "sex", "title", "w_title", "o_title", "foa_title", "rating", "games", "k"),
    *("rapid_rating", "rapid_games", "rapid_k", "blitz_rating", "blitz_games", "blitz_k", "birthday", "flag"),
)


def xml_player(elements: tuple[str, ...] = XML_ELEMENTS, **cells: str) -> str:
    return "".join(["<player>\n", *(f"<{e}>{cells.get(e, '')}</{e}>\n" for e in elements), "</player>\n"])


def xml_list(*players: str) -> str:
    return "".join(["<playerslist>\n", *players, "</playerslist>\n"])


ANNA_XML = {"fideid": "700001", "name": "Prova, Anna", "country": "ITA", "sex": "F", "birthday": "1990", "flag": "wi"}


def test_combined_xml_gives_what_the_text_gives(desk):
    cells = {"title": "WIM", "w_title": "WIM", "o_title": "FI", "rating": "2105", "games": "11", "k": "20"}
    others = {"rapid_rating": "0", "rapid_games": "0", "rapid_k": "0", "blitz_rating": "1998", "blitz_k": "40"}
    as_xml = desk.file("list.xml", xml_list(xml_player(**ANNA_XML, **cells, **others)))
    line = text_line(
        COMBINED,
        **{**ANNA, "Tit": "WIM", "WTit": "WIM", "OTit": "FI", "SRtng": "2105", "SGm": "11", "SK": "20", "Flag": "wi"},
        BRtng="1998",
        BK="40",
    )
    as_text = desk.file("list.txt", text_list(COMBINED, line))
    assert rows(as_xml) == rows(as_text)
    assert len(rows(as_xml)) == 2


def test_single_xml_takes_its_time_control_from_the_file_name(desk):
    elements = tuple(element for element in XML_ELEMENTS if not element.startswith(("rapid", "blitz")))
    path = desk.file("blitz_oct26frl_xml.xml", xml_list(xml_player(elements, **ANNA_XML, rating="1700", k="20")))
    (row,) = rows(path)
    assert (row["time_control"], row["rating"], row["k"]) == ("blitz", 1700, 20)


def test_xml_text_may_be_escaped(desk):
    cells = {**ANNA_XML, "name": "O&apos;Prova &amp; &#60;Figli&gt;, Anna"}
    (row,) = rows(desk.file("list.xml", xml_list(xml_player(**cells))))
    assert row["name"] == "O'Prova & <Figli>, Anna"


def test_xml_is_read_alike_in_pieces_of_any_size(desk, monkeypatch):
    players = [xml_player(**{**ANNA_XML, "fideid": str(n), "name": f"Prova {n} &amp; Prova"}) for n in range(1, 40)]
    path = desk.file("list.xml", xml_list(*players))
    whole = rows(path)
    for size in (31, 1000):
        monkeypatch.setattr(fide_lists, "READ_BYTES", size)
        assert rows(path) == whole
    assert len(list(list_reader.read(path, month=MONTH))) > 5


def test_xml_in_latin_1_is_read(desk):
    text = '<?xml version="1.0" encoding="latin-1"?>' + xml_list(xml_player(**{**ANNA_XML, "name": "Pröva"}))
    (row,) = rows(desk.file("list.xml", text.encode("latin-1")))
    assert row["name"] == "Pröva"


# ---------------------------------------------------------------------------------------------------- CSV and Parquet

CSV = (
    "fide_id,name,federation,sex,title,women_title,other_titles,birth_date,birth_year,time_control,"
    "rating,k,games,games_played,reached_2400,reached_2300,last_played,flag\n"
)
ANNA_CSV = '700001,"Prova, Anna",ita,f,wm,WIM,FI,1990-04-05,,rapid,2410,10,3,55,1,true,2026-09-14,iw\n'


def test_csv_gives_every_column(desk):
    (row,) = rows(desk.file("list.csv", CSV + ANNA_CSV))
    assert row == {
        "fide_id": 700001,
        "name": "Prova, Anna",
        "federation": "ITA",
        "sex": "F",
        "title": "WIM",
        "women_title": "WIM",
        "other_titles": "FI",
        "birth_date": date(1990, 4, 5),
        "birth_year": 1990,
        "time_control": "rapid",
        "rating": 2410,
        "k": 10,
        "games": 3,
        "games_played": 55,
        "reached_2400": True,
        "reached_2300": True,
        "last_played": date(2026, 9, 14),
        "flag": "wi",
    }


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_csv_may_use_any_usual_separator_and_a_byte_order_mark(desk, separator, mark):
    lines = ["fide_id,name,time_control,rating", '7,"O""Prova",blitz,1500', "8,Pröva,blitz,"]
    content = mark + "\n".join(line.replace(",", separator) for line in lines)
    found = rows(desk.file("list.csv", content.encode()))
    assert [(row["name"], row["rating"]) for row in found] == [('O"Prova', 1500), ("Pröva", None)]


def test_rows_of_separators_alone_are_skipped_as_spreadsheets_save_them(desk):
    found = rows(desk.file("list.csv", "fide_id;name;rating\n7;A;1500\n;;\n; ;\n"), time_control="standard")
    assert [row["fide_id"] for row in found] == [7]


def test_a_list_without_a_column_of_ratings_is_noted(desk):
    path = desk.file("list.csv", "fide_id,name,time_control,ratng\n7,A,blitz,1500\n")
    (batch,) = list_reader.read(path, month=Period.parse("2026-10"))
    assert [note.text() for note in batch.notes] == [
        "1 × no column has the heading rating, so nobody on this list is rated (first: line 1: 'fide_id, name, "
        "time_control')",
        "1 × a column is not read: ratng (first: line 1: 'ratng')",
    ]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("x,A,blitz,1500,,,,,,", "column fide_id: 'x' is not a FIDE ID"),
        (",A,blitz,1500,,,,,,", "column fide_id: '' is not a FIDE ID"),
        ("7,A,bullet,1500,,,,,,", "column time_control: 'bullet' is no time control"),
        ("7,A,,1500,,,,,,", "column time_control: '' is blank although the row has a value under"),
        ("7,A,,,,30,,,,", "column time_control: '' is blank although the row has a value under"),
        ("7,A,blitz,1500.0,,,,,,", "column rating: '1500.0' is not a rating"),
        ("7,A,blitz,5000,,,,,,", "column rating: '5000' is not a rating"),
        ("7,A,blitz,1500,K,,,,,", "column k: 'K' is not a K"),
        ("7,A,blitz,1500,,-1,,,,", "column games_played: '-1' is not a number of games"),
        ("7,A,blitz,1500,,,maybe,,,", "column reached_2400: 'maybe' is not yes or no"),
        ("7,A,blitz,1500,,,,2,,", "column reached_2300: '2' is not yes or no"),
        ("7,A,blitz,1500,,,,,1/9/2026,", "column last_played: '1/9/2026' is not a date"),
        ("7,A,blitz,1500,,,,,9/1/2026,", "column last_played: '9/1/2026' is not a date"),
        ("7,A,blitz,1500,,,,,2026-10-02,", "column last_played: '2026-10-02' is after the list of 2026-10"),
        ("7,A,blitz,1500,,,,,,1990-02-30", "column birth_date: '1990-02-30' is not a date"),
        ("7,A,blitz,2450,,,0,,,", "column reached_2400: 'false' contradicts a rating of 2400 or more"),
        ("7,A,blitz,2350,,,,0,,", "column reached_2300: 'false' contradicts a rating of 2300 or more"),
        ("7,A,blitz,2000,,,1,0,,", "column reached_2300: 'false' contradicts a 2400 reached"),
        ('7,"A,blitz,1500,,,,,,', "has a quotation mark that is not closed"),
        ("7,A,blitz,1500,,,,,,,", "'7,A,blitz,1500,,,,,,,' does not have the 10 cells of the header"),
        ("7,A,blitz", "'7,A,blitz' does not have the 10 cells of the header"),
    ],
)
def test_a_bad_value_in_csv_is_refused_with_its_line_and_column(desk, line, expected):
    header = "fide_id,name,time_control,rating,k,games_played,reached_2400,reached_2300,last_played,birth_date"
    message = refusal(desk.file("list.csv", f"{header}\n6,B,blitz,1500,,,,,,\n\n{line}\n"))
    assert "1 problem:" in message
    assert "line 4" in message
    assert expected in message


def test_an_unknown_column_is_noted(desk):
    path = desk.file("list.csv", "fide_id,name,town,rating,time_control\n7,A,X,1500,blitz\n")
    assert notes(path) == {"unread_column": (1, "line 1: 'town'")}


def test_a_published_list_is_only_read_as_of_its_own_month(desk):
    path = desk.file("list.csv", "list_month,time_control,fide_id,name,rating\n2026-09,blitz,7,A,1500\n")
    assert "line 2, column list_month: '2026-09' is not 2026-10" in refusal(path)
    assert [row["rating"] for row in rows(path, MONTH - 1)] == [1500]


def test_parquet_gives_what_csv_gives(desk):
    as_csv = desk.file("list.csv", CSV + ANNA_CSV)
    as_parquet = desk.folder / "list.parquet"
    (batch,) = list_reader.read(as_csv, month=MONTH)
    batch.rows.write_parquet(as_parquet)
    assert rows(as_parquet) == rows(as_csv)


def test_parquet_may_hold_points_in_time(desk):
    path = desk.folder / "list.parquet"
    day = pl.Series("birth_date", [date(1990, 4, 5)]).cast(pl.Datetime)
    pl.DataFrame({"fide_id": [7], "name": ["A"], "time_control": ["blitz"], "birth_date": day}).write_parquet(path)
    assert [row["birth_date"] for row in rows(path)] == [date(1990, 4, 5)]


def test_parquet_is_read_a_slice_at_a_time(desk, monkeypatch):
    monkeypatch.setattr(list_reader, "BATCH_ROWS", 4)
    path = desk.folder / "list.parquet"
    numbers = list(range(1, 11))
    frame = pl.DataFrame({"fide_id": numbers, "name": ["A"] * 10, "rating": [*[1500] * 9, 4001]})
    frame.with_columns(time_control=pl.lit("blitz")).write_parquet(path)
    assert "line 10, column rating: '4001' is not a rating" in refusal(path)
    frame.head(9).with_columns(time_control=pl.lit("blitz")).write_parquet(path)
    assert [row["fide_id"] for row in rows(path)] == numbers[:9]


# ----------------------------------------------------------------------------------------------------------- any file


def test_a_workbook_is_no_list(desk):
    path = desk.folder / "list.xlsx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("[Content_Types].xml", "")
        archive.writestr("xl/workbook.xml", "")
    with pytest.raises(OfficialListError, match="this is a workbook; save its sheet as CSV"):
        rows(path)


def test_a_zip_of_parquet_is_refused(desk):
    content = io.BytesIO()
    pl.DataFrame({"fide_id": [7], "name": ["A"], "time_control": ["blitz"], "rating": [1500]}).write_parquet(content)
    path = desk.folder / "list.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("list.parquet", content.getvalue())
    assert "give the Parquet file itself" in refusal(path)


@pytest.mark.parametrize("members", [{}, {"a__csv": CSV, "b__csv": CSV}])
def test_a_zip_of_none_or_several_is_refused(desk, members):
    path = desk.zip("lists.zip", readme="", **members) if members else desk.zip("lists.zip", a="", b="")
    assert "files; give a zip with one list" in refusal(path)


def test_a_zip_that_unfolds_too_far_is_refused(desk, monkeypatch):
    monkeypatch.setattr(list_reader, "LIST_BYTES", 10_000)
    assert "unzip it and give the list" in refusal(desk.zip("lists.zip", a__csv=CSV + "\n" * 20_000))


def test_a_damaged_zip_is_refused(desk):
    path = desk.zip("list.zip", list__txt=text_list(COMBINED, text_line(COMBINED, **ANNA)))
    whole = path.read_bytes()
    spoilt = bytearray(whole)
    spoilt[60] ^= 0xFF
    assert "the zip is damaged" in refusal(desk.file("list.zip", bytes(spoilt)))
    assert "not a readable zip" in refusal(desk.file("list.zip", whole[:-30]))


def test_a_refusal_names_the_file_inside_the_zip(desk):
    path = desk.zip("list.zip", inner__csv="fide_id,name,time_control,rating\nx,A,blitz,1500\n")
    assert refusal(path).startswith("list.zip/inner.csv: refused")


# ------------------------------------------------------------------------------------------------- refused as a whole

BRUNO_LINE, ANNA_LINE = (text_line(COMBINED, **one, **STANDARD) for one in (BRUNO, ANNA))
MOVED = [("ID Number", 13), *COMBINED[1:]]
PADDING_LOST = text_line(COMBINED, **BRUNO, **STANDARD, OTit="IA,FT,SI,FI,LSI,SLI").rstrip()
BEFORE_ITS_COLUMN = text_line(LEGACY, **ANNA, OTit="             18", SRtng="22")
LEGACY_LINES = [text_line(LEGACY, **BRUNO)] * 2
WHOLE_XML = xml_list(xml_player(**ANNA_XML))
TWO_LISTS = "fide_id,name,time_control,rating\n7,A,blitz,1500\n"


def with_heading(heading: str) -> str:
    layout = [*PERSON, (heading, 8), *THREE, *LAST]
    return text_list(layout, text_line(layout, **ANNA))


def without_heading(heading: str) -> str:
    layout = [column for column in SINGLE if column[0] != heading]
    return text_list(layout, text_line(layout, **ANNA))


JULY_2002 = {"month": Period.parse("2002-07"), "time_control": "standard"}
REFUSED: dict[str, tuple[str, str | bytes, dict[str, object], str]] = {
    "nothing in it": ("list.txt", "", {}, "the file is empty"),
    "an empty line": ("list.txt", "\n", {}, "the file is empty"),
    "a report": ("list.txt", "012 Some Open\n", {}, "not an official list in any known form"),
    "a table": ("list.txt", "Name;Elo\nA;1500\n", {}, "not an official list in any known form"),
    "other headings": ("list.csv", "FIDE ID;Name;Fed;Elo\n1;A;ORV;1500\n", {}, "no list has a column 'Fed', 'Elo'"),
    "a page": ("page.html", "<!DOCTYPE html>\n<p>&frac12;", {}, "this is a web page"),
    "a table of a page": ("page.html", "\n <TABLE><tr><td>a</td></tr></TABLE>", {}, "this is a web page"),
    "no header": ("list.txt", DATA_OF_2001, JULY_2002, "not an official list in any known form"),
    "headings beside their columns": (
        "list.txt",
        "CODE NAME TITLE COUNTRY JUL02 GAMES FLAG\n" + DATA_OF_2001,
        JULY_2002,
        "do not fit the headings of the header line",
    ),
    "lines beside their headings": (
        "list.txt",
        text_list(COMBINED, text_line(MOVED, **ANNA, **STANDARD), text_line(MOVED, **BRUNO, **STANDARD)),
        {},
        "line 2: the data lines do not fit the headings of the header line (ID Number from 1, Name from 16",
    ),
    "no players": ("list.txt", text_list(COMBINED), {}, "it holds no players"),
    "padding lost": (
        "list.txt",
        text_list(COMBINED, text_line(COMBINED, **ANNA), PADDING_LOST),
        {},
        "line 3, column 114 (SRtng): '    1822  ' runs into the next column (SGm)",
    ),
    "a number before its column": (
        "list.txt",
        text_list(LEGACY, BEFORE_ITS_COLUMN, *LEGACY_LINES),
        {},
        "'             1822    ' runs into the next column (SRtng)",
    ),
    "text beyond the header": ("list.txt", text_list(COMBINED, ANNA_LINE + "more"), {}, "line 2, column 163: 'more'"),
    "blank lines are counted": (
        "list.txt",
        text_list(COMBINED, "   ", "", "70x".ljust(15) + ANNA_LINE[15:]),
        {},
        "line 4, column 1 (ID Number): '70x' is not a FIDE ID",
    ),
    "another month by its header": (
        "rapid_rating_list.txt",
        text_list(SINGLE, text_line(SINGLE, **ANNA, OCT26="1800")),
        {"month": MONTH + 1},
        "this is the list of 2026-10, not of 2026-11; import it with --month 2026-10",
    ),
    "another month by its name": (
        "rapid_sep26frl_xml.xml",
        "<playerslist><player><fideid>1</fideid></player></playerslist>",
        {},
        "this is the list of 2026-09, not of 2026-10",
    ),
    "an unknown heading": ("list.txt", with_heading("City"), {}, "line 1: the heading 'City' is not known"),
    "a heading twice": ("list.txt", with_heading("Fed"), {}, "line 1: two headings name the same column"),
    "no names": ("list.txt", without_heading("Name"), {}, "lacks the heading Name"),
    "no ratings": ("list.txt", without_heading("OCT26"), {}, "lacks the heading SRtng, or a month"),
    "no time control": ("list.txt", text_list(SINGLE, text_line(SINGLE, **ANNA)), {}, "add --time-control"),
    "another time control by its name": (
        "rapid_rating_list.txt",
        text_list(SINGLE, text_line(SINGLE, **ANNA)),
        {"time_control": "blitz"},
        "is the rapid list by its name",
    ),
    "a time control for all lists": (
        "list.txt",
        text_list(COMBINED, ANNA_LINE),
        {"time_control": "blitz"},
        "leave --time-control out",
    ),
    "an entity": (
        "list.xml",
        '<!DOCTYPE playerslist [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]>\n' + WHOLE_XML,
        {},
        "its XML begins with '<!DOCTYPE playerslist",
    ),
    "a document type": (
        "list.xml",
        '<!DOCTYPE p SYSTEM "other.dtd">\n' + WHOLE_XML,
        {},
        "its XML begins with '<!DOCTYPE p SYSTEM",
    ),
    "XML cut off": ("list.xml", WHOLE_XML[: len(WHOLE_XML) // 2], {}, "does not end with </playerslist>"),
    "XML without an end": (
        "list.xml",
        WHOLE_XML.removesuffix("</playerslist>\n"),
        {},
        "does not end with </playerslist>",
    ),
    "an element in an element": (
        "list.xml",
        xml_list(xml_player(**{**ANNA_XML, "name": "<b>Prova</b>, Anna"})),
        {},
        "is not a <player> of elements that have a text alone",
    ),
    "a value in XML": (
        "list.xml",
        xml_list(xml_player(fideid="5"), xml_player(**ANNA_XML, rapid_rating="18x2")),
        {},
        "line 23, <rapid_rating>: '18x2' is not a rating from 0 to 4000",
    ),
    "another year of birth": (
        "list.csv",
        "fide_id,name,time_control,rating,birth_date,birth_year\n7,A,,,1990-01-01,1991\n",
        {},
        "line 2, column birth_year: '1991' is not the year of the birth date",
    ),
    "another name in the second list": (
        "list.csv",
        TWO_LISTS + "7,B,rapid,1600\n",
        {},
        "line 3, FIDE ID: '7 (first in line 2)' occurs twice with different data",
    ),
    "a row of another time control": (
        "list.csv",
        TWO_LISTS + "7,A,rapid,1600\n",
        {"time_control": "blitz"},
        "line 3, column time_control: 'rapid' is not blitz",
    ),
    "no name in CSV": (
        "list.csv",
        "fide_id,rating\n1,2\n",
        {"time_control": "blitz"},
        "line 1: there is no heading for the name among fide_id, rating",
    ),
    "two columns of names": (
        "list.csv",
        "fide_id,name,name\n1,2\n",
        {"time_control": "blitz"},
        "two columns are called name",
    ),
    "damaged Parquet": ("list.parquet", b"PAR1 and nothing else", {}, "not a readable Parquet file"),
}


@pytest.mark.parametrize("why", REFUSED)
def test_what_is_no_list_of_the_month_is_refused_with_the_place(desk, why):
    name, content, given, expected = REFUSED[why]
    with pytest.raises((OfficialListError, CommandLineError)) as refused:
        rows(desk.file(name, content), **given)
    assert expected in str(refused.value)


# ----------------------------------------------------------------------------------------------------------- players


def test_players_are_read_without_month_and_time_control(desk):
    line = text_line(SINGLE, **ANNA, OCT26="1822")
    (batch,) = list_reader.read_players(desk.file("list.txt", text_list(SINGLE, line)), until=TODAY)
    frame = batch.rows
    assert frame.schema == PLAYER.schema
    assert frame.select("fide_id", "name", "federation", "sex", "birth_year").rows() == [
        (700001, "Prova, Anna", "ITA", "F", 1990)
    ]


def test_rating_columns_are_ignored_for_players(desk):
    path = desk.file("list.csv", "fide_id,name,time_control,rating,k\n7,A,bullet,none,?\n")
    (batch,) = list_reader.read_players(path, until=TODAY)
    assert batch.rows["fide_id"].to_list() == [7]


def test_a_player_of_several_lists_is_one_player(desk, monkeypatch):
    monkeypatch.setattr(official_rows, "CHUNK_BYTES", 40)
    lines = ["7,A,blitz,1", "7,A,rapid,1", "8,B,rapid,1", "7,A,standard,1", "8,B,blitz,1"]
    path = desk.file("list.csv", "\n".join(["fide_id,name,time_control,rating", *lines]))
    frames = list(list_reader.read_players(path, until=TODAY))
    assert len(frames) > 1
    assert pl.concat(one.rows for one in frames)["fide_id"].to_list() == [7, 8]


@pytest.mark.parametrize(("again", "refused"), [("7,A", False), ("7,B", True)])
def test_a_player_twice_in_a_file_of_players_is_refused_with_different_data(desk, again, refused):
    path = desk.file("list.csv", f"fide_id,name\n7,A\n{again}\n")
    with pytest.raises(OfficialListError, match=r"'7 \(first in line 2\)'") if refused else nullcontext():
        (batch,) = list_reader.read_players(path, until=TODAY)
        assert batch.rows["fide_id"].to_list() == [7]
