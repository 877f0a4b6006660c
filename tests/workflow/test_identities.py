"""Candidates for one person or a wrong FIDE ID: the points of each clue, and no birth date in the result."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from ratinglist.corrections.parser import correction_text
from ratinglist.settings import Settings
from ratinglist.workflows import correct, identities, import_files, load
from ratinglist.workflows.identities import CANDIDATE
from tests.command_line import ratinglist, stopped
from tests.conftest import office
from tests.stores import open_store

COLUMNS = ("fide_id", "name", "federation", "sex", "birth_date", "birth_year")


def registered(tmp_path: Path, *players: tuple[Any, ...]) -> Settings:
    """Return an office with these players: FIDE ID, name, federation, sex, and a birth date or year."""
    rows = []
    for fide_id, name, federation, sex, born in players:
        known = f"{born},{born[:4]}" if isinstance(born, str) else f",{born or ''}"
        rows.append(f'{fide_id},"{name}",{federation},{sex},{known}')
    file = tmp_path / "players.csv"
    file.write_text("\n".join([",".join(COLUMNS), *rows]) + "\n", encoding="utf-8")
    settings = office(tmp_path / "home")
    import_files.import_players(settings, file)
    return settings


def report(tmp_path: Path, name: str, start: str, *players: tuple[Any, ...]) -> Path:
    """Write a report of one round between players with odd and even places; lines as in :func:`registered`."""
    lines = [f"012 {name}", "032 NOR", f"042 {start}", f"052 {start}", "092 Individual: Swiss-System", "102 Arbiter"]
    for number, (fide_id, player, federation, sex, born) in enumerate(players, start=1):
        rival = number + 1 if number % 2 else number - 1
        day = (str(born).replace("-", "/") if isinstance(born, str) else f"{born}/00/00") if born else ""
        colour = "w" if number % 2 else "b"
        head = f"001 {number:>4} {sex.lower() or ' '}    {player:<33} {1800:>4} {federation:<3} {fide_id:>11} {day:<10}"
        lines.append(f"{head} {'0.5':>4} {number:>4}  {rival:>4} {colour} =")
    path = tmp_path / f"{name}.trf"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def proposed(settings: Settings, least: int = 0) -> list[dict[str, Any]]:
    return find.propose(settings, least).to_dicts()


def the_one(settings: Settings) -> dict[str, Any]:
    (found,) = proposed(settings)
    return found


# -------------------------------------------------------------------------------------------------- duplicates

ANNA = (101, "Kestrel, Anna", "NOR", "F", "1990-05-03")


@pytest.mark.parametrize(
    ("other", "score", "evidence"),
    [
        (("Kestrel, Anna", "NOR", "F", "1990-05-03"), 100, "same name (+55); born on the same day (+30)"),
        (("KESTREL Anna", "NOR", "F", 1990), 85, "same name in another order or spelling (+50); born in the same year"),
        (("Anna Kestrel", "NOR", "F", 1990), 85, "same name in another order or spelling (+50)"),
        (("Kestrel, A.", "NOR", "F", 1990), 75, "one given name is an initial of the other (+40)"),
        (("Kestrell, Anna", "NOR", "F", 1990), 85, "same name in another order or spelling"),
        (("Kastrel, Anna", "NOR", "F", 1990), 80, "similar names, 91 in 100 (+45)"),
        (("Kestrel, Anna", "SWE", "F", 1990), 75, "federations NOR and SWE (-5)"),
        (("Kestrel, Anna", "NOR", "M", 1990), 60, "different sexes (-25)"),
        (("Kestrel, Anna", "", "", 1990), 75, "born in the same year (+20)"),
        (("Kestrel, Anna", "NOR", "F", None), 70, "a year of birth is not known (0)"),
        (("Kestrel, Anna", "NOR", "F", 1909), 60, "born in 1990 and 1909, a typing error (-10)"),
        (("Kestrel, Anna", "NOR", "F", 1991), 60, "a typing error (-10)"),
        (("Kestrel, Anna", "NOR", "F", "1974-05-03"), 80, "born on the same day of another year (+10)"),
        (("Kestrel, Anna", "NOR", "F", "1990-11-30"), 45, "born in the same year, on different days (-25)"),
        (("Kestrel, Anna", "NOR", "F", 1974), 25, "born in 1990 and 1974 (-45)"),
    ],
)
def test_two_players_that_may_be_one(tmp_path: Path, other: tuple[Any, ...], score: int, evidence: str) -> None:
    found = the_one(registered(tmp_path, ANNA, (202, *other)))
    assert (found["kind"], found["fide_id"], found["other_id"], found["score"]) == ("duplicate", 101, 202, score)
    assert evidence in found["evidence"]


@pytest.mark.parametrize(
    "other",
    [
        ("Lindt, Sam", "NOR", "F", "1990-05-03"),
        ("Kestrel, Bert", "NOR", "M", 1990),
        ("Kastrel, Bert", "NOR", "F", "1990-05-03"),
    ],
)
def test_two_players_with_different_names_are_two(tmp_path: Path, other: tuple[Any, ...]) -> None:
    assert proposed(registered(tmp_path, ANNA, (202, *other))) == []


@pytest.mark.parametrize(
    ("name", "surname", "given", "consonants"),
    [
        ("de la Cruz, Ana Maria", "de la cruz", "ana maria", "dlcrz"),
        ("Andersen Anna", "andersen", "ana", "andrsn"),
        ("Berg", "berg", "", "brg"),
        ("Berg,", "berg", "", "brg"),
        ("", "", "", ""),
    ],
)
def test_the_forms_of_a_name(rated: Settings, name: str, surname: str, given: str, consonants: str) -> None:
    people = pl.DataFrame({"name": [name], "birth_date": [date(1990, 5, 3)], "birth_year": [None]})
    with open_store(rated.store) as store:
        forms = find.with_name_forms(store, people).to_dicts()[0]
    assert (forms["surname"], forms["given"], forms["consonants"]) == (surname, given, consonants)
    assert (forms["surname_initial"], forms["given_initial"]) == (surname[:1], given[:1])
    assert forms["birth_year"] == 1990


def test_a_key_that_too_many_share_is_ignored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = registered(tmp_path, *((n, "Li, Wei", "CHN", "M", 1900 + n) for n in range(1, 41)))
    assert len(proposed(settings)) == 40 * 39 // 2
    monkeypatch.setattr(find, "LARGEST_BLOCK", 39)
    assert proposed(settings) == []


# --------------------------------------------------------------------------------------------------- wrong IDs

SAM = (1503014, "Lindt, Sam", "SWE", "M", 1960)
KIM = (1503041, "Berg, Kim", "NOR", "M", "1985-02-11")
UMA = (2200333, "Szendrő, Uma", "ORV", "F", 2004)


def test_a_report_with_two_digits_swapped(tmp_path: Path) -> None:
    settings = registered(tmp_path, SAM, KIM, UMA)
    wrong = (SAM[0], *KIM[1:])  # Berg plays under the FIDE ID of Lindt
    load.load(settings, [report(tmp_path, "open", "2025/10/04", wrong, UMA)], date(2025, 10, 5))
    found = the_one(settings)
    assert (
        found.items()
        >= {
            "kind": "wrong_id",
            "fide_id": SAM[0],
            "name": "Berg, Kim",
            "other_id": KIM[0],
            "other_name": "Berg, Kim",
            "other_birth_year": 1985,
            "score": 100,
            "line": 7,
            "times": 1,
        }.items()
    )
    for clue in ("the FIDE IDs differ by one typing error (+15)", "the FIDE ID of the report is that of Lindt, Sam"):
        assert clue in found["evidence"]
    rows = identities.propose(settings, 0)
    assert dict(rows.schema) == dict(CANDIDATE.schema)
    assert not any(dtype == pl.Date for dtype in rows.dtypes)
    assert re.findall(r"\d{4}[-/.]\d\d|02-11|11\.02", rows.write_csv() + identities.text(rows, 0)) == []


# ------------------------------------------------------------------------------------------------------ promises


def test_a_pair_that_a_correction_has_settled_is_not_proposed(tmp_path: Path) -> None:
    settings = registered(tmp_path, ANNA, (110, "Lindt, Sam", "NOR", "M", 1980), (202, *ANNA[1:]))
    # Sam's line has Anna's second FIDE ID.
    load.load(settings, [report(tmp_path, "Open", "2025-10-01", ANNA, (202, "Lindt, Sam", "NOR", "M", 1980))])
    assert {(one["kind"], one["fide_id"], one["other_id"]) for one in proposed(settings, 70)} == {
        ("wrong_id", 202, 110)
    }
    with open_store(settings.store) as store:
        event = store.read("select event_id from report").item()
    day = settings.today
    match, says = {"event_id": event, "fide_id": 202}, {"fide_id": 110}
    text = correction_text("change_player", match, says, reason="a slip", who="A", reported_on=day)
    correct.type_correction(settings, text)
    assert [(one["kind"], one["fide_id"]) for one in proposed(settings, 70)] == [("duplicate", 101)]
    text = correction_text("merge", {"fide_id": 202}, {"into": 101}, reason="one person", who="A", reported_on=day)
    correct.type_correction(settings, text)
    assert proposed(settings) == []


def test_the_sample_federation_has_no_candidate(rated: Settings) -> None:
    assert proposed(rated, find.MIN_SCORE) == []


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        ([], 0, " 85  duplicate  101 Kestrel, Anna (NOR, 1990)"),
        (["--min-score", "101"], 2, "write a number from 0 to 100"),
    ],
)
def test_the_command_shows_candidates(tmp_path: Path, words: list[str], code: int, says: str) -> None:
    settings = registered(tmp_path, ANNA, (202, "KESTREL Anna", "NOR", "F", 1990))
    shown = ratinglist("identities", *words, home=settings.home)
    assert (shown.returncode, says in shown.stdout + shown.stderr) == (code, True), shown


def test_an_office_without_players_has_no_candidate(tmp_path: Path) -> None:
    (tmp_path / "refused.trf").write_text("012 A report of nobody\n", encoding="utf-8")
    load.load(office(tmp_path / "home"), [tmp_path / "refused.trf"])
    assert "No player is registered yet" in stopped(tmp_path / "home", 3, "identities")
