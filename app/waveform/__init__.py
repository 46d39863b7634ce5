"""The outline of a recording, with the place that is heard."""
