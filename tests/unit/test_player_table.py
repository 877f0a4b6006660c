"""Tables of players, as pairing programs and tournament sites export them."""

from __future__ import annotations

import contextlib
import sqlite3
from datetime import date
from pathlib import Path

import polars as pl
import pytest

from ratinglist.lists import list_reader
from ratinglist.lists.list_reader import OfficialListError
from ratinglist.period import Period

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


def refusal(path: Path) -> str:
    with pytest.raises(OfficialListError) as error:
        list(list_reader.read_players(path, until=TODAY))
    return str(error.value)


def test_a_sites_table_is_read_below_its_lines_of_text(tmp_path):
    path = tmp_path / "rank.csv"
    path.write_text(SITE, encoding="utf-8")
    found, notes = read(path)
    names = ("fide_id", "name", "federation", "sex", "birth_date", "birth_year")
    assert found.select(names).rows() == [
        (100011, "Prova, Anna", "ITA", "F", date(1980, 5, 3), 1980),
        (100012, "Prova, Bruno", "FRA", "", None, 1990),
    ]
    assert "(first: line 6: 'Prova, Carla')" in notes["no_fide_id"]
    assert "No., Rtg" in notes["unread_column"]


@pytest.mark.parametrize("separator", [";", ",", "\t"])
@pytest.mark.parametrize("encoding", ["cp1252", "utf-8-sig"])
def test_a_programs_csv_is_read_by_its_headings(tmp_path, separator, encoding):
    path = tmp_path / "players.csv"
    path.write_bytes(PROGRAM.replace(";", separator).replace("Prova", "Pröva").encode(encoding))
    found, notes = read(path)
    assert found.select("fide_id", "name", "sex", "birth_date", "birth_year").rows() == [
        (100011, "Pröva Anna", "F", date(1980, 5, 3), 1980),
        (100012, "Pröva Bruno", "", None, 1990),
    ]
    assert notes["no_fide_id"].startswith("1 × ")


@pytest.mark.parametrize(
    ("headings", "name"),
    [
        ("Cognome,Nome,ID FIDE", "Prova, Anna"),
        ("Nom,Prénom,Code FIDE", "Prova, Anna"),
        ("Nachname,Vorname,FIDE-Nr.", "Prova, Anna"),
        ("Фамилия,Имя,Код ФИДЕ", "Prova, Anna"),
        ("Priezvisko,Meno,FIDE ID number", "Prova, Anna"),
        ("Vezetéknév,Keresztnév,FIDE azonosító", "Prova, Anna"),
    ],
)
def test_a_surname_and_a_given_name_are_one_name(tmp_path, headings, name):
    path = tmp_path / "players.csv"
    path.write_text(f"{headings}\nProva,Anna,100011\n", encoding="utf-8")
    found, _ = read(path)
    assert found.select("fide_id", "name").rows() == [(100011, name)]


@pytest.mark.parametrize(
    ("written", "day", "year"),
    [
        ("1990", None, 1990),
        ("0", None, None),
        ("1990-05-03", date(1990, 5, 3), 1990),
        ("1990/00/00", None, 1990),
        ("00001990", None, 1990),
        ("5/3/1990", None, 1990),
        ("32996", date(1990, 5, 3), 1990),
    ],
)
def test_births_are_read_as_programs_write_them(tmp_path, written, day, year):
    path = tmp_path / "players.csv"
    path.write_text(f"FideID,Name,Birth\n100011,A,{written}\n", encoding="utf-8")
    found, _ = read(path)
    assert found.select("birth_date", "birth_year").rows() == [(day, year)]


def test_a_birth_that_is_no_date_is_refused(tmp_path):
    path = tmp_path / "players.csv"
    path.write_text("FideID,Name,Birth\n100011,A,31.02.1990\n", encoding="utf-8")
    assert "line 2, column Birth: '31.02.1990' is not a date" in refusal(path)


def test_an_old_workbook_and_one_with_a_password_are_refused_with_what_to_do(tmp_path):
    path = tmp_path / "rank.xls"
    path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600))
    assert "this is a workbook of Excel before 2007" in refusal(path)


def test_text_in_utf_16_is_refused_with_what_to_do(tmp_path):
    file = tmp_path / "list.csv"
    file.write_bytes("fide_id,name\n7,Prova\n".encode("utf-16"))
    with pytest.raises(OfficialListError, match="save it again, as CSV in UTF-8"):
        list(list_reader.read(file, month=Period.parse("2026-10")))


def test_a_table_whose_columns_are_called_as_published_but_for_the_name_is_read(tmp_path):
    path = tmp_path / "players.csv"
    path.write_text("title,first_name,last_name,fide_id\nFM,Anna,Prova,100011\n", encoding="utf-8")
    players, _ = read(path)
    assert players.select("fide_id", "name", "title").rows() == [(100011, "Prova, Anna", "FM")]


def test_a_date_of_birth_counts_before_its_year_where_both_have_a_heading(tmp_path):
    path = tmp_path / "players.csv"
    path.write_text(
        "Nominativo;Anno Nascita;FIN;Data Nascita\nProva,Anna;1980;100011;03.05.1980\nProva , Bruno;1990;100012;\n",
        encoding="utf-8",
    )
    players, _ = read(path)
    assert players.select("name", "birth_date", "birth_year").rows() == [
        ("Prova, Anna", date(1980, 5, 3), 1980),
        ("Prova, Bruno", None, 1990),
    ]


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


def test_a_text_that_is_no_list_is_refused_with_what_a_table_of_players_needs(tmp_path):
    path = tmp_path / "arena.csv"
    path.write_text("Rank,Username,Score\n1,alder,20\n", encoding="utf-8")
    assert "headings such as FideID and Name" in refusal(path)


def test_a_database_is_refused_with_what_to_do(tmp_path):
    path = tmp_path / "players.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.execute("create table players (fide_id integer, name text)")
    with pytest.raises(OfficialListError, match="this is a database of SQLite; export its table of players as CSV"):
        read(path)


def test_w_is_a_woman_under_the_published_heading_too(tmp_path):
    path = tmp_path / "players.csv"
    path.write_text(
        "fide_id,name,sex\n100011,Anna,W\n100012,Bruno,m\n100013,Carla,?\n100014,Dora,weiblich\n100015,Emil,Männlich\n",
        encoding="utf-8",
    )
    players, notes = read(path)
    assert players["sex"].to_list() == ["F", "M", "", "F", "M"]
    assert notes["unknown_sex"].startswith("1 × ")
    assert "(first: line 4: '?')" in notes["unknown_sex"]


def test_a_name_whose_letters_were_lost_is_noted_with_its_line(tmp_path):
    path = tmp_path / "players.csv"
    path.write_text("Name;Fide-No.\nBerg, Anna;1990889\nG??bová, Chloë;1990963\n", encoding="cp1252")
    players, noted = read(path)
    assert players["name"].to_list() == ["Berg, Anna", "G??bová, Chloë"]
    assert noted["lost_letters"].endswith("(first: line 3: 'G??bová, Chloë')")
    path.write_text("Name;Fide-No.\nBerg, Anna;1990889\n", encoding="cp1252")
    assert "lost_letters" not in read(path)[1]


@pytest.mark.parametrize(
    ("table", "name"),
    [
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
    ],
)
def test_a_name_in_several_columns_is_whole_in_every_language(table, name, tmp_path):
    path = tmp_path / "players.csv"
    path.write_text(f"{table}\n", encoding="utf-8")
    assert read(path)[0]["name"].to_list() == [name]
