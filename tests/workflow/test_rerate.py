"""Applying corrections and rating again: which lists change, which do not, and what can be read as known before."""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from hashlib import sha256
from pathlib import Path

import polars as pl
import pytest

from ratinglist.errors import CheckError, NothingReadError, UnansweredError
from ratinglist.period import Period
from ratinglist.settings import Settings
from ratinglist.store.calculations import digests_of
from ratinglist.store.inputs import read_month_inputs
from ratinglist.store.rule_files import rule_book
from ratinglist.workflows import (
    correct as correct_workflow,
    doctor,
    import_files,
    load,
    publish,
    quarantine,
    rerate,
    run,
    status,
    undo,
)
from tests.conftest import (
    CHAIN,
    CORRECTED_GAME,
    CORRECTION,
    MONTHS,
    SAMPLE,
    copied,
    import_sample,
    office,
    published_bytes,
)
from tests.stores import open_store

pytestmark = pytest.mark.asks_only(*CHAIN, "pending_correction")

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


def stranger(settings: Settings, player: int) -> int:
    """A listed player who was never in an event with this one."""
    events = pl.concat(pl.read_parquet(settings.published / month / "r1" / "games.parquet") for month in MONTHS)
    shared = events.join(events.filter(fide_id=player), on="event_id", how="semi")["fide_id"]
    return min(set(listed(settings, MONTHS[0])["fide_id"]) - set(shared))


def test_a_rerating_without_a_new_fact_changes_nothing(until_october):
    # The index names the tables of both ratings, which are new.
    before = {path: data for path, data in published_bytes(until_october.home).items() if path != "index.json"}
    output = rerate.rerate(until_october, FIRST).text()
    after = {path: data for path, data in published_bytes(until_october.home).items() if path in before}
    assert after == before
    assert output.count("r1 stays current: nothing changed") == 2
    # The list after them starts from the same figures, which needs no note.
    assert "rerate" not in str(run.rate(until_october, NOVEMBER).notes)


@pytest.fixture(scope="module")
def corrected(corrected_home: Path) -> tuple[Settings, dict[str, int]]:
    """The sample's office rated again after a corrected result, and the game; look, do not touch."""
    return office(corrected_home), CORRECTED_GAME


def test_a_corrected_result_moves_both_players_and_makes_a_revision_of_every_list_that_changed(corrected, published):
    settings, game = corrected
    folder = settings.published / MONTHS[0]
    diff = pl.read_parquet(folder / "r2" / "diff.parquet")
    assert revisions(settings) == dict.fromkeys(MONTHS, "r2")
    assert dict(diff.select("fide_id", pl.col("difference").sign()).iter_rows()) == {
        game["white"]: 1,
        game["black"]: -1,
    }
    assert diff.select("cause", "corrections").unique().rows() == [("game", "1")]
    later = pl.concat(pl.read_parquet(settings.published / month / "r2" / "diff.parquet") for month in MONTHS[1:])
    assert set(later["corrections"]) == {"1"}
    assert set(later["cause"]) == {"list_before", "opponent"}
    was, now = (listed(settings, MONTHS[0], number) for number in ("r1", "r2"))
    both = pl.read_parquet(folder / "both_numbers.parquet").filter(fide_id=game["white"])
    ratings = [table.filter(fide_id=game["white"]).item(0, "rating") for table in (was, now)]
    assert both.select("as_published", "as_now_known").row(0) == (*ratings,)
    text = (folder / "r2" / "DIFF.md").read_text(encoding="utf-8")
    says = (
        "| 1 | change result ORV25081",
        "the score sheets say so | chief arbiter | 2025-12-01",
        f"| round {game['round']} of {LAKESIDE}: result corrected from 0 to 1 | 1 |",
    )
    assert [part for part in says if part not in text] == []
    (stated,) = json.loads((folder / "r2" / "manifest.json").read_bytes())["corrections"]
    assert [str(stated[name]) for name in ("correction_no", "reason", "who", "reported_on")] == [
        *("1", "the score sheets say so", "chief arbiter", "2025-12-01")
    ]
    before, after = published_bytes(published.parent), published_bytes(settings.home)
    first = {path: data for path, data in before.items() if "/r1/" in path}
    assert len(first) > len(MONTHS)
    assert {path: after[path] for path in first} == first


@pytest.mark.long
def test_what_is_undone_gives_the_first_bytes_again(rated):
    first = tables(rated, revisions(rated))
    white = won_game(rated)["white"]
    other = stranger(rated, white)
    values = f'into = {white}\nunlike_person = "one of the two was registered with a wrong name"'
    result = correction("change_result", a_game(won_game(rated)), 'result = "0-1"')
    correct(rated, result, correction("merge", f"fide_id = {other}", values))
    rerate.rerate(rated, FIRST)
    merged = set(listed(rated, MONTHS[-1])["fide_id"])
    assert (white in merged, other in merged) == (True, False)
    correct(rated, *(correction("undo", f"correction = {number}") for number in (1, 2)))
    rerate.rerate(rated, FIRST)
    assert revisions(rated) == dict.fromkeys(MONTHS, "r3")
    assert tables(rated, revisions(rated)) == first


def test_a_calculation_names_the_files_that_its_players_are_known_from(rated, tmp_path):
    """A later file changes no player of the month, also not one whom a correction names: it is no input."""
    white = won_game(rated)["white"]
    other = stranger(rated, white)
    later = tmp_path / "players.csv"
    name = listed(rated, MONTHS[0]).filter(fide_id=white)["name"].item()
    later.write_text(f'fide_id,name,title\n{white},"{name}",GM\n', encoding="utf-8")
    import_files.import_players(rated, later)
    merge = f'into = {white}\nunlike_person = "one of the two was registered with a wrong name"'
    correct(rated, correction("merge", f"fide_id = {other}", merge))
    with open_store(rated.store) as store:
        inputs = read_month_inputs(store, FIRST, rated.family, rule_book())
        named = digests_of(store, inputs)["players"]
        is_known = "GM" in inputs.players.filter(fide_id=white)["title"]
    assert (is_known, sha256(later.read_bytes()).hexdigest() in named) == (False, False)


@pytest.mark.long
def test_every_correction_changes_the_lists_as_it_says(rated):
    game = won_game(rated)
    in_event = set(games(rated).filter(event_id=LAKESIDE)["fide_id"])
    right = min(set(listed(rated, MONTHS[0])["fide_id"]) - in_event)
    wrong = min(in_event - {game["white"], game["black"]})
    correct(
        rated,
        correction("change_result", a_game(game), 'result = "not played"'),
        correction("change_player", f'event_id = "{LAKESIDE}", fide_id = {wrong}', f"fide_id = {right}"),
        correction("change_data", f"fide_id = {game['white']}", 'name = "Corrected, Name"'),
        correction("withdraw_event", 'event_id = "ORV25082"'),
    )
    rerate.rerate(rated, FIRST, because=OTHER_NAME)
    was, now = (listed(rated, MONTHS[0], number).filter(fide_id=game["white"]) for number in ("r1", "r2"))
    assert now.item(0, "games") == was.item(0, "games") - 1
    sides = pl.read_parquet(rated.published / MONTHS[0] / "r2" / "games.parquet").filter(event_id=LAKESIDE)
    assert (right in set(sides["fide_id"]), wrong in set(sides["fide_id"])) == (True, False)
    names = [line(rated, month, game["white"])["name"] for month in MONTHS]
    assert names == ["Corrected, Name"] * len(MONTHS)
    events = pl.read_parquet(rated.published / MONTHS[0] / "r2" / "events.parquet").filter(event_id="ORV25082")
    assert events.select("status", "reason").rows() == [("refused", "withdrawn")]


@pytest.mark.long
def test_a_corrected_report_gives_the_bytes_of_a_home_that_had_it_from_the_start(rated, tmp_path):
    reports = Path(shutil.copytree(SAMPLE / "reports", tmp_path / "reports"))
    report = reports / MONTHS[0] / "lakeside-open-a.trf"
    drawn_instead(report, report)
    shutil.copy(report, rated.home / "better.trf")
    correct(rated, correction("replace_report", f'event_id = "{LAKESIDE}"', 'file = "better.trf"'))
    rerate.rerate(rated, FIRST)
    other = office(tmp_path / "other")
    rate_sample_from(other, reports)
    assert tables(rated, revisions(rated)) == tables(other, revisions(other))


def drawn_instead(report: Path, copy: Path) -> None:
    """Write a copy of a report in which the first game that White won is a draw."""
    lines = report.read_text(encoding="utf-8").splitlines()
    rows = {int(line[4:8]): place for place, line in enumerate(lines) if line.startswith("001")}
    won = next(place for place in rows.values() if lines[place][96:99] == "w 1")
    for place in (won, rows[int(lines[won][91:95])]):
        lines[place] = lines[place][:98] + "=" + lines[place][99:]
    copy.write_text("\n".join([*lines, ""]), encoding="utf-8")


def rate_sample_from(settings: Settings, reports: Path) -> None:
    import_sample(settings)
    for month in MONTHS:
        if (players := SAMPLE / f"players-{month}.csv").exists():
            import_files.import_players(settings, players)
        run.run(settings, Period.parse(month), [reports / month])


MATCHES_NOTHING = {
    "no such game": (
        correction("change_result", f'event_id = "{LAKESIDE}", round = 1, white = 1, black = 2', 'result = "1-0"'),
        "no game of 1 and 2 was played",
    ),
    "no such player in the event": (
        correction("change_player", f'event_id = "{LAKESIDE}", fide_id = 1', "fide_id = 2"),
        "no player 1 is in a report",
    ),
    "unregistered player": (correction("merge", "fide_id = 1", "into = 2"), "the player 1 is not registered"),
    "no such report": (
        correction("replace_report", 'event_id = "NONE"', 'file = "x.trf"'),
        "no accepted report of the event NONE",
    ),
    "no such file": (
        correction("replace_report", f'event_id = "{LAKESIDE}"', 'file = "x.trf"'),
        "x.trf does not exist",
    ),
}


def test_a_correction_that_matches_nothing_refuses_the_whole_file(first_month):
    file = first_month.home / "corrections.toml"
    for text, message in MATCHES_NOTHING.values():
        file.write_text(correction("withdraw_event", f'event_id = "{LAKESIDE}"') + text, encoding="utf-8")
        with pytest.raises(NothingReadError) as error:
            correct_workflow.correct(first_month, file)
        assert message in str(error.value)
        assert "line 8" in str(error.value)
    correct(first_month, correction("withdraw_event", f'event_id = "{LAKESIDE}"'))  # nothing was kept of the first


def test_a_correction_is_undone_only_once(rated):
    correct(rated, correction("withdraw_event", f'event_id = "{LAKESIDE}"'), correction("undo", "correction = 1"))
    with pytest.raises(NothingReadError, match="was undone already"):
        correct(rated, correction("undo", "correction = 1"))


LAST = Period.parse(MONTHS[-1])
BIRTH = "birth_date = 1950-06-07"


def answered(command: Callable[..., object], *arguments: object) -> None:
    """Give a command, and answer every question that it asks."""
    try:
        command(*arguments)
    except UnansweredError as asked:
        command(*arguments, because=dict.fromkeys((doubt["code"] for doubt in asked.doubts), "the passport says so"))


def import_player(settings: Settings, player: int, **more: str) -> None:
    """Import a file with one player: the usual values, with the columns of ``more`` changed."""
    known = {"fide_id": player, "name": "New, Player", "federation": "ORV", "sex": "M", "birth_date": "", **more}
    file = settings.home / "players.csv"
    file.write_text(",".join(known) + "\n" + ",".join(f'"{cell}"' for cell in known.values()) + "\n", encoding="utf-8")
    answered(import_files.import_players, settings, file)


def line(settings: Settings, month: str, player: int) -> dict[str, object]:
    return listed(settings, month).filter(fide_id=player).row(0, named=True)


@pytest.mark.long
def test_a_corrected_birth_date_changes_no_name_on_an_earlier_list_and_no_import_undoes_it(rated: Settings) -> None:
    player = won_game(rated)["white"]
    before = line(rated, MONTHS[0], player)
    import_player(rated, player, federation="ZZZ", birth_date="1980-01-01")
    correct(rated, correction("change_data", f"fide_id = {player}", BIRTH))
    import_player(rated, player, birth_date="1980-01-01", name="Another, Name")
    answered(rerate.rerate, rated, FIRST)
    first, last = (line(rated, month, player) for month in (MONTHS[0], MONTHS[-1]))
    assert (first["name"], first["federation"], first["birth_year"]) == (before["name"], before["federation"], 1950)
    assert (last["name"], last["birth_year"]) == ("Another, Name", 1950)


def test_a_corrections_file_may_begin_with_a_byte_order_mark(rated: Settings) -> None:
    file = rated.home / "windows.toml"
    text = correction("withdraw_event", f'event_id = "{LAKESIDE}"').replace("\n", "\r\n")
    file.write_bytes(text.encode("utf-8-sig"))
    (entry,) = correct_workflow.correct(rated, file).made
    assert entry.description == f"{LAKESIDE}: withdrawn, Lakeside Open, Group A"
    (note,) = quarantine.event(rated, LAKESIDE).notes
    assert note.startswith("correction 1 is not in the lists yet")
    row = quarantine.event(rated, "ORV25093")
    assert "line 14, column 99: one game gives more than one point" in row.notes[0]
    status_of_event = row.reports.row(0, named=True)
    expected = {"status": "refused", "reason": "report_refused", "last_list": "2025-12"}
    assert status_of_event.items() >= {**expected, "rateable_until": date(2025, 11, 28)}.items()


def other_rules(monkeypatch: pytest.MonkeyPatch, period: Period) -> str:
    """A program whose rule file of the standard list of a month has another K; returns the file's name."""
    book = rule_book()
    file = book.on("fide", "standard", period.first_day)
    assert file is not None
    text = re.sub(r"(?m)^(normal *= *\{ *value *= *)20\b", r"\g<1>19", book.files[file.name])
    assert text != book.files[file.name]
    other = replace(book, files={**book.files, file.name: text})
    for module in [loaded for name, loaded in sys.modules.items() if name.startswith("ratinglist.")]:
        if hasattr(module, "rule_book"):
            monkeypatch.setattr(module, "rule_book", lambda: other)
    return file.name


@pytest.mark.parametrize(
    ("start", "causes"),
    [(LAST, {"rules"}), pytest.param(FIRST, {"list_before", "opponent"}, marks=pytest.mark.long)],
)
def test_a_changed_rule_file_is_named_as_the_cause_and_at_the_end_of_the_chain(
    start: Period, causes: set[str], rated: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = other_rules(monkeypatch, start)
    rerate.rerate(rated, start)
    folder = rated.published / MONTHS[-1] / "r2"
    diff = pl.read_parquet(folder / "diff.parquet").filter(time_control="standard")
    assert causes <= set(diff["cause"])
    assert set(diff["rule_files"]) == {name}
    assert (
        start != LAST or f"- `{name}`: its values or articles are others (digest " in (folder / "DIFF.md").read_text()
    )


def test_a_correction_that_an_earlier_list_lacks_is_named(rated: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    correct(rated, correction("change_result", a_game(won_game(rated)), 'result = "0-1"'))
    # Facts stay as they are, so the store is not copied.
    monkeypatch.delattr(shutil, "copyfile")
    done = rerate.rerate(rated, LAST, preview=True)
    assert done.text().splitlines()[-1] == (
        f"note: correction 1 is not in the lists yet, which may change from {MONTHS[0]} on: "
        f"ratinglist rerate --from {MONTHS[0]}"
    )


# ------------------------------------------------------------------------------------------------------ the list before


SEPTEMBER, OCTOBER, NOVEMBER, DECEMBER = map(Period.parse, MONTHS)
BECAUSE = {"pending_correction": "the correction waits for the arbiter's answer"}


@pytest.fixture
def corrected_september(homes: Path, tmp_path: Path, moves_nothing: None) -> Settings:
    """An office that has published September, and corrected a game of it since."""
    settings = copied(homes / "2025-09", tmp_path)
    file = tmp_path / "correction.toml"
    file.write_text(CORRECTION, encoding="utf-8")
    correct_workflow.correct(settings, file)
    return settings


def run_october(settings: Settings, because: dict[str, str] = BECAUSE) -> list[str]:
    """Publish October, and return the notes of its calculation."""
    import_files.import_players(settings, SAMPLE / "players-2025-10.csv")
    return run.run(settings, OCTOBER, [SAMPLE / "reports" / "2025-10"], because=because).rated.notes


def others_than_published(settings: Settings, revision: str = "r1") -> pl.DataFrame:
    """The players whose old rating in October is not the one that a revision of September has."""
    old = pl.read_parquet(settings.published / "2025-10" / "r1" / "changes.parquet").filter(time_control="standard")
    before = pl.read_parquet(settings.published / "2025-09" / revision / "standard.parquet")
    both = old.join(before, on="fide_id")
    assert len(both) > 10
    return both.filter(pl.col("old_rating") != pl.col("rating"))


def test_a_list_starts_from_the_published_one_and_a_rerating_from_its_own_calculations(corrected_september):
    run.rate(corrected_september, SEPTEMBER)
    notes = run_october(corrected_september)
    assert any("2025-09" in note and "r1" in note for note in notes)
    assert others_than_published(corrected_september).is_empty()
    rerate.rerate(corrected_september, SEPTEMBER)
    old = pl.read_parquet(corrected_september.published / "2025-10" / "r2" / "changes.parquet")
    before = pl.read_parquet(corrected_september.published / "2025-09" / "r2" / "standard.parquet")
    both = old.filter(time_control="standard").join(before, on="fide_id")
    assert both.filter(pl.col("old_rating") != pl.col("rating")).is_empty()
    assert others_than_published(corrected_september).is_empty()
    assert (corrected_september.published / "2025-09" / "latest").read_text(encoding="utf-8") == "r2\n"
    assert doctor.check(corrected_september).problems == []


def test_a_list_starts_from_what_was_rolled_back_to(corrected_september):
    rerate.rerate(corrected_september, SEPTEMBER)
    undo.rollback(corrected_september, SEPTEMBER, "the arbiter was right at first")
    run_october(corrected_september)
    assert others_than_published(corrected_september).is_empty()


def test_the_diff_after_a_rollback_names_the_list_that_was_taken_back(corrected_september):
    rerate.rerate(corrected_september, SEPTEMBER)
    run_october(corrected_september, {})
    undo.rollback(corrected_september, SEPTEMBER, "the arbiter was right at first")
    correct(corrected_september, correction("undo", "correction = 1"))
    rerate.rerate(corrected_september, SEPTEMBER)
    diff = pl.read_parquet(corrected_september.published / "2025-10" / "r2" / "diff.parquet")
    assert set(diff["cause"]) == {"list_before", "opponent"}
    assert "rating on the 2025-09 list corrected to 1824" in set(diff["because"])


def test_where_corrections_land_on_the_next_list_no_published_one_changes(corrected_september):
    choices = '[corrections]\nland = "next_list"\n'
    (corrected_september.home / "office.toml").write_text(choices, encoding="utf-8")
    before = published_bytes(corrected_september.home)
    done = rerate.rerate(corrected_september, SEPTEMBER)
    assert "no published list gets a revision: the next list starts from the corrected ratings" in done.text()
    after = published_bytes(corrected_september.home)
    differing = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    assert differing == {f"{SEPTEMBER}/both_numbers.parquet"}
    assert status.status(corrected_september).open_months == []
    run_october(corrected_september, {})
    assert not others_than_published(corrected_september).is_empty()
    assert doctor.check(corrected_september).problems == []


@pytest.mark.asks_only(*CHAIN, "no_game_rated_twice")
def test_months_out_of_order_or_not_published_end_in_a_remedy_that_works(until_october: Settings) -> None:
    for month in (DECEMBER, NOVEMBER):
        load.load(until_october, [SAMPLE / "reports" / str(month)])
        run.rate(until_october, month)
    with pytest.raises(CheckError) as stopped:
        publish.publish(until_october, NOVEMBER)
    assert "ratinglist rate 2025-12" in str(stopped.value)
    with pytest.raises(CheckError, match=r"was calculated from 2025-11, which is calculated but not published"):
        run.run(until_october, DECEMBER)
    assert not (until_october.published / str(DECEMBER)).exists()
    assert publish.publish(until_october, NOVEMBER).revision == "r1"
    assert publish.publish(until_october, DECEMBER).revision == "r1"
