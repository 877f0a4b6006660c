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
    )
    from ratinglist.workflows import (
        backup as backup,
    )
    from ratinglist.workflows import (
        correct as correct,
    )
    from ratinglist.workflows import (
        decide as decide,
    )
    from ratinglist.workflows import (
        doctor as doctor,
    )
    from ratinglist.workflows import (
        explain as explain,
    )
    from ratinglist.workflows import (
        export as export,
    )
    from ratinglist.workflows import (
        find as find,
    )
    from ratinglist.workflows import (
        formulas as formulas,
    )
    from ratinglist.workflows import (
        identities as identities,
    )
    from ratinglist.workflows import (
        import_files as import_files,
    )
    from ratinglist.workflows import (
        inbox as inbox,
    )
    from ratinglist.workflows import (
        init as init,
    )
    from ratinglist.workflows import (
        known_list as known_list,
    )
    from ratinglist.workflows import (
        letters as letters,
    )
    from ratinglist.workflows import (
        load as load,
    )
    from ratinglist.workflows import (
        log as log,
    )
    from ratinglist.workflows import (
        month as month,
    )
    from ratinglist.workflows import (
        named as named,
    )
    from ratinglist.workflows import (
        new_system as new_system,
    )
    from ratinglist.workflows import (
        opening as opening,
    )
    from ratinglist.workflows import (
        performance as performance,
    )
    from ratinglist.workflows import (
        publish as publish,
    )
    from ratinglist.workflows import (
        quarantine as quarantine,
    )
    from ratinglist.workflows import (
        rate as rate,
    )
    from ratinglist.workflows import (
        rebuild as rebuild,
    )
    from ratinglist.workflows import (
        reconcile as reconcile,
    )
    from ratinglist.workflows import (
        replay as replay,
    )
    from ratinglist.workflows import (
        reproduce as reproduce,
    )
    from ratinglist.workflows import (
        rerate as rerate,
    )
    from ratinglist.workflows import (
        run as run,
    )
    from ratinglist.workflows import (
        sign as sign,
    )
    from ratinglist.workflows import (
        simulate as simulate,
    )
    from ratinglist.workflows import (
        site as site,
    )
    from ratinglist.workflows import (
        sql as sql,
    )
    from ratinglist.workflows import (
        standings as standings,
    )
    from ratinglist.workflows import (
        statistics as statistics,
    )
    from ratinglist.workflows import (
        status as status,
    )
    from ratinglist.workflows import (
        systems as systems,
    )
    from ratinglist.workflows import (
        undo as undo,
    )
    from ratinglist.workflows import (
        untold as untold,
    )


def __getattr__(name: str) -> ModuleType:
    """Import and return the module of a command."""
    module = f"{__name__}.{name}"
    if find_spec(module) is None:
        raise AttributeError(f"there is no module {module}")
    return import_module(module)
