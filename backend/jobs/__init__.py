"""Detached jobs: sent to a phone, which works on them alone, and collected later."""
