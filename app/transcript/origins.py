"""How the origins of tokens look and are called: by line, ground and words, never by colour alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from PySide6.QtGui import QColor, QTextCharFormat

from as2d.app.theme.theme import Theme
from as2d.app.translation import tr
from as2d.app.viewmodels.transcript import Piece
from as2d.backend.protocol.decode_events import Origin

Kind = Literal["accepted", "correction", "target-only", "edited"]
KINDS: tuple[Kind, ...] = ("accepted", "correction", "target-only", "edited")

_LINES = {
    "accepted": QTextCharFormat.UnderlineStyle.SingleUnderline,
    "correction": QTextCharFormat.UnderlineStyle.WaveUnderline,
    "target-only": QTextCharFormat.UnderlineStyle.DotLine,
    "edited": QTextCharFormat.UnderlineStyle.DashUnderline,
}
_GROUND_ALPHA = {"accepted": 0, "correction": 52, "target-only": 0, "edited": 30}


@dataclass(frozen=True)
class KindLook:
    """What a kind of origin is called, and its format."""

    kind: Kind
    name: str
    form: QTextCharFormat


def kind_of_piece(piece: Piece) -> Kind:
    """What a piece of a text is."""
    return "edited" if piece.edited else kind_of(piece.origin)


def colour_of(kind: Kind, theme: Theme) -> QColor:
    """The colour of a kind."""
    return QColor(theme.colours.warning if kind == "edited" else theme.data[kind])


def kind_of(origin: Origin) -> Kind:
    """The prefill's token and a guard's are the target's alone."""
    if origin == "accepted":
        return "accepted"
    return "correction" if origin == "correction" else "target-only"


def kind_name(kind: Kind) -> str:
    """What the legend calls a kind."""
    return {
        "accepted": tr("accepted draft"),
        "correction": tr("target's own, in the same call"),
        "target-only": tr("target alone"),
        "edited": tr("edited"),
    }[kind]


def looks(theme: Theme) -> dict[Kind, KindLook]:
    """The looks of all kinds in the theme's colours."""
    found: dict[Kind, KindLook] = {}
    for kind in KINDS:
        colour = colour_of(kind, theme)
        form = QTextCharFormat()
        form.setUnderlineStyle(_LINES[kind])
        form.setUnderlineColor(colour)
        if alpha := _GROUND_ALPHA[kind]:
            ground = QColor(colour)
            ground.setAlpha(alpha)
            form.setBackground(ground)
        found[kind] = KindLook(kind, kind_name(kind), form)
    return found


def story_of(piece: Piece) -> str:
    """Where a token came from, as a sentence for its tool tip."""
    drafts = piece.k - 1
    if piece.edited:
        return tr("Corrected by hand.")
    if piece.origin == "accepted":
        return tr(
            "A draft that the target accepted. Call {call}: K = {k}, {accepted} of {drafts} candidates "
            "accepted.",
            call=_number(piece),
            k=piece.k,
            accepted=piece.accepted,
            drafts=drafts,
        )
    if piece.origin == "correction" and piece.accepted < drafts:
        return tr(
            "The target's correction: it differs from the draft here. Call {call}: K = {k}, {accepted} of "
            "{drafts} candidates accepted.",
            call=_number(piece),
            k=piece.k,
            accepted=piece.accepted,
            drafts=drafts,
        )
    if piece.origin == "correction":
        return tr(
            "The target's next token, which came free with {drafts} accepted drafts. Call {call}: K = {k}.",
            call=_number(piece),
            k=piece.k,
            drafts=drafts,
        )
    if piece.origin == "guard":
        return tr("Decided again at full precision, because two tokens were nearly equal.")
    if piece.call is None:
        return tr("The first token, which came with the prompt.")
    return tr("The target alone: no draft was ready or fitted. Call {call}.", call=_number(piece))


def _number(piece: Piece) -> int:
    return piece.call or 0
