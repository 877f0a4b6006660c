"""Candidates for one person or a wrong FIDE ID: the points of each clue, and no birth date in the result."""

from __future__ import annotations

import csv
import random
import re
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from ratinglist.analysis import identity_matching
from ratinglist.analysis.identity_matching import CANDIDATE
from ratinglist.config import Settings
from ratinglist.errors import CommandLineError
from ratinglist.store import received
from ratinglist.workflows import identities, import_files, load
from tests.command_line import ratinglist
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
    return identities.propose(settings, least).to_dicts()


def the_one(settings: Settings) -> dict[str, Any]:
    (found,) = proposed(settings)
    return found


# -------------------------------------------------------------------------------------------------- duplicates

ANNA = (101, "Kestrel, Anna", "NOR", "F", "1990-05-03")


@pytest.mark.thorough
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


@pytest.mark.thorough
def test_the_points_in_the_evidence_add_up_to_the_score(tmp_path: Path) -> None:
    settings = registered(
        tmp_path, ANNA, (202, "Kastrel, Anna", "SWE", "F", 1990), (303, "Kestrel, Anna", "NOR", "", 1991)
    )
    found = proposed(settings)
    assert len(found) == 2
    for one in found:
        assert sum(map(int, re.findall(r"\(([+-]?\d+)\)", one["evidence"]))) == one["score"]


@pytest.mark.thorough
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


@pytest.mark.thorough
def test_a_frequent_name_gives_fewer_points(tmp_path: Path) -> None:
    many = [(200 + number, "Kestrel, Anna", "NOR", "F", 1950 + 3 * number) for number in range(6)]
    found = proposed(registered(tmp_path, ANNA, (150, "Kestrel, Anna", "NOR", "F", 1990), *many))
    best = found[0]
    assert (best["fide_id"], best["other_id"], best["score"]) == (101, 150, 75)
    assert "8 players have this name (-15)" in best["evidence"]


@pytest.mark.thorough
def test_two_players_of_one_event_are_two(tmp_path: Path) -> None:
    other = (202, "Kestrel, Anna", "NOR", "F", 1990)
    settings = registered(tmp_path, ANNA, other)
    assert the_one(settings)["score"] == 90
    load.load(settings, [report(tmp_path, "open", "2025/10/04", ANNA, other)], date(2025, 10, 5))
    found = the_one(settings)
    assert found["score"] == 0
    assert "both played in 1 of the events (-150)" in found["evidence"]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("day", "score", "evidence"),
    [
        ("2025/11/08", 100, "one stops playing before the other begins (+10)"),
        ("2025/10/04", 85, "both were playing at the same time (-5)"),
    ],
)
def test_activity_that_begins_where_the_other_ends(tmp_path: Path, day: str, score: int, evidence: str) -> None:
    other = (202, "Kestrel, Anna", "NOR", "F", 1990)
    rival = (303, "Lindt, Sam", "SWE", "M", 1960)
    settings = registered(tmp_path, ANNA, other, rival)
    first = report(tmp_path, "first", "2025/10/04", ANNA, rival)
    second = report(tmp_path, "second", day, other, rival)
    load.load(settings, [first, second], date(2025, 11, 10))
    found = the_one(settings)
    assert (found["score"], evidence in found["evidence"]) == (score, True)


def test_a_key_that_too_many_share_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [
        {"fide_id": n, "name": "Li, Wei", "federation": "CHN", "sex": "M", "birth_year": 1900 + n} for n in range(40)
    ]
    players = identity_matching.with_name_forms(
        pl.DataFrame(rows).with_columns(pl.lit(None, dtype=pl.Date).alias("birth_date"))
    )
    assert len(identity_matching.pairs(players, players, "fide_id")) == 40 * 39 // 2
    monkeypatch.setattr(identity_matching, "LARGEST_BLOCK", 39)
    assert identity_matching.pairs(players, players, "fide_id").is_empty()


# --------------------------------------------------------------------------------------------------- wrong IDs

SAM = (1503014, "Lindt, Sam", "SWE", "M", 1960)
KIM = (1503041, "Berg, Kim", "NOR", "M", "1985-02-11")
UMA = (2200333, "Szendrő, Uma", "ORV", "F", 2004)


@pytest.mark.thorough
def test_a_report_with_two_digits_swapped(tmp_path: Path) -> None:
    settings = registered(tmp_path, SAM, KIM, UMA)
    wrong = (SAM[0], *KIM[1:])  # Berg plays under the FIDE ID of Lindt
    load.load(settings, [report(tmp_path, "open", "2025/10/04", wrong, UMA)], date(2025, 10, 5))
    found = the_one(settings)
    assert (found["kind"], found["fide_id"], found["name"]) == ("wrong_id", SAM[0], "Berg, Kim")
    assert (found["other_id"], found["other_name"], found["other_birth_year"]) == (KIM[0], "Berg, Kim", 1985)
    assert found["score"] == 100
    assert "the FIDE IDs differ by one typing error (+15)" in found["evidence"]
    assert "the FIDE ID of the report is that of Lindt, Sam" in found["evidence"]
    assert (found["line"], found["times"]) == (7, 1)
    assert found["file"].endswith("open.trf")


@pytest.mark.thorough
def test_a_namesake_of_another_federation_and_year(tmp_path: Path) -> None:
    irish = (4400123, "Collins, John", "IRL", "M", 1971)
    scot = (2400456, "Collins, John", "SCO", "M", 1994)
    settings = registered(tmp_path, irish, scot, UMA)
    wrong = (irish[0], *scot[1:])
    load.load(settings, [report(tmp_path, "open", "2025/10/04", wrong, UMA)], date(2025, 10, 5))
    found = [one for one in proposed(settings, 50) if one["kind"] == "wrong_id"]
    assert [(one["fide_id"], one["other_id"]) for one in found] == [(irish[0], scot[0])]


@pytest.mark.thorough
def test_an_unregistered_id_and_a_player_that_fits(tmp_path: Path) -> None:
    settings = registered(tmp_path, KIM, UMA)
    stranger = (99, "Kim Berg", "NOR", "M", 1985)
    load.load(settings, [report(tmp_path, "open", "2025/10/04", stranger, UMA)], date(2025, 10, 5))
    found = the_one(settings)
    assert (found["fide_id"], found["other_id"], found["score"]) == (99, KIM[0], 90)
    assert "the FIDE ID of the report is not registered (+5)" in found["evidence"]


@pytest.mark.thorough
def test_a_player_of_the_same_event_is_not_proposed(tmp_path: Path) -> None:
    settings = registered(tmp_path, SAM, KIM, UMA)
    twice = report(tmp_path, "open", "2025/10/04", (SAM[0], *KIM[1:]), UMA, KIM, (700, "Noa, Io", "NOR", "", 1999))
    load.load(settings, [twice], date(2025, 10, 5))
    found = the_one(settings)
    assert found["score"] == 0
    assert "the other player is in the same event under their own FIDE ID (-150)" in found["evidence"]


@pytest.mark.thorough
def test_a_name_that_fits_its_own_id_is_not_proposed(tmp_path: Path) -> None:
    settings = registered(tmp_path, SAM, KIM, UMA)
    names = ("Lindt, Sam", "LINDT Sam", "Lindt, S.", "Lint, Sam")
    lines = [(SAM[0], name, "SWE", "M", 1960) for name in names]
    reports = [report(tmp_path, f"open{day}", f"2025/10/0{day}", line, UMA) for day, line in enumerate(lines, start=1)]
    assert load.load(settings, reports, date(2025, 10, 5)).accepted == len(names)
    assert proposed(settings) == []


@pytest.mark.thorough
def test_the_same_line_in_several_reports_is_one_candidate(tmp_path: Path) -> None:
    settings = registered(tmp_path, SAM, KIM, UMA)
    wrong = (SAM[0], *KIM[1:])
    for number in (1, 2, 3):
        path = report(tmp_path, f"open{number}", f"2025/10/0{number}", wrong, UMA)
        load.load(settings, [path], date(2025, 10, 3 + number))
    found = the_one(settings)
    assert found["times"] == 3
    assert found["file"].endswith("open1.trf")


# ------------------------------------------------------------------------------------------------------ promises


def test_without_registered_players(tmp_path: Path) -> None:
    with pytest.raises(CommandLineError, match="import-list"):
        identities.propose(office(tmp_path / "home"))


def test_a_name_that_a_spreadsheet_would_calculate_is_marked_in_the_file(tmp_path: Path) -> None:
    home = registered(tmp_path, (101, "=1+1", "NOR", "M", 1990), (102, "=1+1", "NOR", "M", 1990)).home
    out = tmp_path / "candidates.csv"
    assert ratinglist("identities", "--out", out, home=home).returncode == 0
    with out.open(encoding="utf-8", newline="") as file:
        assert [(row["name"], row["other_name"]) for row in csv.DictReader(file)] == [("'=1+1", "'=1+1")]


def test_the_sample_federation_has_no_candidate(rated: Settings) -> None:
    assert proposed(rated, identities.MIN_SCORE) == []


@pytest.mark.thorough
def test_no_birth_date_comes_out(tmp_path: Path) -> None:
    settings = registered(tmp_path, SAM, KIM, UMA, (808, "Berg, Kim", "NOR", "M", "1985-02-11"))
    wrong = (SAM[0], *KIM[1:])
    load.load(settings, [report(tmp_path, "open", "2025/10/04", wrong, UMA)], date(2025, 10, 5))
    rows = identities.propose(settings, 0)
    assert len(rows) == 3
    assert dict(rows.schema) == dict(CANDIDATE.schema)
    assert not any(dtype == pl.Date for dtype in rows.dtypes)
    assert re.findall(r"\d{4}[-/.]\d\d|02-11|11\.02", rows.write_csv() + identities.text(rows)) == []


@pytest.mark.thorough
def test_nothing_in_the_store_is_changed(rated: Settings) -> None:
    def content() -> list[list[Any]]:
        with open_store(rated.store) as store:
            return [
                received.players(store).sort("fide_id").rows(),
                store.read("select * from report order by all").rows(),
            ]

    before = content()
    identities.propose(rated, 0)
    assert content() == before


@pytest.mark.thorough
def test_the_order_in_which_players_were_registered_changes_nothing(tmp_path: Path) -> None:
    given = ("Anna", "Ana", "Anne", "Bo", "Boe", "Kim")
    people = [
        (number, f"{surname}, {random.Random(number).choice(given)}", "NOR", "F", 1990 + number % 3)
        for number, surname in enumerate(("Berg", "Bergh", "Kestrel", "Kestrell", "Lindt", "Lint") * 6, start=1)
    ]
    found = []
    for seed in (1, 2):
        folder = tmp_path / str(seed)
        folder.mkdir()
        settings = registered(folder, *random.Random(seed).sample(people, len(people)))
        found.append(identities.propose(settings, 0))
    assert len(found[0]) > 20
    assert found[0].equals(found[1])


@pytest.mark.thorough
def test_the_key_of_a_candidate_is_unique(tmp_path: Path) -> None:
    settings = registered(tmp_path, SAM, KIM, UMA, (808, "Berg, Kim", "NOR", "M", 1985))
    lines = [(SAM[0], *KIM[1:]), (SAM[0], "Berg K", "NOR", "M", 1985)]
    for number, line in enumerate(lines, start=1):
        path = report(tmp_path, f"open{number}", f"2025/10/0{number}", line, UMA)
        load.load(settings, [path], date(2025, 10, 5))
    rows = identities.propose(settings, 0)
    assert len(rows) >= 5
    assert not rows.select(CANDIDATE.key).is_duplicated().any()
