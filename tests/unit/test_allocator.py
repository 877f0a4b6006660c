"""Polars and DuckDB keep freed memory for the next step instead of returning it to the system at once."""

from __future__ import annotations

import subprocess
import sys

from ratinglist.cli import main


def test_a_variable_that_is_already_set_is_kept() -> None:
    environment = {"_RJEM_MALLOC_CONF": "dirty_decay_ms:0", "HOME": "/home/office"}
    main.keep_freed_memory(environment)
    assert environment.pop("DUCKDB_JE_MALLOC_CONF") == "dirty_decay_ms:2000,muzzy_decay_ms:2000"
    assert environment == {"_RJEM_MALLOC_CONF": "dirty_decay_ms:0", "HOME": "/home/office"}


def test_the_command_line_sets_the_variables_before_it_imports_a_library() -> None:
    program = (
        "import os, sys; from ratinglist.cli import main\n"
        "def keep(environment): print(sorted({'polars', 'duckdb'} & set(sys.modules)))\n"
        "main.keep_freed_memory = keep; sys.argv = ['ratinglist', 'rules']; main.main()"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ended.stdout.startswith("[]\n")
