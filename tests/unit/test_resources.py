"""The program finds its own text files in a checkout and in a wheel."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path
from types import ModuleType

import pytest

from ratinglist.errors import NothingReadError
from ratinglist.files import resources

ROOT = Path(__file__).resolve().parents[2]


def installed_in(folder: Path) -> ModuleType:
    """A copy of the module as a wheel would install it."""
    package = folder / "site-packages" / "ratinglist" / "files"
    package.mkdir(parents=True)
    shutil.copy(resources.__file__, package / "resources.py")
    spec = importlib.util.spec_from_file_location("installed_resources", package / "resources.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_checkout_keeps_them_at_the_top():
    assert resources.sql("published") == ROOT / "sql" / "published"
    assert resources.data("tables") == ROOT / "data" / "tables"


def test_a_wheel_carries_them_inside_the_package(tmp_path):
    module = installed_in(tmp_path)
    inside = tmp_path / "site-packages" / "ratinglist" / "_sql" / "published"
    inside.mkdir(parents=True)
    assert module.sql("published") == inside


def test_a_missing_folder_is_named():
    with pytest.raises(NothingReadError, match="sql/nothing_there is missing"):
        resources.sql("nothing_there")
