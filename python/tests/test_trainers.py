"""The command lines for trainers in docs/train.md, beside what the trainers accept.

The lists here are option names of nnue-pytorch's commit 9f72946 and bullet's cebc78a. With a
checkout in the environment (NNUE_PYTORCH=FOLDER, which needs tyro; BULLET=FOLDER) the lists and the
commands are compared with the sources themselves.
"""

import dataclasses
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

import pytest
from conftest import ROOT
from swaplist._batches import NNUE_PYTORCH

# A long command goes on in the next line.
PAGE = (ROOT / "docs" / "train.md").read_text().replace(" \\\n    ", " ")

# Options of train.py with a value.
VALUED = {
    "accelerator",
    "batch-size",
    "early-fen-skipping",
    "epoch-size",
    "features",
    "max-epochs",
    "num-workers",
    "random-fen-skipping",
    "simple-eval-skipping",
    "soft-early-fen-skipping",
    "validation-datasets",
    "validation-size",
}
# Options that are on or off.
FLAGS = {"filtered", "wld-filtered"}

# Of bullet-utils, by command.
UTILS = {"validate": {"input"}}
# Of the crate with the examples.
FEATURES = {"cuda", "rocm", "metal"}
EXAMPLE_FILE = "data/baseline.data"
BUCKETED = ("ChessBuckets", "ChessBucketsMirrored")
TEST_SET = "test_set: Some(TestDataset::at"


def commands(begin: str) -> list[list[str]]:
    """The words of the page's commands that begin so, without their comments."""
    found = re.findall(rf"(?:^|`)({re.escape(begin)}[^`\n]*)", PAGE, re.MULTILINE)
    assert found, begin
    return [shlex.split(line, comments=True) for line in found]


@dataclasses.dataclass
class Command:
    files: list[str]
    options: list[tuple[str, str | None]]

    def values(self, name: str) -> list[str | None]:
        return [value for option, value in self.options if option == name]


def parsed(words: list[str], valued: set[str], flags: set[str]) -> Command:
    command, words = Command([], []), list(words)
    while words:
        word = words.pop(0)
        if not word.startswith("--"):
            command.files.append(word)
            continue
        name, equals, value = word[2:].partition("=")
        if name.removeprefix("no-") in flags:
            command.options.append((name, None))
        else:
            assert name in valued, f"no option --{name}"
            command.options.append((name, value if equals else words.pop(0)))
    return command


def train_commands() -> list[list[str]]:
    """The arguments of train.py in whole commands; a mention has no options."""
    found = [line[2:] for line in commands("python train.py")]
    return [line for line in found if line != ["FILE.."]]


def test_the_held_out_file_is_not_trained_on():
    for words in train_commands():
        command = parsed(words, VALUED, FLAGS)
        held_out = command.values("validation-datasets")
        assert len(command.files) == 1 and held_out
        assert not set(command.files) & set(held_out)
        assert int(command.values("validation-size")[0]) > 0
        # Else the loader skips what the marks leave.
        assert command.values("no-filtered") == [None]
    # The options of older commits are refused.
    for old in ("--no-smart-fen-skipping", "--gpus-per-node=1"):
        with pytest.raises(AssertionError, match="no option"):
            parsed(["a.binpack", old], VALUED, FLAGS)


def test_bullet_s_commands():
    for words in commands("cargo run --release --package bullet-utils"):
        tool, *rest = words[words.index("--") + 1 :]
        parsed(rest, UTILS[tool], set())
    for words in commands("cargo run --release --package bullet_lib"):
        assert words[-1] in FEATURES and words[-4:-1] == ["--example", "simple", "--features"]
    assert "dataset_path" not in PAGE
    # What the example trains on is what was written, and what it is tested on was held out.
    assert f"mv ../train.data {EXAMPLE_FILE}" in PAGE
    assert f'{TEST_SET}("data/held-out.data"))' in PAGE and "data/held-out.data\n" in PAGE


# Runs the real parser. Only its modules of settings are needed: what else they import, such as
# torch, is stood in for.
PARSER = """
import importlib.machinery, json, sys, types
root, *words = sys.argv[1:]
sys.path.insert(0, root)

class StandIn(types.ModuleType):
    __path__ = []
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {}) if name[0].isupper() else StandIn(name)
    def __call__(self, *args, **_):
        return args[0] if args and callable(args[0]) else self

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("torch", "schedulefree", "cupy", "numba", "scipy", "numpy"):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
    def create_module(self, spec):
        return StandIn(spec.name)
    def exec_module(self, module):
        pass

sys.meta_path.insert(0, Finder())
for name in ("data_loader", "model"):
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__path__ = [f"{root}/{name}"]

import dataclasses, tyro, config
made = dataclasses.asdict(tyro.cli(config.TrainingConfig, args=words))
print(json.dumps(made, default=str))
"""


@pytest.mark.skipif("NNUE_PYTORCH" not in os.environ, reason="NNUE_PYTORCH=FOLDER is not set")
def test_nnue_pytorch_s_own_parser():
    def parse(words):
        arguments = [sys.executable, "-c", PARSER, os.environ["NNUE_PYTORCH"], *words]
        return subprocess.run(arguments, capture_output=True, text=True)

    for words in train_commands():
        command = parsed(words, VALUED, FLAGS)
        ran = parse(words)
        assert ran.returncode == 0, ran.stderr
        made = json.loads(ran.stdout)
        assert made["datasets"] == command.files
        assert made["validation_datasets"] == command.values("validation-datasets")
        assert made["validation_size"] == int(command.values("validation-size")[0])
        assert made["dataloader_config"]["filtered"] is False

    def names(made):
        for name, value in made.items():
            yield name.replace("_", "-")
            if isinstance(value, dict):
                yield from names(value)

    assert set(names(made)) >= VALUED | FLAGS
    # swaplist.batches has the same options, with the same defaults.
    skips = dict(made["dataloader_config"], filtered=True)
    del skips["param_index"]
    assert skips == NNUE_PYTORCH
    ran = parse(["a.binpack", "b.binpack", "--no-smart-fen-skipping"])
    assert "Unrecognized options: --no-smart-fen-skipping" in ran.stdout + ran.stderr


@pytest.mark.skipif("BULLET" not in os.environ, reason="BULLET=FOLDER is not set")
def test_bullet_s_own_sources():
    root = pathlib.Path(os.environ["BULLET"])
    example = (root / "examples/simple.rs").read_text()
    assert f'DirectSequentialDataLoader::new(&["{EXAMPLE_FILE}"])' in example
    manifest = (root / "crates" / "bullet_lib" / "Cargo.toml").read_text()
    assert 'name = "simple"' in manifest
    assert all(f"\n{feature} = [" in manifest for feature in FEATURES)
    for tool, options in UTILS.items():
        source = (root / "crates" / "utils" / "src" / f"{tool}.rs").read_text()
        (options_of,) = re.findall(
            r"struct \w+Options \{$(.*?)^\}", source, re.MULTILINE | re.DOTALL
        )
        fields = re.findall(r"^ +(?:pub )?(\w+): (?!Vec)", options_of, re.MULTILINE)
        assert {field.replace("_", "-") for field in fields} == options
    settings = (root / "crates" / "bullet_lib" / "src" / "trainer" / "settings.rs").read_text()
    assert "pub test_set: Option<TestDataset" in settings
    assert "pub fn at(path: &'a str) -> TestDataset" in settings
    assert "test_set: None" in example
    # What the page says of features and output buckets.
    inputs = root / "crates" / "bullet_lib" / "src" / "game" / "inputs" / "chess_buckets.rs"
    assert all(f"struct {name} " in inputs.read_text() for name in BUCKETED)
