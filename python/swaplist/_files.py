"""Functions over training files."""

from __future__ import annotations

import difflib
import functools
import inspect
import json
import operator
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Unpack

from . import _swaplist
from ._types import (
    Backend,
    Errors,
    Format,
    InputFormat,
    Mode,
    Name,
    Path,
    Preset,
    Profile,
    Progress,
    Rules,
)

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

COLUMNS: tuple[Name, ...] = ("fen", "move", "score", "result", "ply")


class Records:
    """The records of a file as a table, an Arrow stream; each of its readers reads the file anew.

    Give it to `polars.DataFrame`, `pyarrow.table` or a DuckDB query. (`polars.from_arrow` makes
    a Series of structs.) Iterating gives `pyarrow.RecordBatch`es. It is pickled as a path and
    options, and read where it is unpickled.
    """

    def __init__(self, path: Path, **options: Any) -> None:
        self._records = _swaplist.read({"path": path, **options})
        self._again = functools.partial(Records, path, **options)

    @property
    def format(self) -> str:
        """The name of the file's format."""
        return self._records.format

    @property
    def skipped(self) -> int:
        """Invalid records skipped so far by the last reader, with errors="skip"."""
        return self._records.skipped

    def to_polars(self) -> pl.DataFrame:
        """All records as a polars DataFrame."""
        import polars as pl

        return pl.DataFrame(self)

    def to_pandas(self) -> pd.DataFrame:
        """All records as a pandas DataFrame; needs pyarrow too."""
        import pyarrow as pa

        return pa.table(self).to_pandas()

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        return iter(pa.RecordBatchReader.from_stream(self))

    def __arrow_c_schema__(self) -> object:
        return self._records.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._records.__arrow_c_stream__(requested_schema)

    def __reduce__(self) -> tuple[Any, ...]:
        return self._again, ()

    def __repr__(self) -> str:
        return repr(self._records)


def read(
    path: Path,
    *,
    columns: Sequence[Name] = COLUMNS,
    batch_size: int = 65536,
    unscored: bool = True,
    format: InputFormat | None = None,
    errors: Errors = "raise",
    profile: Profile = "swap",
    values: str = "cpw",
) -> Records:
    """Opens a training file as a table: an Arrow stream of its records, in order.

    Args:
        path: A file of any format that swaplist reads (docs/formats.md), also .zst and .gz.
        columns: Some of
            fen (string, six fields), position (fixed_size_binary[32], packed),
            castling (uint64, a bitboard of the rooks that may castle), halfmoves (uint8) and
            fullmoves (uint16), the clocks: what packed positions lack,
            turn (int8: 1 White moves, -1 Black),
            move (string, UCI; null if the format has none),
            score (int32, centipawns from the side to move's view; null if there is none),
            mate (bool: the score stands for a mate, 31,000 or more either way; null without a
            score),
            result (int8: 1 White won, 0 draw, -1 Black won; bulletformat does not tell who
            plays White, and counts for the side to move),
            ply (uint32, half-moves since the game's start),
            in_check (bool), best_see (int32, of the best noisy move; null without any).
        batch_size: Rows of a batch.
        unscored: False leaves out records without a score, so also those that `filter` marked.
        format: The format's name, if it cannot be detected.
        errors: "skip" leaves out invalid records and counts them in `skipped`; "raise" stops.
        profile, values: The rules of `best_see`, as for `is_quiet`.

    Raises:
        FileNotFoundError, OSError: The file cannot be opened.
        ValueError: Unknown columns or formats. Readers of the stream raise their own error,
            with the place and the reason, for an invalid record.
    """
    return Records(**locals())


def write(
    table: Any,
    path: Path,
    *,
    to: Format | None = None,
    overwrite: bool = False,
    level: int | None = None,
    errors: Errors = "raise",
    unscored: bool = False,
) -> dict[str, int]:
    """Writes a table as a training file, atomically.

    Args:
        table: An Arrow table or stream, a polars LazyFrame, which is computed in parts as they
            are written (polars 1.34 and later), or a dict of columns (which needs pyarrow), with
            the columns of `read`: fen, or position with castling, halfmoves and fullmoves, and, as
            far as the format needs them, move, score, result and ply. Other columns are not
            written. Results are White's: 1, 0 and -1. Of 1, 0.5 and 0 make them by 2 * r - 1;
            floats with 0 and without -1 are refused, since losses would be stored as draws.
        path: The file. Its name tells the format and the compression (.zst, .gz).
        to: The format, if the file's name does not tell.
        overwrite: Whether to replace an existing file.
        level: The level of the compression.
        errors: "skip" leaves out rows that the format cannot hold, and counts them; "raise"
            stops, and no file is left.
        unscored: Whether a table without a column of scores may be written in a format whose
            trainers skip records without one.

    Returns:
        Counts: "records" written, rows "skipped", and among the records "unscored" ones and
        "illegal_moves": such played moves are written as they are, as by `convert`, except in
        formats that replay them.

    What the records have and the format cannot hold is a warning.

    Raises:
        FileExistsError: The file exists.
        TypeError, ValueError: A column of the wrong type, a missing one, or a row that the
            format cannot hold, with its number from 0.
    """
    return _swaplist.write(tables(table), without(locals(), "table"))


def tables(table: Any) -> Iterator[Any]:
    """A table, or the parts of one that is computed as they are asked for."""
    if isinstance(table, dict):
        import pyarrow as pa

        table = pa.table(table)
    if not is_polars(table):
        yield table
        return
    import polars as pl

    # polars exports columns without a type as others do not read them.
    table = table.with_columns(pl.col(pl.Null).cast(pl.Int32))
    if isinstance(table, pl.DataFrame):
        yield table
        return
    # Wrong columns are found before anything is computed.
    yield table.collect_schema().to_frame()
    if hasattr(table, "collect_batches"):
        yield from table.collect_batches(chunk_size=1 << 16, lazy=True)
    else:  # before polars 1.34
        yield table.collect(engine="streaming")


def is_polars(table: Any) -> bool:
    """Whether it is a DataFrame or a LazyFrame of polars."""
    return type(table).__module__.startswith("polars") and hasattr(table, "collect_schema")


def check_numbers(most: int = 2**32 - 1, *, least: int = 0, **numbers: object) -> None:
    """Raises an error that names the first argument that is not None or a number in the range."""
    for name, number in numbers.items():
        if number is None:
            continue
        if isinstance(number, bool) or not hasattr(number, "__index__"):
            raise TypeError(f"{name}: expected a whole number, not {number!r}")
        if not least <= operator.index(number) <= most:
            expected = f"a whole number from {least} to {most}"
            raise ValueError(f"{name}: expected {expected}, not {number}")


def filter(
    input: Path,
    output: Path,
    *,
    preset: Preset | None = None,
    rejects: Path | None = None,
    limit: int | None = None,
    mode: Mode | None = None,
    to: Format | None = None,
    scale: float | None = None,
    drop_castling: bool = False,
    format: InputFormat | None = None,
    errors: Errors = "raise",
    overwrite: bool = False,
    level: int | None = None,
    counts: bool = False,
    profile: Profile | None = None,
    values: str | None = None,
    threads: int | None = None,
    backend: Backend = "cpu",
    progress: Progress = False,
    **rules: Unpack[Rules],
) -> dict[str, Any]:
    """Writes the quiet records of a file to another one, byte for byte, as `swaplist filter`.

    Args:
        input, output: Files, also .zst and .gz. The output's name must suit what is written.
        preset: Rules to start from: quiet (the default), calm, still, played-calm, bullet,
            viriformat, nnue-pytorch, see-ge0 or none.
        rejects: A file for the records that are not kept.
        limit: Stop after so many records were kept, 1 or more.
        mode: Drop the records that are not kept, or mark them with the score 32002, which trainers
            skip. By default those of a binpack are marked, so that it does not become larger;
            `read` has null as their score.
        to: Another format to write.
        scale: Multiply the scores that are read by this, from 0.001 to 1000, before any rule looks
            at them. Mates, from 31000 on, stay as they are, and other scores are clipped to 30999
            and counted. Records are then written anew.
        drop_castling: Drop castling rights that the other format cannot hold, such as those of
            Chess960 in binpack, and leave out the records that castle by one; both are counted.
        format: The input's format, if it cannot be detected.
        errors: "skip" leaves out and counts invalid records; "raise" stops.
        overwrite: Whether to replace an existing output.
        level: The level of the compression.
        counts: Also count what was read and kept, by scores, results and pieces.
        profile, values: The rules of the SEE; by default the preset's.
        threads: Worker threads; by default one per core.
        backend: "cpu", "gpu", "gpu:NAME" or "auto", as for `is_quiet`. A GPU filters binpacks
            and viriformat itself.
        progress: Called with records and bytes done; an exception cancels. True shows a bar.
        max_see: Drop if a noisy move's SEE is higher.
        max_threat: Drop if the opponent, were it their move, had a noisy move with a higher SEE.
        drop_double_threat: Drop if the opponent, were it their move, could win something on two
            squares.
        quiescence: Drop if noisy moves in turn win something, at most this number + 1 of them.
        keep_checks: Do not drop for being in check.
        min_ply: Drop if fewer half-moves were made since the game's start.
        min_pieces, max_pieces: Drop if fewer or more pieces are on the board, kings counted.
        max_score: Drop if the score is further from 0.
        drop_unscored: Drop if there is no score.
        keep_placeholders: Do not drop for a score of 0 where the played move captures or the side
            to move is in check. quiet, calm and still drop these: in minimised data, such as
            binpacks named .min, they are no scores. False drops them by any preset.
        drop_decided_zeros: Drop if the score is 0, the game was not drawn, and its score before was
            more than 100 from 0, as nnue-pytorch's loader does.
        played: Drop by the played move: "quiet" (it captures or promotes), "normal" (or
            castles), "no-captures", "empty-target" (as no-captures, en passant passes),
            "no-promotions", "no-castling", "see-ge0" (it captures, and the score is 0 or its SEE
            at least 0), or "any" (never); one or a list.
        min_played_see, max_played_see: Drop if the played move's SEE is lower or higher.
        keep_fraction: Drop all but this fraction, at random.
        seed: Of what is random.
        invert: Keep exactly what would be dropped.

        None lifts a bound of the preset.

    Returns:
        The summary, as `swaplist filter --json` prints it.

    Raises:
        FileNotFoundError, FileExistsError, OSError: Files.
        TypeError: An unknown rule.
        ValueError: Bad settings, or an invalid record with its place and reason. No output file
            is left then, nor after KeyboardInterrupt.
    """
    check_rules(filter, rules, Rules)
    return _run(_swaplist.filter, locals(), input)


# What the command calls some arguments.
OTHER_NAMES = {"force": "overwrite", "skip_invalid": "errors"}


def check_names(function: str, given: Iterable[str], known: Sequence[str]) -> None:
    """Raises a TypeError for the first unknown keyword, with the one that may be meant."""
    for name in given:
        if name not in known:
            near = _meant(name, known)
            meant = f"; did you mean '{near}'?" if near else ""
            raise TypeError(f"{function}() got an unexpected keyword argument '{name}'{meant}")


def check_rules(function: Callable[..., Any], given: Iterable[str], rules: type) -> None:
    """As `check_names`, for a function whose other keywords are these rules."""
    known = [*rules.__annotations__, *inspect.signature(function).parameters]
    check_names(function.__name__, given, known)


def _meant(name: str, known: Sequence[str]) -> str | None:
    """The known name that may be meant: by what the command calls it, or by its spelling."""
    other = OTHER_NAMES.get(name)
    if other in known:
        return other
    # Also by one word of a long name.
    words = {word: whole for whole in reversed(known) for word in whole.split("_")}
    for spelled in ({whole: whole for whole in known}, words):
        near = difflib.get_close_matches(name, spelled, 1)
        if near:
            return spelled[near[0]]
    return None


def convert(
    input: Path,
    output: Path,
    *,
    to: Format | None = None,
    unscored: Literal["keep", "drop"] | int = "keep",
    scale: float | None = None,
    drop_castling: bool = False,
    format: InputFormat | None = None,
    errors: Errors = "raise",
    overwrite: bool = False,
    level: int | None = None,
    threads: int | None = None,
    progress: Progress = False,
) -> dict[str, Any]:
    """Writes a file's records in another format, as `swaplist convert`.

    Args:
        to: The format; by default what the output's name tells.
        unscored: Records without a score: "keep" if the format has a way to say so, "drop", or
            the score to give them, from the side to move's view; also to those that a filter
            marked, which would be trained on again.
        input, output, scale, drop_castling, format, errors, overwrite, level, threads, progress: As
            for `filter`.

    Returns:
        The summary, as `swaplist convert --json` prints it. What the format cannot hold is a
        warning.

    Raises:
        FileNotFoundError, FileExistsError, OSError, ValueError: As for `filter`.
    """
    return _run(_swaplist.convert, locals(), input)


def mix(
    inputs: Sequence[Path] | Path,
    output: Path | Sequence[Path],
    *,
    shuffle: bool = False,
    weights: Sequence[float] | None = None,
    scales: Sequence[float | None] | None = None,
    dedupe: Literal["position", "placement"] | None = None,
    dedupe_keep: Literal["first", "random"] = "first",
    exclude: Sequence[Path] | Path = (),
    split: Sequence[float] = (),
    split_by: Literal["position", "game"] = "position",
    preset: Preset | None = None,
    sample: float | None = None,
    limit: int | None = None,
    records: bool = False,
    memory: int | None = None,
    temp: Path | None = None,
    to: Format | None = None,
    drop_castling: bool = False,
    format: InputFormat | None = None,
    errors: Errors = "raise",
    overwrite: bool = False,
    level: int | None = None,
    profile: Profile | None = None,
    values: str | None = None,
    threads: int | None = None,
    backend: Backend = "cpu",
    progress: Progress = False,
    **rules: Unpack[Rules],
) -> dict[str, Any]:
    """Makes one training set of several files, or several that share the records, as
    `swaplist mix`.

    Args:
        inputs: Files of any formats.
        output: The file to write. With `split`, one for each share, or one name that becomes
            OUT-1, OUT-2 and so on.
        shuffle: Whether to shuffle all records: every order is equally likely. Otherwise the
            inputs are interleaved, in proportion to their sizes.
        weights: Interleave in these proportions, one for each input.
        scales: What the scores of each input are multiplied by, as `scale` of `filter`, or None.
        dedupe: Leave one record of each position or placement of pieces.
        dedupe_keep: Which of several duplicates is left: the first, or a random one by the seed.
        exclude: Files whose positions are left out, such as an old held-out set, of any formats.
        split: The shares of several outputs, such as [95, 5].
        split_by: Whether no position or no game may be in two outputs.
        preset, profile, values, and keywords such as max_score: Rules, as for `filter`, but
            without any of them nothing is dropped, except placeholders (see `filter`) where the
            output has scores and no played moves; keep_placeholders=True keeps them.
        seed: Of all that is random: the same gives the same bytes.
        sample: Take this share of the records.
        limit: Stop after so many records, 1 or more.
        records: In binpack and viriformat, write each record by itself instead of whole games.
        memory: Bytes that sorting may take, 2 GiB by default.
        temp: The folder for temporary files; by default that of the output.
        to, drop_castling, format, errors, overwrite, level, threads, backend, progress: As for
            `filter`; `format` is that of all inputs.

    Returns:
        The summary, as `swaplist mix --json` prints it. What the format cannot hold is a
        warning.

    Raises:
        FileNotFoundError, FileExistsError, OSError, TypeError, ValueError: As for `filter`.
    """
    check_rules(mix, rules, Rules)
    return _run(_swaplist.mix, locals())


def count(
    input: Path | Sequence[Path],
    *,
    data: bool = False,
    format: InputFormat | None = None,
    errors: Errors = "raise",
    profile: Profile = "swap",
    values: str = "cpw",
    threads: int | None = None,
    backend: Backend = "cpu",
    progress: Progress = False,
) -> dict[str, Any]:
    """Counts what a file holds, as `swaplist count --json`, or what several hold together: then
    "files" lists what each of them holds.

    Args:
        input: A file, or a list of files.
        data: Also count what matters to training, under "data": plies, squares of the kings,
            output buckets, results by score, lengths of games, and duplicates. It takes 1.4
            to 1.9 times as long.
        format, errors, threads, backend, progress: As for `filter`.
        profile, values: The rules of the SEE, as for `is_quiet`.
    """
    return _run(_swaplist.count, locals(), input)


def validate(
    input: Path,
    *,
    format: InputFormat | None = None,
    threads: int | None = None,
    progress: Progress = False,
) -> dict[str, Any]:
    """Looks for all faults of a file, as `swaplist validate --json`; "sound" tells the result.

    Args:
        input, format, threads, progress: As for `filter`.
    """
    return _run(_swaplist.validate, locals(), input)


def without(arguments: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """A function's arguments but for some, which are passed on in another way."""
    return {name: value for name, value in arguments.items() if name not in names}


def _run(
    job: Callable[[dict[str, Any]], str],
    arguments: Mapping[str, Any],
    reads: Path | Sequence[Path] = "",
) -> dict[str, Any]:
    """Runs a job with the arguments of its function; returns the summary."""
    with _progress(reads, arguments["progress"]) as callback:
        summary: dict[str, Any] = json.loads(job({**arguments, "progress": callback}))
    return summary


class _progress:
    """The callback of a job: the user's, that of a tqdm bar, or none."""

    def __init__(self, input: Path | Sequence[Path], progress: Progress) -> None:
        if not isinstance(progress, bool) and not callable(progress):
            raise TypeError(f"progress: expected a callable or a bool, not {progress!r}")
        self.callback = progress if callable(progress) else None
        self.bar = None
        if progress is True:
            try:
                from tqdm.auto import tqdm
            except ImportError:
                return
            paths = [input] if isinstance(input, str | os.PathLike) else input
            is_known = all(map(os.path.exists, paths))
            size = sum(map(os.path.getsize, paths)) if is_known else None
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
