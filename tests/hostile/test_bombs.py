"""Reading ten megabytes of any input takes at most five seconds and 1 GB; see :mod:`tests.hostile.bombs`."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tests.hostile.bombs import READERS

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 5
MEGABYTES = 1000


def stopped_in_time() -> None:
    # The limits of the child are wider than those of the test: they only protect the machine.
    resource.setrlimit(resource.RLIMIT_CPU, (600, 600))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


CAME = {
    "damaged lines and one of 200 rounds": "0 accepted, 90 refused, 0 problems",
    "one start number for all players": "0 accepted, 90 refused, 0 problems",
    "a long text in every row": "OfficialListError: a.parquet: it has a text of 50000 bytes",
    "a text in every row": "OfficialListError: a.parquet: refused, nothing of it was read. 150,001 problems:",
    "many rows in few bytes": "OfficialListError: a.parquet: it claims 3000000 rows",
}
"""What comes of some of them, from its beginning."""


@pytest.mark.long
@pytest.mark.parametrize("name", READERS)
def test_ten_megabytes_of_anything_cost_little(tmp_path, name):
    # To make a file may take more memory than to read it, which has a process of its own.
    done = subprocess.run(
        [sys.executable, "-m", "tests.hostile.bombs", name, str(READERS[name][0](tmp_path))],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)]), "POLARS_MAX_THREADS": "2"},
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=stopped_in_time,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    cost = json.loads(done.stdout)
    assert (cost["seconds"] <= SECONDS, cost["megabytes"] <= MEGABYTES) == (True, True), cost
    assert cost["came"].startswith(CAME.get(name, ""))
