"""Messages survive the way over the wire, and nothing unknown passes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import pytest

from as2d.backend.errors import HelperFailed, InputRefused
from as2d.backend.protocol import ops
from as2d.backend.protocol.events import Hello, HelperEvents, Telemetry
from as2d.backend.protocol.host_events import HostEvents, RecordingQueued
from as2d.backend.protocol.lines import parse_helper_event, parse_op, parse_recorded, to_line
from as2d.backend.protocol.schema import protocol_schema, schema_text
from as2d.backend.protocol.trace_events import HexText, Traced

TELEMETRY = (
    b'{"event":"telemetry","t":5,"seq":2,"rss_bytes":10,"cpu_khz":[1,2],"missing":{"host":"no such file"}}'
)


def test_telemetry_of_the_helper_is_understood_whole(repository: Path) -> None:
    lines = (repository / "tests" / "data" / "protocol" / "telemetry.jsonl").read_bytes().splitlines()
    whole, little, nothing = (parse_helper_event(line) for line in lines)
    for event, line in zip((whole, little, nothing), lines, strict=True):
        assert isinstance(event, Telemetry)
        assert json.loads(to_line(event)) == json.loads(line)
    assert isinstance(whole, Telemetry)
    assert whole.battery is not None
    assert whole.gpu is not None
    assert whole.cpu_khz == (1804800, None, 2841600)
    assert whole.battery.current_raw == -350000
    assert whole.thermal[1].zone == "battery"


def test_telemetry_of_runs_of_version_2_is_still_read() -> None:
    old = parse_recorded(TELEMETRY)
    assert isinstance(old, Telemetry)
    assert (old.cpu_khz, old.thermal, old.battery, old.suspended_ns) == ((1, 2), (), None, None)


def test_an_op_comes_back_as_it_was() -> None:
    op = ops.Prepare(
        id=3,
        window="w",
        target="t",
        drafter=None,
        audio=None,
        start_condition="pre-drafted",
        language=None,
        task="transcribe",
    )
    assert parse_op(to_line(op)) == op


TRACED = (
    b'{"event":"trace","t":9,"seq":4,"re":3,"window":"w1","language":"en","task":"transcribe","prompt_tokens":4,'
    b'"tokens":[5,6,7],"margins":[1.5,2,0.25],"stop":"end_of_text","no_speech_prob":0.01,"end_token":7,'
    b'"token_limit":224,"logit_gap":0.0001,"own":[[" a",0.9,2,false],[{"hex":"e4b8"},1,1,true]],'
    b'"continuations":[{"after":1,"pieces":[["",0.5,1,true]]}],"encoder":{"target_ms":700.5,'
    b'"target_cross_ms":20,"drafter_ms":100,"drafter_cross_ms":3},"prefill_ms":9.5,"call_ms":8}'
)


def test_a_trace_keeps_bytes_that_are_no_whole_characters() -> None:
    traced = parse_helper_event(TRACED)
    assert isinstance(traced, Traced)
    assert traced.own == ((" a", 0.9, 2, False), (HexText(hex="e4b8"), 1.0, 1, True))
    assert parse_helper_event(to_line(traced)) == traced
    with pytest.raises(HelperFailed, match=r"own\.1"):
        parse_helper_event(TRACED.replace(b"e4b8", b"e4b"))


def test_what_was_not_chosen_is_not_asked() -> None:
    request = ops.Request(
        request="r",
        window="w",
        method="specasr",
        budget=4,
        admission="text",
        task="transcribe",
        language="en",
        words=False,
        audit=False,
        producer_done=False,
    )
    assert not {"confidence", "patience"} & json.loads(to_line(request)).keys()
    chosen = request.model_copy(update={"confidence": 0.4})
    assert json.loads(to_line(chosen))["confidence"] == 0.4
    assert parse_op(to_line(chosen)) == chosen


def test_an_unknown_field_is_refused_with_its_name() -> None:
    with pytest.raises(HelperFailed, match="colour"):
        parse_helper_event(TELEMETRY.replace(b'"t":5', b'"t":5,"colour":1'))


def test_a_number_is_not_taken_for_a_text() -> None:
    with pytest.raises(InputRefused, match="model"):
        parse_op(b'{"op":"unload","id":1,"model":5}')


def test_host_and_helper_events_are_told_apart_also_where_a_helper_field_is_called_host() -> None:
    queued = RecordingQueued(t=1, recording="a1", audio='odd "host": name.wav')
    assert parse_recorded(to_line(queued)) == queued
    assert isinstance(parse_recorded(TELEMETRY), Telemetry)


def test_a_text_that_looks_like_a_key_does_not_confuse() -> None:
    hello = Hello.model_validate_json(
        b'{"event":"hello","t":1,"seq":0,"protocol":1,"build":"\\"host\\":","mnn":"3","cpu":'
        b'{"arch":"x","features":[],"cores":1},"methods":[],"pid":1}'
    )
    assert parse_recorded(to_line(hello)) == hello


@pytest.mark.parametrize(("union", "key"), [(ops.Op, "op"), (HelperEvents, "event"), (HostEvents, "host")])
def test_every_message_is_in_the_schema_under_its_name(union: object, key: str) -> None:
    schema = protocol_schema()
    definitions = schema["$defs"]
    assert isinstance(definitions, dict)
    for member in get_args(get_args(union)[0]):
        properties = definitions[member.__name__]["properties"]
        assert properties[key]["const"] == member.model_fields[key].default
        assert definitions[member.__name__]["additionalProperties"] is False


def test_the_published_schema_is_that_of_the_models(repository: Path) -> None:
    published = repository / "backend" / "protocol" / "protocol-v3.schema.json"
    assert published.read_text(encoding="utf-8") == schema_text()
    assert json.loads(schema_text())["title"].endswith("version 3")
