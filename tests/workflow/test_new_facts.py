"""Facts that come after a list was calculated: corrected players, merged FIDE IDs, changed rule files."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import date

import polars as pl
import pytest

from ratinglist.errors import NothingReadError, UnansweredError
from ratinglist.period import Period
from ratinglist.settings import Settings
from ratinglist.store.rule_files import rule_book
from ratinglist.workflows import correct as correct_workflow, export, import_files, quarantine, rerate, run
from tests.conftest import MONTHS
from tests.workflow.test_rerate import FIRST, LAKESIDE, a_game, correct, correction, listed, revisions, tables, won_game

LAST = Period.parse(MONTHS[-1])
BIRTH = "birth_date = 1950-06-07"
ONE_PERSON = 'unlike_person = "both are the same person"'
RENAMED = {"unlike_name": "the player has another name now"}


def answered(command: Callable[..., object], *given: object) -> None:
    """Give a command, and where it asks whether a player has another name now, say yes."""
    try:
        command(*given)
    except UnansweredError:
        command(*given, because=RENAMED)


def import_player(settings: Settings, player: int, **more: str) -> None:
    """Import a file with one player: the usual values, with the columns of ``more`` changed."""
    known = {"fide_id": player, "name": "New, Player", "federation": "ORV", "sex": "M", "birth_date": "", **more}
    file = settings.home / "players.csv"
    file.write_text(",".join(known) + "\n" + ",".join(f'"{cell}"' for cell in known.values()) + "\n", encoding="utf-8")
    answered(import_files.import_players, settings, file)


def line(settings: Settings, month: str, player: int) -> dict[str, object]:
    return listed(settings, month).filter(fide_id=player).row(0, named=True)


# ---------------------------------------------------------------------------------------------- data put right


@pytest.mark.long
def test_a_corrected_birth_date_does_not_change_the_name_on_an_earlier_list(rated: Settings) -> None:
    player = won_game(rated)["white"]
    before = line(rated, MONTHS[0], player)
    import_player(rated, player, federation="ZZZ")
    correct(rated, correction("change_data", f"fide_id = {player}", BIRTH))
    answered(rerate.rerate, rated, FIRST)
    after = line(rated, MONTHS[0], player)
    assert (after["name"], after["federation"], after["birth_year"]) == (before["name"], before["federation"], 1950)


@pytest.mark.long
def test_an_import_of_the_wrong_birth_date_does_not_undo_its_correction(rated: Settings) -> None:
    player = won_game(rated)["white"]
    import_player(rated, player, birth_date="1980-01-01")
    correct(rated, correction("change_data", f"fide_id = {player}", BIRTH))
    import_player(rated, player, birth_date="1980-01-01", name="Another, Name")
    answered(rerate.rerate, rated, LAST)
    after = line(rated, MONTHS[-1], player)
    assert (after["name"], after["birth_year"]) == ("Another, Name", 1950)


@pytest.mark.long
def test_undone_corrections_of_data_give_the_first_bytes_again(rated: Settings) -> None:
    first = tables(rated, revisions(rated))
    player = won_game(rated)["white"]
    correct(
        rated,
        correction(
            "change_data",
            f"fide_id = {player}",
            f'{BIRTH}\nname = "Other, Name"\nsex = "F"',
        ),
    )
    answered(rerate.rerate, rated, FIRST)
    correct(rated, correction("undo", "correction = 1"))
    answered(rerate.rerate, rated, FIRST)
    assert revisions(rated) == dict.fromkeys(MONTHS, "r3")
    assert tables(rated, revisions(rated)) == first


# ---------------------------------------------------------------------------------------------- numbers merged


def two_who_never_met(settings: Settings) -> tuple[int, int]:
    """Two players of all lists who are in no event together."""
    everywhere = set.intersection(*(set(listed(settings, month)["fide_id"]) for month in MONTHS))
    played = pl.concat(
        pl.read_parquet(settings.published / month / "r1" / "games.parquet").select("event_id", "fide_id")
        for month in MONTHS
    )
    one = won_game(settings)["white"]
    met = played.join(played.filter(fide_id=one), on="event_id", how="semi")["fide_id"]
    return min(everywhere - set(met)), one


def test_an_imported_list_is_not_one_to_calculate(rated: Settings) -> None:
    with pytest.raises(NothingReadError, match="was imported, not calculated here"):
        export.known_list(rated, FIRST - 1, "standard")


# ---------------------------------------------------------------------------------------------- who came too late


@pytest.mark.long
def test_a_report_of_a_correction_may_name_a_player_registered_since(rated: Settings) -> None:
    report = pl.read_parquet(rated.published / MONTHS[0] / "r1" / "events.parquet").filter(event_id=LAKESIDE)
    text = (rated.reports / report.item(0, "report_sha256")).read_text(encoding="utf-8")
    wrong = won_game(rated)["white"]
    import_player(rated, 99_999_991)
    early = {"early_list": "a test of the next list", "no_events": "nothing is rated in it"}
    run.run(replace(rated, today=date(2025, 12, 20)), Period.parse("2026-01"), because=early)
    (rated.home / "better.trf").write_text(text.replace(str(wrong), "99999991"), encoding="utf-8", newline="")
    correct(rated, correction("replace_report", f'event_id = "{LAKESIDE}"', 'file = "better.trf"'))
    answered(rerate.rerate, rated, FIRST)
    events = pl.read_parquet(rated.published / MONTHS[0] / "r2" / "events.parquet").filter(event_id=LAKESIDE)
    assert events["status"].to_list() == ["rated"]


def test_a_corrections_file_may_begin_with_a_byte_order_mark(rated: Settings) -> None:
    file = rated.home / "windows.toml"
    text = correction("withdraw_event", f'event_id = "{LAKESIDE}"').replace("\n", "\r\n")
    file.write_bytes(text.encode("utf-8-sig"))
    assert [made.description for made in correct_workflow.correct(rated, file).made] == [
        f"{LAKESIDE}: withdrawn, Lakeside Open, Group A"
    ]


# ---------------------------------------------------------------------------------------------- rule files


def other_rules(monkeypatch: pytest.MonkeyPatch, period: Period = FIRST) -> str:
    """A program whose rule file of the standard list of a month has another K; returns the file's name."""
    book = rule_book()
    file = book.on("fide", "standard", period.first_day)
    assert file is not None
    text = re.sub(r"(?m)^(normal *= *\{ *value *= *)20\b", r"\g<1>19", book.files[file.name])
    assert text != book.files[file.name]
    other = replace(book, files={**book.files, file.name: text})
    for module in [found for name, found in sys.modules.items() if name.startswith("ratinglist.")]:
        if hasattr(module, "rule_book"):
            monkeypatch.setattr(module, "rule_book", lambda: other)
    return file.name


def test_a_changed_rule_file_is_named_as_the_cause(rated: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    name = other_rules(monkeypatch, LAST)
    rerate.rerate(rated, LAST)
    diff = pl.read_parquet(rated.published / MONTHS[-1] / "r2" / "diff.parquet").filter(time_control="standard")
    assert set(diff["cause"]) == {"rules"}
    assert set(diff["rule_files"]) == {name}
    done = (rated.published / MONTHS[-1] / "r2" / "DIFF.md").read_text(encoding="utf-8")
    assert f"- `{name}`: its values or articles are others (digest " in done


@pytest.mark.long
def test_the_chain_of_causes_ends_at_the_rule_file(rated: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    name = other_rules(monkeypatch)
    rerate.rerate(rated, FIRST)
    later = pl.read_parquet(rated.published / MONTHS[-1] / "r2" / "diff.parquet").filter(time_control="standard")
    assert {"list_before", "opponent"} <= set(later["cause"])
    assert set(later["rule_files"]) == {name}


@pytest.mark.long
def test_a_correction_is_named_next_to_a_changed_rule_file(rated: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    name = other_rules(monkeypatch)
    game = won_game(rated)
    correct(rated, correction("change_result", a_game(game), 'result = "0-1"'))
    rerate.rerate(rated, FIRST)
    diff = pl.read_parquet(rated.published / MONTHS[0] / "r2" / "diff.parquet").filter(fide_id=game["white"])
    assert diff.select("cause", "corrections", "rule_files").rows() == [("game", "1", name)]


# ---------------------------------------------------------------------------------------------- not in the lists yet


def test_a_correction_that_an_earlier_list_lacks_is_named(rated: Settings) -> None:
    correct(rated, correction("change_result", a_game(won_game(rated)), 'result = "0-1"'))
    done = rerate.rerate(rated, LAST, preview=True)
    assert done.text().splitlines()[-1] == (
        f"note: correction 1 is not in the lists yet, which may change from {MONTHS[0]} on: "
        f"ratinglist rerate --from {MONTHS[0]}"
    )


def test_the_status_of_an_event_names_corrections_that_no_list_has(rated: Settings) -> None:
    correct(rated, correction("withdraw_event", f'event_id = "{LAKESIDE}"'))
    (note,) = quarantine.event(rated, LAKESIDE).notes
    assert note.startswith("correction 1 is not in the lists yet")
    assert note in quarantine.event(rated, LAKESIDE).text()
    (refused,) = quarantine.event(rated, "ORV25093").notes
    assert "line 14, column 99: one game gives more than one point" in refused
