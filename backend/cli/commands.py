"""The commands of `as2d`, each loaded only when it, or the list of all, is asked for."""

from __future__ import annotations

import importlib
from typing import Any

import typer
from typer.core import TyperGroup

_PACKAGE = "as2d.backend.cli"

COMMANDS = {
    "studio": "studio:studio",
    "transcribe": "transcribe:transcribe",
    "demo": "demo:demo",
    "jobs": "jobs:jobs",
    "collect": "jobs:collect_job",
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
    "models": "models:models_app",
    "devices": "devices:devices",
    "connect": "connect:connect",
    "disconnect": "connect:disconnect",
    "pair": "connect:pair",
    "reconnect": "connect:reconnect",
    "nickname": "devices:nickname",
    "push": "push:push",
    "phone": "phone_commands:phone_app",
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

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:  # noqa: ANN401
        """As the base class, which suggests other names for one that there is not."""
        if args[0] not in COMMANDS:
            for name in COMMANDS:
                self.get_command(ctx, name)
        found = super().resolve_command(ctx, args)
        if ctx.obj is not None:
            ctx.obj()
        return found


def _loaded(name: str) -> Any:  # noqa: ANN401
    module, attribute = COMMANDS[name].split(":")
    found = getattr(importlib.import_module(f"{_PACKAGE}.{module}"), attribute)
    if isinstance(found, typer.Typer):
        group = typer.main.get_group(found)
        group.name = name
        return group
    single = typer.Typer(add_completion=False)
    single.command(name)(found)
    return typer.main.get_command(single)
