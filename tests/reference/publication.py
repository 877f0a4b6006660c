"""The rows of the events and of their games, as the published tables have them."""

from tests.reference.office import Game, Report, Row
from tests.reference.sides import Side

COMPUTED = (
    "rating",
    "opponent_rating",
    "difference",
    "difference_used",
    "expected_hundredths",
    "k",
    "change_hundredths",
    "rule_set",
)


def event_row(report: Report, name: str, status: str, reason: str) -> Row:
    # What a refused report says of its event is not published.
    is_refused = reason == "report_refused"
    return {
        "event_id": name,
        "name": name if is_refused else report.name,
        "federation": "" if is_refused else report.federation,
        "time_control": report.time_control,
        "event_type": report.event_type,
        "start_date": None if is_refused else report.start_date,
        "end_date": None if is_refused else report.end_date,
        "received_on": report.received_on,
        "version": report.version,
        "status": status,
        "reason": reason,
        "report_sha256": report.sha256,
        "players": len(report.players),
        "games": len(report.games),
        "official": None if is_refused else report.official,
        "registered_on": None if is_refused else report.registered_on,
        "minutes_per_60_moves": None if is_refused else report.minutes_per_60_moves,
        "report_id": report.report_id,
    }


def game_rows(
    reports: list[Report], names: dict[str, str], verdicts: dict[str, tuple[str, str]], sides: list[Side]
) -> list[Row]:
    """Return both sides of every game this list judges; a superseded event was judged by an earlier one.

    ``names``: what the event of each report goes by in this list.
    """
    rows = [rated_event_row(side, names[side.report.report_id]) for side in sides]
    for report in reports:
        status, reason = verdicts[report.report_id]
        if report.accepted and status not in ("rated", "superseded"):
            for game in report.games:
                for colour in "wb":
                    nothing = dict.fromkeys(COMPUTED)
                    plain = plain_row(report, names[report.report_id], game, colour)
                    rows.append({**plain, **nothing, "rated": False, "reason": reason})
    key = ("time_control", "event_id", "round", "fide_id")
    return sorted(rows, key=lambda row: tuple(row[name] for name in key))


def rated_event_row(side: Side, name: str) -> Row:
    return {
        **plain_row(side.report, name, side.game, side.colour),
        "rating": side.rating,
        "opponent_rating": side.opponent_rating,
        "difference": side.difference,
        "difference_used": side.difference_used,
        "expected_hundredths": side.expected,
        "k": side.k,
        "change_hundredths": side.change,
        "rule_set": side.text.name,
        "rated": side.rated,
        "reason": side.reason,
    }


def plain_row(report: Report, name: str, game: Game, colour: str) -> Row:
    white = colour == "w"
    return {
        "time_control": report.time_control,
        "event_id": name,
        "round": game.round,
        "fide_id": game.white_id if white else game.black_id,
        "date": game.played_on,
        "opponent_id": game.black_id if white else game.white_id,
        "colour": colour,
        "score_halves": game.white_halves if white else game.black_halves,
    }
