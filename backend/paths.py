"""Where AS²D keeps its state, its own resources and the helper program.

`AS2D_DATA_DIR`, `AS2D_CACHE_DIR`, `AS2D_HELPER` and `AS2D_HELPER_ARM64` override the platform's places.
Nothing here creates a folder.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import platformdirs

from as2d.backend.errors import HelperFailed

_APPLICATION = "as2d"
_HELPER_NAME = "as2d-helper.exe" if sys.platform == "win32" else "as2d-helper"

# The links in src/ resolve to the checkout's root; an installed package resolves to its own folder.
_ROOT = Path(__file__).resolve().parents[1]


def _override(variable: str) -> Path | None:
    value = os.environ.get(variable, "")
    # Unlike Path.expanduser this leaves the name of an unknown user as it is.
    return Path(os.path.expanduser(value)).absolute() if value else None  # noqa: PTH111


def data_dir() -> Path:
    """Folder of what the user keeps: models, runs, device profiles."""
    return _override("AS2D_DATA_DIR") or Path(platformdirs.user_data_dir(_APPLICATION, appauthor=False))


def cache_dir() -> Path:
    """Folder of what can be made again: downloads and builds of MNN."""
    return _override("AS2D_CACHE_DIR") or Path(platformdirs.user_cache_dir(_APPLICATION, appauthor=False))


def models_dir() -> Path:
    """Folder of the installed models."""
    return data_dir() / "models"


def runs_dir() -> Path:
    """Folder of the recorded runs and their index."""
    return data_dir() / "runs"


def takings_dir() -> Path:
    """Folder of what was recorded from the microphone."""
    return data_dir() / "recordings"


def profiles_dir() -> Path:
    """Folder of the measured device profiles."""
    return data_dir() / "profiles"


def resources_dir() -> Path:
    """Folder of the files that AS²D brings along: sample recording, model catalogue, icons."""
    return _ROOT / "resources"


def helper_path() -> Path:
    """The helper program for this computer.

    Looked for in this order: the file that `AS2D_HELPER` names, the one inside the installed package, the one
    built in this checkout.

    Raises:
        HelperFailed: there is none, or `AS2D_HELPER` names something that is not a program.
    """
    named = _override("AS2D_HELPER")
    if named is not None:
        if not _is_program(named):
            raise HelperFailed(
                f"The helper program {named}, which AS2D_HELPER names, is not an executable file; "
                "correct AS2D_HELPER or unset it."
            )
        return named
    packaged = _ROOT / "bin" / _HELPER_NAME
    built = _ROOT / "build" / "native" / _HELPER_NAME
    for candidate in (packaged, built):
        if _is_program(candidate):
            return candidate
    raise HelperFailed(f"The helper program is not built: {built} is missing; run `make helper` in {_ROOT}.")


def arm64_helper_path() -> Path:
    """The helper program for phones, a static program for 64-bit ARM.

    Looked for in this order: the file that `AS2D_HELPER_ARM64` names, the one inside the installed package,
    the one built in this checkout.

    Raises:
        HelperFailed: there is none, or `AS2D_HELPER_ARM64` names something that is not a program for 64-bit
            ARM.
    """
    named = _override("AS2D_HELPER_ARM64")
    if named is not None:
        if not _is_for_arm64(named):
            raise HelperFailed(
                f"The helper program {named}, which AS2D_HELPER_ARM64 names, is not a program for "
                "64-bit ARM; correct AS2D_HELPER_ARM64 or unset it."
            )
        return named
    packaged = _ROOT / "bin" / "arm64" / "as2d-helper"
    built = _ROOT / "build" / "arm64" / "as2d-helper"
    for candidate in (packaged, built):
        if _is_for_arm64(candidate):
            return candidate
    raise HelperFailed(
        f"The helper program for phones is not built: {built} is missing; run `make helper-arm64` in {_ROOT}."
    )


def _is_for_arm64(path: Path) -> bool:
    """Whether the file is a little-endian ELF program for AArch64 (e_machine 183 at byte 18)."""
    try:
        with path.open("rb") as file:
            head = file.read(20)
    except OSError:
        return False
    return head[:6] == b"\x7fELF\x02\x01" and head[18:20] == b"\xb7\x00"


def _is_program(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)
