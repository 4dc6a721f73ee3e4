"""Batches of positions for a training loop."""

from __future__ import annotations

import importlib
import json
import math
import operator
import os
import pathlib
import shutil
import sys
import tempfile
import warnings
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NoReturn

from . import _swaplist
from ._files import check_names, check_numbers, is_polars, tables, without
from ._types import BatchColumn, Errors, InputFormat, Preset, Rules, Skipping

Features = Literal["768", "HalfKAv2_hm", "planes", "packed"]

# Positions among which others are shuffled, by default.
WINDOW = 1 << 20

# At most so many: the numbers of features are int32.
KING_BUCKETS = 1 << 20

COLUMNS: tuple[BatchColumn, ...] = ("score", "result", "ply", "pieces")

# What nnue-pytorch skips if it is not told otherwise.
NNUE_PYTORCH: Skipping = {
    "filtered": True,
    "wld_filtered": True,
    "random_fen_skipping": 0,
    "early_fen_skipping": -1,
    "soft_early_fen_skipping": 20,
    "simple_eval_skipping": -1,
    "pc_y0": 0.0,
    "pc_y1": 0.4,
    "pc_y2": 1.0,
    "pc_y3": 1.0,
    "pc_y4": 0.75,
    "ply_x1": 0.0,
    "ply_y1": 0.1,
    "ply_x2": 6.0,
    "ply_y2": 0.15,
    "ply_x3": 10.0,
    "ply_y3": 0.25,
    "ply_x4": 18.0,
    "ply_y4": 0.75,
}


class Batches:
    """Batches of positions, as dicts of arrays. Each iteration is an epoch, in an order of its own.

    Iterated in a worker of a `torch.utils.data.DataLoader`, it gives that worker's part of the
    shard. It is pickled as its arguments and its epoch.
    """

    def __init__(
        self,
        paths: list[tuple[str, bool]],
        torch: bool,
        options: Mapping[str, Any],
        epoch: int = 0,
        rows: _Rows | None = None,
    ) -> None:
        self._paths, self._torch, self._options = paths, torch, options
        self._epoch = epoch
        self._rows = rows  # the tables' rows are there as long as this object is
        self._loaders: dict[tuple[int, int], _swaplist.Loader] = {}
        self._last: _swaplist.Batches | None = None
        self._resumed: dict[str, Any] | None = None
        self._known: dict[tuple[int, int], int] = {}
        self._module = _needed("torch" if torch else "numpy")

    @property
    def counts(self) -> dict[str, int]:
        """What the last iterator of this process read, by what became of it.

        That is records; of them kept, filtered (not quiet), unscored, without_result and skipped
        (by the options of `skipping`); and invalid ones that were left out. An endless iterator
        counts all its epochs.
        """
        if self._last is None:
            return {}
        counts = self._last.counts
        if self._rows is not None:
            counts["invalid"] += self._rows.skipped
        return counts

    def set_epoch(self, epoch: int) -> None:
        """Sets the number of the next epoch, from 0: it decides the order and what is drawn.

        Without it, each iteration is the epoch after the one before.
        """
        check_numbers(most=2**63, epoch=epoch)
        self._epoch, self._resumed = epoch, None

    def state_dict(self) -> dict[str, Any]:
        """Where the last iterator of this process is, to go on at its next batch another time.

        It can be stored as JSON, by pickle or by `torch.save`.
        """
        if self._resumed is not None:
            return self._resumed
        state: dict[str, Any] = {"version": 2, "epoch": self._epoch, "settings": self._settings()}
        if self._last is not None:
            state["within"] = json.loads(self._last.state())
        return state

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Makes the next iteration begin at the next batch after `state_dict()`.

        The files may be elsewhere, but they and what decides the order must be the same. That they
        are is told by their lengths and a hash of blocks of each, when it is iterated.
        """
        if state.get("version") != 2:
            raise ValueError("state: expected what state_dict() returns")
        settings = self._settings()
        for name, value in state["settings"].items():
            if settings.get(name) != value:
                now = settings.get(name)
                raise ValueError(f"state: it was taken with {name}={value!r}, not {now!r}")
        self._epoch = int(state["epoch"])
        self._resumed = dict(state) if "within" in state else None

    def _settings(self) -> dict[str, Any]:
        """What decides the order."""
        named = ("weights", "preset", "rules", "profile", "values", "skipping", "shuffle", "seed")
        settings = {name: self._options[name] for name in (*named, "endless")}
        settings["files"] = len(self._paths)
        settings["shard"] = list(shard_of_worker(self._options["shard"], *_worker()))
        result: dict[str, Any] = json.loads(json.dumps(settings, default=str))
        return result

    def __len__(self) -> int:
        """The batches of an epoch, where that is known.

        That is of files whose records are all of one size, if there is no filter and they all have
        scores and results; and of others after an epoch, unless each epoch has other positions.
        """
        if self._options["endless"]:
            raise TypeError("endless batches have no length")
        positions = self._positions()
        if positions is None:
            raise TypeError("the number of batches is not known before an epoch was read")
        size: int = self._options["batch_size"]
        return -(-positions // size)

    def _positions(self) -> int | None:
        """The positions of an epoch, if they are known."""
        worker = _worker()
        known = self._known.get(worker)
        return self._loader(*worker).positions() if known is None else known

    def __repr__(self) -> str:
        names = [pathlib.PurePath(path).name if not rows else "table" for path, rows in self._paths]
        what = names[0] if len(names) == 1 else f"{len(names)} files"
        window = self._options["shuffle"]
        try:
            positions = self._positions()
        except (OSError, ValueError):
            positions = None
        if not window:
            order = "in their order"
        elif positions is None:
            order = f"shuffled in a window of {window:,}"
        elif positions <= window:
            order = f"shuffled as a whole ({positions:,} in a window of {window:,})"
        else:
            order = f"shuffled in a window of {window:,} of {positions:,}"
        size = self._options["batch_size"]
        return f"<swaplist.Batches of {what}: {order}, {size:,} a batch>"

    def __iter__(self) -> Iterator[dict[str, Any]]:
        worker = _worker()
        loader = self._loader(*worker)
        resumed, self._resumed = self._resumed, None
        state = None if resumed is None else json.dumps(resumed["within"])
        last = loader.batches(self._epoch, state)
        self._epoch = last.epoch + 1
        self._last = last
        return self._given(last, worker, loader)

    def __getitem__(self, index: object) -> NoReturn:
        """Says what to do instead. A DataLoader calls it on what is no dataset of torch's."""
        raise TypeError(
            "batches are read in order, not by index; for a DataLoader, pass "
            "batches.dataset() and batch_size=None"
        )

    def dataset(self) -> Any:
        """A `torch.utils.data.IterableDataset` of these batches: pass batch_size=None with it."""
        return _dataset(self)

    def _loader(self, worker: int, workers: int) -> _swaplist.Loader:
        found = self._loaders.get((worker, workers))
        if found is None:
            shard = shard_of_worker(self._options["shard"], worker, workers)
            found = _swaplist.Loader(self._paths, {**self._options, "shard": shard})
            self._loaders[worker, workers] = found
        return found

    def _given(
        self, last: _swaplist.Batches, worker: tuple[int, int], loader: _swaplist.Loader
    ) -> Iterator[dict[str, Any]]:
        for batch in last:
            yield {name: self._array(*rest) for name, *rest in batch}
        read = last.counts
        if not loader.is_random:
            self._known[worker] = last.positions
        if not read["records"] and not read["invalid"]:
            index, count = shard_of_worker(self._options["shard"], *worker)
            why = "its files are empty"
            if count > 1:
                why = f"shard ({index}, {count}) has none: take fewer shards"
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
        # The rows of tables stay with this object.
        made = (self._paths, self._torch, self._options, self._epoch)
        return Batches, made, self._resumed

    def __setstate__(self, resumed: dict[str, Any] | None) -> None:
        self._resumed = resumed


def shard_of_worker(shard: tuple[int, int], worker: int, workers: int) -> tuple[int, int]:
    """The shard of a worker: a part of the whole one."""
    index, count = shard
    return index * workers + worker, count * workers


class _Rows:
    """Rows of tables in temporary files, which are removed with this object."""

    def __init__(self) -> None:
        self._folder: str | None = None  # made for the first table
        self._files = 0
        self.skipped = 0

    def add(self, table: Any, skips: bool) -> str:
        if self._folder is None:
            self._folder = tempfile.mkdtemp(prefix="swaplist-")
            weakref.finalize(self, _remove, self._folder, os.getpid())
        self._files += 1
        path = os.path.join(self._folder, f"{self._files}")
        self.skipped += _swaplist.pack_rows(tables(table), path, skips)
        return path


def _remove(folder: str, owner: int) -> None:
    """Removes a folder in the process that made it: one forked from it only has a copy of _Rows."""
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)


def batches(
    paths: Any,
    *,
    filter: Preset | Mapping[str, Any] | None = "quiet",
    skipping: Skipping | Literal["nnue-pytorch"] | None = None,
    weights: Sequence[float] | None = None,
    batch_size: int = 16384,
    features: Features = "768",
    king_buckets: Sequence[int] | None = None,
    columns: Sequence[BatchColumn] = COLUMNS,
    buckets: int | Literal["nnue-pytorch"] | Sequence[int] | None = None,
    shuffle: int | bool = WINDOW,
    seed: int = 0,
    endless: bool = False,
    shard: tuple[int, int] = (0, 1),
    workers: int = 0,
    tensors: Literal["numpy", "torch"] = "numpy",
    format: InputFormat | None = None,
    errors: Errors = "raise",
) -> Batches:
    """Reads training files and tables as shuffled batches of arrays, to train a net on.

    Several files are read side by side, in proportion to what is left of each or by `weights`, so
    that every part of an epoch has all of them. Records without a score (so also those that a
    filter marked) or without a result are left out and counted; a warning tells if none is left.
    The last batch of an epoch may be smaller.

    Args:
        paths: A file or several, of any formats that have scores and results; also Parquet and
            Arrow files (which need pyarrow or polars), Arrow tables of any library, DuckDB's
            relations and polars LazyFrames. Tables have the columns of `read`: fen or position,
            score, result, and as far as they are used move and ply. Their rows are packed into a
            temporary file when this is called.
        filter: Which positions: a preset of `swaplist.filter`, or a dict of its rules, which may
            have "preset", "profile" and "values" too; None for all. Random rules draw anew in
            each epoch.
        skipping: Options of nnue-pytorch's loader, with its names, as a dict; those that are not
            in it are off, except that a curve's other points keep their defaults. "nnue-pytorch"
            for all with their defaults there. They draw anew in each epoch. They are: filtered
            (skips where the played move captures, and checks), wld_filtered (skips by the
            probability of the result), random_fen_skipping (keeps one of N + 1),
            early_fen_skipping (skips up to this ply), soft_early_fen_skipping (skips below this
            ply by the curve of ply_x1, ply_y1 to ply_x4, ply_y4), simple_eval_skipping (skips if
            the material is closer to even) and pc_y0 to pc_y4 (the wanted frequency of 0, 8, 16,
            24 and 32 pieces). If any of them is on, scores of 0 that nnue-pytorch takes for
            placeholders are skipped, too: those in a decided game, whose score before was more
            than 100 from 0.
        weights: Of each file: so many of its positions come for one of a file with weight 1, in
            every part of an epoch. A file that is at its end begins anew, in another order, and the
            epoch ends when each file was read to its end once: so each position comes at least
            once. Without weights, all files end together, and each position comes once.
        batch_size: Positions of a batch.
        features: What a batch has of the positions:
            "768": us and them (int32), the features that are on as the side to move and the other
            side see the board, one position after the other, and offsets (int32), where each
            begins: what EmbeddingBag takes. A feature is 384 * (0 own, 1 other side's piece) +
            64 * (0 pawn to 5 king) + square, ranks counted from the own side;
            "HalfKAv2_hm": the same with nnue-pytorch's features of that name, 24,576 of them;
            "planes": planes (uint8, n x 12 x 8 x 8), the 768 of the side to move as 0 and 1;
            "packed": positions (uint8, n x 32), as `is_quiet` takes them.
        king_buckets: For "768": buckets by the own king's square, seen from its side, a1 first.
            64 numbers, as bullet's ChessBuckets; or 32, files a to d of each rank, as its
            ChessBucketsMirrored, where a king on files e to h mirrors the board. A feature is then
            768 * bucket more.
        columns: What else a batch has, some of
            score (int32, centipawns) and result (int8, 1 won, 0 drawn, -1 lost), both from the
            side to move's view, ply (int32; 0 if unknown), pieces (uint8, their number),
            turn (int8: 1 White moves, -1 Black),
            move (uint16, the played one: origin + 64 * target + 4096 * promotion, a1 = 0, 2 knight
            to 5 queen; 0 if unknown),
            hash (uint64: XXH3 of the 32 bytes of "packed"; the same for equal positions, castling
            rights and clocks left aside).
        buckets: Adds bucket (uint8), an output bucket by the number of pieces: N for bullet's
            MaterialCount<N>, "nnue-pytorch" for its 8, or 33 numbers for 0 to 32 pieces.
        shuffle: The window in which positions are shuffled: it is filled with so many before the
            first one leaves it, some 80 bytes each. If it holds all positions of an epoch, every
            order is equally likely; `repr` tells, once their number is known. Also shuffles the
            blocks of the files. 0 and False keep the order, file after file, unless there are
            weights. True is the default.
        seed: Of the order, which also depends on the epoch and on `shard`.
        endless: Whether the next epoch follows the last position, in another order.
        shard: (i, n) is the i-th of n parts, from 0, as for the ranks of a distributed run: each
            position of an epoch is in one of them, and all are of nearly the same size.
        workers: Threads that decode. With 0 the iterating thread does. The order is the same for
            any number.
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
    given = without(locals(), "paths", "filter", "tensors")
    if filter is None or isinstance(filter, str):
        rules: dict[str, Any] = {"preset": filter or "none"}
    elif isinstance(filter, Mapping):
        rules = dict(filter)
    else:
        known = "the name of a preset, a dict of rules, or None for all positions"
        raise TypeError(f"filter: expected {known}, not {filter!r}")
    named = {name: rules.pop(name, None) for name in ("preset", "profile", "values")}
    check_names("batches", rules, [*Rules.__annotations__, *named])
    if tensors not in ("numpy", "torch"):
        raise ValueError(f'tensors: expected "numpy" or "torch", not "{tensors}"')
    if isinstance(shuffle, bool):
        shuffle = WINDOW if shuffle else 0
    inputs = _inputs(paths)
    options = {
        **given,
        **named,
        "rules": rules,
        "weights": _weights(weights, len(inputs)),
        "skipping": _skipping(skipping),
        "king_buckets": _king_buckets(king_buckets),
        "columns": list(columns),
        "buckets": _buckets(buckets),
        "shuffle": shuffle,
        "shard": _checked(shard),
    }
    # The arguments are checked before tables are packed.
    _swaplist.Loader([("", False) for _ in inputs], options)
    rows = _Rows()
    files = []
    for one in inputs:
        table = _table(one)
        if table is None:
            files.append((os.fspath(one), False))
        else:
            files.append((rows.add(table, errors == "skip"), True))
    return Batches(files, tensors == "torch", options, 0, rows)


def _inputs(paths: Any) -> list[Any]:
    """Files and tables, one or several."""
    if isinstance(paths, str | os.PathLike) or _is_table(paths):
        return [paths]
    wrong = f"paths: expected a file or several, or tables, not {paths!r}"
    if not isinstance(paths, Iterable):
        raise TypeError(wrong)
    inputs = list(paths)
    for given in inputs:
        if not (isinstance(given, str | os.PathLike) or _is_table(given)):
            raise TypeError(f"paths: expected files or tables, not {given!r}")
    return inputs


def _is_table(given: Any) -> bool:
    has_arrow = hasattr(given, "__arrow_c_stream__") or hasattr(given, "__arrow_c_array__")
    return has_arrow or is_polars(given) or isinstance(given, dict)


def _table(given: Any) -> Any:
    """A table, also of a Parquet or Arrow file; None if it is a training file."""
    if not isinstance(given, str | os.PathLike):
        return given
    if not os.path.isfile(given):
        return None  # told when it is read
    with open(given, "rb") as file:
        head = file.read(6)
    if not head.startswith((b"PAR1", b"ARROW1")):
        return None
    return _file_table(os.fspath(given), head.startswith(b"PAR1"))


def _file_table(path: str, is_parquet: bool) -> Any:
    try:
        import pyarrow.dataset
    except ModuleNotFoundError:
        pass
    else:
        dataset = pyarrow.dataset.dataset(path, format="parquet" if is_parquet else "ipc")
        names = [name for name in TABLE_COLUMNS if name in dataset.schema.names]
        if names:
            return dataset.scanner(columns=names).to_reader()
        return dataset.scanner().to_reader()
    polars = _needed("polars")
    return polars.scan_parquet(path) if is_parquet else polars.scan_ipc(path)


# Columns of tables that are used.
TABLE_COLUMNS = ("fen", "position", "move", "score", "result", "ply")


def _skipping(skipping: Any) -> dict[str, Any] | None:
    """Options by their names."""
    if skipping is None:
        return None
    if skipping == "nnue-pytorch":
        return dict(NNUE_PYTORCH)
    if not isinstance(skipping, Mapping):
        known = 'a dict of options, "nnue-pytorch", or None'
        raise TypeError(f"skipping: expected {known}, not {skipping!r}")
    check_names("skipping", skipping, list(NNUE_PYTORCH))
    for name, value in skipping.items():
        expected: Any = type(NNUE_PYTORCH[name])  # type: ignore[literal-required]
        kinds = (int, float) if expected is float else expected
        if not isinstance(value, kinds) or (isinstance(value, bool) and expected is not bool):
            raise TypeError(f"skipping: {name}: expected {expected.__name__}, not {value!r}")
    return dict(skipping)


def _weights(weights: Any, files: int) -> list[float] | None:
    if weights is None:
        return None
    numbers = [float(weight) for weight in weights]
    if len(numbers) != files:
        raise ValueError(f"weights: expected one for each of {files} files, not {len(numbers)}")
    if not all(math.isfinite(number) and number > 0 for number in numbers):
        raise ValueError(f"weights: expected numbers above 0, not {weights!r}")
    return numbers


def _king_buckets(buckets: Any) -> list[int] | None:
    """Buckets of features by the own king's square."""
    if buckets is None:
        return None
    numbers = _numbers("king_buckets", buckets)
    expected = f"expected 64 or 32 numbers from 0 to {KING_BUCKETS - 1}, by the king's square"
    if len(numbers) not in (64, 32):
        raise ValueError(f"king_buckets: {expected}, not {len(numbers)} of them")
    for number in numbers:
        if not 0 <= number < KING_BUCKETS:
            raise ValueError(f"king_buckets: {expected}, not {number}")
    return numbers


def _buckets(buckets: Any) -> list[int] | None:
    """Output buckets of 0 to 32 pieces."""
    if buckets is None:
        return None
    if buckets == "nnue-pytorch":
        return [max(pieces - 1, 0) // 4 for pieces in range(33)]
    if isinstance(buckets, int) and not isinstance(buckets, bool):
        if not 1 <= buckets <= 32:
            raise ValueError(f"buckets: expected a number from 1 to 32, not {buckets}")
        divisor = math.ceil(32 / buckets)
        return [max(pieces - 2, 0) // divisor for pieces in range(33)]
    numbers = _numbers("buckets", buckets)
    if len(numbers) != 33 or not all(0 <= number < 256 for number in numbers):
        raise ValueError("buckets: expected 33 numbers from 0 to 255, for 0 to 32 pieces")
    return numbers


def _numbers(name: str, given: Any) -> list[int]:
    try:
        return [operator.index(number) for number in given]
    except TypeError:
        raise TypeError(f"{name}: expected numbers, not {given!r}") from None


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


def _info() -> Any:
    """What torch tells of this worker of a DataLoader; None elsewhere."""
    data = sys.modules.get("torch.utils.data")
    return data and data.get_worker_info()


def _worker() -> tuple[int, int]:
    """The number of this worker of a DataLoader, and of all."""
    info = _info()
    return (info.id, info.num_workers) if info else (0, 1)


def _dataset(batches: Batches, epochs: Any = None) -> Any:
    import torch
    from torch.utils.data import IterableDataset

    # The processes of a DataLoader are new in each epoch, and have copies of the batches: here they
    # find, by their numbers, which epoch is next.
    if epochs is None:
        epochs = torch.zeros(1024, dtype=torch.int64).share_memory_()
        epochs.fill_(batches._epoch)

    class Dataset(IterableDataset):  # type: ignore[misc]
        def __iter__(self) -> Iterator[dict[str, Any]]:
            if info := _info():
                slot = info.id % len(epochs)
                if batches._resumed is None:
                    batches.set_epoch(int(epochs[slot]))
                given = iter(batches)
                epochs[slot] = batches._epoch
                return given
            return iter(batches)

        def set_epoch(self, epoch: int) -> None:
            """As for `Batches`, also in the processes of a DataLoader."""
            batches.set_epoch(epoch)
            epochs.fill_(epoch)

        def state_dict(self) -> dict[str, Any]:
            return batches.state_dict()

        def load_state_dict(self, state: Mapping[str, Any]) -> None:
            batches.load_state_dict(state)

        def __reduce__(self) -> tuple[Any, ...]:
            return _dataset, (batches, epochs)

    return Dataset()
