#!/usr/bin/env bash
# Makes .venv and installs the locked requirements of the named parts into it: venv.sh build runtime [dev].
# Each part is stamped with a digest of what went in, so that a second run does nothing.
source "$(dirname "$0")/common.sh"

# A virtual environment knows its own place: one that was moved, or left half made, is made anew.
if [[ $(cat "$venv/.as2d-venv" 2>/dev/null) != "$venv" ]] || ! "$venv/bin/python" -c '' 2>/dev/null; then
    python=$("$root/packaging/setup/find_python.sh")
    say "Virtual environment .venv with $("$python" --version)"
    rm -rf "$venv"
    "$python" -m venv "$venv"
    echo "$venv" >"$venv/.as2d-venv"
fi

# pip_install ARGUMENT...: on a terminal pip draws its own progress; elsewhere what is there already goes unsaid
pip_install() {
    local install=("$venv/bin/python" -m pip install --no-input --disable-pip-version-check "$@")
    if [[ -t 2 ]]; then
        "${install[@]}" >&2
    else
        "${install[@]}" 2>&1 | sed -uE '/^(Requirement already satisfied|Looking in links|Ignoring .* markers)/d' >&2
    fi || fail "The Python packages could not be installed (the reason stands above); check the network and run this again."
}

for part in "$@"; do
    lock="requirements/$part.txt"
    stamp="$venv/.as2d-$part"
    wanted=$(digest "$lock")
    if [[ $(cat "$stamp" 2>/dev/null) != "$wanted" ]]; then
        say "Python packages for: $part"
        pip_install --require-hashes --only-binary :all: -r "$lock"
        echo "$wanted" >"$stamp"
    fi
done

stamp="$venv/.as2d-self"
wanted=$(digest pyproject.toml packaging/hatch_build.py src/as2d/__init__.py requirements/*.in)
if [[ $(cat "$stamp" 2>/dev/null) != "$wanted" ]]; then
    say "The command as2d"
    pip_install --quiet --no-deps --no-build-isolation --editable .
    echo "$wanted" >"$stamp"
fi
