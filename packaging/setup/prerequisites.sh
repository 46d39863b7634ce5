#!/usr/bin/env bash
# Checks what the system must bring: prerequisites.sh python helper test phone studio (the parts that are wanted). As root on
# a system with apt the missing packages are installed; otherwise the message says what is missing and how to get it.
source "$(dirname "$0")/common.sh"
parts=("$@")
oldest_cargo=185 # major * 100 + minor

missing=()  # what is missing, in words
packages=() # the Debian packages that bring it

need() {
    missing+=("$1")
    packages+=("${@:2}")
}

check_python() {
    if ! "$root/packaging/setup/find_python.sh" >/dev/null; then
        need "Python 3.11 or newer with its venv module" python3 python3-venv
    fi
}

cargo_version() {
    local said
    said=$(PATH="$PATH:${CARGO_HOME:-$HOME/.cargo}/bin" cargo --version 2>/dev/null) || return 1
    [[ $said =~ ([0-9]+)\.([0-9]+) ]] && echo $((BASH_REMATCH[1] * 100 + BASH_REMATCH[2]))
}

check_helper() {
    if [[ $(uname -m) == x86_64 && -r /proc/cpuinfo ]] && ! grep -qw avx2 /proc/cpuinfo; then
        fail "This computer's processor has no AVX2, which the helper needs on x86-64; use a computer from 2015 or later."
    fi
    if ! printf '#include <span>\n#include <bit>\nint main() { return std::span<int>{}.size(); }\n' |
        "${CXX:-c++}" -std=c++20 -x c++ -fsyntax-only - 2>/dev/null; then
        need "a C++20 compiler (g++ 12 or newer, or clang 15 or newer)" g++
    fi
    if [[ ! -e /usr/include/nlohmann/json.hpp && ! -e /usr/local/include/nlohmann/json.hpp ]]; then
        need "the C++ header nlohmann/json.hpp" nlohmann-json3-dev
    fi
    # cargo only fetches MNN's source; whoever has a built MNN in the cache needs none.
    local cache="${AS2D_CACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/as2d}" version
    if ! compgen -G "$cache/mnn/*/entry.json" >/dev/null; then
        version=$(cargo_version || echo 0)
        if ((version < oldest_cargo)); then
            need "cargo 1.85 or newer, which fetches MNN's source (Debian 12: cargo-web; elsewhere the package cargo if it is new enough, or rustup)" cargo-web
        fi
    fi
}

check_test() {
    if [[ ! -e /usr/include/doctest/doctest.h && ! -e /usr/local/include/doctest/doctest.h ]]; then
        need "the C++ header doctest/doctest.h" doctest-dev
    fi
}

# Stand-in phones run arm64 programs (tests/phone/standin).
check_phone() {
    if [[ $(uname -m) != aarch64 ]] && ! command -v qemu-aarch64-static >/dev/null; then
        need "qemu-aarch64-static, which runs arm64 programs" qemu-user-static
    fi
}

# The libraries that Qt takes from the system, and a font.
check_studio() {
    local library package known
    known=$(PATH="$PATH:/sbin:/usr/sbin" ldconfig -p)
    while read -r library package; do
        [[ $known == *"$library"* ]] || need "the library $library" "$package"
    done <<'LIBRARIES'
libEGL.so.1 libegl1
libGL.so.1 libgl1
libfontconfig.so.1 libfontconfig1
libdbus-1.so.3 libdbus-1-3
libxkbcommon.so.0 libxkbcommon0
libxkbcommon-x11.so.0 libxkbcommon-x11-0
libxcb-cursor.so.0 libxcb-cursor0
libxcb-icccm.so.4 libxcb-icccm4
libxcb-keysyms.so.1 libxcb-keysyms1
libxcb-shape.so.0 libxcb-shape0
LIBRARIES
    if ! compgen -G '/usr/share/fonts/*/*' >/dev/null && ! compgen -G "$HOME/.local/share/fonts/*" >/dev/null; then
        need "a font" fonts-noto-core
    fi
}

check() {
    missing=()
    packages=()
    local part
    for part in "${parts[@]}"; do
        "check_$part"
    done
}

check
((${#missing[@]})) || exit 0

if [[ $(id -u) == 0 ]] && command -v apt-get >/dev/null; then
    say "System packages: ${packages[*]}"
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -q >&2 || fail "The list of packages could not be fetched; check the network and run this again."
    # cargo-web takes the place of cargo; nothing of the user's is removed for it.
    apt-get install -q -y --no-remove --no-install-recommends "${packages[@]}" >&2 ||
        fail "The packages ${packages[*]} could not be installed; install them by hand and run this again."
    check
    ((${#missing[@]})) || exit 0
fi

printf '\nThis computer lacks:\n' >&2
printf '  - %s\n' "${missing[@]}" >&2
fail "Install that and run this again. Debian, Ubuntu: sudo apt-get install ${packages[*]}"
