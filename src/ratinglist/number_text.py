"""Numbers as people read them: decimals, half points, signs, and numbers with their noun."""

from __future__ import annotations

from collections.abc import Iterable


def decimal(count: int | None, places: int, *, sign: bool = False) -> str:
    """Format a count of units of 10 to the power of ``-places`` as a decimal number; empty for None."""
    if count is None:
        return ""
    before = "-" if count < 0 else "+" if sign else ""
    whole, part = divmod(abs(count), 10**places)
    return f"{before}{whole}.{part:0{places}d}"


def grouped(count: int | None, places: int, *, sign: bool = False) -> str:
    """Format as :func:`decimal` does, with commas between thousands: 195043 of 2 places is ``1,950.43``."""
    if count is None:
        return ""
    whole, part = divmod(abs(count), 10**places)
    before = "-" if count < 0 else "+" if sign else ""
    return f"{before}{whole:,}" + (f".{part:0{places}}" if places else "")


def hundredths(count: int | None, *, sign: bool = False) -> str:
    """Format hundredths as a decimal number, such as ``-1.05``; empty for None."""
    return decimal(count, 2, sign=sign)


def thousandths(count: int | None, *, sign: bool = False) -> str:
    """Format thousandths as a decimal number, such as ``-11.010``; empty for None."""
    return decimal(count, 3, sign=sign)


def halves(count: int | None) -> str:
    """Format half points as points, such as ``½`` or ``4½``; empty for None."""
    if count is None:
        return ""
    return f"{count // 2 or ('' if count % 2 else 0)}{'½' if count % 2 else ''}"


def signed(count: int) -> str:
    """Format an integer with its sign: ``+3``, ``-1``, ``0``."""
    return f"{count:+d}" if count else "0"


def plus(count: int) -> str:
    """Format an integer as the second term of a sum: ``+ 3`` or ``- 1``."""
    return f"{'-' if count < 0 else '+'} {abs(count)}"


def counted(count: int, what: str) -> str:
    """Format a number with its noun: ``1 game``, ``9 games``."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def listed(texts: Iterable[str]) -> str:
    """Return texts as a list of words: ``a``, ``a and b``, ``a, b and c``."""
    *others, last = texts
    return f"{', '.join(others)} and {last}" if others else last


def numbered(what: str, numbers: Iterable[int]) -> str:
    """Format numbers behind their noun: ``round 3``, ``rounds 1, 2 and 9``."""
    distinct = sorted(set(numbers))
    return f"{what}{'s' * (len(distinct) > 1)} {listed(map(str, distinct))}"
