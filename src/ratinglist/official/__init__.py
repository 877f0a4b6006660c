"""Official lists and files of players, in every form they come in."""
