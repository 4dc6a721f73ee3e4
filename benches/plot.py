"""Draws README's plot of speed from what `cargo bench --bench cpu` measured last: nanoseconds an
answer, as bars, as SVG in the reader's theme, light or dark.

    python benches/plot.py [target/criterion] > docs/speed.svg
"""

import json
import pathlib
import sys

BARS = [
    ("shakmaty: legal moves of a position", "moves/shakmaty, all legal", "peer"),
    ("SEE of a capture, alone", "exchange/see", "scalar"),
    ("SEE of a capture in a batch: scalar", "exchange/batch scalar swap", "scalar"),
    ("AVX2", "exchange/batch avx2 swap", "avx2"),
    ("AVX-512", "exchange/batch avx512 swap", "avx512"),
    ("verdict, all captures of a position: scalar", "verdicts/scalar swap", "scalar"),
    ("AVX2", "verdicts/avx2 swap", "avx2"),
    ("AVX-512", "verdicts/avx512 swap", "avx512"),
    ("does any capture win, as filter asks: scalar", "bounds/quiet scalar swap", "scalar"),
    ("AVX2", "bounds/quiet avx2 swap", "avx2"),
    ("AVX-512", "bounds/quiet avx512 swap", "avx512"),
]
LEFT, WIDTH, HEIGHT = 300, 400, 24
STYLE = """
text { font: 13px system-ui, sans-serif; fill: #1f2328 }
.label { text-anchor: end }
.peer { fill: #8c959f } .scalar { fill: #54aeff } .avx2 { fill: #0969da } .avx512 { fill: #0a3069 }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 }
  .peer { fill: #6e7681 } .scalar { fill: #1f6feb } .avx2 { fill: #58a6ff } .avx512 { fill: #b6dcff }
}
"""


def nanoseconds(folder, name):
    for path in pathlib.Path(folder).glob("**/new/benchmark.json"):
        bench = json.loads(path.read_text())
        if bench["full_id"] == name:
            median = json.loads(path.with_name("estimates.json").read_text())["median"]
            return median["point_estimate"] / bench["throughput"]["Elements"]
    raise SystemExit(f"no measurement of '{name}' in {folder}: cargo bench --bench cpu")


def main(folder):
    bars = [(label, nanoseconds(folder, name), kind) for label, name, kind in BARS]
    longest = max(ns for _, ns, _ in bars)
    height = HEIGHT * len(bars) + 30
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + 60} {height}">')
    print(f"<title>Nanoseconds an answer, on one thread</title><style>{STYLE}</style>")
    for row, (label, ns, kind) in enumerate(bars):
        top = HEIGHT * row
        length = max(WIDTH * ns / longest, 1)
        print(f'<text class="label" x="{LEFT - 8}" y="{top + 16}">{label}</text>')
        print(f'<rect class="{kind}" x="{LEFT}" y="{top + 4}" width="{length:.1f}" height="16" rx="2"/>')
        print(f'<text x="{LEFT + length + 6:.1f}" y="{top + 16}">{ns:.1f}</text>')
    print(f'<text x="{LEFT}" y="{height - 8}">nanoseconds an answer, one thread; shorter is better</text>')
    print("</svg>")


main(sys.argv[1] if len(sys.argv) > 1 else "target/criterion")
