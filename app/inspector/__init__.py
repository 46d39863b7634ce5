"""The call inspector: everything about one target call."""
