"""One module per command: it opens the store, calls the steps in order and returns a summary.

A module is imported when it is first named, as in ``workflows.backup.backup``: so ``ratinglist --help`` is fast.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ratinglist.workflows import (  # noqa: F401 - named by their users
        backup,
        correct,
        doctor,
        explain,
        find,
        for_readers,
        import_files,
        init,
        load,
        month,
        opening,
        publish,
        quarantine,
        replay,
        rerate,
        run,
        scheduled,
        sql,
        status,
        systems,
        undo,
    )


def __getattr__(name: str) -> ModuleType:
    """Import and return the module of a command."""
    module = f"{__name__}.{name}"
    if find_spec(module) is None:
        raise AttributeError(f"there is no module {module}")
    return import_module(module)
