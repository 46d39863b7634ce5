"""What of the timeline belongs to the chosen recording, and what its signs mean."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from as2d.app.timeline.backdrop import RULER
from as2d.app.timeline.header import WIDTH
from as2d.app.timeline.help import TimelineHelp, bars
from as2d.app.timeline.lanes import AUDIO_STYLES, CALL_STYLES, DRAFT_STYLES
from as2d.app.timeline.view import TimelineView
from as2d.app.viewmodels.timeline import TimelineModel
from as2d.app.window.timeline_host import TimelineHost


def test_the_help_shows_every_look_of_a_bar_as_the_lanes_paint_it(view: TimelineView) -> None:
    assert {style for style, _, _ in bars()} >= {*AUDIO_STYLES, *CALL_STYLES, *DRAFT_STYLES[1:]}
    help_shown = TimelineHelp(view)
    swatches = [label.pixmap() for label in help_shown.findChildren(QLabel) if not label.pixmap().isNull()]
    pictures = [swatch.toImage() for swatch in swatches]
    assert len(pictures) == len(bars())
    assert all(one != other for place, one in enumerate(pictures) for other in pictures[:place])


def test_the_chosen_recordings_stretch_is_marked_on_both_axes(
    view: TimelineView, model: TimelineModel
) -> None:
    spans = {}
    for recording in ("a1", "a2"):
        view.show_recording(recording)
        own = [each for each in model.requests if each.preparation.window.recording == recording]
        marked = view.canvas.overlay.recording
        assert marked is not None
        assert marked[1] == max(each.end or 0 for each in own)
        assert marked[0] <= min(each.asked or 0 for each in own)
        left, right = (round(WIDTH + view.navigator.axis.x(t)) for t in marked)
        image = view.canvas.grab().toImage()
        colour = view.canvas.view.colours["selection"]
        y = round(RULER) - 3
        found = [x for x in range(round(WIDTH), image.width()) if image.pixelColor(x, y) == colour]
        assert abs(found[0] - left) <= 2
        assert abs(found[-1] - right) <= 2
        view.set_audio_time(True)
        spans[recording] = view.canvas.overlay.recording
        view.set_audio_time(False)
        assert view.canvas.overlay.recording == marked
    assert spans["a1"][0] == 0
    assert spans["a1"][1] <= spans["a2"][0] < spans["a2"][1]
    view.show_recording(None)
    assert view.canvas.overlay.recording is None


def test_a_call_of_another_recording_is_let_go(qtbot: QtBot, model: TimelineModel) -> None:
    host = TimelineHost()
    for place in (host.timeline_place, host.inspector_place):
        qtbot.addWidget(place)
    host.show_model(model)
    host.show_recording("a1")
    host.show_call("a1.w1.p1.r1", 1)
    assert host.inspector.shown is not None
    assert host.inspector.shown.place.endswith(" s")
    host.show_recording("a1")
    assert host.inspector.shown is not None
    host.show_recording("a2")
    assert host.inspector.shown is None
    assert host.view.navigator.call is None
