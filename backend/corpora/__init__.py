"""Recordings with their true texts, from the forms that corpora have."""
