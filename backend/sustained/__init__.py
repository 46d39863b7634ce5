"""Long runs: how fast decoding stays over minutes to hours."""
