"""Print the content of an account as lines and tables that an officer can read out to a player."""

from __future__ import annotations

from collections.abc import Sequence

from ratinglist.rating.terms import (
    Block,
    Values,
    as_lines,
    halves,
    hundredths,
    signed,
    table,
    thousandths,
)
from ratinglist.safe_text import on_one_line

_GAMES = (
    *("round", "date", "colour", "opponent", "name", "opp. rating", "own rating", "difference", "counted as"),
    *("opp. deviation", "weight", "score", "expected", "K", "change"),
)
_LEFT_ALIGNED = ("date", "colour", "opponent", "name")
_COLOURS = {"w": "White", "b": "Black"}
_RESULTS = ("event", "name", "games", "points", "sum of opponents' ratings", "counted by", "counts until")


def account_blocks(content: Values) -> list[Block]:
    """Return the content of an account as blocks, with a part for each time control."""
    player = ", ".join(filter(None, (str(content["fide_id"]), content["federation"])))
    name = on_one_line(content["name"] or "Player")
    lines: list[Block] = [f"{name} ({player}), list of {content['month']} ({content['revision']})"]
    for part in content["time_controls"]:
        lines += ["", *_part(part)]
    if content["left_out"]:
        columns = ", ".join(f"{stem}.{column}" for stem, out in content["left_out"].items() for column in out)
        lines += ["", f"This office does not publish {columns}: these figures are missing above."]
    if content["rules_changed"]:
        names = ", ".join(content["rules_changed"])
        lines += ["", f"The rule file of {names} was changed after this list was calculated: the articles are today's."]
    return lines


def _part(part: Values) -> list[Block]:
    lines: list[Block] = [part["headline"].text()]
    if part["rule_set"] is not None:
        lines.append(f"  by {part['rule_set']['name']} ({part['rule_set']['source']})")
    for event in part["events"]:
        lines += ["", *_event(event)]
    if part["terms"]:
        lines += ["", "How the rating was calculated", *as_lines(part["terms"])]
    entry, waiting = part["entry"], part["waiting"]
    if entry is not None:
        has_entered = entry["published"]
        heading = "How the first rating was calculated" if has_entered else "Results towards a first rating"
        tranches = [{**one, "last_month": None} for one in entry["tranches"]] if has_entered else entry["tranches"]
        lines += ["", heading, *_results(tranches), *as_lines(entry["terms"])]
    if waiting and (entry is None or entry["published"]):
        lines += ["", "Results that wait", *_results(waiting)]
    return lines


def _event(event: Values) -> list[Block]:
    name = on_one_line(event["name"] or event["event_id"])
    days = " to ".join(dict.fromkeys(filter(None, (event["start_date"], event["end_date"]))))
    code = on_one_line(event["event_id"]) if event["name"] else ""
    details = ", ".join(filter(None, (code, event["federation"], days)))
    games = table(_GAMES, [_game(game) for game in event["games"]], _LEFT_ALIGNED)
    heading = f"{name} ({details})" if details else name
    return [heading, *as_lines(event["verdict"]), *games, *as_lines(event["terms"])]


def _game(game: Values) -> list[object]:
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
        hundredths(game["change_hundredths"], sign=True) or thousandths(game.get("change_thousandths"), sign=True),
    ]


def _results(tranches: Sequence[Values]) -> list[Block]:
    rows = [
        [
            *(tranche[name] for name in ("event_id", "name", "games")),
            halves(tranche["score_halves"]),
            *(tranche[name] for name in ("opponent_rating_sum", "counted_month", "last_month")),
        ]
        for tranche in tranches
    ]
    return [*table(_RESULTS, rows, ("event", "name"))] if rows else []
