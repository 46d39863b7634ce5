"""What one kind of phone says of itself: data, read from profiles/<name>.toml."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.phone.standin.phone_init import FIXTURES

FOLDER = Path(__file__).with_name("profiles")
MODERN_FEATURES = (
    "shell_v2",
    "cmd",
    "stat_v2",
    "ls_v2",
    "fixed_push_mkdir",
    "fixed_push_symlink_timestamp",
    "sendrecv_v2",
    "sendrecv_v2_dry_run_send",
)


@dataclass(frozen=True)
class Profile:
    """One phone. Paths are the phone's own."""

    name: str
    properties: dict[str, str]  # as getprop prints them
    files: dict[str, str] = field(default_factory=dict)  # path → text
    dumpsys: dict[str, str] = field(default_factory=dict)  # service → text
    denied: tuple[str, ...] = ()  # paths that nobody may read
    features: tuple[str, ...] = MODERN_FEATURES

    @property
    def banner(self) -> str:
        """What the phone says of itself when it is connected."""
        names = ("ro.product.name", "ro.product.model", "ro.product.device")
        told = "".join(f"{name}={self.properties.get(name, '')};" for name in names)
        return f"device::{told}features={','.join(self.features)}"


def names() -> list[str]:
    """The profiles that there are."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def load(name: str) -> Profile:
    """Reads a profile; raises FileNotFoundError for a name that is none."""
    data: dict[str, Any] = tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
    files = {path: str(text) for path, text in data.get("files", {}).items()}
    files |= {f"/{FIXTURES}/proc/{name}": text for name, text in data.get("proc", {}).items()}
    return Profile(
        name=name,
        properties={key: str(value) for key, value in data["properties"].items()},
        files=files,
        dumpsys=data.get("dumpsys", {}),
        denied=tuple(data.get("denied", ())),
        features=tuple(data.get("features", MODERN_FEATURES)),
    )
