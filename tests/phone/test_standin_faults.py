"""Every fault that the stand-in can have, as the real adb sees it."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.phone.standin.adb_server import AdbServer
from tests.phone.standin.other_adb import OtherAdbServer
from tests.phone.standin.phone import StandIn
from tests.phone.waiting import until

MIB = 1024 * 1024
REMOTE = "/data/local/tmp/file.bin"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    made = tmp_path / "file.bin"
    made.write_bytes(os.urandom(3 * MIB))
    return made


@contextmanager
def running(
    adb: AdbServer, phone: StandIn, command: str, *, before: str = ":"
) -> Iterator[subprocess.Popen[bytes]]:
    """A command on the phone; what must have been done `before` is done."""
    process = subprocess.Popen(
        adb.command("-s", phone.address, "shell", f"{before}; echo started; {command}"),
        env=adb.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == b"started\n"
        yield process
    finally:
        process.kill()
        process.communicate()


def state(adb: AdbServer, phone: StandIn) -> str:
    listed = adb.run("devices").stdout.decode()
    found = [line.split("\t")[1] for line in listed.splitlines() if line.startswith(phone.address + "\t")]
    return found[0] if found else "absent"


@pytest.mark.parametrize("after", [0, 1, 70_001, 2 * MIB])
def test_unplugged_in_a_push(after: int, adb_server: AdbServer, phone: StandIn, file: Path) -> None:
    phone.unplug_after(after, service="sync:")
    assert adb_server.run("-s", phone.address, "push", file, REMOTE).returncode != 0
    until(lambda: REMOTE not in phone.files(), "adbd takes the half file away")
    phone.plug_in()
    adb_server.connect(phone.address)
    assert adb_server.run("-s", phone.address, "push", file, REMOTE).returncode == 0
    assert phone.files()[REMOTE] == file.stat().st_size


def test_unplugged_in_a_pull(adb_server: AdbServer, phone: StandIn, file: Path, tmp_path: Path) -> None:
    adb_server.run("-s", phone.address, "push", file, REMOTE)
    phone.unplug_after(MIB + 5, direction="to_host", service="sync:")
    assert adb_server.run("-s", phone.address, "pull", REMOTE, tmp_path / "back").returncode != 0
    assert not (tmp_path / "back").exists() or (tmp_path / "back").stat().st_size < file.stat().st_size


def test_unplugged_programs_are_hung_up(adb_server: AdbServer, phone: StandIn) -> None:
    with running(adb_server, phone, "exec sleep 1000") as process:
        until(lambda: any("sleep" in words for words in phone.processes().values()), "it runs")
        phone.unplug()
        process.wait()
    until(lambda: phone.processes() == {}, "the program has ended")


def test_a_program_that_ignores_the_hang_up_stays(adb_server: AdbServer, phone: StandIn) -> None:
    with running(adb_server, phone, "sleep 1000; sleep 1001", before="trap '' HUP PIPE"):
        phone.unplug()
    until(lambda: phone.kill("bin/sleep sleep 1000") != [], "it goes on")
    until(lambda: phone.kill("bin/sleep sleep 1001") != [], "and goes on")
    until(lambda: phone.processes() == {}, "the killed program has ended")


@pytest.mark.parametrize("direction", ["to_phone", "to_host"])
def test_a_stalled_link_says_nothing_and_goes_on(
    direction: str, adb_server: AdbServer, phone: StandIn, file: Path, tmp_path: Path
) -> None:
    if direction == "to_phone":
        phone.stall_after(MIB, service="sync:")
        command = ["push", str(file), REMOTE]
    else:
        adb_server.run("-s", phone.address, "push", file, REMOTE)
        phone.stall_after(MIB, direction="to_host", service="sync:")
        command = ["pull", REMOTE, str(tmp_path / "back")]
    stalled = phone.cable.passed["to_phone"] + phone.cable.passed["to_host"]
    process = subprocess.Popen(
        adb_server.command("-s", phone.address, *command),
        env=adb_server.environment,
        stdout=subprocess.DEVNULL,
    )
    until(lambda: phone.cable.stalled, "the link stalls")
    assert phone.cable.passed["to_phone"] + phone.cable.passed["to_host"] - stalled < file.stat().st_size
    assert process.poll() is None
    assert state(adb_server, phone) == "device"
    phone.cable.resume()
    assert process.wait() == 0
    assert phone.files()[REMOTE] == file.stat().st_size


def test_a_slow_link_takes_its_time(adb_server: AdbServer, phone: StandIn, file: Path) -> None:
    phone.cable.bytes_per_second = 4 * MIB
    start = time.monotonic()
    assert adb_server.run("-s", phone.address, "push", file, REMOTE).returncode == 0
    assert time.monotonic() - start >= file.stat().st_size / (4 * MIB)


def test_a_full_disk_refuses_files_and_shell_writes(
    standin: Callable[..., StandIn], adb_server: AdbServer, file: Path
) -> None:
    phone = standin(disk_bytes=8 * MIB)
    adb_server.connect(phone.address)
    phone.fill_disk(MIB)
    pushed = adb_server.run("-s", phone.address, "push", file, REMOTE)
    assert pushed.returncode != 0
    assert b"No space left on device" in pushed.stdout + pushed.stderr
    assert phone.files() == {}
    written = adb_server.run("-s", phone.address, "shell", f"head -c 2000000 /dev/zero >{REMOTE}")
    assert written.returncode != 0
    assert 0 < phone.files()[REMOTE] <= MIB
    said = adb_server.run("-s", phone.address, "shell", "df -k /data | tail -1").stdout.split()
    assert said[5:] == [b"/data"]
    phone.empty_disk()
    assert adb_server.run("-s", phone.address, "push", file, REMOTE).returncode == 0


def test_a_killed_program_says_so(adb_server: AdbServer, phone: StandIn) -> None:
    with running(adb_server, phone, "exec sleep 1000") as process:
        until(lambda: any("sleep" in words for words in phone.processes().values()), "it runs")
        assert len(phone.kill("sleep 1000")) == 1
        assert process.wait() == 128 + 9


def test_a_reboot_ends_everything_and_keeps_the_files(
    standin: Callable[..., StandIn], adb_server: AdbServer, file: Path
) -> None:
    phone = standin(disk_bytes=8 * MIB)
    adb_server.connect(phone.address)
    adb_server.run("-s", phone.address, "push", file, REMOTE)
    asked = "cat /proc/sys/kernel/random/boot_id"
    before = adb_server.run("-s", phone.address, "shell", asked).stdout
    with running(adb_server, phone, "sleep 1000", before="trap '' HUP") as process:
        adb_server.run("-s", phone.address, "reboot")
        assert process.wait() != 0
    until(lambda: phone.boots == 2, "the phone is back")
    adb_server.connect(phone.address)
    assert phone.processes() == {}
    after = adb_server.run("-s", phone.address, "shell", asked).stdout
    assert len(after) == len(before) == 37
    assert after != before
    assert phone.files()[REMOTE] == file.stat().st_size
    uptime = adb_server.run("-s", phone.address, "shell", "cat /proc/uptime").stdout
    assert float(uptime.split()[0]) < time.clock_gettime(time.CLOCK_BOOTTIME)


def test_the_clock_jumps_for_programs_that_start_later(adb_server: AdbServer, phone: StandIn) -> None:
    def uptime() -> float:
        said = adb_server.run("-s", phone.address, "shell", "cat /proc/uptime").stdout
        return float(said.split()[0])

    before = uptime()
    phone.machine.jump_clocks(boottime_seconds=7200)
    assert uptime() - before >= 7200


def test_a_computer_that_is_not_accepted_waits(
    standin: Callable[..., StandIn], adb_server: AdbServer
) -> None:
    phone = standin(authorized=False)
    adb_server.run("connect", phone.address)
    until(lambda: state(adb_server, phone) == "unauthorized", "adb says unauthorized")
    phone.authorize()
    until(lambda: state(adb_server, phone) == "device", "the accepted computer is let in")
    phone.revoke()
    adb_server.run("disconnect", phone.address)
    adb_server.run("connect", phone.address)
    until(lambda: state(adb_server, phone) == "unauthorized", "adb says unauthorized again")


def test_a_silent_phone_is_offline(standin: Callable[..., StandIn], adb_server: AdbServer) -> None:
    phone = standin()
    adb_server.connect(phone.address)
    phone.set_silent(True)
    until(lambda: state(adb_server, phone) == "offline", "adb says offline")
    phone.set_silent(False)
    adb_server.connect(phone.address)
    assert state(adb_server, phone) == "device"


@pytest.mark.parametrize("kind", ["recovery", "sideload"])
def test_other_states(kind: str, standin: Callable[..., StandIn], adb_server: AdbServer) -> None:
    phone = standin(kind=kind)
    adb_server.connect(phone.address, state=kind)
    assert state(adb_server, phone) == kind


def test_an_old_shell_has_a_terminal_and_no_exit_code(
    standin: Callable[..., StandIn], adb_server: AdbServer
) -> None:
    phone = standin(features=("cmd",), terminal_shell=True)
    adb_server.connect(phone.address)
    done = adb_server.run("-s", phone.address, "shell", "echo out; echo err >&2; exit 7")
    assert (done.returncode, done.stdout) == (0, b"out\r\nerr\r\n")
    raw = adb_server.run("-s", phone.address, "exec-out", "echo out; exit 7")
    assert (raw.returncode, raw.stdout) == (0, b"out\n")


def test_an_adb_server_of_another_version_is_named_and_ended(adb_server: AdbServer) -> None:
    with OtherAdbServer(version=40) as other:
        done = subprocess.run(
            adb_server.command("devices"),
            env={**adb_server.environment, "ANDROID_ADB_SERVER_PORT": str(other.port)},
            capture_output=True,
            text=True,
            check=False,
        )
        try:
            assert "adb server version (40) doesn't match this client (41); killing..." in done.stderr
            assert other.killed == 1
        finally:
            subprocess.run(
                adb_server.command("kill-server"),
                env={**adb_server.environment, "ANDROID_ADB_SERVER_PORT": str(other.port)},
                capture_output=True,
                check=False,
            )


def test_two_phones_of_one_model_work_at_once(
    standin: Callable[..., StandIn], adb_server: AdbServer, file: Path
) -> None:
    phones = [standin(serial="aaa1"), standin(serial="aaa2")]
    for phone in phones:
        adb_server.connect(phone.address)
    results: list[int] = []

    def push(phone: StandIn) -> None:
        results.append(adb_server.run("-s", phone.address, "push", file, REMOTE).returncode)

    threads = [threading.Thread(target=push, args=(phone,)) for phone in phones for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [0, 0, 0, 0]
    serials = [adb_server.run("-s", phone.address, "shell", "getprop ro.serialno").stdout for phone in phones]
    assert serials == [b"aaa1\n", b"aaa2\n"]
    phones[0].unplug()
    assert adb_server.run("-s", phones[1].address, "shell", "echo here").stdout == b"here\n"
