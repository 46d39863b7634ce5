#!/usr/bin/env bash
# Builds the helper: helper.sh [arm64] [tests]. In build/native for this computer, in build/arm64 for phones with a
# 64-bit ARM processor, as one static program. With `tests` its tests too; for phones those of what the compiler and the
# processor could change.
source "$(dirname "$0")/common.sh"
export PATH="$venv/bin:$PATH"
build="$root/build/native"
title="The helper"
note=
test_targets=(all)
fixed=(-G Ninja -DCMAKE_BUILD_TYPE=Release)
tests=
for word in "$@"; do
    case $word in
        arm64)
            build="$root/build/arm64"
            title="The helper for arm64"
            note=" (the first time zig compiles its own libraries: a minute)"
            test_targets=(as2d-helper test_projection test_decoder test_helper test_text test_words)
            # A static program cannot load a phone's OpenCL.
            fixed+=(-DCMAKE_TOOLCHAIN_FILE="$root/packaging/arm64/aarch64-linux-musl.cmake"
                -DAS2D_OPENCL=OFF -DAS2D_MNN_DEFINITIONS=MNN_ARM82=ON)
            [[ $(uname -m) == aarch64 ]] || fixed+=(-DCMAKE_CROSSCOMPILING_EMULATOR=qemu-aarch64-static)
            ;;
        tests) tests=yes ;;
        *) fail "helper.sh does not know '$word'; it knows arm64 and tests." ;;
    esac
done

# A build folder knows the place of its sources: one that was moved is made anew.
if [[ -f $build/CMakeCache.txt ]] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root/native" "$build/CMakeCache.txt"; then
    rm -rf "$build"
fi
options=()
mnn=$(sed -n 's/^AS2D_MNN_ENTRY:INTERNAL=//p' "$build/CMakeCache.txt" 2>/dev/null || true)
if [[ $tests ]]; then
    options=(-DAS2D_TESTS=ON)
elif [[ ! -f $build/build.ninja ]]; then
    options=(-DAS2D_TESTS=OFF)
elif [[ ! -f $mnn/entry.json ]]; then
    options=(-DAS2D_WITH_MNN=ON) # the cache was emptied: MNN is provided anew
fi
if ((${#options[@]})); then
    mkdir -p build
    say "$title: configuring$note"
    cmake -S native -B "$build" "${fixed[@]}" "${options[@]}" >"$root/build/configure.log" ||
        fail "$title could not be configured; the reason stands above, and build/configure.log has the rest."
fi
if [[ $tests ]]; then
    ninja -C "$build" "${test_targets[@]}" >&2
else
    ninja -C "$build" as2d-helper >&2
fi
