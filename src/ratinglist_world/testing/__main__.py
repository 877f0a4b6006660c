"""Check the promises of a rating system: ``python -m ratinglist_world.testing SYSTEM [--quick]``.

Prints a line for each promise. Exit code 1 where one is broken, 2 where there is no such system.
"""

from __future__ import annotations

import sys

from ratinglist.cli.options import say
from ratinglist.errors import CommandLineError, RatinglistError
from ratinglist_world.testing.promises import checked

_USAGE = "python -m ratinglist_world.testing SYSTEM [--quick]: `ratinglist systems` shows the systems"


def main(arguments: list[str]) -> int:
    """Check the system that is named, and return the exit code."""
    names = [one for one in arguments if one != "--quick"]
    if len(names) != 1 or names[0].startswith("-"):
        say(_USAGE, err=True)
        return CommandLineError.exit_code
    is_broken = False
    try:
        for promise, texts in checked(names[0], quick="--quick" in arguments):
            say(
                "\n".join(
                    [f"{'FAILED' if texts else 'ok    '} {promise.sentence}", *(f"         {one}" for one in texts)]
                )
            )
            is_broken = is_broken or bool(texts)
    except RatinglistError as error:
        say(f"ratinglist: {error}", err=True)
        return error.exit_code
    return int(is_broken)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
