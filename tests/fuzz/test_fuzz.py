"""A small campaign of its own seed; `make fuzz` is the large one."""

from __future__ import annotations

from tests.fuzz import campaign, readers

INPUTS = 1000
QUICK = [one for one in readers.READERS if one.name not in ("lists as text", "lists as CSV")]
"""Without the readers whose inputs cost a hundredth of a second each: of those, a few are enough here."""
SLOW = [one for one in readers.READERS if one not in QUICK]


def failing(tallies: list[campaign.Tally]) -> list[str]:
    return [path.with_name(f"{path.name}.why").read_text() for one in tallies for path in (*one.crashes, *one.hangs)]


def test_a_thousand_mutated_files_are_read_or_refused():
    tallies = campaign.campaign(INPUTS, 7, lambda _tally: None, QUICK)
    assert failing(tallies) == []
    assert sum(one.inputs for one in tallies) >= INPUTS
    assert all(one.accepted + one.refused == one.inputs for one in tallies)


def test_a_few_mutated_text_and_csv_lists_are_read_or_refused():
    assert failing(campaign.campaign(40, 7, lambda _tally: None, SLOW)) == []


def test_files_without_a_mutation_are_accepted():
    # A reader that refuses every input would find no fault.
    accepted = {one.name: one.read(one.seeds()) for one in readers.READERS}
    assert [name for name, count in accepted.items() if not count] == []
