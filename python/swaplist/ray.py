"""Filters on a Ray cluster: Parquet data sets by Ray Data, training files by Ray tasks.

Ray decides what runs where, and repeats what a lost node or worker has not finished. Paths are
seen by all nodes: a shared file system, or, for Parquet, an object store. The workers need
swaplist installed.
"""

from __future__ import annotations

import fcntl
import os
import pathlib
import shutil
import uuid
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import ray
import swaplist

if TYPE_CHECKING:
    import pyarrow as pa

Path = str | os.PathLike[str]


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


def filter_parquet(
    input: Path | Sequence[Path],
    output: Path,
    *,
    column: str = "fen",
    errors: Literal["raise", "null"] = "raise",
    blocks: int | None = None,
    **options: Any,
) -> dict[str, int]:
    """Writes the rows with quiet positions of a Parquet data set to another one, in order.

    Args:
        input: A file, a folder or several, also of an object store.
        output: A new folder. In a file system it appears when all is written.
        column: The column of FENs or packed positions.
        errors: "raise" for bad FENs, or "null" to leave their rows out, like those without one.
        blocks: Tasks, at most as many as there are row groups; by default what Ray chooses.
        options: Keywords of `swaplist.is_quiet`, such as max_see=0.

    Returns:
        {"records": read, "kept": written}.

    Raises:
        FileExistsError: The output exists.
        ValueError: There is no such column.
        ray.exceptions.RayTaskError: A bad FEN; nothing is left at the output.
    """
    paths = [
        os.fspath(path) for path in ([input] if isinstance(input, str | os.PathLike) else input)
    ]
    final = os.fspath(output)
    # Object stores rename nothing; there the files appear one by one.
    in_store = "://" in final
    if not in_store and os.path.exists(final):
        raise FileExistsError(f"'{final}' exists")
    unfinished = final if in_store else f"{final.rstrip('/')}.{uuid.uuid4().hex[:8]}.part"
    context = ray.data.DataContext.get_current().copy()
    context.execution_options.preserve_order = True
    # The newer reader puts small files into one task.
    context.use_datasource_v2 = False
    try:
        with ray.data.DataContext.current(context):
            rows = ray.data.read_parquet(paths, override_num_blocks=blocks)
            if column not in rows.schema().names:
                names = ", ".join(rows.schema().names)
                raise ValueError(f"there is no column '{column}' in '{paths[0]}', but: {names}")
            quiet = rows.map_batches(
                _keep_quiet,  # type: ignore[arg-type]
                fn_kwargs={"column": column, "errors": errors, "options": options},
                batch_format="pyarrow",
                zero_copy_batch=True,
            )
            quiet.write_parquet(unfinished)
            kept = ray.data.read_parquet(unfinished).count() if _has_files(unfinished) else 0
            if not in_store:
                os.makedirs(unfinished, exist_ok=True)
                os.rename(unfinished, final)
            return {"records": rows.count(), "kept": kept}
    finally:
        if not in_store:
            shutil.rmtree(unfinished, ignore_errors=True)


def _has_files(folder: str) -> bool:
    return "://" in folder or any(pathlib.Path(folder).glob("*.parquet"))


def _keep_quiet(
    batch: pa.Table, *, column: str, errors: Literal["raise", "null"], options: dict[str, Any]
) -> pa.Table:
    return batch.filter(swaplist.is_quiet(batch[column], errors=errors, **options))


def filter_files(
    paths: Sequence[Path],
    out_dir: Path,
    *,
    overwrite: bool = False,
    cpus_per_file: int = 1,
    **settings: Any,
) -> dict[str, Any]:
    """Filters training files, a Ray task each, to files of the same names in a folder.

    A file appears when it is complete, so a repeated task does no harm. A file that cannot be
    filtered does not stop the others.

    Args:
        paths: Files of any formats, with different names.
        out_dir: A folder; it is made if needed.
        overwrite: Whether to replace existing files.
        cpus_per_file: Cores, and threads, of a task.
        settings: Other keywords of `swaplist.filter`, such as preset="bullet".

    Returns:
        A summary over all files: records, kept, invalid, dropped by reason, files, and their
        own summaries in by_file, with the node that each ran on.

    Raises:
        FileExistsError: An output exists.
        ValueError: Two files of one name.
        FailedFiles: Some files failed. The others are done.
    """
    folder = pathlib.Path(out_dir)
    outputs = {os.fspath(path): folder / pathlib.Path(path).name for path in paths}
    if len({output.name for output in outputs.values()}) < len(paths):
        raise ValueError("two files have the same name, and would be written to one")
    existing = [str(output) for output in outputs.values() if output.exists()]
    if existing and not overwrite:
        raise FileExistsError(f"'{existing[0]}' exists; pass overwrite=True to replace it")
    folder.mkdir(parents=True, exist_ok=True)
    task = _filter_file.options(num_cpus=cpus_per_file, scheduling_strategy="SPREAD")
    # The outputs do not exist yet, or may be replaced: a repeated task meets its own.
    settings |= {"threads": cpus_per_file, "overwrite": True}
    by_file = ray.get([task.remote(path, str(out), settings) for path, out in outputs.items()])
    _remove_leftovers(folder)
    done = [summary for summary in by_file if "error" not in summary]
    failed = {summary["input"]: summary["error"] for summary in by_file if "error" in summary}
    summary = _sum(done)
    if failed:
        raise FailedFiles(failed, summary)
    return summary


@ray.remote
def _filter_file(path: str, output: str, settings: dict[str, Any]) -> dict[str, Any]:
    node = ray.get_runtime_context().get_node_id()
    try:
        return swaplist.filter(path, output, **settings) | {"node": node}
    except (ValueError, OSError) as error:
        return {"input": path, "error": str(error)}


def _sum(by_file: list[dict[str, Any]]) -> dict[str, Any]:
    counts = ("records", "kept", "invalid")
    reasons = {reason for summary in by_file for reason in summary["dropped"]}
    return {
        "files": len(by_file),
        **{count: sum(summary[count] for summary in by_file) for count in counts},
        "dropped": {
            reason: sum(summary["dropped"].get(reason, 0) for summary in by_file)
            for reason in sorted(reasons)
        },
        "by_file": by_file,
    }


def _remove_leftovers(folder: pathlib.Path) -> None:
    """Removes unfinished files of killed workers; running jobs hold a lock on theirs."""
    for path in folder.glob(".swaplist-*.part"):
        with path.open("rb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                continue
            path.unlink(missing_ok=True)
