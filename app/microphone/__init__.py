"""Recording from the microphone."""
