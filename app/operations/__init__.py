"""Long work beside the window, with progress and cancel."""
