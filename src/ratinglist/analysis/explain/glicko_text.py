"""Format the calculation of Glicko as text: the terms of the games, their sums, and the formulas with the figures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ratinglist.analysis.explain.cited_rules import CitedRules
from ratinglist.analysis.explain.figures import Block, counted, decimal, halves, hundredths, table, thousandths

Values = Mapping[str, Any]


def glicko_lines(change: Values, figures: Values, rules: CitedRules) -> list[Block]:
    """Return the lines from the games to the new rating and deviation."""
    del change
    white = rules["expected_score.white"]
    before, after = figures["rating_before"], figures["rating_after"]
    lines: list[Block] = [
        rules.text(
            "expected: 1 / (1 + 10^(-g × difference / 400)), g by the opponent's deviation", "deviation.initial"
        ),
        rules.text("deviation: its square grows with every month", "deviation.variance_per_month"),
    ]
    if white:
        lines.append(rules.text(f"White's rating counts {white} more", "expected_score.white"))
    if rules["expected_score.weights"] != "equal":
        lines.append(rules.text("the last game weighs most: 1, 1/2, 1/3, ...", "expected_score.weights"))
    if before is None or after is None:
        return lines
    lines.append(
        f"score {halves(figures['score_halves']) or '0'}, expected {thousandths(figures['expected_thousandths'])}"
    )
    if figures["learning"] is not None:
        lines += _learning(figures, figures["learning"], rules)
    lines.append(
        f"rating {hundredths(before)} {hundredths(after - before, sign=True)} = {hundredths(after)}; deviation "
        f"{hundredths(figures['deviation_grown'])}, after the games {hundredths(figures['deviation_after'])}"
    )
    return lines


def _learning(figures: Values, found: Values, rules: CitedRules) -> list[Block]:
    """Return the terms of the games, and the formulas of step 3 with the player's figures."""
    weight = "" if rules["expected_score.weights"] == "equal" else "weight × "
    surplus, information = f"{weight}g × (score - E)", f"{weight}g² × E × (1 - E)"
    several = len({term["event_id"] for term in found["terms"]}) > 1
    head = ("event", "round", "opponent", "difference", "g", "weight", "E", surplus, information)
    rows = [
        [
            term["event_id"] if several else None,
            term["round"],
            term["opponent_id"],
            hundredths(term["difference_hundredths"], sign=True),
            decimal(term["g_millionths"], 6),
            decimal(term["weight_millionths"], 6),
            decimal(term["expected_millionths"], 6),
            decimal(term["surplus_billionths"], 9, sign=True),
            decimal(term["information_billionths"], 9),
        ]
        for term in found["terms"]
    ]
    rating, after = figures["rating_before"], found["variance_after_ten_thousandths"]
    total = decimal(found["surplus_billionths"], 9)
    sum_of_information = decimal(found["information_billionths"], 9)
    points, q = found["points_ten_thousandths"], decimal(found["q_billionths"], 9)
    least = rules["deviation.least"]
    sum_of_surplus = f"({total})" if found["surplus_billionths"] < 0 else total
    lines: list[Block] = [
        f"g = 1 / √(1 + 3 × q² × RD² / π²) by the opponent's deviation RD; q = ln 10 / 400 = {q}",
        "each game, its terms rounded to 0.000000001; E is the expected score:",
        *table(head, rows, ("event",)),
        f"sum of {surplus}: {total}",
        f"sum of {information}: {sum_of_information}",
        f"I = q² × {sum_of_information} = {decimal(found['precision_trillionths'], 12)}",
        rules.text(_variance_before(figures, found, rules), "deviation.variance_per_month"),
        f"v′ = 1 / (1 / v + I) = {decimal(after, 4)}",
        f"new rating: R + v′ × q × the first sum = {hundredths(rating)} + {decimal(after, 4)} × {q} × "
        f"{sum_of_surplus} = {hundredths(rating)} {'-' if points < 0 else '+'} {decimal(abs(points), 4)}, rounded "
        f"{hundredths(found['rating_after'])}",
        rules.text(
            f"new deviation: √v′, at least {least}, rounded {hundredths(found['deviation_after'])}", "deviation.least"
        ),
    ]
    if not found["is_as_published"]:
        lines.append(
            "these figures differ from the published rating or deviation: a figure that they follow from is published "
            "rounded, or not at all"
        )
    return lines


def _variance_before(figures: Values, found: Values, rules: CitedRules) -> str:
    """Return v, the variance before the games, with its growth since the list before where that is known."""
    most, variance = rules["deviation.initial"], decimal(found["variance_ten_thousandths"], 4)
    if found["variance_ten_thousandths"] == 10_000 * most * most:
        return f"v = {variance}: the largest, {most}²"
    if found["deviation_before"] is None or found["months"] is None:
        return f"v = {variance}: the square of the deviation, {hundredths(figures['deviation_grown'])}"
    growth = f"{rules['deviation.variance_per_month']} × {counted(found['months'], 'month')}"
    return f"v = {hundredths(found['deviation_before'])}² + {growth} = {variance}: the square of the deviation"
