#!/usr/bin/env bash
# Builds the helper in build/native; helper.sh tests builds its tests too.
source "$(dirname "$0")/common.sh"
build="$root/build/native"
export PATH="$venv/bin:$PATH"

# A build folder knows the place of its sources: one that was moved is made anew.
if [[ -f $build/CMakeCache.txt ]] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root/native" "$build/CMakeCache.txt"; then
    rm -rf "$build"
fi
options=()
mnn=$(sed -n 's/^AS2D_MNN_ENTRY:INTERNAL=//p' "$build/CMakeCache.txt" 2>/dev/null || true)
if [[ ${1:-} == tests ]]; then
    options=(-DAS2D_TESTS=ON)
elif [[ ! -f $build/build.ninja ]]; then
    options=(-DAS2D_TESTS=OFF)
elif [[ ! -f $mnn/entry.json ]]; then
    options=(-DAS2D_WITH_MNN=ON) # the cache was emptied: MNN is provided anew
fi
if ((${#options[@]})); then
    mkdir -p build
    say "The helper: configuring"
    cmake -S native -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release "${options[@]}" >"$root/build/configure.log" ||
        fail "The helper could not be configured; the reason stands above, and build/configure.log has the rest."
fi
if [[ ${1:-} == tests ]]; then
    ninja -C "$build" >&2
else
    ninja -C "$build" as2d-helper >&2
fi
