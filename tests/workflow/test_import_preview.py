"""Imports that are previewed, and names that keep their own letters."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from ratinglist.home.location import held_to_write
from ratinglist.period import Period
from ratinglist.settings import Settings
from ratinglist.workflows import import_files
from ratinglist.workflows.opening import open_to_read
from tests.conftest import SAMPLE, copied, office

LIST = SAMPLE / "list-2025-08.csv"
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


def name_of(settings: Settings, player: int) -> str:
    with open_to_read(settings) as store:
        return str(store.read("select name from registered_person where fide_id = $no", no=player).item())


def test_a_preview_counts_and_shows_and_changes_nothing(imported, players):
    before = {path: path.stat().st_mtime_ns for path in imported.rglob("*")}
    found = import_files.import_players(office(imported), players, preview=True)
    assert (found.players, found.new_players) == (3, 1)
    assert found.changed["federation"] >= 1
    assert "name" not in found.changed
    assert f"{ÉMILE} Castellane, Émile: federation" in found.text()
    assert "2 × a name is the stored one in ASCII letters, in another order or with other capitals" in found.text()
    assert {path: path.stat().st_mtime_ns for path in imported.rglob("*")} == before


def test_what_a_preview_counts_is_what_the_import_changes(mine, players):
    expected = import_files.import_players(mine, players, preview=True)
    done = import_files.import_players(mine, players)
    assert (done.new_players, done.changed_players) == (expected.new_players, expected.changed_players)
    assert name_of(mine, ÉMILE) == "Castellane, Émile"


def test_a_preview_waits_for_no_other_command(mine, players):
    with held_to_write(mine.home):
        assert import_files.import_players(mine, players, preview=True).new_players == 1


def test_a_list_is_previewed_before_there_is_a_home(tmp_path):
    found = import_files.import_list(office(tmp_path / "none"), LIST, MONTH, preview=True)
    assert (found.new_players, found.changed_players, found.examples) == (found.players, 0, [])
    assert found.listed == {"standard": 116}
    assert not (tmp_path / "none").exists()


def test_a_list_is_previewed_against_the_one_before(imported, tmp_path):
    found = import_files.import_list(office(imported), LIST, MONTH, preview=True)
    assert (found.replaced, found.new_players, found.changed_players) == (["standard"], 0, 0)
    assert "imported before: nothing was changed" in found.text()
    other = tmp_path / "other.csv"
    pl.read_csv(LIST, infer_schema=False).reverse().write_csv(other)
    found = import_files.import_list(office(imported), other, MONTH, preview=True)
    assert "standard list of 2025-08: 116 rated, in place of the one imported before" in found.text()
