"""Filters on a Ray cluster: a task for each file, of training data or Parquet, or for each part.

Ray decides what runs where, and repeats what a lost node or worker has not finished. Paths are
seen by all nodes: a shared file system, or, for Parquet, an object store. The workers need
swaplist installed.
"""

from __future__ import annotations

import contextlib
import inspect
import json
import os
import pathlib
import re
import shutil
import uuid
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack

import ray
import swaplist

from . import _swaplist
from ._files import check_names, check_numbers
from ._types import (
    Backend,
    Errors,
    FileSettings,
    Path,
    PositionPreset,
    PositionRules,
    Profile,
)

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

#: How often a file is tried whose worker or node dies.
ATTEMPTS = 3

#: Most rows of a Parquet file that are in memory at a time.
ROWS = 1 << 20


class FailedFiles(RuntimeError):
    """Some files could not be filtered; the others are done.

    Attributes:
        failed: The reason by file.
        summary: The summary of the others.
    """

    def __init__(self, failed: dict[str, str], summary: dict[str, Any]) -> None:
        reasons = "\n".join(failed.values())
        super().__init__(
            f"{len(failed)} of {len(failed) + summary['files']} files failed:\n{reasons}"
        )
        self.failed = failed
        self.summary = summary


class QuietSettings(PositionRules, total=False):
    """Keywords of `swaplist.is_quiet` that hold for each of many files."""

    preset: PositionPreset
    profile: Profile
    values: str


def filter_files(
    paths: Path | Sequence[Path],
    out_dir: Path,
    *,
    overwrite: bool = False,
    cpus_per_file: int = 1,
    num_gpus: float = 0,
    backend: Backend | None = None,
    split: int | str | None = None,
    **settings: Unpack[FileSettings],
) -> dict[str, Any]:
    """Filters training files, a Ray task each, to files of the same names in a folder.

    A file appears when it is complete, so a repeated task does no harm. A file that cannot be
    filtered, or whose worker dies three times, does not stop the others.

    Args:
        paths: Files of any formats, with different names; a folder stands for the files in it.
        out_dir: A folder; it is made if needed. With `to`, files get that format's extension.
        overwrite: Whether to replace existing files.
        cpus_per_file: Cores, and threads, of a task.
        num_gpus: GPUs of a task, such as 0.5 for two tasks on one, as Ray counts them. Tasks with
            any use the best GPU of their node, or the CPU, as their summary says.
        backend: "cpu", "gpu", "gpu:NAME" or "auto", as for `swaplist.is_quiet`; by default "gpu"
            with num_gpus, else "cpu".
        split: The size of the parts, such as "256MB", "1GiB" or a number of bytes, into which
            larger files are cut, a task each; the outputs and summaries are those of whole files.
            Of compressed files the size is that of decompressed bytes, and one of a single frame
            stays whole, with a warning. Not with a limit.
        settings: Rules and preset, limit, mode, to, scale, drop_castling, format, errors, level,
            counts, profile and values, as for `swaplist.filter`.

    Returns:
        A summary over all files: files, records, kept, invalid, dropped by reason, and their
        own summaries in by_file, with the node that each ran on, or the nodes of its parts. Their
        times are those of all tasks.

    Raises:
        FileExistsError: An output exists.
        TypeError: An unknown rule.
        ValueError: A bad setting, two files of one name, or no node with so many cores or
            GPUs.
        FailedFiles: Some files failed. The others are done.
    """
    known = [
        *FileSettings.__annotations__,
        "overwrite",
        "cpus_per_file",
        "num_gpus",
        "backend",
        "split",
    ]
    if "threads" in settings:
        raise TypeError("filter_files() takes no 'threads'; cpus_per_file is their number")
    check_names("filter_files", settings, known)
    check_numbers(cpus_per_file=cpus_per_file)
    given = {**settings, "backend": backend or ("gpu" if num_gpus else "cpu")}
    _swaplist.filter(_arguments(given))
    most = None if split is None else _bytes(split)
    if most and settings.get("limit") is not None:
        raise ValueError("split: a limit counts from the start of a file; leave out one of the two")
    folder, to = pathlib.Path(out_dir).absolute(), settings.get("to")
    found = [pathlib.Path(path).absolute() for path in _several(paths)]
    found = [file for path in found for file in (_in_folder(path) if path.is_dir() else [path])]
    outputs = {str(path): str(folder / _swaplist.output_name(path.name, to)) for path in found}
    if len(set(outputs.values())) < len(found):
        raise ValueError("two files have the same name, and would be written to one")
    for output in outputs.values():
        if os.path.exists(output) and not overwrite:
            raise FileExistsError(f"'{output}' exists; pass overwrite=True to replace it")
    needs = (cpus_per_file, num_gpus)
    return _run(_filter_file, outputs, folder, needs, given, split=most)


def filter_parquet(
    input: Path | Sequence[Path],
    output: Path,
    *,
    column: str = "fen",
    errors: Errors = "raise",
    overwrite: bool = False,
    cpus_per_file: int = 1,
    num_gpus: float = 0,
    backend: Backend | None = None,
    **settings: Unpack[QuietSettings],
) -> dict[str, Any]:
    """Writes the rows with quiet positions of Parquet files, in order, a Ray task for each file.

    A file appears when it is complete, so a repeated task does no harm. A file that cannot be
    filtered, or whose worker dies three times, does not stop the others.

    Args:
        input: Files, also of an object store (s3://, gs://); a folder stands for all `.parquet`
            files in it and below.
        output: A folder, for files of the same names; it is made if needed.
        column: The column of FENs or packed positions.
        errors: "raise" for bad FENs, or "skip" to leave their rows out, like those without one.
        overwrite: Whether to replace existing files.
        cpus_per_file: Cores, and threads, of a task.
        num_gpus: GPUs of a task, such as 0.5 for two tasks on one, as Ray counts them. Tasks with
            any use the best GPU of their node, or the CPU, as their summary says.
        backend: "cpu", "gpu", "gpu:NAME" or "auto", as for `swaplist.is_quiet`; by default "gpu"
            with num_gpus, else "cpu".
        settings: Keywords of `swaplist.is_quiet`, such as max_see=0.

    Returns:
        A summary as of `filter_files`, by rows; invalid are bad FENs left out.

    Raises:
        FileExistsError: An output exists.
        TypeError: An unknown keyword.
        ValueError: A bad setting, two files of one name, or no node with so many cores or
            GPUs.
        FailedFiles: Some files failed, by a bad FEN for example, named with its row. The others
            are done.
    """
    known = [
        *QuietSettings.__annotations__,
        "column",
        "errors",
        "overwrite",
        "cpus_per_file",
        "num_gpus",
        "backend",
    ]
    check_names("filter_parquet", settings, known)
    if errors not in ("raise", "skip"):
        raise ValueError(f'errors: expected "raise" or "skip", not "{errors}"')
    options: dict[str, Any] = {**settings, "errors": "raise" if errors == "raise" else "null"}
    swaplist.is_quiet([], **options)
    folder = _absolute(output)
    store, inside = _opened(folder)
    found = [file for given in _several(input) for file in _parquet_files(_absolute(given))]
    if len({name for _, name in found}) < len(found):
        raise ValueError("two files have the same name, and would be written to one")
    for info in [] if overwrite else store.get_file_info([f"{inside}/{n}" for _, n in found]):
        if info.is_file:
            raise FileExistsError(f"'{info.path}' exists; pass overwrite=True to replace it")
    outputs = {path: _below(folder, name) for path, name in found}
    options["backend"] = backend or ("gpu" if num_gpus else "cpu")
    _swaplist.filter(_arguments({"backend": options["backend"]}))
    return _run(_filter_parquet, outputs, folder, (cpus_per_file, num_gpus), column, options)


@ray.remote
def _filter_file(
    path: str, output: str, scratch: str | None, threads: int, settings: dict[str, Any]
) -> dict[str, Any]:
    with _unfinished(output, scratch) as name:
        summary = swaplist.filter(path, name, threads=threads, **settings)
    return summary | _where(output)


@ray.remote
def _cut(path: str, most: int, format: str | None) -> list[str] | None:
    return _swaplist.cut(path, most, format)


@ray.remote
def _filter_part(
    path: str, output: str, part: str, threads: int, settings: dict[str, Any]
) -> dict[str, Any]:
    # Only if the run goes on: then there is the folder above.
    pathlib.Path(output).parent.mkdir(exist_ok=True)
    given = {**settings, "threads": threads, "overwrite": True}
    text = _swaplist.filter(_arguments(given, path, output), part)
    summary: dict[str, Any] = json.loads(text)
    return summary | _where(output)


@ray.remote
def _join(
    path: str,
    output: str,
    scratch: str,
    last: str,
    parts: list[dict[str, Any]],
    settings: dict[str, Any],
) -> dict[str, Any]:
    """Writes the outputs of all parts, in order, to one file. `last` is the last part."""
    with _unfinished(output, scratch) as name:
        with open(name, "wb") as file:
            for part in parts:
                with open(part["output"], "rb") as more:
                    shutil.copyfileobj(more, file, 1 << 20)
        # Also looks whether the input has changed.
        tallies = [part["tally"] for part in parts]
        text = _swaplist.filter(_arguments(settings, path, output), last, tallies)
    sums = {name: sum(part[name] for part in parts) for name in ("seconds", "audited")}
    sums["decoded_on_gpu"] = sum(part["decoded_on_gpu"] for part in parts)
    fallbacks = (part["fallback"] for part in parts if part["fallback"])
    first = {"backend": parts[0]["backend"], "fallback": next(fallbacks, None)}
    rate = sum(part["records"] for part in parts) / max(sums["seconds"], 1e-6)
    nodes = {"nodes": [part["node"] for part in parts], "threads": parts[0]["threads"]}
    summary: dict[str, Any] = json.loads(text)
    return summary | sums | first | {"records_per_second": rate} | nodes | _where(output)


def _arguments(
    settings: Mapping[str, Any], input: str | None = None, output: str | None = None
) -> dict[str, Any]:
    """All arguments of `swaplist.filter` with these settings, as `_swaplist.filter` takes them."""
    bound = inspect.signature(swaplist.filter).bind(input, output, **settings)
    bound.apply_defaults()
    return {**bound.arguments, "progress": None}


def _bytes(size: int | str) -> int:
    """Of a size such as "256MB" or "1.5 GiB"."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?) *(?:([kmgt]?)(i?)b)?", str(size).lower())
    if isinstance(size, bool) or match is None:
        raise ValueError(f'split={size!r}: expected a size such as "256MB", "1GiB" or 1000000')
    number, prefix, binary = match.groups()
    scale = (1024 if binary else 1000) ** " kmgt".index(prefix or " ")
    if not (size_in_bytes := int(float(number) * scale)):
        raise ValueError(f"split={size!r}: parts of no bytes")
    return size_in_bytes


@ray.remote
def _filter_parquet(
    path: str,
    output: str,
    scratch: str | None,
    threads: int,
    column: str,
    options: dict[str, Any],
) -> dict[str, Any]:
    import pyarrow.parquet as pq

    records = kept = invalid = nulls = 0
    with _unfinished(output, scratch) as unfinished:
        (source, inside), (store, name) = _opened(path), _opened(unfinished)
        with pq.ParquetFile(inside, filesystem=source) as file:
            schema = file.schema_arrow
            if column not in schema.names:
                raise ValueError(f"there is no column '{column}', but: {', '.join(schema.names)}")
            store.create_dir(os.path.dirname(name))
            try:
                with pq.ParquetWriter(name, schema, filesystem=store) as writer:
                    for rows in file.iter_batches(ROWS):
                        quiet = _is_quiet(rows[column], records, threads, options)
                        writer.write_batch(written := rows.filter(quiet))
                        records, kept = records + rows.num_rows, kept + written.num_rows
                        nulls += rows[column].null_count
                        invalid += quiet.null_count - rows[column].null_count
            except BaseException:
                if scratch is None and store.get_file_info(name).is_file:
                    store.delete_file(name)
                raise
    dropped = {"not_quiet": records - kept - invalid - nulls, "null": nulls}
    counts = {"records": records, "kept": kept, "invalid": invalid, "dropped": dropped}
    return {"input": path, **counts, **_where(output)}


def _where(output: str) -> dict[str, str]:
    return {"output": output, "node": ray.get_runtime_context().get_node_id()}


@contextlib.contextmanager
def _unfinished(output: str, scratch: str | None) -> Iterator[str]:
    """A name to write, which becomes the output's when all is written."""
    if scratch is None:  # in an object store a file appears when it is complete
        yield output
        return
    final = pathlib.Path(output)
    unfinished = pathlib.Path(scratch, uuid.uuid4().hex, final.name)
    unfinished.parent.mkdir(parents=True)
    yield str(unfinished)
    final.parent.mkdir(parents=True, exist_ok=True)
    unfinished.replace(final)


def _is_quiet(fens: Any, before: int, threads: int, options: dict[str, Any]) -> Any:
    """As `swaplist.is_quiet`, but errors count from the file's first row."""
    try:
        return swaplist.is_quiet(fens, threads=threads, **options)
    except ValueError as error:
        at = re.fullmatch(r"row (\d+)(.*)", str(error), re.DOTALL)
        if at is None:
            raise
        raise ValueError(f"row {int(at[1]) + before}{at[2]}") from None


def _run(
    task: Any,
    outputs: dict[str, str],
    folder: Path,
    needs: tuple[int, float],
    *arguments: Any,
    split: int | None = None,
) -> dict[str, Any]:
    """Runs a task for each file, with so many cores and GPUs; returns the summary."""
    if not outputs:
        raise ValueError("there are no files to filter")
    if twice := {os.path.realpath(path) for path in outputs}.intersection(
        map(os.path.realpath, outputs.values())
    ):
        raise ValueError(f"'{twice.pop()}' would be read and written")
    cpus, gpus = needs
    _check_needs({"cpus_per_file": ("CPU", 1, cpus), "num_gpus": ("GPU", 0, gpus)})
    scratch = None
    if "://" not in os.fspath(folder):
        scratch = os.path.join(folder, f".swaplist-{uuid.uuid4().hex[:8]}")
        os.makedirs(scratch)
    options = {"num_cpus": cpus, "num_gpus": gpus, "scheduling_strategy": "SPREAD"}
    options["max_retries"] = ATTEMPTS - 1
    task = task.options(**options)

    def whole(path: str, _: list[Any]) -> list[Any]:
        return [task.remote(path, outputs[path], scratch, cpus, *arguments)]

    stages: list[Stage] = [whole, lambda _, done: done]
    if split and scratch:
        stages = _in_parts(split, whole, outputs, scratch, options, *arguments)
    running: dict[str, list[Any]] = dict.fromkeys(outputs, [])
    failed: dict[str, str] = {}
    left: list[Any] = []
    try:
        for stage in stages:
            for path in list(running):
                try:
                    running[path] = stage(path, [_result(of) for of in running[path]])
                    continue
                except ray.exceptions.RayTaskError as error:
                    failed[path] = str(error.cause)
                except ray.exceptions.RayError as error:
                    why = str(error).splitlines()[0]
                    failed[path] = f"given up after {ATTEMPTS} attempts: {why}"
                except OSError as error:
                    failed[path] = str(error)
                # Without their folder, its other parts end at once. Ray's `cancel` may abort this
                # process: a task that ends at that moment is unknown to it.
                stages[-1](path, [])
                left += running.pop(path)
        if left:
            ray.wait(left, num_returns=len(left))
    finally:
        if scratch is not None:
            shutil.rmtree(scratch, ignore_errors=True)
    done = [summary for (summary,) in running.values()]
    reasons = sorted({reason for file in done for reason in file["dropped"]})
    summary = {
        "files": len(done),
        **{count: sum(file[count] for file in done) for count in ("records", "kept", "invalid")},
        "dropped": {
            reason: sum(file["dropped"].get(reason, 0) for file in done) for reason in reasons
        },
        "by_file": done,
    }
    if failed:
        named = {path: why if path in why else f"{path}, {why}" for path, why in failed.items()}
        raise FailedFiles(named, summary)
    return summary


#: Of a file and the results of its tasks, the next tasks, or what is to be passed on.
Stage = Callable[[str, list[Any]], list[Any]]


def _result(of: Any) -> Any:
    return ray.get(of) if isinstance(of, ray.ObjectRef) else of


def _in_parts(
    most: int,
    whole: Stage,
    outputs: dict[str, str],
    scratch: str,
    options: dict[str, Any],
    settings: dict[str, Any],
) -> list[Stage]:
    """A file is cut, its parts are filtered, and their outputs joined."""
    again = {"max_retries": ATTEMPTS - 1}
    #: The folder for the outputs of a file's parts, and its last part.
    cuts: dict[str, tuple[str, str]] = {}

    def cut(path: str, _: list[Any]) -> list[Any]:
        return [_cut.options(**again).remote(path, most, settings.get("format"))]

    def filter_parts(path: str, found: list[Any]) -> list[Any]:
        parts = found[0]
        if parts is None and os.path.getsize(path) > most:
            warnings.warn(
                f"'{path}' is one task: it is compressed in one frame, so not split", stacklevel=4
            )
        if parts is None or len(parts) < 2:
            return whole(path, [])
        folder, name = f"{scratch}/parts-{len(cuts)}", os.path.basename(outputs[path])
        os.mkdir(folder)
        cuts[path] = (folder, parts[-1])
        names = [f"{folder}/{number}/{name}" for number in range(len(parts))]
        task = _filter_part.options(**options)
        given = (options["num_cpus"], settings)
        return [task.remote(path, *each, *given) for each in zip(names, parts, strict=True)]

    def join(path: str, done: list[Any]) -> list[Any]:
        if path not in cuts:
            return done
        task = _join.options(**again)
        return [task.remote(path, outputs[path], scratch, cuts[path][1], done, settings)]

    def tidy(path: str, done: list[Any]) -> list[Any]:
        if path in cuts:
            shutil.rmtree(cuts[path][0], ignore_errors=True)
        return done

    return [cut, filter_parts, join, tidy]


def _check_needs(needs: dict[str, tuple[str, int, float]]) -> None:
    """Refuses what Ray would wait for without end."""
    if not ray.is_initialized():
        ray.init()
    nodes = [node["Resources"] for node in ray.nodes() if node["Alive"]]  # type: ignore[no-untyped-call]
    for name, (resource, least, number) in needs.items():
        if isinstance(number, bool) or not isinstance(number, int | float if least == 0 else int):
            kind = "a number" if least == 0 else "a whole number"
            raise TypeError(f"{name}={number!r}: expected {kind}")
        most = max(node.get(resource, 0) for node in nodes)
        if not least <= number <= most:
            expected = f"expected {least} to {most:g}, as the largest node has"
            raise ValueError(f"{name}={number}: {expected}")


def _several(paths: Path | Sequence[Path]) -> Sequence[Path]:
    return [paths] if isinstance(paths, str | os.PathLike) else paths


def _in_folder(folder: pathlib.Path) -> list[pathlib.Path]:
    return sorted(path for path in folder.glob("[!.]*") if path.is_file())


def _parquet_files(given: str) -> list[tuple[str, str]]:
    """A file, or all in a folder and below; the names are relative to it."""
    from pyarrow.fs import FileSelector, FileType

    store, inside = _opened(given)
    if store.get_file_info(inside).type != FileType.Directory:
        return [(given, os.path.basename(inside))]
    files = store.get_file_info(FileSelector(inside, recursive=True))
    names = (file.path[len(inside) :].lstrip("/") for file in files if file.is_file)
    return [(_below(given, name), name) for name in sorted(names) if name.endswith(".parquet")]


def _opened(path: str) -> tuple[FileSystem, str]:
    """The file system of a path or an address, and the path in it."""
    from pyarrow.fs import FileSystem, LocalFileSystem

    if "://" in path:
        store, inside = FileSystem.from_uri(path)
        return store, inside.rstrip("/")
    return LocalFileSystem(), path


def _absolute(path: Path) -> str:
    text = os.fspath(path)
    return text if "://" in text else os.path.abspath(text)


def _below(folder: str, name: str) -> str:
    """A file in a folder; an address may end with options of the store."""
    folder, mark, options = folder.partition("?") if "://" in folder else (folder, "", "")
    return f"{folder.rstrip('/')}/{name}{mark}{options}"
