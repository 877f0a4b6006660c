"""State the content of an account in sentences and tables that an officer can read out to a player."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ratinglist.pages.document import Document, Heading, Paragraph, Part, Table
from ratinglist.rating.systems.registry import SYSTEMS
from ratinglist.rating.terms import FigureTable, Term, Values, table
from ratinglist.tables import unit_of
from ratinglist.text import halves, hundredths, on_one_line, signed, thousandths

_GAMES = (
    *("round", "date", "colour", "opponent", "name", "opp. rating", "own rating", "difference", "counted as"),
    *("opp. deviation", "weight", "score", "expected", "K", "change"),
)
_LEFT_ALIGNED = ("date", "colour", "opponent", "name")
_COLOURS = {"w": "White", "b": "Black"}
_RESULTS = ("event", "name", "games", "points", "sum of opponents' ratings", "counted by", "counts until")


def account_document(content: Values) -> Document:
    """Return the content of an account as a document, with a section for each time control."""
    player = ", ".join(filter(None, (str(content["fide_id"]), content["federation"])))
    name = on_one_line(content["name"] or "Player")
    parts = [part for one in content["time_controls"] for part in _of_time_control(one)]
    if content["left_out"]:
        columns = ", ".join(f"{stem}.{column}" for stem, out in content["left_out"].items() for column in out)
        note = f"This office does not publish {columns}: these figures are missing above."
        parts.append(Paragraph(note, ends_section=True))
    if content["rules_changed"]:
        names = ", ".join(content["rules_changed"])
        note = f"The rule file of {names} was changed after this list was calculated: the articles are today's."
        parts.append(Paragraph(note, ends_section=True))
    return Document(f"{name} ({player}), list of {content['month']} ({content['revision']})", parts)


def _of_time_control(part: Values) -> list[Part]:
    parts: list[Part] = [Heading(part["headline"].text())]
    if part["rule_set"] is not None:
        parts.append(Paragraph(f"by {part['rule_set']['name']} ({part['rule_set']['source']})"))
    exact = SYSTEMS[part["system"]["name"]].account.exact_change if "system" in part else ""
    for event in part["events"]:
        parts += _event(event, exact)
    if part["terms"]:
        parts += [Heading("How the rating was calculated", level=3), *as_parts(part["terms"])]
    entry, waiting = part["entry"], part["waiting"]
    if entry is not None:
        has_entered = entry["published"]
        heading = "How the first rating was calculated" if has_entered else "Results towards a first rating"
        tranches = [{**one, "last_month": None} for one in entry["tranches"]] if has_entered else entry["tranches"]
        parts += [Heading(heading, level=3), *_results(tranches), *as_parts(entry["terms"])]
    if waiting and (entry is None or entry["published"]):
        parts += [Heading("Results that wait", level=3), *_results(waiting)]
    return parts


def _event(event: Values, exact: str) -> list[Part]:
    name = on_one_line(event["name"] or event["event_id"])
    days = " to ".join(dict.fromkeys(filter(None, (event["start_date"], event["end_date"]))))
    code = on_one_line(event["event_id"]) if event["name"] else ""
    details = ", ".join(filter(None, (code, event["federation"], days)))
    games = table(_GAMES, [_game(game, exact) for game in event["games"]], _LEFT_ALIGNED)
    heading = Heading(f"{name} ({details})" if details else name, level=3)
    return [heading, *as_parts([*event["verdict"], *games, *event["terms"]])]


def _game(game: Values, exact: str) -> list[object]:
    """Return the cells of a game. ``exact``: the column that its system has the change in, where it is of its own."""
    # A column in another unit than points is left to the system's own sentences.
    points = None if unit_of(exact) else game.get(exact)
    is_cut = game["difference_used"] is not None and game["difference_used"] != game["difference"]
    return [
        game["round"],
        game["date"],
        _COLOURS.get(game["colour"], ""),
        game["opponent_id"],
        game["opponent"],
        game["opponent_rating"],
        game["rating"],
        None if game["difference"] is None else signed(game["difference"]),
        signed(game["difference_used"]) if is_cut else None,
        hundredths(game.get("opponent_deviation_hundredths")),
        thousandths(game.get("weight_thousandths")),
        halves(game["score_halves"]),
        hundredths(game["expected_hundredths"]) or thousandths(game.get("expected_thousandths")),
        game["k"],
        (None if points is None else signed(points))
        or hundredths(game["change_hundredths"], sign=True)
        or thousandths(game.get("change_thousandths"), sign=True),
    ]


def _results(tranches: Sequence[Values]) -> list[Part]:
    rows = [
        [
            *(tranche[name] for name in ("event_id", "name", "games")),
            halves(tranche["score_halves"]),
            *(tranche[name] for name in ("opponent_rating_sum", "counted_month", "last_month")),
        ]
        for tranche in tranches
    ]
    return as_parts(table(_RESULTS, rows, ("event", "name")))


def as_parts(steps: Iterable[Term | FigureTable]) -> list[Part]:
    """Return terms as paragraphs, and tables as tables of a document."""
    return [
        Paragraph(step.text()) if isinstance(step, Term) else Table(step.header, step.rows, step.to_right)
        for step in steps
    ]
