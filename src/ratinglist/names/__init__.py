"""Names compared: forms of them, players found by a part of a name, and persons who may be one or another."""
