"""Load reports, rate the month and publish its list."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from datetime import date
from functools import partial
from pathlib import Path

from ratinglist.config import Settings
from ratinglist.errors import CheckError
from ratinglist.period import Period
from ratinglist.publication import drafts
from ratinglist.publication.month_content import tables_of
from ratinglist.publication.table_writing import Writing
from ratinglist.rating.model import MonthInputs, MonthResult
from ratinglist.rating.rating_list import PlayerLookup
from ratinglist.store.database import Store, open_store
from ratinglist.summaries import (
    LoadSummary,
    RunSummary,
)
from ratinglist.workflows.load import kept_and_told, load_reports
from ratinglist.workflows.meanwhile import Meanwhile
from ratinglist.workflows.rate import rate_in


def run(
    settings: Settings,
    period: Period,
    paths: Sequence[Path] = (),
    received_on: date | None = None,
    because: Mapping[str, str] | None = None,
) -> RunSummary:
    """Load what is delivered, rate the month and publish its list.

    Raises what the steps raise. Where people have to look at the list first, their preview is made, and the error says
    so after what was loaded and rated.
    """
    # One writer from the first report to the last file: nobody's calculation can come between.
    with open_store(settings.store, settings.threads) as store, ExitStack() as stack:
        beside = Beside(stack, store, settings, period)
        beside.receive(paths, received_on)
        rated = rate_in(store, settings, period, beside)
        loaded = beside.load_told()
        try:
            published = drafts.publish(store, settings, period, because or {}, hold=True, begun=beside.writing)
        except CheckError as stopped:
            done = [one.text() for one in (loaded, rated) if one is not None]
            raise type(stopped)("\n".join([*done, str(stopped)])) from None
        return RunSummary(loaded, rated, published)


class Beside:
    """What a run does beside its calculation, to the end of ``stack``: it keeps the load, and writes the tables."""

    def __init__(self, stack: ExitStack, store: Store, settings: Settings, period: Period) -> None:
        self._stack, self._store, self._settings, self._period = stack, store, settings, period
        self.meanwhile = Meanwhile(stack, store, period, settings.office.corrections.continue_from)
        self.writing: Writing | None = None
        self._load: Callable[[], LoadSummary] | None = None
        self._players: Callable[[], PlayerLookup] | None = None
        self._received: Callable[[Store], LoadSummary] | None = None

    def receive(self, paths: Sequence[Path], received_on: date | None) -> None:
        """Load what is delivered; it is kept and told of once the month's inputs are read."""
        if paths:
            load = partial(load_reports, self._store, self._settings, paths, received_on)
            loaded, keep = self._store.held(load)
            # Whatever becomes of the rating, what was received stays.
            self._stack.callback(keep)
            self._received = partial(kept_and_told, keep=keep, loaded=loaded)

    def inputs_read(self, inputs: MonthInputs) -> None:
        """Go on: nobody uses the store's own connection while the month is rated."""
        if self._received is not None:
            self._load = self.meanwhile.asked(self._received)
        self._players = self.meanwhile.asked(lambda _store: PlayerLookup(inputs.players))

    def rated(self, inputs: MonthInputs, result: MonthResult) -> None:
        """Go on: the month's tables are written while the store gets them."""
        tables = partial(tables_of, inputs, result, self._players)
        begun = drafts.written_meanwhile(self._store, self._settings, self._period, tables)
        self.writing = self._stack.enter_context(begun)

    def load_told(self) -> LoadSummary | None:
        """What the load was, once it is in the store; None where nothing was delivered."""
        return self._load() if self._load else None
