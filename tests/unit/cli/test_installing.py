"""Missing models are announced once."""

from __future__ import annotations

from pathlib import Path

import pytest

from as2d.backend.cli.installing import announce_installation


def test_missing_models_and_their_size_are_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("AS2D_DATA_DIR", str(tmp_path))
    announce_installation(["whisper-base", "whisper-tiny.en"])
    announce_installation(["whisper-tiny.en", None])
    announce_installation([str(tmp_path), None])
    first, second = capfd.readouterr().err.splitlines()
    assert first.startswith("Installing whisper-base and whisper-tiny.en, about 2")
    assert first.endswith(" MB, once.")
    assert second.startswith("Installing whisper-tiny.en, about 7")
