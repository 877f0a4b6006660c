"""Thinking time for 60 moves by a coded time control (record 222), and the time control that it makes.

The regulations measure every time control by 60 moves: ``5400+30`` is 90 minutes and 60 times 30 seconds, 120 minutes.
"""

from __future__ import annotations

import re

import polars as pl

COUNTED_MOVES = 60
_SIDES = re.compile(r"W([0-9/+:]+)-B([0-9/+:]+)")
_PERIOD = re.compile(r"(?:([1-9][0-9]{0,2})/)?([0-9]{1,6})(?:\+([0-9]{1,5}))?")

# RB 1.1.1 and 1.1.2, in seconds for 60 moves.
RAPID_BELOW = 60 * 60
BLITZ_UP_TO = 10 * 60
TOO_SHORT_UP_TO = 3 * 60


def thinking_seconds(code: str) -> tuple[int, int] | None:
    """Return the seconds for 60 moves of White and Black under the coded time control ``code``.

    Periods follow one another, and an increment counts for the moves of its own period. ``None`` where the text is not
    a coded time control, or its periods end before move 60.
    """
    text = re.sub(r"\s", "", code).upper()
    sides = _SIDES.fullmatch(text)
    white, black = (_seconds(side) for side in (sides.groups() if sides else (text, text)))
    return None if white is None or black is None else (white, black)


def _seconds(periods: str) -> int | None:
    seconds = played = 0
    for text in periods.split(":"):
        period = _PERIOD.fullmatch(text)
        if period is None:
            return None
        moves, allotted, increment = (int(part) if part else 0 for part in period.groups())
        if played < COUNTED_MOVES:
            counted = min(moves or COUNTED_MOVES, COUNTED_MOVES - played)
            seconds += allotted + increment * counted
            played += counted
    return seconds if played == COUNTED_MOVES else None


def by_seconds(seconds: pl.Expr) -> pl.Expr:
    """Return the time control of a thinking time in ``seconds`` for 60 moves (RB 1.1); null where it is too short."""
    return (
        pl.when(seconds >= RAPID_BELOW)
        .then(pl.lit("standard"))
        .when(seconds > BLITZ_UP_TO)
        .then(pl.lit("rapid"))
        .when(seconds > TOO_SHORT_UP_TO)
        .then(pl.lit("blitz"))
    )


def by_text(text: pl.Expr) -> pl.Expr:
    """Return the time control that free text names; null where it names none, or more than one."""
    lower = text.str.to_lowercase()
    named = {
        "standard": lower.str.contains(r"standard|classical|klassisch"),
        "rapid": lower.str.contains(r"rapid|schnellschach|semilampo"),
        "blitz": lower.str.contains(r"blitz|\blampo"),
    }
    is_only = pl.sum_horizontal(named.values()) == 1
    return pl.coalesce(pl.when(is_only & contains).then(pl.lit(name)) for name, contains in named.items())
