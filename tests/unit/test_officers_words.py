"""Reasons, states and counts in the words of an officer."""

from __future__ import annotations

import re
from datetime import date

import click
import polars as pl
import pytest
from click.testing import CliRunner

from ratinglist.cli.main import program
from ratinglist.cli.options import WholeNumber
from ratinglist.correction_summaries import RevisedMonth, movement_text
from ratinglist.period import Period
from ratinglist.quarantine_text import quarantine_text, refused_lines
from ratinglist.reasons import ENTRY_REASONS, EVENT_REASONS, GAME_REASONS, LIST_BEFORE_SENTENCES, sentence, status_word
from ratinglist.summaries import LoadSummary, MonthSummary
from ratinglist.workflows.status_summary import StatusSummary


@pytest.mark.parametrize("reason", [*EVENT_REASONS, *GAME_REASONS, *ENTRY_REASONS])
def test_every_reason_has_a_sentence_without_its_code(reason: str) -> None:
    assert " " in sentence(reason)
    assert "_" not in sentence(reason).replace("event_id", "").replace("time_control", "")


def test_a_family_of_the_list_before_has_its_own_sentences() -> None:
    assert sentence("opponent_unrated", uses_list_before=True) == LIST_BEFORE_SENTENCES["opponent_unrated"]
    assert sentence("rating_gap", uses_list_before=True) == sentence("rating_gap")
    assert sentence("of a later version") == "of a later version"


@pytest.mark.parametrize("reason", EVENT_REASONS)
def test_a_remedy_is_never_none(reason: str) -> None:
    assert not EVENT_REASONS[reason].remedy.startswith(("none", "nothing:"))


@pytest.mark.parametrize(
    ("status", "reason", "word"),
    [
        ("refused", "report_refused", "refused"),
        ("refused", "unknown_player", "waits"),
        ("refused", "time_control_unknown", "waits"),
        ("waiting", "", "waits"),
        ("rated", "", "rated"),
    ],
)
def test_a_report_that_lacks_a_fact_waits(status: str, reason: str, word: str) -> None:
    assert status_word(status, reason) == word


@pytest.mark.parametrize(("imports", "more"), [(3, ""), (4, "and 1 more import:"), (5, "and 2 more imports:")])
def test_one_more_is_counted_as_one(imports: int, more: str) -> None:
    status = StatusSummary("home", date(2025, 12, 1), [], None, [], 0, [], [], None, imported=["an import"] * imports)
    assert ("more import" in status.text()) == bool(more)
    assert more in status.text()


def test_the_quarantine_says_that_a_report_waits() -> None:
    row = {
        "status": "waiting",
        "file": "a.trf",
        "line": 3,
        "column": None,
        "says": "a fact is missing",
        "remedy": "state it",
    }
    assert quarantine_text([row]) == "waits    a.trf, line 3: a fact is missing → state it".replace(
        "waits    ", "waits  "
    )


def waits(file: str, reason: str, value: str) -> dict[str, object]:
    says = {"says": f"{value} is not registered", "remedy": "register it"}
    return {"status": "waiting", "file": file, "event_id": file, "reason": reason, "value": value, **says}


def test_each_fact_that_reports_wait_for_is_named_once_with_their_number() -> None:
    rows = [waits("a.trf", "unknown_player", "7"), waits("b.trf", "unknown_player", "8")]
    rows += [waits("b.trf", "unknown_player", "7"), waits("c.trf", "unknown_player", "7")]
    assert refused_lines(rows, "ratinglist quarantine") == [
        "  waits    3 reports, first a.trf: 7 is not registered → register it",
        "  waits    b.trf: 8 is not registered → register it",
    ]
    month = MonthSummary("2025-10", "fide", [], {"rated": 1, "refused": 3}, 0, 0, {}, {"rated": 3}, 0, {}, rows)
    assert "  waiting  3 events wait and are not on this list\n  waits    3 reports" in month.text()
    many = [waits("a.trf", "unknown_player", str(number)) for number in range(8)]
    assert refused_lines(many, "ratinglist quarantine")[-1].strip() == "and for 3 more facts: `ratinglist quarantine`"


def test_findings_that_are_not_listed_count_too() -> None:
    row = {**waits("a.trf", "line_shifted", "N"), "status": "refused"}
    rows = [row] * 5 + [{**row, "reason": "more_findings", "value": "40"}]
    assert refused_lines(rows, "ratinglist quarantine")[-1].strip() == (
        "and 42 more in this report: `ratinglist quarantine`"
    )


def test_a_month_is_summed_up_in_sentences() -> None:
    counts = {"opponent_unrated": 2, "time_limit": 1}
    month = MonthSummary("2025-10", "fide", [], {"rated": 1}, 20, 17, counts, {"rated": 3}, 0, {})
    assert "2 the opponent had no rating when the event started" in month.text()
    assert not any(code in month.text() for code in counts)
    assert month.as_dict()["results_not_rated"] == counts


def test_a_report_that_waits_is_not_counted_as_refused() -> None:
    found: list[dict[str, object]] = [
        {"file": name, "event_id": name, "status": status, "reason": reason, "says": "a sentence", "remedy": ""}
        for name, status, reason in (
            ("a.trf", "refused", "empty_file"),
            ("b.trf", "waiting", "dates_contradicted"),
            ("c.trf", "waiting", "dates_contradicted"),
        )
    ]
    shown = LoadSummary(4, 1, 0, 3, 9, found, []).text()
    assert shown.startswith("4 reports read: 1 accepted, 0 known already, 1 refused, 2 wait; 9 games played")
    assert "1 accepted, 0 known already, 1 refused; 9" in LoadSummary(2, 1, 0, 1, 9, found[:1], []).text()


def test_a_player_who_differs_on_three_lists_is_one() -> None:
    rows = pl.DataFrame({"fide_id": [11, 11, 11], "difference": [3, -1, None]})
    month = RevisedMonth.of(Period.parse("2025-10"), "r1", "r2", rows)
    assert month.text() == "2025-10  r1 -> r2: 1 player differs, 1 rose, 1 fell, by at most 3"


def _every_command(command: click.Command, path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    inner = command.commands if isinstance(command, click.Group) else {}
    return [path, *(found for name, one in inner.items() for found in _every_command(one, (*path, name)))]


@pytest.mark.parametrize("command", _every_command(program), ids=" ".join)
def test_help_gives_ranges_in_words(command: tuple[str, ...]) -> None:
    shown = CliRunner().invoke(program, [*command, "--help"])
    assert shown.exit_code == 0
    assert not re.search(r"<=|<x|x>|None\b", shown.output)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("update", "1600", "--against", "1500", "--score", "1", "--k", "nan"), "'nan' cannot be used"),
        (("update", "1600", "--against", "1500", "--score", "1", "--k", "x"), "write a number from 1 to 400."),
        (("expected", "--compose", "1", "0.5"), "'1' cannot be used: write a number between 0 and 1."),
    ],
)
def test_a_number_out_of_its_range_is_refused(options: tuple[str, ...], message: str) -> None:
    shown = CliRunner().invoke(program, options)
    assert shown.exit_code == 2
    assert message in shown.output


@pytest.mark.parametrize(
    ("moved", "text"),
    [
        ((0, 0, 0), "with the same ratings"),
        ((2, 0, 7), "2 rose, by at most 7"),
        ((0, 1, 3), "1 fell, by at most 3"),
        ((1200, 1, 40), "1,200 rose, 1 fell, by at most 40"),
    ],
)
def test_what_did_not_move_is_not_counted(moved: tuple[int, int, int], text: str) -> None:
    assert movement_text(*moved) == text


def test_a_list_whose_ratings_are_the_same_says_so() -> None:
    month = RevisedMonth("2025-10", "r1", "r2", moved=3, differs=True)
    assert month.text() == "2025-10  r1 -> r2: 3 players differ, with the same ratings"


@pytest.mark.parametrize(
    ("number", "typed", "message"),
    [
        (WholeNumber(1, 10_000), "0", "'0' cannot be used: write a whole number from 1 to 10,000."),
        (WholeNumber(1), "many", "'many' cannot be used: write a whole number from 1 on."),
        (WholeNumber(), "1.5", "'1.5' cannot be used: write a whole number."),
        (WholeNumber(-4, 4), "5", "'5' cannot be used: write a whole number from -4 to 4."),
    ],
)
def test_a_number_that_is_not_allowed_is_answered_with_those_that_are(
    number: WholeNumber, typed: str, message: str
) -> None:
    @click.command()
    @click.option("--number", type=number)
    def command(number: int) -> None:
        """Take a number."""

    assert message in CliRunner().invoke(command, ["--number", typed]).output
    assert CliRunner().invoke(command, ["--number", "3"]).exit_code == 0
