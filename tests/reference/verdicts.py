"""The verdict of a list on every event, judged a second time."""

from collections import defaultdict
from collections.abc import Iterable
from datetime import date, timedelta

from tests.reference.formulas import month_of, number_of
from tests.reference.office import Office, Report, Settled
from tests.reference.ratings import Ratings
from tests.reference.regulations import Text, text_on
from tests.reference.slices import Slices, first_received, is_other_event

Played = tuple[str, date, str]


def as_played(report: Report) -> Played:
    """Return what two reports of the same games have in common."""
    return report.games_digest, report.start_date, report.time_control


def newness(report: Report) -> tuple[int, date, str]:
    return report.version, report.received_on, report.report_id


class Judge:
    """Judges the events known to one list."""

    def __init__(self, office: Office, ratings: Ratings, slices: Slices) -> None:
        self.office = office
        self.ratings = ratings
        self.slices = slices
        self.family = office.family
        self.players = {player.fide_id: player for player in office.players}
        self.disputed: set[str] = set()
        self.first_received = first_received(office)
        self.settled: dict[str, list[Settled]] = defaultdict(list)
        for earlier in office.earlier:
            self.settled[slices.name_of(earlier.report)].append(earlier)
        self.rated_before = {as_played(earlier.report) for earlier in office.earlier if earlier.status == "rated"}

    def closing_day(self, report: Report) -> date:
        text = self.ratings.text(report.time_control)
        if text is None:
            return date.min
        return self.ratings.first_day - timedelta(
            days=text.official_closing_days if report.official else text.closing_days
        )

    def chosen_versions(self) -> tuple[list[Report], list[Report]]:
        """Return one version of every event, or slice of one, that no earlier list settled; and other events.

        Of a settled event only a higher version is chosen, or the same one received later.
        """
        settled_ids = {earlier.report.report_id for earlier in self.office.earlier}
        versions = defaultdict(list)
        for report in self.office.reports:
            if report.received_on < self.ratings.first_day and report.report_id not in settled_ids:
                versions[self.slices.name_of(report)].append(report)
        chosen, other_events = [], []
        for name, known in versions.items():
            settled = self.settled[name]
            selected = self.best(known)
            if settled:
                selected = max(settled, key=lambda earlier: (earlier.status == "rated", newness(earlier.report))).report
            apart = [report for report in known if is_other_event(report, selected)]
            other_events += apart
            last = max((newness(earlier.report) for earlier in settled), default=None)
            new = [
                report for report in known if report not in apart and (last is None or newness(report)[:2] > last[:2])
            ]
            if new:
                chosen.append(self.best(new))
                in_time = [
                    report for report in known if report.accepted and report.received_on <= self.closing_day(report)
                ]
                rivals = [report for report in in_time if report not in apart and report.version == chosen[-1].version]
                if chosen[-1] in rivals and len({report.games_digest for report in rivals}) > 1:
                    self.disputed.add(chosen[-1].report_id)
        return chosen, other_events

    def best(self, versions: list[Report]) -> Report:
        known = [report for report in versions if report.accepted] or versions
        known = [report for report in known if report.received_on <= self.closing_day(report)] or known
        return max(known, key=lambda report: (report.version, report.received_on, report.sha256, report.report_id))

    def verdicts(
        self, reports: list[Report], other_events: list[Report], names: dict[str, str]
    ) -> dict[str, tuple[str, str]]:
        """Return status and reason by report; ``names``: the ``event_id`` of each."""
        verdicts = {report.report_id: ("refused", "code_of_another_event") for report in other_events}
        can_be_rated: dict[Played, list[Report]] = defaultdict(list)
        for report in reports:
            verdict = self.verdict_on_dates(report)
            if verdict is None and report.games_digest and as_played(report) in self.rated_before:
                verdict = "duplicate", "same_games"
            if verdict is None and (reason := self.condition_not_met(report)):
                verdict = "refused", reason
            if verdict is None:
                can_be_rated[as_played(report)].append(report)
            verdicts[report.report_id] = verdict or ("rated", "")
        # Only a report that can be rated excludes another one with the same games.
        for alike in can_be_rated.values():
            first = min(alike, key=lambda report: (self.first_received[report.event_id], names[report.report_id]))
            for report in alike:
                if report.games_digest and report is not first:
                    verdicts[report.report_id] = "duplicate", "same_games"
        return verdicts

    def verdict_on_dates(self, report: Report) -> tuple[str, str] | None:
        if not report.accepted:
            return "refused", "report_refused"
        if any(earlier.status == "rated" for earlier in self.settled[self.slices.name_of(report)]):
            return "superseded", "rated_in_earlier_list"
        if report.report_id in self.disputed:
            return "refused", "two_reports"
        text = text_on(self.family, report.time_control, report.start_date)
        if text is None:
            return "refused", "no_rule_set"
        if any(fide_id not in self.players for fide_id in report.players):
            return "refused", "unknown_player"
        lists_after_end = number_of(self.office.month) - number_of(month_of(report.end_date))
        if text.lists_after_end is not None and lists_after_end > text.lists_after_end:
            return "late", "third_list_limit"
        if report.received_on > self.closing_day(report):
            return "deferred", "received_after_closing"
        if report.end_date > self.closing_day(report):
            return "deferred", "ended_after_closing"
        if self.ratings.list_on(report.time_control, report.start_date) is None:
            return "refused", "no_list_in_force"
        return None

    def condition_not_met(self, report: Report) -> str:
        text = text_on(self.family, report.time_control, report.start_date)
        assert text is not None
        listed = {fide_id: self.ratings.at_start(report, fide_id) for fide_id in report.players}
        unrated = [fide_id for fide_id in listed if listed[fide_id] is None]
        rated = len(listed) - len(unrated)
        if report.registered_on is not None and not report.official:
            needed = text.notice_days
            if text.elite_notice_days is not None and any(
                rating is not None
                and (
                    rating > text.elite_above or (self.players[fide_id].sex == "F" and rating > text.elite_women_above)
                )
                for fide_id, rating in listed.items()
            ):
                needed = text.elite_notice_days
            if (report.start_date - report.registered_on).days < needed:
                return "registered_late"
        if text.time_limit == "event":
            playing = {fide_id for game in report.games for fide_id in (game.white_id, game.black_id)}
            if too_fast(report, text, [self.ratings.at_start(report, fide_id) for fide_id in playing]):
                return "time_limit"
        rounds = defaultdict(set)
        for game in report.games:
            if game.played_on is not None:
                rounds[game.played_on].add(game.round)
        most_rounds = max((len(numbers) for numbers in rounds.values()), default=0)
        if text.rounds_a_day is not None and most_rounds > text.rounds_a_day:
            return "too_many_rounds_a_day"
        if (
            text.hours_a_day is not None
            and report.minutes_per_60_moves is not None
            and most_rounds * 2 * report.minutes_per_60_moves > text.hours_a_day * 60
        ):
            return "too_many_hours_a_day"
        if text.round_robin_conditions and unrated:
            if report.event_type == "roundrobin" and (3 * rated < len(listed) or (len(listed) < 10 and rated < 4)):
                return "round_robin_unrated"
            if report.event_type == "double_roundrobin" and (len(listed) < 6 or rated < 4):
                return "round_robin_unrated"
        if report.event_type == "match" and unrated:
            return "match_with_unrated_player"
        return ""


def too_fast(report: Report, text: Text, ratings: Iterable[int | None]) -> bool:
    """Whether an event's thinking time is too short for the highest of ``ratings``."""
    if report.minutes_per_60_moves is None:
        return False
    highest = max((rating for rating in ratings if rating is not None), default=0)
    for least, minutes in text.minutes:
        if highest >= least:
            return report.minutes_per_60_moves < minutes
    raise AssertionError(highest)
