"""Writes unicode_tables.cpp: the character classes of the byte-level pre-tokenizer, as ranges.

The classes are those of the `tokenizers` package itself, found by probing its ByteLevel pre-tokenizer with
every code point; Python's own tables follow another Unicode version. Run it again after an update of the
package: `python native/text/generate_unicode_tables.py`.
"""

from __future__ import annotations

import sys
from pathlib import Path

import tokenizers
from tokenizers.pre_tokenizers import ByteLevel

LAST_CODE_POINT = 0x10FFFF
SURROGATES = range(0xD800, 0xE000)  # no characters: UTF-8 cannot carry them
PER_LINE = 5


def classify(pre_tokenizer: ByteLevel, character: str) -> str:
    """The class of a character: what it stays together with tells it."""
    for probe, name in (("a", "letter"), ("1", "number"), ("!", "other")):
        if len(pre_tokenizer.pre_tokenize_str(probe + character)) == 1:
            return name
    return "space"


def ranges() -> list[tuple[int, int, str]]:
    """Ranges of code points of one class, in order, without the class `other`."""
    pre_tokenizer = ByteLevel(add_prefix_space=False, use_regex=True)
    found: list[tuple[int, int, str]] = []
    for code in range(LAST_CODE_POINT + 1):
        if code in SURROGATES:
            continue
        name = classify(pre_tokenizer, chr(code))
        if name == "other":
            continue
        if found and found[-1][1] == code - 1 and found[-1][2] == name:
            found[-1] = (found[-1][0], code, name)
        else:
            found.append((code, code, name))
    return found


def main() -> int:
    rows = ranges()
    items = [f"{{0x{first:X}, 0x{last:X}, {name[0].upper()}}}," for first, last, name in rows]
    lines = [" ".join(items[i : i + PER_LINE]) for i in range(0, len(items), PER_LINE)]
    text = "\n".join(
        [
            "// Written by generate_unicode_tables.py; do not edit.",
            f"// Character classes of the `tokenizers` package {tokenizers.__version__}.",
            '#include "text/unicode_tables.hpp"',
            "",
            "namespace as2d {",
            "namespace {",
            "",
            "constexpr CharClass L = CharClass::letter;",
            "constexpr CharClass N = CharClass::number;",
            "constexpr CharClass S = CharClass::space;",
            "",
            "// clang-format off",
            "constexpr CharRange kRanges[] = {",
            *(f"    {line}" for line in lines),
            "};",
            "// clang-format on",
            "",
            "}  // namespace",
            "",
            "std::span<const CharRange> char_ranges() { return kRanges; }",
            "",
            "}  // namespace as2d",
            "",
        ]
    )
    Path(__file__).with_name("unicode_tables.cpp").write_text(text, encoding="utf-8")
    print(f"{len(rows)} ranges", file=sys.stderr)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
