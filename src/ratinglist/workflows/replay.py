"""Make the changes again that a journal records, in an empty home, by the functions that made them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import groupby

import ratinglist
from ratinglist import office
from ratinglist.config import Settings
from ratinglist.errors import AlteredError, HomeError, RatinglistError
from ratinglist.office import Office
from ratinglist.period import Period
from ratinglist.publication import answers, approvals, drafts, release, rollback_log
from ratinglist.publication.approvals import Preview
from ratinglist.publication.home import open_to_write
from ratinglist.store import archive, dismissals, journal
from ratinglist.store.database import Store
from ratinglist.store.journal import Entry, ReplayError
from ratinglist.workflows import correct, import_files, import_references, load, rate, rerate, rollback, sign, tidy


def replay(settings: Settings, entries: Sequence[Entry]) -> None:
    """Make the changes of ``entries`` again, in order, in the home of ``settings``.

    Each change is made on its day, with the choices and the family of its day. Nothing is signed. Raises
    :class:`HomeError`, naming the entry, where a change gives another result than the recorded one, and
    :class:`~ratinglist.errors.AlteredError` where an archived file is missing or was altered.
    """
    done = 0
    # A rollback opens the store itself.
    for is_rollback, group in groupby(entries, key=lambda entry: entry.kind == "rollback"):
        some = list(group)
        if is_rollback:
            for entry in some:
                with _named(entry):
                    _roll_back(_settings_of(settings, entry), entry)
        else:
            with open_to_write(settings) as store:
                for entry in some:
                    settings.progress("making the changes again", done, len(entries))
                    with _named(entry):
                        _CHANGES[entry.kind](store, _settings_of(settings, entry), entry)
                    done += 1


@contextmanager
def _named(entry: Entry) -> Iterator[None]:
    """Replay one entry inside the block; raise :class:`HomeError`, naming it, where it gives another result."""
    try:
        with journal.replaying(entry):
            yield
    except AlteredError:
        raise
    except (ReplayError, RatinglistError) as error:
        version = ""
        if entry.version != ratinglist.__version__:
            version = (
                f" Version {entry.version} of ratinglist made it, and this is {ratinglist.__version__}: install that "
                "version and rebuild with it."
            )
        raise HomeError(
            f"Entry {entry.number} of the journal ({entry.kind} {entry.facts.get('month', '')}, {entry.day}) gives "
            f"another result: {error}.{version} Nothing was changed."
        ) from None


def _settings_of(settings: Settings, entry: Entry) -> Settings:
    """Return the settings that the change was made with."""
    family = entry.facts.get("family", settings.family)
    return replace(settings, family=family, today=entry.day or settings.today, choices=_choices_of(settings, entry))


def _choices_of(settings: Settings, entry: Entry) -> Office:
    """Return the choices of the office at that time, but for the keys: signatures were checked when they were given."""
    if not entry.office:
        return Office()
    path = archive.input_file(settings.home, entry.office, f"{office.NAME} of {entry.day}")
    choices = office.parse(path.read_text(encoding="utf-8"))
    without_keys = tuple(replace(one, key="") for one in choices.approvers)
    return replace(choices, publication=replace(choices.publication, signing_key=""), approvers=without_keys)


def _calculate(store: Store, settings: Settings, entry: Entry) -> None:
    rate.calculate(store, settings, Period.parse(entry.facts["month"]))


def _answer(store: Store, settings: Settings, entry: Entry) -> None:
    with store.transaction():
        answers.insert_answer(store, settings.today, **entry.facts)
        journal.note(store, entry.kind, settings.today, **entry.facts)


def _preview(store: Store, settings: Settings, entry: Entry) -> None:
    """Insert the row of a preview; its files are made again by the command that needs them."""
    period = Period.parse(entry.facts["month"])
    with store.transaction():
        approvals.note_preview(store, period, Preview.of_facts(entry.facts), settings.today)
        journal.note(store, entry.kind, settings.today, **entry.facts)


def _approve(store: Store, settings: Settings, entry: Entry) -> None:
    facts = entry.facts
    with store.transaction():
        period, signature = Period.parse(facts["month"]), facts.get("signature", "")
        approvals.insert(store, period, facts["manifest"], facts["name"], facts["remark"], settings.today, signature)
        journal.note(store, entry.kind, settings.today, **facts)


def _dismiss(store: Store, settings: Settings, entry: Entry) -> None:
    dismissals.insert(store, settings.today, **entry.facts)


def _publish(store: Store, settings: Settings, entry: Entry) -> None:
    drafts.publish(store, settings, Period.parse(entry.facts["month"]), {})


def _write_statuses(store: Store, settings: Settings, _entry: Entry) -> None:
    release.write_statuses(store, settings)


def _roll_back(settings: Settings, entry: Entry) -> None:
    facts = entry.facts
    to = f"r{facts['to_revision']}" if facts["to_revision"] != rollback_log.WITHDRAWN else None
    rollback.rollback(settings, Period.parse(facts["month"]), facts["reason"], facts["who"], to)


_CHANGES: dict[str, Callable[[Store, Settings, Entry], object]] = {
    "import-list": import_files.import_recorded,
    "import-players": import_files.import_recorded,
    "import-reference": import_references.import_recorded,
    "load": load.load_recorded,
    "correct": correct.correct_recorded,
    "calculate": _calculate,
    "answer": _answer,
    "preview": _preview,
    "approve": _approve,
    "publish": _publish,
    "statuses": _write_statuses,
    "dismiss": _dismiss,
    "sign": sign.sign_recorded,
    "revise": rerate.revise_recorded,
    "tidy": tidy.tidy_recorded,
}
