"""Transcripts as text, subtitles and JSON: the same bytes for the command line and the window."""
