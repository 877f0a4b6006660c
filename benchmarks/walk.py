"""``python -m benchmarks.walk``: write the walk of one game through the program into ``docs/explanation/one-game.md``.

The walk is a table: each file in which the game becomes something else, with the first line of its docstring.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from pathlib import Path

from benchmarks.measure import ROOT

PAGE = ROOT / "docs" / "explanation" / "one-game.md"
BEGIN, END = "<!-- python -m benchmarks.walk -->\n", "<!-- end -->\n"
GAME: Mapping[str, str] = {
    "reports/discovery": "bytes, kept under their digest",
    "reports/trf": "lines 17 and 27",
    "reports/games": "two cells, and one game",
    "store/received": "a row of `report_game`",
    "rating/participants": "the ratings 2104 and 2668",
    "rating/event_verdicts": "its event is rated",
    "rating/player_games": "two rows of `games`, .08 and .98 expected",
    "rating/change": "+8.40 and −4.80; with the other games of Brightwater −2.20, rounded −2",
    "rating/rating_list": "2102",
    "store/table_files": "a line of `standard.csv`",
    "publication/settle": "decided by one entry of the log, then in `published/`",
}
"""What the game is in a module, from the report to the list."""


def main() -> None:
    """Write the walk into its page."""
    PAGE.write_text(with_walk(PAGE.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")


def with_walk(page: str) -> str:
    """Return the text of the page with the walk in its place."""
    before, _, rest = page.partition(BEGIN)
    return f"{before}{BEGIN}\n{_walk()}\n{END}{rest.partition(END)[2]}"


def _walk() -> str:
    """Return the walk as a table of Markdown."""
    rows = [f"| `{name}` | {_first_line(name)} | {what} |\n" for name, what in GAME.items()]
    return "".join(["| file | what it does | what the game is there |\n| --- | --- | --- |\n", *rows])


def _first_line(name: str) -> str:
    folder = ROOT / "src" / "ratinglist" / name
    path = folder / "__init__.py" if folder.is_dir() else Path(f"{folder}.py")
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    first = re.sub(r":\w+:`~?(?:ratinglist\.)?([^`]+)`", r"`\1`", docstring.splitlines()[0])
    return first.rstrip(".").replace("``", "`").replace("|", "\\|")


if __name__ == "__main__":
    main()
