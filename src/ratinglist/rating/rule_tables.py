"""Parse the tables of the regulations: expected scores by rating difference, differences by share of the points."""

from __future__ import annotations

import csv
import re

import polars as pl

from ratinglist.errors import RulesError


def parse_expected_score(text: str, name: str, unit: str = "hundredths", whole: int = 100) -> pl.Series:
    """Parse a table of expected scores (8.1.2) into one value per rating difference.

    In: CSV with inclusive ``difference_from``, ``difference_to`` (empty: open end), and ``higher_`` and ``lower_`` with
    the ``unit``, of which a point has ``whole``. Out: Int32 units of the higher rated player, by |difference| from 0 to
    the first one at which the table ends. Raises :class:`RulesError` where ranges leave a gap or the two columns do not
    add up to a point.
    """
    expected: list[int] = []
    rows = _table(text, name, ["difference_from", "difference_to", f"higher_{unit}", f"lower_{unit}"])
    for line, (first, to, high, low) in enumerate(rows, start=2):
        last = to if to is not None else first
        is_open_too_early = to is None and line <= len(rows)
        if first != len(expected) or high is None or low is None or last is None or last < first or is_open_too_early:
            raise RulesError(f"Table {name}, line {line}: the ranges must follow each other; only the last is open.")
        if high + low != whole:
            raise RulesError(f"Table {name}, line {line}: the two expected scores must add up to {whole} {unit}.")
        expected.extend([high] * (last - first + 1))
    if not expected:
        raise RulesError(f"Table {name}: no rows.")
    return pl.Series(name, expected, dtype=pl.Int32)


def _table(text: str, name: str, columns: list[str]) -> list[list[int | None]]:
    """Parse a CSV table of whole numbers, an empty cell as None; raise :class:`RulesError` naming table and line."""
    lines = list(csv.reader(text.splitlines()))
    if not lines or lines[0] != columns:
        raise RulesError(f"Table {name}: its columns must be {', '.join(columns)}.")
    rows: list[list[int | None]] = []
    for line, cells in enumerate(lines[1:], start=2):
        if len(cells) != len(columns) or not all(re.fullmatch(r"-?\d+|", cell) for cell in cells):
            raise RulesError(f"Table {name}, line {line}: {len(columns)} whole numbers are needed, not {cells}.")
        rows.append([int(cell) if cell else None for cell in cells])
    return rows


def parse_performance(text: str, name: str) -> pl.Series:
    """Parse the table of rating differences by share of the points (8.1.1).

    In: CSV with ``p_hundredths`` from 0 to 100 and ``dp``. Out: Int32 ``dp`` by ``p_hundredths``. Raises
    :class:`RulesError` where a row is missing.
    """
    rows = _table(text, name, ["p_hundredths", "dp"])
    if [p for p, _ in rows] != list(range(101)) or any(dp is None for _, dp in rows):
        raise RulesError(f"Table {name}: p_hundredths must run from 0 to 100 without a gap, each with its dp.")
    return pl.Series(name, [dp for _, dp in rows], dtype=pl.Int32)
