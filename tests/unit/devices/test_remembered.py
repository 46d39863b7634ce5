"""devices.json: nicknames, addresses, and room for what later versions add."""

from __future__ import annotations

import json
import threading

import pytest

from as2d.backend.devices.remembered import CpuPlacement, RememberedDevices, RememberedPhone
from as2d.backend.errors import InputRefused, WrongUse


def test_nothing_is_remembered_before_something_is_kept(remembered: RememberedDevices) -> None:
    assert remembered.phone("A1") == RememberedPhone()
    remembered.change("A1", lambda phone: phone)
    assert not remembered.path.exists()


def test_nicknames_are_unique_and_can_be_taken_away(remembered: RememberedDevices) -> None:
    remembered.set_nickname("A1", "  my   phone ")
    assert remembered.phone("A1").nickname == "my phone"
    remembered.set_nickname("A1", "My Phone")
    with pytest.raises(WrongUse, match="A1 is already called 'MY PHONE'"):
        remembered.set_nickname("B2", "MY PHONE")
    with pytest.raises(WrongUse, match="A1 is already called 'A1'"):
        remembered.set_nickname("B2", "A1")
    remembered.set_nickname("A1", None)
    assert remembered.phone("A1").nickname is None
    remembered.set_nickname("B2", "my phone")


@pytest.mark.parametrize("name", ["", "  ", "x" * 41, "a\x07b", "-x", "this-computer", "Phone"])
def test_what_is_no_nickname_is_refused(name: str, remembered: RememberedDevices) -> None:
    with pytest.raises(WrongUse):
        remembered.set_nickname("A1", name)
    assert not remembered.path.exists()


def test_what_a_later_version_wrote_is_kept(remembered: RememberedDevices) -> None:
    content = {
        "format": 1,
        "colour": None,
        "phones": {
            "A1": {"nickname": "one", "shape": {"round": True}, "battery": {"unit": "mA", "sign": -1}},
            "B2": {"cpus": {"target": [4, 5], "spare": [0]}},
        },
    }
    remembered.path.write_text(json.dumps(content), encoding="utf-8")
    remembered.set_nickname("B2", "two")
    after = json.loads(remembered.path.read_text(encoding="utf-8"))
    assert after["colour"] is None
    assert "colour" in after
    assert after["phones"]["A1"]["shape"] == {"round": True}
    assert after["phones"]["A1"]["battery"] == {"unit": "mA", "sign": -1}
    assert after["phones"]["B2"]["cpus"]["spare"] == [0]
    assert after["phones"]["B2"]["nickname"] == "two"
    cpus = remembered.phone("B2").cpus
    assert cpus is not None
    assert cpus.target == (4, 5)


def test_calibration_and_placement_are_kept_beside_the_nickname(remembered: RememberedDevices) -> None:
    remembered.set_nickname("A1", "one")
    remembered.change("A1", lambda phone: phone.model_copy(update={"battery": {"unit": "uA"}}))
    remembered.change("A1", lambda phone: phone.model_copy(update={"cpus": CpuPlacement(target=(7,))}))
    phone = RememberedDevices(remembered.path).phone("A1")
    assert (phone.nickname, phone.battery) == ("one", {"unit": "uA"})
    assert phone.cpus == CpuPlacement(target=(7,))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("{", "no valid JSON"),
        ("[]", "must be an object"),
        ('{"format": 2, "phones": 5}', "written by a later version"),
        ('{"phones": {"A1": {"nickname": ""}}}', r"phones\.A1\.nickname must have at least 1"),
        ('{"phones": {"A1": {"addresses": "x"}}}', r"phones\.A1\.addresses must be a list"),
    ],
)
def test_a_damaged_or_later_file_is_told_and_left_alone(
    content: str, reason: str, remembered: RememberedDevices
) -> None:
    remembered.path.write_text(content, encoding="utf-8")
    with pytest.raises(InputRefused, match=reason):
        remembered.set_nickname("A1", "one")
    assert remembered.path.read_text(encoding="utf-8") == content


def test_a_folder_that_may_not_be_written_is_told(remembered: RememberedDevices) -> None:
    blocked = remembered.path.with_name("file")
    blocked.write_text("", encoding="utf-8")
    with pytest.raises(InputRefused, match="cannot be written"):
        RememberedDevices(blocked / "devices.json").set_nickname("A1", "one")


def test_several_writers_lose_nothing(remembered: RememberedDevices) -> None:
    def name(number: int) -> None:
        RememberedDevices(remembered.path).set_nickname(f"S{number}", f"phone {number}")

    threads = [threading.Thread(target=name, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(remembered.read().phones) == 12
