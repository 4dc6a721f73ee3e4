"""Finds files of src/ that import each other, by their `use` lines; exits with 1 if there are any."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent / "src"


def modules():
    """Path of each module, as a tuple of names, and its text without tests."""
    for path in ROOT.rglob("*.rs"):
        name = path.relative_to(ROOT).with_suffix("").parts
        if name != ("main",):
            text = path.read_text().split("#[cfg(test)]\nmod tests {")[0]
            yield (() if name == ("lib",) else name), text


def expanded(use):
    """`a::{b, c::d}` as `a::b` and `a::c::d`."""
    start = use.find("{")
    if start < 0:
        return [re.sub(r" as \w+| ", "", use)]
    parts, depth, part = [], 0, ""
    for char in use[start:]:
        depth += (char == "{") - (char == "}")
        if depth == 0:
            break
        if char == "," and depth == 1:
            parts.append(part)
            part = ""
        elif not (char == "{" and depth == 1):
            part += char
    return [path for part in [*parts, part] if part.strip() for path in expanded(use[:start] + part)]


def uses(text):
    """The paths of a text's `use` lines, and whether each is public."""
    for line in re.finditer(r"^\s*(pub(?:\([a-z ]+\))? )?use ([^;]+);", text, re.M):
        for path in expanded(" ".join(line[2].split())):
            parts = path.split("::")
            yield [part for part in parts if part != "self"] or parts, line[1] is not None


TEXTS = dict(modules())
SHOWN = {(name, parts[-1]): parts for name, text in TEXTS.items() for parts, public in uses(text) if public}


def home(name, parts, depth=0):
    """The module that a path in another one leads to, through what is shown anew."""
    at, rest = name, list(parts)
    if rest[0] == "crate":
        at, rest = (), rest[1:]
    elif rest[0] != "super" and (*name, rest[0]) not in TEXTS:
        return None
    while rest and rest[0] == "super":
        at, rest = at[:-1], rest[1:]
    while rest and (*at, rest[0]) in TEXTS:
        at, rest = (*at, rest[0]), rest[1:]
    if rest and (at, rest[0]) in SHOWN and depth < 8:
        return home(at, SHOWN[at, rest[0]], depth + 1) or at
    return at


def imports(name, text):
    """What a module imports; showing what one below it holds is no import."""
    found = set()
    for parts, public in uses(text):
        other = home(name, parts)
        if other not in (None, name) and not (public and other[: len(name)] == name):
            found.add(other)
    return found


GRAPH = {name: imports(name, text) for name, text in TEXTS.items()}


def reaches(start):
    seen, todo = set(), list(GRAPH.get(start, ()))
    while todo:
        if (name := todo.pop()) not in seen:
            seen.add(name)
            todo.extend(GRAPH.get(name, ()))
    return seen


REACHED = {name: reaches(name) for name in GRAPH}
circles = {frozenset(o for o in REACHED[name] if name in REACHED.get(o, ())) for name in GRAPH}
circles.discard(frozenset())
for circle in circles:
    print("these files import each other:", *sorted("/".join(name) or "lib" for name in circle))
sys.exit(bool(circles))
