"""`ratinglist find`, and `explain` by name: the right player, on a home of any state."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import polars as pl
import pytest

from ratinglist.errors import CommandLineError, NothingReadError
from ratinglist.lists.official_rows import OfficialListError
from ratinglist.period import Period
from ratinglist.settings import Settings
from ratinglist.store import received
from ratinglist.workflows import import_files
from ratinglist.workflows.explain import explain_calculated, explain_player
from ratinglist.workflows.find import FoundPlayer, _described, find, query_words, search
from ratinglist.workflows.opening import open_to_read
from ratinglist.workflows.rerate import rerate
from ratinglist.workflows.run import rate
from ratinglist.workflows.sql import run
from tests.command_line import did, ratinglist, stopped
from tests.conftest import MONTHS, copied, office
from tests.site_files import table_of
from tests.workflow.test_rerate import correct, correction

pytestmark = pytest.mark.asks_only("blanked_data")

THORBJORNSSON, WAITS, REMOVED = 99900046, 99900347, 99900121
OTHER = 99900018
"""A player who met nobody in the same event as Thorbjörnsson."""


def first(settings: Settings, text: str) -> FoundPlayer:
    return find(settings, text).players[0]


def test_a_player_is_found_by_any_part_in_any_letters(last: Settings) -> None:
    with open_to_read(last, shows_published=True) as store:
        for typed in (
            "Thorbjörnsson",
            "thorbjornsson egill",
            "EGILL THORB",
            "egil thorbjornsson",  # a letter too few
            "thorbjronsson",  # two letters exchanged
            "jornsson egill",  # an inner part
            "Тхорбйорнссон Егилл",
        ):
            assert search(store, query_words(typed))["fide_id"][0] == THORBJORNSSON, typed


def test_a_player_is_shown_with_the_ratings_of_the_newest_list_or_the_games_that_wait(last: Settings) -> None:
    answer = find(last, "99900046")
    assert (answer.list_month, answer.revision, answer.matches) == (MONTHS[-1], "r1", 1)
    player = answer.players[0]
    assert (player.name, player.federation, player.state) == ("Thorbjörnsson, Egill", "ORV", "rated")
    assert player.ratings["standard"] > 0
    waiting = find(last, str(WAITS))
    assert (waiting.players[0].waiting, waiting.players[0].ratings) == ({"standard": 3}, {})
    assert "waits for a first rating with 3 games (standard)" in waiting.text()


def test_the_states_of_all_players_agree_with_the_published_tables(last: Settings) -> None:
    listed = set(run(last.published, "select fide_id from lists where list_month = newest_list()")["fide_id"])
    waiting = set(run(last.published, "select fide_id from pool where list_month = newest_list()")["fide_id"]) - listed
    gone = set(run(last.published, "select fide_id from changes where status = 'delisted'")["fide_id"])
    with open_to_read(last, shows_published=True) as store:
        everyone = store.read("select distinct fide_id, 100::integer as score from player")
        described = _described(store, last.published, everyone, len(everyone)).players
    states = {player.fide_id: player.state for player in described}
    for state, ids in {
        "waiting": waiting,
        "removed": gone - listed - waiting,
        "unrated": set(everyone["fide_id"]) - listed - waiting - gone,
    }.items():
        assert {states[fide_id] for fide_id in ids} == {state}


def test_nobody_found_is_exit_three_and_no_letters_are_exit_two(last: Settings) -> None:
    with pytest.raises(NothingReadError, match="No player of the register has 'xqxqxq'"):
        find(last, "xqxqxq")
    with pytest.raises(CommandLineError, match="no letter"):
        find(last, "?!")


def test_more_players_than_shown_are_counted_and_no_birth_date_is_shown(last: Settings) -> None:
    answer = find(last, "a", limit=3)
    assert (len(answer.players), f"and {answer.matches - 3} more" in answer.text()) == (3, True)
    everybody = json.dumps(find(last, "a", limit=500).as_dict())
    assert ('"birth_year": 2' in everybody, "birth_date" in everybody) == (True, False)


def test_a_home_without_a_published_list_shows_the_imported_one(homes: Path) -> None:
    answer = find(office(homes / "2025-08"), "thorbjornsson")
    assert answer.list_month == ""
    assert answer.players[0].ratings["standard"] > 0


def test_a_calculation_that_nobody_published_hides_no_rating(awaiting_september: Path, tmp_path: Path) -> None:
    settings = copied(awaiting_september, tmp_path)
    before = first(settings, "thorbjornsson").ratings
    rate(settings, Period.parse("2025-09"))
    assert first(settings, "thorbjornsson").ratings == before


def test_a_renamed_player_is_found_by_both_names(first_month: Settings, tmp_path: Path) -> None:
    find(first_month, "egill")
    renamed = 'fide_id,name,federation,sex\n99900046,"Qvarnström, Egill",ORV,M\n'
    import_files.import_players(first_month, written(tmp_path, renamed))
    for typed in ("qvarnstrom", "thorbjornsson"):
        player = first(first_month, typed)
        assert (player.fide_id, player.name, player.formerly) == (
            THORBJORNSSON,
            "Qvarnström, Egill",
            ["Thorbjörnsson, Egill"],
        )


# ------------------------------------------------------------------------------------------- the account of a player


@pytest.mark.parametrize(
    ("player", "month", "expected"),
    [
        (THORBJORNSSON, None, {"fide_id": THORBJORNSSON, "month": MONTHS[-1]}),
        (900000001, "2025-10", {"name": "Dorvães, Dário", "federation": "KEL"}),
        (REMOVED, "2025-09", {"fide_id": REMOVED}),
    ],
    ids=["the newest list", "without a rating", "not on the list"],
)
def test_every_player_has_an_account(
    last: Settings, player: int, month: str | None, expected: dict[str, object]
) -> None:
    content = explain_player(last, player, month and Period.parse(month)).as_dict()
    assert content.items() >= expected.items()


def test_a_fide_id_that_was_merged_is_explained_by_the_one_it_was_merged_into(first_month: Settings) -> None:
    september = Period.parse(MONTHS[0])
    values = f'into = {THORBJORNSSON}\nunlike_person = "one of the two was registered with a wrong name"'
    correct(first_month, correction("merge", f"fide_id = {OTHER}", values))
    before = explain_player(first_month, OTHER, september)
    assert before.content["fide_id"] == OTHER
    rerate(first_month, september)
    for explained in (explain_player, explain_calculated):
        account = explained(first_month, THORBJORNSSON, september).content
        assert account["time_controls"]
        assert explained(first_month, OTHER, september).content == account
    assert explain_player(first_month, OTHER, september, "r1").content == before.content


# ---------------------------------------------------------------------------------------------------------------- clubs


EGILL, BALINT, HJALMAR, NORA = 99900046, 99900208, 900000009, 99909999
FILE = (
    "fide_id,name,club,member_until\n"
    f'{EGILL},"Thorbjörnsson, Egill",SK Örvath,\n'
    f'{BALINT},"Szendrő, Bálint",SK Örvath,30.11.2025\n'
    f'{HJALMAR},"Pérrbach, Hjalmar",SK Örvath,2026-12-31\n'
    f'{NORA},"New, Nora",Club Kelm,\n'
)


def written(folder: Path, text: str, name: str = "clubs.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def members(home: Path) -> list[tuple[int, str, str | None]]:
    with open_to_read(office(home)) as store:
        rows = received.members(store).sort("fide_id").select("fide_id", "club", pl.col("member_until").cast(pl.String))
    return rows.rows()


@pytest.fixture(scope="module")
def with_clubs(homes: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample's office, published up to December, with the memberships of four players; look, do not touch."""
    folder = tmp_path_factory.mktemp("clubs")
    home = Path(shutil.copytree(homes / MONTHS[-1], folder / "home"))
    did(home, "import-players", written(folder, FILE))
    return home


@pytest.fixture
def home(with_clubs: Path, tmp_path: Path) -> Path:
    """A copy of that office."""
    return Path(shutil.copytree(with_clubs, tmp_path / "home"))


REGISTERED = [
    (EGILL, "SK Örvath", None),
    (BALINT, "SK Örvath", "2025-11-30"),
    (NORA, "Club Kelm", None),
    (HJALMAR, "SK Örvath", "2026-12-31"),
]


# ----------------------------------------------------------------------------------------------------- the register


def test_a_club_that_becomes_blank_is_a_question(home: Path, tmp_path: Path) -> None:
    file = written(tmp_path, f'fide_id,name,club\n{NORA},"New, Nora",\n', "left.csv")
    said = stopped(home, 4, "import-players", file)
    assert "lose a name, federation, sex, title or club" in said
    assert f"FIDE ID {NORA}, name New, Nora, column club, before Club Kelm, after blank" in said
    assert members(home) == REGISTERED
    did(home, "import-players", file, "--because", "blanked_data=she left the club")
    assert members(home) == [member for member in REGISTERED if member[0] != NORA]


def test_a_last_day_that_becomes_blank_in_the_same_club_is_a_question(with_clubs: Path, tmp_path: Path) -> None:
    lines = (f'{BALINT},"Szendrő, Bálint",SK Örvath,', f'{HJALMAR},"Pérrbach, Hjalmar",Club Kelm,')
    file = written(tmp_path, "\n".join(["fide_id,name,club,member_until", *lines, ""]), "day.csv")
    shown = did(with_clubs, "import-players", file, "--preview")
    assert "column member until, before 2025-11-30, after blank" in shown
    assert "before 2026-12-31, after blank" not in shown


REFUSED = {
    "no column of clubs": (
        f'fide_id,name,member_until\n{NORA},"New, Nora",2026-12-31\n',
        "line 2, column member_until: '2026-12-31' is the last day of a membership",
    ),
    "a day without a club": (
        f'fide_id,name,club,member_until\n{NORA},"New, Nora",,2026-12-31\n',
        "line 2, column member_until: '2026-12-31' is the last day of a membership",
    ),
    "no date": (
        f'fide_id,name,club,member_until\n{NORA},"New, Nora",A,12/2026\n',
        "line 2, column member_until: '12/2026' is not a date; write YYYY-MM-DD or DD.MM.YYYY",
    ),
    "a player of two clubs": (
        f'fide_id,name,club\n{NORA},"New, Nora",A\n{NORA},"New, Nora",B\n',
        f"line 3, FIDE ID: '{NORA} (first in line 2)' occurs twice",
    ),
    "a player of two clubs in rows of two lists": (
        f'fide_id,name,time_control,club\n{NORA},"New, Nora",rapid,A\n{NORA},"New, Nora",blitz,B\n',
        f"line 3, FIDE ID: '{NORA} (first in line 2)' occurs twice with different data",
    ),
    "a character that is not seen": (
        f'fide_id,name,club\n{NORA},"New, Nora",SK\u202eX\n',
        "line 2, column club: ",
    ),
}


def test_a_file_with_a_wrong_membership_is_refused(with_clubs: Path, tmp_path: Path) -> None:
    for what, (text, reason) in REFUSED.items():
        with pytest.raises(OfficialListError) as refused:
            import_files.import_players(office(with_clubs), written(tmp_path, text, "wrong.csv"))
        assert reason in str(refused.value), what
    assert members(with_clubs) == REGISTERED


def test_a_list_is_read_without_clubs(tmp_path: Path) -> None:
    text = "fide_id,name,time_control,rating,k,club\n7,A,standard,1500,20,SK Örvath\n"
    shown = did(tmp_path / "home", "import-list", written(tmp_path, text), "--month", "2025-12")
    assert "a column is not read: club" in shown
    assert members(tmp_path / "home") == []


def test_the_site_shows_clubs_where_the_office_chooses_so(home: Path, tmp_path: Path) -> None:
    """Of those who are members on the newest list's first day, and on a published list: Hjalmar is on none.

    Not a club with a date of birth, as where the column of births was moved into that of clubs.
    """
    site = tmp_path / "site"
    newest = ("site", "--out", site, "--from", MONTHS[-1])
    choices = home / "office.toml"
    choices.write_text("[site]\ndownloads = false\n", encoding="utf-8")
    did(home, *newest)
    assert not list(site.glob("club*.html"))
    assert "clubs.html" not in (site / "index.html").read_text(encoding="utf-8")
    file = f'fide_id,name,club\n{BALINT},"Szendrő, Bálint",1988-01-30\n99900143,"Ravnik, Teodor",sk örvath\n'
    did(home, "import-players", written(tmp_path, file))
    choices.write_text("[site]\ndownloads = false\nclubs = true\n", encoding="utf-8")
    shown = ratinglist(*newest, home=home)
    assert "1 club of the register has a date of birth in the name" in shown.stderr
    pages = {page.name: page.read_text(encoding="utf-8") for page in site.glob("club*.html")}
    assert sorted(pages) == ["club-1.html", "clubs.html"]
    assert '<a href="club-1.html">sk örvath</a></td><td class="number">2<' in pages["clubs.html"]
    assert [
        fide_id for fide_id in (EGILL, BALINT, HJALMAR, NORA) if f'"player.html#{fide_id}"' in pages["club-1.html"]
    ] == [EGILL]
    assert "01-30" not in "".join(pages.values())
    assert "clubs.html" in (site / "index.html").read_text(encoding="utf-8")
    members = table_of(site, "p", "persons").drop_nulls("club").select("id", "club_page").sort("id")
    assert members.rows() == [(EGILL, 1), (99900143, 1)]
