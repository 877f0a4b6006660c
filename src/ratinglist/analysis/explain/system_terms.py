"""State how another system than FIDE's came to a player's number: its formula with the player's figures, as terms."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from ratinglist.analysis.explain.glicko import terms_of_glicko
from ratinglist.analysis.explain.terms import CitedRules, FigureTable, Term, Values, signed, table
from ratinglist.safe_text import on_one_line

Steps = Sequence[Term | FigureTable]


@dataclass(frozen=True, slots=True)
class Entrant:
    """What the entry of an unlisted player rests on.

    ``games``: those that wait, of this period, each with ``event_id``; ``waited``: the results that waited on the list
    before; ``listed``: FIDE ID to rating on this list, of the opponents. ``title``: the player's on this list.
    ``names``: event ID to name.
    """

    games: Sequence[Values] = ()
    waited: Sequence[Values] = ()
    listed: Mapping[int, int] = field(default_factory=dict)
    title: str = ""
    names: Mapping[str, str | None] = field(default_factory=dict)


_USED = {
    "event_start": "ratings: those of the list in force when the event began",
    "list_before": "ratings: those of the list before, for every event",
}


def terms_of(system: str, change: Values, figures: Values, rules: CitedRules, entrant: Entrant) -> Steps:
    """Return the terms from the games to the new rating, with the articles of the rules."""
    first = rules.term("list.ratings_used", _USED[rules["list.ratings_used"]])
    return [first, *_TERMS[system](change, figures, rules, entrant)]


def _sum(old: int | None, change: int | None) -> list[Term]:
    if old is None or change is None:
        return []
    return [Term("sum", "{old} {change:plus} = {result}", {"old": old, "change": change}, old + change)]


def _fsi(change: Values, figures: Values, rules: CitedRules, entrant: Entrant) -> Steps:
    del entrant
    k = rules["development_coefficient.k"]
    terms = [
        rules.term("entry.rating", "a player on no list counts as {rating}", rating=rules["entry.rating"]),
        rules.term("expected_score.table", "expected: from the difference, by the table"),
        rules.term("development_coefficient.k", "change of a game: {k} × (score - expected)", k=k),
    ]
    if figures["events"]:
        sentence = "each event is rounded by itself, .5 away from zero: {changes}"
        changes = ", ".join(signed(one) for one in figures["events"])
        terms.append(rules.term("change.halves", sentence, sum(figures["events"]), changes=changes))
    if change["status"] == "lapsed":
        return [*terms, rules.term("lapse.lapses_with", "the rating ends: the player is on the reference list")]
    return [*terms, *_sum(figures["counted_as"], change["change"])]


def _club(change: Values, figures: Values, rules: CitedRules, entrant: Entrant) -> Steps:
    terms: list[Term] = []
    if change["games"]:
        terms += [
            rules.term("expected_score.table", "expected: from the difference, by the logistic table"),
            Term("change_of_game", "change of a game: K × (score - expected)"),
            _club_k(change, rules),
        ]
    if figures["counted_as"] is not None and figures["exact_thousandths"] is not None:
        terms.append(
            rules.term(
                "change.halves",
                "{old} {sign} {size:t} = {exact:t}, rounded {result}",
                figures["by_games"],
                **_thousandths_added(figures["counted_as"], change["change_thousandths"], figures["exact_thousandths"]),
            )
        )
    title_rule = f"title_minimum.{entrant.title.lower()}"
    if figures["raised_to"] is not None and title_rule in rules:
        sentence = "raised to {result}: a title was recorded for the first time"
        terms.append(rules.term(title_rule, sentence, figures["raised_to"]))
    return terms


def _thousandths_added(old: int, change: int, exact: int) -> dict[str, object]:
    return {"old": old, "sign": "-" if change < 0 else "+", "size": abs(change), "exact": exact}


def _club_k(change: Values, rules: CitedRules) -> Term:
    k, played, until = change["k"], change["games_before"], rules["development_coefficient.new_until_games"]
    if played is not None and played < until:
        sentence = "K {result}: fewer than {until} games counted so far"
        return rules.term("development_coefficient.new", sentence, k, until=until)
    low, high = rules["development_coefficient.formula_from"], rules["development_coefficient.master_from"]
    old = change["old_rating"] or 0
    if low <= old < high:
        sentence = "K {result}: 130 - {old} / 20, rounded"
        return rules.term("development_coefficient.formula", sentence, k, old=old)
    key, case = ("master", "from {limit}") if old >= high else ("normal", "below {limit}")
    sentence = "K {result}: {until} games or more, " + case
    limit = high if old >= high else low
    return rules.term(f"development_coefficient.{key}", sentence, k, until=until, limit=limit)


def _uscf(change: Values, figures: Values, rules: CitedRules, entrant: Entrant) -> Steps:
    del entrant
    terms = []
    n, total, played = figures["performance_games"], figures["performance_sum"], figures["games_before"]
    average, points = figures["average"], rules["provisional.points"]
    if n and total is not None and played is not None:
        whole = f"({played} × {change['old_rating']} + {total})" if played else str(total)
        terms += [
            rules.term(
                "provisional.points",
                "a provisional game is worth the opponent's rating, {points} more or less",
                points=points,
            ),
            rules.term(
                "provisional.games",
                "{games:provisional_game}: {whole} / {weight} = {result}",
                average,
                games=n,
                whole=whole,
                weight=played + n,
            ),
        ]
    if figures["established_games"]:
        is_master = (average or 0) >= int(rules["development_coefficient.master_from"])
        k = f"development_coefficient.{'master' if is_master else 'normal'}"
        terms += [
            rules.term(
                "expected_score.table",
                "expected: from the difference to {average}, in thousandths",
                average=average,
            ),
            rules.term(
                k,
                "{games:established_game} with K {k}: {result:+t}",
                change["change_thousandths"],
                games=figures["established_games"],
                k=rules[k],
            ),
        ]
        if figures["exact_thousandths"] is not None:
            added = _thousandths_added(average, change["change_thousandths"], figures["exact_thousandths"])
            sentence = "{old} {sign} {size:t} = {exact:t}, rounded {result}"
            terms.append(rules.term("change.halves", sentence, change["new_rating"], **added))
    return terms


# ---------------------------------------------------------------------------------------------------------------- ffe

_CASES = {
    "below": "the performance is below {old}: ({weight} × {old} + X) / ({weight} + {n})",
    "whole": "{weight} games or more: X / {n}",
    "part": "(({weight} - {n}) × {old} + X) / {weight}",
}
_HEAD = ("event", "round", "opponent", "name", "value", "from")
_SOURCES = {"listed": "the list before", "enters": "the last round: enters with it", "waits": "the last round"}


def _ffe(change: Values, figures: Values, rules: CitedRules, entrant: Entrant) -> Steps:
    n, x, weight = figures["performance_games"], figures["performance_sum"], rules["update.weight_games"]
    points, least = rules["update.points"], rules["update.compatible"]
    if change["status"] == "entered":
        return _ffe_entry(change, figures, rules, entrant)
    if figures["case"] is None:
        return []
    return [
        rules.term("update.compatible", "games count against opponents within {most} points", most=least),
        Term(
            "performance",
            "X, the opponents' ratings and {points} more for a win, less for a loss, of {games:game}: {result}",
            {"points": points, "games": n},
            x,
        ),
        rules.term(
            "update.weight_games",
            _CASES[figures["case"]] + " = {quotient:t}, rounded {result}",
            change["new_rating"],
            weight=weight,
            old=change["old_rating"],
            n=n,
            quotient=1000 * figures["numerator"] // figures["denominator"],
        ),
    ]


def _ffe_entry(change: Values, figures: Values, rules: CitedRules, entrant: Entrant) -> Steps:
    """Return how the waiting games give the first rating: the opponents' values, X, the division and the rating."""
    start = rules["entry.start"]
    first = rules.term("entry.start", "performances of all waiting games, in rounds that begin at {start}", start=start)
    last = rules.term(
        "entry.min_games",
        "{games:game} waited, at least {least} of them within {most} points: enters with {result}",
        change["new_rating"],
        games=figures["performance_games"],
        least=rules["entry.min_games"],
        most=rules["update.compatible"],
    )
    return [first, *_division(change, figures, rules, entrant), last]


def _division(change: Values, figures: Values, rules: CitedRules, entrant: Entrant) -> Steps:
    """Return the sum X of the opponents' values and its division; nothing where a figure is not published.

    The value of an opponent is the rating on the list before, or the value of the last round; that of an opponent who
    enters is their new rating. Values of other games, of earlier periods and of opponents who wait, are not published.
    """
    n, x, points = figures["performance_games"], figures["performance_sum"], rules["update.points"]
    scores = [game["score_halves"] for game in entrant.games] + [one["score_halves"] for one in entrant.waited]
    count = len(entrant.games) + sum(one["games"] or 0 for one in entrant.waited)
    if n is None or x is None or count != n or any(one is None for one in scores):
        return []
    halves = sum(scores)
    opponents = x - points * (halves - n)
    values = [_value(game, entrant.listed) for game in entrant.games]
    known = [value for value, _ in values if value is not None]
    rows = [
        [game["event_id"], game["round"], game["opponent_id"], game["opponent"], value, _SOURCES[source]]
        for game, (value, source) in zip(entrant.games, values, strict=True)
    ]
    steps: list[Term | FigureTable] = [
        Term(
            "values",
            "the value of an opponent: the rating on the list before, else the performance after the last round:",
        ),
        *table(_HEAD, rows, ("event", "name", "from")),
    ]
    if n > len(known):
        others = (
            "{games:other_game}, of earlier lists or against players who wait on: the values, which are not published, "
            "add up to {result}"
        )
        steps.append(Term("other_games", others, {"games": n - len(known)}, opponents - sum(known)))
    sentence = (
        "X, the opponents' values and {points} more for a win, less for a loss: {opponents} + {points} × "
        "(2 × {halves:points} - {n}) = {result}"
    )
    performance = (2 * x + n) // (2 * n)
    steps += [
        rules.term("update.points", sentence, x, points=points, opponents=opponents, halves=halves, n=n),
        rules.term(
            "update.halves", "X / {n} = {quotient:t}, rounded {result}", performance, n=n, quotient=1000 * x // n
        ),
    ]
    if change["new_rating"] is not None and performance != change["new_rating"]:
        sentence = (
            "the rating is the value, {result}: it was calculated with the opponents' values of an earlier round; a "
            "value that moves by less than {least} stays"
        )
        least = rules["entry.settled_below"]
        steps.append(rules.term("entry.settled_below", sentence, change["new_rating"], least=least))
    return steps


def _value(game: Values, listed: Mapping[int, int]) -> tuple[int | None, str]:
    """Return an opponent's value, and where it comes from: ``listed``, ``enters`` or ``waits``."""
    if game["opponent_rating"] is not None:
        return int(game["opponent_rating"]), "listed"
    value = listed.get(game["opponent_id"])
    return value, "waits" if value is None else "enters"


# ----------------------------------------------------------------------------------------------------------- fsi-1998


def _fsi_1998(change: Values, figures: Values, rules: CitedRules, entrant: Entrant) -> Steps:
    step = (
        "{event}: expected {expected:h}, counted as {used:h}; K {k} × ({score:points} - {used:h}) = {result:+h}, from "
        "{rating}"
    )
    events = figures["events"] or []
    terms = [
        rules.term("entry.unclassified", "an unlisted opponent counts as {rating}", rating=rules["entry.unclassified"]),
        *(
            rules.term(
                "expected_score.sum_step",
                step,
                event["change_hundredths"],
                event=event["event_id"],
                expected=event["expected_hundredths"],
                used=event["expected_used"],
                k=event["k"],
                score=event["score_halves"],
                rating=event["rating"],
            )
            for event in events
        ),
    ]
    every = rules["change.refresh_every"]
    if every and len(events) > every:
        sentence = "after every {every} events the rating in use takes up their changes"
        terms.append(rules.term("change.refresh_every", sentence, every=every))
    if figures["by_games"] is not None:
        sentence = "{old} and {change:+h} in all, rounded: {result}"
        old, exact = change["old_rating"], change["change_hundredths"]
        terms.append(rules.term("change.halves", sentence, figures["by_games"], old=old, change=exact))
    if figures["promoted_to"] is not None:
        is_second = figures["promoted_to"] == rules["entry.second_rating"]
        name, key = ("2N", "second") if is_second else ("3N", "third")
        sentence = "promoted to {category} by an event: at least {result}"
        terms += [_judged(event, rules, key, entrant.names) for event in figures["promotions"] or []]
        terms.append(rules.term(f"entry.{key}_from", sentence, figures["promoted_to"], category=name))
    return terms


def _judged(event: Values, rules: CitedRules, key: str, names: Mapping[str, str | None]) -> Term:
    """Return how an event is judged for a promotion: by the share of the points, or by the performance."""
    n, halves, name = event["games"], event["score_halves"], on_one_line(names.get(event["event_id"]) or "")
    place = on_one_line(event["event_id"]) + (f" ({name})" if name else "")
    if event["is_unlisted_event"]:
        least = "entry.third_share_hundredths"
        sentence = (
            "{event}: all players are unlisted; {score:points} of {n} points, {result:h} of them; {least:h} is needed"
        )
        return rules.term(least, sentence, 50 * halves // n, event=place, score=halves, n=n, least=rules[least])
    least = f"entry.{key}_from"
    sentence = (
        "{event}: {games:game}, {score:points} points; the opponents' ratings and 400 more for a win, less for a loss: "
        "({opponents} {difference:plus}) / {games} = {result:t}; {least} is needed"
    )
    return rules.term(
        least,
        sentence,
        1000 * event["performance_sum"] // n,
        event=place,
        games=n,
        score=halves,
        opponents=event["opponent_sum"],
        difference=event["performance_sum"] - event["opponent_sum"],
        least=rules[least],
    )


def _glicko(change: Values, figures: Values, rules: CitedRules, entrant: Entrant) -> Steps:
    del change, entrant
    return terms_of_glicko(figures, rules)


_TERMS: dict[str, Callable[[Values, Values, CitedRules, Entrant], Steps]] = {
    "fsi": _fsi,
    "club": _club,
    "uscf": _uscf,
    "ffe": _ffe,
    "fsi-1998": _fsi_1998,
    "glicko": _glicko,
}
"""The terms of each system: from the change, the figures, the rules and what an entry rests on."""
