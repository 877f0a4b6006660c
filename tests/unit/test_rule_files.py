"""The rule set files: a released text never changes, every value names its article, and values change when rules did.

What changed when is copied here by hand from the regulations, so that a slip in a file shows as a difference.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from ratinglist.files import resources
from ratinglist.store import rule_files

FOLDER = resources.data("rules")
RELEASED = FOLDER / "released.sha256"
TEXTS = {
    path.relative_to(FOLDER).as_posix(): tomllib.loads(path.read_text(encoding="utf-8"))
    for path in sorted(FOLDER.rglob("*.toml"))
}
VALUES = {
    name.removesuffix(".toml"): {
        f"{section}.{key}": cell["value"]
        for section, cells in text.items()
        if isinstance(cells, dict)
        for key, cell in cells.items()
    }
    for name, text in TEXTS.items()
}

# ------------------------------------------------------------------------------------------------- released texts


def digests(folder: Path) -> dict[str, str]:
    """Digest by path of every rule set file below ``folder``."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*.toml")
    }


def test_every_released_text_is_as_it_was_released_and_a_rule_set():
    """What was released is never edited or deleted; what changed is a new file, with a line of its own."""
    lines = RELEASED.read_text(encoding="utf-8").splitlines()
    assert [
        line for line in lines if not re.fullmatch(r"[0-9a-f]{64}  [a-z0-9-]+/[a-z]+/\d{4}-\d{2}-\d{2}\.toml", line)
    ] == []
    paths = [line.split("  ")[1] for line in lines]
    assert paths == sorted(set(paths))
    assert digests(FOLDER) == {path: line.split("  ")[0] for path, line in zip(paths, lines, strict=True)}
    assert {f"{rule_set.name}.toml" for rule_set in rule_files.rule_book().rule_sets} == set(paths)


# ------------------------------------------------------------------------------------------------------- articles

NUMBERS = r"\d+\.\d+(\.\d+)*(, \d+\.\d+(\.\d+)*)*"
NAMED = [
    r"not in this text",
    r"standard only",
    r"rapid and blitz only",
    r"the step of 1 March 2024 belongs to that list alone",
    r"FIDE notice for the list of November 2020",
    r"QC notice of 1 March 2024",
]
GOES_ON = r"(?:[;:] .+| [a-z].+)?"
"""After the article: why, after a semicolon or colon, or how the article puts it."""


def looks_like_an_article(article: str, time_control: str) -> bool:
    """Whether an article of the regulations or a notice is named, or said to be UNCONFIRMED and why."""
    prefix = "" if time_control == "standard" else "RB "
    if re.fullmatch(f"{prefix}{NUMBERS}{GOES_ON}", article):
        return True
    if any(re.fullmatch(named + GOES_ON, article) for named in NAMED):
        return True
    return "UNCONFIRMED" in article


def says_why(article: str) -> bool:
    """Whether UNCONFIRMED comes with at least three words: what is not confirmed, or why."""
    return "UNCONFIRMED" not in article or len(re.findall(r"[A-Za-z]{2,}", article.replace("UNCONFIRMED", ""))) >= 3


def articles(name: str) -> dict[str, str]:
    """The article of every value of a file, by section and key."""
    return {
        f"{section}.{key}": cell["article"]
        for section, cells in TEXTS[name].items()
        if isinstance(cells, dict)
        for key, cell in cells.items()
    }


@pytest.mark.parametrize("name", TEXTS)
def test_every_value_has_an_article_or_says_why_it_is_not_confirmed_and_no_number_is_below_nothing(name):
    unsaid = {key: article for key, article in articles(name).items() if not (article.strip() and says_why(article))}
    values = VALUES[name.removesuffix(".toml")].items()
    assert (unsaid, {key: value for key, value in values if isinstance(value, int) and value < 0}) == ({}, {})


@pytest.mark.parametrize("name", [name for name in TEXTS if name.startswith("fide/")])
def test_every_article_of_the_regulations_looks_like_one(name):
    time_control = name.split("/")[1]
    strange = {key: text for key, text in articles(name).items() if not looks_like_an_article(text, time_control)}
    assert strange == {}


@pytest.mark.parametrize("name", [name for name in TEXTS if name.startswith("course")])
def test_every_article_of_the_course_names_its_chapter(name):
    shape = r"arbiters’ course[, ].+|not in the course|not in this text|rapid and blitz only"
    assert {key: text for key, text in articles(name).items() if not re.fullmatch(shape, text)} == {}


# -------------------------------------------------------------------------------------------- what changed, and when

Changes = dict[str, tuple[Any, Any]]

NOTICE_OF_2020: Changes = {
    "list.inactive_changed_from_list": ("", "2020-11"),
    "list.inactive_changed_after_lists": (0, 24),
}
NOTICE_WITHDRAWN: Changes = {key: (after, before) for key, (before, after) in NOTICE_OF_2020.items()}
ROUND_ROBINS_FREE: Changes = {
    "event.round_robin_with_unrated": ("conditions", "any"),
    "event.round_robin_rated_one_in": (3, 0),
    "event.round_robin_small_below": (10, 0),
    "event.round_robin_small_min_rated": (4, 0),
    "event.double_round_robin_min_players": (6, 0),
    "event.double_round_robin_min_rated": (4, 0),
}
STEP: Changes = {
    "list.one_time_step": ("none", "two_fifths_towards_2000"),
    "list.one_time_step_month": ("", "2024-03"),
}
STEP_TAKEN: Changes = {key: (after, before) for key, (before, after) in STEP.items()}

IN_2017: Changes = NOTICE_OF_2020 | {"development_coefficient.period_limit": (0, 700)}
IN_2022: Changes = NOTICE_WITHDRAWN | ROUND_ROBINS_FREE
IN_2022 |= {
    "event.registration_days": (7, 3),
    "expected_score.cap_applies_to": ("every_game", "best_game_per_event"),
    "development_coefficient.junior_until": ("eighteenth_birthday", "end_of_year_of_eighteenth_birthday"),
}
IN_2024: Changes = STEP | {
    "list.floor": (1000, 1400),
    "event.last_list_after_end": (0, 3),
    "expected_score.cap_applies_to": ("best_game_per_event", "every_game"),
    "entry.method": ("twenty_per_half_point", "two_draws_at_1800"),
    "entry.maximum": (0, 2200),
}

STANDARD: dict[str, Changes] = {
    "2017-07-01": IN_2017,
    "2022-01-01": IN_2022 | {"event.long_game_from": (2200, 2400), "event.middle_game_from": (1600, 1800)},
    "2024-03-01": IN_2024
    | {
        "event.elite_registration_days": (0, 30),
        "event.elite_above": (0, 2700),
        "event.elite_women_above": (0, 2500),
        "event.time_limit_applies_to": ("event", "game"),
    },
    "2025-10-01": STEP_TAKEN
    | {
        "expected_score.cap_applies_to": ("every_game", "players_below"),
        "expected_score.cap_players_below": (0, 2650),
    },
}
RAPID_AND_BLITZ: dict[str, Changes] = {
    "2017-07-01": IN_2017,
    "2022-01-01": IN_2022,
    "2023-01-01": {"development_coefficient.fixed": (20, 0)},
    "2024-03-01": IN_2024 | {"event.standard_rating_stands_in": (False, True)},
    "2024-12-01": STEP_TAKEN
    | {
        "expected_score.gap_not_rated": (0, 600),
        "expected_score.gap_needs_player_above": (0, 2600),
    },
}
CHANGED = {"standard": STANDARD, "rapid": RAPID_AND_BLITZ, "blitz": RAPID_AND_BLITZ}
"""What changed on which day, for each time control of the regulations: before and after."""


def from_standard(rounds_a_day: int) -> Changes:
    """How the first text for rapid or blitz differs from the standard one of the same day."""
    return {
        "event.time_limit_applies_to": ("event", "nothing"),
        "event.long_game_minutes": (120, 0),
        "event.long_game_from": (2200, 0),
        "event.middle_game_minutes": (90, 0),
        "event.middle_game_from": (1600, 0),
        "event.short_game_minutes": (60, 0),
        "event.rounds_per_day": (0, rounds_a_day),
        "event.hours_per_day": (12, 0),
        "development_coefficient.fixed": (0, 20),
    }


COURSE_FROM_2017: Changes = {
    **NOTICE_WITHDRAWN,
    "list.delisted_state": ("kept", "dropped"),
    "event.rounds_per_day": (0, 3),
    "development_coefficient.junior_judged_on": ("list_before", "event_start"),
    "change.rounded_per": ("period", "event"),
}
"""How the course differs from the regulations of 2017, which it teaches otherwise."""


def differences(name: str, other: str) -> Changes:
    """The values in which two rule sets differ."""
    assert VALUES[name].keys() == VALUES[other].keys()
    return {key: (value, VALUES[other][key]) for key, value in VALUES[name].items() if value != VALUES[other][key]}


def days(time_control: str) -> list[str]:
    """The days from which the regulations' texts for a time control are in force."""
    return [name.split("/")[2] for name in sorted(VALUES) if name.startswith(f"fide/{time_control}/")]


SUCCESSORS = [
    (time_control, before, after)
    for time_control in CHANGED
    for before, after in zip(days(time_control), days(time_control)[1:], strict=False)
]


@pytest.mark.parametrize(("time_control", "before", "after"), SUCCESSORS)
def test_a_text_differs_from_the_one_before_in_what_changed_that_day(time_control, before, after):
    changes = differences(f"fide/{time_control}/{before}", f"fide/{time_control}/{after}")
    assert changes == CHANGED[time_control][after]


@pytest.mark.parametrize("time_control", CHANGED)
def test_there_is_a_text_for_every_day_on_which_something_changed(time_control):
    assert days(time_control) == ["2014-07-01", *CHANGED[time_control]]


@pytest.mark.parametrize(("time_control", "rounds_a_day"), [("rapid", 15), ("blitz", 30)])
def test_the_first_text_for_rapid_and_blitz_differs_from_standard_in_time_and_k(time_control, rounds_a_day):
    changes = differences("fide/standard/2014-07-01", f"fide/{time_control}/2014-07-01")
    assert changes == from_standard(rounds_a_day)


def test_the_course_is_the_text_of_2017_but_for_what_it_teaches_otherwise():
    assert differences("fide/standard/2017-07-01", "course/standard/2000-01-01") == COURSE_FROM_2017
