#!/usr/bin/env bash
# Writes the hash-locked requirements/*.txt from requirements/*.in; run it after changing one of those.
set -euo pipefail
cd "$(dirname "$0")/../../requirements"
uv="${UV:-../.venv/bin/uv}"

lock() {
    local name=$1
    shift
    "$uv" pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate \
        --custom-compile-command "make lock" "$@" "$name.in" -o "$name.txt"
}

lock build
lock arm64 -c build.txt
lock runtime -c build.txt
lock app -c build.txt -c runtime.txt
lock sweep -c build.txt -c runtime.txt -c app.txt
lock dev -c build.txt -c runtime.txt -c app.txt -c sweep.txt

if grep -nE 'https?://|^--' ./*.txt; then
    echo "The lock files name a registry (lines above); lock again with the package client's default registry." >&2
    exit 1
fi
