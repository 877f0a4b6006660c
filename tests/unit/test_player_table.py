"""Tables of players, as pairing programs and tournament sites export them."""

from __future__ import annotations

import contextlib
import sqlite3
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from ratinglist.lists import list_reader
from ratinglist.lists.list_reader import OfficialListError

TODAY = date(2026, 10, 1)
SITE = """\
Open of Examples

No.,,Name,FideID,FED,sex,Birth,Rtg
1,GM,"Prova, Anna",100011,ITA,w,1980-05-03,2300
2,,"Prova, Bruno",100012,FRA,,1990,1800
3,,"Prova, Carla",,FRA,,1999,1500

More at https://example.org
"""
PROGRAM = (
    "ID_No;Name;Sex;Fed;Clubnumber;ClubName;Birthday;Rtg_Nat;Fide_No;Rtg_Int\r\n"
    "12;Prova Anna;f;ITA;1;Club;03.05.1980;2000;100011;2010\r\n"
    "13;Prova Bruno;;FRA;1;Club;1990;1500;100012;0\r\n"
    "14;Prova Carla;f;FRA;1;Club;00.00.1999;1500;0;0\r\n"
)


def read(path: Path) -> tuple[pl.DataFrame, dict[str, str]]:
    batches = list(list_reader.read_players(path, until=TODAY))
    notes = {note.kind: note.text() for note in batches[-1].notes}
    return pl.concat(batch.rows for batch in batches), notes


COLUMNS = ("fide_id", "name", "federation", "sex", "title", "birth_date", "birth_year")
ANNA = (100011, "Pröva Anna", "ITA", "F", "", date(1980, 5, 3), 1980)
BRUNO = (100012, "Pröva Bruno", "FRA", "", "", None, 1990)
NO_DATA = ("", "", "", None, None)

# A table, the encoding, the players read, and what the notes say.
TABLES: list[tuple[str, str, list[tuple[Any, ...]], dict[str, str]]] = [
    (
        SITE,
        "utf-8",
        [
            (100011, "Prova, Anna", "ITA", "F", "", date(1980, 5, 3), 1980),
            (100012, "Prova, Bruno", "FRA", "", "", None, 1990),
        ],
        {"no_fide_id": "(first: line 6: 'Prova, Carla')", "unread_column": "No., Rtg"},
    ),
    *(
        (
            PROGRAM.replace(";", separator).replace("Prova", "Pröva"),
            encoding,
            [ANNA, BRUNO],
            {"no_fide_id": "1 × ", **assumed},
        )
        for separator in (";", ",", "\t")
        for encoding, assumed in {
            "cp1252": {"encoding_assumed": "3 × a line is not UTF-8, read as Windows-1252"},
            "utf-8-sig": {},
        }.items()
    ),
    *(
        (f"{headings}\nProva,Anna,100011\n", "utf-8", [(100011, "Prova, Anna", *NO_DATA)], {})
        for headings in (
            "Cognome,Nome,ID FIDE",
            "Nom,Prénom,Code FIDE",
            "Nachname,Vorname,FIDE-Nr.",
            "Фамилия,Имя,Код ФИДЕ",
            "Priezvisko,Meno,FIDE ID number",
            "Vezetéknév,Keresztnév,FIDE azonosító",
        )
    ),
    *(
        (f"FideID,Name,Birth\n100011,A,{written}\n", "utf-8", [(100011, "A", "", "", "", day, year)], noted)
        for written, day, year, noted in [
            ("1990", None, 1990, {}),
            ("0", None, None, {}),
            ("1990-05-03", date(1990, 5, 3), 1990, {}),
            ("1990/00/00", None, 1990, {}),
            ("00001990", None, 1990, {}),
            ("5/3/1990", None, 1990, {"year_of_birth_alone": ""}),
            ("32996", date(1990, 5, 3), 1990, {}),
        ]
    ),
    # The columns are called as published but for the name.
    (
        "title,first_name,last_name,fide_id\nFM,Anna,Prova,100011\n",
        "utf-8",
        [(100011, "Prova, Anna", "", "", "FM", None, None)],
        {},
    ),
    # A date of birth counts before its year where both have a heading.
    (
        "Nominativo;Anno Nascita;FIN;Data Nascita\nProva,Anna;1980;100011;03.05.1980\nProva , Bruno;1990;100012;\n",
        "utf-8",
        [
            (100011, "Prova, Anna", "", "", "", date(1980, 5, 3), 1980),
            (100012, "Prova, Bruno", "", "", "", None, 1990),
        ],
        {},
    ),
    (
        "fide_id,name,sex\n100011,Anna,W\n100012,Bruno,m\n100013,Carla,?\n100014,Dora,weiblich\n100015,Emil,Männlich\n",
        "utf-8",
        [
            (100011, "Anna", "", "F", "", None, None),
            (100012, "Bruno", "", "M", "", None, None),
            (100013, "Carla", "", "", "", None, None),
            (100014, "Dora", "", "F", "", None, None),
            (100015, "Emil", "", "M", "", None, None),
        ],
        {"unknown_sex": "(first: line 4: '?')"},
    ),
    (
        "Name;Fide-No.\nBerg, Anna;1990889\nG??bová, Chloë;1990963\n",
        "cp1252",
        [(1990889, "Berg, Anna", *NO_DATA), (1990963, "G??bová, Chloë", *NO_DATA)],
        {"lost_letters": "(first: line 3: 'G??bová, Chloë')", "encoding_assumed": "(first: line 3: 'bová')"},
    ),
    # What a wrong letter would be is not known; the word is shown, and no more of the line.
    (
        "Fide-No.;Name;Birthday\n1990889;Dvořák, Jiří;03.05.1980\n",
        "cp1250",
        [(1990889, "Dvoøák, Jiøí", "", "", "", date(1980, 5, 3), 1980)],
        {"encoding_assumed": "(first: line 2: 'Dvoøák')"},
    ),
    ("Name;Fide-No.\nBerg, Anna;1990889\n", "cp1252", [(1990889, "Berg, Anna", *NO_DATA)], {}),
    # A name in several columns is whole in every language.
    *(
        (f"{table}\n", "utf-8", [(100011, name, *NO_DATA)], {})
        for table, name in [
            ("FIDE ID;Ad;Soyad\n100011;Defne;Kirazli", "Kirazli, Defne"),
            ("FIDE ID;Adı;Soyadı\n100011;Defne;Kirazli", "Kirazli, Defne"),
            ("FIDE ID;Adı Soyadı\n100011;Defne Kirazli", "Defne Kirazli"),
            ("FIDE ID;Forename;Surname\n100011;Anna;Prova", "Prova, Anna"),
            ("ID FIDE;Nombre;Primer Apellido;Segundo Apellido\n100011;Ana;Prueba;Ruiz", "Prueba Ruiz, Ana"),
            ("ID FIDE;Nombre;Primer Apellido;Segundo Apellido\n100011;Ana;Prueba;", "Prueba, Ana"),
            ("ID FIDE;Apellidos y nombre\n100011;Prueba Ruiz, Ana", "Prueba Ruiz, Ana"),
            ("ID FIDE;Nome;Sobrenome\n100011;Ana;Prova", "Prova, Ana"),
            ("ID FIDE;Cognome e Nome\n100011;Prova Anna", "Prova Anna"),
            ("FIDE-nummer;Voornaam;Tussenvoegsel;Achternaam\n100011;Jan;van der;Berg", "van der Berg, Jan"),
            ("FIDE-nummer;Naam;Tussenvoegsel\n100011;Berg;", "Berg"),
            ("FIDE-ID;Familienname;Vorname\n100011;Muster;Anna", "Muster, Anna"),
            ("FIDE númer;Nafn\n100011;Anna Prova", "Anna Prova"),
            ("ФИДЕ id;Фамилия;Имя\n100011;Проба;Анна", "Проба, Анна"),
            ("Code FIDE;Nom;Prénom\n100011;Essai;Anne", "Essai, Anne"),
            ("FideID;Name;Surname;First name\n100011;Anna Prova;Prova;Anna", "Prova, Anna"),
        ]
    ),
]


@pytest.mark.parametrize(("table", "encoding", "players", "says"), TABLES)
def test_a_table_of_players_is_read_by_its_headings(tmp_path, table, encoding, players, says):
    path = tmp_path / "players.csv"
    path.write_bytes(table.encode(encoding))
    read_players, notes = read(path)
    assert read_players.select(COLUMNS).rows() == players
    assert notes.keys() - {"unread_column"} == says.keys() - {"unread_column"}
    assert [kind for kind, text in says.items() if text not in notes[kind]] == []


WORKBOOK = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"FideID,Name,Birth\n100011,A,31.02.1990\n", "line 2, column Birth: '31.02.1990' is not a date"),
        (WORKBOOK, "this is a workbook of Excel before 2007"),
        ("fide_id,name\n7,Prova\n".encode("utf-16"), "save it again, as CSV in UTF-8"),
        (b"Rank,Username,Score\n1,alder,20\n", "headings such as FideID and Name"),
    ],
)
def test_what_is_no_table_of_players_is_refused_with_what_to_do(tmp_path, content, message):
    path = tmp_path / "players.csv"
    path.write_bytes(content)
    with pytest.raises(OfficialListError, match=message):
        read(path)


@pytest.mark.parametrize(
    ("headings", "message"),
    [
        (
            "No;Name;Fed;FIDE identity",
            "the FIDE ID among No, Name, Fed, FIDE identity; call",
        ),
        ("No;Name;Fed", "the FIDE ID among No, Name, Fed; call the column with the FIDE ID FideID"),
        (
            "FideID;Fed;Names",
            "the name among FideID, Fed, Names; call the column",
        ),
        (
            "fide_id;first_name;surnme",
            "the surname among fide_id, first_name, surnme; call the column with the surname",
        ),
        # A header line in UTF-8 is shown as it is written.
        ("Kod FIDE;Fed;Nazwisko i imięę", "among Kod FIDE, Fed, Nazwisko i imięę; call"),
    ],
)
def test_a_table_that_lacks_a_heading_is_refused(tmp_path, headings, message):
    path = tmp_path / "players.csv"
    path.write_text(f"{headings}\n1;Prova, Anna;ITA", encoding="utf-8")
    with pytest.raises(OfficialListError, match=message):
        read(path)


def test_a_database_is_refused_with_what_to_do(tmp_path):
    path = tmp_path / "players.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.execute("create table players (fide_id integer, name text)")
    with pytest.raises(OfficialListError, match="this is a database of SQLite; export its table of players as CSV"):
        read(path)
