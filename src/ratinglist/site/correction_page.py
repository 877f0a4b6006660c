"""Make the page of corrections and rollbacks: what was changed after it was published, when, why, and whom it moved.

What a correction was, when it was reported and why is published in ``DIFF.md`` alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import polars as pl
from markupsafe import Markup

from ratinglist.home.history import WITHDRAWN
from ratinglist.publication import published_files
from ratinglist.site.cells import Cell, Words, change_cell, player_cell, was_and_is
from ratinglist.site.frame import Frame
from ratinglist.site.published_months import PublishedMonth, WithdrawnMonth
from ratinglist.site.texts import SiteTexts
from ratinglist.tables import DIFF, LISTS
from ratinglist.text import on_one_line

_NAME = "DIFF.md"
_HEADING = "## Corrections behind it"
_CELLS = re.compile(r"(?<!\\)\|")
_ESCAPED = re.compile(r"\\(.)")
_ROW = re.compile(r"^\| \d+ \|")
_GAME = re.compile(r"round (\d+) of (.+?): (.*)")
_RESULT = re.compile(r"result corrected from (\S+) to (\S+)")
_OPPONENT = re.compile(r"rating of the opponent (\d+) corrected from (\S+) to (\S+)")


@dataclass(frozen=True, slots=True)
class Correction:
    """A correction: its number, the reason given, and the day on which it was reported (``YYYY-MM-DD``)."""

    number: int
    reason: str
    day: str


def corrections_behind(revision: Path) -> list[Correction]:
    """Return the corrections behind a revision, by number; none where it has no ``DIFF.md``.

    Raises :class:`~ratinglist.errors.AlteredError` where the file is not what was published.
    """
    path = revision / _NAME
    if not path.exists():
        return []
    published_files.verified_files(revision, [_NAME])
    _, _, behind = path.read_text(encoding="utf-8").partition(_HEADING)
    rows = [line for line in behind.partition("\n## ")[0].splitlines() if _ROW.match(line)]
    cells = [[_ESCAPED.sub(r"\1", one.strip()) for one in _CELLS.split(row)[1:-1]] for row in rows]
    return [Correction(int(number), reason, day) for number, _, reason, _, day in cells]


@dataclass(frozen=True, slots=True)
class Known:
    """What the sentences on a revision name.

    ``events``: names of the events of the month; ``players``: names of players; ``first``: the first month that each
    correction changed.
    """

    month: str
    events: Mapping[str, str]
    players: Mapping[int, str]
    first: Mapping[int, str]

    def origins(self, corrections: Iterable[int]) -> list[str]:
        """Return the earlier months in which these corrections began, oldest first."""
        return sorted({self.first.get(one, self.month) for one in corrections} - {self.month})


def numbers(corrections: str) -> list[int]:
    """Return the numbers of the corrections of a row of ``DIFF``."""
    return [int(one) for one in re.findall(r"\d+", corrections)]


def because(frame: Words, row: Mapping[str, Any], known: Known) -> Markup:
    """Return why a rating differs, in words of the site; an event and an earlier month are links.

    In: a row of ``DIFF``. A rating that differs since an earlier list leads to the month in which that began.
    """
    if found := _GAME.fullmatch(row["because"]):
        number, event, what = found.groups()
        link = Markup('<a href="event.html#{}/{}">{}</a>').format(
            known.month, quote(event, safe=""), on_one_line(known.events.get(event) or event)
        )
        of_round = frame.texts.script["one_round"].format(last=number)
        return Markup("{}, {}: {}").format(link, of_round, _of_game(frame, what, known))
    if row["cause"] == "list_before" and (origins := known.origins(numbers(row["corrections"]))):
        return Markup(", ").join(earlier(frame, month) for month in origins)
    return Markup.escape(on_one_line(row["because"]))


def words_of_corrections(texts: SiteTexts) -> dict[str, str]:
    """Return the texts of these sentences, which the script writes too."""
    return {name: texts.page[name] for name in ("reported_on", "reason_given", *_BECAUSE)}


_BECAUSE = ("because_earlier", "because_result", "because_opponent")


def _of_game(frame: Words, what: str, known: Known) -> str:
    if found := _RESULT.fullmatch(what):
        return frame.text("because_result", before=found[1], after=found[2])
    if found := _OPPONENT.fullmatch(what):
        name = on_one_line(known.players.get(int(found[1])) or found[1])
        return frame.text("because_opponent", name=name, before=found[2], after=found[3])
    return on_one_line(what)


def earlier(frame: Words, month: str) -> Markup:
    """Return that a change follows from the correction to an earlier list, as a link to it."""
    text = frame.text("because_earlier", month=frame.month(month))
    return Markup('<a href="corrections.html#{}">{}</a>').format(month, text)


_SHOWN = 200


@dataclass(frozen=True, slots=True)
class ChangedMonth:
    """What changed the list of a month after it was published.

    ``corrections``: the revisions with their ``DIFF``; ``behind``: the corrections behind each. ``rollbacks``: the
    steps (``ROLLED_BACK``) with whom each moved. ``known``: what the sentences on them name.
    """

    month: str
    corrections: Sequence[tuple[int, pl.DataFrame]]
    behind: Mapping[int, Sequence[Correction]]
    rollbacks: Sequence[tuple[Mapping[str, Any], pl.DataFrame]]
    known: Known

    @property
    def is_changed(self) -> bool:
        """Whether anything changed it."""
        return bool(self.corrections or self.rollbacks)


def changed_months(months: Sequence[PublishedMonth]) -> dict[str, ChangedMonth]:
    """Return what changed the lists of months, oldest first, by month."""
    diffs = {month.name: month.diffs() for month in months}
    behind = {month.name: _behind(month, diffs[month.name]) for month in months}
    first: dict[int, str] = {}
    for name, revisions in behind.items():
        for one in (one for corrections in revisions.values() for one in corrections):
            first.setdefault(one.number, name)
    players = _opponents([diff for rows in diffs.values() for _, diff in rows])
    found = {}
    for month in months:
        events = dict(month.table("events", ["event_id", "name"]).iter_rows()) if diffs[month.name] else {}
        known = Known(month.name, events, players, first)
        found[month.name] = ChangedMonth(month.name, diffs[month.name], behind[month.name], _rollbacks(month), known)
    return found


def _opponents(diffs: Sequence[pl.DataFrame]) -> dict[int, str]:
    """Return the names of the opponents whose ratings are the causes in the rows shown, by FIDE ID."""
    because = pl.concat([DIFF.empty(), *(diff.head(_SHOWN) for diff in diffs)])["because"]
    ids = because.str.extract(r"rating of the opponent (\d+) ").drop_nulls().cast(pl.Int64).unique()
    named = [diff.select("fide_id", "name").filter(pl.col("fide_id").is_in(ids.implode())) for diff in diffs]
    return dict(pl.concat([DIFF.empty().select("fide_id", "name"), *named]).iter_rows())


def _behind(month: PublishedMonth, diffs: Sequence[tuple[int, pl.DataFrame]]) -> dict[int, list[Correction]]:
    """Return the corrections behind each revision of a month."""
    return {number: corrections_behind(month.folder.with_name(f"r{number}")) for number, _ in diffs}


def first_corrections(changed: Sequence[ChangedMonth]) -> dict[int, tuple[str, str, str]]:
    """Return the corrections by number: the first month that each changed, the day it was reported, and its reason."""
    every = [one for month in changed for corrections in month.behind.values() for one in corrections]
    return {one.number: (changed[0].known.first[one.number], one.day, one.reason) for one in every}


def _rollbacks(month: PublishedMonth) -> list[tuple[Mapping[str, Any], pl.DataFrame]]:
    """Return the rollbacks of a month; a step to or from no list moves nobody from one rating to another."""
    steps: list[tuple[Mapping[str, Any], pl.DataFrame]] = []
    for step in month.rollbacks().iter_rows(named=True):
        between = (step["from_revision"], step["to_revision"])
        moved = month.moved(*between) if WITHDRAWN not in between else month.moved(1, 1)
        steps.append((step, moved))
    return steps


def sections(frame: Frame, changed: ChangedMonth) -> list[dict[str, Any]]:
    """Return what pages show of the changes of a month, the newest first: ``heading``, ``reason``, ``head``, ``rows``.

    ``earlier``: links to the earlier lists with whose corrections a change began. ``count``: how many players differ;
    the rows are the first of them.
    """
    corrected = [_correction(frame, changed, number, diff) for number, diff in changed.corrections]
    rolled_back = [_rollback(frame, changed.month, step, moved) for step, moved in changed.rollbacks]
    return [*reversed(rolled_back), *reversed(corrected)]


def _correction(frame: Frame, changed: ChangedMonth, number: int, diff: pl.DataFrame) -> dict[str, Any]:
    behind = changed.behind[number]
    rows = [
        _moved(frame, row, changed.month, because(frame, row, changed.known))
        for row in diff.head(_SHOWN).iter_rows(named=True)
    ]
    reasons = [
        (frame.text("reported_on", day=frame.day(one.day)), frame.text("reason_given", reason=one.reason.rstrip(".")))
        for one in behind
    ]
    origins = changed.known.origins(one.number for one in behind)
    return {
        "heading": _of_lists(
            frame, diff, frame.text("against", revision=f"r{number}", players=frame.count("player", diff.height))
        ),
        "reason": " ".join(one for reason in reasons for one in reason),
        "earlier": [earlier(frame, month) for month in origins],
        "count": diff.height,
        "head": frame.head(*_HEAD, "because@"),
        "rows": rows,
    }


def _of_lists(frame: Frame, rows: pl.DataFrame, text: str) -> str:
    """Return a heading with the names of the lists before it on which ratings differ."""
    differ = set(rows["time_control"].unique())
    return " · ".join([*(frame.control(one).capitalize() for one in LISTS if one in differ), text])


_HEAD = ("name", "lists@", "before#@", "now#!", "change#")


def _rollback(frame: Frame, month: str, step: Mapping[str, Any], moved: pl.DataFrame) -> dict[str, Any]:
    day, before, after = str(step["rolled_back_on"]), f"r{step['from_revision']}", f"r{step['to_revision']}"
    key = "rolled_back" if step["to_revision"] != WITHDRAWN else "withdrawn_on"
    by = frame.text("decided_by", who=step["who"]) if step["who"] else ""
    return {
        "heading": _of_lists(frame, moved, frame.text(key, day=frame.day(day), before=before, after=after)),
        "reason": " ".join(filter(None, (frame.text("reason_given", reason=step["reason"]), by))),
        "earlier": [],
        "count": moved.height,
        "head": frame.head(*_HEAD),
        "rows": [_moved(frame, row, month) for row in moved.head(_SHOWN).iter_rows(named=True)],
    }


def _moved(frame: Frame, row: Mapping[str, Any], month: str, why: Markup | None = None) -> list[Cell]:
    was, now = row["old_rating"], row["new_rating"]
    difference = None if was is None or now is None else now - was
    control = frame.control(row["time_control"]).capitalize()
    below = (control, "" if was is None else was_and_is(was, now), why)
    return [
        player_cell(row, month, below),
        control,
        was if was is not None else "–",
        now if now is not None else "–",
        change_cell(difference),
        *([] if why is None else [why]),
    ]


def correction_page(frame: Frame, changed: Sequence[ChangedMonth], withdrawn: Sequence[WithdrawnMonth]) -> str:
    """Return the page of all corrections and rollbacks of the months shown, the newest month first."""
    months = [
        (one.month, frame.month(one.month), f"month-{one.month}.html", sections(frame, one))
        for one in changed
        if one.is_changed
    ]
    months += [(one.month, frame.month(one.month), "", [withdrawn_section(frame, one)]) for one in withdrawn]
    ranked = sorted(months, key=lambda one: one[0], reverse=True)
    return frame.page("corrections.html", file="corrections.html", months=ranked)


def withdrawn_section(frame: Frame, month: WithdrawnMonth) -> dict[str, Any]:
    """Return what pages show of a month that has no list any more, as :func:`sections` does."""
    heading = frame.text("withdrawn_on", day=frame.day(month.day), before=f"r{month.revision}")
    return {
        "heading": heading,
        "reason": frame.text("reason_given", reason=month.reason),
        "earlier": [],
        "count": 0,
        "head": [],
        "rows": [],
    }
