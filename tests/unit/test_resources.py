"""The program finds its own text files in a checkout and in a wheel."""

from __future__ import annotations

from pathlib import Path

import pytest

from ratinglist.errors import NothingReadError
from ratinglist.files import resources

ROOT = Path(__file__).resolve().parents[2]


def test_a_checkout_keeps_them_at_the_top():
    assert resources.sql("published") == ROOT / "sql" / "published"
    assert resources.data("tables") == ROOT / "data" / "tables"


def test_a_wheel_carries_them_inside_the_package(tmp_path, monkeypatch):
    package = tmp_path / "site-packages" / "ratinglist"
    monkeypatch.setattr(resources, "_PACKAGE", package)
    inside = package / "_sql" / "published"
    inside.mkdir(parents=True)
    assert resources.sql("published") == inside


def test_a_missing_folder_is_named():
    with pytest.raises(NothingReadError, match="sql/nothing_there is missing"):
        resources.sql("nothing_there")
