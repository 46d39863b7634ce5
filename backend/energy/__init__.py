"""Energy of a phone's battery: what its current means, and what a request took."""
