# Shared by the set-up scripts, which source it: places, messages, stamps.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$root"
venv="$root/.venv"

say() { printf '\n== %s\n' "$*" >&2; }

# Ends the script with a sentence that says what is missing and how to get it.
fail() {
    printf '\n%s\n' "$*" >&2
    exit 1
}

# digest FILE...: one digest over the contents of the files
digest() { cat -- "$@" | sha256sum | cut -d' ' -f1; }
