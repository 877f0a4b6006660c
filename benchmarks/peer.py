"""One way to rate in a process of its own: ``python -m benchmarks.peer NAME FOLDER OUT [REPORTS LIST]``.

With the reports and the list it rates the whole month: it cuts them into the inputs of ``FOLDER`` first. Prints JSON:
the seconds on the wall and of the processor from the first byte read to the last one written. What the process spends
on importing its libraries is in :func:`benchmarks.measure.measure` alone.
"""

from __future__ import annotations

import json
import sys
from importlib import import_module
from pathlib import Path
from time import perf_counter, process_time

if __name__ == "__main__":
    name, folder, out, *month = sys.argv[1:]
    way = import_module(f"benchmarks.peers.{name}")
    began = perf_counter(), process_time()
    if month:
        import_module("benchmarks.kernel").write_inputs(*map(Path, month), Path(folder))
    way.rate(Path(folder), Path(out))
    print(json.dumps([perf_counter() - began[0], process_time() - began[1]]))
