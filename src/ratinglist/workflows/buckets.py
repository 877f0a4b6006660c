"""Calculate a month in buckets: the engine that is chosen, the inputs it reads, the tables it gives."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import NamedTuple

import polars as pl

from ratinglist.config import BUCKETS, Settings
from ratinglist.durable_files import remove_folder
from ratinglist.engines.bucket_folder import BucketFolder
from ratinglist.engines.bucketed_month import rate_bucketed_month
from ratinglist.engines.engine import Engine, LocalEngine
from ratinglist.engines.month_plan import assign_buckets
from ratinglist.rating.event_verdicts import select_reports
from ratinglist.rating.model import MonthInputs
from ratinglist.rating.month_counts import MonthCounts
from ratinglist.store import bucketed_inputs, calculations
from ratinglist.store.bucketed_tables import tables_of_buckets
from ratinglist.store.calculations import Calculation
from ratinglist.store.database import Store

_BUCKETS_A_WORKER = 2
"""So many buckets at least, that a worker which is done early takes another one."""

_GAMES_A_BUCKET = 1_000_000
"""About as many games as a worker holds at once, where the number of buckets is not given."""


class CalculatedInBuckets(NamedTuple):
    """A month calculated in buckets, its events as :class:`~ratinglist.rating.model.MonthResult` has them."""

    calculation: Calculation
    events: pl.DataFrame
    counts: MonthCounts
    coincidences: pl.DataFrame


@contextmanager
def opened_engine(settings: Settings) -> Iterator[Engine | None]:
    """Give the engine that is chosen; None where a month is calculated as a whole.

    Raises what :func:`~ratinglist.engines.dask_engine.connected` raises, before anything is received or calculated.
    """
    choice = settings.engine
    if choice is None:
        yield None
    elif choice.name == "local":
        yield LocalEngine()
    else:
        # Imported here: it takes seconds, and an office without a cluster has not installed it.
        from ratinglist.engines.dask_engine import connected

        with connected(choice.scheduler, folder_of(settings), settings.warn) as engine:
            yield engine


def folder_of(settings: Settings) -> BucketFolder:
    """Return the folder of the buckets; it is there while a month is calculated in them."""
    return BucketFolder((settings.home / BUCKETS).resolve())


def calculate_in_buckets(store: Store, settings: Settings, inputs: MonthInputs, engine: Engine) -> CalculatedInBuckets:
    """Rate a month in buckets and write its calculation, which then is the current one.

    In: ``inputs``: :func:`~ratinglist.store.bucketed_inputs.read_bare_inputs`. The folder of the buckets is deleted
    afterwards; what a killed process left there is deleted first.
    """
    store.bound_memory()
    folder = folder_of(settings)
    _delete(folder)
    folder.make()
    try:
        reports = select_reports(inputs)
        continue_from = settings.office.corrections.continue_from
        with ExitStack() as stack:
            with engine.started():
                buckets = _number_of_buckets(settings, reports, engine)
                assigned = assign_buckets(reports, buckets)
                settings.progress("writing the buckets", 0, 1)
                plan = stack.enter_context(
                    bucketed_inputs.in_buckets(store, inputs, assigned, buckets, continue_from, folder)
                )
                month = rate_bucketed_month(inputs, reports, assigned, plan, engine, settings.progress)
            settings.progress("writing the tables", 0, 1)
            tables = tables_of_buckets(month, inputs.readings)
            written = calculations.write_calculated(store, inputs, tables, settings.office, settings.today)
    finally:
        _delete(folder)
    return CalculatedInBuckets(written, month.events, month.counts, month.coincidences)


def _number_of_buckets(settings: Settings, reports: pl.DataFrame, engine: Engine) -> int:
    if settings.engine is not None and settings.engine.buckets is not None:
        return settings.engine.buckets
    games = int(reports["games"].cast(pl.Int64).sum())
    return max(_BUCKETS_A_WORKER * engine.workers, games // _GAMES_A_BUCKET + 1)


def _delete(folder: BucketFolder) -> None:
    if folder.root.exists():
        remove_folder(folder.root)
