"""An entry, and what waits for one, in plain words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ratinglist.analysis.explain.figures import counted, halves, hundredths, plus, signed, table

Says = Mapping[str, Any]

_HEAD = ("event", "name", "games", "points", "sum of opponents' ratings", "counted by", "counts until")


def entry_lines(entry: Says) -> list[str]:
    """How a first rating came about, or why there is none yet."""
    entered = bool(entry["published"])
    rules = entry["rules"]
    lines = ["How the first rating came about" if entered else "The way to a first rating"]
    tranches = entry["tranches"]
    lines += _tranches([{**one, "last_month": None} for one in tranches] if entered else tranches)
    if not entry["is_whole"]:
        lines.append("  the other results were counted by earlier lists, which are not published here")
    if entry["games"] is not None and entry["score_halves"] is not None:
        lines.append(f"  {counted(entry['games'], 'game')}, {halves(entry['score_halves'])} points")
    if rules is not None:
        lines += _arithmetic(entry, rules)
    if entered:
        lines.append(f"  enters the list with {entry['computed_rating']}")
    elif entry["reason"] is not None:
        lines.append(f"  not listed yet: {entry['reason']['says']} ({entry['reason']['article']})")
    if rules is not None and not entered:
        least, window = rules["min_games"], rules["window_lists"]
        lines.append(
            f"  an entry needs {counted(least['value'], 'game')} ({least['article']}); a result counts on "
            f"{window['value']} lists in a row ({window['article']})"
        )
    return lines


def waiting_lines(waiting: list[Says]) -> list[str]:
    """What waits for an entry."""
    return ["Results that wait", *_tranches(waiting)]


def _tranches(tranches: list[Says]) -> list[str]:
    rows = [
        [
            one["event_id"],
            one["name"],
            one["games"],
            halves(one["score_halves"]),
            one["opponent_rating_sum"],
            one["counted_month"],
            one["last_month"],
        ]
        for one in tranches
    ]
    return table(_HEAD, rows, ("event", "name"), "  ") if rows else []


def _arithmetic(entry: Says, rules: Says) -> list[str]:
    """Ra, p, dp and their sum, as far as they are published."""
    average, p, dp, rating = (
        entry[name] for name in ("opponent_average_hundredths", "p_hundredths", "dp", "computed_rating")
    )
    if average is None or p is None or dp is None:
        return []
    method = rules["method"]
    drawn = method["value"] == "two_draws_at_1800"
    with_draws = ", two draws against opponents of 1800 added" if drawn else ""
    by_points = method["value"] == "twenty_per_half_point" and dp >= 0
    source = (
        f"20 for each half point above half, {method['article']}"
        if by_points
        else (f"the table of {rules['performance_table']['article']}")
    )
    lines = [
        f"  average of the opponents{with_draws}: {hundredths(average)} ({method['article']})",
        f"  share of the points{', with the draws' * drawn}: {hundredths(p)}, which is worth {signed(dp)} ({source})",
    ]
    if rating is not None:
        most = rules["maximum"]
        at_most = f", at most {most['value']} ({most['article']})" if most["value"] else ""
        lines.append(f"  {hundredths(average)} {plus(dp)}, rounded{at_most}: {rating}")
    return lines
