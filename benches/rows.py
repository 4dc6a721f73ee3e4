"""Prints what `cargo bench` measured last, as rows of Markdown: the median per element, with
criterion's interval, and the multiple of shakmaty's `legal_moves()` ("lm").

    python benches/rows.py [target/criterion]
"""

import json
import pathlib
import sys


def main(folder):
    rows = []
    for path in sorted(pathlib.Path(folder).glob("**/new/benchmark.json")):
        bench = json.loads(path.read_text())
        median = json.loads(path.with_name("estimates.json").read_text())["median"]
        interval = median["confidence_interval"]
        elements = bench["throughput"]["Elements"]
        times = median["point_estimate"], interval["lower_bound"], interval["upper_bound"]
        rows.append((bench["full_id"], *(time / elements for time in times)))
    lm = next((row[1] for row in rows if row[0] == "moves/shakmaty, all legal"), None)
    print("| bench | ns | 95 % | lm |\n|---|---|---|---|")
    for name, ns, low, high in rows:
        multiple = f"{ns / lm:.3f}" if lm else ""
        print(f"| {name} | {ns:.2f} | {low:.2f} to {high:.2f} | {multiple} |")


main(sys.argv[1] if len(sys.argv) > 1 else "target/criterion")
