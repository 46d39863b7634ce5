"""What can be chosen for decoding: models, methods, moments, devices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from as2d.app.translation import tr
from as2d.app.viewmodels.device_facts import state_sentence, state_word, ways_text
from as2d.app.viewmodels.sizes import size_text
from as2d.backend.models.catalogue import all_entries
from as2d.backend.models.names import installed_names
from as2d.backend.paths import models_dir
from as2d.backend.transcribe.methods import METHODS, TARGET_ONLY

if TYPE_CHECKING:
    from as2d.backend.devices.phone import Phone
    from as2d.backend.protocol.ops import Role


@dataclass(frozen=True)
class Choice:
    """One entry of a picker; `detail` says more about it."""

    value: str | None
    text: str
    detail: str = ""
    usable: bool = True


def models_for(role: Role, chosen: str | None) -> list[Choice]:
    """The models that can take the role: those of the catalogue, and the one that was chosen."""
    there = installed_names(models_dir())
    found = []
    for name, entry in all_entries().items():
        if role in entry.roles:
            size = size_text(entry.installed_size)
            detail = (
                tr("installed") if name in there else tr("is installed at the first run, {size}", size=size)
            )
            found.append(Choice(name, entry.title, f"{name}: {entry.summary} ({detail})"))
    if chosen is not None and all(choice.value != chosen for choice in found):
        found.append(Choice(chosen, Path(chosen).name, chosen))
    if role == "drafter":
        found.append(Choice(None, tr("None"), tr("Every method then decodes by the target alone.")))
    return found


def methods() -> list[Choice]:
    """The methods, with what each does."""
    names = {
        "as2d": ("AS²D", tr("The drafter follows only its own words and never waits, nor does the target.")),
        TARGET_ONLY: (tr("Target only"), tr("The target decodes token by token, without drafts.")),
        "sd": (tr("Speculative (SD)"), tr("After each call the drafter goes on from the target's text.")),
        "specasr": ("SpecASR", tr("As SD, but a draft ends where the drafter is unsure.")),
        "lookahead": (tr("Prefix lookahead"), tr("While the target verifies, the drafter drafts on.")),
        "as2d-resync": (
            tr("AS²D with restarts"),
            tr("As AS²D, but the drafter starts again from the target's text when its draft no longer fits."),
        ),
        "as2d-serial": (tr("AS²D, serial"), tr("The drafts of AS²D, made in the target's time.")),
        "without-td": (
            tr("AS²D without decoupling"),
            tr("As AS²D, but from the target's text and in the target's time."),
        ),
    }
    ordered = [name for name in names if name in METHODS] + [name for name in METHODS if name not in names]
    return [Choice(name, *names.get(name, (name, ""))) for name in ordered]


def start_conditions() -> list[Choice]:
    """When drafting begins."""
    return [
        Choice("pre-drafted", tr("With the audio"), tr("Drafting begins while the audio is prepared.")),
        Choice("request-start", tr("With the request"), tr("Drafting begins when decoding is asked for.")),
    ]


def preparings() -> list[Choice]:
    """When windows are prepared."""
    return [
        Choice("isolated", tr("One by one"), tr("Each window is prepared and then decoded.")),
        Choice(
            "ahead",
            tr("Next one ahead"),
            tr("A recording's next window is prepared while one is decoded, whatever cores there are."),
        ),
    ]


def devices(phones: Sequence[Phone], chosen: str | None) -> list[Choice]:
    """This computer, the phones in any state, and the one that was chosen and is away."""
    found = [Choice(None, tr("This computer"), tr("Decodes here, in a program of its own."))]
    for phone in phones:
        if phone.ready:
            found.append(Choice(phone.id, phone.name, tr("Ready, by {ways}", ways=ways_text(phone))))
        else:
            name = f"{phone.name} ({state_word(phone)})"
            found.append(Choice(phone.id, name, state_sentence(phone), phone.id == chosen))
    if chosen is not None and all(choice.value != chosen for choice in found):
        away = tr("It is not connected; plug it in, or choose another device.")
        found.append(Choice(chosen, tr("{phone} (away)", phone=chosen), away))
    return found
