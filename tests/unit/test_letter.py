"""Letters to arbiters: what they say in each language, and what they never show."""

from __future__ import annotations

import re
from datetime import date
from typing import Any

import pytest

from ratinglist.files import resources
from ratinglist.findings import RULES
from ratinglist.messages import EVENT_REASONS, GAME_REASONS
from ratinglist.workflows.quarantine import letter_text

LANGUAGES = ("en", "it")
LETTERS = {language: resources.texts("letters", language) for language in LANGUAGES}
RESULT = {
    "month": "2025-11",
    "event_id": "ORV25105",
    "name": "Afternoon Open",
    "start_date": date(2025, 10, 14),
    "end_date": date(2025, 10, 20),
    "file_name": "inbox/afternoon.trf",
    "received_on": date(2025, 10, 21),
    "arbiter": "IA Haldane, Rosalind",
    "status": "rated",
    "reason": "",
    "findings": (),
}


NEWCOMER = "001    1 m    Newcomer, Nell    1500 ORV 999 1999/12/31"


def refused(*findings: dict[str, object]) -> dict[str, Any]:
    return RESULT | {"status": "refused", "reason": "report_refused", "findings": [*findings]}


def finding(rule: str, value: str = "v", detail: str = "d") -> dict[str, object]:
    return {"rule": rule, "value": value, "detail": detail, "line": 7, "column": 70}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_reason_has_a_letter_without_codes_and_commands(language: str) -> None:
    for reason, facts in EVENT_REASONS.items():
        text = letter_text(RESULT | {"status": facts.status, "reason": reason}, LETTERS[language])
        assert text.startswith(("To: IA Haldane", "A: IA Haldane")), reason
        assert "ratinglist " not in text, f"an arbiter does not type our commands: {reason}"
        assert text.count("\n- ") == 1, reason
        assert reason not in text or "_" not in reason
        assert "nothing to do" not in text, reason


@pytest.mark.parametrize(
    ("language", "says"),
    [("en", ("line 7, column 70: ", "What to do: ")), ("it", ("riga 7, colonna 70: ", "Che cosa fare: "))],
)
def test_every_finding_has_its_place_and_remedy(language: str, says: tuple[str, str]) -> None:
    texts = {rule: letter_text(refused(finding(rule)), LETTERS[language]) for rule in RULES}
    assert [rule for rule, text in texts.items() if not all(part in text for part in says)] == []


def test_italian_translates_every_reason_of_an_event_and_of_a_game() -> None:
    italian = resources.texts("letters", "it")
    assert {code for code, text in italian["reasons"].items() if {"sentence", "remedy"} <= set(text)} == set(
        EVENT_REASONS
    )
    assert set(italian["games"]) == set(GAME_REASONS)


OF_DAYS_OF_PLAY = {
    *("date_implausible", "dates_reversed", "two_digit_year", "round_date_unreadable", "event_too_long"),
    *("start_date_unreadable", "end_date_unreadable", "dates_contradicted", "manifest_value"),
    *("received_before_start", "received_in_the_future", "dates_outside", "days_without_rounds", "rounds_outside"),
    "month_or_day_first",
}
SHOWING_A_VALUE = [code for code, rule in RULES.items() if "{value}" in rule.sentence and code not in OF_DAYS_OF_PLAY]


@pytest.mark.parametrize("value", [NEWCOMER, "1999-12-31", "31.12.1999", "99/12/31"])
def test_no_birth_date_is_in_a_letter(value: str) -> None:
    texts = {rule: letter_text(refused(finding(rule, value, value)), LETTERS["en"]) for rule in SHOWING_A_VALUE}
    assert [rule for rule, text in texts.items() if re.search(r"12[/-]31|31\.12", text)] == []


@pytest.mark.parametrize(
    ("facts", "language", "says"),
    [
        (refused(finding("dates_reversed", "2025-01-02")), "en", "the event ends on 2025-01-02"),
        (
            *(refused(finding("month_or_day_first", "02/01/2025", "2025-01-02")), "en"),
            "the date '02/01/2025' may have the day or the month first: read as 2025-01-02",
        ),
        ({"results": {"": 18, "opponent_unrated": 2}}, "en", "Results of players: 18 of 20 rated."),
        (
            *({"results": {"": 18, "opponent_unrated": 2}}, "en"),
            "- 2 not rated: the opponent had no rating when the event started",
        ),
        # A name cannot write lines of its own.
        ({"name": "Open\nTo: another"}, "en", "Report: Open\\nTo: another (ORV25105), 2025"),
        ({"arbiter": "\x1b[2J"}, "en", "To: \\u001b[2J\n"),
        ({"arbiter": " "}, "en", "To: the chief arbiter\n"),
        # One day is one day in each language.
        ({"end_date": RESULT["start_date"]}, "en", "Report: Afternoon Open (ORV25105), 2025-10-14\n"),
        ({"end_date": RESULT["start_date"]}, "it", "Rapporto: Afternoon Open (ORV25105), 2025-10-14\n"),
        ({}, "it", ", dal 2025-10-14 al 2025-10-20\n"),
        ({"start_date": None}, "en", ", date not known to 2025-10-20\n"),
        # A code that the program made is not shown.
        ({"event_id": "0123456789abcdef"}, "en", "Report: Afternoon Open, 2025"),
    ],
)
def test_a_letter_says_what_is_known(facts: dict[str, Any], language: str, says: str) -> None:
    text = letter_text(RESULT | facts, resources.texts("letters", language))
    assert says in text
    assert not re.search("\x1b|\nTo: another|0123456789abcdef", text)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_has_every_text_and_no_unknown_code(language: str) -> None:
    texts, english = resources.texts("letters", language), resources.texts("letters", "en")
    assert {**english, "games": {}}.keys() == {**texts, "games": {}}.keys()
    assert set(texts["status"]) == set(english["status"])
    for section, known in (("reasons", EVENT_REASONS), ("findings", RULES), ("games", GAME_REASONS)):
        assert set(texts.get(section, {})) <= set(known)


def test_what_tells_an_arbiter_nothing_is_left_out() -> None:
    notes = [finding("encoding_assumed"), finding("default_registration"), finding("padded_by_bytes")]
    assert "Noticed in the report" not in letter_text(RESULT | {"notes": notes}, resources.texts("letters", "en"))
    text = letter_text(RESULT | {"notes": [*notes, finding("arbiter_missing")]}, resources.texts("letters", "en"))
    assert text.count("\n- ") == 1
    assert "does not name the chief arbiter" in text


@pytest.mark.parametrize("rule", ["start_date_missing", "end_date_unreadable", "event_name_missing", "fide_id_missing"])
def test_a_letter_asks_to_write_what_a_report_lacks_or_to_tell_the_office(rule: str) -> None:
    text = letter_text(refused(finding(rule)), resources.texts("letters", "en"))
    assert "rating office" in text
    assert "manifest" not in text
