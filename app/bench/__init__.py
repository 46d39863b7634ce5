"""Measures the window's speed: `make bench-gui`."""
