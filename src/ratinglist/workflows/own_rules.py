"""Take the rule files of a family of an office's own into its home; the manifest of each list names them."""

from __future__ import annotations

from pathlib import Path

from ratinglist.errors import CommandLineError
from ratinglist.files.durable_files import replace_file
from ratinglist.home import originals
from ratinglist.rating.rules import parse_rule_set
from ratinglist.store import rule_files
from ratinglist.workflows.opening import use_systems_of


def take_over(home: Path, folder: Path) -> str:
    """Copy the rule files of a folder into ``home/rules``, and return the name of their family: that of the folder.

    ``folder``: ``FAMILY`` with ``time control/YYYY-MM-DD.toml`` below. Raises :class:`CommandLineError` where it has no
    rule file, or the family is one of the program or of a package, and :class:`~ratinglist.errors.RulesError` where a
    file is wrong; then nothing is copied.
    """
    family = folder.resolve().name
    texts = rule_files.texts_in(folder, family)
    if not texts:
        raise CommandLineError(
            f"--rules {folder}: it has no rule file. A folder of rules has TIME_CONTROL/YYYY-MM-DD.toml in it."
        )
    use_systems_of(home)
    if family in {*rule_files.rule_book().families} - rule_files.own_families():
        raise CommandLineError(
            f"--rules {folder}: the family '{family}' comes with the program, and its values are those of its "
            "regulations. Give the folder, and 'family' in its files, a name of your own."
        )
    for name, text in texts.items():
        parse_rule_set(text, name)
    for name, text in texts.items():
        path = home / rule_files.OWN / f"{name}.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, text.encode())
        originals.keep_bytes(home, text.encode())
    use_systems_of(home)
    return family
