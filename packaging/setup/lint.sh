#!/usr/bin/env bash
# Checks style and types; changes nothing.
source "$(dirname "$0")/common.sh"

say "ruff"
"$venv/bin/ruff" check .
"$venv/bin/ruff" format --check .
say "mypy"
MYPYPATH=src "$venv/bin/mypy" --explicit-package-bases -p as2d.backend -p as2d.app
MYPYPATH=native/cmake "$venv/bin/mypy" native/cmake/*.py
say "clang-format"
git ls-files -z 'native/*.cpp' 'native/*.hpp' | xargs -0 -r "$venv/bin/clang-format" --dry-run --Werror
echo "All formatted." >&2
