"""Prefect around the program: retries, a schedule and artifacts; nothing else.

Prefect reports usage to its makers unless told not to before it is imported, so the two switches stand here, where
every flow of this package passes first. Whoever wants otherwise sets them beforehand.
"""

from __future__ import annotations

import os

os.environ.setdefault("DO_NOT_TRACK", "1")
os.environ.setdefault("PREFECT_SERVER_ANALYTICS_ENABLED", "false")
