"""The promises of a rating system that are about published lists: an office publishes, corrects and replays them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl

from ratinglist.laboratory import replay
from ratinglist.period import Period
from ratinglist.settings import Settings
from ratinglist.testing.made_up import STANDARD, Sample, digest_of
from ratinglist.workflows import correct, rerate
from ratinglist.workflows.explain import explain

_TABLES = (STANDARD, "changes", "games", "pool", "events")
_ACCOUNTS = 12
"""Players of each status whose account is read."""
_OFFICE_ONLY = ("month", "revision")
"""Columns that say which revision a row is of."""


def threads_do_not_matter(sample: Sample) -> Iterator[str]:
    """Calculate the second list by one thread and by four, each in a process of its own."""
    code = f"from {__name__} import print_digest; print_digest()"
    found = set()
    for threads in ("1", "4"):
        environment = os.environ | {"POLARS_MAX_THREADS": threads, "PYTHONPATH": os.pathsep.join(sys.path)}
        done = subprocess.run(  # noqa: S603 - this program, with values of our own
            [sys.executable, "-c", code, str(sample.settings.home), sample.settings.family, str(sample.second)],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            yield f"with {threads} threads the list is not calculated: {done.stderr.strip().splitlines()[-1]}"
        found.add(done.stdout)
    if len(found) > 1:
        yield "one thread and four give other tables"


def print_digest() -> None:
    """Print the digest of the list that the command line names: home, family and month."""
    home, family, month = sys.argv[1:]
    sys.stdout.write(digest_of(Settings(home=Path(home), family=family, today=date.max), Period.parse(month)))


def events_are_rated_once(sample: Sample) -> Iterator[str]:
    """Publish both lists; no event may be rated on both, and one that was reported late is on the second."""
    first, second = (_table(sample.published, month, "events") for month in (sample.first, sample.second))
    rated = [rows.filter(status="rated")["event_id"].to_list() for rows in (first, second)]
    for event in sorted(set(rated[0]) & set(rated[1])):
        yield f"the event {event} is rated on the lists of {sample.first} and of {sample.second}"
    if not rated[0] or not rated[1]:
        yield "one of the lists rates no event"


def accounts_lead_to_the_rating(sample: Sample) -> Iterator[str]:
    """Publish both lists and read accounts: their terms have to lead to what is published."""
    changes = _table(sample.published, sample.second, "changes").filter(pl.col("games") > 0)
    for row in changes.group_by("status", maintain_order=True).head(_ACCOUNTS).to_dicts():
        account = json.loads(json.dumps(explain(sample.published, row["fide_id"], sample.second).as_dict()))
        results = {term["what"]: term["result"] for term in account["time_controls"][0]["terms"]}
        for name in row.keys() - {"time_control", "fide_id", *_OFFICE_ONLY}:
            if row[name] is not None and row[name] != results.get(name):
                yield f"the account of player {row['fide_id']} has {results.get(name)} for {name}, not {row[name]}"


def rerate_is_a_new_office(sample: Sample) -> Iterator[str]:
    """Correct a game of the first list after both are published, and in a new office before them."""
    games = _table(sample.published, sample.first, "games")
    file = sample.settings.home.parent / "correction.toml"
    file.write_text(_correction(games.filter(reason="", colour="w").row(0, named=True)), encoding="utf-8")
    late, early = sample.another(), sample.another()
    sample.publish(late)
    correct.correct(late, file)
    rerate.rerate(late, sample.first)
    correct.correct(early, file)
    sample.publish(early)
    for month in (sample.first, sample.second):
        for name in _TABLES:
            if not _table(late, month, name).equals(_table(early, month, name)):
                yield f"{name}.parquet of {month} is another one after rerate than in a new office"
    if _table(sample.published, sample.second, STANDARD).equals(_table(late, sample.second, STANDARD)):
        yield "another result on the first list moves nothing on the second one"


def _correction(game: dict[str, Any]) -> str:
    result = "0-1" if game["score_halves"] == 2 else "1-0"
    places = {"round": game["round"], "white": game["fide_id"], "black": game["opponent_id"]}
    place = ", ".join(f"{name} = {value}" for name, value in places.items())
    return f"""
[[correction]]
action = "change_result"
match = {{ event_id = "{game["event_id"]}", {place} }}
result = "{result}"
reason = "the score sheet"
who = "the arbiter"
reported_on = 2026-02-01
"""


def replay_is_the_office(sample: Sample) -> Iterator[str]:
    """Replay both lists."""
    months = sample.first, sample.second
    (row,) = replay.replay(sample.published, [sample.published.family], months=months).systems
    if not row["compared"] or row["as_published"] != row["compared"]:
        yield f"{row['as_published']} of {row['compared']} lists are those of the office"


def _table(settings: Settings, month: Period, name: str) -> pl.DataFrame:
    folder = settings.published / str(month)
    rows = pl.read_parquet(folder / (folder / "latest").read_text(encoding="utf-8").strip() / f"{name}.parquet")
    return rows.drop(_OFFICE_ONLY, strict=False)
