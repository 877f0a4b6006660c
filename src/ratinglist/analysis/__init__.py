"""Questions about lists: how a number came about, how two lists differ, which players may be one person."""
