"""Systems on chip that phones name by number: what they are sold as, and their process."""

from __future__ import annotations

from typing import NamedTuple

_PAPER = "table 6 of the AS²D paper"


class Soc(NamedTuple):
    """A system on chip; `process_nm` is null where no source is known, `source` says where it is from."""

    name: str
    process_nm: int | None
    source: str | None


_SOCS = {
    "SM8650": Soc("Snapdragon 8 Gen 3", 4, _PAPER),
    "SM8350": Soc("Snapdragon 888", 5, _PAPER),
    "SM7225": Soc("Snapdragon 750G", 8, _PAPER),
    "SM4450": Soc("Snapdragon 4 Gen 2", 4, "WikiChip, Qualcomm Snapdragon 4"),
    "SM4375": Soc("Snapdragon 4 Gen 1", 6, "WikiChip, Qualcomm Snapdragon 4"),
    "SM8750": Soc("Snapdragon 8 Elite", None, None),
    "SM8635": Soc("Snapdragon 8s Gen 3", None, None),
    "SM8550": Soc("Snapdragon 8 Gen 2", None, None),
    "SM8475": Soc("Snapdragon 8+ Gen 1", None, None),
    "SM8450": Soc("Snapdragon 8 Gen 1", None, None),
    "SM8250": Soc("Snapdragon 865", None, None),
    "SM8150": Soc("Snapdragon 855", None, None),
    "SM7325": Soc("Snapdragon 778G", None, None),
    "MT6989": Soc("Dimensity 9300", None, None),
    "MT6985": Soc("Dimensity 9200", None, None),
    "MT6983": Soc("Dimensity 9000", None, None),
    "MT6893": Soc("Dimensity 1200", None, None),
}

# Phones older than Android 12 name their board's family instead; these have one system on chip only.
_BOARDS = {"pineapple": "SM8650", "kalama": "SM8550", "kona": "SM8250", "msmnile": "SM8150"}


def known_soc(number: str) -> Soc | None:
    """The system on chip of a number such as SM8650 or SM8650-AB, of any case; null when it is not known."""
    number = number.upper()
    for known, soc in _SOCS.items():
        if number == known or (number.startswith(known) and not number[len(known)].isalnum()):
            return soc
    return None


def number_of_board(board: str) -> str | None:
    """The number of the only system on chip that a board of this name has; null when that is not sure."""
    return _BOARDS.get(board.lower())
