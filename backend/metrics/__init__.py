"""What a recorded stream says: its state event by event, and the measures of the algorithm's terms."""
