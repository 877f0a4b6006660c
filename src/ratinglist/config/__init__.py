"""What an office chose: the settings of one command, and its ``office.toml``."""

from ratinglist.config.settings import (
    LOG,
    PUBLISHED,
    SEARCH,
    STORE,
    Progress,
    Settings,
    Warn,
    is_home,
    silent,
    warn_on_stderr,
)

__all__ = [
    "LOG",
    "PUBLISHED",
    "SEARCH",
    "STORE",
    "Progress",
    "Settings",
    "Warn",
    "is_home",
    "silent",
    "warn_on_stderr",
]
