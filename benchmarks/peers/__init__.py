"""Other implementations that rate the same games, each a module with ``rate(folder, out)``.

``folder`` contains the files of :mod:`benchmarks.kernel`; ``out`` is the Parquet file to write. ``program``,
``polars_frames``, ``duckdb_sql``, ``pandas_frames`` and ``c_loop`` apply the same rule and must write the same rows.
``elo_plain``, ``elo_riix``, ``elo_elote`` and ``elo_skelo`` compute generic Elo: the rating changes with every game, by
the formula, in floating point.
"""

from __future__ import annotations

import os
import shutil


def c_compiler() -> str | None:
    """Return the path of the C compiler: ``CC``, else ``cc``; None if there is none."""
    return shutil.which(os.environ.get("CC", "cc"))
