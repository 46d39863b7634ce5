"""The chip in the top bar: the state of the device that decodes, and what its sensors say."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QToolButton, QVBoxLayout, QWidget

from as2d.app.plain import plain_tip
from as2d.app.translation import tr
from as2d.app.viewmodels.device_sensors import LiveState, chip_text

_CAPTION = 15
_HEIGHT = 30
"""As high as the captions and the pickers beside it."""


class DeviceChip(QWidget):
    """State above, °C, battery and W below; a click opens the Device tab. Hidden until there is a state."""

    def __init__(self) -> None:
        super().__init__()
        self.state = QLabel()
        self.state.setObjectName("chipState")
        self.state.setFixedHeight(_CAPTION)
        self.state.setAlignment(Qt.AlignmentFlag.AlignVCenter)
        self.button = QToolButton()
        self.button.setObjectName("chip")
        self.button.setFixedHeight(_HEIGHT)
        self.button.setToolTip(tr("Show the device"))
        self.button.setAccessibleName(tr("Show the device"))
        self.button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(self.state)
        column.addWidget(self.button)
        self.hide()

    def show_state(self, word: str, tone: str, state: LiveState, sentence: str) -> None:
        """Show the state in a word, its tone (good, bad, busy), the numbers; `sentence` says what to do."""
        numbers = chip_text(state)
        self.state.setText(f"● {word}")
        if self.state.property("tone") != tone:
            self.state.setProperty("tone", tone)
            self.state.style().unpolish(self.state)
            self.state.style().polish(self.state)
        self.button.setText(numbers or tr("no sensors yet"))
        self.button.setToolTip(plain_tip(sentence) or tr("Show the device"))
        self.button.setAccessibleName(tr("The device: {state}", state=f"{word} {numbers}".strip()))
        self.show()
