"""Read a table of players or of a list, CSV or Parquet, its columns found by their headings.

A table with the published names of columns (:func:`is_published`) is whole: its first line
has the headings, every line has all columns, and a blank states that there is nothing. Any other table is as pairing
programs and tournament sites export it: with headings in the language of its program, often below some lines about the
tournament, and often with lines of text after the players. There the lines are the players that have a FIDE ID, a blank
cell says nothing (Swiss-Manager leaves the sex of men blank), and ratings are not read.

A row is one line, so that every refusal can name its line; a quoted text may therefore not contain a line end.
"""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import IO

import polars as pl
import pyarrow as pa

from ratinglist.errors import first_line
from ratinglist.files import parquet_files, zip_files
from ratinglist.limits import (
    HEADER_LENGTH,
    LIST_COLUMNS,
    PARQUET_BYTES_PER_ROW,
    PARQUET_ROWS,
    PARQUET_TEXT_BYTES,
    SHOWN_LENGTH,
)
from ratinglist.lists.official_rows import (
    MEMBERSHIP_COLUMNS,
    OFFICIAL_ROW,
    Inspection,
    RawList,
    column_name,
    text_lines,
)
from ratinglist.tables import LISTED
from ratinglist.text import shortened

HEADINGS = {
    "fide_id": "FideID, Fide_No, Fide-No., FIDE-Nr., FIDE ID number, FIDE number, FIDE code, ID FIDE, Code FIDE, N "
    "FIDE, Nr. FIDE, FIDE kods, FIDE kodas, FIDE-tunnus, FIDE-nummer, FideKenn., FIDE-Kennung, Codice "
    "FIDE, ID FIN, FIN, Codigo FIDE, No. FIDE, Kod FIDE, FIDE-Code, FIDE Kodu, FIDE azonosito, FIDE númer, "
    "Número FIDE, ФИДЕ, ID ФИДЕ, ФИДЕ ID, Код ФИДЕ",
    "name": "Name, Player, Player name, Full name, Spieler, Spielername, Teilnehmer, Nom, Joueur, Nome, "
    "Giocatore, Nominativo, Nombre, Jugador, Naam, Namn, Navn, Nimi, Nama, Jmeno, Meno, Nev, Nazwisko i "
    "imie, Nazwisko imie, Nafn, Имя, ФИО, Фамилия Имя, Isim, Ad Soyad, Adı Soyadı, Apellidos y nombre, "
    "Cognome e Nome, Nom et prénom, Familienname Vorname",
    "surname": "Surname, Last name, Last, Family name, Nachname, Familienname, Cognome, Apellido, Apellidos, Primer "
    "Apellido, Sobrenome, Apelido, Nazwisko, Prijmeni, "
    "Priezvisko, Vezeteknev, Achternaam, Efternavn, Efternamn, Etternavn, Sukunimi, Uzvards, Pavarde, "
    "Perekonnanimi, Фамилия, Soyad, Soyadı, Nom de famille",
    "second_surname": "Segundo Apellido, Second surname",
    "particle": "Tussenvoegsel, Name prefix, Namenszusatz",
    "given": "First name, First, Forename, Given name, Given names, Ad, Adı, Vorname, Prenom, Imie, "
    "Fornavn, Fornamn, Voornaam, Etunimi, Vards, Vardas, Eesnimi, Keresztnev",
    "title": "Title, Tit, Tit., Titel, FIDE title, FIDE-Titel, Titre, Titolo, Titulo, Звание, Unvan",
    "other_titles": "Other titles, OTit",
    "women_title": "Women title, W title, WTit, FIDE-Frauentitel",
    "federation": "Fed, Fed., Federation, Land, FIDE-Land, Country, Nation, Nat., Federazione, Federacion, Federacja, "
    "Pais, Maa, Orszag, Valsts, Salis, Федерация, Страна, Ulke",
    "sex": "Sex, Gender, Geschlecht, Sexe, Sesso, Sexo, Plec, Płeć, Пол, Cinsiyet, Kon, Pohlavi, Pohlavie",
    "club": "Club, Club name, ClubName, Verein, Vereinsname, Verein/Ort, Circolo, Circolo attuale, Societa, "
    "Klub, Klubb, Nazwa klubu, Vereniging, Seura, Klubs, Klubas, Klubi, Felag, Клуб, Kulup",
    "member_until": "Member until, Membership until, Mitglied bis, Membre jusqu'au, Socio fino al, Socio hasta, "
    "Czlonek do, Член до, Uyelik bitis",
    "birth_date": "Birth, Birthday, Birth date, Birthdate, Bdate, Date of birth, DOB, Born, B-Day, Geburt, "
    "Geburtsdatum, Geb., Data di nascita, Data nascita, Nascita, Naissance, Date de naissance, Fecha de "
    "nacimiento, Nacimiento, Geboren, Født, Fodd, Narozen, Narodeny, Datum narozeni, Datum narodenia, "
    "Szuletesi datum, Data urodzenia, Data ur., Dzimsanas datums, Gimimo data, Sunniaeg, Fæðingardagur, "
    "Дата рождения, Dogum tarihi",
    "birth_year": "Year of birth, Birth year, YOB, Geburtsjahr, Jahrgang, Anno di nascita, Anno nascita, Annee de "
    "naissance, Ano de nacimiento, Rok urodzenia, Rok ur., Rok narozeni, Rok narodenia, Szuletesi ev, "
    "Geboortejaar, Fødselsår, Fodelsear, Syntymavuosi, Dzimsanas gads, Gimimo metai, Sunniaasta, "
    "Fæðingarár, Год рождения, Dogum yili",
}
"""The headings of each column that is read, as programs and federations write them."""

_SHORT = {"surname": "last", "given": "first"}
"""Headings that are of names only together: *Last* alone may be the last game."""
COLUMNS = (*OFFICIAL_ROW.columns, *MEMBERSHIP_COLUMNS)
"""Every column that is read of a table with the published names."""
_PUBLISHED = {*COLUMNS, *LISTED.columns}
_EITHER_ORDER = "^[0-9]{1,2}[/-][0-9]{1,2}[/-]([0-9]{4})$"
_ROWS_BEFORE = 30
"""In that many rows the headings are looked for."""
_SEPARATORS = ",;\t"
_LINE_END = "\x1f"
"""What is written behind a line, to see whether its cells are as many as its header's: no text has it."""
_NAMES = ("particle", "surname", "second_surname")
"""Dutch tables have *van der*, Spanish ones the mother's surname in a column of its own."""
_COLUMN_REMEDY = f"name the columns as the reference does: {', '.join(COLUMNS)}"
_TABLE_REMEDY = "give a table with a heading for the FIDE ID and one for the name, such as FideID and Name"


@dataclass(frozen=True, slots=True)
class Table:
    """A table whose headings were found in ``line``.

    ``frames``: called with the places of the columns that are read, yields ``line`` and the cells as text under
    ``"0"``, ``"1"``, ...; others may be there too.
    """

    headings: Sequence[str]
    line: int
    frames: Callable[[Sequence[int]], Iterator[pl.DataFrame]]


def raw_list(table: Table, inspection: Inspection, *, is_list: bool) -> RawList:
    """Return the list or the players in ``table``; note which columns are not read.

    ``is_list``: a list, which has the published names of columns. Raises :class:`OfficialListError` for headings that
    cannot be used.
    """
    headings, is_own = table.headings, is_published(table.headings)
    if len(headings) > LIST_COLUMNS:
        raise inspection.refused(f"it has {len(headings)} columns, and at most {LIST_COLUMNS} are read", _COLUMN_REMEDY)
    names = [column_name(heading) for heading in headings]
    if is_list and not is_own:
        others = [heading for heading, name in zip(headings, names, strict=True) if name not in COLUMNS]
        shown = ", ".join(f"'{shortened(heading, SHOWN_LENGTH)}'" for heading in others)
        raise inspection.refused(f"no list has a column {shown}", _COLUMN_REMEDY)
    if is_own and (twice := next((name for name in names if names.count(name) > 1), "")):
        raise inspection.refused(f"two columns are called {shortened(twice, SHOWN_LENGTH)}", "leave one of them out")
    places = columns(headings)
    if is_list:
        places = {name: at for name, at in places.items() if name not in MEMBERSHIP_COLUMNS}
    inspection.places |= {name: f"column {headings[at] or at + 1}" for name, at in places.items()}
    if "surname" in places:
        inspection.places["name"] = inspection.places["surname"]
    unread = [heading for at, heading in enumerate(headings) if heading and at not in places.values()]
    what = f"a column is not read: {shortened(', '.join(unread), SHOWN_LENGTH)}"
    inspection.note_texts(unread, "unread_column", what, table.line)
    cells = (
        frame.select("line", *(pl.col(str(at)).str.strip_chars().alias(name) for name, at in places.items()))
        for frame in table.frames(list(places.values()))
        if frame.height
    )
    batches = cells if is_own else (_players(frame, inspection) for frame in cells)
    return RawList(inspection.places.keys(), batches, partial=names[places["fide_id"]] != "fide_id")


def _players(rows: pl.DataFrame, inspection: Inspection) -> pl.DataFrame:
    """Return the ``rows`` that have a FIDE ID, with the name in one column; note the others."""
    parts = [name for name in (*_NAMES, "given") if name in rows.columns]
    if "surname" in parts:
        surname = pl.concat_str([name for name in parts if name != "given"], separator=" ").str.strip_chars()
        given = pl.col("given") if "given" in parts else pl.lit("")
        rows = rows.with_columns(name=surname + pl.when(given == "").then(pl.lit("")).otherwise(", " + given))
    # Müller,Anna as German programs write it.
    rows = rows.drop(parts).with_columns(pl.col("name").str.replace_all(r"\s*,\s*", ", "))
    if "birth_date" in rows.columns:
        is_either = pl.col("birth_date").str.contains(_EITHER_ORDER)
        what = "a date of birth may have the day or the month first; only its year is read"
        inspection.note(rows.filter(is_either).select("line", value="birth_date"), "year_of_birth_alone", what)
        rows = rows.with_columns(pl.col("birth_date").str.replace(_EITHER_ORDER, "$1"))
    without = pl.col("fide_id").str.contains("^0*$")
    inspection.note(
        rows.filter(without & (pl.col("name") != "")).select("line", value="name"),
        "no_fide_id",
        "a line has no FIDE ID; it is not read",
    )
    return rows.filter(~without)


def _header(rows: Sequence[tuple[int, list[str]]], inspection: Inspection) -> int | None:
    """Return which of the ``rows`` has the headings; None where none has.

    Raises :class:`OfficialListError` where one has headings of such a table, and not those of the FIDE ID and a name.
    """
    found = next((at for at, (_, cells) in enumerate(rows) if columns(cells)), None)
    known = [(line, cells, what) for line, cells in rows if (what := lacking(cells))]
    if found is None and known:
        line, cells, what = max(known, key=lambda row: len(row[1]))
        remedy = f"call the column with the {what} {what.title()}"
        if what == "FIDE ID":
            remedy = "call the column with the FIDE ID FideID, because a national number is not read"
        among = shortened(", ".join(filter(None, cells)), 200)
        raise inspection.refused(f"line {line}: there is no heading for the {what} among {among}", remedy)
    return found


# ------------------------------------------------------------------------------------------------- headings


def is_published(headings: Sequence[str]) -> bool:
    """Return whether headings name the columns as published lists do, the FIDE ID and the name among them.

    With another spelling of ``fide_id``, such as ``FIDE ID``, every heading must be a spelling of a published column: a
    table of a pairing program may have that heading too, and others in its language.
    """
    names = {column_name(heading) for heading in headings}
    return names >= {"fide_id", "name"} and ("fide_id" in headings or names <= _PUBLISHED)


def columns(headings: Sequence[str]) -> dict[str, int]:
    """Return the place of each column that is read; empty where there is no FIDE ID or no name.

    A name next to a surname is the given name (*Cognome, Nome*), and next to a given name, a particle or a second
    surname the surname (*Nom, Prénom*).
    """
    if is_published(headings):
        return {name: at for at, heading in enumerate(headings) if (name := column_name(heading)) in _PUBLISHED}
    places: dict[str, int] = {}
    for at, heading in enumerate(headings):
        if (column := _COLUMN_OF.get(_plain(heading))) is not None:
            places.setdefault(column, at)
    if not places.keys() >= _SHORT.keys():
        places = {name: at for name, at in places.items() if _plain(headings[at]) != _SHORT.get(name)}
    if "name" in places and "surname" in places:
        places.setdefault("given", places.pop("name"))
    elif "name" in places and places.keys() & {"given", "particle", "second_surname"}:
        places["surname"] = places.pop("name")
    return places if "fide_id" in places and places.keys() & {"name", "surname"} else {}


def lacking(headings: Sequence[str]) -> str:
    """Return which heading a table of players lacks, ``FIDE ID``, ``name`` or ``surname``.

    Empty where :func:`columns` finds all, and for a line with less than two known headings, which is no such table.
    """
    published = {name for heading in headings if (name := column_name(heading)) in _PUBLISHED}
    known = {_COLUMN_OF.get(_plain(heading), "") for heading in headings} - {""} | published
    if len(known) < 2 or not known & {"fide_id", "name", "surname"} or columns(headings):
        return ""
    if "fide_id" not in known:
        return "FIDE ID"
    return "surname" if "given" in known else "name"


def _plain(heading: str) -> str:
    """Return the letters and digits of a heading, small and without accents."""
    letters = unicodedata.normalize("NFKD", heading).casefold()
    return "".join(letter for letter in letters if letter.isalnum())


_COLUMN_OF = {_plain(heading): name for name, headings in HEADINGS.items() for heading in headings.split(",")}


@contextmanager
def _readable(inspection: Inspection) -> Iterator[None]:
    """Refuse a Parquet file that turns out to be damaged, or too large."""
    try:
        yield
    except parquet_files.TooLargeError as wrong:
        raise inspection.refused(f"it {wrong}", _SMALLER) from None
    except (pa.ArrowException, pl.exceptions.PolarsError, pl.exceptions.PanicException, *zip_files.UNREADABLE) as wrong:
        reason = shortened(first_line(wrong), 3 * SHOWN_LENGTH)
        raise inspection.refused(f"not a readable Parquet file ({reason})", "save it again, or as CSV") from None


# -------------------------------------------------------------------------------------------------------------- CSV


def csv_table(stream: IO[bytes], inspection: Inspection) -> Table | None:
    """Return the table in ``stream``, separated by commas, semicolons or tabs; None where no line has headings."""
    batches = text_lines(stream, inspection)
    first = next((batch for batch in batches if batch.height), None)
    if first is None:
        return None
    rows: list[tuple[int, list[str]]] = []
    for line, text in first.head(_ROWS_BEFORE).iter_rows():
        if len(text) > HEADER_LENGTH:
            what = f"line {line}: it has {len(text)} characters, and the header at most {HEADER_LENGTH}"
            raise inspection.refused(what, _COLUMN_REMEDY)
        for separator in _SEPARATORS:
            cells = next(csv.reader([text], delimiter=separator), [])
            rows.append((line, [cell.strip() for cell in cells]))
    at = _header(rows, inspection)
    if at is None:
        return None
    line, headings = rows[at]
    separator = _SEPARATORS[at % len(_SEPARATORS)]

    def frames(_places: Sequence[int]) -> Iterator[pl.DataFrame]:
        whole = is_published(headings)
        for lines in chain([first.filter(pl.col("line") > line)], batches):
            yield _cells(lines, len(headings), separator, inspection, whole=whole)

    return Table(headings, line, frames)


def _cells(lines: pl.DataFrame, width: int, separator: str, inspection: Inspection, *, whole: bool) -> pl.DataFrame:
    """Return ``line`` and the first ``width`` cells of ``lines`` (``line``, ``text``) as text, blank as ``""``.

    A line with a quotation mark that is not closed is refused, and if ``whole`` one with more or fewer cells.
    """
    is_unclosed = pl.col("text").str.count_matches('"', literal=True) % 2 == 1
    inspection.refuse(
        lines.filter(is_unclosed).select("line", value="text"),
        "",
        "has a quotation mark that is not closed",
        "close it on the same line, and double a quotation mark inside a text",
    )
    rows = lines.filter(~is_unclosed)
    schema = {str(place): pl.String() for place in range(width + 1)}
    if rows.is_empty():
        return pl.DataFrame(schema={"line": pl.Int64, **schema})
    # Behind the last cell of a whole line stands the mark; a shorter line of another table gets the cells it lacks.
    filled = rows["text"] + (separator + _LINE_END if whole else separator * width)
    try:
        cells = pl.read_csv(
            "\n".join(filled).encode(),
            has_header=False,
            schema=schema,
            separator=separator,
            truncate_ragged_lines=True,
            extra_columns="ignore",
            missing_columns="insert",
        ).insert_column(0, rows["line"])
    except pl.exceptions.PolarsError as wrong:
        raise inspection.refused(
            f"lines {rows['line'][0]} to {rows['line'][-1]} cannot be read ({first_line(wrong)})",
            "write it as plain CSV, with quotation marks only around whole texts",
        ) from None
    if whole:
        is_whole = (cells[str(width)] == _LINE_END).fill_null(value=False)
        inspection.refuse(
            rows.filter(~is_whole).select("line", value="text"),
            "",
            f"does not have the {width} cells of the header",
            f"quote a text that holds '{separator}', and write a separator for each blank cell",
        )
        cells = cells.filter(is_whole)
    return cells.fill_null("")


# ---------------------------------------------------------------------------------------------------------- Parquet

BATCH_ROWS = 25_000
_SMALLER = "write it again, a row per player and list, in row groups of at most a million rows"
PARQUET_MARK = b"PAR1"
"""The first bytes of a Parquet file."""
_ROWS = parquet_files.RowLimit(small=100_000, bytes_per_row=PARQUET_BYTES_PER_ROW, most=PARQUET_ROWS)


def parquet_table(stream: IO[bytes], inspection: Inspection) -> Table:
    """Return the table in the open Parquet file ``stream``.

    Raises :class:`OfficialListError` if it is not readable, too large, or in a zip.
    """
    if not isinstance(stream, io.BufferedReader):
        raise inspection.refused("it is a Parquet file in a zip", "give the Parquet file itself")
    with _readable(inspection):
        file = parquet_files.bounded(Path(stream.name), _ROWS)
    headings = file.schema.names
    if _header([(1, headings)], inspection) is None:
        raise inspection.refused("no column has the name of the FIDE ID, or none that of the player", _TABLE_REMEDY)

    def frames(places: Sequence[int]) -> Iterator[pl.DataFrame]:
        at_place = {headings[place]: str(place) for place in places}
        first = 1
        with _readable(inspection):
            for batch in file.batches([*at_place], BATCH_ROWS, PARQUET_TEXT_BYTES):
                cells = parquet_files.texts(batch).select(pl.col(name).alias(at) for name, at in at_place.items())
                yield cells.with_row_index("line", first)
                first += batch.num_rows

    return Table(headings, 1, frames)
