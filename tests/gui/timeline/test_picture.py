"""Pictures of the timeline: the window's drawing at any size."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from PySide6.QtCore import QByteArray
from PySide6.QtGui import QImage
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication

from as2d.app.timeline.colours import colours_of
from as2d.app.timeline.picture import picture_of
from as2d.app.viewmodels.timeline import TimelineModel
from as2d.backend.errors import WrongUse
from as2d.backend.export.picture import Picture


def _colours(image: QImage) -> set[int]:
    return {
        image.pixelColor(x, y).rgb() for x in range(0, image.width(), 2) for y in range(0, image.height(), 2)
    }


def _png(content: bytes) -> QImage:
    image = QImage.fromData(content, "PNG")  # type: ignore[arg-type]
    assert not image.isNull()
    return image


@pytest.mark.parametrize("dark", [False, True])
def test_a_png_of_any_size_in_both_schemes(qapp: QApplication, model: TimelineModel, dark: bool) -> None:
    colours = colours_of(dark)
    for width, height, scale in ((640, 300, 1.0), (1000, 420, 1.5)):
        picture = Picture("png", width, height, scale, dark)
        image = _png(picture_of(model, picture))
        assert (image.width(), image.height()) == (width * scale, height * scale)
        found = _colours(image)
        assert {colours[name].rgb() for name in ("encode", "accepted", "header", "lane")} <= found


def test_an_svg_draws_bars_and_words(qapp: QApplication, model: TimelineModel) -> None:
    content = picture_of(model, Picture("svg", 1200, 400, recording="a1"))
    root = ElementTree.fromstring(content.decode())
    assert root.get("viewBox") == "0 0 1200 400"
    words = {"".join(text.itertext()).strip() for text in root.iter("{http://www.w3.org/2000/svg}text")}
    assert {"Target", "Drafter", "Committed", "encode", "prefill"} <= words
    assert QSvgRenderer(QByteArray(content)).isValid()


def test_the_same_part_gives_the_same_bytes_and_another_one_others(
    qapp: QApplication, model: TimelineModel
) -> None:
    whole = Picture("png", 640, 300, 1.0)
    assert picture_of(model, whole) == picture_of(model, whole)
    parts = [
        Picture("png", 640, 300, 1.0, recording="a2"),
        Picture("png", 640, 300, 1.0, begin_s=1.0, end_s=4.0),
        Picture("png", 640, 300, 1.0, audio_time=True),
        Picture("png", 640, 300, 1.0, audio_time=True, recording="a1"),
    ]
    assert len({picture_of(model, part) for part in [whole, *parts]}) == 5


def test_what_cannot_be_drawn_is_said(qapp: QApplication, model: TimelineModel) -> None:
    for part in (Picture(recording="a9"), Picture(begin_s=1000.0), Picture(end_s=-3.0)):
        with pytest.raises(WrongUse, match="nothing to draw"):
            picture_of(model, part)
    with pytest.raises(WrongUse, match="nothing to draw"):
        picture_of(TimelineModel(), Picture())
    with pytest.raises(WrongUse, match="width of a picture is from 320 to 20000, not 10"):
        Picture(width=10)
    with pytest.raises(WrongUse, match="must end after it begins"):
        Picture(begin_s=2.0, end_s=1.0)
