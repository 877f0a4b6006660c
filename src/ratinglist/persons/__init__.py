"""Who may be one person under two FIDE IDs."""
