"""Adding a phone: by cable, or in the network with its address and, once, six digits."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QRegularExpression, Qt
from PySide6.QtGui import QRegularExpressionValidator
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from as2d.app.operations.operation import Operation, Operations
from as2d.app.sentences import in_window
from as2d.app.translation import tr

if TYPE_CHECKING:
    from as2d.backend.devices.phone_service import PairedPhone

_WIDTH = 520


class PairingDialog(QDialog):
    """Pairs and connects by the same services as `as2d pair` and `as2d connect`; errors stay in the dialog.

    `connected` is called with the id of a phone that is connected.
    """

    def __init__(self, operations: Operations, connected: Callable[[str], None], parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Add a phone"))
        self.setMinimumWidth(_WIDTH)
        self._operations = operations
        self._connected = connected
        self._operation: Operation | None = None
        self._closed = False
        self.pair_address = _line(tr("Address to pair with"), "192.168.1.20:37123")
        self.code = _line(tr("Six digits"), "123456")
        self.code.setValidator(QRegularExpressionValidator(QRegularExpression("[0-9 ]{0,7}"), self.code))
        self.pair_button = QPushButton(tr("Pair"))
        self.address = _line(tr("Address to connect to"), "192.168.1.20:41235")
        self.connect_button = QPushButton(tr("Connect"))
        self.state = QLabel()
        self.state.setWordWrap(True)
        self.state.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.bar = QProgressBar()
        self.bar.setRange(0, 0)
        self.bar.setTextVisible(False)
        self.bar.hide()
        self._arrange()
        self.pair_button.clicked.connect(self._pair)
        self.connect_button.clicked.connect(self._connect)
        self.pair_address.returnPressed.connect(self.code.setFocus)
        self.code.returnPressed.connect(self._pair)
        self.address.returnPressed.connect(self._connect)

    def done(self, result: int) -> None:
        """Closing ends what goes on; what it still says finds no widgets any more."""
        self._closed = True
        if self._operation is not None:
            self._operation.cancel.cancel()
        super().done(result)

    def _arrange(self) -> None:
        cable = tr(
            "Turn on the developer options of the phone (tap its build number seven times), and in them USB "
            "debugging. Plug it in, unlock it, and accept this computer: it appears by itself."
        )
        pair = tr(
            "In the developer options open Wireless debugging, then 'Pair device with pairing code'. Its "
            "dialog shows an address and six digits; keep it open."
        )
        connect = tr(
            "The address stands on the page behind that dialog; its port is another one. A phone that was "
            "connected before is also known by its nickname."
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(22, 18, 22, 16)
        layout.setSpacing(8)
        for title, text in ((tr("By cable"), cable), (tr("Without a cable, once: pair"), pair)):
            layout.addWidget(_label(title, "subtitle"))
            layout.addWidget(_label(text, "secondary"))
        layout.addLayout(
            _row((tr("Address"), self.pair_address), (tr("Six digits"), self.code), button=self.pair_button)
        )
        layout.addSpacing(6)
        layout.addWidget(_label(tr("Without a cable, always: connect"), "subtitle"))
        layout.addWidget(_label(connect, "secondary"))
        layout.addLayout(_row((tr("Address"), self.address), button=self.connect_button))
        rule = QFrame()
        rule.setFrameShape(QFrame.Shape.HLine)
        rule.setObjectName("rule")
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        for button in (self.pair_button, self.connect_button):
            button.setAutoDefault(False)
        close = buttons.button(QDialogButtonBox.StandardButton.Close)
        close.setAutoDefault(False)
        foot = QHBoxLayout()
        words = QVBoxLayout()
        words.addWidget(self.state)
        words.addWidget(self.bar)
        foot.addLayout(words, 1)
        foot.addWidget(buttons, 0, Qt.AlignmentFlag.AlignBottom)
        layout.addSpacing(4)
        layout.addWidget(rule)
        layout.addLayout(foot)

    def _pair(self) -> None:
        address, code = self.pair_address.text().strip(), self.code.text()

        def work(operation: Operation) -> object:
            from as2d.backend.devices.phone_service import PhoneService

            return PhoneService().pair(address, code, operation.cancel, what=tr("This field"))

        self._begin(tr("Pairing"), self.pair_address, work, self._paired)

    def _connect(self) -> None:
        address = self.address.text().strip()

        def work(operation: Operation) -> object:
            from as2d.backend.devices.phone_service import PhoneService

            return PhoneService().connect(address, operation.report, operation.cancel, what=tr("This field"))

        self._begin(tr("Connecting"), self.address, work, self._is_connected)

    def _begin(
        self,
        title: str,
        field: QLineEdit,
        work: Callable[[Operation], object],
        done: Callable[[object], None],
    ) -> None:
        if self._operation is not None:
            return
        field.setFocus()  # a button that is disabled would pass it on to the next field
        operation = Operation(title, work)
        operation.progressed.connect(lambda stage, *_: self._say(in_window(stage)))
        operation.succeeded.connect(done)
        operation.failed.connect(lambda error: self._say(in_window(error.message), problem=True))
        operation.cancelled.connect(lambda: self._say(""))
        operation.ended.connect(self._end)
        self._operation = operation
        self._enable(False)
        self._say(tr("{what} …", what=title))
        self._operations.start(operation)

    def _end(self) -> None:
        self._operation = None
        if not self._closed:
            self._enable(True)

    def _enable(self, free: bool) -> None:
        self.bar.setVisible(not free)
        for button in (self.pair_button, self.connect_button):
            button.setEnabled(free)

    def _paired(self, result: object) -> None:
        paired: PairedPhone = result  # type: ignore[assignment]
        if paired.phone is not None:
            self._is_connected(paired.phone)
            return
        if self._closed:
            return
        self.address.setText(f"{paired.host}:")
        self.address.setFocus()
        self._say(tr("Paired. Now connect it: complete the address with the port on the phone's page."))

    def _is_connected(self, result: object) -> None:
        phone = result
        self._connected(phone.id)  # type: ignore[attr-defined]
        self._say(tr("Connected: {phone}.", phone=phone.label))  # type: ignore[attr-defined]

    def _say(self, text: str, *, problem: bool = False) -> None:
        if self._closed:
            return
        self.state.setObjectName("problem" if problem else "")
        self.state.style().unpolish(self.state)
        self.state.style().polish(self.state)
        self.state.setText(text)
        self.state.setAccessibleName(text)
        self._make_room()

    def _make_room(self) -> None:
        """Grow by the lines that do not fit; a dialog knows the height of wrapped text only when asked."""
        layout = self.layout()
        if layout is not None:
            layout.activate()
            self.resize(self.width(), max(self.height(), layout.totalHeightForWidth(self.width())))


def _label(text: str, name: str) -> QLabel:
    label = QLabel(text)
    label.setObjectName(name)
    label.setWordWrap(True)
    return label


def _line(name: str, example: str) -> QLineEdit:
    line = QLineEdit()
    line.setAccessibleName(name)
    line.setPlaceholderText(example)
    return line


def _row(*fields: tuple[str, QLineEdit], button: QPushButton) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(10)
    for place, (caption, line) in enumerate(fields):
        form = QFormLayout()
        form.addRow(caption, line)
        row.addLayout(form, 3 if place == 0 else 2)
    row.addWidget(button)
    return row
