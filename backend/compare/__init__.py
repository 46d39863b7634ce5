"""Comparisons of methods, models and devices: what is to be run, in which order, and what is done of it."""
