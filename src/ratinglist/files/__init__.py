"""Files on this machine: written aside and renamed, locked, hashed, kept private, and read within limits."""
