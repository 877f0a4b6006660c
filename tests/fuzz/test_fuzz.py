"""A small campaign of its own seed; `make fuzz` is the large one."""

from __future__ import annotations

import pytest

from tests.fuzz import campaign, readers

QUICK = [reader for reader in readers.READERS if reader.name not in ("lists as text", "lists as CSV")]
"""Without the readers whose inputs cost a hundredth of a second each: of those, a few are enough here."""
SLOW = [reader for reader in readers.READERS if reader not in QUICK]


@pytest.mark.parametrize(("inputs", "of_readers"), [(1000, QUICK), (40, SLOW)], ids=["quick", "slow"])
def test_mutated_files_are_read_or_refused(inputs, of_readers):
    tallies = campaign.campaign(inputs, 7, lambda _tally: None, of_readers)
    failing = [path for tally in tallies for path in (*tally.crashes, *tally.hangs)]
    assert [path.with_name(f"{path.name}.why").read_text() for path in failing] == []
    assert sum(tally.inputs for tally in tallies) >= inputs
    assert all(tally.accepted + tally.refused == tally.inputs for tally in tallies)


def test_files_without_a_mutation_are_accepted():
    # A reader that refuses every input would find no fault.
    accepted = {reader.name: reader.read(reader.seeds()) for reader in readers.READERS}
    assert [name for name, count in accepted.items() if not count] == []
