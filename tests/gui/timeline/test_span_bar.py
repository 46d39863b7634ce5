"""The row of sums below the timeline."""

from __future__ import annotations

from as2d.app.timeline.view import TimelineView


def test_sums_that_have_no_room_are_counted(view: TimelineView) -> None:
    view.navigator.fit()
    bar = view._sums
    names = [
        line.split(":")[0] for line in bar.accessibleDescription().split("; ") if "No energy" not in line
    ]
    bar.resize(4000, bar.height())
    assert "more" not in bar.text()
    assert [name for name in names if name not in bar.text()] == []
    bar.resize(300, bar.height())
    left = sum(name not in bar.text() for name in names)
    assert 0 < left < len(names)
    assert bar.text().endswith(f"+{left} more")
