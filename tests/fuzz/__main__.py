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
    readers = [
        reader for reader in READERS if not options.reader or any(word in reader.name for word in options.reader)
    ]
    sys.stdout.write(f"{'reader':<20}{'corpus':>16}" + "".join(f"{name:>11}" for name in COLUMNS) + "\n")
    tallies = campaign(options.inputs, options.seed, _print_tally, readers)
    if failing := [path for tally in tallies for path in (*tally.crashes, *tally.hangs)]:
        sys.stdout.write(f"{len(failing)} failing inputs are kept in {failing[0].parent}, each with its .why\n")
        sys.exit(1)


def _print_tally(tally: Tally) -> None:
    counts = (tally.inputs, tally.accepted, tally.refused, len(tally.crashes), len(tally.hangs))
    numbers = "".join(f"{count:>11,}" for count in counts)
    corpus = f"{tally.corpus} of {tally.corpus_bytes:,} B"
    sys.stdout.write(f"{tally.reader:<20}{corpus:>16}{numbers}{tally.slowest:>11.3f}{tally.seconds:>11.1f}\n")


if __name__ == "__main__":
    main()
