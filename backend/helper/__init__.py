"""The client of the helper program: start, ops and answers, events, and how it ended, in words."""
