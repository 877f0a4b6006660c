"""Where inside a stage the time goes: the program as it is, with a clock around its steps.

``python -m benchmarks.steps STAGE HOME [FROM]`` runs ``import-list``, ``load``, ``rate`` or ``publish`` in this process
and prints its steps as JSON: name, calls, seconds on the wall and of the processor (all threads), both of the step
itself without the steps inside it, and the most memory held by its end in MB. What no step covers is the last line.
"""

from __future__ import annotations

import json
import resource
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from benchmarks.measure import RSS_UNIT
from benchmarks.month import MONTH, MONTH_BEFORE

BEGAN = perf_counter(), process_time()
# The clock runs while the program is imported.

from ratinglist import reports
from ratinglist.config import Settings
from ratinglist.engine import month, steps
from ratinglist.lists import list_reader
from ratinglist.period import Period
from ratinglist.publication import checked_month, checks, figures_check, privacy_scan, revision_writer
from ratinglist.rating import calculation, duplicate_games, entry, model, player_games, rating_list
from ratinglist.reports import games, metadata, trf, trf_cells, trf_header, trf_players
from ratinglist.store import calculations, month_tables, player_history, quarantine, received, table_files, table_writer
from ratinglist.store.database import Store
from ratinglist.workflows import import_files, load, month_notes, publish, rate

Step = tuple[str, Any, str]
"""What it is called, and where the function stands that does it."""

SHARED: list[Step] = [
    ("open the store", Store, "__init__"),
    ("rules", rate, "rule_book"),
    ("DuckDB append", Store, "append"),
]
STEPS: dict[str, list[Step]] = {
    "import-list": [
        ("digest of the file", import_files, "add_source"),
        ("read and judge rows", list_reader, "read"),
        ("infer the state", import_files, "infer_state"),
        ("compare players", received, "add_players"),
    ],
    "load": [
        ("find", reports, "find"),
        ("read and decode", reports, "read_batches"),
        ("archive the bytes", reports, "archive_all"),
        ("parse: lines", trf, "split"),
        ("parse: header", trf_header, "read"),
        ("parse: players", trf_players, "read"),
        ("parse: cells", trf_cells, "read"),
        ("parse: together", trf, "parse"),
        ("pair", games, "pair"),
        ("describe", metadata, "describe"),
        ("digest of the games", metadata, "games_digest"),
        ("known already", received, "add_reports"),
        ("refusals", quarantine, "of_reports"),
        ("notes", load, "_notes"),
    ],
    "rate": [
        ("read the store", rate, "read_month_inputs"),
        ("participants", steps, "distinct_participants"),
        ("games by numbers", steps, "games_of"),
        ("pairings", duplicate_games, "pairing_keys"),
        ("judge events", month, "judge_events"),
        ("repeated pairings", month, "repeated_keys"),
        ("join ratings", steps, "join_ratings"),
        ("both sides", player_games, "sides_of_games"),
        ("add ratings", player_games, "add_ratings"),
        ("reasons", player_games, "add_reasons"),
        ("tranches", player_games, "judge_tranches"),
        ("K", player_games, "coefficients"),
        ("rate sides", player_games, "rate_by_coefficients"),
        ("sum sides", steps, "sum_rated_sides"),
        ("sum changes", calculation, "sum_changes"),
        ("entries", entry, "compute_entries"),
        ("new list", rating_list, "next_list"),
        ("sides as kept", steps, "stored_sides"),
        ("digests of the inputs", calculations, "digests_of"),
        ("list encoded", rating_list, "encode_list"),
        ("list decoded", rating_list, "decode_list"),
        ("games decoded", model.GameDecoder, "decode"),
        ("keys and blanks", month_tables, "_check_slice"),
        ("write Parquet", table_files.ParquetFile, "write"),
        ("CSV, or the digest of what it would be", table_files.CsvText, "write"),
        ("sync to the disk", table_writer, "finish"),
        ("sha256", table_writer, "sha256_of"),
        ("refusals", quarantine, "of_month"),
        ("notes", month_notes, "of_month"),
        ("summary", rate, "count_month"),
    ],
    "publish": [
        ("checks: what they share", figures_check, "rule_sets"),
        ("checks", checks, "offences"),
        ("questions", checks, "raised_questions"),
        ("read the players", player_history, "players_of"),
        ("manifest: facts", checked_month, "facts_of"),
        ("second names, digests compared", revision_writer, "_link"),
        ("birth dates looked for", privacy_scan, "of_table"),
    ],
}


class Clock:
    """Adds up what steps cost, each without the steps inside it."""

    def __init__(self) -> None:
        self.steps: dict[str, list[float]] = {}
        self._inside: list[list[float]] = [[0.0, 0.0]]

    @property
    def covered(self) -> tuple[float, float]:
        """Seconds on the wall and of the processor inside any step."""
        wall, cpu = self._inside[0]
        return wall, cpu

    @contextmanager
    def running(self, step: str) -> Iterator[None]:
        """Count what is spent until the block ends to ``step``."""
        began = now()
        self._inside.append([0.0, 0.0])
        try:
            yield
        finally:
            wall, cpu = _since(began)
            inside_wall, inside_cpu = self._inside.pop()
            self._inside[-1][0] += wall
            self._inside[-1][1] += cpu
            known = self.steps.setdefault(step, [0, 0.0, 0.0, 0])
            known[:] = known[0] + 1, known[1] + wall - inside_wall, known[2] + cpu - inside_cpu, peak()

    def around(self, step: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """``function``, timed; of one that gives an iterator, the making of each of its values."""

        def timed(*arguments: Any, **named: Any) -> Any:
            with self.running(step):
                result = function(*arguments, **named)
            return self._each(step, result) if isinstance(result, Iterator) else result

        return timed

    def around_end(
        self, step: str, function: Callable[..., AbstractContextManager[Any]]
    ) -> Callable[..., AbstractContextManager[Any]]:
        """``function``, which gives a context, with the leaving of the context timed."""

        @contextmanager
        def timed(*arguments: Any, **named: Any) -> Iterator[Any]:
            context = function(*arguments, **named)
            value = context.__enter__()
            try:
                yield value
            except BaseException as error:
                if not context.__exit__(type(error), error, error.__traceback__):
                    raise
            else:
                with self.running(step):
                    context.__exit__(None, None, None)

        return timed

    def _each(self, step: str, values: Iterator[Any]) -> Iterator[Any]:
        end = object()
        while True:
            with self.running(step):
                value = next(values, end)
            if value is end:
                return
            yield value


def now() -> tuple[float, float]:
    """Seconds on the wall and of the processor."""
    return perf_counter(), process_time()


def peak() -> int:
    """The most memory this process ever held, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * RSS_UNIT // 2**20


def put_clocks(clock: Clock, stage: str) -> None:
    """Put ``clock`` around the steps of ``stage``, where the program looks them up."""
    for step, owner, name in SHARED + STEPS[stage]:
        setattr(owner, name, clock.around(step, getattr(owner, name)))
    ends: list[tuple[str, Any, str]] = [("commit", Store, "changing_facts")]
    ends += [("close the store", workflow, "open_to_write") for workflow in (import_files, load, rate, publish)]
    for step, owner, name in ends:
        setattr(owner, name, clock.around_end(step, getattr(owner, name)))
    one_after_the_other()


def one_after_the_other() -> None:
    """Let no two calls run at once: a clock cannot tell what does from what it times."""

    def call_each(calls: Iterable[Callable[[], Any]]) -> list[Any]:
        return [call() for call in calls]

    instead: list[tuple[Any, str, Any]] = [
        (import_files, "prefetch", iter),
        (load, "prefetch", iter),
        (load, "map_ordered", map),
        (load, "background", lambda: nullcontext(lambda work: work)),
        (table_writer, "call_all", call_each),
    ]
    for owner, name, other in instead:
        setattr(owner, name, other)


def run(stage: str, settings: Settings, read_from: list[Path]) -> None:
    """Run ``stage`` on the month of the benchmark."""
    if stage == "import-list":
        import_files.import_list(settings, read_from[0], Period.parse(MONTH_BEFORE))
    elif stage == "load":
        load.load(settings, read_from)
    elif stage == "rate":
        rate.rate(settings, Period.parse(MONTH))
    else:
        publish.publish(settings, Period.parse(MONTH))


def main(stage: str, home: Path, read_from: list[Path]) -> list[list[str | float]]:
    """The steps of ``stage`` in the order in which they first ended, and what they leave over."""
    imported = _since(BEGAN)
    began = now()
    clock = Clock()
    rows: list[list[str | float]] = [["imports", 1, *imported, peak()]]
    put_clocks(clock, stage)
    run(stage, Settings.read(home), read_from)
    left = (spent - covered for spent, covered in zip(_since(began), clock.covered, strict=True))
    rows += [[step, *costs] for step, costs in clock.steps.items()]
    return [*rows, ["everything else", 1, *left, peak()]]


def _since(began: tuple[float, float]) -> list[float]:
    return [end - start for end, start in zip(now(), began, strict=True)]


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], Path(sys.argv[2]), [Path(path) for path in sys.argv[3:]])))
