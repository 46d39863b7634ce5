"""The command `as2d`."""
