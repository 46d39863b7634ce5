"""The device that decodes."""
