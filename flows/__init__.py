"""Run the workflows under Prefect: retries, a schedule, artifacts, a wait for people, and news of lists; nothing else.

Prefect reports usage to its makers unless two environment variables are set before it is imported. They are set here,
because every flow imports this package first. Set them yourself beforehand to choose otherwise.
"""

from __future__ import annotations

import os

os.environ.setdefault("DO_NOT_TRACK", "1")
os.environ.setdefault("PREFECT_SERVER_ANALYTICS_ENABLED", "false")
