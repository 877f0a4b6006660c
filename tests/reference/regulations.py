"""The regulations as one reads them, written a second time.

Nothing here comes from the program or from its rule files: the values are copied by hand from the texts, so that a slip
in a rule file shows as a difference. Only the two tables are read from the data folder, which is data, not a rule.
"""

import csv
from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from pathlib import Path

TABLES = Path(__file__).parents[2] / "data" / "tables"


@dataclass(frozen=True)
class Text:
    """One text of the regulations. None: the text has no such rule."""

    family: str
    time_control: str
    since: date
    # the list
    floor: int
    closing_days: int = 3
    official_closing_days: int = 1
    delisted_keeps_state: bool = True
    # the event
    lists_after_end: int | None = None
    notice_days: int = 7
    elite_notice_days: int | None = None
    elite_above: int = 2700
    elite_women_above: int = 2500
    time_limit: str | None = "event"
    minutes: tuple[tuple[int, int], ...] = ((2200, 120), (1600, 90), (0, 60))
    rounds_a_day: int | None = None
    hours_a_day: int | None = 12
    round_robin_conditions: bool = True
    # the expected score
    cap: str = "every game"
    gap_not_rated: bool = False
    # K
    fixed_k: int | None = None
    junior: str = "birthday"
    junior_judged_on: str = "list before"
    limit_of_k_times_games: int | None = 700
    # the change
    rounded_per: str = "period"
    # entry
    entry: str = "plus 20"
    highest_entry: int | None = None
    tranche: bool = False
    from_standard: bool = False

    @property
    def name(self) -> str:
        return f"{self.family}/{self.time_control}/{self.since}"


_2014 = Text("fide", "standard", date(2014, 7, 1), floor=1000, limit_of_k_times_games=None)
_2017 = replace(_2014, since=date(2017, 7, 1), limit_of_k_times_games=700)
_2022 = replace(
    _2017,
    since=date(2022, 1, 1),
    notice_days=3,
    minutes=((2400, 120), (1800, 90), (0, 60)),
    round_robin_conditions=False,
    cap="best game of the event",
    junior="year",
)
_2024 = replace(
    _2022,
    since=date(2024, 3, 1),
    floor=1400,
    lists_after_end=3,
    elite_notice_days=30,
    time_limit="game",
    cap="every game",
    entry="two draws",
    highest_entry=2200,
)
_2025 = replace(_2024, since=date(2025, 10, 1), cap="players below 2650")

_COURSE = Text(
    "course",
    "standard",
    date(2000, 1, 1),
    floor=1000,
    delisted_keeps_state=False,
    rounds_a_day=3,
    junior_judged_on="event start",
    rounded_per="event",
)


def _fast(time_control: str, rounds_a_day: int) -> list[Text]:
    """The texts for rapid and blitz: as standard but for the time, the days' notice for the elite and K to 2022."""
    no_limits = {
        "time_control": time_control,
        "time_limit": None,
        "elite_notice_days": None,
        "rounds_a_day": rounds_a_day,
        "hours_a_day": None,
    }
    since_2022 = replace(_2022, **no_limits)
    since_2024 = replace(_2024, **no_limits, from_standard=True)
    return [
        replace(_2014, **no_limits, fixed_k=20),
        replace(_2017, **no_limits, fixed_k=20),
        replace(since_2022, fixed_k=20),
        replace(since_2022, since=date(2023, 1, 1)),
        since_2024,
        replace(since_2024, since=date(2024, 12, 1), gap_not_rated=True),
    ]


TEXTS = [_2014, _2017, _2022, _2024, _2025, *_fast("rapid", 15), *_fast("blitz", 30)]
TEXTS += [_COURSE, replace(_COURSE, family="course-tranche", tranche=True)]

ONE_TIME_STEP = ("fide", "2024-03")
"""On this list, once, every player below 2000 goes up by two fifths of what is missing."""


@cache
def text_on(family: str, time_control: str, day: date) -> Text | None:
    """The text in force on ``day``."""
    in_force = None
    for text in sorted(TEXTS, key=lambda edition: edition.since):
        if (text.family, text.time_control) == (family, time_control) and text.since <= day:
            in_force = text
    return in_force


def _read(name: str) -> list[dict[str, str]]:
    with (TABLES / name).open(newline="") as lines:
        return list(csv.DictReader(lines))


EXPECTED = _read("expected_score.csv")
PERFORMANCE = {int(row["p_hundredths"]): int(row["dp"]) for row in _read("performance.csv")}


@cache
def expected_hundredths(difference: int) -> int:
    """Return the expected score of a player rated ``difference`` more than the opponent."""
    size = abs(difference)
    for row in EXPECTED:
        if int(row["difference_from"]) <= size and (not row["difference_to"] or size <= int(row["difference_to"])):
            return int(row["higher_hundredths"] if difference >= 0 else row["lower_hundredths"])
    raise AssertionError(difference)
