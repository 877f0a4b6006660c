"""One module per command: it opens the store, calls the steps in order and returns a summary.

A module is imported when it is first named, as in ``workflows.backup.backup``: so ``ratinglist --help`` is fast.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ratinglist.workflows import (
        account_files as account_files,
        backup as backup,
        correct as correct,
        decide as decide,
        doctor as doctor,
        explain as explain,
        export as export,
        find as find,
        formulas as formulas,
        identities as identities,
        import_files as import_files,
        inbox as inbox,
        init as init,
        known_list as known_list,
        letters as letters,
        load as load,
        log as log,
        month as month,
        named as named,
        new_system as new_system,
        opening as opening,
        own_rules as own_rules,
        performance as performance,
        publish as publish,
        quarantine as quarantine,
        rate as rate,
        rebuild as rebuild,
        reconcile as reconcile,
        replay as replay,
        reproduce as reproduce,
        rerate as rerate,
        run as run,
        sign as sign,
        site as site,
        sql as sql,
        standings as standings,
        statistics as statistics,
        status as status,
        systems as systems,
        undo as undo,
        untold as untold,
    )


def __getattr__(name: str) -> ModuleType:
    """Import and return the module of a command."""
    module = f"{__name__}.{name}"
    if find_spec(module) is None:
        raise AttributeError(f"there is no module {module}")
    return import_module(module)
