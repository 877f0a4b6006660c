"""A Prefect server, a receiver of messages and a made-up federation for the tests of flows."""

from __future__ import annotations

import atexit
import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import pytest

from tests.flows.served_office import Receiver

# Here and not in a fixture: Prefect reads both on import, and a user's own Prefect must not see the tests.
_folder = TemporaryDirectory(prefix="ratinglist-prefect-")
atexit.register(_folder.cleanup)
os.environ["PREFECT_HOME"] = _folder.name
os.environ.pop("PREFECT_API_URL", None)


@pytest.fixture(scope="module")
def prefect_server() -> Iterator[None]:
    """A server for the tests of one module, which is stopped with it: an idle one takes time from the tests after."""
    import flows  # noqa: F401, I001 - first: it sets Prefect not to report usage
    from prefect.server.api.server import SubprocessASGIServer
    from prefect.server.database.orm_models import Base
    from prefect.settings import (
        PREFECT_FLOWS_HEARTBEAT_FREQUENCY,
        PREFECT_LOGGING_TO_API_ENABLED,
        PREFECT_SERVER_DATABASE_CONNECTION_URL,
        PREFECT_SERVER_DATABASE_MIGRATE_ON_START,
        temporary_settings,
    )
    from prefect.testing.utilities import prefect_test_harness
    from sqlalchemy import create_engine
    from sqlalchemy.schema import CreateIndex, CreateTable

    start = SubprocessASGIServer.start

    def start_with_tables(server: SubprocessASGIServer, *arguments: Any, **options: Any) -> None:
        address = PREFECT_SERVER_DATABASE_CONNECTION_URL.value().replace("+aiosqlite", "")
        engine = create_engine(address)
        with engine.begin() as database:
            for table in Base.metadata.sorted_tables:
                database.execute(CreateTable(table))
                for index in table.indexes:
                    # Some are declared twice.
                    database.execute(CreateIndex(index, if_not_exists=True))
        engine.dispose()
        start(server, *arguments, **options)

    # The tables are made as they are now: the server would take four seconds to bring them there from the first ones.
    # At the end of each run Prefect waits a second for the thread of its heartbeats. No test reads what a run logs.
    changed = {
        PREFECT_SERVER_DATABASE_MIGRATE_ON_START: False,
        PREFECT_FLOWS_HEARTBEAT_FREQUENCY: None,
        PREFECT_LOGGING_TO_API_ENABLED: False,
    }
    with (
        temporary_settings(changed),
        patch.object(SubprocessASGIServer, "start", start_with_tables),
        prefect_test_harness(server_startup_timeout=120),
    ):
        yield


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """A receiver of messages that listens."""
    listener = Receiver()
    listener.up()
    yield listener
    listener.down()


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve months of a federation of 2,000 players."""
    from ratinglist_world.people import world_of
    from ratinglist_world.simulate import simulate
    from tests.flows.year import FIRST

    folder = tmp_path_factory.mktemp("world") / "world"
    simulate(folder, world_of(2000, FIRST), 12)
    return folder
