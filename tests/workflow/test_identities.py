"""Candidates for one person or a wrong FIDE ID: the points of each clue, and no birth date in the result."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from anyascii import anyascii

from ratinglist.names.alike import UNLIKE_LINE, unlike_lines
from ratinglist.period import Period
from ratinglist.settings import Settings
from ratinglist.store.database import Store
from ratinglist.workflows import find, import_files, load
from ratinglist.workflows.find import CANDIDATE
from tests import conftest, trf_text
from tests.command_line import did, stopped
from tests.conftest import office
from tests.stores import open_store
from tests.workflow.test_rerate import correct, correction

pytestmark = pytest.mark.asks_only()

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


# -------------------------------------------------------------------------------------------------- duplicates

ANNA = (101, "Kestrel, Anna", "NOR", "F", "1990-05-03")
ALIKE: list[tuple[str, tuple[Any, ...], int, str]] = [
    ("Kestrel", ("Kestrel, Anna", "NOR", "F", "1990-05-03"), 100, "same name (+55); born on the same day (+30)"),
    ("Bramble", ("BRAMBLE Anna", "NOR", "F", 1990), 85, "in another order or spelling (+50); born in the same year"),
    ("Corbett", ("Anna Corbett", "NOR", "F", 1990), 85, "same name in another order or spelling (+50)"),
    ("Dorwick", ("Dorwick, A.", "NOR", "F", 1990), 75, "one given name is an initial of the other (+40)"),
    ("Fendall", ("Fendal, Anna", "NOR", "F", 1990), 85, "same name in another order or spelling"),
    ("Gosling", ("Gasling, Anna", "NOR", "F", 1990), 80, "similar names, 91 in 100 (+45)"),
    ("Hawthor", ("Hawthor, Anna", "SWE", "F", 1990), 75, "federations NOR and SWE (-5)"),
    ("Ibsened", ("Ibsened, Anna", "NOR", "M", 1990), 60, "different sexes (-25)"),
    ("Jupiter", ("Jupiter, Anna", "", "", 1990), 75, "born in the same year (+20)"),
    ("Lindqvi", ("Lindqvi, Anna", "NOR", "F", None), 70, "a year of birth is not known (0)"),
    ("Montrey", ("Montrey, Anna", "NOR", "F", 1909), 60, "born in 1990 and 1909, a typing error (-10)"),
    ("Norwood", ("Norwood, Anna", "NOR", "F", 1991), 60, "a typing error (-10)"),
    ("Oakhurs", ("Oakhurs, Anna", "NOR", "F", "1974-05-03"), 80, "born on the same day of another year (+10)"),
    ("Pescado", ("Pescado, Anna", "NOR", "F", "1990-11-30"), 45, "born in the same year, on different days (-25)"),
    ("Ruskinx", ("Ruskinx, Anna", "NOR", "F", 1974), 25, "born in 1990 and 1974 (-45)"),
]
"""The surname of an Anna, another player, and what is said of the two."""
UNLIKE: list[tuple[Any, ...]] = [
    ("Lindt, Sam", "NOR", "F", "1990-05-03"),
    ("Kestrel, Bert", "NOR", "M", 1990),
    ("Kastrel, Bert", "NOR", "F", "1990-05-03"),
]
"""Players with other names than the first Anna."""


def test_two_players_with_names_alike_may_be_one(tmp_path: Path) -> None:
    annas = [(number, f"{surname}, Anna", *ANNA[2:]) for number, (surname, *_) in enumerate(ALIKE, start=101)]
    others = [(number, *player) for number, (_surname, player, *_) in enumerate(ALIKE, start=201)]
    unlike = [(number, *player) for number, player in enumerate(UNLIKE, start=301)]
    settings = registered(tmp_path, *annas, *others, *unlike)
    pairs = {(row["fide_id"], row["other_id"]): row for row in proposed(settings)}
    for number, (surname, _player, score, evidence) in enumerate(ALIKE, start=101):
        pair = pairs[number, number + 100]
        assert (pair["kind"], pair["score"], evidence in pair["evidence"]) == ("duplicate", score, True), surname
    assert [pair for pair in pairs if pair[0] == ANNA[0] and pair[1] > 300] == []


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
    rows = find.propose(settings, 0)
    (candidate,) = rows.to_dicts()
    assert (
        candidate.items()
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
        assert clue in candidate["evidence"]
    assert dict(rows.schema) == dict(CANDIDATE.schema)
    assert not any(dtype == pl.Date for dtype in rows.dtypes)
    assert re.findall(r"\d{4}[-/.]\d\d|02-11|11\.02", rows.write_csv() + find.candidates_text(rows, 0)) == []


# ------------------------------------------------------------------------------------------------------ promises


def test_a_pair_that_a_correction_has_settled_is_not_proposed(tmp_path: Path) -> None:
    settings = registered(tmp_path, ANNA, (110, "Lindt, Sam", "NOR", "M", 1980), (202, *ANNA[1:]))
    # Sam's line has Anna's second FIDE ID.
    load.load(settings, [report(tmp_path, "Open", "2025-10-01", ANNA, (202, "Lindt, Sam", "NOR", "M", 1980))])
    assert {
        (candidate["kind"], candidate["fide_id"], candidate["other_id"]) for candidate in proposed(settings, 70)
    } == {("wrong_id", 202, 110)}
    with open_store(settings.store) as store:
        event = store.read("select event_id from report").item()
    correct(settings, correction("change_player", f'event_id = "{event}", fide_id = 202', "fide_id = 110"))
    assert [(candidate["kind"], candidate["fide_id"]) for candidate in proposed(settings, 70)] == [("duplicate", 101)]
    correct(settings, correction("merge", "fide_id = 202", "into = 101"))
    assert proposed(settings) == []


@pytest.mark.parametrize(("ratings", "counts"), [("1500,", 1500), (",1500", 1500), ("1500,1600", 1600)])
def test_of_two_fide_ids_of_one_list_the_one_with_a_rating_counts_else_that_of_now(
    ratings: str, counts: int, tmp_path: Path
) -> None:
    settings = office(tmp_path / "home")
    players = [
        f'{number},"Kestrel, Anna",NOR,{rating},0'
        for number, rating in zip((202, 101), ratings.split(","), strict=True)
    ]
    file = tmp_path / "list.csv"
    file.write_text("\n".join(["fide_id,name,federation,rating,games_played", *players, ""]), encoding="utf-8")
    import_files.import_list(settings, file, Period.parse("2025-09"), "standard")
    correct(settings, correction("merge", "fide_id = 202", "into = 101"))
    with open_store(settings.store) as store:
        assert store.rows("select fide_id, rating from list_to_stand_on") == [(101, counts)]


def test_the_sample_federation_has_no_candidate(last: Settings) -> None:
    assert proposed(last, find.MIN_SCORE) == []


def test_the_command_shows_candidates(tmp_path: Path) -> None:
    home = registered(tmp_path, ANNA, (202, "KESTREL Anna", "NOR", "F", 1990)).home
    assert " 85  duplicate  101 Kestrel, Anna (NOR, 1990)" in did(home, "identities")
    assert "write a number from 0 to 100" in stopped(home, 2, "identities", "--min-score", "101")


# ----------------------------------------------------------------------------------------------------- names of reports


_GERMAN = {"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"}


def _in_other_letters(name: str) -> str:
    for letter, written in _GERMAN.items():
        name = name.replace(letter, written).replace(letter.upper(), written.title())
    return anyascii(name)


WRITTEN: dict[str, Callable[[str], str]] = {
    "as registered": lambda name: name,
    "capitals without accents": lambda name: anyascii(name).upper(),
    "two letters for one": _in_other_letters,
}
"""Ways in which reports write one person's name."""


RENAMED = 900000002
"""The player who has another surname now than in the reports."""


@dataclass(frozen=True)
class Reports:
    """The lines with FIDE IDs of all accepted reports of an office."""

    store: Store
    lines: pl.DataFrame

    def unlike(self, lines: pl.DataFrame) -> pl.DataFrame:
        """What is found where the reports have these lines."""
        with self.store.with_frames(changed_lines=lines):
            self.store.execute(
                "create or replace temp view current_report_player as select * exclude (report_id) from changed_lines"
            )
            return unlike_lines(self.store, self.lines["report_id"].unique())


@pytest.fixture(scope="module")
def reports(_rated_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reports]:
    copy = Path(shutil.copytree(_rated_home, tmp_path_factory.mktemp("names") / "home"))
    with open_store(copy / "ratinglist.duckdb") as store:
        lines = store.read(
            "select report_id, player.* from current_report_player as player "
            "join current_report as report using (report_no) "
            "where player.fide_id not in ($renamed) and report.accepted order by report_id, line",
            renamed=RENAMED,
        )
        assert len(lines) > 400
        yield Reports(store, lines)


@pytest.mark.parametrize("written", WRITTEN)
def test_one_persons_name_is_alike_however_it_is_written(written: str, reports: Reports) -> None:
    names = pl.Series("name", [WRITTEN[written](name) for name in reports.lines["name"]])
    assert reports.unlike(reports.lines.with_columns(names)).rows() == []


def test_two_players_of_a_report_whose_fide_ids_are_exchanged_are_found(reports: Reports) -> None:
    lines = reports.lines.with_columns(other=pl.col("fide_id").shift(-1).over("report_id"))
    number = pl.int_range(pl.len()).over("report_id")
    for first in (0, 6):
        # One pair of neighbours of each report, another one each time.
        exchanged = lines.with_columns(
            fide_id=pl.when(number == first)
            .then(pl.coalesce("other", "fide_id"))
            .when(number == first + 1)
            .then(pl.col("fide_id").shift(1).over("report_id"))
            .otherwise("fide_id")
        )
        moved = exchanged.filter(pl.col("fide_id") != lines["fide_id"])
        unlike_rows = reports.unlike(exchanged.drop("other"))
        assert unlike_rows.height == moved.height > 20
        columns = ("line", "fide_id", "name")
        assert sorted(unlike_rows.select(columns).rows()) == sorted(moved.select(columns).rows())
        # Of a name with unreadable letters it is not said whose it is.
        owners = dict(lines.select("name", "fide_id").iter_rows())
        readable = unlike_rows.filter(~pl.col("name").str.contains("?", literal=True))
        assert all(row["fits"] == owners[row["name"]] for row in readable.to_dicts())


@pytest.mark.parametrize(
    ("own", "own_year", "name", "year", "is_unlike"),
    [
        ("Berg, Anna", 1990, "Lind, Anna", 1990, False),
        ("Berg, Anna", 1990, "Lind, Anna", 1971, True),
        ("Berg, Anna", 1990, "Berg, Otto", 1971, True),
        ("Berg, Anna", 1990, "Berg, Anna", 1971, False),
        ("Berg, Anna", None, "Berg, Annie", 1971, False),
        ("Berg, Anna", 1990, "Lindqvist, Otto", 1990, True),
        ("Cormican, Fiona", 1990, "Cormican, John", 1971, True),
        ("Пешкаев, Остап", 1990, "Peshkaev, Ostap", 1990, False),
        ("Gyűrűvári, Ondřej", 1990, "Gy?r?vári, Ond?ej", 1990, False),
        ("Gyűrűvári, Ondřej", 1990, "?ask?vári, Ond?ej", 1971, True),
        ("Smith, Michael", 1990, "Smith, Mike", 1990, False),
    ],
)
def test_a_name_and_a_year_of_birth_together_tell_two_people_apart(
    own: str, own_year: int | None, name: str, year: int, is_unlike: bool, reports: Reports
) -> None:
    line = reports.lines.head(1).with_columns(name=pl.lit(name), birth_year=pl.lit(year, pl.Int32), birth_date=None)
    data = "$own as name, $year::integer as birth_year, null::date as birth_date"
    known = f"select {line['fide_id'].item()} as fide_id, {data}"
    # The view is made when it is first named: not within what is rolled back.
    reports.store.rows("select 1 from player_now limit 1")
    reports.store.execute("begin transaction")
    reports.store.execute(f"create or replace temp table one_player as {known}", own=own, year=own_year)
    reports.store.execute("create or replace temp view player_now as select * from one_player")
    unlike_rows = reports.unlike(line.cast({"birth_date": pl.Date}))
    reports.store.execute("rollback")
    assert (unlike_rows.height == 1) == is_unlike
    assert unlike_rows.columns == list(UNLIKE_LINE.columns)


def test_a_line_without_a_name_has_nothing_to_compare(reports: Reports) -> None:
    assert reports.unlike(reports.lines.with_columns(name=pl.lit(""))).is_empty()


def test_the_name_of_an_id_that_was_merged_is_the_persons_own(reports: Reports) -> None:
    """A player with another name and year of birth under the FIDE ID that was merged, spelled in another way."""
    line = reports.lines.head(1)
    old = reports.store.read(
        "select fide_id, name from player_now where fide_id not in ($line) and birth_date is not null limit 1",
        line=line["fide_id"].item(),
    )
    no_birth = {"birth_date": pl.lit(None, pl.Date), "birth_year": pl.lit(None, pl.Int32)}
    named = line.with_columns(name=pl.lit(anyascii(old["name"].item()).upper()), **no_birth)
    assert len(reports.unlike(named)) == 1
    with reports.store.with_frames(current_identity=old.select("fide_id", now_id=line["fide_id"])):
        assert reports.unlike(named).rows() == []
        assert len(reports.unlike(named.with_columns(name=pl.lit("Zzyzx, Quirin")))) == 1
    reports.store.refresh()


# ---------------------------------------------------------------------------------------------------- mistyped FIDE IDs


MISTYPED = 900991
REGISTERED = {
    900001: ("Alder, Jon", "ITA", 1990),
    900002: ("Birch, Kay", "ITA", 1990),
    900003: ("Cedar, Lou", "ITA", 1990),
    900005: ("Thorbjörnsson, Egill", "ISL", 1961),
    900006: ("Dogwood, May", "ITA", 1985),
    900007: ("Dogwood, Mary", "FRA", 1985),
}


@pytest.fixture(scope="module")
def with_a_list(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of an office with the registered players on its list; look, do not touch."""
    folder = tmp_path_factory.mktemp("mistyped")
    rows = [f'{number},"{name}",{where},m,{born},standard,1800' for number, (name, where, born) in REGISTERED.items()]
    columns = "fide_id,name,federation,sex,birth_year,time_control,rating"
    (folder / "list.csv").write_text("\n".join([columns, *rows, ""]), encoding="utf-8")
    import_files.import_list(conftest.office(folder / "home"), folder / "list.csv", Period.parse("2024-04"))
    return folder / "home"


LIKELY = {
    "Thorbjornsson, Egill": [900005],
    "Egill Thorbjörnsson": [900005],
    "DOGWOOD, MAY": [900006, 900007],
    "Dogwod, Mary": [900007, 900006],
    "Догвуд, Мэй": [900006],
    **{name: [] for name in ("Novak, Petra", "Thorsen, Emil", "D")},
}
"""The players whom a name under a mistyped FIDE ID may mean."""


def test_a_registered_player_with_such_a_name_is_the_first_remedy_or_else_to_register(
    with_a_list: Path, tmp_path: Path
) -> None:
    for number, name in enumerate(LIKELY):
        lines = [*trf_text.players()[:3], trf_text.player(4, name, trf_text.CELLS[3], fide_id=MISTYPED)]
        (tmp_path / f"{number}.trf").write_text(trf_text.report(lines), encoding="utf-8")
    refused = load.load(conftest.copied(with_a_list, tmp_path), sorted(tmp_path.glob("*.trf"))).refused
    assert [(row["reason"], row["value"]) for row in refused] == [("unknown_player", str(MISTYPED))] * len(LIKELY)
    for row, likely in zip(sorted(refused, key=lambda row: str(row["file"])), LIKELY.values(), strict=True):
        first = f"if the player is {likely[0]} {REGISTERED[likely[0]][0]} (" if likely else "register the player"
        assert str(row["remedy"]).startswith(first)
        rest = [part.partition(" ") for part in str(row["remedy"]).split(f"{MISTYPED}=")[1:]]
        assert [int(fide_id) for fide_id, _, _ in rest] == likely
        assert all(words.startswith('--because "..." --by NAME; ') for _, _, words in rest)
