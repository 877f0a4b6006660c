"""The whole program on one page: import, load, rate, publish, run.

Each step is ``(settings, period) -> summary``, may be repeated, and meets the next step only in the store.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import date
from functools import partial
from pathlib import Path
from typing import TypeVar

import polars as pl

from ratinglist import received
from ratinglist.correct import office
from ratinglist.errors import CheckError, CommandLineError, NothingReadError
from ratinglist.official import lists
from ratinglist.official.inference import infer_state
from ratinglist.on_disk import sha256_of
from ratinglist.period import Period
from ratinglist.publication import publishing
from ratinglist.publication.content import tables_of
from ratinglist.publication.writing import Writing
from ratinglist.rating import calculated
from ratinglist.rating.calculated import digests_of
from ratinglist.rating.calculation import rate_month
from ratinglist.rating.inputs import month_inputs
from ratinglist.rating.meanwhile import Meanwhile
from ratinglist.rating.month import MonthInputs, MonthResult, rules_of_list
from ratinglist.rating.notes import notes_on_month
from ratinglist.rating.rating_list import PlayersTold
from ratinglist.rating.rules import RuleBook
from ratinglist.reports import loading, quarantine
from ratinglist.reports.ahead import ahead
from ratinglist.resources import rule_book
from ratinglist.schemas import PLAYER
from ratinglist.settings import Settings
from ratinglist.store import Store, open_store
from ratinglist.summary import (
    ApprovalSummary,
    ImportSummary,
    LoadSummary,
    MonthSummary,
    PreviewSummary,
    PublishSummary,
    RunSummary,
)

Value = TypeVar("Value")


def import_list(settings: Settings, file: Path, period: Period, time_control: str | None = None) -> ImportSummary:
    """An official list into the store: its players, and the list the next one starts from; all of it or nothing.

    Importing a month again replaces it. Raises :class:`CommandLineError` where that month was calculated here, and
    :class:`NothingReadError` where the file cannot be understood.
    """
    book = rule_book()
    listed: Counter[str] = Counter()
    players = new = changed = rows = 0
    notes: tuple[lists.Note, ...] = ()
    with open_store(settings.store, settings.threads) as store, store.transaction():
        if calculated.calculation(store, period) is not None:
            raise CommandLineError(
                f"The list of {period} was calculated here; an import would overwrite it. Import a list of a later "
                "month, or start a new home."
            )
        if later := calculated.calculated_later(store, period):
            raise CommandLineError(
                f"The list of {later[0]} was calculated from what was known of {period}; an import would pull the "
                "ground from under it. Start a new home for another history."
            )
        source = _add_source(store, settings, file, "list", period)
        for batch in ahead(lists.read(file, month=period, time_control=time_control)):
            of_batch = PLAYER.conform(batch.rows.unique("fide_id", keep="first", maintain_order=True))
            added = received.add_players(store, of_batch, known_on=settings.today, source_no=source)
            controls = [name for name in batch.rows["time_control"].unique().sort() if name is not None]
            for name in controls:
                if name not in listed:
                    received.drop_imported_list(store, period, name)
            uniform = [name for name in controls if _k_is_uniform(book, settings.family, name, period)]
            state = infer_state(batch.rows, period, uniform_k=uniform)
            received.add_list(store, state, source)
            for name in controls:
                listed[name] += state.filter((pl.col("time_control") == name) & pl.col("rating").is_not_null()).height
            players, new, changed = players + len(of_batch), new + added[0], changed + added[1]
            rows += len(batch.rows)
            notes = batch.notes
            settings.progress("players imported", players, 1)
        received.count_source_file(store, source, rows)
    told = [f"{note.count:,} × {note.says} (first: {note.example})" for note in notes]
    return ImportSummary(str(file), str(period), dict(sorted(listed.items())), players, new, changed, told)


def _k_is_uniform(book: RuleBook, family: str, time_control: str, period: Period) -> bool:
    """Whether everybody had the same K on that list, so that it says nothing of a player."""
    rule_set = book.on(family, time_control, period.first_day)
    return rule_set is not None and rule_set.development_coefficient.fixed > 0


def _add_source(store: Store, settings: Settings, file: Path, kind: str, period: Period | None) -> int:
    if not file.is_file():
        what = "this is not a file that can be read" if file.exists() else "there is no such file"
        raise NothingReadError(f"{file}: {what}. Name the list itself, as text, XML, CSV, Parquet or zip.")
    return received.add_source_file(
        store, sha256=sha256_of(file), file_name=file.name, kind=kind, month=period, known_on=settings.today
    )


def import_players(settings: Settings, file: Path) -> ImportSummary:
    """Register players, or change what is known of them; all of the file or nothing.

    Raises :class:`NothingReadError` where the file cannot be understood.
    """
    players = new = changed = 0
    with open_store(settings.store, settings.threads) as store, store.transaction():
        source = _add_source(store, settings, file, "players", None)
        for batch in ahead(lists.read_players(file)):
            added = received.add_players(store, batch, known_on=settings.today, source_no=source)
            players, new, changed = players + len(batch), new + added[0], changed + added[1]
            settings.progress("players imported", players, 1)
        received.count_source_file(store, source, players)
    return ImportSummary(str(file), None, {}, players, new, changed)


def load(settings: Settings, paths: Sequence[Path], received_on: date | None = None) -> LoadSummary:
    """Reports into the store: found, archived, read, paired, judged; all of the delivery or nothing.

    ``received_on`` is the day a report arrived where no manifest says it; default today. Loading something again
    changes nothing. Raises :class:`NothingReadError` where the paths hold no report at all.
    """
    with open_store(settings.store, settings.threads) as store:
        return loading.told(store, loading.load(store, settings, paths, received_on))


def rate(settings: Settings, period: Period) -> MonthSummary:
    """Calculate a month's list for every time control, replacing what was calculated for it before.

    Raises :class:`NothingReadError` where there is no list to start from.
    """
    with open_store(settings.store, settings.threads) as store:
        return rate_in(store, settings, period)


def rate_in(store: Store, settings: Settings, period: Period, beside: Beside | None = None) -> MonthSummary:
    """As :func:`rate`, in a store that is open already; ``beside``: what goes on meanwhile, where anything does."""
    book = rule_book()
    book.of(settings.family)
    if calculated.is_imported(store, period):
        raise CommandLineError(
            f"The list of {period} was imported; a calculation would replace it. "
            f"Calculate {period + 1}, which starts from it."
        )
    settings.progress("reading the store", 0, 1)
    chosen = office.read(settings.home)
    known = beside.meanwhile.beforehand() if beside else None
    inputs = month_inputs(store, period, settings.family, book, chosen.continue_from, known)
    if beside:
        beside.inputs_read(inputs)
    in_force = rules_of_list(inputs)
    if not in_force:
        raise NothingReadError(_nothing_to_start_from(inputs))
    settings.progress("rating", 0, 1)
    digests = _asked(beside, store, partial(digests_of, inputs=inputs))
    result = rate_month(inputs)
    if beside:
        beside.rated(inputs, result)
    names = {one.name for one in in_force.values()}
    with_k = result.sides.lazy().filter(pl.col("k").is_not_null()).select("event_no").unique().collect()
    names |= set(result.events.join(with_k, on="event_no", how="semi")["rule_set"])
    used = sorted((one.name, one.digest) for one in book.of(settings.family) if one.name in names)
    settings.progress("writing the store", 0, 1)
    names_used = [name for name, _ in used]
    counted = _asked(beside, store, lambda _store: MonthSummary.of(period, settings.family, names_used, result))
    if beside:
        # The load is in the store before the month is.
        beside.load_told()
    row = calculated.calculation_row(store, inputs, digests(), used, chosen.continue_from)
    calculated.replace_month(store, period, result, row, settings.today)
    refused = quarantine.of_month(store, period)
    notes = notes_on_month(store, period, inputs)
    return replace(counted(), refused=refused, notes=notes)


def _asked(beside: Beside | None, store: Store, read: Callable[[Store], Value]) -> Callable[[], Value]:
    """What gives the answer of ``read``, begun at once where something goes on beside; else it is read when asked."""
    return beside.meanwhile.asked(read) if beside else partial(read, store)


def _nothing_to_start_from(inputs: MonthInputs) -> str:
    controls = inputs.lists_there["time_control"].unique().sort().to_list()
    if not controls:
        return (
            f"There is no list before {inputs.period} to start from. "
            f"Import one first: ratinglist import-list FILE --month {inputs.period - 1}"
        )
    return (
        f"The family '{inputs.family}' has no rule set on {inputs.period.first_day} for {', '.join(controls)}. "
        "Choose another family with --rules; `ratinglist rules` shows what there is."
    )


def publish(settings: Settings, period: Period, because: Mapping[str, str] | None = None) -> PublishSummary:
    """Publish the calculated list of a month as a new revision, or find that it stands there already.

    ``because``: reasons, by question. Raises :class:`NothingReadError` where the month was not calculated;
    :class:`CheckError` where a check of ``sql/checks`` finds a wrong row, a question is open, or too few people have
    approved exactly this: then nothing is published; :class:`CommandLineError` for a reason that answers no question.
    """
    with open_store(settings.store, settings.threads) as store:
        return publishing.publish(store, settings, period, because or {})


def preview(settings: Settings, period: Period, because: Mapping[str, str] | None = None) -> PreviewSummary:
    """The bytes that :func:`publish` would publish, and a report on them, under ``HOME/previews``.

    Raises what :func:`publish` raises, open questions and approvals apart.
    """
    with open_store(settings.store, settings.threads) as store:
        return publishing.preview(store, settings, period, because or {})


def approve(
    settings: Settings, period: Period, by: str, digest: str | None = None, remark: str = ""
) -> ApprovalSummary:
    """Note that a person approves the current preview of a month, ``digest`` naming it where it is given.

    Raises :class:`NothingReadError` where there is no preview, :class:`CheckError` where it is another one or leaves a
    question open or its files were altered, :class:`CommandLineError` where the name or the digest is none, or it is
    published already.
    """
    with open_store(settings.store, settings.threads) as store, store.transaction():
        return publishing.approve(store, settings, period, by, digest, remark)


def approved(settings: Settings, period: Period) -> ApprovalSummary:
    """Who approved the current preview of a month; :class:`NothingReadError` where there is none."""
    with open_store(settings.store, settings.threads) as store:
        return publishing.approved(store, settings, period)


def approvals_needed(settings: Settings) -> int:
    """How many different people have to approve a list before it is published."""
    return office.read(settings.home).approvals


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
            published = publishing.publish(store, settings, period, because or {}, hold=True, begun=beside.writing)
        except CheckError as stopped:
            done = [one.text() for one in (loaded, rated) if one is not None]
            raise type(stopped)("\n".join([*done, str(stopped)])) from None
        return RunSummary(loaded, rated, published)


class Beside:
    """What a run does beside its calculation, to the end of ``stack``: it keeps the load, and writes the tables."""

    def __init__(self, stack: ExitStack, store: Store, settings: Settings, period: Period) -> None:
        self._stack, self._store, self._settings, self._period = stack, store, settings, period
        self.meanwhile = Meanwhile(stack, store, period, office.read(settings.home).continue_from)
        self.writing: Writing | None = None
        self._load: Callable[[], LoadSummary] | None = None
        self._players: Callable[[], PlayersTold] | None = None
        self._received: Callable[[Store], LoadSummary] | None = None

    def receive(self, paths: Sequence[Path], received_on: date | None) -> None:
        """Load what is delivered; it is kept and told of once the month's inputs are read."""
        if paths:
            load = partial(loading.load, self._store, self._settings, paths, received_on)
            loaded, keep = self._store.held(load)
            # Whatever becomes of the rating, what was received stays.
            self._stack.callback(keep)
            self._received = partial(loading.kept_and_told, keep=keep, loaded=loaded)

    def inputs_read(self, inputs: MonthInputs) -> None:
        """Go on: nobody uses the store's own connection while the month is rated."""
        if self._received is not None:
            self._load = self.meanwhile.asked(self._received)
        self._players = self.meanwhile.asked(lambda _store: PlayersTold(inputs.players))

    def rated(self, inputs: MonthInputs, result: MonthResult) -> None:
        """Go on: the month's tables are written while the store gets them."""
        tables = partial(tables_of, inputs, result, self._players)
        begun = publishing.written_meanwhile(self._store, self._settings, self._period, tables)
        self.writing = self._stack.enter_context(begun)

    def load_told(self) -> LoadSummary | None:
        """What the load was, once it is in the store; None where nothing was delivered."""
        return self._load() if self._load else None


def quarantined(settings: Settings, period: Period | None = None) -> list[dict[str, object]]:
    """What is refused and what to do about it: in the store as it is, or by the calculation of a month."""
    with open_store(settings.store, settings.threads) as store:
        if period is None:
            return quarantine.in_store(store)
        if calculated.calculation(store, period) is None:
            raise NothingReadError(f"The list of {period} was not calculated yet: ratinglist rate {period}")
        return quarantine.of_month(store, period)
