"""What a run leaves on the dashboard; its trouble never stops a list."""

from __future__ import annotations

import re

from prefect import get_run_logger
from prefect.artifacts import create_markdown_artifact

from ratinglist.safe_text import visible
from ratinglist.settings import Settings


def keep(settings: Settings, what: str, markdown: str, description: str) -> None:
    """Keep a page. ``what``: its kind and month."""
    key = key_of(settings, what)
    try:
        create_markdown_artifact(markdown, key=key, description=description)
    except Exception as error:  # whatever it is: an ornament is missing, and the log states which one
        get_run_logger().warning("The artifact %s was not kept on the dashboard: %s", key, visible(repr(error)))


def key_of(settings: Settings, what: str) -> str:
    """Return the key of an artifact: the name of the home, the rule family, and ``what`` it is.

    One server may have several offices, and an artifact is found by its key.
    """
    # Prefect allows only these characters.
    return re.sub("[^a-z0-9]+", "-", f"{settings.home.resolve().name} {settings.family} {what}".lower()).strip("-")
