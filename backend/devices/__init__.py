"""The devices that can decode."""
