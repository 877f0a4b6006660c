"""Names of reports compared with the register: how one name is written, and whose name it is not."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pytest
from anyascii import anyascii

from ratinglist.names.unlike_names import UNLIKE_LINE, unlike_lines
from ratinglist.period import Period
from ratinglist.store.database import Store
from ratinglist.workflows import import_files, load
from tests import conftest, trf_text
from tests.stores import open_store

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
        with self.store.seeing(changed_lines=lines):
            self.store.execute(
                "create or replace temp view current_report_player as select * exclude (report_id) from changed_lines"
            )
            return unlike_lines(self.store, self.lines["report_id"].unique())


@pytest.fixture(scope="module")
def reports(_rated_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reports]:
    copy = tmp_path_factory.mktemp("names") / "home"
    shutil.copytree(_rated_home, copy)
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
    for first in range(8):
        # One pair of neighbours of each report, another one each time.
        exchanged = lines.with_columns(
            fide_id=pl.when(number == first)
            .then(pl.coalesce("other", "fide_id"))
            .when(number == first + 1)
            .then(pl.col("fide_id").shift(1).over("report_id"))
            .otherwise("fide_id")
        )
        moved = exchanged.filter(pl.col("fide_id") != lines["fide_id"])
        found = reports.unlike(exchanged.drop("other"))
        assert found.height == moved.height > 20
        columns = ("line", "fide_id", "name")
        assert sorted(found.select(columns).rows()) == sorted(moved.select(columns).rows())
        # Of a name with unreadable letters it is not said whose it is.
        owners = dict(lines.select("name", "fide_id").iter_rows())
        readable = found.filter(~pl.col("name").str.contains("?", literal=True))
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
    reports.store.execute("begin transaction")
    reports.store.execute(f"create or replace temp table one_player as {known}", own=own, year=own_year)
    reports.store.rows("select 1 from player_now limit 1")
    reports.store.execute("create or replace temp view player_now as select * from one_player")
    found = reports.unlike(line.cast({"birth_date": pl.Date}))
    reports.store.execute("rollback")
    assert (found.height == 1) == is_unlike
    assert found.columns == list(UNLIKE_LINE.columns)


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
    with reports.store.seeing(current_identity=old.select("fide_id", now_id=line["fide_id"])):
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


def remedy(folder: Path, name: str) -> str:
    """What is to be done about a report whose fourth player has a mistyped FIDE ID and this name."""
    settings = conftest.office(folder / "home")
    rows = [f'{number},"{name}",{where},m,{born},standard,1800' for number, (name, where, born) in REGISTERED.items()]
    columns = "fide_id,name,federation,sex,birth_year,time_control,rating"
    (folder / "list.csv").write_text("\n".join([columns, *rows, ""]), encoding="utf-8")
    import_files.import_list(settings, folder / "list.csv", Period.parse("2024-04"))
    lines = [*trf_text.players()[:3], trf_text.player(4, name, trf_text.CELLS[3], fide_id=MISTYPED)]
    (folder / "report.trf").write_text(trf_text.report(lines), encoding="utf-8")
    (row,) = load.load(settings, [folder / "report.trf"]).refused
    assert (row["reason"], row["value"]) == ("unknown_player", str(MISTYPED))
    return str(row["remedy"])


@pytest.mark.parametrize(
    ("name", "likely"),
    [
        ("Thorbjornsson, Egill", [900005]),
        ("Egill Thorbjörnsson", [900005]),
        ("DOGWOOD, MAY", [900006, 900007]),
        ("Dogwod, Mary", [900007, 900006]),
    ],
)
def test_a_registered_player_with_such_a_name_is_the_first_remedy(tmp_path: Path, name: str, likely: list[int]) -> None:
    said = remedy(tmp_path, name)
    first = [int(part.split()[0].rstrip(";")) for part in said.split(f"{MISTYPED}=")[1:]]
    assert first == likely
    assert said.startswith(f"if the player is {likely[0]} {REGISTERED[likely[0]][0]} (")


@pytest.mark.parametrize("name", ["Novak, Petra", "Thorsen, Emil", "D"])
def test_a_name_that_nobody_has_is_to_be_registered(tmp_path: Path, name: str) -> None:
    assert remedy(tmp_path, name).startswith("register the player")
