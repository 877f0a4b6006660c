"""The headings of tables: those of published lists, and those of pairing programs, tournament sites and federations."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from ratinglist.lists.official_rows import MEMBERSHIP_COLUMNS, OFFICIAL_ROW
from ratinglist.lists.raw_list import column_name
from ratinglist.tables import LISTED

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
