"""A second rater: slow, obvious, and written from the regulations, not from the program.

It computes one month with plain loops over plain objects. It shares nothing with the package but the names of the
columns it gives back, so where both agree on thousands of made-up months, both have read the rules alike.
"""

from collections import Counter, defaultdict
from dataclasses import asdict
from fractions import Fraction

from tests.reference.formulas import (
    coefficient,
    entry,
    first_day_of,
    half_away_from_zero,
    half_up,
    is_junior,
    limited,
    month_number,
    number_of,
)
from tests.reference.office import TIME_CONTROLS, Office, Published, Row, Standing, Waiting
from tests.reference.publication import event_row, game_rows
from tests.reference.ratings import Ratings
from tests.reference.regulations import ONE_TIME_STEP
from tests.reference.sides import Side, sides_of
from tests.reference.slices import Slices, copied_events, counted_elsewhere, names_in_list
from tests.reference.verdicts import Judge


class Month:
    """The calculation of one list, a step after the other."""

    def __init__(self, office: Office) -> None:
        self.office = office
        self.family = office.family
        self.month = office.month
        self.first_day = first_day_of(office.month)
        self.players = {player.fide_id: player for player in office.players}
        self.ratings = Ratings(office)
        self.slices = Slices(office)
        self.sides: list[Side] = []
        self.published = Published()

    # ----------------------------------------------------------------------------------------- rated players

    def rate(self, time_control: str, fide_id: int, sides: list[Side]) -> Row:
        """The change of one rated player."""
        text = self.ratings.text(time_control)
        assert text is not None
        state = self.ratings.state(time_control, fide_id) or Standing(self.month, time_control, fide_id, None)
        player = self.players[fide_id]
        by_event = defaultdict(list)
        for side in sides:
            by_event[side.report.report_id].append(side)
        change = 0
        for of_event in by_event.values():
            judged_on = of_event[0].report.start_date
            if text.junior_judged_on == "list before":
                judged_on = first_day_of(self.ratings.month_before(time_control) or self.month)
            k = limited(text, coefficient(text, state, is_junior(text, player, judged_on)), len(sides))
            for side in of_event:
                assert side.expected is not None
                side.k = k
                side.change = k * (50 * side.score_halves - side.expected)
            if text.rounded_per == "event":
                change += half_away_from_zero(Fraction(sum(side.change or 0 for side in of_event), 100))
        exact = sum(side.change or 0 for side in sides)
        if text.rounded_per == "period":
            change = half_away_from_zero(Fraction(exact, 100))
        ks = {side.k for side in sides}
        return {
            "games": len(sides),
            "k": ks.pop() if len(ks) == 1 else None,
            "change_hundredths": exact,
            "change": change,
        }

    # --------------------------------------------------------------------------------------- unrated players

    def count_results(self, time_control: str, waiting: list[Waiting]) -> list[Waiting]:
        """Judge the new results of unrated players, event by event; gives back those that count."""
        text = self.ratings.text(time_control)
        assert text is not None
        new: dict[tuple[int, str], list[Side]] = defaultdict(list)
        for side in self.sides:
            if side.report.time_control == time_control and side.reason == "unrated":
                new[side.fide_id, self.slices.name_in_pool(side.report)].append(side)
        has_counted = {result.fide_id for result in waiting}
        counted = []
        in_order = sorted(new, key=lambda pair: (new[pair][0].report.start_date, new[pair][0].report.end_date, pair))
        for fide_id, event_id in in_order:
            sides = new[fide_id, event_id]
            halves = sum(side.score_halves for side in sides)
            if text.tranche and (len(sides) < 2 or halves == 0):
                reason = "tranche_too_small"
            elif halves == 0 and fide_id not in has_counted:
                reason = "zero_first_event"
            else:
                reason = "counts_for_entry"
                has_counted.add(fide_id)
                counted.append(
                    Waiting(
                        time_control=time_control,
                        fide_id=fide_id,
                        event_id=event_id,
                        games=len(sides),
                        score_halves=halves,
                        opponent_rating_sum=sum(side.opponent_rating or 0 for side in sides),
                        counted_month=self.month,
                        expires_month=month_number(number_of(self.month) + 26),
                    )
                )
            for side in sides:
                side.reason = reason
        return counted

    # ---------------------------------------------------------------------------------------------- the list

    def next_list(self, time_control: str) -> None:
        text = self.ratings.text(time_control)
        month_before = self.ratings.month_before(time_control)
        if text is None or month_before is None:
            return
        rated: dict[int, list[Side]] = defaultdict(list)
        for side in self.sides:
            if side.report.time_control == time_control and side.rated:
                rated[side.fide_id].append(side)
        before = {
            listed.fide_id: listed
            for listed in self.office.lists
            if (listed.month, listed.time_control) == (month_before, time_control)
        }

        new_ratings: dict[int, int | None] = {}
        changes: dict[int, Row] = {}
        played: dict[int, int] = {}
        counter: dict[int, int] = {}
        for fide_id in sorted({*before, *rated}):
            old = before[fide_id].rating if fide_id in before else None
            row: Row = {"games": 0, "k": None, "change_hundredths": 0, "change": 0}
            if rated[fide_id]:
                row = self.rate(time_control, fide_id, rated[fide_id])
                # One rating for every listed player; where standard stands in, the one of the latest start.
                old = max(rated[fide_id], key=lambda side: side.report.start_date).base
            played[fide_id] = counter[fide_id] = len(rated[fide_id])
            new_ratings[fide_id] = None
            if old is None:
                continue
            new = old + row["change"]
            if (self.family, self.month) == ONE_TIME_STEP and new < 2000:
                new = half_up(new + Fraction(2, 5) * (2000 - new))
            if new >= text.floor:
                new_ratings[fide_id] = new
            if rated[fide_id] or new < text.floor:
                status = "rated" if new >= text.floor else "delisted"
                changes[fide_id] = {**row, "old_rating": old, "new_rating": new_ratings[fide_id], "status": status}

        entering = self.entries_of(time_control, rated)
        counted = Counter(
            side.fide_id
            for side in self.sides
            if side.report.time_control == time_control and side.reason == "counts_for_entry"
        )
        for fide_id, newcomer in entering.items():
            of_period = counted[fide_id]
            new_ratings[fide_id] = newcomer["computed_rating"]
            played[fide_id], counter[fide_id] = of_period, newcomer["games"]
            changes[fide_id] = {
                "old_rating": None,
                "games": of_period,
                "k": None,
                "change_hundredths": None,
                "change": None,
                "new_rating": new_ratings[fide_id],
                "status": "entered",
            }

        for fide_id, row in sorted(changes.items()):
            self.published.changes.append({"time_control": time_control, "fide_id": fide_id, **row})
        for fide_id, rating in sorted(new_ratings.items()):
            if rating is None and not text.delisted_keeps_state:
                continue
            old_state = before.get(fide_id) or Standing(month_before, time_control, fide_id, None)
            entered = fide_id in changes and changes[fide_id]["status"] == "entered"
            state = Standing(
                month=self.month,
                time_control=time_control,
                fide_id=fide_id,
                rating=rating,
                games=played[fide_id],
                games_played=old_state.games_played + counter[fide_id],
                reached_2400=old_state.reached_2400 or (rating or 0) >= 2400,
                reached_2300=old_state.reached_2300 or (rating or 0) >= 2300,
                last_played=self.first_day if played[fide_id] or entered else old_state.last_played,
            )
            k = coefficient(text, state, is_junior(text, self.players[fide_id], self.first_day))
            self.published.list_state.append({**asdict(state), "k": None if rating is None else k})

    def entries_of(self, time_control: str, rated: dict[int, list[Side]]) -> dict[int, Row]:
        """Fill entries and pool, and return the players who enter."""
        text = self.ratings.text(time_control)
        assert text is not None
        waiting = [
            result
            for result in self.office.pool
            if result.time_control == time_control and number_of(self.month) - number_of(result.counted_month) < 26
        ]
        counted = self.count_results(time_control, waiting)
        by_player = defaultdict(list)
        for result in waiting + counted:
            # A player rated before, or this month from the standard rating, waits no longer.
            if not rated.get(result.fide_id) and self.ratings.now(time_control, result.fide_id) is None:
                by_player[result.fide_id].append(result)
        entering = {}
        for fide_id, results in sorted(by_player.items()):
            row = entry(
                text,
                sum(result.games for result in results),
                sum(result.score_halves for result in results),
                sum(result.opponent_rating_sum for result in results),
            )
            self.published.entries.append({"time_control": time_control, "fide_id": fide_id, **row})
            if row["published"]:
                entering[fide_id] = row
            else:
                self.published.pool.extend(
                    asdict(result) for result in sorted(results, key=lambda result: result.event_id)
                )
        return entering


def rate_month(office: Office) -> Published:
    """The list of one month."""
    month = Month(office)
    judge = Judge(office, month.ratings, month.slices)
    chosen, other_events = judge.chosen_versions()
    names = names_in_list(chosen, other_events, month.slices)
    verdicts = judge.verdicts(chosen, other_events, names)
    considered = sorted(chosen + other_events, key=lambda report: names[report.report_id])
    rated = [report for report in considered if verdicts[report.report_id][0] == "rated"]
    copies = copied_events(rated, office)
    verdicts |= dict.fromkeys(copies, ("duplicate", "same_games"))
    rated = [report for report in rated if report.report_id not in copies]
    elsewhere = counted_elsewhere(rated, office)
    for report in rated:
        month.sides += sides_of(report, month.ratings, elsewhere)
    for time_control in TIME_CONTROLS:
        month.next_list(time_control)
    month.published.events = [
        event_row(report, names[report.report_id], *verdicts[report.report_id]) for report in considered
    ]
    month.published.games = game_rows(considered, names, verdicts, month.sides)
    return month.published
