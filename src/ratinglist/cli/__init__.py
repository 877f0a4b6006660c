"""The command line."""

import os


def end_interrupted() -> None:
    """End the process at once with a sentence: one killed at any moment leaves a home as before or as after."""
    os.write(2, b"ratinglist: interrupted. Run the command again: what was decided is finished first.\n")
    os._exit(130)
