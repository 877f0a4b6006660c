"""Chance that can be looked up: a number for every (seed, name of the decision, keys), the same one forever.

A generator that is asked in turn gives other numbers as soon as rows change places, are split among threads or one
row more comes in. Here nothing is asked in turn: each number is computed from its own keys alone, by the finalizer of
splitmix64 over unsigned 64-bit integers that wrap around, one step for every key. The arithmetic is spelt out instead
of taken from a library's hash, which may change with the library's version.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import polars as pl

MOST_SIDES = 1 << 32

_GOLDEN = 0x9E3779B97F4A7C15
_FIRST = 0xBF58476D1CE4E5B9
_SECOND = 0x94D049BB133111EB


def roll(seed: int, what: str, *keys: pl.Expr, sides: int | pl.Expr) -> pl.Expr:
    """A whole number ``roll`` from 0 to ``sides`` − 1 (Int64), every one equally likely; null where a key is null.

    ``seed`` is the seed of the world, ``what`` the name of the decision: two names give independent numbers for the
    same keys. ``keys`` are integer columns, one at least; their values and their order count, not their types.
    ``sides`` is from 1 to 2³², as a number or as a column. Raises :class:`ValueError` for a number out of that range.
    """
    if isinstance(sides, int) and not 1 <= sides <= MOST_SIDES:
        raise ValueError(f"A die has 1 to {MOST_SIDES} sides, not {sides}.")
    start = int.from_bytes(hashlib.blake2b(f"{seed} {what}".encode(), digest_size=8).digest(), "big")

    # Written on whole columns: as an expression each step would name the one before twice, and so double the work.
    def rolled(columns: Sequence[pl.Series]) -> pl.Series:
        number = pl.Series([start], dtype=pl.UInt64)
        for key in columns[:-1]:
            number = _stirred(number ^ key)
        # The upper half times the sides: unlike a remainder it favours no face by more than one part in 2³².
        return ((number // (1 << 32)) * columns[-1] // (1 << 32)).cast(pl.Int64)

    words = [key.cast(pl.Int64).cast(pl.UInt64, wrap_numerical=True) for key in keys]
    faces = pl.lit(sides, dtype=pl.UInt64) if isinstance(sides, int) else sides.cast(pl.UInt64)
    return pl.map_batches([*words, faces], rolled, return_dtype=pl.Int64(), is_elementwise=True).alias("roll")


def per_thousand(seed: int, what: str, *keys: pl.Expr, chance: int | pl.Expr) -> pl.Expr:
    """True ``chance`` times in a thousand, drawn as :func:`roll` draws."""
    return roll(seed, what, *keys, sides=1000) < chance


def _stirred(number: pl.Series) -> pl.Series:
    number = number + _GOLDEN
    number = (number ^ (number // (1 << 30))) * _FIRST
    number = (number ^ (number // (1 << 27))) * _SECOND
    return number ^ (number // (1 << 31))
