"""Make again what a log records, by the functions that made it: the store, and in a rebuild everything else too."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import ratinglist
from ratinglist import office
from ratinglist.errors import AlteredError, HomeError, RatinglistError
from ratinglist.files.durable_files import close, link, put_in_place, remove, withheld, work_file
from ratinglist.home import originals
from ratinglist.home.history import described
from ratinglist.home.log import Entry, Log, ReplayError
from ratinglist.office import Office
from ratinglist.period import Period
from ratinglist.publication import drafts
from ratinglist.settings import Settings
from ratinglist.store.database import Store
from ratinglist.workflows import correct, import_files, load, month, rerate, undo

_Change = Callable[[Store, Settings, Entry], object]


def make_store(log: Log, settings: Settings, path: Path, known: int = 0) -> None:
    """Make the store of a log at ``path``, in a private folder, or nothing there.

    ``known``: how many of its entries the store of the home was made from; those are not made again. Raises what
    :func:`replay` raises.
    """
    remove(path)
    in_memory = Log.of(log.home, log.entries[:known], is_written=False)
    try:
        if known:
            shutil.copyfile(settings.store, path)
        replay(log.entries[known:], settings, in_memory, path, log.history.retracted)
        close(path, withheld(settings.home))
    except BaseException:
        remove(path)
        raise


def put_store_in_place(log: Log, settings: Settings, known: int = 0) -> None:
    """Make the store of a log, for a command that has the home, and let it take the place of the one that is there.

    ``known``: as of :func:`make_store`, which raises what this raises.
    """
    made = work_file(settings.home)
    make_store(log, settings, made, known)
    remove(Path(f"{settings.store}.wal"))
    put_in_place(made, settings.store)
    remove(made.parent)


def replay(
    entries: Sequence[Entry], settings: Settings, log: Log, path: Path, undone: Collection[int] | None = None
) -> None:
    """Make recorded changes again: each on its day, with the choices and the family of its day.

    ``log``: of the home with the originals; the entries are added to it in memory. ``path``: of the store, which is
    made where it is missing. ``undone``: the entries whose facts are left out; then the store alone is made again, else
    calculations and what is published too, in the home of the log. Nothing is signed, and no preview is made. Raises
    :class:`HomeError`, naming the entry, where a change gives another result than the recorded one, and
    :class:`~ratinglist.errors.AlteredError` where an original is missing or was altered.
    """
    only_facts = undone is not None
    changes = _FACTS if only_facts else {**_FACTS, **_CHANGES}
    store = Store(log, path, settings.threads, is_scratch=True, only_facts=only_facts)
    try:
        for done, entry in enumerate(entries):
            settings.progress("making the changes again", done, len(entries))
            if entry.kind in changes and entry.number not in (undone or ()):
                with _named(entry), log.replaying(entry):
                    changes[entry.kind](store, _settings_of(settings, entry), entry)
            else:
                log.push(entry)
                store.refresh()
            if entry.kind == "retract" and not only_facts:
                store.close()
                make_store(log, settings, path)
                store = Store(log, path, settings.threads, is_scratch=True)
    finally:
        store.close()


def replay_all(entries: Sequence[Entry], settings: Settings, scratch: Path, files: Mapping[Path, Path]) -> Settings:
    """Make everything again that the entries record, in the empty folder ``scratch``, and return its settings.

    ``files``: the file of each original, by its path below the home. Raises what :func:`replay` raises.
    """
    for name, source in files.items():
        (scratch / name).parent.mkdir(exist_ok=True)
        link(source, scratch / name)
    there = replace(settings, home=scratch)
    replay(entries, there, Log(scratch, is_written=False), there.store)
    return there


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
    without_keys = tuple(replace(approver, key="") for approver in choices.approvers)
    return replace(choices, publication=replace(choices.publication, signing_key=""), approvers=without_keys)


def _calculate(store: Store, settings: Settings, entry: Entry) -> None:
    period, start = (Period.parse(entry.facts[name]) for name in ("month", "rated_from"))
    month.calculate(store, settings, period, start)


def _reasons(entry: Entry) -> Mapping[str, str]:
    return {one["question"]: one["reason"] for one in entry.facts.get("answers", ())}


def _publish(store: Store, settings: Settings, entry: Entry) -> None:
    (published,) = entry.facts["published"]
    month.publish(store, settings, month.check(store, settings, Period.parse(published["month"]), _reasons(entry)))


def _revise(store: Store, settings: Settings, entry: Entry) -> None:
    months = [Period.parse(month) for month in entry.facts["months"]]
    rerate.revise(store, settings, Period.parse(entry.facts["start"]), months, _reasons(entry), entry.facts.get("land"))


def _roll_back(store: Store, settings: Settings, entry: Entry) -> None:
    facts = entry.facts
    to = f"r{facts['to_revision']}" if facts["to_revision"] else None
    undo.roll_back(store, settings, Period.parse(facts["month"]), facts["reason"], facts["who"], to)


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
