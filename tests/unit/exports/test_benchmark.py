from __future__ import annotations

import pytest

from benchmarks.exports import EXPORTS, exports


@pytest.mark.long
def test_every_export_of_a_small_list_is_measured():
    header, _, *rows = exports(400, 1, lambda _what: None).splitlines()
    assert [cell.strip() for cell in header.strip("|").split("|")][:2] == ["export", "rows"]
    measured = {line.strip("|").split("|")[0].strip(): line.strip("|").split("|")[1].strip() for line in rows}
    assert list(measured) == list(EXPORTS)
    assert measured["fide-txt"] == "400"
    assert measured["xlsx, one federation of forty"] == "10"
