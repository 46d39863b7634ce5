"""Disks that are soon full, for tests of comparisons."""

from tests.small_disks import small_disk

__all__ = ["small_disk"]
