"""What people have typed since the newest list was published: the last look at a slip before it is public.

Corrections, rollbacks, what was undone and what was set aside raise no question where they are in the list. The report
of a preview and the publication show them, each with the command that undoes it.
"""

from __future__ import annotations

from collections.abc import Iterator

from ratinglist.home.kinds import WITHDRAWN, described
from ratinglist.home.log import Entry
from ratinglist.store.database import Store

_WHY = '--because "..."'


def typed(store: Store) -> list[str]:
    """Return a line for each correction, rollback, retraction and dismissal since the newest published list.

    Each names the day, who typed it, what it did, and what undoes it. An entry that was undone since is left out.
    """
    log = store.log
    newest = max((one.entry for one in log.history.publications if one.revision), default=0)
    corrections = sum(len(one.facts["first_months"]) for one in log.entries[:newest] if one.kind == "correct")
    lines = []
    for entry in log.entries[newest:]:
        if entry.number in log.history.retracted:
            continue
        by = f", {entry.by}" if entry.by else ""
        lines += [f"{entry.day}{by}: {what}. To undo it: {undo}" for what, undo in _parts(store, entry, corrections)]
        if entry.kind == "correct":
            corrections += len(entry.facts["first_months"])
    return lines


def _parts(store: Store, entry: Entry, corrections: int) -> Iterator[tuple[str, str]]:
    """Yield what an entry did and what undoes it; nothing for an entry of another kind.

    ``corrections``: how many corrections there were before it.
    """
    facts = entry.facts
    if entry.kind == "correct":
        for number, what in enumerate(facts.get("made", ()), corrections + 1):
            is_undo = what.startswith("correction ")
            yield what, "correct it again" if is_undo else f"ratinglist correct undo {number} {_WHY} --by NAME"
    elif entry.kind == "rollback":
        before = facts["from_revision"]
        revision = "none" if before == WITHDRAWN else f"r{before}"
        yield described(entry), f"ratinglist rollback {facts['month']} --to {revision} {_WHY}"
    elif entry.kind == "dismiss":
        what = f"was set aside: {facts['reason']}" if facts["reason"] else "was taken up again"
        yield f"the report {_file_of(store, facts['report_id'])} {what}", f"ratinglist retract {entry.number}"
    elif entry.kind == "retract":
        undone = store.log.entries[facts["entry_retracted"] - 1]
        yield f"undone was entry {undone.number}: {described(undone)}", "give that command again"


def _file_of(store: Store, report_id: str) -> str:
    found = store.read("select file_name from report where report_id = $id", id=report_id)
    return str(found.item()) if len(found) else report_id
