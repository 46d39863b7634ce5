"""`python -m as2d.app.bench RUN`: the figures of the window's speed, from a recorded run."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from PySide6.QtWidgets import QApplication

from as2d.app.bench.feeding import feeding
from as2d.app.bench.frames import FRAMES, HEIGHT, WIDTH, frame_times
from as2d.app.bench.memory import memory_over
from as2d.app.bench.starting import starting
from as2d.backend.runs.stream import StreamReader

_BARS = (100, 10_000, 100_000)
_RATES = (500, 2_000, 4_000)
_STARTS = 7


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Measure the speed of the window.")
    parser.add_argument("run", type=Path, help="folder of a recorded run")
    parser.add_argument("--seconds", type=float, default=10.0, help="how long events are fed at each rate")
    parser.add_argument("--hours", type=int, default=10, help="simulated hours for the memory")
    parser.add_argument("--only", choices=["start", "frames", "events", "memory"], help="measure this alone")
    chosen = parser.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    app = QApplication(sys.argv[:1])
    events = list(StreamReader(chosen.run / "events.jsonl.gz"))
    print(f"Platform {app.platformName()}, {WIDTH}x{HEIGHT}, wall clock, one process")
    if chosen.only in (None, "start"):
        print(f"\nStart of `as2d studio`, s, medians of {_STARTS}: until the window takes input; closing it")
        print(f"{'files':>6} {'usable':>7} {'slowest':>8} {'CPU':>6} {'closing':>8}")
        for cold in (False, True):
            begun = starting(_STARTS, cold=cold)
            print(
                f"{begun.files:>6} {begun.usable_s:>7.2f} {begun.slowest_s:>8.2f} {begun.work_s:>6.2f} "
                f"{begun.closing_s:>8.2f}"
            )
    if chosen.only in (None, "frames"):
        print(f"\nTimeline frames, ms, of {FRAMES} each (layout of marks and painting of all lanes)")
        head = f"{'bars':>8} {'hours':>6}  {'movement':<11} {'median':>7} {'95 %':>7} {'most':>7}"
        print(f"{head} {'CPU median':>11} {'CPU 95 %':>9}")
        for bars in _BARS:
            for row in frame_times(events, bars):
                print(
                    f"{row.bars:>8} {row.hours:>6.2f}  {row.movement:<11} "
                    f"{row.median_ms:>7.2f} {row.p95_ms:>7.2f} {row.most_ms:>7.2f} "
                    f"{row.cpu_median_ms:>11.2f} {row.cpu_p95_ms:>9.2f}"
                )
    if chosen.only in (None, "events"):
        print("\nLive events: parsed on a thread, drained every 30 ms, drawn")
        print(f"{'sent/s':>8} {'shown/s':>8} {'longest stall ms':>17} {'CPU ms':>7} {'longest wait ms':>16}")
        for rate in _RATES:
            fed = feeding(events, rate, chosen.seconds)
            print(
                f"{fed.asked:>8} {fed.shown:>8.0f} {fed.longest_stall_ms:>17.1f} {fed.longest_work_ms:>7.1f} "
                f"{fed.longest_wait_ms:>16.1f}"
            )
    if chosen.only in (None, "memory"):
        print("\nMemory of a run that goes on")
        print(f"{'hours':>6} {'events':>9} {'process MiB':>12} {'columns MiB':>12}")
        for at in memory_over(events, chosen.hours):
            print(f"{at.hours:>6.2f} {at.events:>9} {at.process_mib:>12.0f} {at.columns_mib:>12.1f}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
