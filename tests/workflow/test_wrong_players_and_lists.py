"""Slips with players, lists and FIDE IDs, each played through the command line: what it says, and what undoes it."""

from __future__ import annotations

import shutil
from pathlib import Path

import polars as pl
import pytest

from tests.command_line import did, stopped
from tests.conftest import SAMPLE, delivery_of
from tests.parameters import long_but

KINGSPORT, RAMON, URSULA = "KEL250800001", 900000046, 900000119
LIST = SAMPLE / "list-2025-08.csv"
BY = ("--because", "score sheets and passports", "--by", "Rossi")


@pytest.fixture
def home(awaiting_september: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(awaiting_september, tmp_path / "home"))


def written(folder: Path, name: str, text: str, encoding: str = "utf-8") -> Path:
    path = folder / name
    path.write_text(text, encoding=encoding)
    return path


@pytest.fixture
def exchanged(tmp_path: Path) -> Path:
    """A report of September in which two FIDE IDs are exchanged."""
    inbox = delivery_of(tmp_path, "2025-09", KINGSPORT)
    report = inbox / f"{KINGSPORT}.trf"
    data = report.read_bytes().replace(b"%d" % RAMON, b"X" * 9)
    report.write_bytes(data.replace(b"%d" % URSULA, b"%d" % RAMON).replace(b"X" * 9, b"%d" % URSULA))
    return inbox


@pytest.mark.asks_only("unlike_name")
def test_two_fide_ids_that_are_exchanged_in_a_report_are_a_question(home: Path, exchanged: Path) -> None:
    said = stopped(home, 4, "run", "2025-09", exchanged)
    assert 'ratinglist publish 2025-09 --because unlike_name="..."' in said
    assert "line 15, FIDE ID 900000119, name Nørrström, Ramón, birth year 2009, registered Ibarunda, Ursula" in said
    assert f"fits {RAMON}" in said
    assert "no answer to unlike_name" in did(home, "status")
    assert not (home / "published").exists()

    once = ("correct", "report", KINGSPORT, "--id", f"{URSULA}={RAMON}", *BY)
    both = f'--id {URSULA}={RAMON} --id {RAMON}={URSULA} --because "..." --by NAME. Nothing was corrected.'
    assert both in stopped(home, 3, *once)
    assert "2 corrections applied" in did(home, *once[:5], "--id", f"{RAMON}={URSULA}", *BY)
    assert "published as r1" in did(home, "run", "2025-09")
    # Each has the games of the line with the own name again.
    games = pl.read_parquet(home / "published/2025-09/r1/games.parquet").filter(pl.col("event_id") == KINGSPORT)
    first = games.filter(pl.col("round") == 1)
    assert first.filter(pl.col("fide_id") == RAMON)["opponent_id"].item() != RAMON
    assert dict(first.select("fide_id", "score_halves").iter_rows())[RAMON] == 2


def test_half_an_exchange_is_not_undone(home: Path, exchanged: Path) -> None:
    did(home, "load", exchanged, "--received", "2025-08-20")
    did(home, "correct", "report", KINGSPORT, "--id", f"{URSULA}={RAMON}", "--id", f"{RAMON}={URSULA}", *BY)
    refusal = f"the player {URSULA} is in a report of the event {KINGSPORT} already"
    assert refusal in stopped(home, 3, "correct", "undo", "1", *BY)
    undo = '[[correction]]\naction = "undo"\nmatch = {{ correction = {} }}\nreason = "was right"\nwho = "Rossi"\n'
    text = "".join(f"{undo.format(number)}reported_on = 2025-08-20\n" for number in (1, 2))
    assert "2 corrections applied" in did(home, "correct", written(home.parent, "undo.toml", text))


@pytest.mark.asks_only
def test_a_report_with_two_players_who_were_merged_waits_alone(home: Path, tmp_path: Path, moves_nothing: None) -> None:
    one_person = ("--because", "unlike_person=her federation confirms it", "--by", "Rossi")
    did(home, "correct", "merge", str(RAMON), str(URSULA), *one_person)
    assert "published as r1" in did(home, "run", "2025-09", delivery_of(tmp_path, "2025-09", KINGSPORT, "masters"))
    events = pl.read_parquet(home / "published/2025-09/r1/events.parquet")
    waiting = events.filter(pl.col("reason") == "player_twice").select("event_id", "status").rows()
    assert waiting == [(KINGSPORT, "refused")]
    assert "rated" in events["status"]
    did(home, "letters", "2025-09", "--out", home.parent / "letters")
    [letter] = (home.parent / "letters").glob(f"{KINGSPORT}-*.txt")
    for shown in (did(home, "quarantine", "2025-09"), letter.read_text(encoding="utf-8")):
        for fide_id in (RAMON, URSULA):
            assert f"the FIDE ID {fide_id} (" in shown

    did(home, "correct", "undo", "1", *BY)
    assert f"{KINGSPORT}.trf: the FIDE ID" not in did(home, "quarantine")
    did(home, "rerate", "--from", "2025-09")
    events = pl.read_parquet(home / "published/2025-09/r2/events.parquet")
    assert events.filter(pl.col("event_id") == KINGSPORT)["status"].to_list() == ["rated"]


@pytest.mark.asks_only("registered_twice")
def test_a_newcomer_who_is_registered_already_is_named_by_run(home: Path, tmp_path: Path) -> None:
    known = pl.read_csv(LIST, infer_schema=False).filter(
        pl.col("rating").fill_null("") == "", pl.col("birth_year") != ""
    )
    inbox = delivery_of(tmp_path, "2025-09", "lakeside-open-b")
    report = (inbox / "lakeside-open-b.trf").read_bytes()
    name, year = next((row["name"], row["birth_year"]) for row in known.to_dicts() if row["fide_id"].encode() in report)
    twice = f'fide_id,name,federation,birth_year\n777,"{name}",ITA,{year}\n'
    did(home, "import-players", written(tmp_path, "players.csv", twice))
    did(home, "load", inbox)
    assert f"may be registered twice, as 777 {name} (ITA, {year}) too" in did(home, "run", "2025-09")


NAMESAKES = """
71,"Orvell, Tobias",ORV,M,2007-10-24
72,"Ximenes, Tobias",ORV,M,2007-11-23
73,"Orvell, Tobias",ORV,M,1975-03-04
"""


@pytest.mark.parametrize(
    ("wrong", "birth", "is_found"),
    [
        (72, "2007/10/24", True),  # two days of birth
        pytest.param(72, "2007/01/01", True, marks=pytest.mark.long),  # the name and year of birth of 71
        pytest.param(73, "2007/10/24", True, marks=pytest.mark.long),  # the name and year of birth of 71
        pytest.param(73, "2007/00/00", True, marks=pytest.mark.long),
        pytest.param(71, "2007/10/24", False, marks=pytest.mark.long),
        pytest.param(71, "2007/01/01", False, marks=pytest.mark.long),
    ],
)
@pytest.mark.asks_only("unlike_name")
def test_the_fide_id_of_a_namesake_is_a_question(
    wrong: int, birth: str, is_found: bool, home: Path, tmp_path: Path
) -> None:
    did(home, "import-players", written(tmp_path, "new.csv", f"fide_id,name,federation,sex,birth_date{NAMESAKES}"))
    inbox = tmp_path / "inbox"
    inbox.mkdir()
    lines = (SAMPLE / "reports" / "2025-09" / "masters.trf").read_text(encoding="utf-8").splitlines()
    first = next(place for place, line in enumerate(lines) if line.startswith("001"))
    lines[first] = (
        f"{lines[first][:14]}{'Orvell, Tobias':33}{lines[first][47:57]}{wrong:>11} {birth}{lines[first][79:]}"
    )
    written(inbox, "masters.trf", "\n".join([*lines, ""]))
    command = ("run", "2025-09", inbox, "--received", "2025-08-28")
    said = stopped(home, 4, *command) if is_found else did(home, *command)
    assert (f"FIDE ID {wrong}, name Orvell, Tobias" in said) == is_found
    assert ("fits 71" in said) == is_found


# ---------------------------------------------------------------------------------------------------------- players


LOSES = {
    "a blank title": ('fide_id,name,title\n99900143,"Ravnik, Teodor",\n', "before GM, after blank"),
    "a blank federation": ('fide_id,name,federation\n99900143,"Ravnik, Teodor",\n', "before ORV, after blank"),
    "another spelling of the headings": (
        'FIDE ID,Name,Title\n99900143,"Ravnik, Teodor",\n',
        "before GM, after blank",
    ),
    "that heading in a table": (
        'Fide-ID;Name;Fed;Tit.\n99900143;"Ravnik, Teodor";ORV;\n',
        "before GM, after blank",
    ),
    "another code page": ('fide_id,name\n99900027,"Castellane, ?mile"\n', "after Castellane, ?mile"),
}


@pytest.mark.parametrize("loss", long_but(LOSES, "a blank title"))
def test_a_file_that_loses_what_is_known_of_a_player_is_a_question(loss: str, home: Path, tmp_path: Path) -> None:
    text, evidence = LOSES[loss]
    file = written(tmp_path, "players.csv", text)
    said = stopped(home, 4, "import-players", file)
    assert evidence in said
    assert evidence in did(home, "import-players", file, "--preview").partition("The import will ask:")[2]
    assert f'ratinglist import-players {file} --because blanked_data="..."' in said
    did(home, "import-players", file, "--because", "blanked_data=the title was taken back")
    assert did(home, "log").count("players.csv") == 1
    assert "was made again" in did(home, "doctor", "--rebuild")


def test_an_older_value_of_a_player_is_a_question(home: Path, tmp_path: Path) -> None:
    new = written(tmp_path, "new.csv", 'fide_id,name,federation\n99900143,"Ravnik, Teodor",KEL\n')
    old = written(tmp_path, "old.csv", 'fide_id,name,federation\n99900143,"Ravnik, Teodor",ORV\n')
    did(home, "import-players", new)
    assert "column federation, before KEL, after ORV" in stopped(home, 4, "import-players", old)


@pytest.mark.parametrize("column", long_but(["sex", "title", "federation"], "title"))
def test_a_list_with_a_blank_column_is_a_question(column: str, home: Path, tmp_path: Path) -> None:
    known = pl.read_csv(LIST, infer_schema=False)
    file = tmp_path / "list-2025-09.csv"
    # All ratings are others, so that it is no old list.
    rating = (pl.col("rating").cast(pl.Int64) + 1).cast(pl.String)
    known.with_columns(rating, pl.lit("").alias(column)).write_csv(file)
    words = ("import-list", file, "--month", "2025-09")
    said = stopped(home, 4, *words)
    assert f"column {column}, before " in said
    assert f'ratinglist import-list {file} --month 2025-09 --because blanked_data="..."' in said
    assert "blanked_data: Is it right that players lose a name" in did(home, *words, "--preview")


def test_a_reason_for_a_question_that_is_not_raised_is_refused(home: Path, tmp_path: Path) -> None:
    file = written(tmp_path, "players.csv", 'fide_id,name,title\n99900143,"Ravnik, Teodor",GM\n1,"New, One",FM\n')
    said = stopped(home, 2, "import-players", file, "--because", "blanked_data=as registered")
    assert "does not raise that question; it raises none. Nothing was imported" in said


# ------------------------------------------------------------------------------------------------------------ lists


def test_an_imported_list_that_is_an_earlier_one_is_a_question(homes: Path, tmp_path: Path) -> None:
    home = Path(shutil.copytree(homes / "2025-10", tmp_path / "home"))
    said = stopped(home, 4, "import-list", LIST, "--month", "2025-11")
    assert "ratings as on the standard list of 2025-08 and 0 as on that of 2025-10" in said
    assert f'ratinglist import-list {LIST} --month 2025-11 --because older_list="..."' in said
    preview = did(home, "import-list", LIST, "--month", "2025-11", "--preview")
    assert preview.partition("The import will ask:\n  ")[2].splitlines()[0] in said


def test_an_imported_list_of_another_month_in_the_place_of_the_months_own_is_a_question(
    home: Path, tmp_path: Path
) -> None:
    assert "will ask" not in did(home, "import-list", LIST, "--month", "2025-08", "--preview")
    other = tmp_path / "other.csv"
    rated = pl.col("rating").cast(pl.Int32)
    ratings = pl.when(rated < 2300).then(rated + 9).otherwise(rated).cast(pl.String)
    pl.read_csv(LIST, infer_schema=False).with_columns(rating=ratings).write_csv(other)
    assert "that was imported before" in stopped(home, 4, "import-list", other, "--month", "2025-08")


# ---------------------------------------------------------------------------------------------------------- merges


def test_a_merge_states_both_persons_and_asks_where_they_differ(home: Path, tmp_path: Path) -> None:
    twice = '555,"Wintelli, Fabiano",KEL,M,1971\n556,"Wintelli, Fabian",ORV,M,1981\n'
    did(home, "import-players", written(tmp_path, "years.csv", f"fide_id,name,federation,sex,birth_year\n{twice}"))
    did(home, "import-players", written(tmp_path, "days.csv", f"fide_id,name,federation,sex,birth_date{NAMESAKES}"))
    # Not even the year is said where the days differ.
    said = stopped(home, 4, "correct", "merge", "71", "72", *BY)
    assert ("the names are not alike, the days of birth differ" in said, "-10-24" in said) == (True, False)
    said = stopped(home, 4, "correct", "merge", "556", "900000016", *BY)
    assert "the years of birth are 1981 and 1971, the federations are ORV and KEL" in said
    assert "556 Wintelli, Fabian (ORV, 1981)\n    900000016 Wintelli, Fabian (KEL, 1971)" in said
    assert "ratinglist correct merge 556 900000016 --because unlike_person=" in said
    answer = ("--because", "unlike_person=the passport of 1981 is forged", "--by", "Rossi")
    done = did(home, "correct", "merge", "556", "900000016", *answer)
    assert "556 Wintelli, Fabian (ORV, 1981) merged into 900000016 Wintelli, Fabian (KEL, 1971)" in done
    assert "No calculated list is changed by this." in done
    assert "555 Wintelli, Fabiano (KEL, 1971) merged into" in did(home, "correct", "merge", "555", "900000016", *BY)
    did(home, "correct", "undo", "1", *BY)
    assert "was made again" in did(home, "doctor", "--rebuild")
