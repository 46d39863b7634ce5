"""From recordings to transcripts: the service behind the command line and the window."""
