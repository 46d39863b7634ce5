"""How the wheel is put together: the dependencies, the helper program and the platform tag."""

from __future__ import annotations

import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface


def _pinned(path: Path) -> list[str]:
    """The requirements of a `.in` file, without its comments."""
    lines = (line.split("#", 1)[0].strip() for line in path.read_text(encoding="utf-8").splitlines())
    return [line for line in lines if line]


class PinnedDependencies(MetadataHookInterface):
    """Takes the dependencies from requirements/, the one place that names them."""

    def update(self, metadata: dict[str, Any]) -> None:
        requirements = Path(self.root) / "requirements"
        metadata["dependencies"] = _pinned(requirements / "runtime.in")
        metadata["optional-dependencies"] = {
            "studio": _pinned(requirements / "app.in"),
            "sweep": _pinned(requirements / "sweep.in"),
            "dev": _pinned(requirements / "dev.in"),
        }


class HelperInWheel(BuildHookInterface[Any]):
    """Puts the packages, the resources and the built helpers into the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        root = Path(self.root)
        helper = root / "build" / "native" / "as2d-helper"
        if not helper.is_file():
            raise SystemExit(f"The helper is not built: {helper} is missing; run `make helper` first.")
        phone_helper = root / "build" / "arm64" / "as2d-helper"
        if not phone_helper.is_file():
            raise SystemExit(
                f"The helper for phones is not built: {phone_helper} is missing; "
                "run `make helper-arm64` first."
            )
        build_data["force_include"].update(
            {
                str(root / "src" / "as2d" / "__init__.py"): "as2d/__init__.py",
                str(root / "app"): "as2d/app",
                str(root / "backend"): "as2d/backend",
                str(root / "resources"): "as2d/resources",
                str(helper): "as2d/bin/as2d-helper",
                str(phone_helper): "as2d/bin/arm64/as2d-helper",
            }
        )
        # Where desktops look for programs and their icons below the prefix that pip installs into.
        build_data["shared_data"].update(
            {
                str(
                    root / "packaging" / "desktop" / "as2d-studio.desktop"
                ): "share/applications/as2d-studio.desktop",
                str(root / "resources" / "icons" / "as2d-studio.svg"): (
                    "share/icons/hicolor/scalable/apps/as2d-studio.svg"
                ),
            }
        )
        build_data["pure_python"] = False
        build_data["tag"] = "py3-none-" + sysconfig.get_platform().replace("-", "_").replace(".", "_")
