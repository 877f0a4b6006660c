"""A corrections file: what it may hold, and the messages about a wrong one."""

from __future__ import annotations

import pytest

from ratinglist.corrections.parser import ACTIONS, parse_corrections
from ratinglist.errors import NothingReadError

ABOUT = """
reason = "score sheets compared"
who = "chief arbiter"
reported_on = 2025-11-03
"""

RESULT = """
[[correction]]
action = "change_result"
match = { event_id = "A", round = 3, white = 1, black = 2 }
result = "0-1"
"""


def one(body: str) -> str:
    return f"[[correction]]\n{body}\n{ABOUT}"


def test_a_correction_has_what_it_matches_and_the_right_values():
    (found,) = parse_corrections(RESULT + ABOUT, "c.toml")
    assert (found.action, dict(found.match)["round"], dict(found.says), found.who) == (
        "change_result",
        3,
        {"result": "0-1"},
        "chief arbiter",
    )


def test_corrections_keep_their_order_and_their_lines():
    found = parse_corrections(RESULT + ABOUT + one('action = "withdraw_event"\nmatch = { event_id = "B" }'), "c.toml")
    assert [(line.line, line.action) for line in found] == [(2, "change_result"), (10, "withdraw_event")]


VALID = {
    "replace_report": 'match = { event_id = "A" }\nfile = "new.trf"',
    "withdraw_event": 'match = { event_id = "A" }',
    "change_result": 'match = { event_id = "A", round = 1, white = 1, black = 2 }\nresult = "not played"',
    "change_player": 'match = { event_id = "A", fide_id = 1 }\nfide_id = 2',
    "change_data": "match = { fide_id = 1 }\nbirth_date = 2010-05-06",
    "change_report": 'match = { event_id = "A" }\nend_date = 2025-11-09\nofficial = true',
    "merge": "match = { fide_id = 1 }\ninto = 2",
    "undo": "match = { correction = 1 }",
}


@pytest.mark.parametrize("action", ACTIONS)
def test_every_action_is_parsed(action):
    (found,) = parse_corrections(one(f'action = "{action}"\n{VALID[action]}'), "c.toml")
    assert found.action == action


BROKEN = {
    "not toml": ("[[correction", "not valid TOML"),
    "no corrections": ("", "[[correction]] tables and nothing else"),
    "another section": (f"{RESULT}{ABOUT}\n[other]\na = 1", "[[correction]] tables and nothing else"),
    "one table": ('[correction]\naction = "undo"', "[[correction]] tables and nothing else"),
    "unknown action": (one('action = "delete"\nmatch = { event_id = "A" }'), "the action is 'delete'"),
    "no action": (one('match = { event_id = "A" }'), "the action is None"),
    "no match": (one('action = "withdraw_event"'), "key 'match' is missing"),
    "unknown key": (one('action = "withdraw_event"\nmatch = { event_id = "A" }\nwhy = "x"'), "unknown key 'why'"),
    "unknown key of match": (
        one('action = "withdraw_event"\nmatch = { event = "A" }'),
        "unknown key 'event' in [match]",
    ),
    "missing key of match": (one('action = "withdraw_event"\nmatch = {}'), "key 'event_id' is missing in [match]"),
    "missing key": (one('action = "merge"\nmatch = { fide_id = 1 }'), "key 'into' is missing"),
    "a text for a number": (one('action = "undo"\nmatch = { correction = "1" }'), "must be a whole number"),
    "a flag for a number": (one('action = "undo"\nmatch = { correction = true }'), "must be a whole number"),
    "a moment for a day": (
        RESULT + ABOUT.replace("2025-11-03", "2025-11-03T10:00:00"),
        "must be a date without quotes, such as 2025-11-03",
    ),
    "no reason": (RESULT + ABOUT.replace("score sheets compared", " "), "'reason' is empty"),
    "no person": (RESULT + ABOUT.replace("chief arbiter", ""), "'who' is empty"),
    "no day": (RESULT + 'reason = "score sheets"\nwho = "b"', "key 'reported_on' is missing"),
    "unknown result": (RESULT.replace("0-1", "2-0") + ABOUT, "'result' is '2-0'; it must be '1-0', '0-1', '1/2-1/2'"),
    "merged into the same player": (one('action = "merge"\nmatch = { fide_id = 1 }\ninto = 1'), "1 is the same number"),
    "no other data": (one('action = "change_data"\nmatch = { fide_id = 1 }'), "nothing is corrected: give name"),
    "no field": (one('action = "change_report"\nmatch = { event_id = "A" }'), "nothing is corrected: give start_date"),
    "a wrong title": (
        one('action = "change_data"\nmatch = { fide_id = 1 }\ntitle = "XM"'),
        "'title' is 'XM'; it must be",
    ),
}


@pytest.mark.parametrize(("text", "message"), BROKEN.values(), ids=BROKEN)
def test_a_fault_of_a_corrections_file_is_named(text, message):
    with pytest.raises(NothingReadError) as error:
        parse_corrections(text, "c.toml")
    assert message in str(error.value)


def test_an_error_names_file_and_line():
    with pytest.raises(NothingReadError, match=r"c\.toml, line 10: the action is 'x'"):
        parse_corrections(RESULT + ABOUT + one('action = "x"'), "c.toml")
