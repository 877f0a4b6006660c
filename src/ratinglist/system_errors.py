"""Say in one sentence what the disk, the permissions or the memory of the machine refused, and what to do."""

from __future__ import annotations

_AGAIN = "Then give the command again. Readers see what they saw before; what it finished before this is kept."
_KEPT = f"Free space on the disk or correct the permissions. {_AGAIN}"


def system_error_text(error: BaseException) -> str:
    """Return the message of an error of the disk, of permissions or of memory, DuckDB's included; empty for others."""
    if isinstance(error, OSError):
        return f"{error.filename or 'the system'}: {error.strerror or error}. {_KEPT}"
    is_of_database = type(error).__module__.lstrip("_").startswith("duckdb")
    if isinstance(error, MemoryError) or (is_of_database and "Out of Memory" in str(error)):
        return f"the memory of this machine does not suffice. Close other programs, or use a larger one. {_AGAIN}"
    first_line = str(error).splitlines()[0] if str(error) else ""
    if is_of_database and any(
        part in str(error) for part in ("No space left", "Permission denied", "Read-only", "Input/output", "write")
    ):
        return f"the store could not be read or written: {first_line}. {_KEPT}"
    return ""
