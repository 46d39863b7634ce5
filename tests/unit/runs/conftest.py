"""Fixtures of the tests of recorded runs."""

from tests.small_disks import small_disk

__all__ = ["small_disk"]
