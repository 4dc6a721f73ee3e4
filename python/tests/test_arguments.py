"""A function's arguments are listed once, by its `def`; what repeats names is compared with it."""

import inspect
import subprocess
import sys
import typing

import pytest
import swaplist
from conftest import FENS, SAMPLE
from swaplist import _swaplist, _types, ray

ROW = FENS.read_text().splitlines()[:1]
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"


def names(function):
    return list(inspect.signature(function).parameters)


@pytest.mark.filterwarnings("ignore:.*not carried over")
@pytest.mark.parametrize(
    # What a user passes; what the package passes apart from the others, and which arguments these
    # are of.
    ("name", "given", "before", "apart"),
    [
        ("is_quiet", [ROW], lambda: [ROW, None], ["fens", "moves"]),
        ("verdicts", [ROW], lambda: [ROW], ["fens"]),
        ("scores", [ROW, [None]], lambda: [ROW, [None]], ["fens", "moves", "lists"]),
        ("see", [START, "e2e4"], list, []),
        ("explain", [START], list, []),
        ("read", [SAMPLE], list, []),
        ("write", [None, "x.plain"], lambda: [iter([swaplist.read(SAMPLE)])], ["table"]),
        ("filter", [FENS, "x.fen"], list, []),
        ("convert", [SAMPLE, "x.plain"], list, []),
        ("mix", [FENS, "x.fen"], list, []),
        ("count", [FENS], list, []),
        ("validate", [FENS], list, []),
    ],
)
def test_what_is_compiled_takes_what_the_def_lists(
    tmp_path, monkeypatch, name, given, before, apart
):
    monkeypatch.chdir(tmp_path)
    bound = inspect.signature(getattr(swaplist, name)).bind(*given)
    bound.apply_defaults()
    arguments = {key: value for key, value in bound.arguments.items() if key not in apart}
    if "progress" in arguments:
        arguments["progress"] = None
    compiled = getattr(_swaplist, name)
    with pytest.raises(TypeError, match=r"\['another'\] are not taken"):
        compiled(*before(), {**arguments, "another": 1})
    for lacking in arguments:
        rest = {key: value for key, value in arguments.items() if key != lacking}
        with pytest.raises(TypeError, match=f"'{lacking}' is not passed"):
            compiled(*before(), rest)
    assert list(tmp_path.iterdir()) == []
    compiled(*before(), arguments)


def test_the_stub_lists_what_is_compiled(tmp_path):
    allowed = tmp_path / "allowed"
    # What only debug builds have, and what pyo3 adds.
    others = ("lose_devices", "__all__")
    allowed.write_text("".join(f"swaplist\\._swaplist\\.{name}\n" for name in others))
    command = [sys.executable, "-m", "mypy.stubtest", "swaplist._swaplist"]
    # The packages that the stub imports have no names of its own, and many.
    config = tmp_path / "mypy.ini"
    config.write_text("[mypy]\nfollow_imports = skip\n")
    options = ["--allowlist", str(allowed), "--ignore-unused-allowlist"]
    options += ["--mypy-config-file", str(config)]
    check = subprocess.run([*command, *options], capture_output=True, text=True)
    assert check.returncode == 0, check.stdout + check.stderr


def test_settings_of_ray_are_those_of_filter():
    of_each = {"input", "output", "rejects", "overwrite", "threads", "backend", "progress"}
    listed = {*typing.get_type_hints(_types.FileSettings)}
    rules = {*typing.get_type_hints(_types.Rules)}
    assert listed == rules | {*names(swaplist.filter)} - of_each - {"rules"}
    listed = {*typing.get_type_hints(ray.QuietSettings)}
    rules = {*typing.get_type_hints(_types.PositionRules)}
    assert listed == rules | {"preset", "profile", "values"}
    assert rules < {*names(swaplist.is_quiet)} | rules


def test_names_of_formats_and_columns():
    for kind, wrong, message in [
        (_types.InputFormat, lambda: swaplist.read(SAMPLE, format="x"), "format: expected one of"),
        (_types.Format, lambda: swaplist.convert(SAMPLE, "x", to="x"), "to: expected one of"),
        (_types.Name, lambda: swaplist.read(SAMPLE, columns=["x"]), "columns: expected some of"),
    ]:
        with pytest.raises(ValueError, match=message) as raised:
            wrong()
        told = str(raised.value).partition("[")[2].partition("]")[0].replace('"', "").split(", ")
        assert {*told} == flat(kind)


def flat(kind):
    """The names of a Literal, or of several."""
    options = typing.get_args(kind)
    return {name for one in options for name in (flat(one) if typing.get_args(one) else {one})}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: swaplist.read(5), "path: expected a path, not 5"),
        (lambda: swaplist.read(SAMPLE, columns="fen"), "columns: expected a list, not 'fen'"),
        (lambda: swaplist.read(SAMPLE, columns=[5]), "columns: expected a str, not 5"),
        (lambda: swaplist.read(SAMPLE, unscored=1), "unscored: expected a bool, not 1"),
        (lambda: swaplist.count(SAMPLE, data="no"), "data: expected a bool, not 'no'"),
        (lambda: swaplist.count(5), "input: expected a path or a list of paths, not 5"),
        (lambda: swaplist.count([5]), r"input: expected a path or a list of paths, not \[5\]"),
        (lambda: swaplist.count(SAMPLE, profile=5), "profile: expected a str, not 5"),
        (lambda: swaplist.filter(FENS, "x", scale="2"), "scale: expected a number, not '2'"),
        (lambda: swaplist.filter(FENS, "x", backend=None), "backend: expected a str, not None"),
        (lambda: swaplist.filter(FENS, "x", level="9"), "level: expected a whole number, not '9'"),
        (lambda: swaplist.mix(FENS, "x", split=[1, "2"]), "split: expected a number, not '2'"),
        (lambda: swaplist.mix(FENS, "x", memory=1.5), "memory: expected a whole number, not 1.5"),
        (lambda: swaplist.batches(SAMPLE, endless=0), "endless: expected a bool, not 0"),
        (lambda: swaplist.is_quiet(ROW, threads=None), "threads: expected a whole number, not No"),
        (lambda: swaplist.see(ROW[0], 5), "move: expected a str, not 5"),
        (lambda: swaplist.explain(None), "fen: expected a str, not None"),
    ],
)
def test_a_wrong_type_is_named(call, message):
    with pytest.raises(TypeError, match=f"^{message}"):
        call()


def test_an_unknown_keyword_is_named():
    for call in (swaplist.convert, swaplist.filter, swaplist.mix):
        with pytest.raises(TypeError, match=rf"{call.__name__}\(\) got an unexpected keyword"):
            call(FENS, "x", nonsense=1)


def test_help_lists_the_arguments():
    assert names(swaplist.filter)[:5] == ["input", "output", "preset", "rejects", "limit"]
    assert str(inspect.signature(swaplist.validate)).startswith("(input: 'Path', *, format:")
