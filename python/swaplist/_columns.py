"""Functions over columns of positions."""

from __future__ import annotations

import functools
import json
from typing import Any, Literal, Unpack, overload

from . import _swaplist
from ._files import check_rules, without
from ._types import Backend, PositionPreset, PositionRules, Profile

Errors = Literal["raise", "null"]


def is_quiet(
    fens: Any,
    moves: Any = None,
    *,
    preset: PositionPreset = "quiet",
    profile: Profile = "swap",
    values: str = "cpw",
    errors: Errors = "raise",
    threads: int = 1,
    backend: Backend = "cpu",
    **rules: Unpack[PositionRules],
) -> Any:
    """Tells which positions are quiet, as a column of booleans.

    A position is quiet if its side to move is not in check and none of its noisy moves
    (captures, en passant, promotions) wins material: `filter`'s preset "quiet". Other presets and
    rules say otherwise. Those on scores and plies are for `filter`.

    Args:
        fens: FENs of four to six fields: a pyarrow, polars or pandas column, a list of str, or
            anything with an Arrow capsule; strings, views and dictionaries alike. Packed
            positions (32 bytes, as `read` makes them, also a NumPy array of uint8 and shape
            (n, 32)) are faster, but have no moves. A polars expression gives an expression; with
            errors="null" it works on a stream, else on a whole column.
        moves: For rules on the played move, as preset="played-calm": a column of legal moves, in
            UCI or SAN.
        preset: Rules to start from: "quiet", "calm", "still", "played-calm" or "none".
        profile: Who may join an exchange: "swap", "sf8", "sf" or "legal" (docs/see.md).
        values: Piece values: "cpw" (100, 325, 325, 500, 1000), the name of another table, or
            five numbers "P,N,B,R,Q".
        errors: "raise" for a ValueError with the row of the first bad FEN or move, counted over
            all chunks from 0 (of the batch, where an engine calls it on batches); "null" to
            answer null there, which filters drop like False: count the nulls.
        threads: Threads to work with. Engines such as polars and DuckDB use several already.
        backend: "cpu", "gpu" for the best real GPU, "gpu:NAME" for the best adapter whose name
            contains that, also a software one, or "auto" for the faster of the CPU and the best
            real GPU, once a call has taken 0.3 s. Answers are the same. If a GPU is missing or
            fails, the CPU takes over, with a warning. Large columns suit a GPU.
        max_see: The highest SEE of a noisy move, in the units of `values`; None for any.
        max_threat: The highest SEE that the opponent could have, were it their move; None for
            any.
        drop_double_threat: Whether a position is not quiet where the opponent, were it their
            move, could win something on two squares.
        quiescence: Whether noisy moves in turn win something, at most this number + 1 of them,
            0 to 3 (docs/quiet.md); asked last, of positions that are quiet so far.
        keep_checks: Whether positions in check can be quiet.
        min_pieces, max_pieces: How many pieces must be on the board, kings counted.
        played, min_played_see, max_played_see: The played move, as for `filter`.

    Returns:
        A boolean column in the library of `fens`; null where the FEN or the move is null.

    Raises:
        ImportError: A pandas column without pyarrow.
        TypeError: `fens` is not a column of strings or packed positions.
        ValueError: A bad FEN or move, a bad argument, or rules on the played move without moves.
    """
    options = without(locals(), "fens", "moves")
    for name in rules:
        if name in _swaplist.RULES and name not in PositionRules.__annotations__:
            raise TypeError(f"is_quiet() has no '{name}': such rules are for filter()")
    check_rules(is_quiet, rules, PositionRules)
    if _is_expression(fens):
        again = functools.partial(is_quiet, **without(options, "rules"), **rules)
        quiet = _expression(again, fens, moves, errors, lambda pl: pl.Boolean)
        return quiet if moves is None else quiet.alias("is_quiet")
    columns = _column("fens", fens), None if moves is None else _column("moves", moves)
    return _like(fens, _swaplist.is_quiet(*columns, options), "bool")


def verdicts(
    fens: Any,
    *,
    threat: bool = False,
    quiescence: int | None = None,
    profile: Profile = "swap",
    values: str = "cpw",
    errors: Errors = "raise",
    threads: int = 1,
    backend: Backend = "cpu",
) -> Any:
    """Tells what each position's noisy moves win.

    Args:
        fens: As for `is_quiet`.
        threat: Also what the opponent could win, were it their move.
        quiescence: Also what noisy moves in turn win, at most this number + 1 of them, 0 to 3
            (docs/quiet.md).
        profile, values, errors, threads, backend: As for `is_quiet`.

    Returns:
        A column of structs in the library of `fens`: in_check (bool), noisy (uint8, the number
        of legal noisy moves), best_see (int32, of the best of them; null without any) and
        best_move (its UCI); with `threat`, threat_see, threat_move and threats (uint8, the
        number of squares where the opponent could win something), null in check; with
        `quiescence`, quiescence (int32).

    Raises:
        TypeError, ValueError: As for `is_quiet`.
    """
    options = without(locals(), "fens")

    def dtype(pl: Any) -> Any:
        fields = {"in_check": pl.Boolean, "noisy": pl.UInt8}
        fields |= {"best_see": pl.Int32, "best_move": pl.String}
        if threat:
            fields |= {"threat_see": pl.Int32, "threat_move": pl.String, "threats": pl.UInt8}
        if quiescence is not None:
            fields |= {"quiescence": pl.Int32}
        return pl.Struct(fields)

    if _is_expression(fens):
        return _expression(functools.partial(verdicts, **options), fens, None, errors, dtype)
    return _like(fens, _swaplist.verdicts(_column("fens", fens), options), "object")


def scores(
    fens: Any,
    moves: Any,
    *,
    lists: bool = False,
    profile: Profile = "swap",
    values: str = "cpw",
    errors: Errors = "raise",
    threads: int = 1,
    backend: Backend = "cpu",
) -> Any:
    """Computes the SEE of a move, or of several, on each position.

    Args:
        fens: As for `is_quiet`, without packed positions.
        moves: A column of legal moves, or of lists of them, in UCI or SAN. Castling is e1g1, as
            python-chess writes it, or king takes rook, as in Chess960. Two polars expressions
            give an expression named "see".
        lists: Whether the moves of a polars expression are lists, which it cannot tell.
        profile, values, errors, threads, backend: As for `is_quiet`.

    Returns:
        A column of int32 in the library of `fens`, in the units of `values`; lists of them
        where the moves are lists. Null where the FEN or the move is null.

    Raises:
        TypeError: A column of another type.
        ValueError: A bad FEN, a move that is not legal, columns of different lengths.
    """
    options = without(locals(), "fens", "moves", "lists")
    if _is_expression(fens) and _is_expression(moves):
        again = functools.partial(scores, **options)
        see = _expression(
            again, fens, moves, errors, lambda pl: pl.List(pl.Int32) if lists else pl.Int32
        )
        return see.alias("see")  # else it would replace the FENs
    columns = _column("fens", fens), _column("moves", moves)
    return _like(fens, _swaplist.scores(*columns, options), "int32")


def devices() -> list[dict[str, Any]]:
    """The GPUs of this machine that `backend` can name, the best first.

    Returns:
        Of each its name, interface ("vulkan", "metal" or "dx12"), type ("discrete", "integrated",
        "virtual", "software" or "other"), driver and driver_version, whether it is software, and
        largest_buffer in bytes.
    """
    return _swaplist.devices()


def see(fen: str, move: str, *, profile: Profile = "swap", values: str = "cpw") -> int:
    """Computes the SEE of one legal move, in UCI or SAN.

    >>> see("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5")
    100
    """
    return _swaplist.see(locals())


@overload
def explain(
    fen: str,
    move: str | None = None,
    *,
    as_dict: Literal[False] = False,
    profile: Profile = "swap",
    values: str = "cpw",
) -> str: ...


@overload
def explain(
    fen: str,
    move: str | None = None,
    *,
    as_dict: Literal[True],
    profile: Profile = "swap",
    values: str = "cpw",
) -> dict[str, Any]: ...


def explain(
    fen: str,
    move: str | None = None,
    *,
    as_dict: bool = False,
    profile: Profile = "swap",
    values: str = "cpw",
) -> str | dict[str, Any]:
    """Explains a position's noisy moves and the exchange after one, as `swaplist explain` does.

    Args:
        fen: A FEN, EPD, or `FEN;move1 move2`.
        move: A legal move in UCI or SAN.
        as_dict: Data instead of text, as `swaplist explain --json`.
        profile, values: As for `is_quiet`.
    """
    text = _swaplist.explain(locals())
    return json.loads(text) if as_dict else text


def _expression(function: Any, fens: Any, moves: Any, errors: Errors, dtype: Any) -> Any:
    """A polars expression of one or two polars expressions."""
    import polars as pl

    # polars applies elementwise functions to what is not in the table, too: rows that
    # another filter drops, and truncated statistics of Parquet files.
    how: dict[str, Any] = {"return_dtype": dtype(pl), "is_elementwise": errors == "null"}
    if moves is None:
        return fens.map_batches(function, **how)
    return pl.struct(fens=fens, moves=moves).map_batches(
        lambda rows: function(rows.struct.field("fens"), rows.struct.field("moves")), **how
    )


def _is_expression(given: Any) -> bool:
    return _library(given) == "polars" and type(given).__name__ == "Expr"


def _library(column: Any) -> str:
    return type(column).__module__.partition(".")[0]


def _column(name: str, given: Any) -> Any:
    """What the compiled functions take: an Arrow capsule or a sequence."""
    if _library(given) == "polars":
        import polars as pl

        # polars exports columns without a type as others do not read them.
        kinds = {pl.Null: pl.String, pl.List(pl.Null): pl.List(pl.String)}
        kind = kinds.get(getattr(given, "dtype", None))
        return given.cast(kind) if kind else given
    if _library(given) == "pandas":
        arrow, speaks = _pyarrow(), hasattr(given, "__arrow_c_stream__")
        return given if speaks else arrow.array(given, from_pandas=True)
    if hasattr(given, "__arrow_c_array__") or hasattr(given, "__arrow_c_stream__"):
        return given
    if _library(given) == "numpy":
        if given.dtype == "uint8" and given.shape[1:] == (32,):
            return given.tobytes()
        if given.size and given.dtype.kind in "buif":
            shape = " x ".join(map(str, given.shape))
            packed = "packed positions, uint8, n x 32, or " if name == "fens" else ""
            raise TypeError(f"{name}: expected {packed}strings, not {given.dtype}, {shape}")
        return given.tolist()
    return given


def _pyarrow() -> Any:
    try:
        import pyarrow
    except ImportError as error:
        raise ImportError("columns of pandas need pyarrow: pip install pyarrow") from error
    return pyarrow


def _like(given: Any, column: _swaplist.Column, dtype: str) -> Any:
    """A column of answers in the library of what was given, with NumPy's type if it is empty."""
    library = _library(given)
    if library == "pyarrow":
        import pyarrow as pa

        return pa.chunked_array(column) if isinstance(given, pa.ChunkedArray) else pa.array(column)
    if library == "polars":
        import polars as pl

        return pl.Series(column).alias(given.name)
    if library == "pandas":
        import pandas as pd

        values = pd.arrays.ArrowExtensionArray(_pyarrow().chunked_array(column))
        if isinstance(given, pd.api.extensions.ExtensionArray):
            return values
        index = given.index if isinstance(given, pd.Series) else None
        return pd.Series(values, index=index, name=given.name)
    if library == "numpy":
        import numpy as np

        return np.array(column.to_pylist(), dtype=None if len(column) else dtype)
    if isinstance(given, (list, tuple)):
        return column.to_pylist()
    return column
