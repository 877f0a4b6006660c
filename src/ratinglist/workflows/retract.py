"""The command `ratinglist retract`: undo an import, a load or a dismissal, as if it had never been made."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ratinglist.errors import CommandLineError, HomeError, NothingReadError
from ratinglist.files.durable_files import TEMPORARY_PREFIX
from ratinglist.home import originals
from ratinglist.home.history import KINDS, described
from ratinglist.home.log import Entry
from ratinglist.period import Period
from ratinglist.publication import answers
from ratinglist.settings import STORE, Settings
from ratinglist.store import calculations
from ratinglist.store.database import Store
from ratinglist.summaries import Summary
from ratinglist.workflows.opening import open_to_write
from ratinglist.workflows.replay import make_store


@dataclass(frozen=True, slots=True)
class RetractSummary(Summary):
    """A change that was undone. ``months``: the lists that were calculated from it, oldest first."""

    entry: int
    what: str
    months: list[str]

    def text(self) -> str:
        """Return what was undone, and what is to be done next."""
        lines = [f"Undone: entry {self.entry}: {self.what}.", "The files that were received are kept."]
        if self.months:
            named = ", ".join(self.months)
            lines.append(
                f"Lists that were calculated with it: {named}. What would change: ratinglist rerate --from "
                f"{self.months[0]} --preview"
            )
        return "\n".join(lines)


def retract(settings: Settings, number: int, because: str | None = None) -> RetractSummary:
    """Undo the import, the load or the dismissal with this number in the log. No list is calculated again.

    ``because``: the reason, kept in the log; None: none is given. Raises :class:`NothingReadError` where there is no
    such entry, :class:`CommandLineError` where it is of another kind, was undone before, or a list stands on it, and
    where another change would not be possible without it; then nothing is changed.
    """
    with open_to_write(settings) as store:
        entry = _entry(store, number)
        reason = "" if because is None else _checked(store, settings, because)
        _check_nothing_stands_on_it(store, entry)
        facts: dict[str, object] = {"entry_retracted": number, "reason": reason}
        months = _lists_made_from(store, entry)
        if not KINDS[entry.kind].makes_store:
            store.record("retract", settings.today, **facts)
            return RetractSummary(number, described(entry), months)
        made = settings.home / f"{TEMPORARY_PREFIX}retract-{STORE}"
        try:
            _make_without(store, settings, facts, made)
            store.replace_facts(made, "retract", settings.today, **facts)
        finally:
            made.unlink(missing_ok=True)
        return RetractSummary(number, described(entry), months)


def _checked(store: Store, settings: Settings, because: str) -> str:
    what = "the reason, or leave the option out"
    return answers.checked(store, settings, Period.of(settings.today), because, "--because", what)


def _entry(store: Store, number: int) -> Entry:
    entries = store.log.entries
    if not 1 <= number <= len(entries):
        raise NothingReadError(f"The log has no entry {number}. See what was done: ratinglist log")
    entry = entries[number - 1]
    if not KINDS[entry.kind].can_be_undone:
        raise CommandLineError(
            f"Entry {number} cannot be undone: {described(entry)}. Only an import, a load and a dismissal can. A "
            "published list is taken back with ratinglist rollback, a correction with another correction."
        )
    if number in store.log.history.retracted:
        raise CommandLineError(f"Entry {number} was undone before: nothing was changed.")
    return entry


def _check_nothing_stands_on_it(store: Store, entry: Entry) -> None:
    """Raise :class:`CommandLineError` where lists were calculated from an imported list."""
    if entry.kind != "import-list":
        return
    if later := calculations.months_from(store, Period.parse(entry.facts["month"]) + 1):
        raise CommandLineError(
            f"Entry {entry.number} cannot be undone: the list of {later[0]} was calculated from the list of "
            f"{entry.facts['month']}. Nothing was changed. To start from another list, make a new home."
        )


def _lists_made_from(store: Store, entry: Entry) -> list[str]:
    """Return the months of the calculations that were made from the originals of an entry."""
    digests = [path.name for path in originals.delivered(store.home, entry)]
    rows = store.read(
        "select distinct month from calculation_input where digest in (select unnest($digests::varchar[])) order by 1",
        digests=digests,
    )
    return rows["month"].to_list()


def _make_without(store: Store, settings: Settings, facts: dict[str, object], made: Path) -> None:
    """Make the store without the entry at ``made``.

    Raises :class:`CommandLineError` where another change is not possible without it.
    """
    with store.log.supposing("retract", settings.today, facts):
        try:
            make_store(store.log, settings, made)
        except HomeError as error:
            raise CommandLineError(
                f"Entry {facts['entry_retracted']} cannot be undone, because a later change stands on it. Undo that "
                f"one first. {error}"
            ) from None
