"""The messages between host and helper, and the events of the host, as pydantic models.

`ops` are what the host asks, `events` what the helper says, `host_events` what the host adds to the recorded
stream. `schema` writes all of it as JSON schema.
"""
