"""Applying corrections and rating again: which lists change, which do not, and what can be read as known before."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path

import polars as pl
import pytest

from ratinglist.errors import NothingReadError, UnansweredError
from ratinglist.home import log
from ratinglist.period import Period
from ratinglist.settings import Settings
from ratinglist.store.rule_files import rule_book
from ratinglist.workflows import (
    correct as correct_workflow,
    import_files,
    quarantine,
    quarantine as event_workflow,
    replay,
    rerate,
    run,
    status,
)
from tests.conftest import CORRECTED_GAME, MONTHS, SAMPLE, office, published_bytes

FIRST = Period.parse(MONTHS[0])
TABLES = ("standard.csv", "standard.parquet", "games.parquet", "changes.parquet", "entries.parquet", "pool.parquet")
LAKESIDE = "ORV25081"
OTHER_NAME = {"unlike_name": "the reports have the name of before"}


def correction(action: str, match: str, values: str = "") -> str:
    return (
        f'[[correction]]\naction = "{action}"\nmatch = {{ {match} }}\n{values}\n'
        'reason = "score sheets compared"\nwho = "chief arbiter"\nreported_on = 2025-12-01\n'
    )


def correct(settings: Settings, *corrections: str) -> None:
    file = settings.home / "corrections.toml"
    file.write_text("\n".join(corrections), encoding="utf-8")
    correct_workflow.correct(settings, file)


def revisions(settings: Settings) -> dict[str, str]:
    return {month: (settings.published / month / "latest").read_text(encoding="utf-8").strip() for month in MONTHS}


def tables(settings: Settings, revision: dict[str, str]) -> dict[str, bytes]:
    """The bytes of every table of these revisions."""
    return {
        f"{month}/{name}": (settings.published / month / number / name).read_bytes()
        for month, number in revision.items()
        for name in TABLES
    }


def games(settings: Settings, month: str = MONTHS[0]) -> pl.DataFrame:
    """The rated games of a month, White's side."""
    table = pl.read_parquet(settings.published / month / "r1" / "games.parquet")
    return table.filter(pl.col("rated"), pl.col("colour") == "w")


def won_game(settings: Settings) -> dict[str, int]:
    row = games(settings).filter(pl.col("event_id") == LAKESIDE, pl.col("score_halves") == 2).row(0, named=True)
    return {"round": row["round"], "white": row["fide_id"], "black": row["opponent_id"]}


def a_game(game: dict[str, int]) -> str:
    return ", ".join([f'event_id = "{LAKESIDE}"', *(f"{key} = {cell}" for key, cell in game.items())])


def listed(settings: Settings, month: str, revision: str = "") -> pl.DataFrame:
    number = revision or revisions(settings)[month]
    return pl.read_parquet(settings.published / month / number / "standard.parquet")


def test_a_rerating_without_a_new_fact_changes_nothing(rated):
    # The index names the tables of both ratings, which are new.
    before = {path: data for path, data in published_bytes(rated.home).items() if path != "index.json"}
    output = rerate.rerate(rated, Period.parse(MONTHS[-2])).text()
    after = {path: data for path, data in published_bytes(rated.home).items() if path in before}
    assert after == before
    assert output.count("r1 stays current: nothing changed") == 2


def result_corrected(settings: Settings) -> dict[str, int]:
    """Turn a won game of the first month round and rate again; the game."""
    game = won_game(settings)
    correct(settings, correction("change_result", a_game(game), 'result = "0-1"'))
    rerate.rerate(settings, FIRST)
    return game


@pytest.fixture(scope="module")
def corrected(corrected_home: Path) -> tuple[Settings, dict[str, int]]:
    """The sample's office rated again after a corrected result, and the game; look, do not touch."""
    return office(corrected_home), CORRECTED_GAME


def test_a_corrected_result_moves_both_players_and_makes_a_revision_of_every_list_that_changed(corrected):
    settings, game = corrected
    diff = pl.read_parquet(settings.published / MONTHS[0] / "r2" / "diff.parquet")
    assert revisions(settings) == dict.fromkeys(MONTHS, "r2")
    assert sorted(diff["fide_id"]) == sorted([game["white"], game["black"]])
    assert dict(diff.select("fide_id", pl.col("difference").sign()).iter_rows()) == {
        game["white"]: 1,
        game["black"]: -1,
    }
    assert set(diff["cause"]) == {"game"}
    assert set(diff["corrections"]) == {"1"}


def test_every_difference_on_a_later_list_leads_back_to_the_correction(corrected):
    published = corrected[0].published
    later = pl.concat(pl.read_parquet(published / month / "r2" / "diff.parquet") for month in MONTHS[1:])
    assert set(later["corrections"]) == {"1"}
    assert set(later["cause"]) == {"list_before", "opponent"}


def test_diff_md_has_the_players_moved_the_differences_and_the_causes(corrected):
    settings, game = corrected
    diff = (settings.published / MONTHS[0] / "r2" / "DIFF.md").read_text(encoding="utf-8")
    assert "| 1 | change result ORV25081" in diff
    assert "the score sheets say so | chief arbiter | 2025-12-01" in diff
    assert f"| round {game['round']} of {LAKESIDE}: result corrected from 0 to 1 | 1 |" in diff


def test_the_first_revision_does_not_change(corrected, published):
    before, after = published_bytes(published.parent), published_bytes(corrected[0].home)
    first = {path: data for path, data in before.items() if "/r1/" in path}
    assert len(first) > len(MONTHS)
    assert {path: after[path] for path in first} == first


@pytest.mark.long
def test_a_preview_has_the_same_result_and_changes_nothing(rated):
    correct(rated, correction("change_result", a_game(won_game(rated)), 'result = "0-1"'))
    before = published_bytes(rated.home)
    foretold = rerate.rerate(rated, FIRST, preview=True)
    assert published_bytes(rated.home) == before
    done = rerate.rerate(rated, FIRST)
    assert foretold.months == [replace(month, revision="") for month in done.months]


@pytest.mark.long
def test_an_undone_correction_gives_the_first_bytes_again(rated):
    first = tables(rated, revisions(rated))
    result_corrected(rated)
    correct(rated, correction("undo", "correction = 1"))
    rerate.rerate(rated, FIRST)
    assert revisions(rated) == dict.fromkeys(MONTHS, "r3")
    assert tables(rated, revisions(rated)) == first


@pytest.mark.long
def test_an_undone_merge_gives_the_first_bytes_again(rated):
    first = tables(rated, revisions(rated))
    met = games(rated).select("fide_id", "opponent_id")
    one = met.item(0, "fide_id")
    all_players = set(listed(rated, MONTHS[0])["fide_id"])
    events = pl.concat(pl.read_parquet(rated.published / month / "r1" / "games.parquet") for month in MONTHS).select(
        "event_id", "fide_id"
    )
    shared = events.join(events.filter(fide_id=one), on="event_id", how="semi")["fide_id"]
    other = min(all_players - set(shared))
    values = f'into = {one}\nunlike_person = "one of the two was registered with a wrong name"'
    correct(rated, correction("merge", f"fide_id = {other}", values))
    rerate.rerate(rated, FIRST)
    merged = set(listed(rated, MONTHS[-1])["fide_id"])
    correct(rated, correction("undo", "correction = 1"))
    rerate.rerate(rated, FIRST)
    assert (one in merged, other in merged) == (True, False)
    assert tables(rated, revisions(rated)) == first


@pytest.mark.long
def test_a_withdrawn_event_is_refused_with_its_reason(rated):
    correct(rated, correction("withdraw_event", f'event_id = "{LAKESIDE}"'))
    rerate.rerate(rated, FIRST)
    events = pl.read_parquet(rated.published / MONTHS[0] / "r2" / "events.parquet").filter(event_id=LAKESIDE)
    assert events.select("status", "reason").rows() == [("refused", "withdrawn")]


@pytest.mark.long
def test_a_game_that_was_not_played_counts_for_neither_player(rated):
    game = won_game(rated)
    correct(rated, correction("change_result", a_game(game), 'result = "not played"'))
    rerate.rerate(rated, FIRST)
    before, after = (
        listed(rated, MONTHS[0], number).filter(fide_id=game["white"]).item(0, "games") for number in ("r1", "r2")
    )
    assert after == before - 1


@pytest.mark.long
def test_games_under_a_wrong_fide_id_move_to_the_right_one(rated):
    wrong = won_game(rated)["white"]
    in_event = set(games(rated).filter(event_id=LAKESIDE)["fide_id"])
    right = min(set(listed(rated, MONTHS[0])["fide_id"]) - in_event - {wrong})
    correct(rated, correction("change_player", f'event_id = "{LAKESIDE}", fide_id = {wrong}', f"fide_id = {right}"))
    rerate.rerate(rated, FIRST, because=OTHER_NAME)
    sides = pl.read_parquet(rated.published / MONTHS[0] / "r2" / "games.parquet").filter(event_id=LAKESIDE)
    assert (right in set(sides["fide_id"]), wrong in set(sides["fide_id"])) == (True, False)


@pytest.mark.long
def test_a_corrected_name_is_on_every_list_and_a_later_import_on_no_earlier_list(rated):
    player = won_game(rated)["white"]
    correct(rated, correction("change_data", f"fide_id = {player}", 'name = "Corrected, Name"'))
    rerate.rerate(rated, FIRST, because=OTHER_NAME)
    names = [listed(rated, month).filter(fide_id=player).item(0, "name") for month in MONTHS]
    assert names == ["Corrected, Name"] * len(MONTHS)


@pytest.mark.long
def test_a_corrected_report_gives_the_bytes_of_a_home_that_had_it_from_the_start(rated, tmp_path):
    original = SAMPLE / "reports" / MONTHS[0] / "lakeside-open-a.trf"
    text = original.read_text(encoding="utf-8")
    lines = text.splitlines(keepends=True)
    at = {int(line[4:8]): place for place, line in enumerate(lines) if line.startswith("001")}
    first = next(place for place in at.values() if lines[place][91 + 7 : 91 + 8] == "1")
    opponent = at[int(lines[first][91:95])]
    for place, result in ((first, "0"), (opponent, "1")):
        lines[place] = lines[place][:98] + result + lines[place][99:]
    corrected = "".join(lines)
    assert corrected != text
    (rated.home / "better.trf").write_text(corrected, encoding="utf-8", newline="")
    correct(rated, correction("replace_report", f'event_id = "{LAKESIDE}"', 'file = "better.trf"'))
    rerate.rerate(rated, FIRST)

    reports = tmp_path / "reports"
    shutil.copytree(SAMPLE / "reports", reports)
    (reports / MONTHS[0] / "lakeside-open-a.trf").write_text(corrected, encoding="utf-8", newline="")
    other = office(tmp_path / "other")
    rate_sample_from(other, reports)
    assert tables(rated, revisions(rated)) == tables(other, revisions(other))


def rate_sample_from(settings: Settings, reports: Path) -> None:
    import_files.import_list(settings, SAMPLE / "list-2025-08.csv", Period.parse("2025-08"))
    for month in MONTHS:
        if (players := SAMPLE / f"players-{month}.csv").exists():
            import_files.import_players(settings, players)
        run.run(settings, Period.parse(month), [reports / month])


MATCHES_NOTHING = {
    "no such event": (correction("withdraw_event", 'event_id = "NONE"'), "no report of an event NONE"),
    "no such game": (
        correction("change_result", f'event_id = "{LAKESIDE}", round = 1, white = 1, black = 2', 'result = "1-0"'),
        "no game of 1 and 2 was played",
    ),
    "no such player in the event": (
        correction("change_player", f'event_id = "{LAKESIDE}", fide_id = 1', "fide_id = 2"),
        "no player 1 is in a report",
    ),
    "unregistered player": (correction("merge", "fide_id = 1", "into = 2"), "the player 1 is not registered"),
    "no such correction": (correction("undo", "correction = 7"), "there is no correction 7"),
    "no such report": (
        correction("replace_report", 'event_id = "NONE"', 'file = "x.trf"'),
        "no accepted report of the event NONE",
    ),
    "no such file": (
        correction("replace_report", f'event_id = "{LAKESIDE}"', 'file = "x.trf"'),
        "x.trf does not exist",
    ),
}


@pytest.mark.parametrize(("text", "message"), MATCHES_NOTHING.values(), ids=MATCHES_NOTHING)
def test_a_correction_that_matches_nothing_refuses_the_whole_file(rated, text, message):
    file = rated.home / "corrections.toml"
    file.write_text(correction("withdraw_event", f'event_id = "{LAKESIDE}"') + text, encoding="utf-8")
    with pytest.raises(NothingReadError) as error:
        correct_workflow.correct(rated, file)
    assert message in str(error.value)
    assert "line 8" in str(error.value)
    correct(rated, correction("withdraw_event", f'event_id = "{LAKESIDE}"'))  # nothing was kept of the first


def test_a_correction_is_undone_only_once(rated):
    correct(rated, correction("withdraw_event", f'event_id = "{LAKESIDE}"'), correction("undo", "correction = 1"))
    with pytest.raises(NothingReadError, match="was undone already"):
        correct(rated, correction("undo", "correction = 1"))


def test_both_numbers_has_both_ratings(corrected):
    settings, game = corrected
    both = pl.read_parquet(settings.published / MONTHS[0] / "both_numbers.parquet").filter(fide_id=game["white"])
    was, now = (
        listed(settings, MONTHS[0], number).filter(fide_id=game["white"]).item(0, "rating") for number in ("r1", "r2")
    )
    assert both.select("as_published", "as_now_known").rows() == [(was, now)]
    assert was != now


def test_one_correction_may_count_on_the_next_list_alone(rated):
    correct(rated, correction("change_result", a_game(won_game(rated)), 'result = "0-1"'))
    done = rerate.rerate(rated, FIRST, land="next_list")
    assert "no published list gets a revision: the next list starts from the corrected ratings" in done.text()
    assert revisions(rated) == dict.fromkeys(MONTHS, "r1")
    assert status.status(rated).open_months == []
    (entry,) = [one for one in log.read(rated.home)[0].entries if one.kind == "revise"]
    assert entry.facts["land"] == "next_list"
    before = published_bytes(rated.home)
    replay.rebuild(rated)
    assert published_bytes(rated.home) == before


@pytest.mark.long
@pytest.mark.parametrize("land", ["revisions", "next_list"])
def test_a_federation_may_let_corrections_land_on_the_next_list_alone(rated, land):
    (rated.home / "office.toml").write_text(f'[corrections]\nland = "{land}"\n', encoding="utf-8")
    result_corrected(rated)
    assert revisions(rated) == dict.fromkeys(MONTHS, {"revisions": "r2", "next_list": "r1"}[land])


def test_the_status_of_an_event_names_what_is_missing(rated):
    row = event_workflow.event(rated, "ORV25093").reports.row(0, named=True)
    assert (row["status"], row["reason"], row["last_list"], row["rateable_until"]) == (
        "refused",
        "report_refused",
        "2025-12",
        date(2025, 11, 28),
    )
    assert "have the report corrected" in row["missing"]


def test_every_report_received_is_in_the_published_status_of_events(rated):
    status = pl.read_parquet(rated.published / "events.parquet")
    assert {"rated", "late", "duplicate", "refused"} <= set(status["status"])
    assert status.filter(event_id=LAKESIDE)["list_month"].to_list() == [MONTHS[0]]


LAST = Period.parse(MONTHS[-1])


BIRTH = "birth_date = 1950-06-07"


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
