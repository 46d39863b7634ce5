"""Messages, as sentences."""
