"""Traces of windows, and what any method would have done with them on a measured device."""
