"""The headings of tables of players, as pairing programs, tournament sites and federations write them."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from ratinglist.limits import LIST_COLUMNS
from ratinglist.lists.raw_list import Inspection, OfficialListError
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
    "birth": "Birth, Birthday, Birth date, Birthdate, Bdate, Date of birth, DOB, Born, B-Day, Geburt, "
    "Geburtsdatum, Geb., Data di nascita, Data nascita, Nascita, Naissance, Date de naissance, Fecha de "
    "nacimiento, Nacimiento, Geboren, Født, Fodd, Narozen, Narodeny, Datum narozeni, Datum narodenia, "
    "Szuletesi datum, Data urodzenia, Data ur., Dzimsanas datums, Gimimo data, Sunniaeg, Fæðingardagur, "
    "Дата рождения, Dogum tarihi",
    "year": "Year of birth, Birth year, YOB, Geburtsjahr, Jahrgang, Anno di nascita, Anno nascita, Annee de "
    "naissance, Ano de nacimiento, Rok urodzenia, Rok ur., Rok narozeni, Rok narodenia, Szuletesi ev, "
    "Geboortejaar, Fødselsår, Fodelsear, Syntymavuosi, Dzimsanas gads, Gimimo metai, Sunniaasta, "
    "Fæðingarár, Год рождения, Dogum yili",
}
"""The headings of each column that is read, as programs and federations write them."""


_SHORT = {"surname": "last", "given": "first"}
"""Headings that are of names only together: *Last* alone may be the last game."""


def columns(headings: Sequence[str]) -> dict[str, int]:
    """Return the place of each column that is read; empty where there is no FIDE ID or no name.

    A name next to a surname is the given name (*Cognome, Nome*), and next to a given name, a particle or a second
    surname the surname (*Nom, Prénom*).
    """
    places: dict[str, int] = {}
    for at, heading in enumerate(headings[:LIST_COLUMNS]):
        if (name := _COLUMN_OF.get(_plain(heading))) is not None:
            places.setdefault(name, at)
    if not places.keys() >= _SHORT.keys():
        places = {name: at for name, at in places.items() if _plain(headings[at]) != _SHORT.get(name)}
    if "name" in places and "surname" in places:
        places.setdefault("given", places.pop("name"))
    elif "name" in places and places.keys() & {"given", "particle", "second_surname"}:
        places["surname"] = places.pop("name")
    return places if "fide_id" in places and places.keys() & {"name", "surname"} else {}


def _plain(heading: str) -> str:
    """Return the letters and digits of a heading, small and without accents."""
    letters = unicodedata.normalize("NFKD", heading).casefold()
    return "".join(letter for letter in letters if letter.isalnum())


def _known(headings: Sequence[str]) -> set[str]:
    """Return the columns that headings name."""
    return {_COLUMN_OF[plain] for heading in headings if (plain := _plain(heading)) in _COLUMN_OF}


_COLUMN_OF = {_plain(heading): name for name, headings in HEADINGS.items() for heading in headings.split(",")}


def is_incomplete(headings: Sequence[str]) -> bool:
    """Return whether headings are those of a table of players that lacks the FIDE ID or the name.

    That is, it has two known ones.
    """
    known = _known(headings)
    return len(known) > 1 and bool(known & {"fide_id", "name", "surname"}) and not columns(headings)


def missing(rows: Sequence[tuple[int, list[str]]], inspection: Inspection) -> OfficialListError:
    """Return the refusal of a table whose headings, in one of ``rows``, do not name a FIDE ID or a name."""
    line, headings = max((row for row in rows if is_incomplete(row[1])), key=lambda row: len(row[1]))
    known = _known(headings)
    what, remedy = "FIDE ID", "call the column with the FIDE ID FideID, because a national number is not read"
    if "fide_id" in known:
        what = "surname" if "given" in known else "name"
        remedy = f"call the column with the {what} {what.title()}"
    among = shortened(", ".join(filter(None, headings)), 200)
    return inspection.refused(f"line {line}: there is no heading for the {what} among {among}", remedy)
