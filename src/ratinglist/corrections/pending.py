"""Find what is not in the lists yet: corrections applied, and rule files changed, since a list was calculated."""

from __future__ import annotations

import json

from ratinglist.period import Period
from ratinglist.rating.rules import RuleBook
from ratinglist.store.database import Store


def pending_changes(store: Store, rules: RuleBook, before: Period) -> list[str]:
    """Return what the lists before a month were calculated without: a sentence each, with the command to run."""
    return [*_corrections(store, before), *_rule_files(store, rules, before)]


def pending_corrections_of_event(store: Store, event_id: str) -> list[str]:
    """Return the corrections of an event that no list was calculated with, as :func:`pending_changes` does."""
    return _corrections(store, None, event_id)


def _corrections(store: Store, before: Period | None, event_id: str | None = None) -> list[str]:
    """Return the corrections that the first list they change was calculated without.

    A correction that was applied and undone since changes nothing.
    """
    found = store.read(
        """
        with newest as (
            select month, arg_max(last_correction, calculation_no) as last_correction
            from calculation_made group by month
        )
        select made.correction_no, made.first_month
        from correction as made
        join newest on newest.month = made.first_month
        left join correction as undone on undone.correction_no = made.undoes
        where ($before is null or made.first_month < $before)
            and ($code is null or coalesce(made.event_id, undone.event_id) = $code)
            and made.correction_no > last_correction
            and (made.undoes is null or made.undoes <= last_correction)
            and made.correction_no not in (select undoes from correction where undoes is not null)
        order by made.correction_no
        """,
        before=str(before) if before else None,
        code=event_id,
    )
    if found.is_empty():
        return []
    numbers = found["correction_no"].to_list()
    corrections = (
        f"correction {numbers[0]} is" if len(numbers) == 1 else f"corrections {', '.join(map(str, numbers))} are"
    )
    first = found["first_month"].sort().item(0)
    return [f"{corrections} not in the lists yet, which may change from {first} on: ratinglist rerate --from {first}"]


def _rule_files(store: Store, rules: RuleBook, before: Period) -> list[str]:
    """Return the rule files that a list was calculated by and that changed since, or were removed."""
    now = {one.name: one.digest for one in rules.rule_sets}
    made = store.read(
        "select month, rule_sets from standing_calculation where month < $before order by month desc",
        before=str(before),
    )
    # The first list of each file: the months come from the newest back.
    first: dict[str, str] = {}
    for month, rule_sets in made.iter_rows():
        for rule_set in json.loads(rule_sets):
            if now.get(rule_set["name"]) != rule_set["sha256"]:
                first[rule_set["name"]] = month
    return [
        f"the list of {month} was calculated by the rule file {name}, which changed since: "
        f"ratinglist rerate --from {month}"
        for name, month in sorted(first.items())
    ]
