"""Listening to recordings."""
