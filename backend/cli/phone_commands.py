"""`as2d phone` with all its commands."""

from __future__ import annotations

from as2d.backend.cli.phone import phone_app
from as2d.backend.cli.phone_battery import battery
from as2d.backend.cli.phone_cpus import cpus
from as2d.backend.cli.phone_facts import facts

__all__ = ["phone_app"]

phone_app.command()(facts)
phone_app.command()(cpus)
phone_app.command()(battery)
