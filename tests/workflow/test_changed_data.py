"""A file in which a column was sorted, shifted, filled or cut by itself is a question before anything is imported."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from ratinglist.home.location import held_to_write
from ratinglist.period import Period
from ratinglist.settings import Settings
from ratinglist.workflows import import_files
from ratinglist.workflows.opening import open_to_read
from tests.command_line import did
from tests.conftest import SAMPLE, copied, office

pytestmark = pytest.mark.asks_only("changed_data")

LIST, PLAYERS = SAMPLE / "list-2025-08.csv", SAMPLE / "players-2025-09.csv"
TEN, NINE = 10, 9
Spoil = Callable[[pl.DataFrame], pl.DataFrame]


@pytest.fixture
def known() -> pl.DataFrame:
    """The players of the sample as the office knows them, with the columns of its own form."""
    listed, later = (pl.read_csv(file, infer_schema=False) for file in (LIST, PLAYERS))
    columns = ["fide_id", "name", "federation", "sex", "title", "women_title", "birth_date"]
    players = pl.concat([later.select(columns), listed.select(columns)]).unique("fide_id", keep="first")
    return players.sort("fide_id").with_columns(birth_year=pl.col("birth_date").str.slice(0, 4))


def asked(home: Path, players: pl.DataFrame, folder: Path) -> list[str]:
    """The questions that a file raises; a preview imports nothing."""
    file = folder / "players.csv"
    players.write_csv(file)
    summary = import_files.import_players(office(home), file, preview=True).as_dict()
    return [question["code"] for question in summary["asks"]]


def of_first(count: int, column: str, value: str) -> Spoil:
    """The column of so many players who have another value in it is ``value``."""

    def spoiled(players: pl.DataFrame) -> pl.DataFrame:
        others = players.filter(pl.col(column) != "", pl.col(column) != value)["fide_id"].head(count)
        return players.with_columns(
            pl.when(pl.col("fide_id").is_in(others.implode())).then(pl.lit(value)).otherwise(column).alias(column)
        )

    return spoiled


def renamed(name: pl.Expr) -> Spoil:
    return lambda players: players.with_columns(name.alias("name"))


NAME = pl.col("name")
ASIDE: dict[str, Spoil] = {
    "births shifted": lambda players: players.with_columns(pl.col("birth_date", "birth_year").shift(1, fill_value="")),
    "the title of all": lambda players: players.with_columns(title=pl.lit("GM")),
    "no title": lambda players: players.with_columns(title=pl.lit("")),
    "one federation": of_first(1000, "federation", "XYZ"),
    "surnames alone": renamed(NAME.str.split(", ").list.first()),
    "given name first": renamed(NAME.str.split(", ").list.reverse().list.join(" ")),
    "capitals alone": renamed(NAME.str.to_uppercase()),
    "ten of the other sex": of_first(TEN, "sex", "F"),
    "ten of one year of birth": lambda players: of_first(TEN, "birth_year", "1980")(players).with_columns(
        birth_date=None
    ),
}
ORDINARY = (of_first(1, "sex", "F"), of_first(NINE, "title", ""), of_first(NINE, "federation", "XYZ"))


@pytest.mark.parametrize("spoil", ASIDE.values(), ids=ASIDE)
def test_a_column_that_was_changed_by_itself_is_a_question(
    spoil: Spoil, awaiting_september: Path, known: pl.DataFrame, tmp_path: Path
) -> None:
    assert "changed_data" in asked(awaiting_september, spoil(known), tmp_path)


def test_what_changes_in_a_month_is_none(awaiting_september: Path, known: pl.DataFrame, tmp_path: Path) -> None:
    """One sex, nine titles, nine federations; and of each birth the year alone, as it is known."""
    players = known.with_columns(birth_date=pl.lit(""))
    for spoil in ORDINARY:
        players = spoil(players)
    assert "changed_data" not in asked(awaiting_september, players, tmp_path)


def test_blanks_that_are_filled_are_no_change(known: pl.DataFrame, tmp_path: Path) -> None:
    home, first = tmp_path / "home", pl.read_csv(LIST, infer_schema=False)
    blank = pl.lit("")
    first.with_columns(sex=blank, federation=blank, birth_date=blank, birth_year=blank).write_csv(tmp_path / "list.csv")
    did(home, "import-list", tmp_path / "list.csv", "--month", "2025-08")
    assert "changed_data" not in asked(home, known, tmp_path)


def row(fide_id: int, **values: str) -> Spoil:
    """The file has the row of one player alone, with other values."""
    return lambda players: players.filter(fide_id=str(fide_id)).with_columns(
        pl.lit(value).alias(name) for name, value in values.items()
    )


LISTED = 99900046
SMALL: dict[str, tuple[Spoil, bool]] = {
    "another sex": (row(LISTED, sex="F"), True),
    "another year": (row(LISTED, birth_date="", birth_year="1911"), True),
    "another day of a year": (
        lambda known: row(LISTED)(known).with_columns(pl.col("birth_date").str.head(5) + "02-28"),
        True,
    ),
    "the year alone, and another title": (row(LISTED, birth_date="", title="FM"), False),
}


@pytest.mark.parametrize(("spoil", "is_asked"), SMALL.values(), ids=SMALL)
def test_a_row_that_makes_a_listed_player_another_person_is_a_question(
    spoil: Spoil, is_asked: bool, awaiting_september: Path, known: pl.DataFrame, tmp_path: Path
) -> None:
    assert ("changed_data" in asked(awaiting_september, spoil(known), tmp_path)) == is_asked


def test_a_player_on_no_list_is_put_right_without_a_question(
    awaiting_september: Path, known: pl.DataFrame, tmp_path: Path
) -> None:
    new = known.head(1).with_columns(fide_id=pl.lit("900009999"), name=pl.lit("Newman, Nora"))
    new.write_csv(tmp_path / "new.csv")
    home = copied(awaiting_september, tmp_path).home
    did(home, "import-players", tmp_path / "new.csv")
    changed = new.with_columns(sex=pl.lit("F"), birth_date=pl.lit(""), birth_year=pl.lit("1999"))
    assert "changed_data" not in asked(home, changed, tmp_path)


# ------------------------------------------------------------------------------------------------------------- previews


MONTH = Period.parse("2025-08")
ÉMILE, BÁLINT = 99900027, 99900208


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with the first list of the sample; look, do not touch."""
    home = tmp_path_factory.mktemp("imported") / "home"
    import_files.import_list(office(home), LIST, MONTH)
    return home


@pytest.fixture
def mine(imported: Path, tmp_path: Path) -> Settings:
    """A copy of that home."""
    return copied(imported, tmp_path)


@pytest.fixture
def players(tmp_path: Path) -> Path:
    """A file with a name in ASCII, another federation and a new player."""
    file = tmp_path / "players.csv"
    file.write_text(
        "fide_id,name,federation,sex,birth_year\n"
        f'{ÉMILE},"Castellane, Emile",XXX,M,\n{BÁLINT},"Szendro, Balint",ORV,M,\n99909999,"New, Nora",ORV,F,1999\n'
    )
    return file


def test_a_preview_counts_what_the_import_changes_and_waits_for_no_other_command(mine, players):
    before = {path: path.stat().st_mtime_ns for path in mine.home.rglob("*")}
    with held_to_write(mine.home):
        preview = import_files.import_players(mine, players, preview=True)
    assert (preview.players, preview.new_players, preview.changed["federation"]) == (3, 1, 1)
    assert "name" not in preview.changed
    assert f"{ÉMILE} Castellane, Émile: federation" in preview.text()
    assert "2 × a name is the stored one in ASCII letters, in another order or with other capitals" in preview.text()
    assert {path: path.stat().st_mtime_ns for path in mine.home.rglob("*")} == before
    done = import_files.import_players(mine, players)
    assert (done.new_players, done.changed_players) == (preview.new_players, preview.changed_players)
    with open_to_read(mine) as store:
        name = store.read("select name from registered_person where fide_id = $no", no=ÉMILE).item()
    assert name == "Castellane, Émile"


def test_a_list_is_previewed_before_there_is_a_home(tmp_path):
    preview = import_files.import_list(office(tmp_path / "none"), LIST, MONTH, preview=True)
    assert (preview.new_players, preview.changed_players, preview.examples) == (preview.players, 0, [])
    assert preview.listed == {"standard": 116}
    assert not (tmp_path / "none").exists()


def test_a_list_is_previewed_against_the_one_before(imported, tmp_path):
    preview = import_files.import_list(office(imported), LIST, MONTH, preview=True)
    assert (preview.replaced, preview.new_players, preview.changed_players) == (["standard"], 0, 0)
    assert "imported before: nothing was changed" in preview.text()
    other = tmp_path / "other.csv"
    pl.read_csv(LIST, infer_schema=False).reverse().write_csv(other)
    preview = import_files.import_list(office(imported), other, MONTH, preview=True)
    assert "standard list of 2025-08: 116 rated, in place of the one imported before" in preview.text()
