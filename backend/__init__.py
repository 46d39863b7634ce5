"""Devices, models, audio, runs, metrics, export and the command line; no window toolkit in here."""
