"""Write the sample federation: starting list, players files and four months of reports.

``python data/sample/make.py [FOLDER] [--seed N]`` rewrites the folder, by default the one this file stands in. The
same seed gives the same bytes: chance is one ``random.Random`` per event, seeded by its code, and there is no clock.
"""

from __future__ import annotations

import argparse
import csv
import io
import sys
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from random import Random

from calendar_2025 import PLANS, TRF16, Plan
from people import Person, people
from play import play_contest, play_league, play_round_robin, play_swiss, recoded, renumbered
from report_text import Team, Tournament, report_bytes

SEED = 2025
START = "2025-08"
ARBITERS = ("Oriol Fenwick-Sand", "Marit Lindegaard", "Yusuf Abernathy", "Zdenka Morávek", "Paolo Tern")
LIST_COLUMNS = (
    *("fide_id", "name", "federation", "sex", "title", "women_title", "other_titles", "birth_date", "birth_year"),
    *("time_control", "rating", "k", "games_played", "reached_2400", "reached_2300", "last_played", "flag"),
)
MANIFEST_COLUMNS = (
    *("file", "event_id", "version", "received_on", "event_type", "time_control", "official", "federation"),
    *("start_date", "end_date", "registered_on", "minutes_per_60_moves"),
)


@dataclass(frozen=True, slots=True)
class Delivery:
    """One report file and its line of the manifest."""

    month: str
    file: str
    event_id: str
    version: int
    received: str
    registered: str
    event: Tournament
    content: bytes


def main(arguments: list[str] | None = None) -> None:
    """Rewrite the folder named on the command line."""
    reader = argparse.ArgumentParser(description="Write the sample federation.")
    reader.add_argument("folder", nargs="?", type=Path, default=Path(__file__).parent)
    reader.add_argument("--seed", type=int, default=SEED)
    options = reader.parse_args(arguments)
    files = sample(options.seed)
    for stale in [*options.folder.glob("reports/20??-??/*.trf"), *options.folder.glob("players-20??-??.csv")]:
        stale.unlink()
    for name, content in files.items():
        target = options.folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)


def sample(seed: int) -> dict[str, bytes]:
    """Every file of the sample: path within the folder to its bytes."""
    known = people()
    files = {f"list-{START}.csv": _table(LIST_COLUMNS, [_listed(one) for one in known if not one.registered])}
    for month in sorted({one.registered for one in known if one.registered} | set(CHANGED)):
        rows = [_listed(one) for one in known if one.registered == month]
        rows += [_listed(one) | CHANGED[month][one.key] for one in known if one.key in CHANGED.get(month, {})]
        files[f"players-{month}.csv"] = _table(LIST_COLUMNS, [_without_rating(row) for row in rows])
    sent = deliveries(known, seed)
    for month in sorted({one.month for one in sent}):
        folder = f"reports/{month}"
        rows = [_manifest_row(one) for one in sent if one.month == month]
        files[f"{folder}/manifest.csv"] = _table(MANIFEST_COLUMNS, rows)
        files |= {f"{folder}/{one.file}": one.content for one in sent if one.month == month}
    return files


# what the office learns of a player it knows already: a title at a congress, a name after a wedding
CHANGED: dict[str, dict[str, dict[str, str]]] = {
    "2025-11": {"Vesterholt": {"title": "IM"}},
    "2025-12": {"Vukmirić": {"name": "Vukmirić-Dahl, Jelena"}},
}


def deliveries(known: list[Person], seed: int) -> list[Delivery]:
    """Every report in the order of play, with what goes wrong on the way to the office."""
    plans = sorted(PLANS, key=lambda plan: (plan.days[0], plan.event_id))
    chances = [Random(f"{seed} {plan.event_id}") for plan in plans]
    sent = []
    for number, (plan, keys) in enumerate(zip(plans, _entrants(plans, known, chances), strict=True)):
        entrants = [one for one in known if one.key in keys]
        sent += _sent(plan, _played(plan, entrants, chances[number], ARBITERS[number % len(ARBITERS)]))
    return sent


def _entrants(plans: list[Plan], known: list[Person], chances: list[Random]) -> list[set[str]]:
    """Who plays in each event: first the invited, then players drawn by lot; nobody is in two places on one day."""
    busy: dict[str, set[date]] = {one.key: set() for one in known}
    league = {one.key for one in known if one.club}
    seats = [set(plan.invited) | (league if plan.event_type == "team" else set()) for plan in plans]
    for plan, keys in zip(plans, seats, strict=True):
        for key in sorted(keys):
            if busy[key] & set(plan.days):
                raise ValueError(f"{plan.name}: {key} plays elsewhere on these days")
            busy[key] |= set(plan.days)
    for plan, keys, chance in zip(plans, seats, chances, strict=True):
        free = [
            one.key
            for one in known
            if one.rating
            and plan.low <= one.rating <= plan.high
            and not one.story
            and not busy[one.key] & set(plan.days)
        ]
        drawn = chance.sample(free, max(0, plan.size - len(keys)))
        keys.update(drawn)
        for key in drawn:
            busy[key] |= set(plan.days)
    return seats


def _played(plan: Plan, entrants: list[Person], chance: Random, arbiter: str) -> Tournament:
    entrants = sorted(entrants, key=lambda one: (one.club if plan.event_type == "team" else "", -(one.rating or 0)))
    event = Tournament(
        name=plan.name,
        city=plan.city,
        federation=plan.federation,
        event_type=plan.event_type,
        days=plan.days,
        clock=plan.clock,
        arbiter=arbiter,
        players=entrants,
        cells={number: [] for number in range(1, len(entrants) + 1)},
    )
    if plan.event_type == "swiss":
        play_swiss(event, plan.twist, chance)
    elif plan.event_type == "team":
        clubs = sorted({one.club for one in entrants})
        event.teams = [Team(club, [n for n, one in enumerate(entrants, 1) if one.club == club]) for club in clubs]
        play_league(event, plan.twist, chance, first_round=1 if plan.month == "2025-10" else 4, boards=4)
    elif plan.event_type == "match":
        play_contest(event, chance)
    else:
        play_round_robin(event, plan.twist, chance)
    return event


def _sent(plan: Plan, event: Tournament) -> list[Delivery]:
    """What reaches the office of ``event``: usually one report, sometimes a wrong one or one too many."""
    content = report_bytes(event, plan.style)
    sent = Delivery(plan.month, plan.file, plan.event_id, 1, plan.received, plan.registered, event, content)
    if plan.file == "forest-masters.trf":
        # the first report has one game the wrong way round; the arbiter sends it again six days later
        winner, loser = _decided(event)
        first = recoded(event, {(winner, loser): "0", (loser, winner): "1"})
        return [
            replace(sent, received="2025-10-21", event=first, content=report_bytes(first, plan.style)),
            replace(sent, file="forest-masters-corrected.trf", version=2),
        ]
    if plan.file == "vale-weekend.trf":
        # both players of the last game claim the win, and nobody at the club answers the office's letter
        winner, loser = _decided(event)
        broken = recoded(event, {(loser, winner): "1"})
        return [replace(sent, event=broken, content=report_bytes(broken, plan.style))]
    if plan.file == "harbour-weekend.trf":
        # the neighbours registered the event too and send the same games under their own code
        order = sorted(event.cells, key=lambda number: event.players[number - 1].name)
        same = replace(renumbered(event, order), name="Havnens Weekend", federation="KEL")
        twice = Delivery(
            "2025-10", "havnens-weekend.trf", "KEL25084", 1, "2025-09-08", "2025-08-02", same, report_bytes(same, TRF16)
        )
        return [sent, twice]
    return [sent]


def _decided(event: Tournament) -> tuple[str, str]:
    """Winner and loser of the last game that anybody won."""
    for turn in reversed(range(len(event.days))):
        for number, row in event.cells.items():
            cell = row[turn]
            if cell and cell.code == "1":
                return event.players[number - 1].key, event.players[cell.opponent - 1].key
    raise ValueError(f"{event.name}: no game was won")


def _listed(one: Person) -> dict[str, str]:
    title, _, women_title = one.title.partition("/")
    title, women_title = ("", title) if title.startswith("W") else (title, women_title)
    inactive = one.rating is not None and one.last_played is not None and one.last_played <= date(2024, 8, 1)
    return {
        "fide_id": str(one.fide_id),
        "name": one.name,
        "federation": one.federation,
        "sex": one.sex,
        "title": title or women_title,
        "women_title": women_title,
        "other_titles": "FA" if one.key in ("Tindall", "Whitlock") else "",
        "birth_date": f"{one.birth}",
        "birth_year": str(one.birth.year),
        "time_control": "standard",
        "rating": str(one.rating or ""),
        "k": str(one.k or ""),
        "games_played": str(one.games_played),
        "reached_2400": str(int(one.reached_2400)),
        "reached_2300": str(int(one.reached_2300)),
        "last_played": str(one.last_played or ""),
        "flag": ("w" if one.sex == "F" else "") + ("i" if inactive else ""),
    }


def _without_rating(row: dict[str, str]) -> dict[str, str]:
    state = ("rating", "k", "games_played", "reached_2400", "reached_2300", "last_played")
    return row | dict.fromkeys(state, "")


def _manifest_row(sent: Delivery) -> dict[str, str]:
    event = sent.event
    return {
        "file": sent.file,
        "event_id": sent.event_id,
        "version": str(sent.version),
        "received_on": sent.received,
        "event_type": event.event_type,
        "time_control": "standard",
        "official": "0",
        "federation": event.federation,
        "start_date": f"{event.days[0]}",
        "end_date": f"{event.days[-1]}",
        "registered_on": sent.registered,
        "minutes_per_60_moves": str(event.minutes),
    }


def _table(columns: tuple[str, ...], rows: list[dict[str, str]]) -> bytes:
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


if __name__ == "__main__":
    main(sys.argv[1:])
