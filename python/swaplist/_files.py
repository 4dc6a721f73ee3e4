"""Functions over training files."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from typing import Any, Literal

from . import _swaplist

Path = str | os.PathLike[str]
#: Called with the records done and the bytes read so far; True for a bar, if tqdm is there.
Progress = Callable[[int, int], object] | bool

COLUMNS = ("fen", "move", "score", "result", "ply")


def read(
    path: Path,
    *,
    columns: Sequence[str] = COLUMNS,
    batch_size: int = 65536,
    format: str | None = None,
    errors: Literal["raise", "skip"] = "raise",
    profile: str = "swap",
    values: str = "cpw",
) -> _swaplist.Records:
    """Opens a training file as a table: an Arrow stream of its records, in order.

    Give the result to `polars.DataFrame`, `pyarrow.table`, `pyarrow.RecordBatchReader.from_stream`
    or a DuckDB query. Each of them reads the file anew.

    Args:
        path: A file of any format that swaplist reads (docs/formats.md), also .zst and .gz.
        columns: Some of
            fen (string, six fields), position (fixed_size_binary[32], packed),
            move (string, UCI; null if the format has none),
            score (int32, centipawns from the side to move's view; null if there is none),
            result (int8: 1 White won, 0 draw, -1 Black won; bulletformat does not tell who
            plays White, and counts for the side to move),
            ply (uint32, half-moves since the game's start),
            in_check (bool), see (int32, of the best noisy move; null without any).
        batch_size: Rows of a batch.
        format: The format's name, if it cannot be detected.
        errors: "skip" leaves out invalid records and counts them in `skipped`; "raise" stops.
        profile, values: The rules of `see`, as for `is_quiet`.

    Raises:
        FileNotFoundError, OSError: The file cannot be opened.
        ValueError: Unknown columns or formats. Readers of the stream raise their own error,
            with the place and the reason, for an invalid record.
    """
    return _swaplist.read(
        path,
        columns=list(columns),
        batch_size=batch_size,
        format=format,
        errors=errors,
        profile=profile,
        values=values,
    )


def write(
    table: Any,
    path: Path,
    *,
    format: str | None = None,
    overwrite: bool = False,
    level: int | None = None,
    errors: Literal["raise", "skip"] = "raise",
) -> dict[str, int]:
    """Writes a table as a training file, atomically.

    Args:
        table: An Arrow table or stream with the columns of `read`: fen or position (which holds
            no castling rights), and, as far as the format needs them, move, score, result and
            ply. Other columns are not written.
        path: The file. Its name tells the format and the compression (.zst, .gz).
        format: The format's name, if the file's does not tell.
        overwrite: Whether to replace an existing file.
        level: The level of the compression.
        errors: "skip" leaves out rows that the format cannot hold, and counts them; "raise"
            stops, and no file is left.

    Returns:
        {"records": written, "skipped": left out}.

    Moves are a warning where the format does not hold them.

    Raises:
        FileExistsError: The file exists.
        TypeError, ValueError: A column of the wrong type, a missing one, or a row that the
            format cannot hold, with its number from 0.
    """
    if type(table).__module__.startswith("polars") and hasattr(table, "get_columns"):
        import polars as pl

        # polars exports columns without a type as others do not read them.
        table = table.with_columns(pl.col(pl.Null).cast(pl.Int32))
    return _swaplist.write(
        table, path, format=format, overwrite=overwrite, level=level, errors=errors
    )


def filter(
    input: Path,
    output: Path,
    *,
    preset: str | None = None,
    rejects: Path | None = None,
    limit: int | None = None,
    mode: Literal["drop", "mark"] | None = None,
    to: str | None = None,
    format: str | None = None,
    skip_invalid: bool = False,
    overwrite: bool = False,
    level: int | None = None,
    counts: bool = False,
    profile: str | None = None,
    values: str | None = None,
    threads: int | None = None,
    progress: Progress = False,
    **rules: bool | int | float | str | None,
) -> dict[str, Any]:
    """Writes the quiet records of a file to another one, byte for byte, as `swaplist filter`.

    Args:
        input, output: Files, also .zst and .gz.
        preset: Rules to start from: quiet, calm, still, played-calm, bullet, viriformat,
            nnue-pytorch, see-ge0 or none.
        rejects: A file for the other records.
        limit: Stop after so many records were kept.
        mode: Drop the other records, or mark them with the score 32002, which trainers skip. By
            default those of a binpack are marked, so that it does not become larger; `read` has
            null as their score.
        to: Another format to write.
        format: The input's format, if it cannot be detected.
        skip_invalid: Skip and count invalid records instead of raising.
        overwrite: Whether to replace an existing output.
        level: The level of the compression.
        counts: Also count what was read and kept, by scores, results and pieces.
        profile, values: The rules of the SEE; by default the preset's.
        threads: Worker threads; by default one per core.
        progress: Called with records and bytes done; an exception cancels. True shows a bar.
        rules: The flags of `swaplist filter` with _ for -, such as max_see=0, min_ply=16; None
            lifts a bound.

    Returns:
        The summary, as `swaplist filter --json` prints it.

    Raises:
        FileNotFoundError, FileExistsError, OSError: Files.
        ValueError: Bad settings, or an invalid record with its place and reason. No output file
            is left then, nor after KeyboardInterrupt.
    """
    with _progress(input, progress) as callback:
        text = _swaplist.filter(
            input,
            output,
            preset=preset,
            rules=rules,
            rejects=rejects,
            limit=limit,
            mode=mode,
            to=to,
            format=format,
            skip_invalid=skip_invalid,
            overwrite=overwrite,
            level=level,
            counts=counts,
            profile=profile,
            values=values,
            threads=threads,
            progress=callback,
        )
    return _dict(text)


def convert(
    input: Path,
    output: Path,
    *,
    to: str | None = None,
    unscored: Literal["keep", "drop"] | int = "keep",
    format: str | None = None,
    skip_invalid: bool = False,
    overwrite: bool = False,
    level: int | None = None,
    threads: int | None = None,
    progress: Progress = False,
) -> dict[str, Any]:
    """Writes a file's records in another format, as `swaplist convert`.

    Args:
        to: The format; by default what the output's name tells.
        unscored: Records without a score: "keep" if the format has a way to say so, "drop", or
            the score to give them, from the side to move's view.
        input, output, format, skip_invalid, overwrite, level, threads, progress: As for
            `filter`.

    Returns:
        The summary, as `swaplist convert --json` prints it. What the format cannot hold is a
        warning.

    Raises:
        FileNotFoundError, FileExistsError, OSError, ValueError: As for `filter`.
    """
    with _progress(input, progress) as callback:
        text = _swaplist.convert(
            input,
            output,
            to=to,
            unscored=unscored,
            format=format,
            skip_invalid=skip_invalid,
            overwrite=overwrite,
            level=level,
            threads=threads,
            progress=callback,
        )
    return _dict(text)


def count(
    input: Path,
    *,
    format: str | None = None,
    skip_invalid: bool = False,
    profile: str = "swap",
    values: str = "cpw",
    threads: int | None = None,
    progress: Progress = False,
) -> dict[str, Any]:
    """Counts what a file holds, as `swaplist count --json`.

    Args:
        input, format, skip_invalid, threads, progress: As for `filter`.
        profile, values: The rules of the SEE, as for `is_quiet`.
    """
    with _progress(input, progress) as callback:
        text = _swaplist.count(
            input,
            format=format,
            skip_invalid=skip_invalid,
            profile=profile,
            values=values,
            threads=threads,
            progress=callback,
        )
    return _dict(text)


def validate(
    input: Path,
    *,
    format: str | None = None,
    threads: int | None = None,
    progress: Progress = False,
) -> dict[str, Any]:
    """Looks for all faults of a file, as `swaplist validate --json`; "sound" tells the result.

    Args:
        input, format, threads, progress: As for `filter`.
    """
    with _progress(input, progress) as callback:
        text = _swaplist.validate(input, format=format, threads=threads, progress=callback)
    return _dict(text)


def _dict(text: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(text)
    return data


class _progress:
    """The callback of a job: the user's, that of a tqdm bar, or none."""

    def __init__(self, input: Path, progress: Progress) -> None:
        if not isinstance(progress, bool) and not callable(progress):
            raise TypeError(f"progress: expected a callable or a bool, not {progress!r}")
        self.callback = progress if callable(progress) else None
        self.bar = None
        if progress is True:
            try:
                from tqdm.auto import tqdm
            except ImportError:
                return
            size = os.path.getsize(input) if os.path.exists(input) else None
            self.bar = tqdm(total=size, unit="B", unit_scale=True)
            self.callback = self._show

    def _show(self, records: int, done: int) -> None:
        assert self.bar is not None
        self.bar.set_postfix_str(f"{records:,} records", refresh=False)
        self.bar.update(done - self.bar.n)

    def __enter__(self) -> Callable[[int, int], object] | None:
        return self.callback

    def __exit__(self, *_: object) -> None:
        if self.bar is not None:
            self.bar.close()
