#!/usr/bin/env bash
# Installs the models of the demo and the tests into AS2D_DATA_DIR.
source "$(dirname "$0")/common.sh"
"$venv/bin/as2d" models install whisper-base whisper-tiny.en >/dev/null
