"""Which of our processes run on a phone, for scripts of its shell."""

from __future__ import annotations

from as2d.backend.devices.adb import places

# A recorded pid is ours only while its command line names a program of ours: the number may mean another
# process by now.
PROCESSES = f"""\
running() {{
  for f in "$@"; do
    p=; read -r p 2>/dev/null <$f
    case "$p" in ''|*[!0-9]*) continue ;; esac
    case "$(cat /proc/$p/cmdline 2>/dev/null | tr '\\0' ' ')" in *{places.PROGRAM_PREFIX}*) echo $p ;; esac
  done
}}
"""
"""Defines `running FILE...`, which prints the pids that our pid files name and that are ours."""

TENTH = "tenth() { sleep 0.1 2>/dev/null || { sleep 1; n=$((n + 9)); }; n=$((n + 1)); }\n"
"""Defines `tenth`, which waits and counts the tenths of a second in `n`; old phones sleep whole seconds."""
