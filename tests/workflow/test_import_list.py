"""Official lists in every form: what is read from them, and what refuses them."""

from __future__ import annotations

import io
import zipfile
from contextlib import nullcontext
from datetime import date
from itertools import cycle
from pathlib import Path

import polars as pl
import pytest

from ratinglist.errors import CommandLineError
from ratinglist.lists import fide_lists, list_reader, official_rows
from ratinglist.lists.official_rows import Inspection, OfficialListError
from ratinglist.period import Period
from ratinglist.settings import Settings
from ratinglist.tables import PLAYER
from ratinglist.workflows import import_files

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


def zipped(**members: str | bytes) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return content.getvalue()


def parquet(**columns: object) -> bytes:
    content = io.BytesIO()
    pl.DataFrame(columns).with_columns(time_control=pl.lit("blitz")).write_parquet(content)
    return content.getvalue()


def written(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode("latin-1"))
    return path


def rows(path: Path, month: Period = MONTH, time_control: str | None = None) -> list[dict[str, object]]:
    frames = [batch.rows for batch in list_reader.read(path, month=month, time_control=time_control)]
    return pl.concat(frames).sort("fide_id", "time_control").to_dicts()


def refusal(path: Path) -> str:
    with pytest.raises(OfficialListError) as refused:
        rows(path)
    return str(refused.value)


# ------------------------------------------------------------------------------------------------------ what is read

XML_ELEMENTS = (
    *("fideid", "name", "country", "sex", "title", "w_title", "o_title", "foa_title", "rating", "games", "k"),
    *("rapid_rating", "rapid_games", "rapid_k", "blitz_rating", "blitz_games", "blitz_k", "birthday", "flag"),
)


def xml_player(elements: tuple[str, ...] = XML_ELEMENTS, **cells: str) -> str:
    return "".join(["<player>\n", *(f"<{e}>{cells.get(e, '')}</{e}>\n" for e in elements), "</player>\n"])


def xml_list(*players: str) -> str:
    return "".join(["<playerslist>\n", *players, "</playerslist>\n"])


ANNA_XML = {"fideid": "700001", "name": "Prova, Anna", "country": "ITA", "sex": "F", "birthday": "1990", "flag": "wi"}
CSV = (
    "fide_id,name,federation,sex,title,women_title,other_titles,birth_date,birth_year,time_control,"
    "rating,k,games,games_played,reached_2400,reached_2300,last_played,flag\n"
)
ANNA_CSV = '700001,"Prova, Anna",ita,f,wm,WIM,FI,1990-04-05,,rapid,2410,10,3,55,1,true,2026-09-14,iw\n'
LIST_OF_2001 = """ID_NUMBER NAME                             TITLE COUNTRY JAN01 GAMES FLAG

  100011  Prova, Anna                      wg    ITA     2301   12   w
  100012  Prova, Bruno                           FRA     2063    0   i
"""
DATA_OF_2001 = LIST_OF_2001.partition("\n")[2]
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
JULY_2011 = {"month": Period.parse("2011-07"), "time_control": "standard"}


def line_of_2011(number: int, flag: str = "") -> str:
    cells = {"ID_Number": str(number), "Name": "Prova, Anna", "Fed": "ITA", "JUL11": "2105", "Born": "1990"}
    return text_line(OF_2011, **cells, Games="0", Flag=flag)


SINGLE_XML = tuple(element for element in XML_ELEMENTS if not element.startswith(("rapid", "blitz")))
FEBRUARY_2014 = {"month": Period.parse("2014-02"), "time_control": "blitz"}
OF_OLD_LISTS = {"time_control": "standard"}
BLANK = {
    **dict.fromkeys(("birth_date", "birth_year", "rating", "k", "games", "games_played", "reached_2400")),
    **dict.fromkeys(("reached_2300", "last_played", "time_control")),
    **dict.fromkeys(("name", "federation", "sex", "title", "women_title", "other_titles", "flag"), ""),
}
WIM = {"name": "Prova, Anna", "federation": "ITA", "sex": "F", "title": "WIM", "women_title": "WIM", "birth_year": 1990}
SHIFTED = text_line(COMBINED, **ANNA, **STANDARD, OTit="SI,FI,LSI,SLI,NA", FOA="AFM", BRtng="1900", BGm="12", BK="40")
OLD_LINE = text_line(
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
LONG_TITLES = [
    # a letter over, two over, three over, beside an arena title, seven over, beside the rating
    (COMBINED, {"OTit": "SI,FI,LSI,SLI,N", "FOA": "A"}, "SI,FI,LSI,SLI,NA"),
    (COMBINED, {"OTit": "SI,FI,LSI,SLI,F", "FOA": "ST"}, "SI,FI,LSI,SLI,FST"),
    (COMBINED, {"OTit": "IA,FT,SI,FI,LSI", "FOA": ",DI"}, "IA,FT,SI,FI,LSI,DI"),
    (COMBINED, {"OTit": "FI,LSI,IA,SI,DI", "FOA": "AFM"}, "FI,LSI,IA,SI,DI"),
    (COMBINED, {"OTit": "IA,FT,SI,FI,LSI,SLI,NA", "FOA": "ACM"}, "IA,FT,SI,FI,LSI,SLI,NA"),
    (LEGACY, {"OTit": "FI,LSI,IA,SI,DI"}, "FI,LSI,IA,SI,DI"),
]
OLD_TITLES = {"g": "GM", "m": "IM", "f": "FM", "c": "CM", "wg": "WGM", "wm": "WIM", "wf": "WFM", "wc": "WCM"}
ODD = {"Sex": "D", "Tit": "xm", "OTit": "XYZ", "B-day": "3", "Flag": "WIX", "Fed": "ita"}
OF_SEPTEMBER = "list_month,time_control,fide_id,name,rating\n2026-09,blitz,7,A,1500\n"
TWO_LINES = 'fide_id,name,time_control,rating\n7,"O""Prova",blitz,1500\n8,Pröva,blitz,'
READ: dict[str, tuple[str, str | bytes, dict[str, object], list[dict[str, object]]]] = {
    "text with every column": (
        "list.txt",
        text_list(
            COMBINED,
            text_line(
                COMBINED,
                **{**ANNA, "Tit": "WIM", "WTit": "WIM", "OTit": "FI,LSI", "FOA": "AFM", "SRtng": "2105"},
                SGm="11",
                SK="20",
                BRtng="1998",
                BGm="0",
                BK="40",
            ),
        ),
        {},
        [
            {**BLANK, **WIM, "fide_id": 700001, "other_titles": "FI,LSI", "flag": "w", **figures}
            for figures in (
                {"time_control": "blitz", "rating": 1998, "k": 40, "games": 0},
                {"time_control": "standard", "rating": 2105, "k": 20, "games": 11},
            )
        ],
    ),
    "XML with every column": (
        "list.xml",
        xml_list(
            xml_player(
                **ANNA_XML,
                title="WIM",
                w_title="WIM",
                o_title="FI",
                rating="2105",
                games="11",
                k="20",
                rapid_rating="0",
                rapid_games="0",
                rapid_k="0",
                blitz_rating="1998",
                blitz_k="40",
            )
        ),
        {},
        [
            {**BLANK, **WIM, "fide_id": 700001, "other_titles": "FI", "flag": "wi", **figures}
            for figures in (
                {"time_control": "blitz", "rating": 1998, "k": 40},
                {"time_control": "standard", "rating": 2105, "k": 20, "games": 11},
            )
        ],
    ),
    "CSV with every column": (
        "list.csv",
        CSV + ANNA_CSV,
        {},
        [
            {
                **WIM,
                "fide_id": 700001,
                "other_titles": "FI",
                "birth_date": date(1990, 4, 5),
                "flag": "wi",
                "time_control": "rapid",
                "rating": 2410,
                "k": 10,
                "games": 3,
                "games_played": 55,
                "reached_2400": True,
                "reached_2300": True,
                "last_played": date(2026, 9, 14),
            }
        ],
    ),
    "a player without any rating": (
        "list.txt",
        text_list(
            COMBINED,
            text_line(COMBINED, **ANNA),
            text_line(COMBINED, **BRUNO, **dict.fromkeys(("SRtng", "RRtng", "BRtng"), "0")),
        ),
        {},
        [{"fide_id": number, "time_control": None, "rating": None} for number in (700001, 700002)],
    ),
    "a time control of the file name": (
        "rapid_rating_list.txt",
        text_list(SINGLE, text_line(SINGLE, **ANNA, OCT26="1822", Gms="7", K="20")),
        {},
        [{"time_control": "rapid", "rating": 1822, "games": 7, "k": 20}],
    ),
    "a time control of the name of XML": (
        "blitz_oct26frl_xml.xml",
        xml_list(xml_player(SINGLE_XML, **ANNA_XML, rating="1700", k="20")),
        {},
        [{"time_control": "blitz", "rating": 1700, "k": 20}],
    ),
    "a time control of the command": (
        "list.txt",
        text_list(SINGLE_WITHOUT_FOA, text_line(SINGLE_WITHOUT_FOA, **ANNA, feb14="1822", Gms="7", K="0"), end="\n"),
        FEBRUARY_2014,
        [{"time_control": "blitz", "rating": 1822, "k": None}],
    ),
    "headings that touch": (
        "list.txt",
        text_list(OLD, OLD_LINE),
        {**OF_OLD_LISTS, "month": Period.parse("2011-03")},
        [
            {
                "title": "WGM",
                "federation": "ITA",
                "rating": 2301,
                "games": 12,
                "k": None,
                "birth_year": 1990,
                "flag": "wi",
            }
        ],
    ),
    "no column of births": (
        "list.txt",
        LIST_OF_2001,
        {**OF_OLD_LISTS, "month": Period.parse("2001-01")},
        [
            {"fide_id": 100011, "title": "WGM", "rating": 2301, "games": 12, "birth_year": None},
            {"fide_id": 100012, "title": "", "rating": 2063, "games": 0, "birth_year": None},
        ],
    ),
    "the sex of women by the flag of old lists": (
        "list.txt",
        text_list(OF_2011, *(line_of_2011(700001 + n, flag) for n, flag in enumerate(("w", "wi", "i", "")))),
        JULY_2011,
        [{"sex": "F", "flag": "w"}, {"sex": "F", "flag": "wi"}, {"sex": "", "flag": "i"}, {"sex": "", "flag": ""}],
    ),
    **{
        f"the old title {old}": (
            "list.txt",
            text_list(COMBINED, text_line(COMBINED, **ANNA, Tit=old, WTit=old.upper())),
            {},
            [{"title": title, "women_title": title}],
        )
        for old, title in OLD_TITLES.items()
    },
    "a line shifted by long other titles": (
        "list.txt",
        text_list(COMBINED, SHIFTED, text_line(COMBINED, **BRUNO, **STANDARD)),
        {},
        [
            {"other_titles": "SI,FI,LSI,SLI,NA", "rating": 1900, "k": 40, "birth_year": 1990, "flag": "w"},
            {"other_titles": "SI,FI,LSI,SLI,NA", "rating": 1822, "k": 20, "birth_year": 1990, "flag": "w"},
            {"other_titles": "", "rating": 1822, "k": 20, "birth_year": None, "flag": ""},
        ],
    ),
    **{
        f"{titles} in {len(layout)} columns": (
            "list.txt",
            text_list(layout, text_line(layout, **ANNA, **STANDARD, **cells), text_line(layout, **BRUNO, **STANDARD)),
            {},
            [{"other_titles": titles, "rating": 1822, "games": 7, "k": 20}, {}],
        )
        for layout, cells, titles in LONG_TITLES
    },
    "no blanks at the end": (
        "list.txt",
        text_list(COMBINED, text_line(COMBINED, **BRUNO, **STANDARD).rstrip()),
        {},
        [{"rating": 1822, "games": 7, "birth_year": None, "flag": ""}],
    ),
    **{
        f"accents in {encoding}": (
            "list.txt",
            text_list(COMBINED, text_line(COMBINED, **{**ANNA, "Name": "Pröva, Ànnà"}, **STANDARD)).encode(encoding),
            {},
            [{"name": "Pröva, Ànnà", "rating": 1822}],
        )
        for encoding in ("latin-1", "utf-8", "utf-8-sig")
    },
    "XML in Latin-1": (
        "list.xml",
        '<?xml version="1.0" encoding="latin-1"?>' + xml_list(xml_player(**{**ANNA_XML, "name": "Pröva"})),
        {},
        [{"name": "Pröva"}],
    ),
    "what XML escapes": (
        "list.xml",
        xml_list(xml_player(**{**ANNA_XML, "name": "O&apos;Prova &amp; &#60;Figli&gt;, Anna"})),
        {},
        [{"name": "O'Prova & <Figli>, Anna"}],
    ),
    "what is noted is kept or blanked": (
        "list.txt",
        text_list(COMBINED, text_line(COMBINED, **{**ANNA, **ODD})),
        {},
        [
            {
                "sex": "",
                "title": "XM",
                "other_titles": "XYZ",
                "birth_year": None,
                "flag": "wi",
                "federation": "ITA",
            }
        ],
    ),
    "a tab in a name": (
        "list.txt",
        text_list(COMBINED, text_line(COMBINED, **{**ANNA, "Name": "Prova,\tAnna"}, **STANDARD)),
        {},
        [{"name": "Prova, Anna"}],
    ),
    **{
        f"CSV with {separator!r} behind {mark!r}": (
            "list.csv",
            (mark + TWO_LINES.replace(",", separator)).encode(),
            {},
            [{"name": 'O"Prova', "rating": 1500}, {"name": "Pröva", "rating": None}],
        )
        for separator in (",", ";", "\t")
        for mark in ("", "\ufeff")
    },
    "rows of separators alone": (
        "list.csv",
        "fide_id;name;rating\n7;A;1500\n;;\n; ;\n",
        {"time_control": "standard"},
        [{"fide_id": 7}],
    ),
    "a published list": ("list.csv", OF_SEPTEMBER, {"month": MONTH - 1}, [{"rating": 1500}]),
    "a point in time in Parquet": (
        "list.parquet",
        parquet(fide_id=[7], name=["A"], birth_date=pl.Series([date(1990, 4, 5)]).cast(pl.Datetime)),
        {},
        [{"birth_date": date(1990, 4, 5)}],
    ),
}


@pytest.mark.parametrize(("name", "content", "options", "expected"), READ.values(), ids=READ)
def test_a_list_gives_the_figures_of_its_players(tmp_path, name, content, options, expected):
    players = rows(written(tmp_path, name, content), **options)
    known = [{key: row[key] for key in figures} for row, figures in zip(players, expected, strict=True)]
    assert known == expected


NOTED: dict[str, tuple[str, dict[str, object], dict[str, tuple[int, str]]]] = {
    **{
        f"{kind}: {example}": (
            text_list(
                COMBINED,
                *(text_line(COMBINED, **{**ANNA, "ID_Number": number, **cells}) for number in ("1", "2")),
                text_line(COMBINED, **BRUNO),
            ),
            {},
            {kind: (2, f"line 2: {example}")},
        )
        for cells, kind, example in [
            ({"Sex": "D"}, "unknown_sex", "'D'"),
            ({"Tit": "XM"}, "unknown_title", "'XM'"),
            ({"OTit": "FI,XYZ"}, "unknown_other_title", "'FI,XYZ'"),
            ({"Fed": "IT"}, "unknown_federation", "'IT'"),
            ({"Name": ""}, "no_name", "''"),
            ({"Flag": "wx"}, "unknown_flag", "'wx'"),
            ({"B-day": "3"}, "impossible_birth_year", "'3'"),
            ({"B-day": "2027"}, "impossible_birth_year", "'2027'"),
            ({"Name": "Prova,\tAnna"}, "odd_character", "'Prova,\\tAnna'"),
        ]
    },
    "a shifted line": (text_list(COMBINED, SHIFTED), {}, {"line_overflows": (1, f"line 2: '{SHIFTED[:80]}...'")}),
    "no column of ratings": (
        "fide_id,name,time_control,ratng\n7,A,blitz,1500\n",
        {},
        {"no_column_of_ratings": (1, "line 1: 'fide_id, name, time_control'"), "unread_column": (1, "line 1: 'ratng'")},
    ),
    "text that is not UTF-8": (
        text_list(COMBINED, text_line(COMBINED, **ANNA), text_line(COMBINED, **{**BRUNO, "Name": "Pröva, Bruno"})),
        {},
        {"encoding_assumed": (1, "line 3: 'Pröva'")},
    ),
    "XML that is not UTF-8": (
        xml_list(xml_player(**ANNA_XML), xml_player(**{**ANNA_XML, "fideid": "8", "name": "Pröva"})),
        {},
        {"encoding_assumed": (1, "line 25: 'Pröva'")},
    ),
    "women by their flag": (
        text_list(OF_2011, *(line_of_2011(700001 + n, flag) for n, flag in enumerate(("w", "wi", "i")))),
        JULY_2011,
        {"sex_of_flag": (2, "line 2: 'w'")},
    ),
    "ids far shorter than FIDE's": (
        text_list(OF_2011, *(line_of_2011(number) for number in (*range(1, 12), *range(700001, 700010)))),
        JULY_2011,
        {"short_ids": (11, "line 2: '1'")},
    ),
    "a few short ids": (
        text_list(OF_2011, *(line_of_2011(number) for number in (*range(1, 11), *range(700001, 700011)))),
        JULY_2011,
        {},
    ),
}


@pytest.mark.parametrize(("content", "options", "noted"), NOTED.values(), ids=NOTED)
def test_what_cannot_change_a_rating_is_noted(tmp_path, content, options, noted):
    *_, last = list_reader.read(written(tmp_path, "list", content), **{"month": MONTH, "time_control": None, **options})
    assert {note.kind: (note.count, note.example) for note in last.notes} == noted


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("chunk", [1, 163, 164, 165, 400])
def test_chunks_and_line_ends_change_nothing(monkeypatch, end, chunk):
    monkeypatch.setattr(official_rows, "CHUNK_BYTES", chunk)
    lines = [f"line {n}".ljust(161) for n in range(1, 8)]
    stream = io.BytesIO((end.join(lines) + end).encode())
    list_file = Inspection("list.txt")
    numbered_lines = pl.concat(
        official_rows.text_lines(*piece, list_file) for piece in official_rows.text_pieces(stream, list_file)
    )
    assert numbered_lines.to_dict(as_series=False) == {"line": list(range(1, 8)), "text": lines}


LINES_OF_LISTS = [
    *('2,"B, b",ITA,1500', "2,B,ITA,", ",,,", "", " ; ,", "2, B ,ITA, 1500", "2,B,ITA", "2,B,ITA,1500,9", "2,B"),
    *('2,"B,ITA,1500', '2,"B ""b""",ITA,1500', '2,B"b,ITA,1500', '2,"B', "2,B\u00e9,ITA,1500"),
]


@pytest.mark.parametrize(("line", "end"), list(zip(LINES_OF_LISTS, cycle(["\n", "\r\n", "\r"]), strict=False)))
def test_a_csv_list_is_read_alike_in_pieces_of_any_size(tmp_path, monkeypatch, line, end):
    lines = ["fide_id,name,federation,rating", "1,A,ITA,1400", line, "3,C,ITA,1600", "4,D,ITA,1700", line]
    path = written(tmp_path, "standard_rating_list.csv", end.join(lines))

    def outcome() -> list[dict[str, object]] | str:
        try:
            return rows(path)
        except OfficialListError as error:
            return str(error)

    whole = outcome()
    for size in (1, 40, 70):
        monkeypatch.setattr(official_rows, "CHUNK_BYTES", size)
        assert outcome() == whole


def test_xml_is_read_alike_in_pieces_of_any_size(tmp_path, monkeypatch):
    players = [xml_player(**{**ANNA_XML, "fideid": str(n), "name": f"Prova {n} &amp; Prova"}) for n in range(1, 40)]
    path = written(tmp_path, "list.xml", xml_list(*players))
    whole = rows(path)
    for size in (31, 1000):
        monkeypatch.setattr(fide_lists, "READ_BYTES", size)
        assert rows(path) == whole
    assert len(list(list_reader.read(path, month=MONTH))) > 5


def test_parquet_gives_what_csv_gives(tmp_path):
    (batch,) = list_reader.read(written(tmp_path, "list.csv", CSV + ANNA_CSV), month=MONTH)
    batch.rows.write_parquet(tmp_path / "list.parquet")
    assert rows(tmp_path / "list.parquet") == batch.rows.to_dicts()


def test_parquet_is_read_a_slice_at_a_time(tmp_path, monkeypatch):
    monkeypatch.setattr(list_reader, "BATCH_ROWS", 4)
    numbers = list(range(1, 11))
    wrong = parquet(fide_id=numbers, name=["A"] * 10, rating=[*[1500] * 9, 4001])
    assert "line 10, column rating: '4001' is not a rating" in refusal(written(tmp_path, "wrong.parquet", wrong))
    right = parquet(fide_id=numbers, name=["A"] * 10, rating=[1500] * 10)
    assert [row["fide_id"] for row in rows(written(tmp_path, "list.parquet", right))] == numbers


# ------------------------------------------------------------------------------------------------- refused as a whole

BRUNO_LINE, ANNA_LINE = (text_line(COMBINED, **player, **STANDARD) for player in (BRUNO, ANNA))
MOVED = [("ID Number", 13), *COMBINED[1:]]
PADDING_LOST = text_line(COMBINED, **BRUNO, **STANDARD, OTit="IA,FT,SI,FI,LSI,SLI").rstrip()
BEFORE_ITS_COLUMN = text_line(LEGACY, **ANNA, OTit="             18", SRtng="22")
LEGACY_LINES = [text_line(LEGACY, **BRUNO)] * 2
WHOLE_XML = xml_list(xml_player(**ANNA_XML))
TWO_LISTS = "fide_id,name,time_control,rating\n7,A,blitz,1500\n"


def with_a_tab(blanks: int) -> str:
    """A list in which a tab has taken the place of some blanks of a line, and moves its columns."""
    whole = [text_line(COMBINED, **{**ANNA, "ID_Number": str(700002 + n)}, SRtng="2105") for n in range(4)]
    at = ANNA_LINE.index("Anna") + 4
    return text_list(COMBINED, *whole, ANNA_LINE[:at] + "\t" + ANNA_LINE[at + blanks :])


def with_heading(heading: str) -> str:
    layout = [*PERSON, (heading, 8), *THREE, *LAST]
    return text_list(layout, text_line(layout, **ANNA))


def without_heading(heading: str) -> str:
    layout = [column for column in SINGLE if column[0] != heading]
    return text_list(layout, text_line(layout, **ANNA))


WRONG_IN_TEXT = [
    ({"ID_Number": ""}, "1 (ID Number): '' is not a FIDE ID"),
    ({"ID_Number": "0"}, "1 (ID Number): '0' is not a FIDE ID"),
    ({"SRtng": "18x2"}, "114 (SRtng): '18x2' is not a rating from 0 to 4000"),
    ({"SRtng": "4001"}, "114 (SRtng): '4001' is not a rating from 0 to 4000"),
    ({"RRtng": "-5"}, "127 (RRtng): '-5' is not a rating from 0 to 4000"),
    ({"BK": "x"}, "150 (BK): 'x' is not a K"),
    ({"SGm": "1.5"}, "120 (SGm): '1.5' is not a number of games"),
    ({"B-day": "19?0"}, "153 (B-day): '19?0' is not a year"),
]
HEADINGS = "fide_id,name,time_control,rating,k,games_played,reached_2400,reached_2300,last_played,birth_date"
WRONG_IN_CSV = [
    ("x,A,blitz,1500,,,,,,", ", column fide_id: 'x' is not a FIDE ID"),
    (",A,blitz,1500,,,,,,", ", column fide_id: '' is not a FIDE ID"),
    ("7,A,bullet,1500,,,,,,", ", column time_control: 'bullet' is no time control"),
    ("7,A,,1500,,,,,,", ", column time_control: '' is blank although the row has a value under"),
    ("7,A,,,,30,,,,", ", column time_control: '' is blank although the row has a value under"),
    ("7,A,blitz,1500.0,,,,,,", ", column rating: '1500.0' is not a rating"),
    ("7,A,blitz,5000,,,,,,", ", column rating: '5000' is not a rating"),
    ("7,A,blitz,1500,K,,,,,", ", column k: 'K' is not a K"),
    ("7,A,blitz,1500,,-1,,,,", ", column games_played: '-1' is not a number of games"),
    ("7,A,blitz,1500,,,maybe,,,", ", column reached_2400: 'maybe' is not yes or no"),
    ("7,A,blitz,1500,,,,2,,", ", column reached_2300: '2' is not yes or no"),
    ("7,A,blitz,1500,,,,,1/9/2026,", ", column last_played: '1/9/2026' is not a date"),
    ("7,A,blitz,1500,,,,,9/1/2026,", ", column last_played: '9/1/2026' is not a date"),
    ("7,A,blitz,1500,,,,,2026-10-02,", ", column last_played: '2026-10-02' is after the list of 2026-10"),
    ("7,A,blitz,1500,,,,,,1990-02-30", ", column birth_date: '1990-02-30' is not a date"),
    ("7,A,blitz,2450,,,0,,,", ", column reached_2400: 'false' contradicts a rating of 2400 or more"),
    ("7,A,blitz,2350,,,,0,,", ", column reached_2300: 'false' contradicts a rating of 2300 or more"),
    ("7,A,blitz,2000,,,1,0,,", ", column reached_2300: 'false' contradicts a 2400 reached"),
    ('7,"A,blitz,1500,,,,,,', ": '7,\"A,blitz,1500,,,,,,' has a quotation mark that is not closed"),
    ("7,A,blitz,1500,,,,,,,", ": '7,A,blitz,1500,,,,,,,' does not have the 10 cells of the header"),
    ("7,A,blitz", ": '7,A,blitz' does not have the 10 cells of the header"),
]
JULY_2002 = {"month": Period.parse("2002-07"), "time_control": "standard"}
REFUSED: dict[str, tuple[str, str | bytes, dict[str, object], str]] = {
    "nothing in it": ("list.txt", "", {}, "the file is empty"),
    "an empty line": ("list.txt", "\n", {}, "the file is empty"),
    "a report": ("list.txt", "012 Some Open\n", {}, "not an official list in any known form"),
    "a table": ("list.txt", "Name;Elo\nA;1500\n", {}, "not an official list in any known form"),
    "other headings": ("list.csv", "FIDE ID;Name;Fed;Elo\n1;A;ORV;1500\n", {}, "no list has a column 'Fed', 'Elo'"),
    "a page": ("page.html", "<!DOCTYPE html>\n<p>&frac12;", {}, "this is a web page"),
    "a table of a page": ("page.html", "\n <TABLE><tr><td>a</td></tr></TABLE>", {}, "this is a web page"),
    "text beside a quoted text": (
        "list.csv",
        'fide_id,name,rating\n1,"A, B",1500\n2,"C" D,1500\n3,"E, F",1500\n',
        {"time_control": "standard"},
        "line 3 cannot be read",
    ),
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
    "a tab for two blanks": ("list.txt", with_a_tab(2), {}, "the line has a tab"),
    "a tab for three blanks": ("list.txt", with_a_tab(3), {}, "the line has a tab"),
    "a tab for nine blanks": ("list.txt", with_a_tab(9), {}, "the line has a tab"),
    "a player twice": (
        "list.txt",
        text_list(COMBINED, ANNA_LINE, BRUNO_LINE, text_line(COMBINED, **ANNA, SRtng="2106")),
        {},
        "line 4, FIDE ID: '700001 (first in line 2)' occurs twice in the list",
    ),
    "a published list of another month": (
        "list.csv",
        OF_SEPTEMBER,
        {},
        "line 2, column list_month: '2026-09' is not 2026-10",
    ),
    "a workbook": (
        "list.xlsx",
        zipped(**{"[Content_Types].xml": "", "xl/workbook.xml": ""}),
        {},
        "this is a workbook; save its sheet as CSV",
    ),
    "a zip of Parquet": (
        "list.zip",
        zipped(**{"list.parquet": parquet(fide_id=[7], name=["A"])}),
        {},
        "give the Parquet file itself",
    ),
    "a zip of none": ("lists.zip", zipped(a="", b=""), {}, "files; give a zip with one list"),
    "a zip of several": ("lists.zip", zipped(**{"a.csv": CSV, "b.csv": CSV}), {}, "files; give a zip with one list"),
    "a value inside a zip": (
        "list.zip",
        zipped(**{"inner.csv": "fide_id,name,time_control,rating\nx,A,blitz,1500\n"}),
        {},
        "list.zip/inner.csv: refused",
    ),
    **{
        f"in text: {place}": (
            "list.txt",
            text_list(COMBINED, text_line(COMBINED, **BRUNO), text_line(COMBINED, **{**ANNA, **cells})),
            {},
            f"list.txt: refused, nothing of it was read. 1 problem:\n  line 3, column {place}",
        )
        for cells, place in WRONG_IN_TEXT
    },
    **{
        f"in CSV: {line}": (
            "list.csv",
            f"{HEADINGS}\n6,B,blitz,1500,,,,,,\n\n{line}\n",
            {},
            f"read. 1 problem:\n  line 4{place}",
        )
        for line, place in WRONG_IN_CSV
    },
}


@pytest.mark.parametrize(("name", "content", "options", "expected"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_list_of_the_month_is_refused_with_the_place(tmp_path, name, content, options, expected):
    with pytest.raises((OfficialListError, CommandLineError)) as refused:
        rows(written(tmp_path, name, content), **options)
    assert expected in str(refused.value)


def test_a_refusal_lists_fifty_problems_and_counts_the_others(tmp_path):
    lines = [text_line(COMBINED, **{**ANNA, "ID_Number": f"x{n}"}) for n in range(55)]
    message = refusal(written(tmp_path, "list.txt", text_list(COMBINED, *lines)))
    assert [part in message for part in ("55 problems:", "'x49'", "'x50'", "and 5 more")] == [True, True, False, True]


def test_a_value_that_many_lines_have_is_one_problem_with_their_number(tmp_path):
    rows = "".join(f"{number},A,{'bliz' if number < 40 else 'rapid'},1800\n" for number in range(1, 50))
    content = f"fide_id,name,time_control,rating\n{rows}50,B,standrad,1900\n"
    assert refusal(written(tmp_path, "list.csv", content)).split("\n  ") == [
        "list.csv: refused, nothing of it was read. 40 problems:",
        "line 2 and 38 more lines, column time_control: 'bliz' is no time control; write standard, rapid, blitz",
        "line 51, column time_control: 'standrad' is no time control; write standard, rapid, blitz",
    ]


def test_a_zip_that_unfolds_too_far_or_is_damaged_is_refused(tmp_path, monkeypatch):
    whole = zipped(**{"list.txt": text_list(COMBINED, ANNA_LINE)})
    spoilt = bytearray(whole)
    spoilt[60] ^= 0xFF
    assert "the zip is damaged" in refusal(written(tmp_path, "list.zip", bytes(spoilt)))
    assert "not a readable zip" in refusal(written(tmp_path, "list.zip", whole[:-30]))
    monkeypatch.setattr(list_reader, "LIST_BYTES", 10_000)
    large = zipped(**{"a.csv": CSV + "\n" * 20_000})
    assert "unzip it and give the list" in refusal(written(tmp_path, "lists.zip", large))


# ----------------------------------------------------------------------------------------------------------- players


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (text_list(SINGLE, text_line(SINGLE, **ANNA, OCT26="1822")), (700001, "Prova, Anna", "ITA", "F", 1990)),
        ("fide_id,name,time_control,rating,k\n7,A,bullet,none,?\n", (7, "A", "", "", None)),
    ],
    ids=["without month and time control", "with ratings that are none"],
)
def test_players_are_read_without_their_ratings(tmp_path, content, expected):
    (batch,) = list_reader.read_players(written(tmp_path, "players", content), until=TODAY)
    assert batch.rows.schema == PLAYER.schema
    assert batch.rows.select("fide_id", "name", "federation", "sex", "birth_year").rows() == [expected]


def test_a_club_under_its_heading_is_read_of_a_file_of_players(tmp_path):
    layout = [*OF_2011, ("Club", 10)]
    line = text_line(layout, ID_Number="700001", Name="Prova, Anna", Fed="ITA", JUL11="2105", Club="Wien West")
    (batch,) = list_reader.read_players(written(tmp_path, "list.txt", text_list(layout, line)), until=TODAY)
    assert batch.memberships.select("fide_id", "club").rows() == [(700001, "Wien West")]


def test_a_player_of_several_lists_is_one_player(tmp_path, monkeypatch):
    monkeypatch.setattr(official_rows, "CHUNK_BYTES", 40)
    lines = ["7,A,blitz,1", "7,A,rapid,1", "8,B,rapid,1", "7,A,standard,1", "8,B,blitz,1"]
    path = written(tmp_path, "list.csv", "\n".join(["fide_id,name,time_control,rating", *lines]))
    assert len(list(list_reader.read_players(path, until=TODAY))) > 1
    summary = import_files.import_players(Settings(tmp_path / "home", "fide", TODAY), path)
    assert (summary.players, summary.new_players) == (2, 2)


@pytest.mark.parametrize(("again", "refused"), [("7,A", False), ("7,B", True)])
def test_a_player_twice_in_a_file_of_players_is_refused_with_different_data(tmp_path, again, refused):
    path = written(tmp_path, "list.csv", f"fide_id,name\n7,A\n{again}\n")
    with pytest.raises(OfficialListError, match=r"'7 \(first in line 2\)'") if refused else nullcontext():
        summary = import_files.import_players(Settings(tmp_path / "home", "fide", TODAY), path)
        assert summary.players == 1
