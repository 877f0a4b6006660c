"""What came under one code: versions, slices of a long event, strangers; and games that stand in two reports."""

from collections import Counter, defaultdict
from collections.abc import Callable

from tests.reference.formulas import first_day_of
from tests.reference.office import Game, Office, Report, Settled

Placed = tuple[str, Game]
"""A game and the report it stands in."""


class Slices:
    """What is a slice of what, from everything an office knows."""

    def __init__(self, office: Office) -> None:
        of_code: dict[str, dict[str, Report]] = defaultdict(dict)
        known = [one for one in office.reports if one.received_on < first_day_of(office.month)]
        for report in (*known, *(one.report for one in office.earlier)):
            of_code[report.event_id][report.report_id] = report
        self.names = {
            report.report_id: f"{code}/{report.start_date}"
            if any(goes_on(report, other) for other in reports.values())
            else code
            for code, reports in of_code.items()
            for report in reports.values()
        }
        self.settled = {self.names[one.report.report_id] for one in office.earlier}
        self.codes_settled = {one.report.event_id for one in office.earlier}

    def name_of(self, report: Report) -> str:
        """The code, or for a later slice the code and the day it starts."""
        return self.names[report.report_id]

    def name_in_pool(self, report: Report) -> str:
        """As above; and a first slice that comes after a later one was settled may not take the bare code from it."""
        came_late = report.event_id in self.codes_settled and self.name_of(report) not in self.settled
        return f"{report.event_id}/{report.start_date}" if came_late else self.name_of(report)


def pairings(report: Report) -> set[tuple[int, int, int]]:
    """Who met whom in which round, whatever the result; the games of a refused report are not known."""
    return {(game.round, game.white_id, game.black_id) for game in report.games if report.accepted}


def goes_on(report: Report, other: Report) -> bool:
    """Whether a report tells what was played after ``other``: it starts later, and so does its last round.

    Rounds may be counted anew in each slice: then it begins when the other has ended, with no game of it.
    """
    if report.last_round is None or other.last_round is None or report.start_date <= other.start_date:
        return False
    if report.last_round > other.last_round:
        return True
    return report.start_date > other.end_date and not pairings(report) & pairings(other)


def is_stranger(report: Report, looked_at: Report) -> bool:
    """Whether a report that came under the code of another one has nothing to do with it."""
    if not report.accepted or report.first_round is None or looked_at.first_round is None:
        return False
    return report is not looked_at and not pairings(report) & pairings(looked_at)


def names_in_list(chosen: list[Report], strangers: list[Report], slices: Slices) -> dict[str, str]:
    """What the event of each report goes by in a list: the code, unless that has more than one slice in the list."""
    in_list = Counter(report.event_id for report in chosen)
    names = {report.report_id: f"{report.event_id}#{report.report_id[:12]}" for report in strangers}
    for report in chosen:
        names[report.report_id] = slices.name_of(report) if in_list[report.event_id] > 1 else report.event_id
    return names


class Claim:
    """A report's claim to count a game."""

    def __init__(self, report: Report, game: Game, *, stands: bool) -> None:
        self.report = report
        self.game = game
        self.stands = stands
        self.result = (game.white_halves, game.black_halves)

    @property
    def newest(self) -> tuple:
        """The order within a code: what an earlier list counted, then the highest version, the last to come."""
        report = self.report
        return not self.stands, -report.version, -report.received_on.toordinal(), report.start_date

    @property
    def first(self) -> tuple:
        """The order under several codes: what an earlier list counted, then the first to come."""
        report = self.report
        return not self.stands, report.received_on, report.event_id, report.start_date


def counted_elsewhere(rated: list[Report], earlier: tuple[Settled, ...]) -> set[Placed]:
    """The games of the events that a list rates which count in another event or slice, or did in an earlier list."""
    wanted = {alike(report, game) for report in rated for game in report.games}
    claims: dict[tuple, list[Claim]] = defaultdict(list)
    for settled in earlier:
        for game in settled.counted:
            if alike(settled.report, game) in wanted:
                claims[alike(settled.report, game)].append(Claim(settled.report, game, stands=True))
    for report in rated:
        for game in report.games:
            claims[alike(report, game)].append(Claim(report, game, stands=False))
    found = set()
    for on_one_game in claims.values():
        if len(on_one_game) > 1:
            of_code = those_that_count(sorted(on_one_game, key=lambda one: one.newest), is_same_in_code)
            counting = those_that_count(sorted(of_code, key=lambda one: one.first), is_same_under_two_codes)
            found |= {(one.report.report_id, one.game) for one in on_one_game if one not in counting}
    return found


def alike(report: Report, game: Game) -> tuple:
    return report.time_control, game.round, game.white_id, game.black_id


def those_that_count(in_order: list[Claim], is_same: Callable[[Claim, Claim], bool]) -> list[Claim]:
    """All but those that are the same game as one before them that counts."""
    counting: list[Claim] = []
    for one in in_order:
        if one.stands or not any(is_same(one, other) for other in counting):
            counting.append(one)
    return counting


def is_same_in_code(one: Claim, other: Claim) -> bool:
    """Within one code the players and the round say all; the results may differ, and the newest version is right."""
    return one.report.event_id == other.report.event_id


def is_same_under_two_codes(one: Claim, other: Claim) -> bool:
    if is_same_in_code(one, other) or one.result != other.result:
        return False
    if one.game.played_on is not None and other.game.played_on is not None:
        return one.game.played_on == other.game.played_on
    same_event = (one.report.name, one.report.federation) == (other.report.name, other.report.federation)
    return same_event and have_a_day_in_common(one.report, other.report)


def have_a_day_in_common(report: Report, other: Report) -> bool:
    return max(report.start_date, other.start_date) <= min(report.end_date, other.end_date)
