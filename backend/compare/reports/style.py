"""Colours and shapes of a comparison's report: the window's palette, light or dark as the system is."""

from __future__ import annotations

import json
from collections.abc import Sequence

from as2d.backend.compare.judging.judgement import Side
from as2d.backend.paths import resources_dir

_METHODS = {
    "target-only": "target-only",
    "as2d": "accepted",
    "as2d-resync": "draft",
    "sd": "encode",
    "specasr": "correction",
    "without-td": "guard",
    "as2d-serial": "counter",
    "lookahead": "ready",
}
_DASHES = ("", "7 4", "2 3", "10 3 2 3", "5 2")
_FIRST_DASH = {"target-only": 0, "as2d": 0, "as2d-resync": 1, "sd": 3, "specasr": 4}
_THEME = (
    "window",
    "surface",
    "sunken",
    "text",
    "secondary",
    "border",
    "accent",
    "success",
    "danger",
    "warning_surface",
)

_RULES = """
*{box-sizing:border-box}
body{margin:0;background:var(--window);color:var(--text);font:15px/1.5 system-ui,-apple-system,"Segoe UI",
Roboto,"Noto Sans","Noto Sans CJK SC",sans-serif;-webkit-font-smoothing:antialiased}
main{max-width:1120px;margin:0 auto;padding:40px 24px 72px}
header h1{font-size:30px;line-height:1.2;letter-spacing:-.015em;margin:0 0 6px}
header p{color:var(--secondary);margin:0}
section{background:var(--surface);border:1px solid var(--border);border-radius:12px;padding:22px 24px;
margin-top:20px}
h2{font-size:18px;letter-spacing:-.005em;margin:0 0 4px}
h3{font-size:15px;margin:20px 0 6px}
p.about{color:var(--secondary);margin:0 0 14px;max-width:78ch}
.badge{display:inline-flex;align-items:center;gap:8px;margin-top:16px;padding:6px 14px;border-radius:999px;
font-weight:600;border:1px solid currentColor}
.badge.same{color:var(--success)}.badge.other{color:var(--danger)}.badge.none{color:var(--secondary)}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(210px,1fr));gap:14px;margin-top:20px}
.card{background:var(--surface);border:1px solid var(--border);border-radius:12px;padding:16px 18px}
.card b{display:block;font-size:28px;line-height:1.2;letter-spacing:-.02em;font-variant-numeric:tabular-nums}
.card span{color:var(--secondary);font-size:13px}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:13.5px;font-variant-numeric:tabular-nums}
caption{text-align:left;color:var(--secondary);padding-bottom:6px}
th,td{padding:7px 12px 7px 0;text-align:right;white-space:nowrap;border-bottom:1px solid var(--border)}
th:first-child,td:first-child{text-align:left}
td.t,th.t{text-align:left}
thead th{color:var(--secondary);font-weight:600;vertical-align:bottom;border-bottom:1.5px solid var(--border)}
tbody th{font-weight:500}
tbody th,thead th:first-child{position:sticky;left:0;background:var(--surface)}
thead th{white-space:normal;max-width:150px}
tbody tr:last-child>*{border-bottom:0}
td.fast{font-weight:600}
p.caution{margin:16px 0 0;padding:10px 14px;border:1px solid var(--danger);border-radius:10px;font-weight:600;
max-width:90ch}
td.top{text-decoration:underline;text-underline-offset:3px}
tr.sum>*{border-top:1.5px solid var(--border)}
td.wrap{white-space:normal;text-align:left;max-width:60ch}
.key{display:inline-block;width:22px;height:10px;margin-right:8px;vertical-align:baseline}
ul.legend{list-style:none;display:flex;flex-wrap:wrap;gap:4px 18px;padding:0;margin:10px 0 0;font-size:13px}
svg{display:block;width:100%;height:auto}
svg text{font:12px system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;fill:var(--secondary)}
svg text.name{fill:var(--text)}
svg .grid{stroke:var(--border);stroke-width:1}
svg .axis{stroke:var(--secondary);stroke-width:1}
.two{display:grid;grid-template-columns:1fr 1fr;gap:28px}
blockquote{margin:8px 0;padding:8px 14px;border-left:3px solid var(--border);background:var(--sunken);
overflow-wrap:anywhere}
mark{background:var(--warning_surface);color:inherit;font-weight:600}
footer{color:var(--secondary);font-size:13px;margin-top:24px;max-width:90ch}
@media(max-width:760px){.two{grid-template-columns:1fr}main{padding:24px 14px}section{padding:18px 16px}}
@media print{body{background:#fff}section{break-inside:avoid}}
"""


def stylesheet() -> str:
    """The report's style, with the colours of both themes as variables."""
    light, dark = (_variables(theme) for theme in ("light", "dark"))
    night = f"@media(prefers-color-scheme:dark){{:root{{{dark}}}}}"
    return f":root{{color-scheme:light dark;{light}}}\n{night}{_RULES}"


def colour(method: str) -> str:
    """The colour of a method, as a variable of the style."""
    return f"var(--{_METHODS.get(method, 'ready')})"


def dashes(sides: Sequence[Side]) -> list[str]:
    """A dash pattern a side: those of one method, which share a colour, have different ones, and so have
    methods where there are few.
    """
    counts: dict[str, int] = {}
    found = []
    for side in sides:
        number = counts.get(side.method, 0)
        counts[side.method] = number + 1
        found.append(_DASHES[(_FIRST_DASH.get(side.method, 2) + number) % len(_DASHES)])
    return found


def _variables(theme: str) -> str:
    found = {}
    for name, wanted in (("theme.json", _THEME), ("palette.json", None)):
        colours = json.loads((resources_dir() / name).read_text(encoding="utf-8"))[theme]
        found.update({key: colours[key] for key in wanted or _palette(colours)})
    return "".join(f"--{name}:{value};" for name, value in found.items())


def _palette(colours: dict[str, str]) -> list[str]:
    return [name for name in colours if name not in _THEME]
