"""Run the workflows under Prefect: retries, a schedule, artifacts, a wait for people, and news of lists; nothing else.

Prefect comes with the extra ``flows``; without it the import ends with exit code 2 and the line that installs it.
Prefect reports usage to its makers unless two environment variables are set before it is imported. They are set here,
because every flow imports this package first. Set them yourself beforehand to choose otherwise.
"""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path

os.environ.setdefault("DO_NOT_TRACK", "1")
os.environ.setdefault("PREFECT_SERVER_ANALYTICS_ENABLED", "false")

# Prefect keeps refused reports and lists that nobody has approved there, and would let every account read them.
if _folder := os.environ.get("PREFECT_HOME"):
    Path(_folder).mkdir(mode=0o700, parents=True, exist_ok=True)

# Found and not imported: some programs set more of Prefect's environment first.
if find_spec("prefect") is None:
    from ratinglist.errors import MissingExtraError

    missing = MissingExtraError("prefect", "flows")
    sys.stderr.write(f"ratinglist: {missing}\n")
    sys.exit(missing.exit_code)
