"""What the end of a helper means, in one sentence for the user."""

from __future__ import annotations

import signal

from as2d.backend.errors import HelperFailed, UserError

_SHELL_SIGNAL = 128

_BY_SIGNAL = {
    signal.SIGILL: (
        "The helper met an instruction that this processor does not have (SIGILL, exit status 132); "
        "it needs a processor with AVX2 (x86-64) or ARMv8 (arm64), or a helper built on this machine with "
        "`make helper`."
    ),
    signal.SIGKILL: (
        "The helper was killed (SIGKILL, exit status 137), most often because the memory ran out; "
        "close other programs or choose a smaller model, then run it again."
    ),
    signal.SIGSEGV: (
        "The helper crashed (SIGSEGV, exit status 139); "
        "run it again, and report the recording and the run's folder if it crashes again."
    ),
    signal.SIGBUS: (
        "The helper could not read its memory (SIGBUS, exit status 135), as when a model file is cut while "
        "it is in use; check the models with `as2d models verify`."
    ),
    signal.SIGABRT: (
        "The helper gave up on an internal error (SIGABRT, exit status 134); "
        "run it again, and report the recording and the run's folder if it happens again."
    ),
    signal.SIGFPE: (
        "The helper crashed in a calculation (SIGFPE, exit status 136); "
        "report the recording and the run's folder."
    ),
    signal.SIGTERM: (
        "The helper was ended by another program (SIGTERM, exit status 143); run it again when nothing else "
        "ends it."
    ),
}

_BY_STATUS = {
    126: "The helper could not be started (exit status 126); rebuild it with `make helper`.",
    127: (
        "The helper could not be started because a program or library it needs is missing (exit status 127); "
        "rebuild it with `make helper`."
    ),
}


class HelperDied(HelperFailed):
    """The helper ended, or was ended because it no longer answered, while something was asked of it."""

    def __init__(self, message: str, returncode: int) -> None:
        super().__init__(message)
        self.returncode = returncode


class ConnectionLost(HelperDied):
    """The way to the helper broke, as when a cable is pulled; the helper ends by itself."""

    def __init__(self, message: str) -> None:
        super().__init__(message, -9)


class HelperRefused(HelperFailed):
    """The helper answered an op with an error and goes on; `code` is the helper's name of the error."""

    def __init__(self, message: str, code: str) -> None:
        super().__init__(message)
        self.code = code


def describe_ending(returncode: int, last_words: str) -> str:
    """One sentence about a helper that ended without being asked.

    `returncode` as `subprocess` gives it (negative: the signal) or as a shell does (128 + signal);
    `last_words` is the last line the helper wrote to its error output, used where the status alone says
    nothing.
    """
    number = -returncode if returncode < 0 else returncode - _SHELL_SIGNAL
    said = f" Its last words were: {last_words}" if last_words else ""
    try:
        known = _BY_SIGNAL.get(signal.Signals(number))
    except ValueError:
        known = None
    if known is not None:
        return known + said
    if returncode in _BY_STATUS:
        return _BY_STATUS[returncode] + said
    if returncode < 0:
        return f"The helper was ended by signal {-returncode}; run it again.{said}"
    if returncode == 0:
        return f"The helper ended although it was not asked to; run it again.{said}"
    return f"The helper failed with exit status {returncode}; see `as2d doctor`.{said}"


def cannot_start(path: str, error: OSError) -> UserError:
    """The error to raise when the program itself cannot be started."""
    return HelperFailed(
        f"The helper {path} cannot be started ({error.strerror or error}); rebuild it with `make helper`."
    )
