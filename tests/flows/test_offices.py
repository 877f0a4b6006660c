"""The lists of many offices as one flow: each has its result, and one that fails stops no other."""

from __future__ import annotations

import shutil

from flows.offices import offices


def test_an_office_that_fails_stops_no_other_and_each_has_its_result(prefect_server, homes, tmp_path):
    north, wrong, south = (str(tmp_path / name) for name in ("north", "wrong", "south"))
    for home in (north, wrong, south):
        shutil.copytree(homes / "2025-09", home)
    (tmp_path / "wrong" / "office.toml").write_text("[nonsense]\n", encoding="utf-8")
    gone = str(tmp_path / "gone")
    ended = offices([north, wrong, gone, south], "2025-09", return_state=True)
    assert ended.is_failed()
    results = ended.result(raise_on_failure=False)
    assert {home: name for home, (name, _) in results.items()} == {
        north: "Unchanged",
        wrong: "Failed",
        gone: "Failed",
        south: "Unchanged",
    }
    assert "unknown key 'nonsense'" in results[wrong][1]
    assert f"the home {gone} does not exist" in results[gone][1]
    assert [line.partition(": ")[0] for line in str(ended.message).splitlines()] == [north, wrong, gone, south]
