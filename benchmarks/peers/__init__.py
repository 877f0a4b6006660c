"""The same games rated by others, each way in a module of its own with ``rate(folder, out)``.

``folder`` is what :mod:`benchmarks.kernel` writes, ``out`` the Parquet file to write. ``program``, ``duckdb_sql``,
``pandas_frames`` and ``c_loop`` apply the same rule and have to write the same rows. ``elo_plain``, ``elo_riix``,
``elo_elote`` and ``elo_skelo`` compute generic Elo: the rating goes with every game, by the formula, in floating point.
"""

from __future__ import annotations

import os
import shutil


def c_compiler() -> str | None:
    """The C compiler there is: ``CC``, else ``cc``."""
    return shutil.which(os.environ.get("CC", "cc"))
