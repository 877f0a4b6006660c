"""What an office chose: the settings of one command, and its ``office.toml``."""
