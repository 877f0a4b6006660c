"""Read official lists and files of players in every format: FIDE's text and XML, CSV and Parquet.

The format is recognised by the content; a list may also be the one file of a zip. A list is read in batches, because
FIDE's has two million players, and refused as a whole: a caller may keep nothing of a list before its last batch.

The columns of a table, CSV or Parquet, are found by their headings. A table with the published names of columns
(:func:`is_published`) is whole: its first line has the headings, every line has all columns, and a blank states that
there is nothing. Any other table is as pairing programs and tournament sites export it: with headings in the language
of its program, often below some lines about the tournament, and often with lines of text after the players. There the
lines are the players that have a FIDE ID, a blank cell says nothing (Swiss-Manager leaves the sex of men blank), and
ratings are not read.

A row is one line, so that every refusal can name its line; a quoted text may therefore not contain a line end.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
import unicodedata
import zipfile
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import chain
from pathlib import Path
from typing import IO

import polars as pl
import pyarrow as pa

from ratinglist.errors import CommandLineError, first_line
from ratinglist.files import parquet_files, zip_files
from ratinglist.limits import (
    HEADER_LENGTH,
    LIST_BYTES,
    LIST_COLUMNS,
    PARQUET_BYTES_PER_ROW,
    PARQUET_ROWS,
    PARQUET_TEXT_BYTES,
    SHOWN_LENGTH,
    TooLargeError,
)
from ratinglist.lists import fide_lists
from ratinglist.lists.official_rows import (
    MEMBERSHIP_COLUMNS,
    MONTH_NAMES,
    OFFICIAL_ROW,
    Inspection,
    Note,
    OfficialListError,
    RawList,
    check_state,
    column_name,
    first_line_of_file,
    list_month,
    official_rows,
    parse_values,
    text_lines,
    text_pieces,
)
from ratinglist.period import Period
from ratinglist.tables import LISTED, LISTS, MEMBERSHIP, PLAYER
from ratinglist.text import on_one_line, shortened

__all__ = ["ListBatch", "OfficialListError", "read", "read_players"]

_FILE_NAME = re.compile(
    rf"(?P<list>{'|'.join(LISTS)})_(?:(?P<month>{'|'.join(MONTH_NAMES)})(?P<year>\d\d)frl)?",
    re.ASCII | re.IGNORECASE,
)


_FIRST_FIDE_ID = 100_000
"""FIDE's IDs have six digits or more."""
_MANY = 20
_HEAD_BYTES = 64 * 1024
_ZIP = b"PK\x03\x04"
_REFUSED = (
    (
        (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE),
        "text in UTF-16, as Excel saves Unicode text",
        "save it again, as CSV in UTF-8",
    ),
    (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        "a workbook of Excel before 2007 (.xls), or one with a password",
        "open it, and save its sheet as CSV in UTF-8",
    ),
    (
        b"sqlite format 3\x00",
        "a database of SQLite",
        "export its table of players as CSV, or the list with --format csv",
    ),
    (
        (b"<!doctype html", b"<html", b"<head", b"<body", b"<table"),
        "a web page",
        "copy its table into a spreadsheet, save it as CSV, and give that",
    ),
)
"""The first bytes of files that are not read, in small letters, what they are, and what to do."""
_WORKBOOK_MEMBERS = {"xl/workbook.xml", "xl/workbook.bin", "content.xml"}
"""Files that identify a zip as a workbook of Excel or LibreOffice."""


@dataclass(frozen=True, slots=True)
class ListBatch:
    """Some rows of a list (:data:`~ratinglist.lists.official_rows.OFFICIAL_ROW`), or players of a file (``PLAYER``).

    ``notes``: those on the file so far. ``combined``: the file has one line per player, and one flag for all time
    controls. ``partial``: as in :class:`~ratinglist.lists.official_rows.RawList`. ``stated``: the columns of the file.
    ``memberships``: those of the players of a file (``MEMBERSHIP``), nobody's where the file states none.
    """

    rows: pl.DataFrame
    notes: tuple[Note, ...]
    combined: bool = False
    partial: bool = False
    stated: Collection[str] = ()
    memberships: pl.DataFrame = field(default_factory=MEMBERSHIP.empty)


def read(path: Path, *, month: Period, time_control: str | None = None, name: str | None = None) -> Iterator[ListBatch]:
    """Read the official list of ``month`` in the file ``path``, in batches of at most some 300,000 rows.

    One row per player and time control (:data:`~ratinglist.lists.official_rows.OFFICIAL_ROW`); a player without any
    rating has one row too, in a combined list without time control. ``time_control`` is that of a file of one time
    control, if neither a column nor the file name (``rapid_rating_list.txt``) gives it. ``name``: the name that the
    file was delivered with, where ``path`` is another. The notes of the last batch are those of the whole file.

    Raises :class:`OfficialListError`, perhaps after some batches, if a value cannot be parsed, a FIDE ID occurs twice
    in a list, or the file is of another month; :class:`CommandLineError` if ``time_control`` is missing or contradicts
    the file.
    """
    with _opened(path, name or path.name, is_list=True) as (source, inspection, names):
        chosen = _time_control(source, names, inspection, month, time_control)
        if not any(column.endswith("rating") for column in source.columns):
            columns = ", ".join(column for column in inspection.places if column in source.columns)
            what = "no column has the heading rating, so nobody on this list is rated"
            inspection.note_texts([columns], "no_column_of_ratings", what)
        for parsed in _parsed(source, inspection, month, (month + 1).first_day - timedelta(days=1)):
            listed = official_rows(parsed, source, chosen)
            # What a value that could not be parsed would contradict is no problem of its own.
            if not inspection.problems:
                check_state(listed, inspection, month)
            if "time_control" in source.columns and time_control is not None:
                rule = f"is not {time_control}, as --time-control requires"
                remedy = "leave --time-control out to read every list of the file"
                inspection.refuse_values(listed, pl.col("time_control") != time_control, "time_control", rule, remedy)
            if not inspection.problems:
                yield ListBatch(
                    listed.drop("line"),
                    inspection.notes,
                    combined=source.combined,
                    stated=frozenset(source.columns),
                )


def read_players(path: Path, *, until: date, name: str | None = None) -> Iterator[ListBatch]:
    """Read the players in the file ``path``, without ratings; a player may have several rows, all with the same data.

    A file of players may also be a table of a tournament's players, as CSV.

    ``until``: the day of the import, in whose year no player is born. ``name``: see :func:`read`. Raises
    :class:`OfficialListError`, perhaps after some batches, if a value of a player cannot be parsed, or a FIDE ID is
    repeated with different data. With the same data it may be (a row per time control).
    """
    with _opened(path, name or path.name, is_list=False) as (source, inspection, _names):
        for players in _parsed(source, inspection, None, date(until.year - 1, 12, 31)):
            inspection.note(
                players.filter(pl.col("name").str.contains("[?\ufffd]")).select("line", value="name"),
                "lost_letters",
                "a name has a question mark where its letter was lost; correct it: import a file with fide_id and name",
            )
            if not inspection.problems:
                yield ListBatch(
                    PLAYER.conform(players),
                    inspection.notes,
                    partial=source.partial,
                    stated=frozenset(source.columns),
                    memberships=MEMBERSHIP.conform(players if "club" in source.columns else players.clear()),
                )


def _parsed(source: RawList, inspection: Inspection, month: Period | None, until: date) -> Iterator[pl.DataFrame]:
    """Yield the batches of a list or a file of players as values; after the last, refuse what is wrong.

    ``month`` and ``until`` as in :func:`~ratinglist.lists.official_rows.parse_values`.
    """
    seen: list[pl.DataFrame] = []
    with _undamaged(inspection):
        for raw in source.batches:
            if raw.height:
                parsed = parse_values(raw, inspection, month, until)
                _note_short_ids(parsed, inspection)
                seen.append(_identity(parsed))
                yield parsed
    if not seen and not inspection.problems:
        raise inspection.refused("it holds no players", "send a list with at least one player")
    if seen:
        _check_repeated(pl.concat(seen), inspection, is_list=month is not None)
    inspection.stop()


def _time_control(
    source: RawList, names: tuple[str, ...], inspection: Inspection, month: Period, requested: str | None
) -> str | None:
    """Return the time control of a list of one time control; None if the rows give it.

    Refuses a list of another month, as its header line gives it, else its file name in FIDE's archive.
    """
    named = [in_name for name in names if (in_name := _FILE_NAME.match(name))]
    months = [list_month(in_name["month"], in_name["year"]) for in_name in named if in_name["month"]]
    if (of_file := source.month or next(iter(months), month)) != month:
        remedy = f"import it with --month {of_file}, or give the list of {month}"
        raise inspection.refused(f"this is the list of {of_file}, not of {month}", remedy)
    if source.combined and requested is not None:
        raise CommandLineError(f"{inspection.file} holds all three time controls: leave --time-control out.")
    if source.combined or "time_control" in source.columns:
        return None
    of_name = named[0]["list"].lower() if named else requested
    if of_name is None:
        raise CommandLineError(
            f"{inspection.file} does not name its time control: add --time-control standard, rapid or blitz."
        )
    if requested not in (None, of_name):
        raise CommandLineError(
            f"{inspection.file} is the {of_name} list by its name, not the {requested} one: rename it."
        )
    return of_name


def _identity(parsed: pl.DataFrame) -> pl.DataFrame:
    """Return what is needed to find repeated players, for each line with a FIDE ID (:func:`parse_values`).

    Out: ``fide_id``, ``list`` (the time control, null if the line gives none), ``line`` and ``data``, a hash of the
    player's data.
    """
    control = "time_control" if "time_control" in parsed.columns else pl.lit(None, dtype=pl.String)
    data = pl.struct(name for name in (*PLAYER.columns, *MEMBERSHIP_COLUMNS) if name in parsed.columns)
    kept = parsed.filter(pl.col("fide_id").is_not_null())
    return kept.select("fide_id", "line", list=control, data=data.hash())


def _note_short_ids(parsed: pl.DataFrame, inspection: Inspection) -> None:
    """Note IDs far shorter than FIDE's where most of many players have them: they may be national numbers."""
    short = parsed.filter(pl.col("fide_id") < _FIRST_FIDE_ID)
    if parsed.height >= _MANY and 2 * short.height > parsed.height:
        inspection.note(
            short.select("line", value="fide_id"),
            "short_ids",
            "an ID is far shorter than FIDE's, and so are most of this file. Look whether they are national numbers: "
            "if they are, undo this import with ratinglist retract, and give a table with a column FideID",
        )


def _check_repeated(seen: pl.DataFrame, inspection: Inspection, *, is_list: bool) -> None:
    """Refuse a player who occurs twice in a list, or with different data. ``seen``: :func:`_identity` of a file."""
    own = pl.struct("fide_id", "list")
    people, data, places = seen.select(pl.col("fide_id", "data").n_unique(), own.hash().n_unique().alias("list")).row(0)
    # To count takes a tenth of the time that finding them takes, and hardly a file has one.
    if people == data and not (is_list and places < seen.height):
        return
    every = seen.filter(pl.col("fide_id").is_duplicated()).sort("fide_id", "line")
    of_player = pl.col("line", "data").first().over("fide_id")
    every = every.with_columns(of_player.name.prefix("first_"))
    is_twice = own.is_duplicated() & (pl.col("line") != pl.col("line").min().over("fide_id", "list")) & is_list
    is_other = ~is_twice & (pl.col("data") != pl.col("first_data"))
    for which, rule in ((is_twice, "occurs twice in the list"), (is_other, "occurs twice with different data")):
        repeated = every.filter(which).select("line", value=pl.format("{} (first in line {})", "fide_id", "first_line"))
        inspection.refuse(repeated, "FIDE ID", rule, "find out which one is right and leave the other out")


# ----------------------------------------------------------------------------------------------- opening a file


@contextmanager
def _opened(path: Path, name: str, *, is_list: bool) -> Iterator[tuple[RawList, Inspection, tuple[str, ...]]]:
    """Open the list, or the file of players, in the file ``path``, delivered as ``name``.

    Yields the list, its inspection, and its names: the one inside a zip, then the file's. ``is_list``: tables with
    other headings than the published ones are refused. Raises :class:`OfficialListError` for a file in no known format,
    or that cannot be opened.
    """
    with ExitStack() as stack:
        inspection = Inspection(name)
        # Opening a pipe may never end.
        if path.exists() and not path.is_file():
            raise inspection.refused("this is not an ordinary file", "name the list itself")
        try:
            stream: IO[bytes] = stack.enter_context(path.open("rb"))
        except OSError as wrong:
            raise inspection.refused(f"cannot be opened ({wrong.strerror})", "check the path") from None
        names: tuple[str, ...] = (name,)
        with _undamaged(inspection):
            if _head(stream).startswith(_ZIP):
                member, stream = _unzipped(stream, stack, inspection)
                names = (Path(member).name, name)
                inspection.file = f"{name}/{member}"
            source = _read(stream, inspection, is_list=is_list)
        yield source, inspection, names


@contextmanager
def _undamaged(inspection: Inspection) -> Iterator[None]:
    """Refuse a file that turns out to be damaged while its content is read, and one that Polars panics at."""
    try:
        yield
    except pl.exceptions.PanicException as wrong:
        reason = shortened(on_one_line(str(wrong)), SHOWN_LENGTH)
        raise inspection.refused(f"it cannot be read ({reason})", "write it again, and report this file") from None
    except zip_files.DAMAGED as wrong:
        raise inspection.refused(f"the zip is damaged ({on_one_line(str(wrong))})", "fetch it again") from None


def _head(stream: IO[bytes]) -> bytes:
    head = stream.read(_HEAD_BYTES)
    stream.seek(0)
    return head


def _unzipped(stream: IO[bytes], stack: ExitStack, inspection: Inspection) -> tuple[str, IO[bytes]]:
    """Return the name and the opened content of the one file in a zip."""
    try:
        members = zip_files.members(stream, LIST_BYTES)
        stream.seek(0)
        if any(member.name in _WORKBOOK_MEMBERS for member in members):
            raise inspection.refused("this is a workbook", "save its sheet as CSV in UTF-8, and give that")
        if len(members) != 1:
            raise inspection.refused(f"it holds {len(members)} files", "give a zip with one list, or the list itself")
        if members[0].problem:
            raise inspection.refused(f"the file in it is not read: {members[0].problem}", "give the list itself")
        content = stack.enter_context(stack.enter_context(zipfile.ZipFile(stream)).open(members[0].entry))
    except TooLargeError as wrong:
        raise inspection.refused(f"it {wrong}", "unzip it and give the list") from None
    except zip_files.UNREADABLE as wrong:
        raise inspection.refused(f"not a readable zip ({on_one_line(str(wrong))})", "give the list itself") from None
    return members[0].name, content


def _read(stream: IO[bytes], inspection: Inspection, *, is_list: bool) -> RawList:
    """Read the list in ``stream`` in the format that its first bytes have."""
    head = _head(stream)
    for mark, what, remedy in _REFUSED:
        if head.removeprefix(codecs.BOM_UTF8).lstrip().lower().startswith(mark):
            raise inspection.refused(f"this is {what}", remedy)
    if fide_lists.is_xml(head):
        return fide_lists.read_xml(stream, inspection)
    if fide_lists.is_text(head):
        return fide_lists.read_text(stream, inspection)
    is_parquet = head.startswith(PARQUET_MARK)
    table = (parquet_table if is_parquet else csv_table)(stream, inspection)
    if table is None and not first_line_of_file(head).strip():
        raise inspection.refused("the file is empty, or begins with an empty line", "export the list again")
    if table is None:
        shown = shortened(first_line_of_file(head), SHOWN_LENGTH)
        raise inspection.refused(
            f"not an official list in any known form; its first line is '{shown}'",
            "give FIDE's text or XML list, or CSV or Parquet with a column fide_id; a table of players needs headings "
            "such as FideID and Name, and in another alphabet UTF-8",
        )
    return raw_list(table, inspection, is_list=is_list)


# --------------------------------------------------------------------------------------------------------- tables

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
"""The headings are looked for in that many rows."""
_SEPARATORS = ",;\t"
_LINE_END = "\x1f"
"""What is written behind a line, to see whether its cells are as many as its header's: no text has it."""
_NAMES = ("particle", "surname", "second_surname")
"""Dutch tables have *van der*, Spanish ones the mother's surname in a column of its own."""
_COLUMN_REMEDY = f"name the columns as the reference does: {', '.join(COLUMNS)}"
_TABLE_REMEDY = "give a table with a heading for the FIDE ID and one for the name, such as FideID and Name"


@dataclass(frozen=True, slots=True)
class RawTable:
    """A table whose headings were found in ``line``.

    ``frames``: called with the places of the columns that are read, yields ``line`` and the cells as text under
    ``"0"``, ``"1"``, ...; others may be there too.
    """

    headings: Sequence[str]
    line: int
    frames: Callable[[Sequence[int]], Iterator[pl.DataFrame]]


def raw_list(table: RawTable, inspection: Inspection, *, is_list: bool) -> RawList:
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


def _players(players: pl.DataFrame, inspection: Inspection) -> pl.DataFrame:
    """Return the ``players`` that have a FIDE ID, with the name in one column; note the others."""
    parts = [name for name in (*_NAMES, "given") if name in players.columns]
    if "surname" in parts:
        surname = pl.concat_str([name for name in parts if name != "given"], separator=" ").str.strip_chars()
        given_name = pl.col("given") if "given" in parts else pl.lit("")
        players = players.with_columns(
            name=surname + pl.when(given_name == "").then(pl.lit("")).otherwise(", " + given_name)
        )
    # Müller,Anna as German programs write it.
    players = players.drop(parts).with_columns(pl.col("name").str.replace_all(r"\s*,\s*", ", "))
    if "birth_date" in players.columns:
        is_either = pl.col("birth_date").str.contains(_EITHER_ORDER)
        what = "a date of birth may have the day or the month first; only its year is read"
        inspection.note(players.filter(is_either).select("line", value="birth_date"), "year_of_birth_alone", what)
        players = players.with_columns(pl.col("birth_date").str.replace(_EITHER_ORDER, "$1"))
    without = pl.col("fide_id").str.contains("^0*$")
    inspection.note(
        players.filter(without & (pl.col("name") != "")).select("line", value="name"),
        "no_fide_id",
        "a line has no FIDE ID; it is not read",
    )
    return players.filter(~without)


def _header(lines: Sequence[tuple[int, list[str]]], inspection: Inspection) -> int | None:
    """Return which of the ``lines`` has the headings; None where none has.

    Raises :class:`OfficialListError` where one has headings of such a table, and not those of the FIDE ID and a name.
    """
    header = next((at for at, (_, cells) in enumerate(lines) if columns(cells)), None)
    known = [(line, cells, what) for line, cells in lines if (what := lacking(cells))]
    if header is None and known:
        line, cells, what = max(known, key=lambda row: len(row[1]))
        remedy = f"call the column with the {what} {what.title()}"
        if what == "FIDE ID":
            remedy = "call the column with the FIDE ID FideID, because a national number is not read"
        among = shortened(", ".join(filter(None, cells)), 200)
        raise inspection.refused(f"line {line}: there is no heading for the {what} among {among}", remedy)
    return header


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
    except TooLargeError as wrong:
        raise inspection.refused(f"it {wrong}", _SMALLER) from None
    except (pa.ArrowException, pl.exceptions.PolarsError, pl.exceptions.PanicException, *zip_files.UNREADABLE) as wrong:
        reason = shortened(first_line(wrong), 3 * SHOWN_LENGTH)
        raise inspection.refused(f"not a readable Parquet file ({reason})", "save it again, or as CSV") from None


# -------------------------------------------------------------------------------------------------------------- CSV


def csv_table(stream: IO[bytes], inspection: Inspection) -> RawTable | None:
    """Return the table in ``stream``, separated by commas, semicolons or tabs; None where no line has headings."""
    pieces = text_pieces(stream, inspection)
    first = next((lines for piece in pieces if (lines := text_lines(*piece, inspection)).height), None)
    if first is None:
        return None
    parsed: list[tuple[int, list[str]]] = []
    for line, text in first.head(_ROWS_BEFORE).iter_rows():
        if len(text) > HEADER_LENGTH:
            what = f"line {line}: it has {len(text)} characters, and the header at most {HEADER_LENGTH}"
            raise inspection.refused(what, _COLUMN_REMEDY)
        for separator in _SEPARATORS:
            cells = next(csv.reader([text], delimiter=separator), [])
            parsed.append((line, [cell.strip() for cell in cells]))
    at = _header(parsed, inspection)
    if at is None:
        return None
    line, headings = parsed[at]
    separator = _SEPARATORS[at % len(_SEPARATORS)]

    def frames(_places: Sequence[int]) -> Iterator[pl.DataFrame]:
        whole = is_published(headings)
        below = first.filter(pl.col("line") > line)
        for lines in chain([below], (text_lines(*piece, inspection) for piece in pieces)):
            yield _cells(lines, len(headings), separator, inspection, whole=whole)

    return RawTable(headings, line, frames)


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
    closed = lines.filter(~is_unclosed)
    schema = {str(place): pl.String() for place in range(width + 1)}
    if closed.is_empty():
        return pl.DataFrame(schema={"line": pl.Int64, **schema})
    # Behind the last cell of a whole line stands the mark; a shorter line of another table gets the cells it lacks.
    filled = closed["text"] + (separator + _LINE_END if whole else separator * width)
    try:
        cells = pl.read_csv(
            filled.str.join("\n").item().encode(),
            has_header=False,
            schema=schema,
            separator=separator,
            truncate_ragged_lines=True,
            extra_columns="ignore",
            missing_columns="insert",
        ).insert_column(0, closed["line"])
    except pl.exceptions.PolarsError as error:
        # Looked for only now: to look at every line of a list takes long.
        cell = f'(?:"(?:[^"]|"")*"|[^"{separator}][^{separator}]*|)'
        wrong = closed.filter(~pl.col("text").str.contains(f"^{cell}(?:{separator}{cell})*$"))
        line = next(iter(wrong["line"]), f"{closed['line'][0]} or below")
        remedy = "write it as plain CSV, with quotation marks only around whole texts"
        raise inspection.refused(f"line {line} cannot be read ({first_line(error)})", remedy) from None
    if whole:
        is_whole = (cells[str(width)] == _LINE_END).fill_null(value=False)
        inspection.refuse(
            closed.filter(~is_whole).select("line", value="text"),
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


def parquet_table(stream: IO[bytes], inspection: Inspection) -> RawTable:
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

    return RawTable(headings, 1, frames)
