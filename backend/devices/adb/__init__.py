"""Phones behind an adb server: found, reached, fed."""
