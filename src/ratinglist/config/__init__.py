"""What an office chose: the settings of one command, and its ``office.toml``."""

from ratinglist.config.settings import (
    BUCKETS,
    ENGINES,
    MOST_BUCKETS,
    SEARCH,
    STORE,
    EngineChoice,
    Progress,
    Settings,
    Warn,
    silent,
    warn_on_stderr,
)

__all__ = [
    "BUCKETS",
    "ENGINES",
    "MOST_BUCKETS",
    "SEARCH",
    "STORE",
    "EngineChoice",
    "Progress",
    "Settings",
    "Warn",
    "silent",
    "warn_on_stderr",
]
