"""Say what an entry of the log records, in an officer's words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ratinglist.home.history import WITHDRAWN

if TYPE_CHECKING:
    from ratinglist.home.log import Entry


def described(entry: Entry) -> str:
    """Return what an entry records, as a sentence without its full stop."""
    facts, kind = entry.facts, entry.kind
    if kind == "import-list":
        return f"The list of {facts['month']} was imported from {facts['file']}"
    if kind == "import-players":
        return f"Players were registered or changed from {facts['file']}"
    if kind == "import-reference":
        return f"The reference list of {facts['month']} was imported from {facts['file']}"
    if kind == "load":
        return f"{_counted(facts['reports'], 'report')} loaded, received on {facts['received_on']}"
    if kind == "correct":
        return f"{_counted(len(facts['first_months']), 'correction')} applied from {facts['file']}"
    if kind == "calculate":
        return f"The list of {facts['month']} was calculated ({facts['family']})"
    if kind == "dismiss":
        return (
            f"A refused report was set aside: {facts['reason']}" if facts["reason"] else "A report was taken up again"
        )
    if kind == "answer":
        return f"A reason was given for {_listed(one['question'] for one in facts['answers'])}"
    if kind == "preview":
        return f"The preview of {_listed(one['month'] for one in facts['previews'])} was made"
    if kind == "approve":
        who = _listed(dict.fromkeys(one["name"] for one in facts["approvals"]))
        return f"The list of {_listed(one['month'] for one in facts['approvals'])} was approved by {who}"
    if kind == "rollback":
        return _rolled_back(facts)
    if kind == "sign":
        names = [f"r{number}" for number in facts["revisions"]]
        return f"The list of {facts['month']} ({_listed(names)}) was signed" if names else "The index was signed"
    if kind == "letters":
        return f"{_counted(len(facts['sent']), 'letter')} sent on the list of {facts['month']}"
    if kind == "retract":
        return f"Entry {facts['entry_retracted']} was undone" + (f": {facts['reason']}" if facts["reason"] else "")
    if published := facts.get("published"):
        names = [f"{one['month']} (r{one['revision']})" for one in published]
        again = "calculated again and " if kind == "revise" else ""
        return f"The list of {_listed(names)} was {again}published"
    return "The status of all events was published"


def _rolled_back(facts: Any) -> str:
    month, before, after = facts["month"], facts["from_revision"], facts["to_revision"]
    if after == WITHDRAWN:
        return f"The list of {month} (r{before}) was withdrawn: {facts['reason']}"
    return f"The list of {month} was rolled back from r{before} to r{after}: {facts['reason']}"


def _counted(number: int, what: str) -> str:
    return f"1 {what} was" if number == 1 else f"{number:,} {what}s were"


def _listed(names: Any) -> str:
    *others, last = list(names)
    return f"{', '.join(others)} and {last}" if others else last
