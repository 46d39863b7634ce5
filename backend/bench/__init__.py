"""Benchmarks: arms run interleaved over the same windows, and what they measured."""
