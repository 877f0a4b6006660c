"""`ratinglist find`, and `explain` by name: the right player, on a home of any state."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ratinglist.errors import CommandLineError, NothingReadError
from ratinglist.period import Period
from ratinglist.settings import Settings
from ratinglist.workflows import import_files
from ratinglist.workflows.explain import explain_player
from ratinglist.workflows.find import FoundPlayer, find
from ratinglist.workflows.sql import run
from tests.command_line import ratinglist
from tests.conftest import MONTHS, office

THORBJORNSSON, WAITS, REMOVED = 99900046, 99900347, 99900121


@pytest.fixture(scope="module")
def last(homes: Path) -> Settings:
    """The office after all months of the sample; look, do not touch."""
    return office(homes / MONTHS[-1])


def first(settings: Settings, text: str) -> FoundPlayer:
    return find(settings, text).players[0]


@pytest.mark.parametrize(
    "typed",
    [
        "Thorbjörnsson",
        "thorbjornsson egill",
        "EGILL THORB",
        "egil thorbjornsson",  # a letter too few
        "thorbjronsson",  # two letters exchanged
        "jornsson egill",  # an inner part
        "Тхорбйорнссон Егилл",
        "99900046",
    ],
)
def test_a_player_is_found_by_any_part_in_any_letters(last: Settings, typed: str) -> None:
    assert first(last, typed).fide_id == THORBJORNSSON


def test_a_player_is_shown_with_the_ratings_of_the_newest_list_or_the_games_that_wait(last: Settings) -> None:
    found = find(last, "99900046")
    assert (found.list_month, found.revision, found.matches) == (MONTHS[-1], "r1", 1)
    player = found.players[0]
    assert (player.name, player.federation, player.state) == ("Thorbjörnsson, Egill", "ORV", "rated")
    assert player.ratings["standard"] > 0
    waiting = find(last, str(WAITS))
    assert (waiting.players[0].waiting, waiting.players[0].ratings) == ({"standard": 3}, {})
    assert "waits for a first rating with 3 games (standard)" in waiting.text()


def test_the_states_of_all_players_agree_with_the_published_tables(last: Settings) -> None:
    listed = set(run(last.published, "select fide_id from lists where list_month = newest_list()")["fide_id"])
    waiting = set(run(last.published, "select fide_id from pool where list_month = newest_list()")["fide_id"]) - listed
    gone = set(run(last.published, "select fide_id from changes where status = 'delisted'")["fide_id"])
    for state, ids in {
        "waiting": waiting,
        "removed": gone - listed - waiting,
        "unrated": {900000062} - listed - waiting - gone,
    }.items():
        for fide_id in sorted(ids)[:5]:
            assert first(last, str(fide_id)).state == state
    assert gone - listed - waiting
    assert waiting


def test_nobody_found_is_exit_three_and_no_letters_are_exit_two(last: Settings) -> None:
    with pytest.raises(NothingReadError, match="No player of the register has 'xqxqxq'"):
        find(last, "xqxqxq")
    with pytest.raises(CommandLineError, match="no letter"):
        find(last, "?!")


def test_more_players_than_shown_are_counted_and_no_birth_date_is_shown(last: Settings) -> None:
    found = find(last, "a", limit=3)
    assert (len(found.players), f"and {found.matches - 3} more" in found.text()) == (3, True)
    everybody = json.dumps(find(last, "a", limit=500).as_dict())
    assert ('"birth_year": 2' in everybody, "birth_date" in everybody) == (True, False)


def test_a_home_without_a_published_list_shows_the_imported_one(homes: Path) -> None:
    found = find(office(homes / "2025-08"), "thorbjornsson")
    assert found.list_month == ""
    assert found.players[0].ratings["standard"] > 0


def renamed(settings: Settings, folder: Path) -> None:
    """Import a new name of a player."""
    file = folder / "players.csv"
    file.write_text('fide_id,name,federation,sex\n99900046,"Qvarnström, Egill",ORV,M\n', encoding="utf-8")
    import_files.import_players(settings, file)


def test_a_renamed_player_is_found_by_both_names(rated: Settings, tmp_path: Path) -> None:
    find(rated, "egill")
    renamed(rated, tmp_path)
    for typed in ("qvarnstrom", "thorbjornsson"):
        player = first(rated, typed)
        assert (player.fide_id, player.name, player.formerly) == (
            THORBJORNSSON,
            "Qvarnström, Egill",
            ["Thorbjörnsson, Egill"],
        )


# ------------------------------------------------------------------------------------------------ explain by name


@pytest.mark.parametrize(
    ("typed", "month", "expected"),
    [
        ("thorbjornsson", None, {"fide_id": THORBJORNSSON, "month": MONTHS[-1]}),
        ("900000001", "2025-10", {"name": "Dorvães, Dário", "federation": "KEL"}),
        (str(REMOVED), "2025-09", {"fide_id": REMOVED}),
    ],
    ids=["the newest list", "without a rating", "not on the list"],
)
def test_explain_takes_a_name(last: Settings, typed: str, month: str | None, expected: dict[str, object]) -> None:
    content = explain_player(last, typed, month and Period.parse(month)).as_dict()
    assert content.items() >= expected.items()


def test_explain_of_a_name_of_several_lists_what_to_type(last: Settings) -> None:
    shown = ratinglist("explain", "fab", "2025-11", home=last.home)
    assert shown.returncode == 2
    lines = [line for line in shown.stderr.splitlines() if line.startswith("  ratinglist explain ")]
    assert len(lines) > 1
    assert all(line.split()[3] == "2025-11" for line in lines)


def test_a_name_with_a_typing_error_is_not_taken_for_another(last: Settings) -> None:
    with pytest.raises(CommandLineError, match=f"no player has just(?s:.)*ratinglist explain {THORBJORNSSON}"):
        explain_player(last, "thorbjronsson egill")
