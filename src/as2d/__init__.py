"""AS²D Studio: audio language models decoded with AS²D, measured and shown."""

__version__ = "0.1.0"
