"""What can decode: this computer, and every phone with its state and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from as2d.app.device.phones import Phones
from as2d.app.operations.operation import Operation, Operations
from as2d.app.translation import tr, tr_count
from as2d.backend.errors import UserError

if TYPE_CHECKING:
    from as2d.backend.devices.phone import Phone
    from as2d.backend.devices.report import ComputerReport

_GIGABYTE = 1e9


class DevicePanel(QScrollArea):
    """One block of facts a device."""

    def __init__(self, operations: Operations, phones: Phones) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(tr("Devices"))
        self._operations = operations
        self._phones = phones
        self._computer: ComputerReport | None = None
        self._problem: UserError | None = None
        phones.changed.connect(self._show)
        self._show()

    def refresh(self) -> None:
        """Ask this computer's helper what it is."""
        operation = Operation(tr("Asking this computer's helper"), _report)
        operation.succeeded.connect(self._reported)
        self._operations.start(operation)

    def _reported(self, result: object) -> None:
        if isinstance(result, tuple):
            self._computer, self._problem = result
            self._show()

    def _show(self) -> None:
        page = QWidget()
        page.setObjectName("panel")
        layout = QVBoxLayout(page)
        layout.setContentsMargins(24, 20, 24, 20)
        layout.setSpacing(8)
        self._add_block(layout, tr("This computer"), self._computer_facts())
        for phone in self._phones.now:
            layout.addSpacing(14)
            self._add_block(layout, phone.label, _phone_facts(phone))
        if not self._phones.now:
            layout.addSpacing(14)
            text = self._phones.problem or tr(
                "Turn on USB debugging in the phone's developer options, plug it in, unlock it, and accept "
                "this computer. It then appears here and in the list of devices above."
            )
            self._add_block(layout, tr("No phone is connected"), [("", text)])
        layout.addStretch(1)
        self.setWidget(page)

    def _computer_facts(self) -> list[tuple[str, str]]:
        report = self._computer
        if report is None:
            return [("", tr("Its helper is being asked …"))]
        facts = [
            (tr("Processor"), report.cpu),
            (tr("Cores"), tr_count(report.cores, "{n} core", "{n} cores")),
            (tr("Threads of the target"), str(report.threads)),
            (tr("System"), f"{report.system}, {report.arch}"),
        ]
        if report.memory_bytes is not None and report.free_memory_bytes is not None:
            free, whole = report.free_memory_bytes / _GIGABYTE, report.memory_bytes / _GIGABYTE
            facts.append(
                (tr("Memory"), tr("{free} GB of {whole} GB free", free=f"{free:.1f}", whole=f"{whole:.1f}"))
            )
        if report.problem is not None:
            facts.append((tr("Problem"), report.problem))
        else:
            facts.append((tr("Helper"), tr("{build}, MNN {mnn}", build=report.helper, mnn=report.mnn)))
        return facts

    def _add_block(self, layout: QVBoxLayout, title: str, facts: list[tuple[str, str]]) -> None:
        heading = QLabel(title)
        heading.setObjectName("heading")
        layout.addWidget(heading)
        grid = QGridLayout()
        grid.setHorizontalSpacing(24)
        grid.setVerticalSpacing(5)
        grid.setColumnStretch(1, 1)
        for row, (name, value) in enumerate(facts):
            text = QLabel(value)
            text.setWordWrap(True)
            text.setTextInteractionFlags(
                Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
            )
            if name:
                caption = QLabel(name)
                caption.setObjectName("secondary")
                grid.addWidget(caption, row, 0, Qt.AlignmentFlag.AlignTop)
                grid.addWidget(text, row, 1)
            else:
                text.setObjectName("secondary")
                grid.addWidget(text, row, 0, 1, 2)
        layout.addLayout(grid)


def _report(_operation: Operation) -> object:
    from as2d.backend.devices.report import report_computer

    return report_computer()


def _phone_facts(phone: Phone) -> list[tuple[str, str]]:
    from as2d.backend.devices.phone import TransportKind

    ways = {
        TransportKind.USB: tr("USB"),
        TransportKind.WIFI: tr("Wi-Fi"),
        TransportKind.TCP: tr("network"),
        TransportKind.EMULATOR: tr("emulator"),
    }
    state = phone.state.value
    facts = [(tr("State"), f"{state}: {phone.sentence}" if phone.sentence else state)]
    if phone.full_model is not None:
        facts.append((tr("Model"), phone.full_model))
    if phone.android is not None:
        facts.append((tr("Android"), phone.android))
    facts.append((tr("Connected by"), ", ".join(ways[way.kind] for way in phone.transports)))
    return facts
