"""Systems of packages, such as the example in ``data/systems``, as if they were installed and trusted."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ratinglist.rating.systems import registry
from ratinglist.store import rule_files

FOLDER = Path(__file__).resolve().parents[1] / "data" / "systems"


@contextmanager
def installed(folder: Path, *names: str, source: Path = FOLDER) -> Iterator[None]:
    """Have the packages of these folders of ``source`` installed, with their facts written to ``folder``."""
    paths = [str(folder), *(str(source / name) for name in names)]
    packages = []
    for name in names:
        project = tomllib.loads((source / name / "pyproject.toml").read_text("utf-8"))["project"]
        facts = folder / f"{project['name'].replace('-', '_')}.dist-info"
        facts.mkdir(parents=True)
        metadata = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
        (facts / "METADATA").write_text(metadata, "utf-8")
        entries = project["entry-points"][registry.GROUP].items()
        lines = "".join(f"{system} = {place}\n" for system, place in entries)
        (facts / "entry_points.txt").write_text(f"[{registry.GROUP}]\n{lines}", "utf-8")
        packages.append(project["name"])
    sys.path[:0] = paths
    _forget()
    registry.trust(packages)
    try:
        yield
    finally:
        for path in paths:
            sys.path.remove(path)
        registry.trust(())
        _forget()


def _forget() -> None:
    for function in (registry._plug_ins, registry._loaded, rule_files._rule_book):
        function.cache_clear()
