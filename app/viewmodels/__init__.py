"""What the window shows, without Qt: recorded events in, values to paint out."""
