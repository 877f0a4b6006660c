"""The reports under one code: versions, slices of a long event, other events; and games that two reports contain."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from datetime import date
from itertools import combinations

from tests.reference.formulas import first_day_of
from tests.reference.office import Game, Office, Report

Placed = tuple[str, Game]
"""The id of a report and a game in it."""


class Slices:
    """The slice of every report, from everything an office knows."""

    def __init__(self, office: Office) -> None:
        of_code: dict[str, dict[str, Report]] = defaultdict(dict)
        known = [report for report in office.reports if report.received_on < first_day_of(office.month)]
        for report in (*known, *(settled.report for settled in office.earlier)):
            of_code[report.event_id][report.report_id] = report
        self.names: dict[str, str] = {}
        for code, reports in of_code.items():
            # What a report corrects starts earlier, so it has its slice by then.
            slices: dict[str, str] = {}
            for report in sorted(reports.values(), key=lambda version: version.start_date):
                corrected = [slices[other.report_id] for other in reports.values() if corrects(report, other)]
                later = any(goes_on(report, other) for other in reports.values())
                slices[report.report_id] = min(corrected, default=str(report.start_date) if later else "")
            self.names |= {
                report_id: f"{code}/{first_day}" if first_day else code for report_id, first_day in slices.items()
            }
        self.settled = {self.names[settled.report.report_id] for settled in office.earlier}
        self.codes_settled = {settled.report.event_id for settled in office.earlier}

    def name_of(self, report: Report) -> str:
        """Return the code, or for a later slice the code and the day it starts."""
        return self.names[report.report_id]

    def name_in_pool(self, report: Report) -> str:
        """Return the name in the pool: a first slice received after a later one was settled has no bare code either."""
        name = self.name_of(report)
        came_late = name == report.event_id and name in self.codes_settled and name not in self.settled
        return f"{report.event_id}/{report.start_date}" if came_late else name


def known_games(report: Report) -> tuple[Game, ...]:
    """Return the games; those of a refused report are not known."""
    return report.games if report.accepted else ()


def day_of(report: Report, game: Game) -> date | None:
    """Return when a game was played; a date outside the days of its report is ignored."""
    if game.played_on is None or not report.start_date <= game.played_on <= report.end_date:
        return None
    return game.played_on


def are_on_two_days(report: Report, game: Game, other: Report, others: Game) -> bool:
    days = {day_of(report, game), day_of(other, others)}
    return None not in days and len(days) == 2


def have_a_day_in_common(report: Report, other: Report) -> bool:
    return max(report.start_date, other.start_date) <= min(report.end_date, other.end_date)


class Comparison:
    """What two reports of a code have in common."""

    def __init__(self, report: Report, other: Report) -> None:
        self.games, self.others = known_games(report), known_games(other)
        self.of_one_time = have_a_day_in_common(report, other)
        self.renumbered = report.version != other.version
        self.pairings = self.same_games = self.places = self.same_places = 0
        in_other: dict[tuple[int, int], Game] = {}
        for game in self.others:
            in_other[game.round, game.white_id] = in_other[game.round, game.black_id] = game
        for game in self.games:
            for fide_id in (game.white_id, game.black_id):
                if counterpart := in_other.get((game.round, fide_id)):
                    self.places += 1
                    self.same_places += not are_on_two_days(report, game, other, counterpart)
            counterpart = in_other.get((game.round, game.white_id))
            if counterpart and (counterpart.white_id, counterpart.black_id) == (game.white_id, game.black_id):
                self.pairings += 1
                self.same_games += not are_on_two_days(report, game, other, counterpart)

    @property
    def smaller(self) -> int:
        """Return how many games the smaller of the two has."""
        return min(len(self.games), len(self.others))

    @property
    def corrects_dates(self) -> bool:
        """Return whether one of two versions contains all games of the other, but not on the same days."""
        return self.renumbered and self.pairings == self.smaller and self.same_games < self.pairings

    @property
    def is_related(self) -> bool:
        """Return whether the two report the same games."""
        if self.of_one_time and self.smaller:
            # Of two versions of one time, one may be wrong about the dates.
            games = self.pairings if self.renumbered else self.same_games
            places = self.places if self.renumbered else self.same_places
            return games > 0 or 2 * places >= 2 * self.smaller
        return self.same_games > 0 or self.corrects_dates


def goes_on(report: Report, other: Report) -> bool:
    """Return whether a report continues ``other``: it starts later, and so does its last round.

    Each slice may number its rounds from 1 again: then it begins when the other has ended, with no game of it.
    """
    if report.last_round is None or other.last_round is None or report.start_date <= other.start_date:
        return False
    if report.last_round > other.last_round:
        return True
    return report.start_date > other.end_date and not Comparison(report, other).same_games


def corrects(report: Report, other: Report) -> bool:
    """Return whether a report that starts later than ``other`` is no later slice, but reports the same rounds."""
    if report.start_date <= other.start_date or report.last_round is None or other.last_round is None:
        return False
    if report.first_round != other.first_round:
        return False
    comparison = Comparison(report, other)
    if not comparison.of_one_time:
        return comparison.corrects_dates
    all_rounds_so_far = report.last_round > other.last_round and comparison.same_games == len(comparison.others)
    return comparison.is_related and not all_rounds_so_far


def is_other_event(report: Report, selected: Report) -> bool:
    """Return whether a report under the code of another one is of another event."""
    if not report.accepted or report.first_round is None or selected.first_round is None:
        return False
    return report is not selected and not Comparison(report, selected).is_related


def names_in_list(chosen: list[Report], other_events: list[Report], slices: Slices) -> dict[str, str]:
    """Return the ``event_id`` of each report in a list: the code, unless the list has several slices of it."""
    in_list = Counter(report.event_id for report in chosen)
    names = {report.report_id: f"{report.event_id}#{report.report_id[:12]}" for report in other_events}
    for report in chosen:
        names[report.report_id] = slices.name_of(report) if in_list[report.event_id] > 1 else report.event_id
    return names


class Claim:
    """A report's claim to count a game."""

    def __init__(self, report: Report, game: Game, first_received: date, *, is_earlier: bool) -> None:
        self.report = report
        self.game = game
        self.first_received = first_received
        self.is_earlier = is_earlier
        self.result = (game.white_halves, game.black_halves)

    @property
    def newest(self) -> tuple:
        """Return the order within a code: what an earlier list counted, then the highest version, the last received."""
        report = self.report
        return not self.is_earlier, -report.version, -report.received_on.toordinal(), report.start_date

    @property
    def first(self) -> tuple:
        """Return the order under several codes: what an earlier list counted, then the code first received."""
        report = self.report
        return not self.is_earlier, self.first_received, report.event_id, report.start_date


def counted_elsewhere(rated: list[Report], office: Office) -> set[Placed]:
    """Return the games of this list's rated events that count in another event or slice, or did in an earlier list."""
    first = first_received(office)
    wanted = {alike(report, game) for report in rated for game in report.games}
    claims: dict[tuple, list[Claim]] = defaultdict(list)
    for settled in office.earlier:
        for game in settled.counted:
            if alike(settled.report, game) in wanted:
                claim = Claim(settled.report, game, first[settled.report.event_id], is_earlier=True)
                claims[alike(settled.report, game)].append(claim)
    for report in rated:
        for game in report.games:
            claims[alike(report, game)].append(Claim(report, game, first[report.event_id], is_earlier=False))
    elsewhere = set()
    one_event = reports_of_one_event(claims.values())

    def is_same_under_two_codes(claim: Claim, other: Claim) -> bool:
        """Whatever the results: of two reports of one event, one may be corrected."""
        if claim.report.event_id == other.report.event_id or are_on_two_days(
            claim.report, claim.game, other.report, other.game
        ):
            return False
        return {claim.report.report_id, other.report.report_id} in one_event

    for on_one_game in claims.values():
        if len(on_one_game) > 1:
            of_code = those_that_count(sorted(on_one_game, key=lambda claim: claim.newest), is_same_in_code)
            counting = those_that_count(sorted(of_code, key=lambda claim: claim.first), is_same_under_two_codes)
            elsewhere |= {(claim.report.report_id, claim.game) for claim in on_one_game if claim not in counting}
    return elsewhere


def copied_events(rated: list[Report], office: Office) -> set[str]:
    """Return the reports of this list that are as a whole an event received first under another code.

    Half of the games of each look alike, the copy has no earlier and no later round, and each of its games has a player
    who has a game in common with the first.
    """
    first = first_received(office)
    before = [(settled.report, settled.counted) for settled in office.earlier if settled.status == "rated"]
    copies: set[str] = set()
    for report in sorted(
        rated, key=lambda candidate: (first[candidate.event_id], candidate.event_id, candidate.start_date)
    ):
        if any(is_copy(report, other, counted) for other, counted in before):
            copies.add(report.report_id)
        else:
            before.append((report, report.games))
    return copies


def is_copy(report: Report, other: Report, counted: Iterable[Game]) -> bool:
    """Return whether a report is as a whole the event of another one, whose games ``counted``."""
    there = {alike(other, game): game for game in counted}
    common = [game for game in report.games if alike(report, game) in there]
    if report.event_id == other.event_id or not common:
        return False
    similar = sum(
        looks_alike(
            Claim(report, game, report.received_on, is_earlier=False),
            Claim(other, there[alike(report, game)], other.received_on, is_earlier=False),
        )
        for game in common
    )
    if similar == 0 or 2 * similar <= max(len(report.games), len(other.games)):
        return False
    rounds, others = [game.round for game in report.games], [game.round for game in other.games]
    if min(rounds) < min(others) or max(rounds) > max(others):
        return False
    players = {fide_id for game in common for fide_id in (game.white_id, game.black_id)}
    return all({game.white_id, game.black_id} & players for game in report.games)


def first_received(office: Office) -> dict[str, date]:
    """Return the day on which the first report of each code was received."""
    days: dict[str, list[date]] = defaultdict(list)
    known = [report for report in office.reports if report.received_on < first_day_of(office.month)]
    for report in (*known, *(settled.report for settled in office.earlier)):
        days[report.event_id].append(report.received_on)
    return {code: min(received) for code, received in days.items()}


def reports_of_one_event(claims: Iterable[list[Claim]]) -> list[set[str]]:
    """Return the pairs of reports under two codes that are plainly of one event.

    Their names and federations agree, or half of the games of the smaller one look like games of the other.
    """
    pairs = [pair for of_game in claims for pair in combinations(of_game, 2) if looks_alike(*pair)]
    times = Counter(frozenset(claim.report.report_id for claim in pair) for pair in pairs)
    of_one_event = []
    for claim, other in pairs:
        reports = claim.report, other.report
        names = {(report.name, report.federation) for report in reports}
        half = min(len(known_games(report)) for report in reports) / 2
        both = frozenset(report.report_id for report in reports)
        if len(names) == 1 or times[both] >= half:
            of_one_event.append(set(both))
    return of_one_event


def alike(report: Report, game: Game) -> tuple:
    return report.time_control, game.round, game.white_id, game.black_id


def those_that_count(in_order: list[Claim], is_same: Callable[[Claim, Claim], bool]) -> list[Claim]:
    """Return all but those that are the same game as one before them that counts."""
    counting: list[Claim] = []
    for claim in in_order:
        if claim.is_earlier or not any(is_same(claim, other) for other in counting):
            counting.append(claim)
    return counting


def is_same_in_code(claim: Claim, other: Claim) -> bool:
    """Return whether two claims of one code are one game, by players, round and day; the newest version is right."""
    same_code = claim.report.event_id == other.report.event_id
    return same_code and not are_on_two_days(claim.report, claim.game, other.report, other.game)


def looks_alike(claim: Claim, other: Claim) -> bool:
    """Return whether two claims under two codes look like one game."""
    if claim.report.event_id == other.report.event_id or claim.result != other.result:
        return False
    if claim.game.played_on is not None and other.game.played_on is not None:
        return claim.game.played_on == other.game.played_on
    same_event = (claim.report.name, claim.report.federation) == (other.report.name, other.report.federation)
    return same_event and have_a_day_in_common(claim.report, other.report)
