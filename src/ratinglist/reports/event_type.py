"""The event type of a report, from record 192 (a code) or record 092 (free text in any language).

Each line of a table is a pattern and its event type. The first pattern that fits decides, so special patterns come
before general ones.
"""

from __future__ import annotations

from functools import reduce

import polars as pl

# Codes of the type table of TRF26. A team event has TEAM in its code; Gn repeats the schedule n times.
_CODES = (
    (r"TEAM|SCHILLER|SCHEVENINGEN", "team"),
    (r"DOUBLE_?ROUND_?ROBIN|ROUND_?ROBIN_G0*([2-9]|1[0-9])", "double_roundrobin"),
    (r"ROUND_?ROBIN|BERGER", "roundrobin"),
    (r"SWISS|DUTCH|DUBOV|BURSTEIN", "swiss"),
    (r"(^|_)MATCH(_|$)", "match"),
)

_ROUND_ROBIN = (
    r"round ?robin|rundenturnier|vollrund|berger|all ?play ?all|all'italiana|toutes rondes|todos contra todos"
)
_DOUBLE = r"double|doppel|doppio|doble"
_TEXTS = (
    (r"\bteams?\b|\bleague\b|liga\b|mannschaft|squadre|[ée]quipes?\b|equipos|scheveningen", "team"),
    (rf"({_DOUBLE}).*({_ROUND_ROBIN})|({_ROUND_ROBIN}).*({_DOUBLE})|doppelrund", "double_roundrobin"),
    (_ROUND_ROBIN, "roundrobin"),
    (r"swiss|schweizer|svizzer|suisse|suizo|\bdutch\b", "swiss"),
    (r"\bmatch\b|\bduel\b|zweikampf", "match"),
)


def by_code(code: pl.Expr) -> pl.Expr:
    """Return the event type of a code of record 192; null for any other code, such as that of a knockout."""
    return _first(code.str.to_uppercase().str.replace_all("-", "_", literal=True), _CODES)


def by_text(text: pl.Expr) -> pl.Expr:
    """Return the event type that the free text of record 092 names; null where it names none."""
    return _first(text.str.to_lowercase().str.replace_all(r"[-_]", " "), _TEXTS)


def _first(text: pl.Expr, patterns: tuple[tuple[str, str], ...]) -> pl.Expr:
    nothing = pl.lit(None, pl.String)
    return reduce(
        lambda rest, pattern: pl.when(text.str.contains(pattern[0])).then(pl.lit(pattern[1])).otherwise(rest),
        reversed(patterns),
        nothing,
    )
