#!/usr/bin/env python3
"""Measures filters by the purity of labels: how far the static evaluation is from a search's value.

Needs Python 3 only, and two files:

  VERDICTS  the output of `swaplist verdict FILE --quiescence 1`, one row a position
  VALUES    tab-separated, under a header: `fen`, `static` and `search`, in centipawns for the side
            to move; and, if the data have it, `noisy`: 1 if the played move captures or promotes

Rows are joined by the first four fields of the FEN; positions in check are left out. A position's
error is |s(static) - s(search)| in %, with s(x) = 1 / (1 + e^(-x / 200)). For each rule it prints
which share it keeps, the mean error of that, and how much that is above or below the base rule's,
with intervals of 95 % by bootstrap: the positions are drawn again with replacement, the same ones
for both rules.

A rule drops a position where a Python expression is true, over the names `see` and `threat` (best
SEE, or 0), `threats`, `quiescence`, `noisy` and `captures` (the number of noisy moves):

  measure_quiet.py verdicts.tsv values.tsv --rule "mine=see > 100 or threats > 1"
"""

import argparse
import csv
import math
import random
import sys

BASE = "quiet"
RULES = {
    "nothing": "False",
    BASE: "see > 0",
    "calm": "see > 0 or threats > 1",
    "still": "see > 0 or threats > 1 or quiescence > 0",
    "played": "noisy",
    "played-calm": "noisy or see > 0 or threats > 1",
}


class Unusable(Exception):
    """What is wrong with the input, and where."""


def key(fen):
    return " ".join(fen.split()[:4])


def rows(path, needed):
    """The rows of a table with the line of each; each has the needed columns."""
    with open(path, encoding="utf-8", newline="") as file:
        table = csv.DictReader(file, delimiter="\t")
        missing = [name for name in needed if name not in (table.fieldnames or [])]
        if missing:
            raise Unusable(f"{path}: no column '{missing[0]}' in the header")
        for row in table:
            if None in row.values():
                raise Unusable(f"{path}, line {table.line_num}: too few columns")
            yield table.line_num, row


def number(path, line, row, name, default=None):
    try:
        value = float(row[name] or default)
    except (TypeError, ValueError):
        value = math.nan
    if not math.isfinite(value):
        raise Unusable(f"{path}, line {line}: '{row[name]}' is no {name}")
    return value


def share_won(centipawns):
    return 1 / (1 + math.exp(-max(-7e4, min(7e4, centipawns)) / 200))


def read_verdicts(path):
    """By position: the names that rules use; None in check."""
    columns = ["fen", "in_check", "noisy", "best_see", "threat_see", "threats"]
    verdicts = {}
    for line, row in rows(path, columns):
        if row["in_check"] == "1":
            verdicts[key(row["fen"])] = None
            continue
        names = {
            "see": number(path, line, row, "best_see", 0),
            "threat": number(path, line, row, "threat_see", 0),
            "threats": number(path, line, row, "threats"),
            "captures": number(path, line, row, "noisy"),
        }
        if "quiescence" in row:
            names["quiescence"] = number(path, line, row, "quiescence")
        verdicts[key(row["fen"])] = names
    return verdicts


def read_positions(verdicts_path, values_path):
    """The names and the error of each position not in check, and how many had no verdict."""
    verdicts = read_verdicts(verdicts_path)
    positions, unknown = [], 0
    for line, row in rows(values_path, ["fen", "static", "search"]):
        names = verdicts.get(key(row["fen"]), ())
        if names == ():
            unknown += 1
        elif names is not None:
            values = [number(values_path, line, row, name) for name in ("static", "search")]
            if row.get("noisy"):
                names = {**names, "noisy": number(values_path, line, row, "noisy") != 0}
            static, search = map(share_won, values)
            positions.append((names, 100 * abs(static - search)))
    if not positions:
        raise Unusable(f"{values_path}: no position with a verdict in {verdicts_path}")
    return positions, unknown


def kept_by(name, text, positions):
    """For each position whether the rule keeps it; None if the data lack what it looks at."""
    try:
        code = compile(text, name, "eval")
    except (SyntaxError, ValueError) as error:
        raise Unusable(f"rule '{name}': {error}") from error
    known = {"see", "threat", "threats", "quiescence", "noisy", "captures"}
    if set(code.co_names) - known:
        raise Unusable(f"rule '{name}': unknown name '{min(set(code.co_names) - known)}'")
    if any(used not in names for used in code.co_names for names, _ in positions):
        return None
    try:
        return [not eval(code, {"__builtins__": {}}, names) for names, _ in positions]
    except Exception as error:  # whatever the expression does
        raise Unusable(f"rule '{name}': {error}") from error


def mean(kept, errors, drawn):
    total = count = 0
    for i in drawn:
        if kept[i]:
            total += errors[i]
            count += 1
    return total / count if count else math.nan


def interval(values):
    """From the 2.5 % to the 97.5 % quantile."""
    values = sorted(value for value in values if not math.isnan(value))
    if not values:
        return math.nan, math.nan
    last = len(values) - 1
    return values[round(0.025 * last)], values[round(0.975 * last)]


def measure(rules, base, positions, rounds, seed):
    """Prints a row for each rule."""
    errors = [error for _, error in positions]
    kept = {name: kept_by(name, text, positions) for name, text in rules.items()}
    if kept[base] is None:
        raise Unusable(f"the base rule '{base}' looks at what the data lack")
    draw = random.Random(seed)
    means = {name: [] for name, of_rule in kept.items() if of_rule is not None}
    for _ in range(rounds):
        drawn = draw.choices(range(len(errors)), k=len(errors))
        for name, drawn_means in means.items():
            drawn_means.append(mean(kept[name], errors, drawn))
    print("rule\tkept_%\terror_%\tlow\thigh\tagainst_base\tlow\thigh\tdrops")
    for name, text in rules.items():
        if kept[name] is None:
            print(f"{name}\t\t\t\t\t\t\t\t{text} (not in the data)")
            continue
        error = mean(kept[name], errors, range(len(errors)))
        above = [one - other for one, other in zip(means[name], means[base])]
        figures = [100 * sum(kept[name]) / len(errors), error, *interval(means[name])]
        figures += [error - mean(kept[base], errors, range(len(errors))), *interval(above)]
        print("\t".join([name, *(f"{figure:.2f}" for figure in figures), text]))


def arguments(given):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("verdicts")
    parser.add_argument("values")
    parser.add_argument("--rule", action="append", default=[], metavar="NAME=EXPRESSION")
    parser.add_argument("--base", default=BASE, help="the rule to compare with [%(default)s]")
    parser.add_argument("--rounds", type=int, default=200, help="of bootstrap [%(default)s]")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args(given)
    if args.rounds < 1:
        parser.error("--rounds must be 1 or more")
    rules = dict(RULES)
    for rule in args.rule:
        name, equals, text = rule.partition("=")
        if not (name and equals and text):
            parser.error(f"--rule {rule!r} is not NAME=EXPRESSION")
        rules[name.strip()] = text.strip()
    if args.base not in rules:
        parser.error(f"--base {args.base}: no such rule")
    return args, rules


def main(given):
    args, rules = arguments(given)
    try:
        positions, unknown = read_positions(args.verdicts, args.values)
        print(f"{len(positions)} positions, {unknown} without a verdict", file=sys.stderr)
        measure(rules, args.base, positions, args.rounds, args.seed)
    except (Unusable, OSError, UnicodeDecodeError, csv.Error) as error:
        print(f"measure_quiet.py: error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
