"""What only some systems have stands in a few modules, which have another way for the others."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ratinglist.errors import StoreInUseError
from ratinglist.files.durable_files import lock_file, locked_folder

ROOT = Path(__file__).resolve().parents[2]
SOURCE = sorted([*(ROOT / "src").rglob("*.py"), *(ROOT / "flows").rglob("*.py")])
MODULES = {"fcntl", "grp", "msvcrt", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty", "winreg"}
OF_OS = {
    *("O_DIRECTORY", "O_NOFOLLOW", "O_NONBLOCK", "chown", "chroot", "fchmod", "fchown", "fork", "forkpty", "getegid"),
    *("geteuid", "getgid", "getpgid", "getuid", "kill", "killpg", "mkfifo", "mknod", "nice", "openpty"),
    *("posix_fadvise", "posix_fallocate", "posix_spawn", "pread", "pwrite", "sched_getaffinity", "sendfile"),
    *("set_blocking", "setsid", "setuid", "statvfs", "sync", "sysconf", "uname", "wait", "waitpid"),
}
"""Functions of ``os`` that Windows lacks, some until Python 3.12; ``os.kill`` ends a process there, by any signal."""
OF_SIGNAL = {"SIGALRM", "SIGHUP", "SIGKILL", "SIGUSR1", "SIGUSR2", "alarm", "setitimer", "siginterrupt"}
MAY = {
    "durable_files": "locks folders and files on each system, and starts the writing of many files at once on Linux",
}
"""The modules that use such a name, by their stem, and for what; each asks for the system first."""


def uses(tree: ast.AST) -> set[str]:
    """Return the names that only some systems have."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names} & MODULES
        elif isinstance(node, ast.ImportFrom):
            names = {alias.name for alias in node.names}
            found |= {node.module or ""} & MODULES
            found |= names & (OF_OS if node.module == "os" else OF_SIGNAL if node.module == "signal" else set())
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            names = {"os": OF_OS, "signal": OF_SIGNAL}.get(node.value.id, set())
            found |= {node.attr} & names
    return found


def test_what_only_some_systems_have_is_used_by_the_named_modules_alone() -> None:
    using = {path: found for path in SOURCE if (found := uses(ast.parse(path.read_text(encoding="utf-8"))))}
    assert {path.stem for path in using} == set(MAY), using
    without_asking = [path for path in using if "sys.platform" not in path.read_text(encoding="utf-8")]
    assert without_asking == []


def test_no_module_imports_at_its_head_what_only_some_systems_have() -> None:
    heads = [
        path
        for path in SOURCE
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.Import | ast.ImportFrom) and uses(ast.Module([node], []))
    ]
    assert heads == []


def test_the_names_that_are_looked_for_are_found() -> None:
    sample = "import fcntl\nfrom os import fork\nos.killpg\nsignal.SIGHUP\nos.replace\nfrom signal import SIGINT"
    assert uses(ast.parse(sample)) == {"fcntl", "fork", "killpg", "SIGHUP"}


def elsewhere(program: str) -> str:
    """What a program of another process prints."""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    return done.stdout.strip() or done.stderr


@pytest.mark.parametrize(("held", "wanted", "free"), [(False, False, False), (True, False, False), (True, True, True)])
def test_a_locked_folder_is_in_use_elsewhere(tmp_path: Path, held: bool, wanted: bool, free: bool) -> None:
    handle = locked_folder(tmp_path, "in use", shared=held)
    program = (
        "from pathlib import Path; from ratinglist.files.durable_files import locked_folder\n"
        f"locked_folder(Path({str(tmp_path)!r}), 'in use', shared={wanted}); print('free')"
    )
    try:
        shown = elsewhere(program)
    finally:
        os.close(handle)
    assert (shown == "free") == free
    assert free or "StoreInUseError: in use" in shown
    assert elsewhere(program) == "free"


def test_a_locked_folder_is_refused_with_the_text_of_the_caller(tmp_path: Path) -> None:
    handle = locked_folder(tmp_path, "first")
    with pytest.raises(StoreInUseError, match="second"):
        locked_folder(tmp_path, "second")
    os.close(handle)
    assert list(tmp_path.iterdir()) == []


def test_a_locked_file_can_be_read_and_is_in_use(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    path.write_text("7")
    with path.open("r+b") as held, path.open("r+b") as other:
        lock_file(held.fileno())
        with pytest.raises(BlockingIOError):
            lock_file(other.fileno())
        assert other.read() == b"7"
