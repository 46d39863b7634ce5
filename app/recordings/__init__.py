"""The queue of recordings: dropped, shown, reordered."""
