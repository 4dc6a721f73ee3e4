"""Batches of positions for a training loop."""

from __future__ import annotations

import importlib
import operator
import os
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

from . import _swaplist
from ._files import check_names, check_numbers
from ._types import Errors, InputFormat, Path, Preset, Rules

Features = Literal["768", "planes", "packed"]

# Positions in which others are shuffled, by default.
WINDOW = 1 << 20


class Batches:
    """Batches of positions, as dicts of arrays; each iteration reads the files anew.

    Iterated in a worker of a `torch.utils.data.DataLoader`, it gives that worker's part of the
    shard. It is pickled as its arguments.
    """

    def __init__(self, paths: list[str], torch: bool, options: Mapping[str, Any]) -> None:
        self._paths, self._torch, self._options = paths, torch, options
        self._last: _swaplist.Batches | None = None
        self._open(0, 1)  # so that wrong arguments are told here
        self._module = _needed("torch" if torch else "numpy")

    @property
    def counts(self) -> dict[str, int]:
        """What the last iterator of this process read, by what became of it.

        That is records; of them kept, filtered (not quiet), unscored and without_result; and
        invalid ones that were skipped.
        """
        return {} if self._last is None else self._last.counts

    def __iter__(self) -> Iterator[dict[str, Any]]:
        self._last = last = self._open(*_worker())
        return self._given(last)

    def dataset(self) -> Any:
        """A `torch.utils.data.IterableDataset` of these batches: pass batch_size=None with it."""
        return _dataset(self)

    def _open(self, worker: int, workers: int) -> _swaplist.Batches:
        index, count = self._options["shard"]
        shard = (index * workers + worker, count * workers)
        return _swaplist.Batches(self._paths, **{**self._options, "shard": shard})

    def _given(self, last: _swaplist.Batches) -> Iterator[dict[str, Any]]:
        for batch in last:
            yield {name: self._array(*rest) for name, *rest in batch}
        read = last.counts
        if not read["records"] and not read["invalid"]:
            index, count = last.shard
            why = "its files are empty"
            if count > 1:
                why = f"shard ({index}, {count}) has none: "
                why += "files are cut at blocks of 256 KiB and more"
            warnings.warn(f"batches reads no record: {why}", stacklevel=2)
        elif read["records"] and not read["kept"]:
            records = read.pop("records")
            why = ", ".join(f"{count} {name}" for name, count in read.items() if count)
            warnings.warn(f"batches keeps none of {records} records: {why}", stacklevel=2)

    def _array(self, dtype: str, columns: int, memory: Any) -> Any:
        array = self._module.frombuffer(memory, dtype=getattr(self._module, dtype))
        if columns == 768:
            return array.reshape(-1, 12, 8, 8)
        return array.reshape(-1, columns) if columns else array

    def __reduce__(self) -> tuple[Any, ...]:
        return Batches, (self._paths, self._torch, self._options)


def batches(
    paths: Path | Sequence[Path],
    *,
    filter: Preset | Mapping[str, Any] | None = "quiet",
    batch_size: int = 16384,
    features: Features = "768",
    shuffle: int | bool = WINDOW,
    seed: int = 0,
    endless: bool = False,
    shard: tuple[int, int] = (0, 1),
    workers: int = 0,
    tensors: Literal["numpy", "torch"] = "numpy",
    format: InputFormat | None = None,
    errors: Errors = "raise",
) -> Batches:
    """Reads training files as shuffled batches of arrays, to train a net on.

    Records without a score (so also those that a filter marked) or without a result are left out
    and counted; a warning tells if none is left. The last batch may be smaller.

    Args:
        paths: A file or several, of any formats that have scores and results.
        filter: Which positions: a preset of `swaplist.filter`, or a dict of its rules, which may
            have "preset", "profile" and "values" too; None for all.
        batch_size: Positions of a batch.
        features: What a batch has of the positions:
            "768": us and them (int32), the features that are on as the side to move and the other
            side see the board, one position after the other, and offsets (int32), where each
            begins: what EmbeddingBag takes. A feature is 384 * (0 own, 1 other side's piece) +
            64 * (0 pawn to 5 king) + square, ranks counted from the own side;
            "planes": planes (uint8, n x 12 x 8 x 8), the same of the side to move as 0 and 1;
            "packed": positions (uint8, n x 32), as `is_quiet` takes them.
            All have score (int32, centipawns) and result (int8, 1 won, 0 drawn, -1 lost), both
            from the side to move's view, ply (int32; 0 if unknown) and pieces (uint8, their
            number).
        shuffle: The window in which positions are shuffled: about as many others come, at most,
            before one leaves it, some 70 bytes each. Also shuffles the files. 0 and False keep the
            order, True is the default.
        seed: Of the order, which also depends on `shard` and `workers`.
        endless: Whether to begin again after the last position, in another order.
        shard: (i, n) is the i-th of n parts, from 0, as for the ranks of a distributed run: each
            position of an epoch is in one of them. Files are cut at blocks of 256 KiB and more,
            so that small ones give uneven parts, and compressed ones are decompressed by all.
        workers: Threads that decode. With 0 the iterating thread does.
        tensors: "torch" for tensors instead of NumPy's arrays, of the same memory. Either package
            is needed only if it is named here.
        format, errors: As for `read`; "skip" leaves out and counts invalid records.

    Raises:
        FileNotFoundError, OSError: When it is iterated: a file cannot be read.
        ModuleNotFoundError: NumPy, or torch, is not installed.
        TypeError: An unknown rule.
        ValueError: A bad argument; when it is iterated, an invalid record, or an endless shard
            without any position.
    """
    if filter is None or isinstance(filter, str):
        rules = {"preset": filter or "none"}
    elif isinstance(filter, Mapping):
        rules = dict(filter)
    else:
        known = "the name of a preset, a dict of rules, or None for all positions"
        raise TypeError(f"filter: expected {known}, not {filter!r}")
    named = {name: rules.pop(name, None) for name in ("preset", "profile", "values")}
    check_names("batches", rules, [*Rules.__annotations__, *named])
    if tensors not in ("numpy", "torch"):
        raise ValueError(f'tensors: expected "numpy" or "torch", not "{tensors}"')
    files = [paths] if isinstance(paths, str | os.PathLike) else paths
    if not isinstance(files, Iterable):
        raise TypeError(f"paths: expected a file or several, not {paths!r}")
    if isinstance(shuffle, bool):
        shuffle = WINDOW if shuffle else 0
    check_numbers(batch_size=batch_size, shuffle=shuffle, workers=workers)
    check_numbers(most=2**64 - 1, seed=seed)
    options = {
        **named,
        "rules": rules,
        "batch_size": batch_size,
        "features": features,
        "shuffle": shuffle,
        "seed": seed,
        "endless": endless,
        "shard": _checked(shard),
        "workers": workers,
        "format": format,
        "errors": errors,
    }
    return Batches([os.fspath(path) for path in files], tensors == "torch", options)


def _checked(shard: Any) -> tuple[int, int]:
    """A shard: its number, and that of all."""
    wrong = f"shard: expected (i, n) with i below n, not {shard!r}"
    try:
        index, count = (operator.index(number) for number in shard)
    except (TypeError, ValueError):
        raise TypeError(wrong) from None
    if not 0 <= index < count <= 1 << 20:
        raise ValueError(wrong)
    return index, count


def _needed(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        why = f"swaplist.batches needs {name}, which is not installed"
        raise ModuleNotFoundError(why, name=name) from error


def _worker() -> tuple[int, int]:
    """The number of this worker of a DataLoader, and of all."""
    data = sys.modules.get("torch.utils.data")
    info = data and data.get_worker_info()
    return (info.id, info.num_workers) if info else (0, 1)


def _dataset(batches: Batches) -> Any:
    from torch.utils.data import IterableDataset

    class Dataset(IterableDataset):  # type: ignore[misc]
        def __iter__(self) -> Iterator[dict[str, Any]]:
            return iter(batches)

        def __reduce__(self) -> tuple[Any, ...]:
            return _dataset, (batches,)

    return Dataset()
