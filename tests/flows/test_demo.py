"""The demonstration: the sample federation by the monthly flow."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows import demo
from ratinglist.workflows import init


def test_it_shows_the_list_that_the_flow_published(
    prefect_server: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(init, "MONTHS", init.MONTHS[:1])
    demo.main()
    shown = capsys.readouterr().out
    assert "List of 2025-09 published as r1: demo-home/published/2025-09/r1" in shown
    assert "  2668  Ravnik, Teodor" in shown
    assert (tmp_path / "demo-site" / "index.html").is_file()
    with pytest.raises(SystemExit) as stopped:
        demo.main()
    assert stopped.value.code == 2
