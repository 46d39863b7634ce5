"""Texts that are too long for their place say so, and their tips hold all of them."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from as2d.app.elided import ElidedComboBox, ElidedLabel

NAME = "libri_1088-134315-0000 & <b>others</b>, read by somebody, 0.0–16.4 s"


def test_a_label_leaves_out_the_middle_and_tells_all_of_it_in_its_tip(qtbot: QtBot) -> None:
    label = ElidedLabel()
    qtbot.addWidget(label)
    label.setText(NAME)
    label.resize(label.sizeHint())
    assert label.shown() == NAME
    label.resize(160, 30)
    assert label.minimumSizeHint().width() <= 160
    assert "…" in label.shown()
    assert label.fontMetrics().horizontalAdvance(label.shown()) <= 160
    assert label.shown().endswith("s")
    assert "&lt;b&gt;" in label.toolTip()
    label.show()
    assert not label.grab().isNull()


def test_a_chosen_one_keeps_its_end_in_sight(qtbot: QtBot) -> None:
    box = ElidedComboBox()
    qtbot.addWidget(box)
    box.addItem(NAME)
    box.resize(box.sizeHint())
    assert box.shown() == NAME
    box.resize(180, 30)
    assert "…" in box.shown()
    assert box.shown().endswith(" s")
    box.show()
    assert not box.grab().isNull()
