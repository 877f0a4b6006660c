"""``python -m tests.fuzz --inputs 1000000 --seed 1``: every reader against mutated files. Run by ``make fuzz``.

Prints a line for each reader; exits with 1 where anything crashed or hung, and prints where the inputs are kept.
"""

from __future__ import annotations

import argparse
import faulthandler
import sys

from tests.fuzz.campaign import Tally, campaign
from tests.fuzz.readers import READERS

COLUMNS = ("inputs", "accepted", "refused", "crashes", "hangs", "slowest s", "total s")


def main() -> None:
    """Run the campaign of the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--inputs", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--reader", action="append", help="only readers whose name has this in it; may be repeated")
    options = parser.parse_args()
    # Print a traceback also where a native library crashes.
    faulthandler.enable()
    readers = [one for one in READERS if not options.reader or any(word in one.name for word in options.reader)]
    _print(f"{'reader':<20}{'corpus':>16}" + "".join(f"{name:>11}" for name in COLUMNS))
    tallies = campaign(options.inputs, options.seed, _print_tally, readers)
    total = Tally("all", sum(one.corpus for one in tallies), sum(one.corpus_bytes for one in tallies))
    for one in tallies:
        total.inputs += one.inputs
        total.accepted += one.accepted
        total.seconds += one.seconds
        total.crashes += one.crashes
        total.hangs += one.hangs
        total.slowest = max(total.slowest, one.slowest)
    _print_tally(total)
    if failing := [*total.crashes, *total.hangs]:
        _print(f"{len(failing)} failing inputs are kept in {failing[0].parent}, each with its .why")
        sys.exit(1)


def _print_tally(tally: Tally) -> None:
    counts = (tally.inputs, tally.accepted, tally.refused, len(tally.crashes), len(tally.hangs))
    numbers = "".join(f"{count:>11,}" for count in counts)
    corpus = f"{tally.corpus} of {tally.corpus_bytes:,} B"
    _print(f"{tally.reader:<20}{corpus:>16}{numbers}{tally.slowest:>11.3f}{tally.seconds:>11.1f}")


def _print(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
