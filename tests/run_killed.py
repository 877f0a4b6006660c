"""Runs a month of the sample and is killed by the system at one step of writing.

``python -m tests.run_killed HOME MONTH STEP``: step 0 is never killed and prints how many there are. A step is whatever
Python does to the disk under HOME (see :mod:`tests.publication_killed`), from the first report archived to ``latest``.
"""

from __future__ import annotations

import sys
from pathlib import Path

from ratinglist.period import Period
from ratinglist.workflows import run
from tests.conftest import SAMPLE, office
from tests.publication_killed import KillAtStep


def main(home: Path, month: str, at: int) -> None:
    """Run the month; the process ends at step ``at``."""
    killer = KillAtStep(home, at)
    killer.watch()
    run.run(office(home), Period.parse(month), [SAMPLE / "reports" / month])
    sys.stdout.write(f"{killer.steps}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
