"""The command `ratinglist lab tune`: one value of a system over a range, judged on months it was not chosen by.

The first half of the months chooses: the value with the lowest log loss there. The other half reports: there the chosen
value is compared with the one the system has.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import polars as pl

from ratinglist.config import Settings
from ratinglist.errors import CommandLineError, NothingReadError
from ratinglist.files.durable_files import remove_folder
from ratinglist.files.private_files import make_private_folder
from ratinglist.laboratory.altered_rules import altered, altered_name
from ratinglist.laboratory.frozen_months import FrozenMonths, frozen_months, held_laboratory
from ratinglist.laboratory.game_groups import no_groups
from ratinglist.laboratory.own_system import own_value, set_own_value
from ratinglist.laboratory.predictions import side_by_side
from ratinglist.laboratory.replay import is_class, load_own, named_system, replay_systems
from ratinglist.laboratory.replay_folder import Replay, Start
from ratinglist.laboratory.scores import Scores
from ratinglist.laboratory.systems import OwnFamily, System, with_own_family
from ratinglist.number_text import grouped
from ratinglist.pages.plain_text import text_table
from ratinglist.period import Period
from ratinglist.store.rule_files import rule_book
from ratinglist.summaries import Summary

_FOLDER = "tune"
_MOST_VALUES = 100


@dataclass(frozen=True, slots=True)
class TuneSummary(Summary):
    """Every value with its log loss on both halves. ``chosen``: the best of the first half.

    ``difference``: the chosen value's log loss less that of the value the system has, on the other half;
    ``difference_of_choice``: the same on the half that chose it. Both are empty where they are one value.
    """

    system: str
    key: str
    present: str
    chosen: str
    first_months: str
    last_months: str
    values: list[dict[str, object]]
    difference: dict[str, int]
    difference_of_choice: dict[str, int]

    def text(self) -> str:
        """Return the values as a table, and what the chosen one gains on months it was not chosen by."""
        rows = [
            [f"{row['value']}", *(_shown(row[name]) for name in ("first_millionths", "last_millionths"))]
            for row in self.values
        ]
        header = [self.key, self.first_months, self.last_months]
        lines = [f"{self.system}, log loss of each value (now: {self.present}):"]
        lines += [f"  {line}" for line in text_table(header, rows, [True, True, True])]
        lines.append(
            f"  split: {self.first_months} chooses the value, {self.last_months} judges it: no game is in both"
        )
        lines.append(f"  chosen by {self.first_months}: {self.chosen}")
        for months, found in ((self.first_months, self.difference_of_choice), (self.last_months, self.difference)):
            if found:
                numbers = [grouped(found[f"{name}_millionths"], 6) for name in ("difference", "low", "high")]
                lines.append(
                    f"  on {months}, {found['games']:,} games, {self.chosen} against {self.present}: "
                    f"{numbers[0]} ({numbers[1]} to {numbers[2]})"
                )
        if self.difference and self.difference_of_choice:
            gains = [-found["difference_millionths"] for found in (self.difference_of_choice, self.difference)]
            lost, gain = grouped(gains[0] - gains[1], 6), grouped(gains[0], 6)
            lines.append(
                f"  overfitted: {lost} of the gain of {gain} is not there on the months that did not choose"
                if gains[1] < gains[0]
                else "  not overfitted: the gain is no smaller on the months that did not choose"
            )
        return "\n".join(lines)


def tune(
    settings: Settings,
    name: str,
    request: str,
    *,
    start: Start = "list",
    digest: str | None = None,
    time_control: str = "standard",
) -> TuneSummary:
    """Replay a system with every value of ``request`` (``key=FROM:TO:STEP``), and compare their log loss.

    The key is ``section.key`` of a family, or an attribute of an analyst's class. Raises :class:`CommandLineError` for
    a request that is wrong, :class:`NothingReadError` where less than two months are frozen, or a value predicts no
    game, :class:`~ratinglist.errors.StoreInUseError` while another laboratory command runs.
    """
    key, _, values_text = request.partition("=")
    values = value_range(values_text)
    if len(values) > _MOST_VALUES:
        raise CommandLineError(f"{request}: these are {len(values):,} values; {_MOST_VALUES} are the most.")
    with held_laboratory(settings.home, writes=True):
        frozen = frozen_months(settings.home, digest)
        if len(frozen.months) < 2:
            raise NothingReadError("Less than two months are frozen: one half chooses, the other reports. Freeze more.")
        folder = frozen.folder / _FOLDER
        shutil.rmtree(folder, ignore_errors=True)
        make_private_folder(folder)
        try:
            return _tuned(settings, frozen, folder, name, key, values, start, time_control)
        finally:
            remove_folder(folder)


def _tuned(
    settings: Settings,
    frozen: FrozenMonths,
    folder: Path,
    name: str,
    key: str,
    values: Sequence[str],
    start: Start,
    time_control: str,
) -> TuneSummary:
    """Replay the system into ``folder`` with every value, and compare their log loss."""
    scratch = start == "scratch"
    present, present_text = _present(name, key, time_control, from_scratch=scratch)
    changed = [value for value in values if value != present_text]
    systems = [_with_value(name, key, value, time_control, from_scratch=scratch) for value in changed]
    parents = [*(folder / value for value in changed), folder / "present"]
    found = replay_systems(settings, frozen, [*systems, present], start, parents)
    replays = dict(zip([*changed, present_text], found, strict=True))
    half = len(frozen.months) // 2
    halves = frozen.months[:half], frozen.months[half:]
    losses = [_losses(key, replays, months) for months in halves]
    judged = [value for value in values if losses[0][value] is not None]
    if not judged:
        raise NothingReadError(f"No game of {_range(halves[0])} is predicted: nothing can choose a value.")
    # Of equal values the present one: a first month, predicted from the list before, does not separate values.
    chosen = min(judged, key=lambda value: (losses[0][value] or 0, value != present_text, values.index(value)))
    rows: list[dict[str, object]] = [
        {"value": value, "first_millionths": losses[0][value], "last_millionths": losses[1][value]} for value in values
    ]
    on_first, on_last = (
        {} if chosen == present_text else _difference(replays[chosen], replays[present_text], months)
        for months in halves
    )
    return TuneSummary(name, key, present_text, chosen, _range(halves[0]), _range(halves[1]), rows, on_last, on_first)


def _present(name: str, key: str, time_control: str, *, from_scratch: bool) -> tuple[System, str]:
    system = named_system(name, rule_book(), time_control, from_scratch=from_scratch)
    if is_class(name):
        return system, own_value(load_own(name), key)
    values = rule_book().of(name)[-1].values()
    if key not in values:
        raise CommandLineError(
            f"The family '{name}' has no value '{key}': `ratinglist rules --rules {name}` shows all."
        )
    return system, str(values[key])


def _with_value(name: str, key: str, value: str, time_control: str, *, from_scratch: bool) -> System:
    if is_class(name):
        own = load_own(name)
        set_own_value(own, key, value)
        return OwnFamily(own, with_own_family(rule_book(), time_control), time_control)
    rules = altered(rule_book(), name, {key: value})
    return named_system(altered_name(name, {key: value}), rules, time_control, from_scratch=from_scratch)


def _scored(replays: dict[str, Replay], months: Sequence[Period]) -> Scores:
    """Return the scores of some replays, by their name here, on the games of some months."""
    found = Scores(tuple(replays), tuple(replays))
    games, predictions = side_by_side({name: one.predictions(lists=months) for name, one in replays.items()})
    found.add(predictions, no_groups(games))
    return found


def _losses(key: str, replays: dict[str, Replay], months: Sequence[Period]) -> dict[str, int | None]:
    """Return the mean log loss of every value on the games of some months that all of them predict.

    Raises :class:`NothingReadError` where a value predicts no game, so that there is no game to compare it on.
    """
    rows = _scored(replays, months).score_rows()
    predicting = rows.filter(pl.col("games_of") == "own", pl.col("games") > 0)["system"].to_list()
    if without := [value for value in replays if value not in predicting]:
        raise NothingReadError(
            f"With {key}={', '.join(sorted(without))} no game of {_range(months)} is predicted: nothing to compare. "
            "Choose other values, or freeze more months."
        )
    common = rows.filter(pl.col("games_of") == "common")
    found: dict[str, int | None] = dict(common.select("system", "log_loss_millionths").iter_rows())
    return {value: found.get(value) for value in replays}


def _difference(chosen: Replay, present: Replay, months: Sequence[Period]) -> dict[str, int]:
    """Return the row of the difference in log loss of the chosen value from the present one."""
    rows = _scored({"present": present, "chosen": chosen}, months).difference_rows()
    rows = rows.filter(pl.col("system") == "chosen", pl.col("measure") == "log_loss", pl.col("grouping") == "all")
    if rows.is_empty():
        return {}
    names = ("games", "events", "difference_millionths", "low_millionths", "high_millionths")
    return dict(zip(names, rows.select(names).row(0), strict=True))


def _range(months: Sequence[Period]) -> str:
    return f"{months[0]} to {months[-1]}"


def _shown(value: object) -> str:
    return grouped(value, 6) if isinstance(value, int) else ""


_RANGE = re.compile(r"(-?\d{1,9}(?:\.\d{1,6})?):(-?\d{1,9}(?:\.\d{1,6})?):(\d{1,9}(?:\.\d{1,6})?)")


def value_range(text: str) -> list[str]:
    """Return the values of ``FROM:TO:STEP`` as texts, both ends included.

    Raises :class:`CommandLineError` where it is no range.
    """
    found = _RANGE.fullmatch(text.strip())
    if not found:
        raise CommandLineError(f"'{text}' is not a range: write KEY=FROM:TO:STEP, such as k=10:40:2.")
    first, last, step = map(Decimal, found.groups())
    if step <= 0 or last < first:
        raise CommandLineError(f"'{text}': FROM must not be above TO, and STEP must be above 0.")
    count = int((last - first) / step) + 1
    return [f"{first + number * step}" for number in range(count)]
