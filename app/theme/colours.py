"""The colours of the window, by name, for light and dark. Knows no Qt."""

from __future__ import annotations

import json
from functools import cache
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from as2d.backend.paths import resources_dir

Scheme = Literal["light", "dark"]
_HEX = r"^#[0-9a-f]{6}$"


class Colours(BaseModel):
    """The colours of frames, controls and texts; `#rrggbb`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    window: str = Field(pattern=_HEX)
    surface: str = Field(pattern=_HEX)
    sunken: str = Field(pattern=_HEX)
    raised: str = Field(pattern=_HEX)
    hover: str = Field(pattern=_HEX)
    selected: str = Field(pattern=_HEX)
    text: str = Field(pattern=_HEX)
    secondary: str = Field(pattern=_HEX)
    disabled: str = Field(pattern=_HEX)
    border: str = Field(pattern=_HEX)
    control_border: str = Field(pattern=_HEX)
    accent: str = Field(pattern=_HEX)
    accent_hover: str = Field(pattern=_HEX)
    accent_text: str = Field(pattern=_HEX)
    focus: str = Field(pattern=_HEX)
    danger: str = Field(pattern=_HEX)
    danger_surface: str = Field(pattern=_HEX)
    warning: str = Field(pattern=_HEX)
    warning_surface: str = Field(pattern=_HEX)
    success: str = Field(pattern=_HEX)


@cache
def colours_of(scheme: Scheme) -> Colours:
    """The colours of frames, controls and texts."""
    return Colours.model_validate(_read("theme.json")[scheme])


@cache
def data_colours_of(scheme: Scheme) -> dict[str, str]:
    """The colours of what is shown of decoding (`accepted`, `correction` …), safe for colour-blind eyes."""
    return dict(_read("palette.json")[scheme])


def _read(name: str) -> dict[str, dict[str, str]]:
    content: dict[str, dict[str, str]] = json.loads((resources_dir() / name).read_text(encoding="utf-8"))
    return content
