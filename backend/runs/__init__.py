"""Recorded runs: a folder each (manifest and event stream) and an index that can be made again from them."""
