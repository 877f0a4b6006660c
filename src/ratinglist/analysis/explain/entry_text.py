"""Format an entry, and the results that wait for one, as text for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ratinglist.analysis.explain.figures import Block, counted, halves, hundredths, plus, signed, table

Values = Mapping[str, Any]

_HEAD = ("event", "name", "games", "points", "sum of opponents' ratings", "counted by", "counts until")


def entry_lines(entry: Values) -> list[Block]:
    """Return the lines on how a first rating was calculated, or why there is none yet."""
    has_entered = bool(entry["published"])
    rules = entry["rules"]
    lines: list[Block] = ["How the first rating was calculated" if has_entered else "Results towards a first rating"]
    tranches = entry["tranches"]
    lines += _tranches([{**tranche, "last_month": None} for tranche in tranches] if has_entered else tranches)
    if not entry["is_whole"]:
        lines.append("  the other results were counted by earlier lists, which are not published here")
    if entry["games"] is not None and entry["score_halves"] is not None:
        lines.append(f"  {counted(entry['games'], 'game')}, {halves(entry['score_halves'])} points")
    if rules is not None:
        lines += _arithmetic(entry, rules)
    if has_entered:
        lines.append(f"  first rating: {entry['computed_rating']}")
    elif entry["reason"] is not None:
        lines.append(f"  not listed yet: {entry['reason']['says']} ({entry['reason']['article']})")
    if rules is not None and not has_entered:
        least, window = rules["min_games"], rules["window_lists"]
        lines.append(
            f"  an entry needs {counted(least['value'], 'game')} ({least['article']}); a result counts on "
            f"{window['value']} lists in a row ({window['article']})"
        )
    return lines


def waiting_lines(waiting: list[Values]) -> list[Block]:
    """Return the lines on the results that wait for an entry."""
    return ["Results that wait", *_tranches(waiting)]


def _tranches(tranches: list[Values]) -> list[Block]:
    rows = [
        [
            tranche["event_id"],
            tranche["name"],
            tranche["games"],
            halves(tranche["score_halves"]),
            tranche["opponent_rating_sum"],
            tranche["counted_month"],
            tranche["last_month"],
        ]
        for tranche in tranches
    ]
    return table(_HEAD, rows, ("event", "name")) if rows else []


def _arithmetic(entry: Values, rules: Values) -> list[str]:
    """Return the lines on Ra, p, dp and their sum, as far as they are published."""
    average, p, dp, rating = (
        entry[name] for name in ("opponent_average_hundredths", "p_hundredths", "dp", "computed_rating")
    )
    if average is None or p is None or dp is None:
        return []
    method = rules["method"]
    adds_draws = method["value"] == "two_draws_at_1800"
    with_draws = ", two draws against opponents of 1800 added" if adds_draws else ""
    share_with_draws = ", with the draws" if adds_draws else ""
    by_points = method["value"] == "twenty_per_half_point" and dp >= 0
    source = (
        f"20 for each half point above half, {method['article']}"
        if by_points
        else (f"the table of {rules['performance_table']['article']}")
    )
    lines = [
        f"  average of the opponents{with_draws}: {hundredths(average)} ({method['article']})",
        f"  share of the points{share_with_draws}: {hundredths(p)}, which is worth {signed(dp)} ({source})",
    ]
    if rating is not None:
        maximum = rules["maximum"]
        at_most = f", at most {maximum['value']} ({maximum['article']})" if maximum["value"] else ""
        lines.append(f"  {hundredths(average)} {plus(dp)}, rounded{at_most}: {rating}")
    return lines
