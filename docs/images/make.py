"""Draw what commands print as pictures for the README: ``python docs/images/make.py HOME``.

``HOME`` is an office that published the sample's four months. A picture is made of the program's own output, and holds
no address of a font: it is drawn with the monospaced font that is there.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

PICTURES = {"explain.svg": "ratinglist explain 99900046 2025-11"}
"""Each picture of this folder with the command that it shows."""

_WIDTH = 134
_THEME = TerminalTheme((22, 27, 34), (230, 237, 243), [(22, 27, 34)] * 8, [(126, 231, 135)] * 8)
_FORMAT = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-label="A terminal">
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font-size: {char_height}px; line-height: {line_height}px; }}
{styles}
</style>
<defs>{lines}</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})">{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g></g>
</svg>
"""


def picture(command: str, printed: str) -> str:
    """Return the SVG of a command and what it printed."""
    console = Console(record=True, width=_WIDTH, file=io.StringIO())
    console.print(Text.assemble("$ ", (command, "bold")), soft_wrap=True)
    console.print(Text(printed.rstrip("\n")), soft_wrap=True)
    return console.export_svg(title=command, theme=_THEME, code_format=_FORMAT, unique_id="session")


def main(home: Path) -> None:
    """Write every picture from what the commands print in ``home``."""
    environment = os.environ | {"RATINGLIST_HOME": str(home)}
    for name, command in PICTURES.items():
        words = [sys.executable, "-m", *command.split()]
        printed = subprocess.run(words, env=environment, capture_output=True, text=True, check=True).stdout  # noqa: S603 - commands of this file
        (Path(__file__).parent / name).write_text(picture(command, printed), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
