"""The protocol as one JSON schema document."""

from __future__ import annotations

import json

from pydantic import TypeAdapter

from as2d.backend.protocol.events import HelperEvents
from as2d.backend.protocol.host_events import HostEvents
from as2d.backend.protocol.message import PROTOCOL_VERSION, Message
from as2d.backend.protocol.ops import Op

_ADAPTERS: dict[str, TypeAdapter[Message]] = {
    "op": TypeAdapter(Op),
    "helper_event": TypeAdapter(HelperEvents),
    "host_event": TypeAdapter(HostEvents),
}


def protocol_schema() -> dict[str, object]:
    """JSON schema (2020-12) with the unions `op`, `helper_event` and `host_event` under `$defs`."""
    definitions: dict[str, object] = {}
    for name, adapter in _ADAPTERS.items():
        schema = adapter.json_schema()
        definitions.update(schema.pop("$defs"))
        definitions[name] = schema
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"AS²D helper protocol, version {PROTOCOL_VERSION}",
        "$defs": dict(sorted(definitions.items())),
    }


def schema_text() -> str:
    """The schema as indented JSON text, ending in a line feed."""
    return json.dumps(protocol_schema(), indent=2, ensure_ascii=False) + "\n"
