"""Two years of a federation of 5,000, corrected in the third month: as if the right thing had always been known.

Each correction is made when all 24 lists are out, and every list it can move is calculated again. It is compared with
an office to which the right thing came at once. Every published file of the newest revisions has to be the same to the
byte. What may differ is what describes revisions: ``DIFF.md`` and ``diff.parquet``, and in ``manifest.json`` the
``revision``, the digests of the corrections files and of the lists and imports it stands on, its ``provenance``, among
its files those two, and the digest over all of that. Of an event whose result was put right, and of one that was
withdrawn, the row of ``events`` differs too.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pytest

from ratinglist.period import Period
from ratinglist.reports.encoding import decode
from ratinglist.settings import Settings
from ratinglist.workflows import correct, import_files, rerate, run
from ratinglist_world import people, simulate as folder
from tests.conftest import asks_nothing, published_bytes

pytestmark = pytest.mark.long

FIRST = Period.parse("2024-01")
MONTHS = [FIRST + number for number in range(24)]
CORRECTED = MONTHS[2]
BEFORE = FIRST - 1
ANSWERS = {
    "other_ratings": "The reports state the ratings of before the step of March 2024",
    "unlike_name": "The federation makes up FIDE IDs that are mistyped",
}
"""The reasons for the questions that the reports of a made-up federation raise."""
OF_REVISIONS = {"DIFF.md", "diff.parquet", "manifest.json"}
MANIFEST_MAY_DIFFER = {"revision", "inputs", "lists_before", "provenance", "files", "digest"}
RESULT_COLUMN = 98
"""Where the result of round 1 stands in a player's line, from 0; each round is ten columns on."""


def office(home: Path, period: Period) -> Settings:
    """The office on the day it makes the list of ``period``."""
    return Settings(home=home, family="fide", today=period.first_day)


def live(world: Path, home: Path) -> Path:
    """Every month as it comes, from the starting list on."""
    asks_nothing(home)
    import_files.import_list(office(home, BEFORE), world / f"list-{BEFORE}.csv", BEFORE)
    for period in MONTHS:
        import_files.import_players(office(home, period), world / f"players-{period}.csv")
        run.run(office(home, period), period, [world / "reports" / str(period)], because=ANSWERS)
    return home


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A made-up federation: 5,000 players, 80 events a month, two years."""
    out = tmp_path_factory.mktemp("simulated") / "world"
    folder.simulate(
        out, people.world_of(5_000, FIRST, 1, 80, ("ORV", "KEL")), len(MONTHS), lambda _what, _done, _of: None
    )
    return out


@pytest.fixture(scope="module")
def lived(world: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of an office that has published all months; look, do not touch."""
    return live(world, tmp_path_factory.mktemp("lived") / "home")


@pytest.fixture
def home(lived: Path, tmp_path: Path) -> Path:
    """A copy of it: yours to correct."""
    return Path(shutil.copytree(lived, tmp_path / "home"))


def corrected(home: Path, *corrections: str) -> None:
    """Make ``corrections`` after the last list, and calculate again every list that they can move."""
    afterwards = office(home, MONTHS[-1] + 1)
    file = home / "corrections.toml"
    file.write_text("\n".join(corrections), encoding="utf-8")
    done = correct.correct(afterwards, file)
    rerate.rerate(afterwards, Period.parse(done.first_month), because=ANSWERS)


def correction(action: str, match: str, says: str = "") -> str:
    return (
        f'[[correction]]\naction = "{action}"\nmatch = {{ {match} }}\n{says}\n'
        'reason = "score sheets compared"\nwho = "chief arbiter"\nreported_on = 2025-12-20\n'
    )


# ----------------------------------------------------------------------------------------- what is looked at


def newest(home: Path) -> dict[str, Path]:
    """Every file of the newest revisions, by month and name."""
    files = {}
    for period in MONTHS:
        folder = home / "published" / str(period)
        revision = folder / (folder / "latest").read_text(encoding="utf-8").strip()
        files |= {f"{period}/{path.name}": path for path in revision.iterdir()}
    return files


def different(one: Path, other: Path) -> set[str]:
    """The files of two homes' newest revisions that are not the same bytes, those apart that describe revisions."""
    ours, theirs = newest(one), newest(other)
    names = {name for name in {*ours, *theirs} if name.split("/")[1] not in OF_REVISIONS}
    assert len(names) >= 9 * len(MONTHS)
    return {
        name
        for name in names
        if name not in ours or name not in theirs or ours[name].read_bytes() != theirs[name].read_bytes()
    }


def files_that_differ(one: Path, other: Path) -> set[str]:
    """What the manifests of two homes' newest revisions say that differs, other than what may."""
    found = set()
    for period in MONTHS:
        says = [json.loads(newest(home)[f"{period}/manifest.json"].read_bytes()) for home in (one, other)]
        found |= {key for key in {*says[0], *says[1]} - MANIFEST_MAY_DIFFER if says[0].get(key) != says[1].get(key)}
        inputs = [{**one["inputs"], "corrections": [], "lists": [], "players": []} for one in says]
        found |= {f"inputs.{key}" for key in inputs[0] if inputs[0][key] != inputs[1][key]}
        files = [{name: of for name, of in one["files"].items() if name not in OF_REVISIONS} for one in says]
        found |= {f"files.{name}" for name in files[0] if files[0][name] != files[1].get(name)}
    return found


def first_revisions(home: Path) -> dict[str, bytes]:
    return {path: data for path, data in published_bytes(home).items() if "/r1/" in path}


def read(home: Path, name: str) -> pl.DataFrame:
    return pl.read_parquet(newest(home)[name])


def events_apart(one: Path, other: Path, names: set[str], without: Callable[[pl.DataFrame], pl.DataFrame]) -> set[str]:
    """Those of ``names`` whose tables differ in more than what ``without`` leaves out."""
    return {name for name in names if not without(read(one, name)).equals(without(read(other, name)))}


# ----------------------------------------------------------------------------------------- what is corrected


@dataclass(frozen=True)
class Game:
    """A won game of an event that the third list rated: the report's file, its text and the right one."""

    event_id: str
    path: Path
    round: int
    white: int
    black: int
    right: str


@pytest.fixture(scope="module")
def won(lived: Path, world: Path) -> Game:
    """A game of the third month that White won, and the report in which Black did."""
    month = str(CORRECTED)
    events, games = (
        pl.read_parquet(lived / "published" / month / "r1" / f"{name}.parquet") for name in ("events", "games")
    )
    folder = world / "reports" / month
    digests = {hashlib.sha256(path.read_bytes()).hexdigest(): path for path in sorted(folder.glob("*.trf"))}
    files = pl.DataFrame({"report_sha256": list(digests), "file": [path.name for path in digests.values()]})
    whole = events.filter(status="rated", event_type="swiss", time_control="standard").join(files, on="report_sha256")
    game = (
        games.filter("rated", colour="w", score_halves=2)
        .join(whole.select("event_id", "file"), on="event_id")
        .sort("event_id", "round", "fide_id")
        .row(0, named=True)
    )
    path = folder / game["file"]
    right = _with_the_other_result(
        decode(path.read_bytes()).text, game["round"], {game["fide_id"]: "0", game["opponent_id"]: "1"}
    )
    return Game(game["event_id"], path, game["round"], game["fide_id"], game["opponent_id"], right)


def _with_the_other_result(text: str, number: int, results: dict[int, str]) -> str:
    """The report's text with these results of two players in a round."""
    column = RESULT_COLUMN + 10 * (number - 1)
    lines = text.split("\n")
    places = {int(line[57:68]): at for at, line in enumerate(lines) if line.startswith("001")}
    for player, result in results.items():
        at = places[player]
        assert {result, lines[at][column]} == {"0", "1"}
        lines[at] = lines[at][:column] + result + lines[at][column + 1 :]
    return "\n".join(lines)


@pytest.fixture(scope="module")
def right_from_the_start(world: Path, won: Game, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of an office to which the right report came at once."""
    root = tmp_path_factory.mktemp("right")
    other = Path(shutil.copytree(world, root / "world"))
    (other / won.path.relative_to(world)).write_text(won.right, encoding="utf-8", newline="")
    return live(other, root / "home")


# ----------------------------------------------------------------------------------------- the proofs


def test_a_replaced_report_gives_the_bytes_of_an_office_that_had_it_from_the_start(
    home: Path, lived: Path, won: Game, right_from_the_start: Path
) -> None:
    (home / "better.trf").write_text(won.right, encoding="utf-8", newline="")
    corrected(home, correction("replace_report", f'event_id = "{won.event_id}"', 'file = "better.trf"'))
    assert different(home, right_from_the_start) == set()
    assert files_that_differ(home, right_from_the_start) == set()
    assert len(different(home, lived)) > len(MONTHS)
    assert first_revisions(home) == first_revisions(lived)


def test_a_changed_result_gives_them_too_but_for_the_digest_of_the_report(
    home: Path, lived: Path, won: Game, right_from_the_start: Path
) -> None:
    match = f'event_id = "{won.event_id}", round = {won.round}, white = {won.white}, black = {won.black}'
    corrected(home, correction("change_result", match, 'result = "0-1"'))
    names = different(home, right_from_the_start)
    assert {name.split("/")[1] for name in names} == {"events.parquet"}

    def without(events: pl.DataFrame) -> pl.DataFrame:
        return events.with_columns(pl.when(pl.col("event_id") != won.event_id).then("report_sha256"))

    assert events_apart(home, right_from_the_start, names, without) == set()
    assert first_revisions(home) == first_revisions(lived)


def test_a_withdrawn_event_leaves_nothing_but_its_own_rows(
    home: Path, lived: Path, world: Path, won: Game, tmp_path: Path
) -> None:
    other = Path(shutil.copytree(world, tmp_path / "world"))
    (other / won.path.relative_to(world)).unlink()
    manifest = other / "reports" / str(CORRECTED) / "manifest.csv"
    lines = manifest.read_text(encoding="utf-8").splitlines(keepends=True)
    manifest.write_text("".join(line for line in lines if won.path.name not in line), encoding="utf-8", newline="")
    never = live(other, tmp_path / "never")
    corrected(home, correction("withdraw_event", f'event_id = "{won.event_id}"'))
    names = different(home, never)
    assert {name.split("/")[1] for name in names} <= {"events.parquet", "games.parquet", "unrated.parquet"}
    players = read(lived, f"{CORRECTED}/games.parquet").filter(event_id=won.event_id)

    def without(rows: pl.DataFrame) -> pl.DataFrame:
        if "event_id" in rows.columns:
            return rows.filter(pl.col("event_id") != won.event_id)
        # Who has no rating but in games of this event.
        return rows.join(players, on="fide_id", how="anti")

    assert events_apart(home, never, names, without) == set()
    assert first_revisions(home) == first_revisions(lived)


def _plays_and_has_other_data_later(lived: Path, world: Path) -> tuple[int, str]:
    """Who played in the third month as a junior, and was delivered again later: the FIDE ID and the day of birth."""
    delivered = pl.concat(
        pl.read_csv(world / f"players-{period}.csv", schema_overrides={"birth_date": pl.String}).select(
            "fide_id", "name", "birth_date"
        )
        for period in MONTHS[4:]
    )
    listed = pl.read_csv(world / f"list-{BEFORE}.csv", columns=["fide_id", "name"], infer_schema_length=None)
    games = pl.read_parquet(lived / "published" / str(CORRECTED) / "r1" / "games.parquet")
    played = games.filter(pl.col("rated"), pl.col("k") == 40)
    # With another federation: another name and another birth together would be a question.
    transferred = delivered.join(listed, on=["fide_id", "name"], how="semi").drop("name")
    found = transferred.join(played, on="fide_id", how="semi")
    if found.is_empty():
        found = transferred
    return tuple(found.sort("birth_date", "fide_id", descending=True).row(0))  # type: ignore[return-value]


def test_a_corrected_birth_date_gives_the_bytes_of_an_office_that_knew_it_from_the_start(
    home: Path, lived: Path, world: Path, tmp_path: Path
) -> None:
    player, wrong = _plays_and_has_other_data_later(lived, world)
    other = Path(shutil.copytree(world, tmp_path / "world"))
    for file in sorted(other.glob("*.csv")):
        lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
        of_player = [
            line.replace(f"{wrong},{wrong[:4]}", "1970-01-02,1970").replace(wrong, "1970-01-02") for line in lines
        ]
        lines = [new if line.startswith(f"{player},") else line for line, new in zip(lines, of_player, strict=True)]
        file.write_text("".join(lines), encoding="utf-8", newline="")
    known = live(other, tmp_path / "known")
    corrected(
        home,
        correction("change_data", f"fide_id = {player}", "birth_date = 1970-01-02"),
    )
    assert different(home, known) == set()
    assert files_that_differ(home, known) == set()
    assert different(home, lived) != set()
    assert first_revisions(home) == first_revisions(lived)


def test_two_numbers_merged_and_parted_again_give_the_first_bytes_back(home: Path, lived: Path) -> None:
    games = pl.concat(read(lived, f"{period}/games.parquet").select("event_id", "fide_id") for period in MONTHS)
    busiest = games.group_by("fide_id").len().sort("len", "fide_id", descending=[True, False])["fide_id"].head(200)
    one = int(busiest[0])
    events = games.filter(fide_id=one).select("event_id").unique()
    met = set(games.join(events, on="event_id", how="semi")["fide_id"])
    other = next(player for player in busiest if player not in met)
    says = f'into = {one}\nunlike_person = "one person, by the passport"'
    corrected(home, correction("merge", f"fide_id = {other}", says))
    merged = different(home, lived)
    corrected(home, correction("undo", "correction = 1"))
    assert len(merged) > len(MONTHS)
    assert different(home, lived) == set()
    assert first_revisions(home) == first_revisions(lived)
