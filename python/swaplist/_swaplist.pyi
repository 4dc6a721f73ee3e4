"""The compiled part; see the package for the documentation of its functions."""

import os
from collections.abc import Callable
from typing import Any

__version__: str

_Path = str | os.PathLike[str]
_Progress = Callable[[int, int], object] | None

class Column:
    """A column of answers: an Arrow array for whoever reads the Arrow PyCapsule interface."""

    def __len__(self) -> int: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]: ...
    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...
    def to_pylist(self) -> list[Any]:
        """As a list of Python values, None for null."""

class Records:
    """The records of a file, as an Arrow stream that can be read several times."""

    @property
    def format(self) -> str:
        """The name of the file's format."""

    @property
    def skipped(self) -> int:
        """Invalid records skipped so far, with errors="skip"."""

    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...

def is_quiet(
    fens: Any,
    *,
    max_see: int | None = 0,
    max_threat: int | None = None,
    drop_double_threat: bool = False,
    quiescence: int | None = None,
    keep_checks: bool = False,
    profile: str = "swap",
    values: str = "cpw",
    errors: str = "raise",
    threads: int = 1,
) -> Column: ...
def verdicts(
    fens: Any,
    *,
    threat: bool = False,
    quiescence: int | None = None,
    profile: str = "swap",
    values: str = "cpw",
    errors: str = "raise",
    threads: int = 1,
) -> Column: ...
def scores(
    fens: Any,
    moves: Any,
    *,
    profile: str = "swap",
    values: str = "cpw",
    errors: str = "raise",
    threads: int = 1,
) -> Column: ...
def see(fen: str, move: str, *, profile: str = "swap", values: str = "cpw") -> int: ...
def explain(
    fen: str,
    move: str | None = None,
    *,
    json: bool = False,
    profile: str = "swap",
    values: str = "cpw",
) -> str: ...
def read(
    path: _Path,
    *,
    columns: list[str],
    batch_size: int,
    format: str | None = None,
    errors: str = "raise",
    profile: str = "swap",
    values: str = "cpw",
) -> Records: ...
def write(
    table: Any,
    path: _Path,
    *,
    format: str | None = None,
    overwrite: bool = False,
    level: int | None = None,
    errors: str = "raise",
) -> dict[str, int]: ...
def filter(
    input: _Path,
    output: _Path,
    *,
    preset: str | None,
    rules: dict[str, Any] | None,
    rejects: _Path | None,
    limit: int | None,
    mode: str | None,
    to: str | None,
    format: str | None,
    skip_invalid: bool,
    overwrite: bool,
    level: int | None,
    counts: bool,
    profile: str | None,
    values: str | None,
    threads: int | None,
    progress: _Progress,
) -> str: ...
def convert(
    input: _Path,
    output: _Path,
    *,
    to: str | None,
    unscored: str | int,
    format: str | None,
    skip_invalid: bool,
    overwrite: bool,
    level: int | None,
    threads: int | None,
    progress: _Progress,
) -> str: ...
def count(
    input: _Path,
    *,
    format: str | None,
    skip_invalid: bool,
    profile: str,
    values: str,
    threads: int | None,
    progress: _Progress,
) -> str: ...
def validate(
    input: _Path, *, format: str | None, threads: int | None, progress: _Progress
) -> str: ...
