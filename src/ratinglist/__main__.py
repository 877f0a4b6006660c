"""``ratinglist`` and ``python -m ratinglist``."""

import signal

from ratinglist.cli import end_interrupted


def script() -> None:
    """Run the command line as a program of its own, which may be interrupted while it is still imported."""
    signal.signal(signal.SIGINT, lambda *_: end_interrupted())
    from ratinglist.cli.main import main

    main()


if __name__ == "__main__":
    script()
