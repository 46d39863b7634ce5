"""Run bundles: one file with a run or several, opened anywhere without models and phones."""
