"""The command `ratinglist lab what-if`: the months under a regulation with changed values, and as it is.

The changed rules exist in memory alone, and the replay in ``HOME/lab``. The store has neither, so no command publishes
such a list.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from difflib import get_close_matches
from pathlib import Path

import polars as pl

from ratinglist import strict_toml
from ratinglist.errors import CommandLineError, NothingReadError, RulesError
from ratinglist.period import Period
from ratinglist.rating.rules import RuleBook, shown
from ratinglist.settings import Settings
from ratinglist.store.rule_files import rule_book
from ratinglist.summaries import Summary
from ratinglist.text import counted, grouped
from ratinglist_lab.measures import LARGEST_TABLE, MOVED_TABLE, measured, write_measured
from ratinglist_lab.replay import Replay, Start, Study, System, checked, replay_system, studied
from ratinglist_lab.report import PAGE, TABLES as REPORT_TABLES, output_folder, study_tables
from ratinglist_lab.report_document import report_document, what_if_parts

_WHOLE = re.compile(r"-?[0-9]+")
_MOST_DIGITS = 6
"""No value of a regulation has as many, and the numbers of a list have room for what is calculated with it."""
_ARTICLE = "what-if"


def parse_changes(texts: tuple[str, ...]) -> dict[str, str]:
    """Parse ``section.key=value`` of every change.

    Raises :class:`CommandLineError` for a text without ``=``, and for a key that is changed twice.
    """
    changes: dict[str, str] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or "." not in key:
            raise CommandLineError(f"--change {text}: write section.key=value, such as list.floor=1000.")
        if key.strip() in changes:
            raise CommandLineError(f"--change {text}: {key.strip()} is changed twice.")
        changes[key.strip()] = value.strip()
    return changes


def altered_name(family: str, changes: Mapping[str, str]) -> str:
    """Return the name of a changed family: ``fide+2`` for two changes."""
    return f"{family}+{len(changes)}"


def altered(book: RuleBook, family: str, changes: Mapping[str, str]) -> RuleBook:
    """Return the rule book with the changed family besides, named by :func:`altered_name`.

    Every rule set of the family gets the values, whatever its time control and date. Raises :class:`CommandLineError`
    for a key that the family has not, a value that the key does not allow, and changes that change nothing.
    """
    sets, name = book.of(family), altered_name(family, changes)
    _check_keys(family, list(sets[0].values()), changes)
    values = {key: _value(key, text) for key, text in changes.items()}
    if all(rule_set.values()[key] == value for rule_set in sets for key, value in values.items()):
        listed = ", ".join(f"{key}={text}" for key, text in changes.items())
        raise CommandLineError(f"The family '{family}' has these values already: {listed}. There is nothing to replay.")
    files = {
        path.replace(family, name, 1): _altered_file(text, name, values)
        for path, text in book.files.items()
        if path.startswith(f"{family}/")
    }
    changed = replace(book, files={**book.files, **files})
    try:
        changed.of(name)
    except RulesError as error:
        raise CommandLineError(f"--change: {str(error).removesuffix(' Fix the file.')}") from None
    return changed


def described(book: RuleBook, family: str, changes: Mapping[str, str], days: Sequence[date]) -> list[str]:
    """Return every change as ``key: before -> after``; several values before, where it changed within the days."""
    in_force = [rule_set for day in days for rule_set in book.in_force(family, day)]
    lines = []
    for key, value in changes.items():
        before = dict.fromkeys(shown(rule_set.values()[key]) for rule_set in in_force)
        lines.append(f"{key}: {', '.join(before)} -> {value}")
    return lines


def _check_keys(family: str, known: Sequence[str], changes: Mapping[str, str]) -> None:
    for key, text in changes.items():
        if key not in known:
            near = get_close_matches(key, known, n=3)
            meant = f" Did you mean {', '.join(near)}?" if near else ""
            raise CommandLineError(
                f"--change {key}={text}: the family '{family}' has no such value.{meant} "
                f"`ratinglist rules --rules {family}` shows all."
            )


def _value(key: str, text: str) -> int | bool | str:
    """Return a value as the rule files write it; raise :class:`CommandLineError` for a number that is too large."""
    if not _WHOLE.fullmatch(text):
        return {"true": True, "false": False}.get(text, text)
    if len(text.lstrip("-0")) > _MOST_DIGITS:
        raise CommandLineError(f"--change {key}={text[:20]}: a whole number has at most {_MOST_DIGITS} digits.")
    return int(text)


def _altered_file(text: str, name: str, values: Mapping[str, int | bool | str]) -> str:
    """Return the text of a rule file as one of the family ``name``, with other values."""
    content = {**strict_toml.parse(text), "family": name}
    for key, value in values.items():
        section, _, field = key.partition(".")
        content[section][field] = {"value": value, "article": _ARTICLE}
    lines = [f"{key} = {_toml(value)}" for key, value in content.items() if not isinstance(value, dict)]
    for section, cells in content.items():
        if isinstance(cells, dict):
            lines += [f"[{section}]", *(f"{key} = {_inline(cell)}" for key, cell in cells.items())]
    return "\n".join(lines)


def _inline(cell: Mapping[str, object]) -> str:
    return f"{{ {', '.join(f'{key} = {_toml(value)}' for key, value in cell.items())} }}"


def _toml(value: object) -> str:
    """Return a value as TOML writes it: a date plainly, a number, a flag and a text as JSON does."""
    return str(value) if isinstance(value, date) else json.dumps(value, ensure_ascii=False)


OUT = Path("what-if")
TABLES = (*REPORT_TABLES, MOVED_TABLE, LARGEST_TABLE)


@dataclass(frozen=True, slots=True)
class WhatIfSummary(Summary):
    """What the changes do to the last list. ``changes``: each with the value before."""

    family: str
    changed: str
    list_month: str
    changes: list[str]
    folder: str
    files: list[str]
    tables: dict[str, pl.DataFrame]

    def text(self) -> str:
        """Return who moves, enters and leaves, and whether the changed rules predict better."""
        everyone = self.tables["moved"].row(0, named=True)
        mean, lower, median, upper = (
            grouped(everyone[f"{name}_hundredths"], 2) or "-" for name in ("mean", "lower", "median", "upper")
        )
        lines = [
            f"{self.changed}, list of {self.list_month}, compared with {self.family}:",
            *(f"  {change}" for change in self.changes),
            f"  {everyone['moved']:,} of {everyone['players']:,} players move: mean {mean}, median {median}, "
            f"9 of 10 from {lower} to {upper}",
            f"  {everyone['entering']:,} enter, {everyone['leaving']:,} leave",
        ]
        differences = self.tables["differences"].filter(
            pl.col("system") == self.changed, pl.col("measure") == "log_loss", pl.col("grouping") == "all"
        )
        for row in differences.iter_rows(named=True):
            mean, low, high = (grouped(row[f"{name}_millionths"], 6) for name in ("difference", "low", "high"))
            verdict = "these games do not decide which predicts better"
            if row["high_millionths"] < 0:
                verdict = "predicts better"
            elif row["low_millionths"] > 0:
                verdict = "predicts worse"
            lines.append(f"  log loss differs by {mean} ({low} to {high}) on {row['games']:,} games: {verdict}")
        lines.append(
            f"  {counted(len(self.files), 'file')} in {self.folder}; nothing is published, and the store is as it was"
        )
        return "\n".join(lines)


def what_if(
    settings: Settings,
    family: str,
    changes: tuple[str, ...],
    *,
    months: tuple[Period | None, Period | None] = (None, None),
    start: Start = "list",
    time_control: str = "standard",
    out: Path | None = None,
) -> WhatIfSummary:
    """Replay a family as it is and with ``changes`` (``section.key=value``), and write who moves and the comparison.

    Raises :class:`CommandLineError` for a change that the family does not allow, :class:`NothingReadError` where there
    is no list to compare, :class:`~ratinglist.errors.StoreInUseError` while another laboratory command runs.
    """
    parsed = parse_changes(changes)
    folder = output_folder(out or OUT)
    book, name = rule_book(), altered_name(family, parsed)
    rules = altered(book, family, parsed)
    as_it_is, changed = (checked(System(one, rules), time_control, start) for one in (family, name))
    with studied(settings, months, time_control) as study:
        lines = described(book, family, parsed, [month.first_day for month in study.months])
        systems = [as_it_is, replace(changed, changes=lines)]
        replays = [replay_system(study, system, start, settings.progress) for system in systems]
        month, lists = _last_lists(study, *replays)
        described_players = study.players(study.months[-1]).select("fide_id", "name", "federation")
        frames = {"as_it_is": lists[0], "changed": lists[1], "described": described_players}
        tables = {
            **study_tables(study, replays),
            **measured([MOVED_TABLE, LARGEST_TABLE], "compared", frames),
        }
    facts = [
        f"The family {family} with changed values, months {study.months[0]} to {study.months[-1]} of this office, "
        f"{time_control}. This is a study: no such list is published."
    ]
    # Who moves comes first: it is the question.
    moved = what_if_parts(name, lines, tables)
    document = report_document(f"What if: {name}", facts, family, tables, moved)
    files = write_measured(folder, PAGE, document, tables, TABLES)
    return WhatIfSummary(family, name, month, lines, str(folder), files, tables)


def _last_lists(study: Study, first: Replay, second: Replay) -> tuple[str, tuple[pl.DataFrame, pl.DataFrame]]:
    """Return the newest month that both have a list of, and the two lists."""
    for month in reversed(study.months):
        lists = first.ratings(month), second.ratings(month)
        if lists[0] is not None and lists[1] is not None:
            return str(month), (lists[0], lists[1])
    raise NothingReadError(
        f"The family {first.name} publishes no list from {study.months[0]} to {study.months[-1]}. Name more months."
    )
