"""One Prefect server for every test of the suite that needs one."""

from __future__ import annotations

import atexit
import os
from collections.abc import Iterator
from tempfile import TemporaryDirectory

import pytest

# Here and not in a fixture: Prefect reads both on import, and a user's own Prefect must not see the tests.
_folder = TemporaryDirectory(prefix="ratinglist-prefect-")
atexit.register(_folder.cleanup)
os.environ["PREFECT_HOME"] = _folder.name
os.environ.pop("PREFECT_API_URL", None)


# Not of the whole session: a server that is idle takes time from the tests after these.
@pytest.fixture(scope="package")
def prefect_server() -> Iterator[None]:
    import flows  # noqa: F401, I001 - first: it sets Prefect not to report usage
    from prefect.testing.utilities import prefect_test_harness

    with prefect_test_harness(server_startup_timeout=120):
        yield
