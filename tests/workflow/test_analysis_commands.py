"""`ratinglist expected`, `performance`, `standings` and `statistics`, on the sample federation."""

from __future__ import annotations

import csv
import json
import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from ratinglist.errors import CommandLineError, NothingReadError
from ratinglist.period import Period
from ratinglist.publication import published_files
from ratinglist.settings import Settings
from ratinglist.workflows.opening import open_to_read
from ratinglist_lab.formulas import of_player
from ratinglist_lab.standings import standings
from ratinglist_lab.statistics import TABLES, statistics
from tests.command_line import did, entered
from tests.conftest import MONTHS, ROOT, published_bytes

THORBJORNSSON = 99900046
DECEMBER = Period.parse("2025-12")


@pytest.fixture(scope="module")
def written(last: Settings, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The statistics of the newest list; look, do not touch."""
    folder = tmp_path_factory.mktemp("analysis") / "december"
    statistics(last, DECEMBER, out=folder)
    return folder


# ------------------------------------------------------------------------------------------------- performance


def test_the_performance_of_a_player_is_that_of_the_published_games(last: Settings, published: Path) -> None:
    performance = of_player(last, THORBJORNSSON, Period.parse("2025-11")).values["performances"].row(0, named=True)
    games = pl.read_parquet(published / "2025-11" / "r1" / "games.parquet").filter(fide_id=THORBJORNSSON)
    assert games.height > games["rated"].sum() > 0  # one was too fast to be rated
    assert performance["games"] == games.height
    assert performance["opponent_rating_sum"] == games["opponent_rating"].sum()
    assert performance["score_halves"] == games["score_halves"].sum()


def test_the_performance_in_an_event_is_found_in_the_list_that_considered_it(last: Settings, published: Path) -> None:
    games = pl.read_parquet(published / "2025-09" / "r1" / "games.parquet")
    unrated = games.filter(pl.col("opponent_rating").is_null(), pl.col("rating").is_not_null())
    fide_id, event_id = unrated.select("fide_id", "event_id").row(0)
    figures = of_player(last, fide_id, event_id=event_id).values
    of_event = games.filter(fide_id=fide_id, event_id=event_id)["opponent_rating"]
    assert "list of 2025-09" in figures["source"]
    assert sum(figures["games_without_opponent_rating"].values()) == of_event.null_count() > 0
    assert figures["performances"]["games"][0] == of_event.count()


def test_an_unrated_player_needs_a_rating_to_choose_opponents_by(last: Settings, published: Path) -> None:
    games = pl.read_parquet(published / "2025-12" / "r1" / "games.parquet").filter(~pl.col("rated"))
    unrated = games.filter(pl.col("rating").is_null(), pl.col("opponent_rating").is_not_null())
    fide_id, event_id = unrated.select("fide_id", "event_id").row(0)
    with pytest.raises(CommandLineError, match="give one with --own"):
        of_player(last, fide_id, event_id=event_id, opponents="clamped")
    answer = of_player(last, fide_id, event_id=event_id, opponents="clamped", own=1500)
    assert answer.values["performances"]["games"][0] > 0
    # Games of an event that is not rated have no ratings.
    fide_id, event_id = games.filter(reason="third_list_limit").select("fide_id", "event_id").row(0)
    late = of_player(last, fide_id, event_id=event_id).values
    assert late["performances"]["reason"].unique().to_list() == ["no_game"]


# --------------------------------------------------------------------------------------------------- standings


def test_the_points_are_those_that_the_arbiters_report(last: Settings) -> None:
    with open_to_read(last) as store:
        reported = store.read(
            """
            with most_byes as (
                select report_no, event_id, forfeits, byes from report
                where accepted and event_id in (select event_id from report group by event_id having count(*) = 1)
                order by least(forfeits, 2) + least(byes, 4) desc, event_id limit 3
            )
            select event_id, forfeits, byes, report_player.fide_id, points_tenths
            from report_player join most_byes using (report_no) order by event_id
            """
        )
    assert reported["forfeits"].min() > 0
    assert reported["byes"].min() > 0
    for (event_id,), rows in reported.group_by("event_id", maintain_order=True):
        ranked = standings(last, str(event_id)).values["players"]
        both = rows.join(ranked, on="fide_id")
        assert both.height == rows.height == ranked.height, event_id
        assert both.filter(pl.col("points_tenths") != 5 * pl.col("score_halves")).is_empty(), event_id


def test_a_round_robin_is_in_the_order_of_sonneborn_berger(last: Settings) -> None:
    assert standings(last, "ORV250800002").values["tie_break"] == "sonneborn_berger"
    by_buchholz = did(last.home, "standings", "ORV250800002", "--order", "buchholz", "--json")
    assert json.loads(by_buchholz)["tie_break"] == "buchholz"


def test_a_player_without_games_and_an_event_without_a_report_are_named(last: Settings) -> None:
    with pytest.raises(NothingReadError, match="Player 1 has no played game in the event 'X'"):
        of_player(last, 1, event_id="X")
    with pytest.raises(NothingReadError, match="No report of an event 'X' was received"):
        standings(last, "X")


# -------------------------------------------------------------------------------------------------- statistics


def table(folder: Path, name: str) -> pl.DataFrame:
    return pl.read_parquet(folder / f"{name}.parquet")


def test_the_flow_leads_from_one_published_list_to_the_next(published: Path, written: Path) -> None:
    flow = table(written, "flow")
    before, after = (
        pl.read_parquet(published / month / "r1" / "standard.parquet")["rating"].sum() for month in MONTHS[-2:]
    )
    points = dict(flow.filter(time_control="standard").select("part", "points").iter_rows())
    assert (points["before"], points["after"]) == (before, after)
    gained = points["games"] + points["other_changes"] + points["entering"] - points["leaving"]
    assert before + gained == after
    assert points["games"] != 0


def test_every_table_has_its_schema_and_the_same_bytes_again(last: Settings, written: Path, tmp_path: Path) -> None:
    statistics(last, DECEMBER, out=tmp_path / "again")
    files = {path.name: path.read_bytes() for path in written.iterdir()}
    assert files == {path.name: path.read_bytes() for path in (tmp_path / "again").iterdir()}
    assert files.keys() == {*(f"{table.name}.parquet" for table in TABLES), "statistics.html"}
    for schema in TABLES:
        name = schema.name
        assert table(written, name).schema == schema.schema
        assert not table(written, name).select(schema.key).is_duplicated().any()
        nullable = {column for column, definition in schema.columns.items() if definition.null} | {"band"}
        assert table(written, name).drop(nullable & {*schema.columns}).null_count().sum_horizontal().sum() == 0


def test_a_list_is_compared_with_a_reference_list(last: Settings, published: Path, tmp_path: Path) -> None:
    ours = pl.read_parquet(published / "2025-12" / "r1" / "standard.parquet")
    theirs = ours.head(50).with_columns(pl.col("rating") - 30, pl.lit("standard").alias("time_control"))
    theirs.select("fide_id", "name", "federation", "rating", "time_control").write_csv(tmp_path / "national.csv")
    reference, october = tmp_path / "national.csv", Period.parse("2025-10")
    tables = statistics(last, DECEMBER, first=october, reference=reference, out=tmp_path / "out").values
    assert tables["inflation"].filter(time_control="standard")["list_month"].to_list() == list(MONTHS[1:])
    assert (
        tables["reference"].row(0, named=True).items()
        >= {
            "band": None,
            "players": 50,
            "mean_difference_hundredths": 3000,
            "slope_ten_thousandths": 10_000,
            "intercept_hundredths": 3000,
            "reverse_slope_ten_thousandths": 10_000,
            "reverse_intercept_hundredths": -3000,
        }.items()
    )
    page = (tmp_path / "out" / "statistics.html").read_text("utf-8")
    assert "own rating = 1.0000 × reference rating + 30.00" in page
    assert tables["groups"].filter(grouping="with_reference", time_control="standard")["players"].to_list() == [50]


@pytest.mark.parametrize(
    "words", [(), ("2025-12", "--pool", "1 1500 0"), ("--pool", "335 2162"), ("--pool", "0 1500 0")]
)
def test_groups_that_are_no_groups_are_refused(words: tuple[str, ...]) -> None:
    assert entered("ratinglist", "statistics", *words).returncode == 2


def test_a_copy_of_what_is_published_is_enough(
    last: Settings, written: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder with the copy is named by a dot too, where one types in it."""
    shutil.copytree(last.published, tmp_path / "copy" / "published")
    monkeypatch.chdir(tmp_path / "copy")
    of_copy = statistics(Settings.read("."), DECEMBER, out=tmp_path / "out")
    assert of_copy.values["groups"].equals(table(written, "groups"))
    assert of_copy.values["flow"].equals(table(written, "flow"))
    with pytest.raises(NothingReadError, match="--by category needs the home"):
        statistics(Settings.read("."), DECEMBER, by="category", out=tmp_path / "out")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CommandLineError, match="which is no home: name a directory"):
        Settings.read(".")


def test_nothing_is_shown_by_what_the_office_leaves_out(
    rated: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The files are made as if they had been published so.
    monkeypatch.setattr(published_files, "disagreements", lambda *_: [])
    folder = rated.published / "2025-12" / "r1"
    path = folder / "standard.parquet"
    rows = pl.read_parquet(path).drop("birth_year")
    path.chmod(0o600)
    rows.write_parquet(path)
    summary = statistics(rated, DECEMBER, out=tmp_path / "out")
    assert summary.values["birth_years"].filter(time_control="standard").is_empty()
    assert summary.values["groups"].filter(time_control="standard", grouping="all")["players"].to_list() == [
        rows.height
    ]


@pytest.mark.parametrize(
    ("out", "options", "error", "says"),
    [
        ("home", {}, CommandLineError, "in the home of an office"),
        ("none/out", {}, CommandLineError, "is not a folder: make it"),
        ("out", {"against": DECEMBER}, CommandLineError, "name a list before 2025-12"),
        ("out", {"against": DECEMBER - 11}, NothingReadError, "There is no standard list of 2025-01"),
        ("out", {"period": DECEMBER + 1}, NothingReadError, "is not published"),
    ],
)
def test_nothing_is_written_into_a_home_or_for_a_list_that_is_not_there(
    last: Settings, tmp_path: Path, out: str, options: dict[str, Period], error: type[Exception], says: str
) -> None:
    before = published_bytes(last.home)
    with pytest.raises(error, match=says):
        statistics(last, out=last.home if out == "home" else tmp_path / out, **{"period": DECEMBER, **options})
    assert not (tmp_path / "out").exists()
    assert published_bytes(last.home) == before


# ------------------------------------------------------------------------------------------------------------- formulas


def shown(*words: str) -> Any:
    answer = entered("ratinglist", *words, "--json")
    assert answer.returncode == 0, answer.stderr
    return json.loads(answer.stdout)


def facts(*words: str) -> dict[str, float]:
    figures: dict[str, float] = shown("update", *words)["facts"]
    return figures


def test_the_parts_of_an_update_that_no_example_of_the_literature_has():
    limits = facts("1500", "--against", "1500 " * 25, "--score", "9", "--k", "30")
    assert (limits["least_k_of_a_first_period"], limits["largest_k_of_a_first_period"]) == (16, 32)
    many = shown("update", "1500", "--against", "1500 " * 9, "--score", "2", "--n0", "25", "--events", "4")["weights"]
    assert many["one period"] == pytest.approx([0, 0.25, 0.25, 0.25, 0.25])
    assert shown("update", "--age", "40", "--against", "600", "--score", "1")["rating"] == 1300
    provisional = ("--score", "1", "--k", "20", "--opponent-games", "5", "--opponent-k", "40")
    assert shown("update", "1500", "--against", "1500", *provisional)["k_against_provisional"]["ratio"] == 10


def test_draw_numbers_and_the_first_round():
    draw = shown("rounds", "20")
    numbers, pairs = draw["draw_numbers"], [tuple(pair) for pair in draw["first_round"]]
    # The strongest has Black against the eleventh, and the second meets the twelfth.
    assert (numbers[10], numbers[0]) in pairs
    assert (numbers[11], numbers[1]) in pairs
    odd = shown("rounds", "9")
    assert (odd["draw_numbers"][:5], odd["first_round"][-1]) == ([2, 4, 6, 8, 1], [9, 10])


RATED = {"1": 1872, "2": 1600, "3": 1500, "4": 1467, "5": 1440}
GAMES = """
1 1 5  2 1 6  3 1 7  4 1 8  9 1 10
1 1 4  2 0 3  5 1 7  6 0 9  8 1 10
1 1 9  2 1 5  3 1 4  6 1 8  7 1 10
1 1 3  2 1 9  4 1 5  6 1 10  7 1 8
1 ½ 2  3 1 8  4 0 6  5 1 10  7 0 9
"""
"""The games of ten players, of whom five have a rating: White, White's score and Black."""


def games_of_table_3(folder: Path) -> Path:
    """The event of ten players as a file of games, each game once."""
    file = folder / "games.csv"
    games = re.findall(r"(\d+) ([01½]) (\d+)", GAMES)
    lines = [
        f"P{player},{RATED.get(player, '')},P{other},{RATED.get(other, '')},{score}" for player, score, other in games
    ]
    file.write_text("\n".join(["player,rating,opponent,opponent_rating,score", *lines, ""]), "utf-8")
    return file


def test_players_without_a_rating_by_iterated_performances(tmp_path: Path):
    file = games_of_table_3(tmp_path)
    rounds = shown("performance", "--iterate", str(file), "--rounds", "4")["rounds"]
    assert [[ratings[f"P{number}"] for number in range(6, 11)] for ratings in rounds] == [
        [1473, 1288, 1133, 1554, 928],
        [1416, 1231, 1091, 1512, 978],
        [1410, 1224, 1078, 1499, 938],
        [1396, 1211, 1068, 1489, 930],
    ]
    exact = shown("performance", "--iterate", str(file), "--rounds", "2", "--exact")["rounds"]
    assert exact[1]["P6"] == pytest.approx(1416, abs=1)
    text = entered("ratinglist", "performance", "--iterate", str(file), "--rounds", "1").stdout
    names, *_, values = (line.split() for line in text.splitlines()[-3:])
    assert dict(zip(names, values, strict=True))["P9"] == "1554"


HEAD = b"player,rating,opponent,opponent_rating,score\n"


@pytest.mark.parametrize(
    ("content", "code", "named"),
    [
        (b"player,score\n", 2, "line 1"),
        (HEAD + b"A,,B,1500\n", 2, "line 2"),
        (HEAD + b"A,,A,,1\n", 2, "line 2"),
        (HEAD + b"A,,B,15OO,1\n", 2, "line 2"),
        (HEAD + b"A,,B,1500,2\n", 2, "line 2"),
        (HEAD + b"A,,B,1500,1\nB,1400,C,,1\n", 2, "line 3"),
        (None, 3, "games.csv"),
        (b"\xff\xfe", 3, "UTF-8"),
        (HEAD + b"A,1500,B,1500,1\n", 3, "games.csv"),
    ],
)
def test_a_file_of_games_that_cannot_be_used_is_refused_by_line(
    content: bytes | None, code: int, named: str, tmp_path: Path
):
    file = tmp_path / "games.csv"
    if content is not None:
        file.write_bytes(content)
    answer = entered("ratinglist", "performance", "--iterate", str(file))
    assert (answer.returncode, named in answer.stderr) == (code, True)


@pytest.mark.parametrize(
    "words",
    [
        ("update", "--against", "1500", "--score", "1"),
        ("update", "1500", "--against", "1500", "--score", "1", "--k", "20", "--n0", "40"),
        ("update", "1500", "--against", "1500", "--score", "1", "--opponent-k", "40"),
        ("update", "1500", "--mutual", "1500", "--score", "1"),
        ("update", "1600", "--mutual", "1500", "--games", "25", "--score", "12", "--n0", "25"),
        ("update", "1600", "--mutual", "1500", "--games", "10", "--score", "10", "--n0", "25"),
        ("update", "1500", "--against", "1500"),
        ("update", "1500", "--against", "1500", "--results", "1 1"),
        ("update", "1500", "--against", "1500", "--score", "2"),
        ("expected", "1500"),
        ("expected", "1500", "1600", "--compose", ".5", ".6"),
        ("expected", "1500", "1600", "--ingo", "--single-update", "80", "80"),
        ("performance",),
        ("performance", "--against", "1500", "--score", "1", "--start", "1200"),
        ("performance", "--against", "1500 x", "--score", "1"),
        ("performance", "--against", "", "--score", "0"),
        ("performance", "--against", "1500", "--score", "1.3"),
        ("performance", "--against", "1500", "--results", "2"),
        ("performance", "--against", "1500", "--score", "1", "--opponents", "clamped"),
        ("performance", "--against", "1500", "--score", "1", "--opponents", "compatible", "--own", "1500"),
        ("performance", "1500", "--iterate", "games.csv"),
        ("performance", "99900046", "--against", "1500", "--score", "1"),
        ("performance", "99900046", "--score", "1"),
    ],
)
def test_what_contradicts_itself_is_refused(words: tuple[str, ...]):
    answer = entered("ratinglist", *words)
    assert (answer.returncode, answer.stderr.count("Traceback")) == (2, 0), answer.stderr


# ------------------------------------------------------------------------------------------------------- the literature


with (ROOT / "tests" / "worked_examples.csv").open(encoding="utf-8", newline="") as file:
    EXAMPLES = list(csv.DictReader(file))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["example"])
def test_a_command_prints_the_figures(example: dict[str, str]) -> None:
    text = entered(*shlex.split(example["command"])).stdout
    for figure in example["prints"].split(", "):
        assert re.search(rf"(?<![\d.]){re.escape(figure)}(?!\d)", text), figure
