"""`python -m tests.phone.standin [--profile NAME]`: a phone to try things with, until Ctrl-C."""

from __future__ import annotations

import argparse
import signal
import sys

from tests.phone.standin import profile
from tests.phone.standin.machine import StandInFailed
from tests.phone.standin.phone import StandIn
from tests.phone.standin.user_land import ProgramsMissing


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.phone.standin", description=__doc__)
    parser.add_argument("--profile", choices=profile.names(), default="snapdragon")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with StandIn(arguments.profile) as phone:
            print(f"adb connect {phone.address}", flush=True)
            signal.sigwait({signal.SIGINT, signal.SIGTERM})
    except (StandInFailed, ProgramsMissing) as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
