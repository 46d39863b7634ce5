#!/usr/bin/env bash
# Prints the Python that .venv is made with: AS2D_PYTHON, else the first of 3.11 to 3.14 that can make one.
set -euo pipefail
for candidate in ${AS2D_PYTHON:-python3.11 python3.12 python3.13 python3.14 python3}; do
    if "$candidate" -c 'import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))' 2>/dev/null; then
        command -v "$candidate"
        exit 0
    fi
done
exit 1
