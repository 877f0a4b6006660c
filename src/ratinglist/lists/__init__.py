"""The list formats of the world, read and written."""
