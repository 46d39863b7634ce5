"""Running a plan: what is left of it, on devices or by replay, and the journal of what is done."""
