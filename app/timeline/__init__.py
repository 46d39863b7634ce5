"""The timeline: painted lanes and counters over one time axis."""
