"""The commands of `as2d`, each loaded only when it, or the list of all, is asked for."""

from __future__ import annotations

import importlib
import inspect
from typing import Any

import typer
from typer.core import TyperGroup

from as2d.backend.errors import WrongUse

_PACKAGE = "as2d.backend.cli"

COMMANDS = {
    "studio": "studio:studio",
    "transcribe": "transcribe:transcribe",
    "demo": "demo:demo",
    "record": "record:record",
    "runs": "run_list:runs_app",
    "show": "runs:show",
    "export": "export:export",
    "bundle": "bundles:bundle",
    "open": "bundles:open_command",
    "compare": "compare:compare",
    "bench": "bench:bench_app",
    "long-run": "long_run:long_run",
    "calibrate": "calibrate:calibrate_command",
    "trace": "trace:trace",
    "replay": "replay:replay_command",
    "sweep": "sweep:sweep",
    "models": "models:models_app",
    "devices": "devices:devices",
    "connect": "connect:connect",
    "disconnect": "connect:disconnect",
    "pair": "connect:pair",
    "reconnect": "connect:reconnect",
    "nickname": "devices:nickname",
    "push": "push:push",
    "phone": "phone_commands:phone_app",
    "jobs": "jobs:jobs",
    "collect": "jobs:collect_job",
    "sensors": "sensors_now:sensors",
    "doctor": "doctor:doctor",
    "schema": "schema:schema",
}
"""Module and function (or group) of each command, in the order of the help."""


class LateCommands(TyperGroup):
    """The group of all commands: one that is not asked for costs no time.

    The context's object, if there is one, is called when the command is loaded.
    """

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ANN401, ARG002  (the base class's own type)
        """The names, in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ANN401
        """The command, loaded now if it was not."""
        if cmd_name in COMMANDS and cmd_name not in self.commands:
            self.commands[cmd_name] = _loaded(cmd_name)
        return super().get_command(ctx, cmd_name)

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401
        """As the base class; a wrong value of an option is told as other wrong uses.

        Raises:
            WrongUse: an option does not take its value.
        """
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            if not error.message:  # nothing was said where something must be
                raise
            raise _wrong_value(error) from error

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:  # noqa: ANN401
        """As the base class, which suggests other names for one that there is not."""
        if args[0] not in COMMANDS:
            for name in COMMANDS:
                self.get_command(ctx, name)
        found = super().resolve_command(ctx, args)
        if ctx.obj is not None:
            ctx.obj()
        return found


def _wrong_value(error: typer.BadParameter) -> WrongUse:
    """A value that an option does not take, in a sentence as all others."""
    from pydantic import ValidationError

    from as2d.backend.problems import first_problem

    param: Any = error.param
    name = (getattr(param, "opts", None) or ["value"])[0]
    if isinstance(error.__cause__, ValidationError):
        problem = first_problem(error.__cause__)
        words = f"{name} {problem[3:]}" if problem.startswith("it ") else f"{name}: {problem}"
    else:
        words = f"{name}: {error.message}"
    path = error.ctx.command_path.split() if error.ctx is not None else []
    names = [word for word in path if word in COMMANDS or word == path[-1]]
    return WrongUse(f"{words.rstrip('.')}; `as2d {' '.join(names)} --help` says what it takes.")


def _paragraphs(command: Any) -> str:  # noqa: ANN401
    """What a command says of itself, a line a paragraph: the help breaks lines itself."""
    said = inspect.getdoc(command) or ""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in said.split("\n\n"))


def _loaded(name: str) -> Any:  # noqa: ANN401
    module, attribute = COMMANDS[name].split(":")
    found = getattr(importlib.import_module(f"{_PACKAGE}.{module}"), attribute)
    if isinstance(found, typer.Typer):
        group = typer.main.get_group(found)
        group.name = name
        return group
    single = typer.Typer(add_completion=False)
    single.command(name, help=_paragraphs(found))(found)
    return typer.main.get_command(single)
