"""The command line: commands are put together here, and no traceback leaves it; `entry` starts it."""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import threading
from typing import NoReturn

import typer

from as2d.backend.cli.commands import LateCommands
from as2d.backend.cli.console import EXIT_INTERRUPTED, OutputClosed, prepare_streams, say
from as2d.backend.cli.interrupts import interrupted, take_signals
from as2d.backend.cli.log_file import log_file, start_log
from as2d.backend.cli.version import print_version
from as2d.backend.errors import UserError
from as2d.backend.models.progress import Cancelled

EXIT_UNEXPECTED = 3
EXIT_PIPE_CLOSED = 141

app = typer.Typer(
    name="as2d",
    cls=LateCommands,
    help=(
        "Speech recognition with AS²D: a drafter drafts on its own, the target verifies and never waits.\n\n"
        "Results go to standard output, progress and messages to standard error. Exit status: 0 all done; "
        "1 some inputs were refused, the others are done; 2 wrong use; 3 the device or helper failed; "
        "4 out of space; 130 interrupted; 141 whoever read the output closed it."
    ),
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.callback()(print_version)


def main() -> NoReturn:
    """Run `as2d` with the arguments of this process and exit."""
    prepare_streams()
    start_log()
    threading.excepthook = _log_thread_error
    code = _run()
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.flush()
    if code == EXIT_PIPE_CLOSED:
        # Python would complain once more when it flushes at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)


def _run() -> int:
    try:
        app(obj=take_signals)  # called once the command is loaded: until then an interrupt leaves at once
    except SystemExit as end:
        if end.code == EXIT_INTERRUPTED:  # how the command framework tells an interrupt
            say("Interrupted.")
        return _ended(end.code if isinstance(end.code, int) else 0 if end.code is None else EXIT_UNEXPECTED)
    except UserError as error:
        say(f"Error: {error.message}")
        return _flushed(error.exit_code)
    except OutputClosed:
        return EXIT_PIPE_CLOSED
    except (KeyboardInterrupt, Cancelled):
        say("Interrupted.")
        return EXIT_INTERRUPTED
    except Exception as error:
        logging.getLogger("as2d").error("as2d %s", " ".join(sys.argv[1:]), exc_info=error)
        say(
            f"Error: as2d failed unexpectedly ({type(error).__name__}: {error}); "
            f"the details are in {log_file()}, please report them."
        )
        return EXIT_UNEXPECTED
    return _ended(0)


def _ended(code: int) -> int:
    """The exit status of a command that ended by itself; an interrupt that was swallowed still counts."""
    if interrupted() and code == 0:
        say("Interrupted.")
        return EXIT_INTERRUPTED
    return _flushed(code)


def _flushed(code: int) -> int:
    """The exit status, after what was printed has really left."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        return EXIT_PIPE_CLOSED
    except OSError:  # told already by whoever wrote it
        return code or EXIT_UNEXPECTED
    return code


def _log_thread_error(arguments: threading.ExceptHookArgs) -> None:
    if arguments.exc_value is not None:
        name = arguments.thread.name if arguments.thread is not None else "?"
        logging.getLogger("as2d").error("thread %s", name, exc_info=arguments.exc_value)
