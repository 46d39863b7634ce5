"""Brings the MNN source tree: fetched with cargo by name and checked file by file, or the user's own."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

OLDEST_CARGO = (1, 85)
CARGO_HINT = (
    "install cargo 1.85 or newer (Debian 12: `apt-get install cargo-web`; elsewhere rustup), "
    "or give your own MNN tree with -DMNN_SOURCE_DIR=FOLDER"
)


class SourceError(Exception):
    """The MNN source cannot be used; the message is a sentence for the user."""


@dataclass(frozen=True)
class CratePin:
    """A crate that carries the MNN tree in its folder `vendor`.

    `sha256` is the digest of the crate as the registry names it; `tree_sha256` the digest of the MNN tree as
    `tree_digest` computes it, which holds whatever the registry or cargo says.
    """

    name: str
    version: str
    sha256: str
    tree_sha256: str


def sha256_of(path: Path) -> str:
    """SHA-256 of a file, as lower-case hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _files(root: Path) -> list[str]:
    """Relative POSIX paths of all files below `root`, sorted; links are refused."""
    found: list[str] = []
    for folder, folders, names in os.walk(root):
        for name in folders + names:
            if (Path(folder) / name).is_symlink():
                raise SourceError(
                    f"The MNN source holds a link, {Path(folder) / name}, which is not followed."
                )
        found.extend((Path(folder) / name).relative_to(root).as_posix() for name in names)
    return sorted(found)


def tree_digest(root: Path) -> str:
    """SHA-256 over the sorted lines `<sha256 of file>  <relative path>\\n` of all files below `root`.

    Files and folders whose names begin with a dot are left out: they are version control's, and whether cargo
    keeps them depends on its version.
    """
    digest = hashlib.sha256()
    for name in _files(root):
        if name.startswith(".") or "/." in name:
            continue
        digest.update(f"{sha256_of(root / name)}  {name}\n".encode())
    return digest.hexdigest()


def verify_crate(crate: Path, pin: CratePin) -> Path:
    """Checks a vendored crate against its pin and against its own list of files.

    Returns:
        the MNN tree inside it.

    Raises:
        SourceError: another crate, a file changed, missing or too many.
    """
    listing = json.loads((crate / ".cargo-checksum.json").read_text(encoding="utf-8"))
    if listing["package"] != pin.sha256:
        raise SourceError(
            f"The crate {pin.name} {pin.version} has the SHA-256 {listing['package']} instead of "
            f"{pin.sha256}; it is not the one that this project was checked with, so it is not used."
        )
    listed: dict[str, str] = listing["files"]
    present = {name for name in _files(crate) if name != ".cargo-checksum.json"}
    wrong = sorted(set(listed) ^ present)
    wrong += [name for name in sorted(present & set(listed)) if sha256_of(crate / name) != listed[name]]
    if wrong:
        raise SourceError(
            f"{len(wrong)} files of the crate {pin.name} {pin.version} are changed, missing or too many "
            f"(the first: {wrong[0]}); fetch it again."
        )
    tree = crate / "vendor"
    if (digest := tree_digest(tree)) != pin.tree_sha256:
        raise SourceError(
            f"The MNN tree in the crate {pin.name} {pin.version} has the digest {digest} instead of "
            f"{pin.tree_sha256}; it is not used."
        )
    return tree


def find_cargo() -> Path:
    """The cargo program, new enough to read the crates that come along.

    Raises:
        SourceError: there is none or it is too old.
    """
    home = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"))
    found = shutil.which("cargo") or shutil.which("cargo", path=str(home / "bin"))
    if found is None:
        raise SourceError(f"MNN's source is fetched with cargo, which is not installed; {CARGO_HINT}.")
    said = subprocess.run([found, "--version"], capture_output=True, text=True, check=False).stdout
    version = re.search(r"(\d+)\.(\d+)", said)
    if version is None or (int(version[1]), int(version[2])) < OLDEST_CARGO:
        raise SourceError(
            f"MNN's source is fetched with cargo, and {found} is too old ({said.strip()}); {CARGO_HINT}."
        )
    return Path(found)


def fetch_crate(pin: CratePin, folder: Path) -> Path:
    """Fetches the crate into `folder` (empty or absent) and verifies it; no Rust is compiled.

    Returns:
        the MNN tree.

    Raises:
        SourceError: cargo is missing or failed, or the crate is not the pinned one.
    """
    cargo = find_cargo()
    stub = folder / "stub"
    (stub / "src").mkdir(parents=True)
    (stub / "src" / "lib.rs").touch()
    (stub / "Cargo.toml").write_text(
        '[package]\nname = "fetch"\nversion = "0.0.0"\nedition = "2021"\n'
        f'[dependencies]\n{pin.name} = "={pin.version}"\n[workspace]\n',
        encoding="utf-8",
    )
    vendored = folder / "crates"
    fetch = [str(cargo), "vendor", "--manifest-path", str(stub / "Cargo.toml"), str(vendored)]
    # What cargo fetched before is enough; the network is asked only when it is not.
    for attempt in ([*fetch, "--offline"], fetch):
        shutil.rmtree(vendored, ignore_errors=True)
        done = subprocess.run(attempt, capture_output=True, text=True, check=False, cwd=stub)
        if done.returncode == 0:
            return verify_crate(vendored / pin.name, pin)
    last = done.stderr.strip().splitlines()[-12:]
    raise SourceError(
        f"cargo could not fetch the crate {pin.name} {pin.version}, which carries MNN's source; check the "
        "network and run this again, or give your own MNN tree with -DMNN_SOURCE_DIR=FOLDER.\n"
        + "\n".join(last)
    )


def check_own_tree(root: Path, version: str) -> None:
    """Checks that a user's folder is an MNN tree of the wanted version.

    Raises:
        SourceError: it is not.
    """
    header = root / "include" / "MNN" / "MNNDefine.h"
    if not header.is_file() or not (root / "CMakeLists.txt").is_file():
        raise SourceError(f"{root} is not an MNN source tree ({header} is missing); correct MNN_SOURCE_DIR.")
    text = header.read_text(encoding="utf-8", errors="replace")
    parts = [re.search(rf"#define MNN_VERSION_{part} (\d+)", text) for part in ("MAJOR", "MINOR", "PATCH")]
    found = ".".join(part[1] if part else "?" for part in parts)
    if found != version:
        raise SourceError(f"{root} is MNN {found}, but MNN {version} is needed; correct MNN_SOURCE_DIR.")
