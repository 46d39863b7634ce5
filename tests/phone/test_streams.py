"""Commands on phones, with and without shell v2: streams apart while they run, and never a wrong end."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from tests.phone.standin.adb_server import AdbServer
from tests.phone.standin.phone import StandIn
from tests.phone.waiting import until

from as2d.backend.devices.adb.connection import (
    AdbTarget,
    ServiceRefused,
    TransportLost,
    features_of,
    open_service,
)
from as2d.backend.devices.adb.shell import ShellStream, run
from as2d.backend.models.progress import Cancelled

PATIENCE = 60.0
KINDS = {
    "shell v2": {},
    "exec": {"features": ("cmd",)},
    "terminal": {"features": ("cmd",), "terminal_shell": True},
}
Target = Callable[[StandIn], AdbTarget]


@pytest.fixture
def target_of(adb_server: AdbServer) -> Target:
    """Connects a stand-in and tells how it is reached."""

    def connect(phone: StandIn) -> AdbTarget:
        adb_server.connect(phone.address)
        return AdbTarget("127.0.0.1", adb_server.port, phone.address, label="Anna's phone")

    return connect


@pytest.fixture(params=list(KINDS))
def any_phone(request: pytest.FixtureRequest, standin: Callable[..., StandIn]) -> StandIn:
    """A phone of each kind of shell."""
    made: StandIn = standin(**KINDS[request.param])
    return made


def test_outputs_and_exit_code_are_apart(any_phone: StandIn, target_of: Target) -> None:
    target = target_of(any_phone)
    done = run(target, ["sh", "-c", "echo out; echo err >&2; exit 7"], seconds=PATIENCE)
    assert (done.code, done.text, done.err) == (7, "out\n", b"err\n")
    assert (
        run(target, ["echo", "a b", "$HOME", "it's", '"q"'], seconds=PATIENCE).text == 'a b $HOME it\'s "q"\n'
    )
    assert run(target, ["sh", "-c", "kill -9 $$"], seconds=PATIENCE).code == 137
    assert run(target, ["no-such-program"], seconds=PATIENCE).code == 127
    assert run(target, ["cat"], seconds=PATIENCE).out == b""  # its input is empty
    assert any_phone.files() == {}


def test_a_line_arrives_before_the_command_ends(any_phone: StandIn, target_of: Target) -> None:
    with ShellStream.open(
        target_of(any_phone), ["sh", "-c", 'while read -r l; do echo "$l!"; done']
    ) as stream:
        lines = stream.stdout.lines(PATIENCE)
        for text in (b'{"a":"x\\n"}', b"  two  spaces", b"\\\\ %s $x"):
            stream.write(text + b"\n")
            assert next(lines).strip() == text.strip() + b"!"
        assert stream.exit_code is None
        stream.close_input()
        assert list(lines) == []
        assert stream.wait(PATIENCE)
        assert stream.exit_code == 0


def test_nothing_waits_for_output_to_be_read(any_phone: StandIn, target_of: Target) -> None:
    data = b"".join(b"%07d %s\n" % (number, b"x" * 900) for number in range(2_000))
    with ShellStream.open(target_of(any_phone), ["sh", "-c", "cat; echo end >&2"]) as stream:
        stream.write(data)
        stream.close_input()
        assert b"".join(line + b"\n" for line in stream.stdout.lines(PATIENCE)) == data
        assert stream.stderr.read_all() == b"end\n"
        assert stream.wait(PATIENCE)
        assert stream.exit_code == 0


def test_writing_to_a_command_that_has_ended_is_told(any_phone: StandIn, target_of: Target) -> None:
    with ShellStream.open(target_of(any_phone), ["sh", "-c", "read -r x; exit 3"]) as stream:
        stream.write(b"one\n")
        assert stream.wait(PATIENCE)
        assert stream.exit_code == 3
        with pytest.raises(BrokenPipeError):
            stream.write(b"two\n")
        stream.close_input()


def test_a_command_that_is_killed_says_so(any_phone: StandIn, target_of: Target) -> None:
    with ShellStream.open(target_of(any_phone), ["sh", "-c", "echo ready; n=10; exec sleep $n$n"]) as stream:
        assert next(stream.stdout.lines(PATIENCE)) == b"ready"
        until(lambda: any_phone.kill("sleep 1010") != [], "the shell has become another program")
        assert stream.wait(PATIENCE)
        assert stream.exit_code == 137


def test_a_pulled_cable_is_no_end_of_the_command(any_phone: StandIn, target_of: Target) -> None:
    with ShellStream.open(target_of(any_phone), ["sh", "-c", "echo ready; cat"]) as stream:
        assert next(stream.stdout.lines(PATIENCE)) == b"ready"
        any_phone.unplug()
        assert list(stream.stdout.lines(PATIENCE)) == []
        assert stream.wait(PATIENCE)
        assert stream.exit_code is None
        assert isinstance(stream.problem, TransportLost)
        assert "Anna's phone" in stream.problem.message


def outcome_of(target: AdbTarget, command: list[str]) -> tuple[int, bytes, bytes] | str:
    try:
        done = run(target, command, seconds=PATIENCE)
    except (TransportLost, ServiceRefused) as error:
        return "the phone is named" if "Anna's phone" in error.message else error.message
    return done.code, done.out, done.err


@pytest.mark.parametrize("kind", ["shell v2", "exec"])
def test_wherever_the_cable_is_pulled_an_answer_is_whole_or_none(
    kind: str, standin: Callable[..., StandIn], target_of: Target
) -> None:
    phone = standin(**KINDS[kind])
    target = target_of(phone)
    command = ["sh", "-c", "echo out; echo err >&2; exit 7"]
    before = phone.cable.passed["to_host"]
    run(target, command, seconds=PATIENCE)
    # Bytes are counted once they have passed, when the answer may be here already.
    until(lambda: phone.cable.passed["to_host"] > before, "the answer was counted")
    length = phone.cable.passed["to_host"] - before
    outcomes: set[tuple[int, bytes, bytes] | str] = set()
    for count in range(0, length, 3):
        unplugged = threading.Event()

        def unplug(done: threading.Event = unplugged) -> None:
            phone.unplug()
            done.set()

        phone.cable.when(count, unplug, direction="to_host")
        outcome = outcome_of(target, command)
        assert unplugged.wait(PATIENCE)
        assert outcome in ((7, b"out\n", b"err\n"), "the phone is named")
        outcomes.add(outcome)
        phone.cable.clear()
        phone.plug_in()
        target_of(phone)
    assert "the phone is named" in outcomes


def test_another_thread_ends_a_stream(any_phone: StandIn, target_of: Target) -> None:
    with ShellStream.open(target_of(any_phone), ["sh", "-c", "echo ready; n=10; exec sleep $n$n"]) as stream:
        lines = stream.stdout.lines(PATIENCE)
        assert next(lines) == b"ready"
        threading.Timer(0.05, stream.close).start()
        assert list(lines) == []
        assert stream.wait(PATIENCE)
        assert stream.exit_code is None
    any_phone.kill("sleep 1010")


def test_a_command_is_given_up_and_cancelled(any_phone: StandIn, target_of: Target) -> None:
    target = target_of(any_phone)
    with pytest.raises(TransportLost, match="did not end within"):
        run(target, ["sh", "-c", "n=10; exec sleep $n$n"], seconds=0.3)
    asked = threading.Event()
    threading.Timer(0.3, asked.set).start()
    with pytest.raises(Cancelled):
        run(target, ["sh", "-c", "n=10; exec sleep $n$n"], seconds=PATIENCE, cancel=asked.is_set)
    any_phone.kill("sleep 1010")


def test_phones_out_of_reach_and_refused_services_are_told_apart(phone: StandIn, target_of: Target) -> None:
    target = target_of(phone)
    assert "shell_v2" in features_of(target)
    with pytest.raises(ServiceRefused, match="refuses the service 'no-such-service'"):
        open_service(target, "no-such-service:")
    phone.unplug()
    with pytest.raises(TransportLost, match="Anna's phone"):
        run(target, ["true"])
    stranger = AdbTarget(target.host, target.port, "no-such-phone")
    with pytest.raises(TransportLost, match="no-such-phone is not connected"):
        run(stranger, ["true"])
