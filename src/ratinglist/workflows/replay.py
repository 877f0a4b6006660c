"""Make again what a log records, by the functions that made it: the store, and in a rebuild everything else too."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import ratinglist
from ratinglist import office
from ratinglist.errors import AlteredError, HomeError, RatinglistError
from ratinglist.files.durable_files import TEMPORARY_PREFIX, made_private, remove, synced, withheld
from ratinglist.home import originals
from ratinglist.home.history import KINDS, described
from ratinglist.home.log import Entry, Log, ReplayError
from ratinglist.office import Office
from ratinglist.period import Period
from ratinglist.publication import drafts
from ratinglist.settings import Settings
from ratinglist.store.database import Store
from ratinglist.workflows import correct, import_files, load, month, rerate, rollback

_Change = Callable[[Store, Settings, Entry], object]


def make_store(log: Log, settings: Settings, path: Path) -> None:
    """Make the store at ``path`` from the log and the originals, and put it in its place by one rename.

    Raises :class:`HomeError`, naming the entry, where a delivery gives another result than the recorded one, and
    :class:`~ratinglist.errors.AlteredError` where an original is missing or was altered; then nothing has changed.
    """
    temporary = path.with_name(f"{TEMPORARY_PREFIX}made-{path.name}")
    remove(temporary)
    own = Log(log.home, is_written=False)
    try:
        with made_private(withheld(path.parent)):
            store = Store(own, temporary, settings.threads, is_scratch=True, only_facts=True)
        try:
            for done, entry in enumerate(log.entries):
                settings.progress("making the store again", done, len(log.entries))
                if KINDS[entry.kind].makes_store and entry.number not in log.history.retracted:
                    _make_again(store, settings, entry, _FACTS[entry.kind])
                else:
                    own.push(entry)
        finally:
            store.close()
        remove(Path(f"{path}.wal"))
        temporary.replace(path)
        synced(path.parent)
    finally:
        remove(temporary)


def make_everything(log: Log, settings: Settings, scratch: Path) -> None:
    """Make all recorded changes again in ``scratch``, an empty home: store, calculations and what is published.

    Each change is made on its day, with the choices and the family of its day. Nothing is signed, and no preview is
    made. Raises what :func:`make_store` raises.
    """
    own, there = Log(scratch, is_written=False), replace(settings, home=scratch)
    store = Store(own, there.store, settings.threads, is_scratch=True)
    try:
        for done, entry in enumerate(log.entries):
            settings.progress("making the changes again", done, len(log.entries))
            if change := _FACTS.get(entry.kind) or _CHANGES.get(entry.kind):
                _make_again(store, there, entry, change)
            else:
                own.push(entry)
                store.refresh()
            if entry.kind == "retract":
                store.close()
                make_store(own, there, there.store)
                store = Store(own, there.store, settings.threads, is_scratch=True)
    finally:
        store.close()


def _make_again(store: Store, settings: Settings, entry: Entry, change: _Change) -> None:
    with _named(entry), store.log.replaying(entry):
        change(store, _settings_of(settings, entry), entry)


@contextmanager
def _named(entry: Entry) -> Iterator[None]:
    """Raise :class:`HomeError`, naming the entry, where the block gives another result than the recorded one."""
    try:
        yield
    except AlteredError:
        raise
    except (ReplayError, RatinglistError) as error:
        version = ""
        if entry.version != ratinglist.__version__:
            version = (
                f" Version {entry.version} of ratinglist made it, and this is {ratinglist.__version__}: install that "
                "version and give the command again with it."
            )
        raise HomeError(
            f"Entry {entry.number} of the log ({described(entry)}, {entry.day}) gives another result when it is made "
            f"again: {error}.{version} Nothing was changed."
        ) from None


def _settings_of(settings: Settings, entry: Entry) -> Settings:
    family = entry.facts.get("family", settings.family)
    return replace(settings, family=family, today=entry.day, choices=_choices_of(settings, entry))


def _choices_of(settings: Settings, entry: Entry) -> Office:
    """Return the choices of the office at that time, but for the keys: signatures were checked when they were given."""
    if not entry.office:
        return Office()
    path = originals.checked(settings.home, entry.office, f"{office.NAME} of {entry.day}")
    choices = office.parse(path.read_text(encoding="utf-8"))
    without_keys = tuple(replace(one, key="") for one in choices.approvers)
    return replace(choices, publication=replace(choices.publication, signing_key=""), approvers=without_keys)


def _calculate(store: Store, settings: Settings, entry: Entry) -> None:
    month.calculate(store, settings, Period.parse(entry.facts["month"]))


def _reasons(entry: Entry) -> Mapping[str, str]:
    return {one["question"]: one["reason"] for one in entry.facts.get("answers", ())}


def _publish(store: Store, settings: Settings, entry: Entry) -> None:
    (one,) = entry.facts["published"]
    drafts.publish(store, settings, Period.parse(one["month"]), _reasons(entry))


def _revise(store: Store, settings: Settings, entry: Entry) -> None:
    months = [Period.parse(month) for month in entry.facts["months"]]
    rerate.revise(store, settings, Period.parse(entry.facts["start"]), months, _reasons(entry), entry.facts.get("land"))


def _roll_back(store: Store, settings: Settings, entry: Entry) -> None:
    facts = entry.facts
    to = f"r{facts['to_revision']}" if facts["to_revision"] else None
    rollback.roll_back(store, settings, Period.parse(facts["month"]), facts["reason"], facts["who"], to)


_FACTS: dict[str, _Change] = {
    "import-list": import_files.import_recorded,
    "import-players": import_files.import_recorded,
    "import-reference": import_files.import_recorded,
    "load": load.load_recorded,
    "correct": correct.correct_recorded,
}
"""What makes the facts of an entry again."""
_CHANGES: dict[str, _Change] = {
    "calculate": _calculate,
    "publish": _publish,
    "statuses": lambda store, settings, _: drafts.write_statuses(store, settings),
    "rollback": _roll_back,
    "revise": _revise,
}
"""What makes the files of an entry again. Of the other kinds there is nothing but the entry."""
