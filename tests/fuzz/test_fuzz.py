"""A small campaign of its own seed; `make fuzz` is the large one."""

from __future__ import annotations

import random

from tests.fuzz import campaign, readers, seeds
from tests.fuzz.mutator import mutated
from tests.fuzz.readers import Reader

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


def test_the_same_seed_gives_the_same_inputs():
    reader = readers.READERS[0]
    corpus = reader.seeds()
    assert campaign.batch_of(reader, 1, 2, 5, corpus) == campaign.batch_of(reader, 1, 2, 5, corpus)
    assert campaign.batch_of(reader, 1, 2, 5, corpus) != campaign.batch_of(reader, 2, 2, 5, corpus)


def test_a_mutant_differs_from_its_seed():
    corpus = seeds.manifests()
    made = [mutated(random.Random(number), corpus, ()) for number in range(50)]
    assert sum(one not in corpus for one in made) > 40


def test_a_crash_is_found_among_many_and_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(campaign, "_KEPT", [tmp_path])

    def breaks(inputs):
        if any(b"7" in one for one in inputs):
            raise ZeroDivisionError("seven")
        return len(inputs)

    tally = campaign.Tally("made up", 1, 1)
    reader = Reader("made up", 1, 100, list, (), breaks)
    campaign._read(reader, [b"%d" % number for number in range(17)], tally)
    kept = [path.read_bytes() for path in tally.crashes]
    reasons = [path.with_name(f"{path.name}.why").read_text() for path in tally.crashes]
    assert (kept, tally.accepted) == ([b"7"], 16)
    assert "ZeroDivisionError: seven" in reasons[0]
