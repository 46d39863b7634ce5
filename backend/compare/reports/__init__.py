"""A judgement as pages, figures, tables and files."""
