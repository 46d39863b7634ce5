"""A phone to try things with, until Ctrl-C: `python -m tests.phone.standin [--profile NAME]`."""

from __future__ import annotations

import argparse
import signal
import sys

from tests.phone.standin import profile
from tests.phone.standin.machine import StandInFailed
from tests.phone.standin.phone import StandIn
from tests.phone.standin.user_land import ProgramsMissing


def main() -> None:
    """Says the address on the first line of standard output."""
    parser = argparse.ArgumentParser(prog="python -m tests.phone.standin", description=__doc__)
    parser.add_argument("--profile", choices=profile.names(), default="snapdragon", help="which phone")
    parser.add_argument("--serial", help="its serial number, for a second phone of one model")
    parser.add_argument("--port", type=int, default=0, help="where it listens; default: a free port")
    parser.add_argument("--disk-mb", type=int, help="size of its disk; default: as much as there is")
    parser.add_argument("--rate-mb", type=float, help="MB/s of its cable; default: as fast as it can")
    parser.add_argument("--old-shell", action="store_true", help="as before Android 7: no shell protocol v2")
    parser.add_argument("--charging", action="store_true", help="a charger is connected")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with StandIn(
            arguments.profile,
            serial=arguments.serial,
            port=arguments.port,
            features=("cmd",) if arguments.old_shell else None,
            terminal_shell=arguments.old_shell,
            disk_bytes=arguments.disk_mb and arguments.disk_mb * 1_000_000,
        ) as phone:
            if arguments.rate_mb:
                phone.cable.bytes_per_second = arguments.rate_mb * 1e6
            if arguments.charging:
                phone.sensors.set_battery(charger_ma=1500)
            phone.sensors.start_moving()
            print(f"adb connect {phone.address}", flush=True)
            signal.sigwait({signal.SIGINT, signal.SIGTERM})
    except (StandInFailed, ProgramsMissing, OSError) as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
