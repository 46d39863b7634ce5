"""The recorded runs."""
