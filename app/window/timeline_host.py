"""The place of the timeline and of the call inspector: both show the run that is looked at."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from as2d.app.inspector.inspector import CallInspector
from as2d.app.timeline.view import Arrangement, TimelineView
from as2d.app.translation import tr
from as2d.app.viewmodels.timeline import TimelineModel


class TimelineHost(QObject):
    """Holds a timeline and an inspector; another run gets new ones in the same places."""

    call_selected = Signal(str, int)
    play_recording_from = Signal(str, float)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.timeline_place = QStackedWidget()
        self.timeline_place.setAccessibleName(tr("Timeline"))
        self.inspector_place = QStackedWidget()
        self.inspector_place.setAccessibleName(tr("Call inspector"))
        self._model = TimelineModel()
        self._recording: str | None = None
        self._make(Arrangement())

    @property
    def model(self) -> TimelineModel:
        """What is shown."""
        return self._model

    def show_model(self, model: TimelineModel) -> None:
        """Show another run."""
        if model is not self._model:
            self._model = model
            self._make(self.view.arrangement)

    def show_recording(self, recording: str | None) -> None:
        """Mark what was done on the recording that is chosen, and let go of a call on another one."""
        if recording == self._recording:
            return
        self._recording = recording
        self.view.show_recording(recording)
        shown = self.inspector.shown
        request = self._model.request_named(shown.request) if shown is not None else None
        if request is not None and request.preparation.window.recording != recording:
            self.inspector.clear()
            self.view.navigator.focus_call(None)

    def show_call(self, request: str, index: int) -> None:
        """Bring a call into sight and show all of it."""
        self.view.show_call(request, index)
        self.inspector.show_call(request, index)

    def _make(self, arrangement: Arrangement) -> None:
        self.view = TimelineView(self._model)
        self.view.arrange(arrangement)
        self.view.show_recording(self._recording)
        self.inspector = CallInspector(self._model)
        _replace(self.timeline_place, self.view)
        _replace(self.inspector_place, self.inspector)
        self.view.call_selected.connect(self.inspector.show_call)
        self.view.call_selected.connect(self.call_selected)
        self.view.play_recording_from.connect(self.play_recording_from)
        self.inspector.call_asked.connect(self.view.show_call)


def _replace(place: QStackedWidget, widget: QWidget) -> None:
    before = place.currentWidget()
    place.addWidget(widget)
    place.setCurrentWidget(widget)
    place.setFocusProxy(widget)
    if before is not None:
        place.removeWidget(before)
        before.deleteLater()
