"""What an office chose: the settings of one command, and its ``office.toml``."""

from ratinglist.config.settings import (
    BUCKETS,
    ENGINES,
    LOG,
    MOST_BUCKETS,
    PUBLISHED,
    SEARCH,
    STORE,
    EngineChoice,
    Progress,
    Settings,
    Warn,
    is_home,
    silent,
    warn_on_stderr,
)

__all__ = [
    "BUCKETS",
    "ENGINES",
    "LOG",
    "MOST_BUCKETS",
    "PUBLISHED",
    "SEARCH",
    "STORE",
    "EngineChoice",
    "Progress",
    "Settings",
    "Warn",
    "is_home",
    "silent",
    "warn_on_stderr",
]
