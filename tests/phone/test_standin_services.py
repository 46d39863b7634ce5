"""The real adb against the stand-in: what a user of adb does works, and ends as on a phone."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.phone.standin.adb_server import AdbServer
from tests.phone.standin.phone import StandIn

OLD_FEATURES = ("cmd",)


def shell(
    adb: AdbServer, phone: StandIn, command: str, data: bytes | None = None
) -> tuple[int, bytes, bytes]:
    done = adb.run("-s", phone.address, "shell", command, data=data)
    return done.returncode, done.stdout, done.stderr


def test_it_is_listed_with_its_names(adb_server: AdbServer, phone: StandIn) -> None:
    listed = adb_server.run("devices", "-l").stdout.decode()
    line = next(line for line in listed.splitlines() if line.startswith(phone.address))
    assert line.split()[1] == "device"
    assert f"model:{phone.properties['ro.product.model']}" in line
    assert adb_server.run("-s", phone.address, "get-state").stdout == b"device\n"


def test_shell_v2_keeps_outputs_and_exit_code_apart(adb_server: AdbServer, phone: StandIn) -> None:
    assert shell(adb_server, phone, "echo out; echo err >&2; exit 7") == (7, b"out\n", b"err\n")
    assert shell(adb_server, phone, "kill -9 $$")[0] == 128 + 9
    assert shell(adb_server, phone, "no-such-program")[0] == 127


def test_input_ends_and_large_data_comes_back_whole(adb_server: AdbServer, phone: StandIn) -> None:
    data = os.urandom(3_000_000)
    code, out, _ = shell(adb_server, phone, "cat; echo end >&2", data)
    assert (code, out) == (0, data)


def test_exec_out_is_binary_and_has_no_terminal(adb_server: AdbServer, phone: StandIn) -> None:
    done = adb_server.run("-s", phone.address, "exec-out", r"printf 'a\nb\r\n'; test -t 0 || echo none")
    assert done.stdout == b"a\nb\r\nnone\n"


@pytest.mark.parametrize("features", [None, OLD_FEATURES], ids=["v2", "v1"])
def test_files_travel_both_ways(
    features: tuple[str, ...] | None,
    standin: Callable[..., StandIn],
    adb_server: AdbServer,
    tmp_path: Path,
) -> None:
    phone = standin(features=features)
    adb_server.connect(phone.address)
    data = os.urandom(5_000_001)
    (tmp_path / "tree/音声").mkdir(parents=True)
    (tmp_path / "tree/音声/a file.bin").write_bytes(data)
    (tmp_path / "tree/empty").touch()
    to_phone = adb_server.run("-s", phone.address, "push", tmp_path / "tree", "/data/local/tmp/")
    assert to_phone.returncode == 0, to_phone.stderr
    assert (phone.root / "data/local/tmp/tree/音声/a file.bin").read_bytes() == data
    back = adb_server.run("-s", phone.address, "pull", "/data/local/tmp/tree", tmp_path / "back")
    assert back.returncode == 0, back.stderr
    assert (tmp_path / "back/音声/a file.bin").read_bytes() == data
    assert (tmp_path / "back/empty").read_bytes() == b""


def test_programs_run_as_the_shell_user_in_the_phones_own_tree(adb_server: AdbServer, phone: StandIn) -> None:
    code, out, _ = shell(adb_server, phone, "id -u; getprop ro.serialno; uname -m; pwd")
    assert (code, out.decode().split()) == (0, ["2000", phone.serial, "aarch64", "/"])
    assert shell(adb_server, phone, "dumpsys nonsense")[0] != 0


def test_folders_are_listed_by_both_versions(
    standin: Callable[..., StandIn], adb_server: AdbServer, tmp_path: Path
) -> None:
    listed = []
    for features in (None, OLD_FEATURES):
        phone = standin(features=features)
        adb_server.connect(phone.address)
        (tmp_path / "名前").write_bytes(b"12345")
        adb_server.run("-s", phone.address, "push", tmp_path / "名前", "/data/local/tmp/名前")
        said = adb_server.run("-s", phone.address, "ls", "/data/local/tmp").stdout.decode()
        listed.append([line.split()[1:4:2] for line in said.splitlines()])
        assert [line.split()[1] for line in said.splitlines() if line.endswith("名前")] == ["00000005"]
        assert adb_server.run("-s", phone.address, "ls", "/no/such/folder").stdout == b""
    assert listed[0] == listed[1]


def test_a_terminal_is_given_where_it_is_asked_for(adb_server: AdbServer, phone: StandIn) -> None:
    asked = "test -t 0 && test -t 1 && echo terminal; exit 3"
    done = adb_server.run("-s", phone.address, "shell", "-tt", asked)
    assert (done.returncode, done.stdout) == (3, b"terminal\r\n")
    assert shell(adb_server, phone, asked)[:2] == (3, b"")


def test_the_kernel_and_the_build_are_the_profiles(adb_server: AdbServer, phone: StandIn) -> None:
    _, out, _ = shell(adb_server, phone, "uname -r; cut -d' ' -f3 /proc/version; id")
    told = out.decode().splitlines()
    assert told == [phone.profile.kernel, phone.profile.kernel, "uid=2000(shell) gid=2000(shell)"]


def test_a_reconnected_phone_comes_back(adb_server: AdbServer, phone: StandIn) -> None:
    assert adb_server.run("-s", phone.address, "reconnect", "device").returncode == 0
    adb_server.connect(phone.address)
    assert shell(adb_server, phone, "echo here")[1] == b"here\n"


def test_many_services_work_at_once(adb_server: AdbServer, phone: StandIn) -> None:
    data = [os.urandom(300_000) for _ in range(6)]
    with ThreadPoolExecutor(6) as pool:
        came = list(pool.map(lambda piece: shell(adb_server, phone, "cat", piece)[1], data))
    assert came == data
