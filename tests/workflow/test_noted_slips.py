"""Slips that no rule forbids and no question stops: the command names them before the list goes out.

The slips are the rows of the page that lists them for officers.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.command_line import ratinglist
from tests.conftest import ROOT, SAMPLE
from tests.workflow.test_delivery_slips import drawn_instead

PAGE = (ROOT / "docs" / "explanation" / "slips.md").read_text(encoding="utf-8")
_NOTED, _NOT_FOUND = (
    PAGE.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    for heading in ("What a note names", "What nothing finds")
)
ROWS = re.findall(r"^\| (.*) \| `([^`]*)` \| (.*) \|$", _NOTED, re.MULTILINE)
"""The slip, the note and what undoes it."""
SILENT = re.findall(r"^\| ([A-Z].*) \| (.*) \| (.*) \|$", _NOT_FOUND, re.MULTILINE)
"""The slip, why nothing shows it, and what finds it."""
DECEMBER, OCTOBER = SAMPLE / "reports" / "2025-12", SAMPLE / "reports" / "2025-10"
HEADINGS = "fide_id,name,federation,sex"
SAYS = ("--because", "as registered", "--by", "Rossi")


@pytest.fixture
def home(awaiting_december: Path, tmp_path: Path) -> Path:
    """An office that has published November, with the players of December."""
    return Path(shutil.copytree(awaiting_december, tmp_path / "home"))


def in_manifest(pattern: str, by: str) -> Callable[[Path, Path], str]:
    """Load the delivery of December with another manifest."""

    def play(home: Path, folder: Path) -> str:
        text, found = re.subn(pattern, by, (folder / "manifest.csv").read_text(encoding="utf-8"))
        assert found
        (folder / "manifest.csv").write_text(text, encoding="utf-8")
        return ratinglist("load", folder, home=home).stdout

    return play


def in_report(name: str, pattern: str, by: str) -> Callable[[Path, Path], str]:
    """Load the delivery of December with another report."""

    def play(home: Path, folder: Path) -> str:
        text, found = re.subn(pattern, by, (folder / name).read_text(encoding="utf-8"), flags=re.MULTILINE)
        assert found
        (folder / name).write_text(text, encoding="utf-8")
        return ratinglist("load", folder, home=home).stdout

    return play


def players(*lines: str, headings: str = HEADINGS) -> Callable[[Path, Path], str]:
    """Import a file of players."""

    def play(home: Path, folder: Path) -> str:
        file = folder / "players.csv"
        file.write_text("\n".join([headings, *lines, ""]), encoding="utf-8")
        shown = ratinglist("import-players", file, home=home)
        assert shown.returncode == 0
        return shown.stdout

    return play


def typed(*commands: tuple[str | Path, ...]) -> Callable[[Path, Path], str]:
    """Type commands, and return what the last one prints."""

    def play(home: Path, folder: Path) -> str:
        *before, last = ([folder if one == DECEMBER else one for one in words] for words in commands)
        for words in before:
            assert ratinglist(*words, home=home).returncode == 0
        shown = ratinglist(*last, home=home)
        assert shown.returncode in (0, 4)
        return shown.stdout + shown.stderr

    return play


def report_of_last_year(home: Path, folder: Path) -> str:
    """The day of a report is a year early, and its manifest leaves the day to it."""
    text = (folder / "manifest.csv").read_text(encoding="utf-8")
    assert "2025-11-10,2025-11-16,2025-10-05" in text
    (folder / "manifest.csv").write_text(text.replace("2025-11-10,2025-11-16,2025-10-05", ",,"), encoding="utf-8")
    in_report("november-open.trf", "^(0[45]2) 2025", r"\1 2024")(home, folder)
    return ratinglist("rate", "2025-12", home=home).stdout


def standard_called_blitz(home: Path, folder: Path) -> str:
    """An open with a round a day, whose report says nothing of its thinking time."""
    changed(folder, (r"^(122|222) .*\n", ""))
    return in_manifest("ORV25112,1,2025-11-19,swiss,,0", "ORV25112,1,2025-11-19,swiss,blitz,0")(home, folder)


def first_day_weeks_early(home: Path, folder: Path) -> str:
    """The day on which an event began is that of a month before, in the report and in the manifest."""
    in_report("november-open.trf", "^042 2025/11/10", "042 2025/10/10")(home, folder)
    return in_manifest("2025-11-10,2025-11-16", "2025-10-10,2025-11-16")(home, folder)


def codes_moved_by_a_row(home: Path, folder: Path) -> str:
    """Each row but the first has the code of the row above it."""
    head, *rows = (folder / "manifest.csv").read_text(encoding="utf-8").splitlines()
    codes = [row.split(",")[1] for row in rows]
    above = zip(rows, codes, codes[-1:] + codes[:-1], strict=True)
    moved = [row.replace(f",{own},", f",{one},", 1) for row, own, one in above]
    (folder / "manifest.csv").write_text("\n".join([head, *moved, ""]), encoding="utf-8")
    return ratinglist("load", folder, home=home).stdout


def new_version_of_a_rated_event(home: Path, folder: Path) -> str:
    """Version 2 of an event that the list of October has rated."""
    version = folder.parent / "version"
    version.mkdir()
    text = (OCTOBER / "september-open.trf").read_text(encoding="utf-8")
    (version / "second.trf").write_text(text.replace(" 0.5 ", " 1.5 "), encoding="utf-8")
    rows = "file,event_id,version,received_on,time_control\nsecond.trf,ORV25096,2,2025-11-20,standard\n"
    (version / "manifest.csv").write_text(rows, encoding="utf-8")
    ratinglist("load", version, home=home)
    return ratinglist("rate", "2025-12", home=home).stdout


def version_below_another(home: Path, folder: Path) -> str:
    """The first report has version 11 by a slip, and the second one version 2."""
    right = (folder / "manifest.csv").read_text(encoding="utf-8")
    in_manifest("ORV25112,1,", "ORV25112,11,")(home, folder)
    (folder / "manifest.csv").write_text(right.replace("ORV25112,1,", "ORV25112,2,"), encoding="utf-8")
    shown = ratinglist("load", folder, home=home).stdout
    ratinglist("rate", "2025-12", home=home)
    status = ratinglist("event", "ORV25112", home=home).stdout
    assert "rated (list of 2025-12)" in status
    assert "replaced: a newer version of the report was received" in status
    assert "no list has been calculated since it was received" not in status
    return shown


def another_result(home: Path, folder: Path) -> str:
    drawn_instead(folder / "november-open.trf", folder / "november-open.trf")
    return ratinglist("load", folder, home=home).stdout


def id_of_a_namesake(home: Path, folder: Path) -> str:
    players('99900999,"Peñalver, Gonzalo",ORV,M')(home, folder)
    return in_report("november-open.trf", "99900221 1975/02/19", "99900999           ")(home, folder)


def withdrawn_event(home: Path, folder: Path) -> str:
    typed(("load", DECEMBER), ("correct", "withdraw", "ORV25112", *SAYS))(home, folder)
    in_manifest("(november-open.trf),ORV25112", r"\1,ORV25199")(home, folder)
    return ratinglist("rate", "2025-12", home=home).stdout


def withdrawn_event_with_another_result(home: Path, folder: Path) -> str:
    """A game of it is a draw now."""
    drawn_instead(folder / "november-open.trf", folder / "november-open.trf")
    return withdrawn_event(home, folder)


def results_of_the_others(home: Path, folder: Path) -> str:
    """Every result of an event is that of the other player, as where two columns are exchanged."""
    file = folder / "november-open.trf"
    text = re.sub(
        r"( [wb]) ([01])(?=\s|$)",
        lambda one: f"{one[1]} {1 - int(one[2])}",
        file.read_text(encoding="utf-8"),
        flags=re.MULTILINE,
    )
    file.write_text(text, encoding="utf-8")
    ratinglist("load", folder, home=home)
    return ratinglist("rate", "2025-12", home=home).stdout


def changed(folder: Path, *patterns: tuple[str, str], name: str = "november-open.trf") -> None:
    """Write a file of a delivery with other lines."""
    text = (folder / name).read_text(encoding="utf-8")
    for pattern, by in patterns:
        text, found = re.subn(pattern, by, text, flags=re.MULTILINE)
        assert found
    (folder / name).write_text(text, encoding="utf-8")


def colours_of_a_game(home: Path, folder: Path) -> str:
    changed(folder, ("^(001    1 .*) 3 b 1", r"\1 3 w 1"), ("^(001    3 .*) 1 w 0", r"\1 1 b 0"))
    return ratinglist("load", folder, home=home).stdout


def dates_corrected_to_another_year(home: Path, folder: Path) -> str:
    days = ("--field", "start_date=2024-11-10", "--field", "end_date=2024-11-16")
    typed(("load", DECEMBER), ("correct", "report", "ORV25112", *days, *SAYS))(home, folder)
    return ratinglist("rate", "2025-12", home=home).stdout


def report_of_another_event(home: Path, folder: Path) -> str:
    return typed(("correct", "report", "ORV25081", "--file", folder / "november-open.trf", *SAYS))(home, folder)


PLAYED: dict[str, Callable[[Path, Path], str]] = {
    "A manifest has another event type than the report": in_manifest("(ORV25115.*),roundrobin", r"\1,swiss"),
    "A manifest has another federation than the report": in_manifest(",ORV,2025", ",ITA,2025"),
    "A rapid event is called standard, and its report has no thinking time": in_manifest(
        "2025-11-02,2025-11-07,2025-08-25,150", "2025-11-02,2025-11-02,2025-08-25,"
    ),
    "A standard event is called rapid or blitz, and its report has no thinking time": standard_called_blitz,
    "A day on which the event began is weeks early in report and manifest": first_day_weeks_early,
    "The day of a round, or the last day of the event, is wrong in the report": in_report(
        "ORV251100002.trf", r"^(132 .*)25/11/22", r"\g<1>25/12/22"
    ),
    "The codes of a manifest are those of other rows, and files are named by the codes": codes_moved_by_a_row,
    "A report has days of the year before": report_of_last_year,
    "A corrected report arrives after the list that rated the event": new_version_of_a_rated_event,
    "A version number is too high, and the next version arrives": version_below_another,
    "Both players of a game have the other result, and their old points": another_result,
    "A heading of the manifest is misspelt": in_manifest("time_control,", "timecontrol,"),
    "The new report of a correction is that of another event": report_of_another_event,
    "Titles are filled down": players('99900046,"Thorbjörnsson, Egill",ORV,M,GM', headings=f"{HEADINGS},title"),
    "A column of sexes is moved": players('99900046,"Thorbjörnsson, Egill",ORV,F'),
    "A column of federations is another country's": players('99900046,"Thorbjörnsson, Egill",ITA,M'),
    "A federation has four letters": players('99900046,"Thorbjörnsson, Egill",ITAL,M'),
    "A title that does not exist": players('99900046,"Thorbjörnsson, Egill",ORV,M,IGM', headings=f"{HEADINGS},title"),
    "A year of birth that has not come, or is this one": players(
        '99900999,"Nova, Ada",ORV,F,2990', '99900998,"Nova, Eva",ORV,F,2025', headings=f"{HEADINGS},birth_year"
    ),
    "A year of birth makes a child of two years of a player": players(
        '99900999,"Nova, Ada",ORV,F,2023', headings=f"{HEADINGS},birth_year"
    ),
    "The FIDE ID of a report is that of a namesake, without a birth": id_of_a_namesake,
    "A withdrawn event comes again under another code": withdrawn_event,
    "A withdrawn event comes again under another code, with another result": withdrawn_event_with_another_result,
    "The results of all games are those of the other player": results_of_the_others,
    "The days of an event are corrected to those of another year": dates_corrected_to_another_year,
    "Colours are exchanged on both lines of a game": colours_of_a_game,
    "An ordinary open is called official in the manifest": in_manifest(
        "ORV25112,1,2025-11-19,swiss,,0", "ORV25112,1,2025-11-19,swiss,,1"
    ),
    "A new player is registered with a digit missing in the FIDE ID": players('90000190,"Nova, Ada",ORV,F'),
    "A letter of a name is mistyped": players('99900046,"Thorbjornsen, Egill",ORV,M'),
    "A list is calculated again from a month after the corrected one": typed(
        ("correct", "report", "ORV25081", "--field", "official=1", *SAYS), ("rerate", "--from", "2025-11")
    ),
    "A load is undone on which a list stands": typed(
        ("retract", "7", "--because", "the folder of another month"), ("run", "2025-12", DECEMBER)
    ),
    "A file of players is undone whose players are on a list": typed(
        ("retract", "6", "--because", "the file of another month"), ("run", "2025-12", DECEMBER)
    ),
}


SHOWN_ON_LESS = (
    "A list is calculated again from a month after the corrected one",
    "A load is undone on which a list stands",
    "A file of players is undone whose players are on a list",
    "The new report of a correction is that of another event",
    "A report has days of the year before",
    "A version number is too high, and the next version arrives",
    "Both players of a game have the other result, and their old points",
    "A standard event is called rapid or blitz, and its report has no thinking time",
    "A rapid event is called standard, and its report has no thinking time",
    "A manifest has another federation than the report",
    "A heading of the manifest is misspelt",
    "Colours are exchanged on both lines of a game",
    "A withdrawn event comes again under another code",
)
"""Tests of new facts, of the log, of corrections, of versions, of reports and of the checks show these sentences too.

The last one is shown by the same event with another result.
"""


@pytest.mark.parametrize(
    ("slip", "note", "undone"),
    [pytest.param(*row, marks=[pytest.mark.long] if row[0] in SHOWN_ON_LESS else []) for row in ROWS],
)
def test_a_note_names_the_slip(
    slip: str, note: str, undone: str, home: Path, moves_nothing: None, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(DECEMBER, tmp_path / DECEMBER.name))
    assert note in PLAYED[slip](home, folder)
    assert undone


def test_the_page_has_each_slip_that_is_played() -> None:
    assert sorted(slip for slip, *_ in ROWS) == sorted(PLAYED)


def colours_of_all(home: Path, folder: Path) -> None:
    changed(folder, (r"(?<=\d )[wb](?= [10=])", lambda one: "bw"[one[0] == "b"]))


def forfeit_as_played(home: Path, folder: Path) -> None:
    changed(folder, ("4 w \\+", "4 w 1"), ("3 b -", "3 b 0"), name="old-mill.trf")


def played_as_forfeit(home: Path, folder: Path) -> None:
    changed(folder, ("^(001    1 .*) 3 b 1", r"\1 3 b +"), ("^(001    3 .*) 1 w 0", r"\1 1 w -"))


def wrong_result(home: Path, folder: Path) -> None:
    """Both lines and both points are those of a draw."""
    changed(
        folder,
        ("^(001    1 .*)6.5( .*) 3 b 1", r"\g<1>6.0\2 3 b ="),
        ("^(001    3 .*)4.0( .*) 1 w 0", r"\g<1>4.5\2 1 w ="),
    )


def wrong_month(home: Path, folder: Path) -> None:
    changed(folder, ("^0([45])2 2025/11", r"0\g<1>2 2025/10"), ("^132 .*\n", ""))
    changed(folder, ("2025-11-10,2025-11-16", "2025-10-10,2025-10-16"), name="manifest.csv")


def namesake(home: Path, folder: Path) -> None:
    players('99900999,"Peñalver, Gonzalo",ORV,M')(home, folder)
    changed(folder, ("2305 ORV    99900221 1975/02/19", "1900 ORV    99900999           "))


def codes_of_two_rows(home: Path, folder: Path) -> None:
    changed(
        folder,
        ("(?<=november-open.trf,)ORV25112", "ORV25116"),
        ("(?<=lantern-open.trf,)ORV25116", "ORV25112"),
        name="manifest.csv",
    )


SILENTLY: dict[str, Callable[[Path, Path], None]] = {
    "The colours of all games of a report are exchanged": colours_of_all,
    "A forfeit is reported as played": forfeit_as_played,
    "A game that was played is reported as a forfeit on both lines": played_as_forfeit,
    "A wrong result has points to fit": wrong_result,
    "A month is wrong in report and manifest alike": wrong_month,
    "The FIDE ID is that of a namesake, whom the rating fits no less": namesake,
    "Two rows of a manifest have each other's event code": codes_of_two_rows,
}


def said(home: Path, folder: Path) -> tuple[int, list[str]]:
    """Return how the run of December ends, and its lines that are no counts."""
    shown = ratinglist("run", "2025-12", folder, home=home)
    printed = shown.stdout.replace(str(folder), "").splitlines()
    return shown.returncode, [line for line in printed if re.match("  (note|waits|refused|waiting)", line)]


@pytest.fixture(scope="module")
def without_a_slip(awaiting_december: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[int, list[str]]:
    place = tmp_path_factory.mktemp("whole")
    folder = Path(shutil.copytree(DECEMBER, place / DECEMBER.name))
    return said(Path(shutil.copytree(awaiting_december, place / "home")), folder)


@pytest.mark.long
@pytest.mark.parametrize(("slip", "why", "found_by"), SILENT)
def test_nothing_finds_the_slip(
    slip: str, why: str, found_by: str, home: Path, tmp_path: Path, without_a_slip: tuple[int, list[str]]
) -> None:
    folder = Path(shutil.copytree(DECEMBER, tmp_path / DECEMBER.name))
    SILENTLY[slip](home, folder)
    assert said(home, folder) == without_a_slip
    assert without_a_slip[0] == 0
    assert why
    assert found_by


def test_the_page_has_each_slip_that_nothing_finds() -> None:
    assert [slip for slip, *_ in SILENT] == list(SILENTLY)
