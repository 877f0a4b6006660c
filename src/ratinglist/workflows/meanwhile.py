"""The store read in a thread of its own, while a month is being loaded and rated."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from typing import TypeVar

from ratinglist.office import ContinueFrom
from ratinglist.period import Period
from ratinglist.store.database import Store
from ratinglist.store.month_inputs import Beforehand, read_beforehand

Value = TypeVar("Value")


class Meanwhile:
    """Reads what is committed and what nobody changes while it is read; it ends with ``stack``.

    Reports change no player and no list. These are read first, where a load leaves a processor idle.
    """

    def __init__(self, stack: ExitStack, store: Store, period: Period, basis: ContinueFrom) -> None:
        self._store = stack.enter_context(store.for_another_thread())
        self._reader = stack.enter_context(ThreadPoolExecutor(max_workers=1))
        self._beforehand: Callable[[], Beforehand] | None = self.asked(
            partial(read_beforehand, period=period, continue_from=basis)
        )

    def asked(self, read: Callable[[Store], Value]) -> Callable[[], Value]:
        """Begin to read; what this gives back waits for the answer, or raises what went wrong."""
        return self._reader.submit(read, self._store).result

    def beforehand(self) -> Beforehand | None:
        """What no report changes, once: it is large, and is not held any longer."""
        given, self._beforehand = self._beforehand, None
        return given() if given else None
