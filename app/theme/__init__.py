"""Colours, icons and styles, light and dark."""
