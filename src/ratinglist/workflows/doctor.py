"""Check a home, whatever its state: nothing is changed, and a damaged or read-only home can be checked."""

from __future__ import annotations

from ratinglist.config import Settings
from ratinglist.errors import NothingReadError
from ratinglist.store import table_scan
from ratinglist.store.home_lock import held_home, held_store
from ratinglist.workflows.home_check import HomeCheck, check_home


def check(settings: Settings) -> HomeCheck:
    """Check store, journal, archive, calculations and publications of a home, every byte of them.

    Raises :class:`~ratinglist.errors.StoreInUseError` while another command writes, :class:`NothingReadError` where
    there is no home.
    """
    home = settings.home
    if not home.is_dir() or not any(home.iterdir()):
        raise NothingReadError(f"{home}: there is no home here. Name it with --home.")
    with held_home(home):
        settings.progress("reading the store", 0, 1)
        scan = table_scan.scan(settings.store)
        with held_store(settings.store):
            settings.progress("checking the files", 0, 1)
            return check_home(home, scan)
