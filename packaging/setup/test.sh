#!/usr/bin/env bash
# Runs every check and test; expects what `make test` has set up.
source "$(dirname "$0")/common.sh"
export PATH="$venv/bin:$PATH"

packaging/setup/lint.sh

say "C++ tests"
packaging/setup/helper.sh tests
ctest --test-dir build/native --output-on-failure

say "C++ tests of the helper for arm64"
packaging/setup/helper.sh arm64 tests
ctest --test-dir build/arm64 --output-on-failure -R '^(projection|decoder|helper|text|words)$'

for sanitizers in address,undefined thread; do
    say "C++ tests with the sanitizers $sanitizers"
    build="build/native-${sanitizers%%,*}"
    cmake -S native -B "$build" -G Ninja "-DAS2D_SANITIZE=$sanitizers" >build/configure.log
    ninja -C "$build"
    ctest --test-dir "$build" --output-on-failure
done

say "Programs of the stand-in phones"
"$venv/bin/python" -m tests.phone.standin.user_land >&2

say "Python tests"
# In the order of the folders: the long ones come first, and short ones fill both workers up to the end.
exec "$venv/bin/python" -m pytest -n 2 --dist loadscope --no-loadscope-reorder
