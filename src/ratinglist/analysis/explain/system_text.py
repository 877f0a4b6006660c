"""Format the calculation of another system than FIDE's as text: its formula with the player's figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ratinglist.analysis.explain.cited_rules import CitedRules
from ratinglist.analysis.explain.figures import Block, counted, halves, hundredths, plus, signed, thousandths
from ratinglist.analysis.explain.first_rating_text import iterated_entry_lines, promotion_lines
from ratinglist.analysis.explain.glicko_text import glicko_lines

Values = Mapping[str, Any]

_USED = {
    "event_start": "ratings: those of the list in force when the event began",
    "list_before": "ratings: those of the list before, for every event",
}


def calculation_lines(part: Values) -> list[Block]:
    """Return the lines from the games to the new rating, with the articles of the rules; none without a change."""
    system, change = part["system"], part["change"]
    figures = system["figures"]
    if figures is None:
        return []
    rules = CitedRules(system["rules"])
    lines: list[Block] = [rules.text(_USED[rules["list.ratings_used"]], "list.ratings_used")]
    lines += _LINES[system["name"]](change, figures, rules)
    shown = (f"  {line}" if isinstance(line, str) else line for line in lines)
    return ["How the rating was calculated", *shown]


def _fsi(change: Values, figures: Values, rules: CitedRules) -> list[str]:
    k, entry = rules["development_coefficient.k"], rules["entry.rating"]
    lines = [
        rules.text(f"a player on no list counts as {entry}", "entry.rating"),
        rules.text("expected: from the difference, by the table", "expected_score.table"),
        rules.text(f"change of a game: {k} × (score - expected)", "development_coefficient.k"),
    ]
    changes = [one for one in figures["events"] if one is not None]
    if changes:
        terms = ", ".join(signed(one) for one in changes)
        lines.append(rules.text(f"each event is rounded by itself, .5 away from zero: {terms}", "change.halves"))
    if change["status"] == "lapsed":
        return [*lines, rules.text("the rating ends: the player is on the reference list", "lapse.lapses_with")]
    return [*lines, *_sum(figures["counted_as"], change["change"])]


def _club(change: Values, figures: Values, rules: CitedRules) -> list[str]:
    lines = []
    if change["games"]:
        lines += [
            rules.text("expected: from the difference, by the logistic table", "expected_score.table"),
            "change of a game: K × (score - expected)",
            _club_k(change, rules),
        ]
    if figures["counted_as"] is not None and figures["exact_thousandths"] is not None:
        exact = thousandths(figures["exact_thousandths"])
        more = _plus(change["change_thousandths"])
        lines.append(
            rules.text(f"{figures['counted_as']} {more} = {exact}, rounded {figures['by_games']}", "change.halves")
        )
    if figures["raised_to"] is not None and figures["title_rule"] is not None:
        lines.append(
            rules.text(
                f"raised to {figures['raised_to']}: a title was recorded for the first time", figures["title_rule"]
            )
        )
    return lines


def _club_k(change: Values, rules: CitedRules) -> str:
    k, played, until = change["k"], change["games_before"], rules["development_coefficient.new_until_games"]
    if played is not None and played < until:
        return rules.text(f"K {k}: fewer than {until} games counted so far", "development_coefficient.new")
    low, high = rules["development_coefficient.formula_from"], rules["development_coefficient.master_from"]
    cases = {
        rules["development_coefficient.normal"]: (f"below {low}", "normal"),
        rules["development_coefficient.master"]: (f"from {high}", "master"),
    }
    old = change["old_rating"] or 0
    if low <= old < high:
        return rules.text(f"K {k}: 130 - {old} / 20, rounded", "development_coefficient.formula")
    case, key = cases.get(k, ("", "normal"))
    return rules.text(f"K {k}: {until} games or more, {case}", f"development_coefficient.{key}")


def _uscf(change: Values, figures: Values, rules: CitedRules) -> list[str]:
    lines = []
    n, total, played = figures["averaged_games"], figures["performance_sum"], figures["games_before"]
    points = rules["provisional.points"]
    if n and total is not None and played is not None:
        lines.append(
            rules.text(
                f"a provisional game is worth the opponent's rating, {points} more or less", "provisional.points"
            )
        )
        whole = f"({played} × {change['old_rating']} + {total})" if played else str(total)
        lines.append(
            rules.text(
                f"{counted(n, 'provisional game')}: {whole} / {played + n} = {figures['average']}",
                "provisional.games",
            )
        )
    if figures["established_games"]:
        k = "master" if change_is_master(figures, rules) else "normal"
        lines += [
            rules.text(
                f"expected: from the difference to {figures['average']}, in thousandths", "expected_score.table"
            ),
            rules.text(
                f"{counted(figures['established_games'], 'established game')} with K "
                f"{rules[f'development_coefficient.{k}']}: {thousandths(change['change_thousandths'], sign=True)}",
                f"development_coefficient.{k}",
            ),
        ]
        if figures["exact_thousandths"] is not None:
            exact = thousandths(figures["exact_thousandths"])
            lines.append(
                rules.text(
                    f"{figures['average']} {_plus(change['change_thousandths'])} = {exact}, rounded "
                    f"{change['new_rating']}",
                    "change.halves",
                )
            )
    return lines


def change_is_master(figures: Values, rules: CitedRules) -> bool:
    """Return whether the established games have the K of a master."""
    return (figures["average"] or 0) >= int(rules["development_coefficient.master_from"])


def _ffe(change: Values, figures: Values, rules: CitedRules) -> Sequence[Block]:
    n, x, old = figures["games"], figures["performance_sum"], change["old_rating"]
    weight, points = rules["update.weight_games"], rules["update.points"]
    if change["status"] == "entered":
        return iterated_entry_lines(change, figures, rules)
    if figures["case"] is None:
        return []
    text = {
        "below": f"the performance is below {old}: ({weight} × {old} + X) / ({weight} + {n})",
        "whole": f"{weight} games or more: X / {n}",
        "part": f"(({weight} - {n}) × {old} + X) / {weight}",
    }[figures["case"]]
    quotient = 1000 * figures["numerator"] // figures["denominator"]
    return [
        rules.text(f"games count against opponents within {rules['update.compatible']} points", "update.compatible"),
        f"X, the opponents' ratings and {points} more for a win, less for a loss, of {counted(n, 'game')}: {x}",
        rules.text(f"{text} = {thousandths(quotient)}, rounded {change['new_rating']}", "update.weight_games"),
    ]


def _fsi_1998(change: Values, figures: Values, rules: CitedRules) -> list[str]:
    entry = rules["entry.unclassified"]
    lines = [rules.text(f"an unlisted opponent counts as {entry}", "entry.unclassified")]
    lines += [
        rules.text(
            f"{event['event_id']}: expected {hundredths(event['expected_hundredths'])}, counted as "
            f"{hundredths(event['expected_used'])}; K {event['k']} × ({halves(event['score_halves']) or '0'} - "
            f"{hundredths(event['expected_used'])}) = {hundredths(event['change_hundredths'], sign=True)}, from "
            f"{event['rating']}",
            "expected_score.sum_step",
        )
        for event in figures["events"]
    ]
    every = rules["change.refresh_every"]
    if every and len(figures["events"]) > every:
        lines.append(
            rules.text(f"after every {every} events the rating in use takes up their changes", "change.refresh_every")
        )
    if figures["by_games"] is not None:
        total = hundredths(change["change_hundredths"], sign=True)
        lines.append(
            rules.text(f"{change['old_rating']} and {total} in all, rounded: {figures['by_games']}", "change.halves")
        )
    if figures["promoted_to"] is not None:
        lines += promotion_lines(figures, rules)
    return lines


def _plus(count: int) -> str:
    """Format thousandths as the second term of a sum: ``+ 3.500`` or ``- 1.000``."""
    return f"{'-' if count < 0 else '+'} {thousandths(abs(count))}"


def _sum(old: int | None, change: int | None) -> list[str]:
    return [] if old is None or change is None else [f"{old} {plus(change)} = {old + change}"]


_LINES: dict[str, Callable[[Values, Values, CitedRules], Sequence[Block]]] = {
    "fsi": _fsi,
    "club": _club,
    "uscf": _uscf,
    "ffe": _ffe,
    "fsi-1998": _fsi_1998,
    "glicko": glicko_lines,
}
"""The lines of each system: from the change, the figures and the rules."""
