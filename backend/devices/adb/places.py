"""Where our files are on a phone: all below one folder."""

from __future__ import annotations

ROOT = "/data/local/tmp/as2d"
"""Everything that AS²D leaves on a phone is in here."""
OBJECTS = f"{ROOT}/objects"
"""Complete and verified files by their SHA-256."""
INCOMING = f"{ROOT}/incoming"
"""Files that are arriving."""
MODELS = f"{ROOT}/models"
"""Model folders by the SHA-256 of their model.json: links to objects."""
PROGRAMS = f"{ROOT}/bin"
"""Helper programs."""
RUNS = f"{ROOT}/run"
"""What runs, or was killed: a pid file for each helper, `attached-<random>` or `job-<job>`."""
JOBS = f"{ROOT}/jobs"
"""Detached jobs."""
IDENTITY = f"{ROOT}/id"
"""A random name of this store, which the host's records are kept under."""

PROGRAM_PREFIX = f"{PROGRAMS}/as2d-helper-"
"""How the helper's name begins."""
