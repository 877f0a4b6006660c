"""Random numbers by key: one fixed number for every (seed, name of the decision, keys).

The numbers of a sequential generator change as soon as rows change their order, are split among threads or one row is
added. Here each number is computed from its own keys alone, by the finalizer of splitmix64 over unsigned 64-bit
integers that wrap around, one step for each key. The arithmetic is written out instead of taken from a library's hash,
which may change with the library's version.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from itertools import accumulate

import polars as pl

MOST_SIDES = 1 << 32

_GOLDEN = 0x9E3779B97F4A7C15
_FIRST = 0xBF58476D1CE4E5B9
_SECOND = 0x94D049BB133111EB


def roll(seed: int, what: str, *keys: pl.Expr, sides: int | pl.Expr) -> pl.Expr:
    """Return a whole number from 0 to ``sides`` − 1 (Int64, named ``roll``), each equally likely; null for a null key.

    ``seed`` is the seed of the world, ``what`` the name of the decision: two names give independent numbers for the
    same keys. A name is part of the key: another wording draws other numbers. ``keys`` are integer columns, one at
    least; their values and their order count, not their types. ``sides`` is from 1 to 2³², as a number or as a column.
    Raises :class:`ValueError` for a number out of that range.
    """
    if isinstance(sides, int) and not 1 <= sides <= MOST_SIDES:
        raise ValueError(f"A die has 1 to {MOST_SIDES} sides, not {sides}.")
    start = int.from_bytes(hashlib.blake2b(f"{seed} {what}".encode(), digest_size=8).digest(), "big")

    # On whole columns: in an expression each step would name the one before twice, which doubles the work.
    def draw(columns: Sequence[pl.Series]) -> pl.Series:
        number = pl.Series([start], dtype=pl.UInt64)
        for key in columns[:-1]:
            number = _mix(number ^ key)
        # The upper half times the sides: unlike a remainder, it favours no number by more than one part in 2³².
        return ((number // (1 << 32)) * columns[-1] // (1 << 32)).cast(pl.Int64)

    unsigned = [key.cast(pl.Int64).cast(pl.UInt64, wrap_numerical=True) for key in keys]
    upper = pl.lit(sides, dtype=pl.UInt64) if isinstance(sides, int) else sides.cast(pl.UInt64)
    return pl.map_batches([*unsigned, upper], draw, return_dtype=pl.Int64(), is_elementwise=True).alias("roll")


def per_thousand(seed: int, what: str, *keys: pl.Expr, chance: int | pl.Expr) -> pl.Expr:
    """Return true with a probability of ``chance`` in a thousand, drawn as by :func:`roll`."""
    return roll(seed, what, *keys, sides=1000) < chance


def by_shares(drawn: pl.Expr, names: Sequence[str], shares: Sequence[int]) -> pl.Expr:
    """Return the name in whose share a number falls that was drawn by :func:`roll`; null beyond all shares."""
    ends = accumulate(shares)
    return pl.coalesce(pl.when(drawn < end).then(pl.lit(name)) for name, end in zip(names, ends, strict=True))


def _mix(number: pl.Series) -> pl.Series:
    number = number + _GOLDEN
    number = (number ^ (number // (1 << 30))) * _FIRST
    number = (number ^ (number // (1 << 27))) * _SECOND
    return number ^ (number // (1 << 31))
