"""Hold a home while its store is not open: no other command may write, and none may repair or copy it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

from ratinglist.errors import NothingReadError, StoreInUseError
from ratinglist.folder_lock import locked_folder


@contextmanager
def held_home(home: Path) -> Iterator[None]:
    """Hold ``home`` inside the block against another backup, restore or rebuild.

    Raises :class:`StoreInUseError` while one is running, :class:`NothingReadError` where there is no such home.
    """
    in_use = (
        f"{home} is being copied or rebuilt by another command. Wait until it has finished, then run the command again."
    )
    try:
        handle = locked_folder(home, in_use)
    except OSError as error:
        raise NothingReadError(
            f"{home}: this is no home that can be read ({error.strerror}). Name it with --home."
        ) from None
    try:
        yield
    finally:
        os.close(handle)


@contextmanager
def held_store(store: Path) -> Iterator[IO[bytes] | None]:
    """Hold the file of a store inside the block as DuckDB would, so that no process can open it.

    Yields the open file, None where there is none. No other file of that name may be opened in this process inside the
    block, by DuckDB neither: closing it would release the lock. A store that is missing cannot be opened by a writer
    either (:func:`~ratinglist.store.opening.check_present`). Raises :class:`StoreInUseError` where another process has
    it open.
    """
    with ExitStack() as stack:
        file = None
        if store.is_file():
            # A store on a read-only disk can be opened for reading alone, and held for reading alone.
            writable = os.access(store, os.W_OK)
            file = stack.enter_context(store.open("r+b" if writable else "rb"))
            if sys.platform == "win32":
                # An open file is enough: DuckDB shares its file with no other process there.
                yield file
                return
            import fcntl

            try:
                fcntl.lockf(file, (fcntl.LOCK_EX if writable else fcntl.LOCK_SH) | fcntl.LOCK_NB)
            except OSError:
                raise StoreInUseError(
                    f"{store} is in use by another writer. Wait until it has finished, then run the command again."
                ) from None
        yield file
