"""Corrections typed as commands: each means a corrections file, and shows what it moves before it does."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import CliRunner, Result

from ratinglist.cli.main import program
from ratinglist.corrections.parser import parse_corrections
from ratinglist.errors import CommandLineError, NothingReadError, StoreInUseError, UnansweredError
from ratinglist.period import Period
from ratinglist.settings import Settings
from ratinglist.store.inputs import players_of
from ratinglist.summaries import CorrectionPreview
from ratinglist.workflows import correct, import_files, load, replay, run, status, undo
from ratinglist.workflows.correct import preview_typed, type_correction
from ratinglist.workflows.opening import open_to_read, open_to_write
from tests.command_line import did, stopped
from tests.conftest import CORRECTION, MONTHS, SAMPLE, copied, delivery_of, office

pytestmark = pytest.mark.asks_only()


@pytest.fixture(scope="module")
def _loaded_home(homes: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = Path(shutil.copytree(homes / "2025-08", tmp_path_factory.mktemp("loaded") / "home"))
    import_files.import_players(office(home), SAMPLE / f"players-{MONTHS[0]}.csv")
    load.load(office(home), [SAMPLE / "reports" / MONTHS[0]])
    return home


@pytest.fixture
def loaded(_loaded_home: Path, tmp_path: Path) -> Settings:
    """An office that has received the reports of one month and calculated none: no list follows from a correction."""
    return copied(_loaded_home, tmp_path)


@pytest.fixture(scope="module")
def unchanged(homes: Path, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """The same, for commands that are refused; each of its tests shows that nothing was kept."""
    return office(Path(shutil.copytree(homes / MONTHS[0], tmp_path_factory.mktemp("refused") / "home")))


MARRIED = ["--because", "unlike_person=the register has it", "--by", "chief arbiter"]
WHY = ["--because", "the score sheets say so", "--by", "chief arbiter"]
RESULT = ["result", "ORV25081", "1", "99900046", "99900095", "1-0", *WHY]


ABOUT = """
reason = "score sheets compared"
who = "chief arbiter"
reported_on = 2025-11-03
"""


def table(body: str) -> str:
    return f"[[correction]]\n{body}\n{ABOUT}"


def typed(settings: Settings, *arguments: str) -> Result:
    return CliRunner(env={"RATINGLIST_TODAY": str(settings.today)}).invoke(
        program, ["correct", *arguments, "--home", str(settings.home)]
    )


def everything(home: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(home)): path.read_bytes()
        for path in home.rglob("*")
        if path.is_file() and not path.name.startswith("ratinglist.duckdb")
    }


def test_a_preview_shows_lists_and_players_and_changes_nothing(first_month: Settings) -> None:
    run.rate(first_month, Period.parse(MONTHS[1]))
    before = everything(first_month.home)
    preview = preview_typed(first_month, CORRECTION)
    shown = preview.text()
    assert "2025-09  r1: 2 players differ, 1 rose, 1 fell, by at most 20" in shown
    assert "  2025-09 standard  99900046 Thorbjörnsson, Egill: 1824 -> 1844" in shown
    assert everything(first_month.home) == before
    assert preview.as_dict()["players"][0] == {
        "month": "2025-09",
        "time_control": "standard",
        "fide_id": 99900046,
        "old_rating": 1824,
        "rating": 1844,
        "name": "Thorbjörnsson, Egill",
    }


def test_every_command_makes_its_correction(loaded: Settings) -> None:
    titles = {"title": "GM", "women_title": "WIM", "other_titles": "FA,NI"}
    for arguments, sentence in (
        (
            ["player", "99900046", "birth_year=1962", "name=Other, Name", *map("=".join, titles.items()), *WHY],
            "99900046 Thorbjörnsson, Egill: name corrected from Thorbjörnsson, Egill to Other, Name; "
            "birth year corrected from 1961 to 1962",
        ),
        (
            ["player", "99900046", *(f"{column}=" for column in titles), *WHY],
            "title corrected from GM to none; women title corrected from WIM to none; "
            "other titles corrected from FA,NI to none",
        ),
        (RESULT, "result corrected from 0-1 to 1-0"),
        (["merge", "99900018", "99900121", *MARRIED], "merged into 99900121"),
        (["withdraw", "ORV25081", *WHY], "ORV25081: withdrawn, "),
        (["undo", "1", *WHY], "correction 1 (change data 99900046) is undone"),
    ):
        done = typed(loaded, *arguments)
        assert (done.exit_code, sentence in done.output) == (0, True), (done.output, done.exception)
    texts = [path.read_bytes() for path in (loaded.home / "originals").iterdir()]
    assert sum(text.startswith(b"[[correction]]") for text in texts) == 6
    with open_to_read(loaded) as store:
        assert store.rows(f"select {', '.join(titles)} from player_now where fide_id = 99900046") == [("", "", "")]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (["player", "99900046", "k=40"], CommandLineError, "'k=40': write KEY=VALUE, the key being one of name, fed"),
        (["player", "99900046", "birth_year=x"], CommandLineError, "^'birth_year' is 'x'; it must be a whole number"),
        (["player", "99900046", "birth_date=1.2.1990"], CommandLineError, "^'birth_date' is .* it must be a date"),
        (["player", "99900046", "birth_year=90"], NothingReadError, "^the birth is in the year of today"),
        (["player", "99900046", "birth_year=2025"], NothingReadError, "^the birth is in the year of today"),
        (["player", "99900046", "birth_year=1849"], NothingReadError, "or before 1850"),
        (["player", "99900046", "birth_date=2025-01-01"], NothingReadError, "^the birth is in the year of today"),
        (["player", "99900046", "name="], CommandLineError, "^'name' is empty"),
        (["player", "99900046", "sex=x"], CommandLineError, "^'sex' is 'x'; it must be 'M' or 'F'"),
        (["player", "99900046", "federation=Italy"], CommandLineError, "three capital letters"),
        (["result", "ORV25081", "1", "99900095", "99900046", "1-0"], NothingReadError, "exchange the two numbers"),
        (["withdraw", "ORV25081", "--by", " "], CommandLineError, "^--by is empty"),
        (["withdraw", "ORV25081", "--because", ""], CommandLineError, "^--because is empty: write why it is wrong"),
        (["withdraw", "ORV25081", "--because", "x"], CommandLineError, "is no reason that a reader understands"),
        (
            ["withdraw", "ORV25081", "--because", "x" * 501],
            CommandLineError,
            "^--because has 501 characters; at most",
        ),
        (
            ["withdraw", "ORV25081", "--because", "born 2 November 1983"],
            NothingReadError,
            "^--because has a date of birth",
        ),
        (["withdraw", "ORV25081", "--by", "Rossi\udcff"], CommandLineError, r"has the character U\+DCFF"),
        (
            ["withdraw", "ORV25081", "--reported", "2030-01-01"],
            CommandLineError,
            "^--reported 2030-01-01 is after today",
        ),
        (["player", "1", "sex=F"], NothingReadError, "^the player 1 is not registered"),
        (["withdraw", "NONE"], NothingReadError, "NONE"),
        (["undo", "7"], NothingReadError, "^there is no correction 7"),
    ],
)
def test_what_cannot_be_corrected_is_refused(
    unchanged: Settings, arguments: list[str], error: type[Exception], message: str
) -> None:
    # An option that is given twice has its last value.
    done = typed(unchanged, arguments[0], *WHY, *arguments[1:])
    with pytest.raises(error, match=message) as refused:
        raise done.exception or AssertionError(done.output)
    assert not re.search(r"the file|\.toml|line \d|'match", str(refused.value))


@pytest.mark.parametrize(
    ("datum", "options"),
    [
        ("birth_date=1962-02-03", ()),
        pytest.param("birth_date=1962-02-03", ("--json",), marks=pytest.mark.long),
        pytest.param("birth_year=1962", (), marks=pytest.mark.long),
        pytest.param("birth_year=1962", ("--json",), marks=pytest.mark.long),
    ],
)
def test_a_preview_shows_the_data_that_differ_and_of_a_birth_the_year_alone(
    first_month: Settings, datum: str, options: tuple[str, ...], moves_nothing: None
) -> None:
    done = typed(first_month, "player", "99900046", datum, *WHY, "--preview", *options)
    assert "99900046 Thorbjörnsson, Egill: birth year corrected from 1961 to 1962" in done.output
    assert not re.search(r"19\d\d-\d\d", done.output)
    assert options or done.output.splitlines()[-1] == "Nothing was corrected (--preview)."


# --------------------------------------------------------------------------------------- one line for every month


def test_a_report_is_corrected_in_one_line_and_made_again_from_the_log(
    first_month: Settings, moves_nothing: None
) -> None:
    options = ["--id", "99900046=99900143", "--result", "2 99900095 900000047 1/2-1/2"]
    fields = ["--field", "end_date=2025-08-20", "--field", "official=1", "--field", "minutes_per_60_moves=130"]
    assert isinstance(typed(first_month, "report", "ORV25081", *options, *fields, *WHY).exception, NothingReadError)
    done = typed(first_month, "report", "ORV25081", *options[:2], *fields, *WHY)
    assert "ORV25081: player corrected from 99900046 to 99900143" in done.stdout
    assert "end date corrected from 2025-08-10 to 2025-08-20; official corrected from False to True" in done.stdout
    assert fields_now(first_month) == [(date(2025, 8, 20), True, 130)]
    first_month.store.unlink()
    assert fields_now(first_month) == [(date(2025, 8, 20), True, 130)]
    typed(first_month, "undo", "2", *WHY)
    assert fields_now(first_month) == [(date(2025, 8, 10), False, 120)]


def fields_now(settings: Settings) -> list[tuple[object, ...]]:
    with open_to_read(settings) as store:
        return store.rows(
            "select end_date, official, minutes_per_60_moves from current_report where event_id = 'ORV25081'"
        )


@pytest.mark.asks_only("player_merged_before")
def test_an_import_for_an_id_that_was_merged_names_the_id_of_now(loaded: Settings, tmp_path: Path) -> None:
    assert typed(loaded, "merge", "99900121", "99900290", *MARRIED).exit_code == 0
    file = tmp_path / "titles.csv"
    file.write_text(
        'fide_id,name,title\n99900121,"Whitlock, Agatha",WGM\n99900290,"Strandvold, Ketil",FM\n', encoding="utf-8"
    )
    assert import_files.import_players(loaded, file).notes == [
        "99900121 Whitlock, Agatha is 99900290 Strandvold, Ketil since a merge: what the file changes of 99900121 is "
        "on no list. If it is right, import it with 99900290 in the place of 99900121; if these are two people, undo "
        "the merge"
    ]
    # The file changes nothing by now.
    assert import_files.import_players(loaded, file).notes == []


LAKESIDE = (SAMPLE / "reports" / MONTHS[0] / "lakeside-open-a.trf").read_text(encoding="utf-8")


def second_version(folder: Path, report: str) -> Path:
    """A delivery of ``report`` as version 2 of the Lakeside Open."""
    sheet = (SAMPLE / "reports" / MONTHS[0] / "manifest.csv").read_text(encoding="utf-8").splitlines()
    rows = [sheet[0], *(line.replace(",ORV25081,1,", ",ORV25081,2,") for line in sheet if ",ORV25081," in line)]
    delivery = folder / "again"
    delivery.mkdir()
    (delivery / "manifest.csv").write_text("\n".join([*rows, ""]), encoding="utf-8")
    (delivery / "lakeside-open-a.trf").write_text(report, encoding="utf-8")
    return delivery


def test_a_correction_is_repeated_for_a_new_version_by_the_same_file(loaded: Settings, tmp_path: Path) -> None:
    file = tmp_path / "corrections.toml"
    file.write_text(CORRECTION, encoding="utf-8")
    correct.correct(loaded, file)
    load.load(loaded, [second_version(tmp_path, LAKESIDE.replace("022 Lakeside", "022 Lakeside Town"))])
    assert [correct.correct(loaded, file).already for _ in range(2)] == [False, True]
    with open_to_read(loaded) as store:
        query = """
            select white_halves from current_report_game join report using (report_no)
            where event_id = 'ORV25081' and round = 1 and white_id = 99900046
        """
        assert store.rows(query) == [(2,), (2,)]


@pytest.mark.asks_only("version_in_place")
def test_a_version_of_an_event_that_a_list_has_rated_is_said_to_change_no_later_list(
    first_month: Settings, tmp_path: Path
) -> None:
    delivery = delivery_of(tmp_path, MONTHS[0], "lakeside-open-a")
    report = delivery / "lakeside-open-a.trf"
    for file, old, new in ((delivery / "manifest.csv", "25081,1", "25081,2"), (report, "022 Lake", "022 West Lake")):
        file.write_text(file.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    (note,) = [note.says for note in load.load(first_month, [delivery]).notes]
    typed(first_month, "report", "ORV25081", "--file", str(report), *WHY)
    (to_do,) = status.status(first_month).to_do
    assert to_do.startswith("correction 1 is not in the lists yet")
    assert ": version 2 of the event ORV25081 changes nothing on a list after that of 2025-09, which has" in note


@pytest.mark.asks_only("version_in_place")
def test_corrections_that_do_not_hold_for_a_new_version_are_named(loaded: Settings, tmp_path: Path) -> None:
    official = table('action = "change_report"\nmatch = { event_id = "ORV25081" }\nofficial = true')
    withdrawn = [table(f'action = "withdraw_event"\nmatch = {{ event_id = "ORV2508{number}" }}') for number in (2, 1)]
    # A correction that was undone held for no version.
    undone = table('action = "undo"\nmatch = { correction = 4 }')
    for text in (CORRECTION, "".join([official, *withdrawn, undone])):
        type_correction(loaded, text)
    right = LAKESIDE.replace("6.0    5    14 b 1", "5.0    5    14 b 0").replace(
        "3.0   16     5 w 0", "4.0   16     5 w 1"
    )
    official_too = "change report ORV25081 official True (entry 5 of ratinglist log)"
    for name, report, differing, repeated in (
        (
            *("wrong again", LAKESIDE.replace("022 Lakeside", "022 Lakeside Town"), 0),
            f"change result ORV25081 round 1 99900046 - 99900095 1-0 (entry 4 of ratinglist log), {official_too}",
        ),
        # A version that has the result needs no correction of it.
        ("right by now", right, 1, official_too),
    ):
        settings = copied(loaded.home, tmp_path / name)
        delivery = second_version(tmp_path / name, report)
        (note,) = [note.says for note in load.load(settings, [delivery]).notes]
        assert note.endswith(
            f": version 2 of the event ORV25081 takes the place of version 1; {differing} of their games differ. "
            f"Corrections of version 1 do not hold for it; repeat what it still has wrong: {repeated}"
        )


def test_a_withdrawn_event_waits_for_no_list(loaded: Settings) -> None:
    type_correction(loaded, table('action = "withdraw_event"\nmatch = { event_id = "ORV25081" }'))
    shown = did(loaded.home, "event", "ORV25081")
    assert "refused: the event was withdrawn by a correction" in shown
    assert "last list that can rate it" not in shown


def test_a_corrected_fact_by_which_games_are_rated_no_more_is_said_before(first_month: Settings) -> None:
    corrections = [
        table(f'action = "change_report"\nmatch = {{ event_id = "{event}" }}\n{facts}')
        for event, facts in (
            ("ORV25081", 'time_control = "rapid"'),
            ("ORV25082", "minutes_per_60_moves = 12"),
            ("ORV25083", "start_date = 2024-07-01\nend_date = 2024-07-05"),
            ("ORV25084", 'event_type = "roundrobin"'),
        )
    ]
    notes = preview_typed(first_month, "".join(corrections)).corrections[len(corrections) :]
    assert [note.partition(": ")[0].partition(" rated games")[0] for note in notes] == [
        "ORV25081 is then not rated",
        "ORV25082 has then 0",
        "ORV25083 is then not rated",
    ]


# ------------------------------------------------------------------------------------------------------------ in a file


GAME = """
[[correction]]
action = "change_result"
match = { event_id = "A", round = 3, white = 1, black = 2 }
result = "0-1"
"""


def test_corrections_keep_their_order_their_lines_and_their_values():
    corrections = parse_corrections(
        GAME + ABOUT + table('action = "withdraw_event"\nmatch = { event_id = "B" }'), "c.toml"
    )
    assert [(line.line, line.action) for line in corrections] == [(2, "change_result"), (10, "withdraw_event")]
    assert (dict(corrections[0].match)["round"], dict(corrections[0].says), corrections[0].who) == (
        3,
        {"result": "0-1"},
        "chief arbiter",
    )


BROKEN = {
    "not toml": ("[[correction", "not valid TOML"),
    "no corrections": ("", "[[correction]] tables and nothing else"),
    "another section": (f"{GAME}{ABOUT}\n[other]\na = 1", "[[correction]] tables and nothing else"),
    "one table": ('[correction]\naction = "undo"', "[[correction]] tables and nothing else"),
    "unknown action": (
        table('action = "delete"\nmatch = { event_id = "A" }'),
        "c.toml, line 1: the action is 'delete'",
    ),
    "no action": (table('match = { event_id = "A" }'), "the action is None"),
    "no match": (table('action = "withdraw_event"'), "key 'match' is missing"),
    "unknown key": (table('action = "withdraw_event"\nmatch = { event_id = "A" }\nwhy = "x"'), "unknown key 'why'"),
    "unknown key of match": (
        table('action = "withdraw_event"\nmatch = { event = "A" }'),
        "unknown key 'event' in [match]",
    ),
    "missing key of match": (table('action = "withdraw_event"\nmatch = {}'), "key 'event_id' is missing in [match]"),
    "missing key": (table('action = "merge"\nmatch = { fide_id = 1 }'), "key 'into' is missing"),
    "a text for a number": (table('action = "undo"\nmatch = { correction = "1" }'), "must be a whole number"),
    "a flag for a number": (table('action = "undo"\nmatch = { correction = true }'), "must be a whole number"),
    "a moment for a day": (
        GAME + ABOUT.replace("2025-11-03", "2025-11-03T10:00:00"),
        "must be a date without quotes, such as 2025-11-03",
    ),
    "no reason": (GAME + ABOUT.replace("score sheets compared", " "), "'reason' is empty"),
    "a reason that says nothing": (GAME + ABOUT.replace("score sheets compared", "ok"), "no reason that a reader"),
    "no person": (GAME + ABOUT.replace("chief arbiter", ""), "'who' is empty"),
    "no day": (GAME + 'reason = "score sheets"\nwho = "b"', "key 'reported_on' is missing"),
    "unknown result": (GAME.replace("0-1", "2-0") + ABOUT, "'result' is '2-0'; it must be '1-0', '0-1', '1/2-1/2'"),
    "merged into the same player": (
        table('action = "merge"\nmatch = { fide_id = 1 }\ninto = 1'),
        "1 is the same number",
    ),
    "no other data": (table('action = "change_data"\nmatch = { fide_id = 1 }'), "nothing is corrected: give name"),
    "no field": (
        table('action = "change_report"\nmatch = { event_id = "A" }'),
        "nothing is corrected: give start_date",
    ),
    "a wrong title": (
        table('action = "change_data"\nmatch = { fide_id = 1 }\ntitle = "XM"'),
        "'title' is 'XM'; it must be",
    ),
}


@pytest.mark.parametrize(("text", "message"), BROKEN.values(), ids=BROKEN)
def test_a_fault_of_a_corrections_file_is_named(text, message):
    with pytest.raises(NothingReadError) as error:
        parse_corrections(text, "c.toml")
    assert message in str(error.value)


# ------------------------------------------------------------------------------------------------------------ transfers


PLAYER, NAME = 99900046, "Thorbjörnsson, Egill"
PUBLISHED, NEXT, LATER = map(Period.parse, MONTHS[:3])


def transferred(
    settings: Settings,
    start: date | None,
    into: str = "FRA",
    because: dict[str, str] | None = None,
    player: tuple[int, str] = (PLAYER, NAME),
) -> import_files.ImportSummary:
    file = settings.home.parent / f"transfers-{into}.csv"
    file.write_text('fide_id,name,federation\n{},"{}",{}\n'.format(*player, into), encoding="utf-8")
    return import_files.import_players(settings, file, start=start, because=because)


def federations(settings: Settings, players: Sequence[int] = (PLAYER,)) -> list[tuple[str, ...]]:
    """Each player's federation as the published list, the next one and the one after it know it."""
    with open_to_read(settings) as store:
        lists = [players_of(store, period) for period in (PUBLISHED, NEXT, LATER)]
    of_players = [known.filter(pl.col("fide_id").is_in(players)).sort("fide_id")["federation"] for known in lists]
    return list(zip(*of_players, strict=True))


def test_a_transfer_counts_from_the_first_list_of_its_day_that_is_not_published(first_month: Settings) -> None:
    """An earlier day of another player may be imported later."""
    with open_to_read(first_month) as store:
        players = store.rows("select fide_id, name from player_now where federation = 'ORV' order by all limit 4")
    for player, start, first in zip(
        players,
        (None, date(2025, 10, 2), date(2025, 10, 1), date(2025, 3, 1)),
        (None, "2025-11", "2025-10", "2025-10"),
        strict=True,
    ):
        assert transferred(first_month, start, player=player).first_list == first
    assert federations(first_month, [number for number, _ in players]) == [
        ("FRA", "FRA", "FRA"),
        ("ORV", "ORV", "FRA"),
        ("ORV", "FRA", "FRA"),
        ("ORV", "FRA", "FRA"),
    ]


@pytest.mark.asks_only("pending_correction")
def test_a_list_that_is_not_published_is_to_be_calculated_again_with_a_correction(loaded: Settings) -> None:
    run.rate(loaded, Period.parse(MONTHS[0]))
    type_correction(loaded, CORRECTION)
    (month,) = status.status(loaded).open_months
    assert month.text().endswith(f"corrections came since, calculate it again: ratinglist rate {MONTHS[0]}")


def test_the_log_shows_the_number_with_which_a_correction_is_undone(loaded: Settings) -> None:
    for arguments in (["player", "99900121", "birth_year=1970"], ["withdraw", "ORV25081"]):
        typed(loaded, *arguments, *WHY)
    assert str(undo.changes(loaded)[-1]["what"]).endswith(".toml was applied: correction 2")
    assert "withdraw event ORV25081" in typed(loaded, "undo", "2", *WHY).stdout


def test_a_transfer_is_recorded_with_its_list_and_found_again(first_month: Settings) -> None:
    with pytest.raises(CommandLineError, match="look at the year"):
        transferred(first_month, date(2052, 11, 1))
    transferred(first_month, date(2025, 11, 1))
    replay.rebuild(first_month)
    assert "2025-11" in undo.changes_text(undo.changes(first_month)).splitlines()[-1]
    assert federations(first_month) == [("ORV", "ORV", "FRA")]


@pytest.mark.parametrize(
    ("later", "earlier", "into", "says"),
    [
        (date(2025, 11, 1), date(2025, 10, 1), "FRA", ""),
        (date(2025, 12, 1), date(2025, 10, 20), "GER", f"{PLAYER} .* later day has to be imported last"),
        pytest.param(
            *(date(2025, 11, 1), date(2025, 10, 1), "GER", f"{PLAYER} .* later day has to be imported last"),
            marks=pytest.mark.long,
        ),
        pytest.param(
            *(date(2026, 1, 1), date(2025, 3, 1), "GER", f"{PLAYER} .* later day has to be imported last"),
            marks=pytest.mark.long,
        ),
    ],
    ids=str,
)
def test_of_two_transfers_the_one_with_the_later_day_is_recorded_last(
    first_month: Settings, later: date, earlier: date, into: str, says: str
) -> None:
    """The same file with another day is recorded once the first is undone, and so is another one of an earlier day."""
    transferred(first_month, later)
    assert transferred(first_month, later).already
    with pytest.raises(CommandLineError, match=rf"(?s){says}.*ratinglist retract \d+") as refused:
        transferred(first_month, earlier, into)
    (entry,) = re.findall(r"ratinglist retract (\d+)", str(refused.value))
    undo.retract(first_month, int(entry))
    transferred(first_month, earlier, into)
    if into == "GER":
        transferred(first_month, later)
    with open_to_read(first_month) as store:
        known = [
            players_of(store, Period.of(day) + (day.day > 1)).filter(fide_id=PLAYER)["federation"].item()
            for day in (max(earlier, date(2025, 10, 1)), later)
        ]
    assert known == [into, "FRA"]


def correction(more: str = "") -> str:
    return (
        f'[[correction]]\naction = "change_data"\nmatch = {{ fide_id = {PLAYER} }}\nfederation = "FRA"\n{more}'
        'reason = "the card of the federation"\nwho = "M. Rossi"\nreported_on = 2025-10-02\n'
    )


def test_a_correction_of_a_federation_asks_where_published_lists_would_change(
    first_month: Settings, moves_nothing: None
) -> None:
    with pytest.raises(UnansweredError, match="import-players FILE --from") as asked:
        type_correction(first_month, correction())
    (doubt,) = asked.value.doubts
    assert (doubt["code"], doubt["rows"]) == ("past_federation", [{"month": MONTHS[0]}])
    type_correction(first_month, correction('past_federation = "it was typed wrong in the first list"\n'))
    assert federations(first_month) == [("FRA", "FRA", "FRA")]
    # One who is on no published list is corrected at once.
    file = first_month.home.parent / "new.csv"
    file.write_text('fide_id,name,federation\n99909999,"New, Nora",ITA\n', encoding="utf-8")
    import_files.import_players(first_month, file)
    type_correction(first_month, correction().replace(str(PLAYER), "99909999"))
    with open_to_read(first_month) as store:
        assert store.read("select federation from player_now where fide_id = 99909999").item() == "FRA"


@pytest.mark.asks_only("blanked_data")
def test_a_file_of_a_day_alone_brings_back_a_value_that_was_corrected(
    first_month: Settings, moves_nothing: None
) -> None:
    type_correction(first_month, correction('title = "FM"\npast_federation = "it was typed wrong in the first list"\n'))
    # An ordinary file with the wrong federation is one that nobody has put right.
    assert transferred(first_month, None, "ORV").changed_players == 0
    assert federations(first_month) == [("FRA", "FRA", "FRA")]
    back = transferred(first_month, date(2025, 11, 1), "ORV", {"blanked_data": "the player went back home"})
    assert [(cell["column"], cell["before"], cell["after"]) for cell in back.examples] == [("federation", "FRA", "ORV")]
    assert federations(first_month) == [("FRA", "FRA", "ORV")]
    # A later file keeps it, and a correction of what the transfer does not state holds.
    file = first_month.home.parent / "later.csv"
    file.write_text(f'fide_id,name,title,other_titles,federation\n{PLAYER},"{NAME}",,FA,ORV\n', encoding="utf-8")
    import_files.import_players(first_month, file)
    replay.rebuild(first_month)
    with open_to_read(first_month) as store:
        now = store.rows("select federation, title, other_titles from player_now where fide_id = $id", id=PLAYER)
    assert now == [("ORV", "FM", "FA")]


@pytest.mark.parametrize(
    ("typed", "is_transfer"),
    [
        (("--federation", "FRA"), True),
        (("--federation=FRA",), True),
        (("title=GM", "--federation", "FRA"), True),
        (("--title", "GM"), False),
    ],
    ids=str,
)
def test_an_option_for_a_federation_names_the_way_of_a_transfer(
    first_month: Settings, typed: tuple[str, ...], is_transfer: bool
) -> None:
    said = stopped(
        first_month.home, 2, "correct", "player", str(PLAYER), *typed, "--because", "he has moved", "--by", "M. Rossi"
    )
    assert typed[-2 if is_transfer and len(typed) > 1 else 0] in said
    assert ("import-players FILE --from" in said) == is_transfer


def test_a_typed_correction_is_applied_once(
    first_month: Settings, moves_nothing: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    apply_correction, applied = correct.apply_correction, []
    monkeypatch.setattr(
        correct, "apply_correction", lambda *given, **said: applied.append(given) or apply_correction(*given, **said)
    )
    type_correction(first_month, correction('past_federation = "it was typed wrong in the first list"\n'))
    assert len(applied) == 1
    assert federations(first_month) == [("FRA", "FRA", "FRA")]


def test_no_other_command_comes_between_what_is_shown_and_what_is_applied(
    first_month: Settings, moves_nothing: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    moved_by = correct._moves

    def preview_and_wait(*place: Any, **options: Any) -> CorrectionPreview:
        moves = moved_by(*place, **options)
        with pytest.raises(StoreInUseError), open_to_write(first_month):
            pass
        return moves

    monkeypatch.setattr(correct, "_moves", preview_and_wait)
    type_correction(first_month, correction('past_federation = "it was typed wrong in the first list"\n'))
    assert federations(first_month) == [("FRA", "FRA", "FRA")]
