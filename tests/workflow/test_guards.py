"""What the guards on a publication refuse: a month far in the future, a list on an unpublished one, a late receipt."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from ratinglist.errors import CheckError, CommandLineError, RatinglistError, UnansweredError
from ratinglist.home.log import Log
from ratinglist.office import read
from ratinglist.period import Period
from ratinglist.publication import doubts
from ratinglist.settings import Settings
from ratinglist.workflows import doctor, import_files, load, publish, replay, rerate, run, status, undo
from ratinglist.workflows.opening import open_to_read
from ratinglist.workflows.scheduled import due
from ratinglist.workflows.undo import rollback
from tests.conftest import CHAIN, MONTHS, SAMPLE, copied, delivery_of, office, published_bytes
from tests.parameters import long_but

pytestmark = pytest.mark.asks_only(*CHAIN, "office_settings")

NOVEMBER = Period.parse("2025-11")
DECEMBER = Period.parse("2025-12")


@pytest.mark.parametrize(
    ("today", "allowed"), [(date(2025, 11, 1), True), (date(2025, 10, 31), False), (date(2024, 12, 1), False)]
)
def test_a_list_more_than_one_month_after_today_is_refused(today: date, allowed: bool) -> None:
    settings = Settings(home=Path("home"), family="fide", today=today)
    says = r"The list of 2025-12 takes effect more than one month after today"
    with nullcontext() if allowed else pytest.raises(CommandLineError, match=says):
        settings.check_month(DECEMBER)


def test_a_clock_that_is_two_days_behind_the_newest_change_is_refused(rated: Settings) -> None:
    before = published_bytes(rated.home)
    clock = replace(rated, today=date(2025, 11, 29), is_clock=True)
    with pytest.raises(CheckError, match=r"clock .* says 2025-11-29, and .* made on 2025-12-01\. Nothing was changed"):
        publish.publish(clock, DECEMBER)
    assert published_bytes(rated.home) == before
    # A day behind, or a day that is given.
    for allowed in (replace(clock, today=date(2025, 11, 30)), replace(clock, is_clock=False)):
        assert not publish.publish(allowed, DECEMBER).is_new


def test_the_day_of_the_environment_is_given(tmp_path: Path) -> None:
    settings = Settings.read(tmp_path, environment={"RATINGLIST_TODAY": "2025-11-29"})
    assert (settings.today, settings.is_clock) == (date(2025, 11, 29), False)
    assert Settings.read(tmp_path, environment={}).is_clock


@pytest.mark.asks_only("changed_data", "players_since")
def test_a_list_without_what_was_imported_since_its_calculation_is_asked_about(
    until_october: Settings, tmp_path: Path
) -> None:
    load.load(until_october, [delivery_of(tmp_path, "2025-11", "KEL251000003", "afternoon-open")])
    run.rate(until_october, NOVEMBER)
    import_files.import_players(until_october, SAMPLE / "players-2025-11.csv", start=date(2025, 12, 1))
    assert status.status(until_october).open_months[0].calculate_again == "", "November does not know them"
    undo.retract(until_october, Log.open(until_october.home).next_number - 1)
    import_files.import_players(until_october, SAMPLE / "players-2025-11.csv")
    born_too_late = until_october.home.parent / "players.csv"
    born_too_late.write_text('fide_id,name,birth_year\n99900046,"Thorbjörnsson, Egill",2014\n', encoding="utf-8")
    import_files.import_players(until_october, born_too_late, because={"changed_data": "the club says so"})
    with pytest.raises(UnansweredError) as stopped:
        publish.publish(until_october, NOVEMBER)
    [evidence] = [doubt["rows"] for doubt in stopped.value.doubts if doubt["code"] == "players_since"]
    assert [(row["event_id"], row["fide_id"], row["what"]) for row in evidence] == [
        ("KEL251000003", None, "its players are registered"),
        ("ORV25094", None, "its players are registered"),
        (None, 99900046, "year of birth"),
    ]
    assert status.status(until_october).open_months[0].calculate_again == "ratinglist rate 2025-11"
    run.rate(until_october, NOVEMBER)
    assert status.status(until_october).open_months[0].calculate_again == ""
    assert publish.publish(until_october, NOVEMBER).is_new


def test_a_report_of_which_the_manifest_says_so_is_refused_until_it_is_corrected(
    tmp_path: Path, rated: Settings
) -> None:
    report = SAMPLE / "reports" / "2025-11" / "KEL250900001.trf"
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.trf").write_bytes(report.read_bytes().replace(b"012 ", b"012 Another ", 1))
    manifest = tmp_path / "in" / "manifest.csv"
    manifest.write_text("file,received_on,time_control\na.trf,2062-11-03,standard\n", encoding="utf-8")
    loaded = load.load(rated, [tmp_path / "in"])
    assert (loaded.accepted, [refusal["reason"] for refusal in loaded.refused]) == (0, ["received_in_the_future"])
    manifest.write_text("file,received_on,time_control\na.trf,2025-11-03,standard\n", encoding="utf-8")
    assert load.load(rated, [tmp_path / "in"]).accepted == 1


# ------------------------------------------------------------------------------------ which lists a scheduled run makes


def months(settings: Settings, until: str) -> list[str]:
    return [str(month) for month in due(settings, Period.parse(until))]


@pytest.mark.parametrize(
    ("published", "until", "expected"),
    [
        ("2025-12", "2026-01", ["2026-01"]),
        ("2025-12", "2025-11", ["2025-11"]),  # it is made again, without those after it
        ("2025-10", "2026-01", ["2025-11", "2025-12", "2026-01"]),
        ("2025-08", "2025-10", ["2025-09", "2025-10"]),  # the first list is the imported one
    ],
)
def test_the_lists_missed_come_first_in_order(homes: Path, published: str, until: str, expected: list[str]) -> None:
    assert months(office(homes / published), until) == expected


def test_a_list_that_was_taken_back_is_left_to_people(rated: Settings) -> None:
    rollback(rated, Period.parse("2025-12"), "K was wrong")
    assert months(rated, "2026-01") == ["2026-01"]


def test_a_home_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(RatinglistError, match="does not exist"):
        months(office(tmp_path / "ofice"), "2025-10")
    assert list(tmp_path.iterdir()) == []


# --------------------------------------------------------------------------------------------------- a lost office.toml


PUBLISHED, NEXT = Period.parse(MONTHS[0]), Period.parse(MONTHS[1])
CHOICES = """\
[publication]
wait_days = 5
approvals = 2

[[approvers]]
name = "Anna Berg"

[[approvers]]
name = "Bo Lind"
"""


@pytest.fixture(scope="module")
def _guarded(homes: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = Path(shutil.copytree(homes / MONTHS[0], tmp_path_factory.mktemp("guarded") / "home"))
    (home / "office.toml").write_text(CHOICES, encoding="utf-8")
    settings = office(home)
    load.load(settings, [SAMPLE / "reports" / MONTHS[1] / "september-open.trf"], date(2025, 9, 24))
    return home


@pytest.fixture
def guarded(_guarded: Path, tmp_path: Path) -> Settings:
    """An office that needs two approvals since its newest publication, and has reports of the next list."""
    return copied(_guarded, tmp_path)


def truncated_to(text: str) -> Callable[[Path], object]:
    return lambda file: file.write_text(text, encoding="utf-8")


OTHER_CHOICES = """\
name = "Orvania"

[publication]
signing_key = "office.pem"

[fields.without]
lists = ["birth_year"]
"""


@pytest.mark.parametrize(
    ("lost", "wrong", "expected"),
    [
        ('signing_key = "office.pem"', "", {"setting": "signing_key", "before": "named"}),
        pytest.param(
            *("Orvania", "Orvanai", {"setting": "name", "before": "Orvania", "now": "Orvanai"}),
            marks=pytest.mark.long,
        ),
        pytest.param(
            *('lists = ["birth_year"]', "", {"setting": "birth_year of lists", "now": "none"}),
            marks=pytest.mark.long,
        ),
    ],
)
def test_a_key_a_name_or_a_column_left_out_is_not_given_up_in_silence(
    lost: str, wrong: str, expected: dict[str, str], homes: Path, tmp_path: Path
) -> None:
    home = Path(shutil.copytree(homes / MONTHS[0], tmp_path / "home"))
    (home / "office.toml").write_text(OTHER_CHOICES, encoding="utf-8")
    load.load(office(home), [SAMPLE / "reports" / MONTHS[1] / "KEL250900002.trf"])
    (home / "office.toml").write_text(OTHER_CHOICES.replace(lost, wrong), encoding="utf-8")
    with open_to_read(office(home)) as store:
        (row,) = doubts.weakened(store.log, office(home)).to_dicts()
    assert row.items() >= expected.items()


LOSSES: dict[str, tuple[Callable[[Path], object], str]] = {
    "deleted": (Path.unlink, "office.toml was there and is missing; approvals was 2 and is 0"),
    "emptied": (truncated_to(""), "office.toml was there and is empty; approvals was 2 and is 0"),
    "blank": (truncated_to("\n"), "office.toml was there and is empty; approvals was 2 and is 0"),
    "truncated": (truncated_to(CHOICES.partition("approvals")[0]), "approvals was 2 and is 0"),
    "without approvers": (truncated_to(CHOICES.partition("\n\n")[0]), "approvers was Anna Berg, Bo Lind and is none"),
    "inside a line": (truncated_to(CHOICES.partition(" = 2")[0]), "office.toml: "),
}
COMMANDS: dict[str, Callable[[Settings], object]] = {
    "publish": lambda settings: publish.publish(settings, PUBLISHED),
    "run": lambda settings: run.run(settings, NEXT),
    "rerate": lambda settings: rerate.rerate(settings, PUBLISHED),
    "rollback": lambda settings: undo.rollback(settings, PUBLISHED, "K was wrong"),
    "sign": lambda settings: publish.sign(settings, PUBLISHED),
}


@pytest.mark.parametrize("loss", LOSSES)
def test_doctor_says_it_with_the_remedy(loss: str, guarded: Settings) -> None:
    file = guarded.home / "office.toml"
    lose, message = LOSSES[loss]
    lose(file)
    (problem,) = doctor.check(office(guarded.home)).problems
    assert (problem.part, problem.file) == ("office", str(file))
    assert message in problem.description
    kept = Path(next(word for word in problem.remedy.split() if "originals" in word))
    assert kept.read_text(encoding="utf-8") == CHOICES


@pytest.mark.parametrize("command", long_but(COMMANDS, "publish"))
@pytest.mark.parametrize("loss", long_but(["deleted", "emptied", "truncated"], "deleted"))
def test_it_stops_every_command_that_publishes(loss: str, command: str, guarded: Settings) -> None:
    LOSSES[loss][0](guarded.home / "office.toml")
    before = published_bytes(guarded.home)
    with pytest.raises(RatinglistError) as stopped:
        COMMANDS[command](office(guarded.home))
    assert isinstance(stopped.value, UnansweredError | CheckError)
    assert "office_settings" in str(stopped.value)
    assert published_bytes(guarded.home) == before


def test_a_misspelt_file_stops_every_change_and_is_not_kept(guarded: Settings) -> None:
    file, players = guarded.home / "office.toml", SAMPLE / f"players-{MONTHS[1]}.csv"
    file.write_text(CHOICES.replace("publication", "publications"), encoding="utf-8")
    with pytest.raises(CommandLineError, match=r"unknown key 'publications'.*Fix the file"):
        import_files.import_players(office(guarded.home), players)
    file.write_text(CHOICES, encoding="utf-8")
    import_files.import_players(office(guarded.home), players)
    assert doctor.check(office(guarded.home)).problems == []


def test_the_officer_may_say_that_it_was_decided_and_a_rebuild_repeats_it(guarded: Settings) -> None:
    import_files.import_players(guarded, SAMPLE / f"players-{MONTHS[1]}.csv")
    (guarded.home / "office.toml").unlink()
    settings = office(guarded.home)
    run.run(settings, NEXT, because={"office_settings": "the board decides without approvals now"})
    assert (settings.published / str(NEXT) / "latest").read_text(encoding="utf-8") == "r1\n"
    assert doctor.check(settings).problems == []
    shutil.rmtree(settings.published / str(NEXT) / "r1")
    before = (settings.published / "events.parquet").read_bytes()
    replay.rebuild(settings)
    assert doctor.check(settings).problems == []
    assert (settings.published / "events.parquet").read_bytes() == before


def test_a_calculation_for_the_next_list_begins_with_the_choices_of_the_office(guarded: Settings) -> None:
    choices = '[publication]\napprovals = 1\n[corrections]\nland = "next_list"\n'
    (guarded.home / "office.toml").write_text(choices, encoding="utf-8")
    entries = len(Log.open(guarded.home).entries)
    with pytest.raises(CheckError, match="Nothing was changed"):
        rerate.rerate(office(guarded.home), PUBLISHED)
    assert len(Log.open(guarded.home).entries) == entries


def test_the_choices_of_a_preview_guard_nothing(guarded: Settings) -> None:
    file = guarded.home / "office.toml"
    file.write_text(CHOICES.replace("Bo Lind", "Bob Lind"), encoding="utf-8")
    publish.preview(office(guarded.home), PUBLISHED)
    file.write_text(CHOICES, encoding="utf-8")
    assert doctor.check(office(guarded.home)).problems == []


@pytest.mark.parametrize("name", ["office.toml.txt", "Office.toml"])
def test_choices_that_an_editor_called_otherwise_are_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("[publication]\napprovals = 2\n", encoding="utf-8")
    with pytest.raises(CommandLineError) as error:
        read(tmp_path)
    assert str(tmp_path / name) in str(error.value)
