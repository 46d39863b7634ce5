"""The transcript and where each of its tokens came from."""
