"""The laboratory as an analyst uses it: replay, report, what-if, on the sample federation."""

import json
import os
import shutil
from pathlib import Path

import polars as pl
import pytest

from ratinglist.errors import StoreInUseError
from ratinglist.files.durable_files import locked_folder
from ratinglist.period import Period
from ratinglist.settings import silent
from ratinglist.workflows import import_files
from ratinglist_lab.replay import Replay, named_system, replay_system, studied as study_of
from tests.command_line import did, ratinglist, stopped
from tests.conftest import MONTHS, office, published_bytes
from tests.workflow.test_systems_of_packages import rules_of

pytestmark = pytest.mark.asks_only()


@pytest.fixture(scope="module")
def studied(homes: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample's office with its last two months replayed by its own family; do not touch."""
    home = Path(shutil.copytree(homes / MONTHS[-1], tmp_path_factory.mktemp("laboratory") / "home"))
    did(home, "lab", "replay", "--systems", "fide", "--from", "2025-11")
    return home


@pytest.fixture(scope="module")
def compared(homes: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample's office with its four months replayed by three families; do not touch."""
    home = Path(shutil.copytree(homes / MONTHS[-1], tmp_path_factory.mktemp("compared") / "home"))
    did(home, "lab", "replay", "--systems", "fide,glicko,club")
    return home


@pytest.fixture
def laboratory(studied: Path, tmp_path: Path) -> Path:
    """A copy of the studied office, yours to change."""
    return Path(shutil.copytree(studied, tmp_path / "home"))


def replays(home: Path, first: str = "2025-11") -> Path:
    return home / "lab" / f"{first}-to-2025-12" / "standard-list"


def test_fide_replayed_gives_the_published_lists_and_no_birth(studied: Path):
    facts = json.loads((replays(studied) / "fide" / "replay.json").read_text(encoding="utf-8"))
    assert (facts["as_published"], facts["compared"]) == (2, 2)
    assert (studied / "lab").stat().st_mode & 0o077 == 0
    for path in (studied / "lab").rglob("*.parquet"):
        assert not [name for name in pl.read_parquet_schema(path) if "birth" in name]


@pytest.mark.parametrize(
    "arguments",
    [
        ("replay", "--systems", "fide"),
        ("what-if", "--change", "list.floor=1500"),
        ("report",),
    ],
)
def test_a_laboratory_command_waits_for_one_that_writes(studied: Path, arguments: tuple[str, ...]):
    before = sorted((studied / "lab").rglob("*"))
    handle = locked_folder(studied / "lab", "")
    shown = ratinglist("lab", *arguments, home=studied)
    os.close(handle)
    assert shown.returncode == 5
    assert "another laboratory command is running. Wait until it has finished" in shown.stderr
    assert sorted((studied / "lab").rglob("*")) == before


@pytest.mark.long
def test_a_system_that_predicts_no_game_is_named(laboratory: Path, tmp_path: Path):
    # Its lists are of January and July.
    did(laboratory, "lab", "replay", "--systems", "fsi-1998", "--from", "2025-11")
    alone = stopped(laboratory, 3, "lab", "report", "--systems", "fsi-1998", "--from", "2025-11")
    assert "No game is predicted from 2025-11 to 2025-12 by fsi-1998" in alone
    others = did(laboratory, "lab", "report", "--from", "2025-11", "--out", tmp_path / "out")
    assert "without a list every month, so not in this table: fsi-1998" in others


@pytest.mark.long
def test_a_report_has_every_measure_and_the_same_bytes_again(compared: Path, tmp_path: Path):
    folders = [tmp_path / name for name in ("one", "two")]
    for folder in folders:
        shown = ratinglist("lab", "report", "--out", folder, "--json", home=compared)
        assert shown.returncode == 0, shown.stderr
    report = json.loads(shown.stdout)
    assert report["reference"] == "fide"
    assert {row["system"] for row in report["scores"]} == {"fide", "glicko", "club"}
    fide = next(row for row in report["scores"] if row["system"] == "fide" and row["games_of"] == "own")
    assert fide["games"] + fide["unrated"] == 1173
    facts = json.loads((replays(compared, MONTHS[0]) / "fide" / "replay.json").read_text(encoding="utf-8"))
    assert (facts["as_published"], facts["compared"]) == (4, 4)
    last = [row for row in report["movement"] if row["list_month"] == MONTHS[-1]]
    by_system = {row["system"]: row for row in last}
    assert by_system["fide"]["rank_correlation_millionths"] == 1_000_000
    assert by_system["fide"]["official_difference_hundredths"] == 0
    assert by_system["glicko"]["rank_correlation_millionths"] < 1_000_000
    files = [{path.name: path.read_bytes() for path in sorted(folder.iterdir())} for folder in folders]
    assert files[0] == files[1]
    assert sorted(files[0]) == sorted(report["files"])
    assert files[0]["report.html"].decode().count("<svg ") == 6
    assert 0 < fide["won_by_favourite"] < fide["decisive"] <= fide["games"] - fide["drawn"]


def test_an_expectation_is_from_the_list_in_force_when_the_event_began(studied: Path):
    folder = replays(studied) / "fide"
    rows = Replay.read(folder).predictions.filter(list_month="2025-12")
    games = pl.read_parquet(studied / "published" / "2025-12" / "r1" / "games.parquet")
    events = pl.read_parquet(studied / "published" / "2025-12" / "r1" / "events.parquet")
    started = events.filter(pl.col("start_date").dt.strftime("%Y-%m") == "2025-11")["event_id"].implode()
    before = Replay.read(folder).lists.filter(list_month="2025-11").select("fide_id", "rating")
    joined = (
        rows.filter(pl.col("event_id").is_in(started))
        .join(before, left_on="white_id", right_on="fide_id")
        .join(before, left_on="black_id", right_on="fide_id", suffix="_of_black")
    )
    assert joined.height > 0
    assert joined["difference"].equals(joined["rating"] - joined["rating_of_black"], check_names=False)
    both = rows.join(
        games.filter(pl.col("colour") == "w", "rated"),
        left_on=["event_id", "round", "white_id"],
        right_on=["event_id", "round", "fide_id"],
        suffix="_published",
    )
    of_rated = both.filter(pl.col("difference") == pl.col("difference_published"))
    assert of_rated.height > 100
    assert of_rated.filter(pl.col("expected_billionths") != 10_000_000 * pl.col("expected_hundredths")).is_empty()


@pytest.mark.long
def test_from_scratch_players_enter_and_families_that_cannot_are_refused(laboratory: Path):
    shown = ratinglist("lab", "replay", "--systems", "club,glicko", "--start", "scratch", "--json", home=laboratory)
    rows = json.loads(shown.stdout)["systems"]
    assert all(row["players"] > 100 and 0 < row["predicted"] < row["games"] for row in rows)
    refused = ratinglist("lab", "replay", "--systems", "fide", "--start", "scratch", home=laboratory)
    assert refused.returncode == 2
    assert "from scratch it rates no player" in refused.stderr


@pytest.mark.long
def test_a_what_if_says_who_moves_and_publishes_nothing(laboratory: Path, tmp_path: Path):
    before = published_bytes(laboratory), (laboratory / "ratinglist.duckdb").read_bytes()
    changes = ("--change", "development_coefficient.normal=24", "--change", "list.floor=1600")
    study = json.loads(did(laboratory, "lab", "what-if", *changes, "--out", tmp_path / "study", "--json"))
    assert study["changed"] == "fide+2"
    assert study["changes"] == ["development_coefficient.normal: 20 -> 24", "list.floor: 1400 -> 1600"]
    everyone, *of_groups = study["moved"]
    listed = pl.read_parquet(laboratory / "published" / MONTHS[-1] / "r1" / "standard.parquet")
    changed = Replay.read(replays(laboratory, MONTHS[0]) / "fide+2").lists.filter(list_month="2025-12")
    assert everyone["players"] + everyone["leaving"] == listed.height
    assert everyone["players"] + everyone["entering"] == changed.height
    assert changed["rating"].min() >= 1600 > listed["rating"].min()
    assert sum(row["leaving"] for row in of_groups if row["grouping"] == "band") == everyone["leaving"]
    assert (published_bytes(laboratory), (laboratory / "ratinglist.duckdb").read_bytes()) == before
    report = did(laboratory, "lab", "report", "--systems", "fide,fide+2", "--out", tmp_path / "study")
    assert "fide+2: development_coefficient.normal: 20 -> 24, list.floor: 1400 -> 1600" in report
    assert "no rule family 'fide+2'" in stopped(laboratory, 2, "rate", "2025-12", "--rules", "fide+2")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("replay", "--systems", "fede"), 2, "There is no rule family 'fede'"),
        (("replay", "--systems", "club", "--time-control", "rapid"), 2, "has no rapid lists"),
        (("report", "--systems", "wcc"), 3, "Not replayed: wcc"),
        (("report", "--systems", "nonsense"), 2, "Not replayed: nonsense"),
        (
            ("what-if", "--family", "club", "--time-control", "rapid", "--change", "development_coefficient.new=40"),
            2,
            "or another --time-c",
        ),
        (
            ("report", "--systems", "fide,missing.parquet", "--from", "2025-11"),
            2,
            "write a Parquet file with the columns event_id",
        ),
        (("replay", "--systems", "fide", "--from", "2025-12", "--to", "2025-09"), 2, "is after --to"),
        (("replay", "--systems", "fide", "--from", "2025-08", "--to", "2025-09"), 3, "list before 2025-08"),
    ],
)
def test_a_command_that_is_wrong_says_what_to_do(studied: Path, arguments: tuple[str, ...], code: int, message: str):
    shown = ratinglist("lab", *arguments, home=studied)
    assert (shown.returncode, message in shown.stderr) == (code, True), shown.stderr


def test_a_folder_of_rules_is_replayed_by_its_name(laboratory: Path, tmp_path: Path) -> None:
    folder = rules_of(tmp_path, "club", 24, "calm")
    shown = did(laboratory, "lab", "replay", "--systems", f"club,{folder}", "--from", "2025-12", "--json")
    club, calm = json.loads(shown)["systems"]
    assert (calm["system"], calm["predicted"], calm["lists"]) == ("calm", club["predicted"], 1)
    lists = [Replay.read(replays(laboratory, MONTHS[-1]) / name).lists for name in ("club", "calm")]
    assert not lists[0].equals(lists[1])
    did(laboratory, "lab", "report", "--systems", "club,calm", "--from", "2025-12", "--out", tmp_path / "out")


@pytest.mark.parametrize(
    ("name", "family", "code"),
    [("club", "club", 2), ("calm", "quiet", 3), ("calm", "", 3)],
    ids=["the name of a family of the program", "files of another family", "no file"],
)
def test_a_folder_that_is_no_family_of_its_own_is_refused(
    studied: Path, tmp_path: Path, name: str, family: str, code: int
) -> None:
    folder = tmp_path / name
    if family:
        rules_of(tmp_path, "club", 24, family).rename(folder)
    else:
        folder.mkdir()
    shown = ratinglist("lab", "replay", "--systems", folder, home=studied)
    assert (shown.returncode, name in shown.stderr) == (code, True), shown.stderr


def test_a_replay_of_facts_that_change_meanwhile_says_so(laboratory: Path, tmp_path: Path) -> None:
    file = tmp_path / "players.csv"
    file.write_text('fide_id,name,federation\n99988877,"Alder, Ann",ORV\n', encoding="utf-8")
    settings = office(laboratory)
    december = Period.parse(MONTHS[-1])
    with study_of(settings, december, None, "standard") as begun:
        import_files.import_players(settings, file)
        with pytest.raises(StoreInUseError):
            replay_system(begun, named_system("club"), "list", silent)
        assert not list((laboratory / "lab").rglob(".tmp*"))
    with study_of(settings, december, None, "standard") as begun:
        assert replay_system(begun, named_system("club"), "list", silent).facts["lists"] == 1


@pytest.mark.long
def test_a_later_start_goes_on_from_the_lists_of_the_office(laboratory: Path) -> None:
    shown = did(laboratory, "lab", "replay", "--systems", "fide,fsi", "--from", "2025-11", "--json")
    fide, fsi = json.loads(shown)["systems"]
    assert (fide["as_published"], fide["compared"], fide["predicted"]) == (2, 2, 603)
    assert (fsi["lists"], fsi["predicted"], fsi["players"]) == (2, 631, 133)


def test_predictions_from_elsewhere_are_scored_like_the_others(studied: Path, tmp_path: Path) -> None:
    games = Replay.read(replays(studied) / "fide").predictions
    known = games.drop_nulls("expected_billionths")
    file = tmp_path / "elsewhere.parquet"
    known.with_columns(expected=pl.col("expected_billionths") / 1_000_000_000).write_parquet(file)
    words = ("--systems", f"fide,{file}", "--from", "2025-11", "--out", tmp_path / "out", "--json")
    report = json.loads(did(studied, "lab", "report", *words))
    scores = {row["system"]: row for row in report["scores"] if row["games_of"] == "common"}
    assert scores["elsewhere"] | {"system": "fide"} == scores["fide"]
    assert scores["fide"]["games"] == known.height


@pytest.mark.long
def test_replays_of_different_inputs_are_not_compared(compared: Path, tmp_path: Path) -> None:
    home = Path(shutil.copytree(compared, tmp_path / "home"))
    facts = replays(home, MONTHS[0]) / "glicko" / "replay.json"
    facts.write_text(facts.read_text(encoding="utf-8").replace('"entry": ', '"entry": 1'), encoding="utf-8")
    said = stopped(home, 3, "lab", "report", "--systems", "fide,glicko")
    assert "The office changed between the replays" in said


def test_a_damaged_replay_is_named_with_what_to_do(studied: Path, tmp_path: Path) -> None:
    home = Path(shutil.copytree(studied, tmp_path / "home"))
    damaged = replays(home) / "fide"
    games = damaged / "games.parquet"
    games.write_bytes(games.read_bytes()[:-10])
    assert f"The replay in {damaged} is damaged" in stopped(home, 3, "lab", "report", "--from", "2025-11")
