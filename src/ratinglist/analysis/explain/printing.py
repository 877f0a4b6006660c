"""State the content of an account in sentences and tables that an officer can read out to a player."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ratinglist.analysis.explain.terms import Term, Values
from ratinglist.pages.document import Document, Heading, Paragraph, Part, Table
from ratinglist.text import halves, hundredths, on_one_line, signed, thousandths

_GAMES = (
    *("round", "date", "colour", "opponent", "name", "opp. rating", "own rating", "difference", "counted as"),
    *("score", "expected", "K", "change"),
)
_LEFT_ALIGNED = ("date", "colour", "opponent", "name")
_COLOURS = {"w": "White", "b": "Black"}
_RESULTS = ("event", "name", "games", "points", "sum of opponents' ratings", "counted by", "counts until")


def account_document(content: Values) -> Document:
    """Return the content of an account as a document, with a section for each time control."""
    player = ", ".join(filter(None, (str(content["fide_id"]), content["federation"])))
    name = on_one_line(content["name"] or "Player")
    parts = [part for control in content["time_controls"] for part in _of_time_control(control)]
    columns = ", ".join(f"{stem}.{column}" for stem, out in content["left_out"].items() for column in out)
    rules = ", ".join(content["rules_changed"])
    notes = [
        f"This office does not publish {columns}: these figures are missing above." * bool(columns),
        f"The rule file of {rules} was changed after this list was calculated: the articles are today's." * bool(rules),
    ]
    parts += [Paragraph(note, ends_section=True) for note in notes if note]
    return Document(f"{name} ({player}), list of {content['month']} ({content['revision']})", parts)


def _of_time_control(part: Values) -> list[Part]:
    parts: list[Part] = [Heading(part["headline"].text())]
    if part["rule_set"] is not None:
        parts.append(Paragraph(f"by {part['rule_set']['name']} ({part['rule_set']['source']})"))
    of_system = part["system"]["game_columns"] if "system" in part else []
    for event in part["events"]:
        parts += _event(event, of_system)
    if part["terms"]:
        parts += [Heading("How the rating was calculated", level=3), *_paragraphs(part["terms"])]
    entry, waiting = part["entry"], part["waiting"]
    if entry is not None:
        has_entered = entry["published"]
        heading = "How the first rating was calculated" if has_entered else "Results towards a first rating"
        tranches = (
            [{**tranch, "last_month": None} for tranch in entry["tranches"]] if has_entered else entry["tranches"]
        )
        parts += [Heading(heading, level=3), *_results(tranches), *_paragraphs(entry["terms"])]
    if waiting and (entry is None or entry["published"]):
        parts += [Heading("Results that wait", level=3), *_results(waiting)]
    if "system" in part and part["system"]["waited"]:
        parts += [Heading("Results that waited before", level=3), *_results(part["system"]["waited"])]
    return parts


def _event(event: Values, of_system: Sequence[str]) -> list[Part]:
    name = on_one_line(event["name"] or event["event_id"])
    days = " to ".join(dict.fromkeys(filter(None, (event["start_date"], event["end_date"]))))
    code = on_one_line(event["event_id"]) if event["name"] else ""
    details = ", ".join(filter(None, (code, event["federation"], days)))
    rows = [[*_game(game), *(game[name] for name in of_system)] for game in event["games"]]
    games = table([*_GAMES, *of_system], rows, _LEFT_ALIGNED)
    heading = Heading(f"{name} ({details})" if details else name, level=3)
    return [heading, *_paragraphs(event["verdict"]), *games, *_paragraphs(event["terms"])]


def _game(game: Values) -> list[object]:
    """Return the cells of a game, without those that a system adds."""
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
        halves(game["score_halves"]),
        hundredths(game["expected_hundredths"]) or thousandths(game.get("expected_thousandths")),
        game["k"],
        hundredths(game["change_hundredths"], sign=True) or thousandths(game.get("change_thousandths"), sign=True),
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
    return table(_RESULTS, rows, ("event", "name"))


def _paragraphs(terms: Iterable[Term]) -> list[Part]:
    return [Paragraph(term.text()) for term in terms]


def table(head: Sequence[str], rows: Iterable[Sequence[object]], left: Iterable[str]) -> list[Part]:
    """Return a table, or nothing without rows.

    The columns named in ``left`` are left-aligned, the others right-aligned. A column that is empty in all rows is left
    out.
    """
    cells = [["" if cell is None else on_one_line(str(cell)) for cell in row] for row in rows]
    columns = [[name, *column] for name, column in zip(head, zip(*cells, strict=True), strict=True) if any(column)]
    if not columns:
        return []
    to_left = set(left)
    header, *shown = zip(*columns, strict=True)
    return [Table(header, shown, [name not in to_left for name in header])]


def unlisted_document(content: Values) -> Document:
    """Return the account of a player who is not on a list as a document."""
    player = ", ".join(filter(None, (str(content["fide_id"]), content["federation"])))
    month = content["month"]
    where = f"list of {month} ({content['revision']})" if month else "no list is published yet"
    now = ", ".join([content["state_text"], *(f"{name} {rating}" for name, rating in content["ratings"].items())])
    parts: list[Part] = [Paragraph(f"Now: {now}")]
    if month:
        parts.append(Paragraph(f"The list of {month} has no rating, no game and no waiting result of this player."))
        if not content["reports"]:
            parts.append(Paragraph("No accepted report has this FIDE ID; refused reports: ratinglist quarantine"))
        for report in content["reports"]:
            parts += _of_report(report)
    return Document(f"{on_one_line(content['name'])} ({player}), {where}", parts)


def _of_report(report: Values) -> list[Part]:
    on_list = f" (list of {report['list_month']})" if report["list_month"] else ""
    why = f": {report['why']}" if report["why"] else ""
    remedy = [Paragraph(f"what to do: {report['remedy']}")] if report["remedy"] else []
    return [
        Heading(f"{on_one_line(report['name'])} ({report['event_id']}): {on_one_line(report['file'])}"),
        Paragraph(f"{report['status']}{on_list}{why}"),
        *remedy,
    ]
