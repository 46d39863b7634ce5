"""Work on many windows, shared among processes here or on other computers."""
