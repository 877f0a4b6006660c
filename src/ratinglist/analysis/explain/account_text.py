"""Format an account as text that an officer can read out to a player: lines and tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ratinglist.analysis.explain.entry_text import entry_lines, waiting_lines
from ratinglist.analysis.explain.figures import (
    Block,
    counted,
    halves,
    hundredths,
    numbered,
    plus,
    signed,
    table,
    thousandths,
)
from ratinglist.analysis.explain.system_text import calculation_lines
from ratinglist.safe_text import on_one_line

Values = Mapping[str, Any]

_GAMES = (
    *("round", "date", "colour", "opponent", "name", "opp. rating", "own rating", "difference", "counted as"),
    *("opp. deviation", "weight", "score", "expected", "K", "change"),
)
_LEFT_ALIGNED = ("date", "colour", "opponent", "name")
_COLOURS = {"w": "White", "b": "Black"}
_HOW_CALCULATED = "How the rating was calculated"


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
    lines: list[Block] = [_headline(part)]
    if part["rule_set"] is not None:
        lines.append(f"  by {part['rule_set']['name']} ({part['rule_set']['source']})")
    for event in part["events"]:
        lines += ["", *_event(event, part["rule_set"])]
    calculation = calculation_lines(part) if "system" in part else _calculation(part)
    lines += ["", *calculation] if calculation else []
    if part["entry"] is not None:
        lines += ["", *entry_lines(part["entry"])]
    if part["waiting"] and (part["entry"] is None or part["entry"]["published"]):
        lines += ["", *waiting_lines(part["waiting"])]
    return lines


def _headline(part: Values) -> str:
    control = str(part["time_control"]).capitalize()
    change, listed, before = part["change"], part["listed"], part["list_before"]
    now = None if listed is None else listed["rating"]
    month = f"the list of {before['month']}" if before["month"] else "the list before"
    if change is None:
        if now is None:
            return f"{control}: unrated"
        inactive = part["inactive"]
        flag = ""
        if "i" in (listed["flag"] or ""):
            lists = "" if inactive is None else f" on {inactive['value']} lists in a row ({inactive['article']})"
            flag = f". Inactive: no rated game{lists}; rating and place are kept"
        if not before["is_published"] or before["rating"] is None:
            return f"{control}: {now}, no game rated for this list{flag}"
        as_before = f"as on {month}" if before["rating"] == now else f"{before['rating']} on {month}"
        return f"{control}: {now}, {as_before}; no game rated for this list{flag}"
    if change["status"] == "entered":
        return f"{control}: first rating {now}; unrated before"
    old = change["old_rating"]
    if part["stands_in"] is not None:
        article = part["stands_in"]["article"]
        was = f"no {part['time_control']} rating yet; standard rating {old} used ({article}); "
    elif old is None:
        was = ""
    else:
        is_other = before["is_published"] and before["rating"] != old
        was = f"{old} to begin with, " if is_other else f"{old} on {month}, "
    this = "this list" if part["stands_in"] is not None else "this one"
    return f"{control}: {was}" + (_removed(part) if now is None else f"{now} on {this}")


def _removed(part: Values) -> str:
    """Return the officer's words for a player who has left the list; ``delisted`` is the floor's code."""
    floor = part["floor"]
    if part["change"]["status"] == "lapsed":
        return "ended: the player has a rating on the reference list"
    is_below_floor = part["change"]["status"] == "delisted" and floor is not None
    return f"removed: below {floor['value']}" if is_below_floor else "no longer listed"


def _event(event: Values, of_list: Values | None) -> list[Block]:
    name = on_one_line(event["name"] or event["event_id"])
    days = " to ".join(dict.fromkeys(filter(None, (event["start_date"], event["end_date"]))))
    code = on_one_line(event["event_id"]) if event["name"] else ""
    details = ", ".join(filter(None, (code, event["federation"], days)))
    lines: list[Block] = [f"{name} ({details})" if details else name]
    reason = event["reason"]
    if reason is not None:
        lines.append(f"  not rated for this list: {reason['says']} ({_article(reason['article'])})")
        if reason["remedy"]:
            lines.append(f"  what to do: {reason['remedy']}")
    elif event["rule_set"] is not None:
        is_same = of_list is not None and of_list["name"] == event["rule_set"]
        source = "" if is_same else f" ({event['source'] or 'this rule file no longer exists'})"
        lines.append(f"  by {event['rule_set']}{source}")
    lines += table(_GAMES, [_game(game) for game in event["games"]], _LEFT_ALIGNED)
    if reason is None:
        lines += _not_rated(event["games"])
    lines += _cut(event)
    lines += _not_played(event["games"])
    if event["rated_games"] and event["change_hundredths"] is not None:
        rounding = "" if event["change"] is None else f", rounded {signed(event['change'])}"
        lines.append(
            f"  {counted(event['rated_games'], 'game')} rated: "
            f"{hundredths(event['change_hundredths'], sign=True)}{rounding}"
        )
    elif event["rated_games"]:
        lines.append(f"  {counted(event['rated_games'], 'game')} rated")
    return lines


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


def _not_rated(games: list[Values]) -> list[str]:
    """Return a line for each reason, with the rounds that are not rated for it."""
    rounds: dict[tuple[str, str], list[int]] = {}
    for game in games:
        if (reason := game["reason"]) is not None:
            rounds.setdefault((reason["says"], reason["article"]), []).append(game["round"])
    return [
        f"  {numbered('round', numbers)} not rated: {says} ({_article(article)})"
        for (says, article), numbers in rounds.items()
    ]


def _not_played(games: list[Values]) -> list[str]:
    """Return a line on the rounds without a game between the player's first and last."""
    played = {game["round"] for game in games}
    missing = sorted(set(range(min(played), max(played) + 1)) - played)
    if not missing:
        return []
    return [f"  {numbered('round', missing)}: no game over the board (a bye, a forfeit, an absence): never rated"]


def _cut(event: Values) -> list[str]:
    rounds = [
        game["round"]
        for game in event["games"]
        if game["difference_used"] is not None and game["difference"] not in (None, game["difference_used"])
    ]
    cap = event["cap"]
    if not rounds or cap is None:
        return []
    below = f" for a player below {cap['players_below']}" if cap["applies_to"] == "players_below" else ""
    best = ", in the player's favour once a tournament" if cap["applies_to"] == "best_game_per_event" else ""
    return [
        f"  {numbered('round', rounds)}: a difference of more than {cap['value']} counts as {cap['value']}{below}"
        f"{best} ({cap['article']})"
    ]


def _calculation(part: Values) -> list[str]:
    """Return the lines from the games to the new rating; none where no game was rated."""
    change = part["change"]
    step = part["step"]
    step_lines = (
        []
        if step is None
        else [f"  the one-time step of this list: {step['before']} becomes {step['after']} ({step['article']})"]
    )
    if change is None or change["status"] == "entered":
        return [_HOW_CALCULATED, *step_lines] if step_lines else []
    lines = [_HOW_CALCULATED]
    if change["games"]:
        tables = list(dict.fromkeys(event["table"] for event in part["events"] if event["table"]))
        article = f" ({'; '.join(tables)})" if tables else ""
        lines.append(f"  expected: from the difference, by the table of the regulations{article}")
        lines.append("  ratings: those of the list in force when the event began")
        lines.append("  change of a game: K × (score - expected)")
        lines += _coefficients(part)
        lines += _sum(part)
    lines += step_lines
    floor = part["floor"]
    if change["status"] == "delisted" and floor is not None:
        lines.append(f"  {_removed(part)} (the floor); the player is unrated again ({floor['article']})")
    return lines


def _coefficients(part: Values) -> list[str]:
    limit = part["limit"]
    if limit is not None:
        limited = f"the largest K with K × {counted(limit['games'], 'game')} not above {limit['limit']}"
        before = "" if limit["k_before"] is None else f"K {limit['k_before']} on the list before; "
        return [f"  K {limit['k']}: {before}{limited} ({limit['article']})"]
    lines = []
    for coefficient in part["coefficients"]:
        cases = [_case(case["case"], coefficient) for case in coefficient["for"]]
        articles = "; ".join(dict.fromkeys(case["article"] for case in coefficient["for"]))
        if cases:
            lines.append(f"  K {coefficient['k']}: {', or '.join(cases)} ({articles})")
    return lines


def _case(case: str, coefficient: Values) -> str:
    until = {
        "eighteenth_birthday": "up to the 18th birthday",
        "end_of_year_of_eighteenth_birthday": "up to the end of the year of the 18th birthday",
    }
    return {
        "fixed": "the same for all players",
        "new": f"fewer than {coefficient['new_until_games']} games counted so far",
        "junior": f"{until[coefficient['junior_until']]}, never {coefficient['junior_below']} or more",
        "normal": f"{coefficient['new_until_games']} games or more, never {coefficient['master_from']} or more",
        "master": f"has been {coefficient['master_from']} or more on a list",
    }[case]


def _sum(part: Values) -> list[str]:
    change, rounding = part["change"], part["rounding"]
    if change["change_hundredths"] is None or change["change"] is None:
        return []
    per_event = rounding is not None and rounding["rounded_per"] == "event"
    how = (
        ""
        if rounding is None
        else f" ({rounding['article']}: {'each event by itself; ' * per_event}.5 is rounded away from zero)"
    )
    lines = [
        f"  {counted(change['games'], 'game')}: {hundredths(change['change_hundredths'], sign=True)} in all, rounded "
        f"{signed(change['change'])}{how}"
    ]
    if change["old_rating"] is not None:
        total = change["old_rating"] + change["change"]
        lines.append(f"  {change['old_rating']} {plus(change['change'])} = {total}")
    return lines


def _article(article: str) -> str:
    return "a reading of this program, where the text leaves a choice" if article == "readings" else article
