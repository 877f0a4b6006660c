"""What ``python -m benchmarks.house`` counts."""

import pytest

from benchmarks.house import Face, Lines, faces_of, lines_of, modules_entered, names_used
from benchmarks.measure import ROOT

SOURCE = '''"""What it is.

More of it.
"""

from ratinglist import period
from ratinglist.rating import rules as law
from ratinglist.rating.change import rounded

# A remark.
VALUE = 1
"""What the value is."""


def f():
    """Return it."""
    return law.of(period.Period), rounded, other.name
'''


def test_each_line_is_counted_once_by_what_stands_in_it():
    assert lines_of(SOURCE) == Lines(code=6, docstrings=6, comments=1, blank=4)


def test_a_name_is_used_if_it_is_imported_or_read_from_an_imported_module():
    modules = {"period", "rating", "rating/rules", "rating/change"}
    expected = [("period", "Period"), ("rating/change", "rounded"), ("rating/rules", "of")]
    assert sorted(names_used(SOURCE, modules)) == expected


def test_a_face_counts_what_other_packages_use(tmp_path):
    for path, text in {
        "a/__init__.py": "",
        "a/one.py": "from ratinglist.a.two import inner\n",
        "a/two.py": "inner = outer = 1\n",
        "b/__init__.py": "",
        "b/user.py": "from ratinglist.a.two import outer\n",
        "shared.py": "from ratinglist.a import one\n\none.other()\n",
    }.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    assert faces_of(tmp_path) == {"a": Face(names=2, modules=2, of_modules=2), "b": Face(0, 0, 1)}


@pytest.mark.long
def test_a_first_run_enters_the_command_before_the_reports_and_the_list_after_them():
    entered = modules_entered(ROOT)
    assert len(entered) == len(set(entered))
    first_of_reports = next(at for at, name in enumerate(entered) if name.startswith("reports"))
    assert entered.index("workflows/run") < first_of_reports < entered.index("rating/change")
