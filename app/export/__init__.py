"""Taking a run's results away: as files of other programs, or as a bundle."""
