"""The names of the players who are on no list: in the published files, in `explain`, and as the office knows them."""

from __future__ import annotations

import csv
import gzip
import io
import shutil
import zipfile
from pathlib import Path

import polars as pl
import pytest

from ratinglist.office import LEAVABLE
from ratinglist.period import Period
from ratinglist.settings import Settings
from ratinglist.tables import LISTS
from ratinglist.workflows import correct, publish, rerate, run
from ratinglist.workflows.explain import explain
from tests import conftest
from tests.command_line import did
from tests.conftest import CORRECTION, SAMPLE, asking_only, delivery_of, office, unpublish

pytestmark = pytest.mark.asks_only()

DECEMBER = Period.parse("2025-12")
REVISION = "2025-12/r1"


def named(revision: Path) -> pl.DataFrame:
    return pl.read_parquet(revision / "unrated.parquet")


def test_explain_names_an_unrated_player_and_an_unrated_opponent(published, last):
    games = pl.read_parquet(published / REVISION / "games.parquet")
    game = games.join(named(published / REVISION), on="fide_id").row(0, named=True)
    own, other = (explain(last, fide_id, DECEMBER).text() for fide_id in (game["fide_id"], game["opponent_id"]))
    assert own.startswith(f"{game['name']} ({game['fide_id']}, {game['federation']}), list of 2025-12")
    assert game["name"] in other


def test_an_office_may_leave_the_names_out(rated: Settings):
    fide_id = named(rated.published / REVISION).item(0, "fide_id")
    unpublish(rated, "2025-12")
    (rated.home / "office.toml").write_text('[fields.without]\nunrated = ["name", "federation"]\n', encoding="utf-8")
    settings = conftest.office(rated.home)
    publish.publish(settings, DECEMBER)
    assert named(settings.published / REVISION).columns == ["fide_id"]
    text = explain(settings, fide_id, DECEMBER).text()
    assert text.startswith(f"Player ({fide_id}), list of 2025-12")
    assert "unrated.name" in text


@pytest.mark.asks_only("nobody_rated")
def test_a_list_of_which_nobody_in_the_events_had_a_rating_says_so(tmp_path: Path):
    home, first = tmp_path / "home", tmp_path / "first.csv"
    heading = "fide_id,name,federation,time_control,rating\n"
    first.write_text(
        f"{heading}1000003,Cole,ORV,standard,2000\n1000001,Adams,ORV,,\n1000002,Brown,ORV,,\n", encoding="utf-8"
    )
    (tmp_path / "events.csv").write_text(
        "event_id,name,start_date,end_date,time_control,received_on\n"
        "ORV1,Orvath Open,2025-10-04,2025-10-05,standard,2025-10-06\n",
        encoding="utf-8",
    )
    games = tmp_path / "games.csv"
    games.write_text(
        "event_id,round,white_id,black_id,white_result,black_result\nORV1,1,1000001,1000002,1,0\n", encoding="utf-8"
    )
    did(home, "import-list", first, "--month", "2025-10")
    says = "no result is rated, because no player of these events had a rating"
    did(home, "load", tmp_path)
    assert says in did(home, "rate", "2025-11")


# ----------------------------------------------------------------------------------------------------- columns left out


OF_PLAYERS = (*LISTS, "unrated", "diff", "both_numbers")


@pytest.fixture(scope="module")
def narrow(awaiting_september: Path, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """An office that publishes no data of players, with a list that was corrected."""
    home = Path(shutil.copytree(awaiting_september, tmp_path_factory.mktemp("narrow") / "home"))
    left_out = ", ".join(f'"{name}"' for name in LEAVABLE["lists"])
    (home / "office.toml").write_text(f"[fields.without]\nlists = [{left_out}]\n", encoding="utf-8")
    settings = office(home)
    file = home.with_suffix(".toml")
    file.write_text(CORRECTION, encoding="utf-8")
    with asking_only():
        run.run(settings, Period.parse("2025-09"), [delivery_of(home.parent, "2025-09", "lakeside-open-a")])
        correct.correct(settings, file)
        months = rerate.rerate(settings, Period.parse("2025-09")).months
    assert [(month.revision, month.moved > 0) for month in months] == [("r2", True)]
    return settings


def names() -> set[str]:
    """The names of the sample's players, as its first list has them."""
    with (SAMPLE / "list-2025-08.csv").open(encoding="utf-8", newline="") as file:
        return {row["name"] for row in csv.DictReader(file)}


def test_no_published_table_has_a_column_left_out(narrow: Settings) -> None:
    tables = [path for path in narrow.published.rglob("*.parquet") if path.stem in OF_PLAYERS]
    assert {path.stem for path in tables} == {"standard", "unrated", "diff", "both_numbers"}
    left_out = set(LEAVABLE["lists"])
    assert [path for path in tables if left_out & {*pl.read_parquet_schema(path)}] == []


def test_no_file_for_readers_has_a_name(narrow: Settings, tmp_path: Path) -> None:
    """Published files, the DIFF.md among them, the site, and every export."""
    out = tmp_path / "out"
    out.mkdir()
    did(narrow.home, "site", "--out", out / "site")
    for file_format in ("fide-txt", "fide-xml", "csv", "xlsx", "parquet", "sqlite", "swiss-manager-csv"):
        did(narrow.home, "export", "2025-09", "--format", file_format, "--out", out)
    (out / "account.html").write_text(did(narrow.home, "explain", "99900046", "2025-09", "--html"), encoding="utf-8")
    files = [path for folder in (out, narrow.published) for path in folder.rglob("*") if path.is_file()]
    assert [path for path in files if any(name in text_of(path) for name in names())] == []


def text_of(path: Path) -> str:
    """The text of a file, of all members of an archive."""
    if path.suffix == ".gz":
        return gzip.decompress(path.read_bytes()).decode()
    if path.suffix != ".xlsx":
        return path.read_bytes().decode("utf-8", errors="replace")
    with zipfile.ZipFile(path) as archive:
        return "".join(archive.read(name).decode("utf-8", errors="replace") for name in archive.namelist())


def test_list_prints_the_columns_that_are_published(narrow: Settings) -> None:
    printed = did(narrow.home, "list", "2025-09")
    published = pl.read_csv(narrow.published / "2025-09" / "r2" / "standard.csv")
    assert pl.read_csv(io.StringIO(printed)).equals(published)


def test_columns_left_out_later_are_left_out_of_the_diff_and_the_flag_does_not_tell_a_sex(
    first_month: Settings, moves_nothing: None, tmp_path: Path
) -> None:
    """The lists before have them: neither is their loss a difference of the players."""
    home = first_month.home
    revisions = first_month.published / "2025-09"
    before = pl.read_parquet(revisions / "r1" / "standard.parquet")
    assert before["flag"].str.contains("w").any()
    (home / "office.toml").write_text('[fields.without]\nlists = ["federation", "sex"]\n', encoding="utf-8")
    correct.type_correction(first_month, CORRECTION)
    did(home, "correct", "player", "99900027", "sex=F", "--because", "passport seen by us", "--by", "Rossi")
    summary = rerate.rerate(office(home), Period.parse("2025-09"))
    after = pl.read_parquet(revisions / "r2" / "standard.parquet")
    assert after.sort("fide_id")["flag"].equals(before.sort("fide_id")["flag"].str.replace("w", ""))
    # Whose sex alone was corrected is no difference, as readers see it.
    diff = pl.read_parquet(revisions / "r2" / "diff.parquet")
    assert (len(diff), "federation" in diff.columns, diff["cause"].unique().to_list()) == (2, False, ["game"])
    assert summary.months[0].moved == len(diff)
    assert did(home, "list", "2025-09") == (revisions / "r2" / "standard.csv").read_text(encoding="utf-8")
    did(home, "export", "2025-09", "--format", "csv", "--out", tmp_path / "list.csv")
    did(home, "reconcile", "2025-09", tmp_path / "list.csv")
    did(home, "verify", first_month.published)
    did(home, "reproduce", revisions / "r2", "--inputs", SAMPLE)
