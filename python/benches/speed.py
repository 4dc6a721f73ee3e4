"""What swaplist costs in Python, beside what does the same or nothing.

    python benches/speed.py [FENS] [BINPACK]

FENS is a text file of FENs (also .zst), BINPACK any training file; by default the project's
samples, repeated. Prints ns a row of one thread, the best of some runs; compare figures of one
run only.
"""

import importlib.metadata
import pathlib
import platform
import sys
import tempfile
import time
from collections.abc import Callable

import duckdb
import polars as pl
import pyarrow as pa
import swaplist

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROWS = 1_000_000


def best(work: Callable[[], object], runs: int = 5) -> float:
    """The shortest time of some runs, in seconds."""
    times = []
    for _ in range(runs):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return min(times)


def show(name: str, seconds: float, rows: int, beside: float | None = None) -> float:
    ratio = f"  {seconds / rows / beside:5.2f} x" if beside else ""
    print(f"{name:<52}{seconds / rows * 1e9:10,.0f}{ratio}")
    return seconds / rows


def columns(fens: list[str]) -> None:
    column, rows = pa.array(fens), len(fens)
    with tempfile.TemporaryDirectory() as folder:
        text, out = pathlib.Path(folder, "fens.fen"), pathlib.Path(folder, "out.fen")
        text.write_text("\n".join(fens) + "\n")

        def file(**rules: object) -> object:
            return swaplist.filter(text, out, threads=1, overwrite=True, **rules)

        whole = show("the library: filter a file of FENs", best(file), rows)
        counted = show("the library: count it", best(lambda: swaplist.count(text, threads=1)), rows)
    show("is_quiet", best(lambda: swaplist.is_quiet(column)), rows, whole)
    show("is_quiet, two threads", best(lambda: swaplist.is_quiet(column, threads=2)), rows, whole)
    show(
        "is_quiet, string_view",
        best(lambda: swaplist.is_quiet(column.cast(pa.string_view()))),
        rows,
        whole,
    )
    show("is_quiet, list of str", best(lambda: swaplist.is_quiet(fens), 2), rows, whole)
    show("verdicts", best(lambda: swaplist.verdicts(column)), rows, counted)
    moves = [verdict["best_move"] or "" for verdict in swaplist.verdicts(fens[:100_000])]
    some = [i for i, move in enumerate(moves) if move]
    question = pa.array([fens[i] for i in some]), pa.array([moves[i] for i in some])
    show("scores of a move", best(lambda: swaplist.scores(*question)), len(some))


def python_chess(fens: list[str]) -> None:
    try:
        import chess

        sys.path.insert(0, str(ROOT / "python" / "tests"))
        import naive
    except ImportError:
        return
    some = fens[:: len(fens) // 1000]
    show(
        "python-chess doing the same",
        best(lambda: [naive.is_quiet(chess.Board(fen)) for fen in some], 1),
        len(some),
    )

    def features(board: chess.Board) -> list[int]:
        view = board if board.turn else board.mirror()
        return [
            384 * (piece.color != chess.WHITE) + 64 * (piece.piece_type - 1) + square
            for square, piece in view.piece_map().items()
        ]

    boards = [chess.Board(fen) for fen in some]
    show("python-chess: its boards as 768", best(lambda: [*map(features, boards)]), len(some))


def pipelines(fens: list[str]) -> None:
    rows = len(fens)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        numbers = pl.int_range(rows, eager=True)
        pl.DataFrame(
            {
                "fen": fens,
                "line": fens,
                "depth": numbers % 60,
                "knodes": numbers,
                "cp": numbers % 500,
                "mate": numbers,
            }
        ).write_parquet(path / "in.parquet")

        def polars(keep: pl.Expr) -> None:
            pl.scan_parquet(path / "in.parquet").filter(keep).sink_parquet(path / "out.parquet")

        without = show(
            "polars: scan, filter depth < 46, sink",
            best(lambda: polars(pl.col("depth") < 46)),
            rows,
        )
        show(
            "polars: scan, is_quiet, sink",
            best(lambda: polars(swaplist.is_quiet(pl.col("fen"), errors="null"))),
            rows,
            without,
        )
        connection = duckdb.connect()
        connection.create_function(
            "is_quiet", lambda fens: swaplist.is_quiet(fens), ["VARCHAR"], "BOOLEAN", type="arrow"
        )

        def duck(keep: str) -> None:
            connection.execute(
                f"copy (from '{path}/in.parquet' where {keep}) to '{path}/out.parquet'"
            )

        without = show("DuckDB: the same, depth < 46", best(lambda: duck("depth < 46")), rows)
        show("DuckDB: the same, is_quiet(fen)", best(lambda: duck("is_quiet(fen)")), rows, without)


def reading(path: pathlib.Path) -> None:
    def read(*columns: str) -> None:
        for _ in pa.RecordBatchReader.from_stream(swaplist.read(path, columns=columns)):
            pass

    rows = swaplist.count(path)["positions"]
    packed = ("position", "move", "score", "result", "ply")
    show(f"read {path.name}: {', '.join(packed)}", best(lambda: read(*packed)), rows)
    show(f"read {path.name}: fen and the others", best(lambda: read("fen", *packed[1:])), rows)
    table = pa.table(swaplist.read(path))
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder, "out" + path.suffix)
        show(
            f"write {out.name} from these",
            best(lambda: swaplist.write(table, out, overwrite=True), 2),
            rows,
        )


def training(path: pathlib.Path) -> None:
    files = [path] * (ROWS * 5 // swaplist.count(path)["positions"] + 1)
    for name, options in [
        ("batches of packed quiet positions, in order", {"features": "packed", "shuffle": 0}),
        ("batches of quiet positions, 768, in order", {"shuffle": 0}),
        ("the same, shuffled in a window of 262,144", {"shuffle": 1 << 18}),
        ("the same, shuffled in a window of 1,048,576", {}),
        ("the same with HalfKAv2_hm", {"features": "HalfKAv2_hm"}),
    ]:
        batches = swaplist.batches(files, **options)
        seconds = best(lambda batches=batches: sum(1 for _ in batches), 3)
        show(f"{name}: read", seconds, batches.counts["records"])
        show("    given", seconds, batches.counts["kept"])
    states, batches = [], swaplist.batches(files)
    for _ in batches:
        states.append(batches.state_dict())

    def go_on() -> None:
        batches.load_state_dict(states[-2])
        next(iter(batches))

    print(f"{'the next batch after a state near the end':<52}{best(go_on, 3) * 1e3:10,.0f} ms")


def main() -> None:
    given = [pathlib.Path(argument) for argument in sys.argv[1:]]
    text = given[0] if given else ROOT / "data" / "sample.fen"
    games = given[1] if len(given) > 1 else ROOT / "data" / "sample.binpack"
    fens = pa.table(swaplist.read(text, columns=["fen"]))["fen"].to_pylist()
    fens = (fens * (ROWS // len(fens) + 1))[:ROWS]
    versions = {name: importlib.metadata.version(name) for name in ("polars", "duckdb", "pyarrow")}
    print(f"{platform.machine()}, Python {platform.python_version()}, {versions}")
    print(f"{len(fens):,} FENs of {text.name}\n{'':<52}{'ns a row':>10}")
    columns(fens)
    python_chess(fens)
    pipelines(fens)
    reading(games)
    training(games)


if __name__ == "__main__":
    main()
