"""The tab of long runs: decoding for minutes to hours, and what the heat does to it."""
