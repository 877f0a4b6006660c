"""Reasons, states and counts in the words of an officer."""

from __future__ import annotations

import re

import click
import pytest
from click.testing import CliRunner

from ratinglist.cli.main import program
from ratinglist.cli.options import InRange
from ratinglist.messages import ENTRY_REASONS, EVENT_REASONS, GAME_REASONS, sentence, status_word
from ratinglist.summaries import LoadSummary, MonthSummary, refused_lines


@pytest.mark.parametrize("reason", [*EVENT_REASONS, *GAME_REASONS, *ENTRY_REASONS])
def test_every_reason_has_a_sentence_without_its_code(reason: str) -> None:
    assert " " in sentence(reason)
    assert "_" not in sentence(reason).replace("event_id", "").replace("time_control", "")


def test_by_the_list_before_an_opponent_had_no_rating_on_it() -> None:
    assert sentence("opponent_unrated", uses_list_before=True) == "the opponent had no rating on the list before"


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


def waits(file: str, reason: str, value: str) -> dict[str, object]:
    says = {"says": f"{value} is not registered", "remedy": "register it"}
    return {"status": "waiting", "file": file, "event_id": file, "reason": reason, "value": value, **says}


def test_each_fact_that_reports_wait_for_is_named_once_with_their_number() -> None:
    rows = [waits("a.trf", "unknown_player", "7"), waits("b.trf", "unknown_player", "8")]
    rows += [waits("b.trf", "unknown_player", "7"), waits("c.trf", "unknown_player", "7")]
    assert refused_lines(rows, "ratinglist quarantine") == [
        "  waits    3 reports, first a.trf: 7 is not registered → register it",
        "  waits    b.trf: 8 is not registered → register it",
        "           and 2 more findings: `ratinglist quarantine`",
    ]
    month = MonthSummary("2025-10", "fide", [], {"rated": 1, "refused": 3}, 0, 0, {}, {"rated": 3}, 0, {}, rows)
    assert "  waiting  3 events wait and are not on this list\n  waits    3 reports" in month.text()
    many = [waits("a.trf", "unknown_player", str(number)) for number in range(11)]
    assert refused_lines(many, "ratinglist quarantine")[-1].strip() == "and 3 more findings: `ratinglist quarantine`"


def test_a_report_that_waits_is_not_counted_as_refused() -> None:
    refusals: list[dict[str, object]] = [
        {"file": name, "event_id": name, "status": status, "reason": reason, "says": "a sentence", "remedy": ""}
        for name, status, reason in (
            ("a.trf", "refused", "empty_file"),
            ("b.trf", "waiting", "dates_contradicted"),
            ("c.trf", "waiting", "dates_contradicted"),
        )
    ]
    shown = LoadSummary(4, 1, 0, 3, 9, refusals, []).text()
    assert shown.startswith("4 reports read: 1 accepted, 0 known already, 1 refused, 2 wait; 9 games played")
    assert "1 accepted, 0 known already, 1 refused; 9" in LoadSummary(2, 1, 0, 1, 9, refusals[:1], []).text()


def _every_command(command: click.Command, path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    inner = command.commands if isinstance(command, click.Group) else {}
    return [path, *(words for name, subcommand in inner.items() for words in _every_command(subcommand, (*path, name)))]


@pytest.mark.parametrize("command", _every_command(program), ids=" ".join)
def test_help_gives_ranges_in_words(command: tuple[str, ...]) -> None:
    shown = CliRunner().invoke(program, [*command, "--help"])
    assert shown.exit_code == 0
    assert not re.search(r"<=|<x|x>|None\b", shown.output)


@pytest.mark.parametrize(
    ("number", "typed", "message"),
    [
        (InRange(1, 10_000), "0", "'0' cannot be used: write a number from 1 to 10000."),
        (InRange(1), "many", "'many' is not a valid integer"),
        (InRange(1, 2), "1.5", "'1.5' is not a valid integer"),
        (InRange(1, 4, click.FLOAT), "nan", "'nan' cannot be used"),
        (InRange(-4, 4), "5", "'5' cannot be used: write a number from -4 to 4."),
    ],
)
def test_a_number_that_is_not_allowed_is_answered_with_those_that_are(
    number: InRange, typed: str, message: str
) -> None:
    @click.command()
    @click.option("--number", type=number)
    def command(number: int) -> None:
        """Take a number."""

    assert message in CliRunner().invoke(command, ["--number", typed]).output
    assert CliRunner().invoke(command, ["--number", "2"]).exit_code == 0
