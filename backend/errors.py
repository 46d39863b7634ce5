"""Errors that a user reads: one sentence that says what happened, to what, and what to do."""

from __future__ import annotations

from typing import ClassVar


class UserError(Exception):
    """An error whose message is shown to the user as it is, without a traceback.

    The message is one sentence: what happened, to what, and what to do about it. `exit_code` is the exit
    status of the command line when this error ends the command.
    """

    exit_code: ClassVar[int] = 1

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class InputRefused(UserError):
    """An input (recording, model folder, run) cannot be used; the others of the command are not affected."""

    exit_code: ClassVar[int] = 1


class WrongUse(UserError):
    """The command was given options or values that do not fit together."""

    exit_code: ClassVar[int] = 2


class HelperFailed(UserError):
    """The device or the helper program is missing, failed, or broke the protocol."""

    exit_code: ClassVar[int] = 3


class OutOfSpace(UserError):
    """A disk is full; nothing half-written is left behind."""

    exit_code: ClassVar[int] = 4
