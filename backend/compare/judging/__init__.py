"""Judging recorded runs: what they decoded, brought together and held against each other, in numbers."""
