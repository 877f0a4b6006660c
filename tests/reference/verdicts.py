"""Which events a list rates, and why not the others."""

from collections import defaultdict
from collections.abc import Iterable
from datetime import date, timedelta

from tests.reference.formulas import month_of, number_of
from tests.reference.office import Office, Report, Settled
from tests.reference.ratings import Ratings
from tests.reference.regulations import Text, text_on


class Judge:
    """Judges the events known to one list."""

    def __init__(self, office: Office, ratings: Ratings) -> None:
        self.office = office
        self.ratings = ratings
        self.family = office.family
        self.players = {player.fide_id: player for player in office.players}

    def closing_day(self, report: Report) -> date:
        text = self.ratings.text(report.time_control)
        if text is None:
            return date.min
        return self.ratings.first_day - timedelta(
            days=text.official_closing_days if report.official else text.closing_days
        )

    def chosen_versions(self) -> list[Report]:
        """One version of every event that no earlier list settled in this version."""
        versions = defaultdict(list)
        for report in self.office.reports:
            if report.received_on < self.ratings.first_day:
                versions[report.event_id].append(report)
        chosen = []
        for event_id in sorted(versions):
            known = versions[event_id]
            known = [one for one in known if one.accepted] or known
            known = [one for one in known if one.received_on <= self.closing_day(one)] or known
            best = max(known, key=lambda one: (one.version, one.received_on, one.sha256))
            settled = [one.version for one in self.office.earlier if one.event_id == event_id]
            if not settled or best.version > max(settled):
                chosen.append(best)
        return chosen

    def verdicts(self, reports: list[Report]) -> dict[str, tuple[str, str]]:
        """Status and reason by event."""
        verdicts = {}
        open_ones = []
        for report in reports:
            verdict = self.verdict_on_dates(report)
            if verdict is None:
                open_ones.append(report)
            else:
                verdicts[report.event_id] = verdict
        for report in open_ones:
            if self.has_same_games(report, open_ones):
                verdicts[report.event_id] = ("duplicate", "same_games")
            else:
                reason = self.condition_not_met(report)
                verdicts[report.event_id] = ("refused", reason) if reason else ("rated", "")
        return verdicts

    def verdict_on_dates(self, report: Report) -> tuple[str, str] | None:
        if not report.accepted:
            return "refused", "report_refused"
        if any(one.event_id == report.event_id and one.status == "rated" for one in self.office.earlier):
            return "superseded", "rated_in_earlier_list"
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

    def has_same_games(self, report: Report, others: list[Report]) -> bool:
        def same(other: Report | Settled) -> bool:
            return (
                other.games_digest == report.games_digest
                and other.start_date == report.start_date
                and other.time_control == report.time_control
            )

        if report.games_digest == "":
            return False
        if any(same(one) and one.status == "rated" for one in self.office.earlier):
            return True
        return any(
            same(other) and (other.received_on, other.event_id) < (report.received_on, report.event_id)
            for other in others
        )

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
            playing = {one for game in report.games for one in (game.white_id, game.black_id)}
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
