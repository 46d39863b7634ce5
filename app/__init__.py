"""The studio window of AS²D; everything it shows comes from `as2d.backend`."""
