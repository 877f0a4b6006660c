"""A small campaign of its own seed; `make fuzz` is the large one."""

from __future__ import annotations

import pytest

from tests.fuzz import campaign, readers

QUICK = [one for one in readers.READERS if one.name not in ("lists as text", "lists as CSV")]
"""Without the readers whose inputs cost a hundredth of a second each: of those, a few are enough here."""
SLOW = [one for one in readers.READERS if one not in QUICK]


@pytest.mark.parametrize(("inputs", "of_readers"), [(1000, QUICK), (40, SLOW)], ids=["quick", "slow"])
def test_mutated_files_are_read_or_refused(inputs, of_readers):
    tallies = campaign.campaign(inputs, 7, lambda _tally: None, of_readers)
    failing = [path for one in tallies for path in (*one.crashes, *one.hangs)]
    assert [path.with_name(f"{path.name}.why").read_text() for path in failing] == []
    assert sum(one.inputs for one in tallies) >= inputs
    assert all(one.accepted + one.refused == one.inputs for one in tallies)


def test_files_without_a_mutation_are_accepted():
    # A reader that refuses every input would find no fault.
    accepted = {one.name: one.read(one.seeds()) for one in readers.READERS}
    assert [name for name, count in accepted.items() if not count] == []
