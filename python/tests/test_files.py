"""Reading and writing training files, and the jobs on them."""

import gzip
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import time
import typing
import warnings

import chess
import duckdb
import naive
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest
import swaplist
from conftest import FENS, SAMPLE
from swaplist._swaplist import RULES
from swaplist._types import Rules

ALL = {
    "fen": pl.String,
    "position": pl.Binary,
    "castling": pl.UInt64,
    "halfmoves": pl.UInt8,
    "fullmoves": pl.UInt16,
    "turn": pl.Int8,
    "move": pl.String,
    "score": pl.Int32,
    "mate": pl.Boolean,
    "result": pl.Int8,
    "ply": pl.UInt32,
    "in_check": pl.Boolean,
    "best_see": pl.Int32,
}
FORMATS = ["binpack", "viriformat", "plain", "bulletformat", "marlinformat", "sfbin", "text"]


@pytest.fixture(scope="session")
def games() -> pl.DataFrame:
    return pl.DataFrame(swaplist.read(SAMPLE, columns=list(ALL)))


def test_a_binpack_is_a_table(games):
    assert games.height == 11344
    assert dict(games.schema) == ALL
    for row in games.sample(300, seed=1).iter_rows(named=True):
        board = chess.Board(row["fen"])
        assert chess.Move.from_uci(row["move"]) in board.legal_moves
        assert (row["in_check"], row["best_see"]) == tuple(
            naive.verdict(board)[key] for key in ("in_check", "best_see")
        )
        assert row["turn"] == (1 if board.turn else -1)
        assert row["castling"] == board.clean_castling_rights()
        assert (row["halfmoves"], row["fullmoves"]) == (board.halfmove_clock, board.fullmove_number)
        assert row["result"] in (-1, 0, 1) and row["ply"] is not None
    assert swaplist.verdicts(games["fen"]).struct.field("best_see").equals(games["best_see"])


def test_columns_batches_and_engines(games):
    for columns in (["best_see"], ["result", "fen"], []):
        table = pa.table(swaplist.read(SAMPLE, columns=columns))
        assert table.column_names == columns and table.num_rows == games.height
    for batch_size in (1000, 4096, 11344, 100_000):
        records = swaplist.read(SAMPLE, batch_size=batch_size)
        reader = pa.RecordBatchReader.from_stream(records)
        batches = list(reader)
        assert all(batch.num_rows == batch_size for batch in batches[:-1])
        assert pl.DataFrame(pa.Table.from_batches(batches)).equals(
            games.select(swaplist._files.COLUMNS)
        )
    records = swaplist.read(SAMPLE)
    for _ in range(2):  # a stream each
        assert duckdb.sql("select count(*), sum(score) from records").fetchall() == [
            (games.height, games["score"].sum())
        ]
    assert records.format == "binpack" and records.skipped == 0
    again = pickle.loads(pickle.dumps(swaplist.read(SAMPLE, columns=["score"], batch_size=5000)))
    assert [batch.num_rows for batch in again] == [5000, 5000, 1344]
    assert again.to_polars().equals(games.select("score"))
    assert again.to_pandas()["score"].tolist() == games["score"].to_list()
    assert "binpack: fen, move" in repr(records)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.filterwarnings("ignore:not carried over")
def test_what_is_written_is_read_again(games, tmp_path, name):
    path = tmp_path / "games"
    counts = {"records": games.height, "skipped": 0, "unscored": 0, "illegal_moves": 0}
    assert swaplist.write(games, path, to=name) == counts
    again = pl.DataFrame(swaplist.read(path, format=name))
    assert again.height == games.height
    converted = tmp_path / "converted"
    swaplist.convert(SAMPLE, converted, to=name)
    if name == "binpack":  # chunks may end elsewhere
        assert again.equals(games.select(again.columns))
    else:
        assert path.read_bytes() == converted.read_bytes()
    # Packed positions with their rights and clocks hold as much, and verdicts do no harm.
    judged = games.with_columns(swaplist.verdicts(pl.col("fen"), threat=True).struct.unnest())
    packed = judged.drop("fen")
    swaplist.write(packed.lazy(), tmp_path / "packed", to=name)
    assert (tmp_path / "packed").read_bytes() == path.read_bytes()
    if name == "bulletformat":  # it needs neither
        swaplist.write(packed.drop("castling"), path, to=name, overwrite=True)
        assert (tmp_path / "packed").read_bytes() == path.read_bytes()
    else:
        with pytest.raises(ValueError, match="lack castling rights and clocks, which .* holds"):
            swaplist.write(packed.drop("castling"), tmp_path / "x", to=name)


def test_tables_of_any_engine_are_written(games, tmp_path):
    rows = games.select("fen", "move", "score", "result", "ply")
    for i, made in enumerate(
        [
            rows,
            rows.to_arrow(),
            rows.to_arrow().to_reader(),
            duckdb.sql("from rows"),
            rows.to_pandas(),
            rows.lazy(),
            rows.to_dict(as_series=False),
        ]
    ):
        swaplist.write(made, tmp_path / f"{i}.viriformat")
    contents = {path.read_bytes() for path in tmp_path.iterdir()}
    assert len(contents) == 1
    table = games.drop("fen", "move")
    with pytest.warns(UserWarning, match="bulletformat: side to move, castling rights, en-passant"):
        swaplist.write(table, tmp_path / "x.data.zst", level=3)
    again = pl.DataFrame(swaplist.read(tmp_path / "x.data.zst", columns=["position", "score"]))
    assert again["score"].equals(games["score"])


def test_floats_and_nulls_of_pandas_and_polars(tmp_path):
    rows = pl.DataFrame({"fen": [chess.STARTING_FEN] * 4, "result": [1, 0, -1, None]})
    rows = rows.with_columns(score=pl.Series([5, None, -5, 7]))
    frame = rows.to_pandas()  # floats, NaN
    for i, made in enumerate([rows, frame]):
        swaplist.write(made, tmp_path / f"{i}.fen")
        again = pl.DataFrame(swaplist.read(tmp_path / f"{i}.fen"))
        assert again["result"].to_list() == rows["result"].to_list()
        assert again["score"].to_list() == rows["score"].to_list()
    untyped = pl.DataFrame({"fen": [chess.STARTING_FEN], "score": [None], "move": ["e2e4"]})
    with pytest.warns(UserWarning, match="^not carried over to text: played move$"):
        assert swaplist.write(untyped, tmp_path / "untyped.fen")["unscored"] == 1
    # Nothing is lost where there is nothing.
    nothing = pl.DataFrame({"fen": ["4k3/8/8/8/8/8/8/4K3 w - -"], "move": [None], "score": [0]})
    swaplist.write(nothing.with_columns(result=0), tmp_path / "nothing.data")
    for result in (0.5, 0.25, 2, float("inf")):
        with pytest.raises(ValueError, match="row 0: result .*: expected 1, 0 or -1"):
            table = pl.DataFrame({"fen": [chess.STARTING_FEN], "result": [result]})
            swaplist.write(table, tmp_path / "x.fen")


@pytest.mark.parametrize("errors", ["raise", "skip"])
def test_results_of_other_codes_are_refused(tmp_path, errors):
    def write(results, name="x.fen"):
        fens = [chess.STARTING_FEN] * len(results)
        table = pa.table({"fen": fens, "result": results})
        return swaplist.write(table, tmp_path / name, errors=errors)

    for results, message in [
        (
            [1.0, 0.5, 0.0],
            r"^row 1: result 0.5: expected 1, 0 or -1; pass 2 \* r - 1 if a win is 1",
        ),
        ([0, 2, 1], "^row 1: result 2: expected 1, 0 or -1; pass r - 1 if a win is 2"),
        # No draw gives the code away, and losses would be stored as draws.
        ([1.0, 0.0, 1.0], r"^result: a column of floats with 0 and without -1; .* pass 2 \* r - 1"),
        ([0.0, None], "^result: a column of floats with 0"),
    ]:
        with pytest.raises(ValueError, match=message):
            write(results)
        assert not list(tmp_path.iterdir())
    for i, results in enumerate([[1.0, 0.0, -1.0], [1, 0, 1], [1.0, None], [-1.0, 1.0], []]):
        assert write(results, f"{i}.fen")["records"] == len(results)
    # 2 * r - 1 makes the losses losses.
    code = pa.array([1.0, 0.5, 0.0])
    write(pc.subtract(pc.multiply(code, 2), 1), "turned.fen")
    assert pl.DataFrame(swaplist.read(tmp_path / "turned.fen"))["result"].to_list() == [1, 0, -1]


def test_a_lazy_frame_is_written_in_parts(games, tmp_path, monkeypatch):
    rows = games.select("fen", "move", "score", "result", "ply")
    eager = tmp_path / "eager.binpack"
    swaplist.write(rows, eager)
    parts = tmp_path / "rows"
    parts.mkdir()
    for i in range(4):
        rows[i * 3000 : (i + 1) * 3000].write_parquet(parts / f"{i}.parquet")
    lazy = pl.scan_parquet(parts / "*.parquet")
    monkeypatch.setattr(pl.LazyFrame, "collect", None)
    path = tmp_path / "lazy.binpack"
    assert swaplist.write(lazy, path)["records"] == games.height
    assert path.read_bytes() == eager.read_bytes()
    nothing = lazy.filter(pl.col("ply") > 10_000).with_columns(score=None)
    assert swaplist.write(nothing, tmp_path / "nothing.binpack")["records"] == 0
    # Nothing is computed for columns that will not do.
    wrong = lazy.select("fen").with_columns(pl.col("fen").map_batches(pytest.fail, pl.String))
    with pytest.raises(ValueError, match="no column 'score'"):
        swaplist.write(wrong, tmp_path / "x.binpack")
    # An error amid the parts leaves no file.
    broken = lazy.with_columns(score=pl.col("move").cast(pl.Int32))
    with pytest.raises(pl.exceptions.PolarsError):
        swaplist.write(broken, tmp_path / "x.binpack")
    assert not (tmp_path / "x.binpack").exists()


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="asks Linux for the memory")
def test_memory_of_a_lazy_frame_is_bounded(tmp_path):
    code = """
import pathlib, sys, chess, polars as pl, swaplist
from polars.io.plugins import register_io_source

def source(with_columns, predicate, n_rows, batch_size):
    for i in range(32):
        clocks = pl.int_range(i << 15, i + 1 << 15, eager=True).cast(pl.String)
        yield pl.DataFrame({"fen": chess.STARTING_FEN[:-1] + clocks.str.pad_start(500, "0")})

def peak():
    status = pathlib.Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) >> 10

lazy = register_io_source(source, schema={"fen": pl.String})
before = peak()
print(swaplist.write(lazy, sys.argv[1])["records"], peak() - before)
"""
    args = [sys.executable, "-c", code, str(tmp_path / "x.fen")]
    out = subprocess.run(args, capture_output=True, text=True, check=True).stdout
    rows, megabytes = map(int, out.split())
    # All rows together take 570 MB.
    assert rows == 1 << 20 and megabytes < 400


def test_the_packed_position_has_the_fen_s_en_passant_target(tmp_path):
    # The capture is pinned, as a pawn and as two pawns on a rank; the last one is legal.
    fens = [
        "4k3/8/8/8/2pP4/8/8/2R1K3 b - d3 0 1",
        "8/8/8/8/k1pP3R/8/8/4K3 b - d3 0 1",
        "2k5/8/8/8/2pP4/8/8/2R1K3 b - d3 0 1",
        "4k3/8/8/8/2pP4/8/8/4K3 b - d3 0 1",
    ]
    (tmp_path / "ep.fen").write_text("".join(f"{fen} | 1 | 0.5\n" for fen in fens))
    table = pl.DataFrame(swaplist.read(tmp_path / "ep.fen", columns=["fen", "position"]))
    packed = [
        batch["positions"]
        for batch in swaplist.batches(
            tmp_path / "ep.fen", filter=None, features="packed", shuffle=0
        )
    ][0]
    seen = set()
    for fen, position, other in zip(table["fen"], table["position"], packed, strict=True):
        planes = [int.from_bytes(position[i : i + 8], "little") for i in (0, 8, 16, 24)]
        target = planes[3] & ~(planes[0] | planes[1] | planes[2])
        named = chess.Board(fen).ep_square
        assert target == (0 if named is None else 1 << named), fen
        assert position == other.tobytes()
        seen.add(named)
    assert seen == {None, chess.D3}


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda to: swaplist.read(SAMPLE, batch_size=-1), ValueError, "^batch_size: .*not -1"),
        (lambda to: swaplist.read(SAMPLE, batch_size=1.5), TypeError, "^batch_size: .*not 1.5"),
        (lambda to: swaplist.filter(SAMPLE, to, threads=-1), ValueError, "^threads: .*not -1"),
        (lambda to: swaplist.filter(SAMPLE, to, limit=-5), ValueError, "^limit: .*not -5"),
        (lambda to: swaplist.filter(SAMPLE, to, limit=0), ValueError, "^limit: .*from 1 .*not 0"),
        (lambda to: swaplist.filter(SAMPLE, to, level=True), TypeError, "^level: .*not True"),
        (lambda to: swaplist.filter(SAMPLE, to, level=2**40), ValueError, "^level: .*not 1099"),
        (lambda to: swaplist.filter(SAMPLE, to, min_ply=-1), ValueError, "^min_ply: .*-1"),
        (lambda to: swaplist.filter(SAMPLE, to, seed=-1), ValueError, "^seed: .*-1"),
        (lambda to: swaplist.convert(SAMPLE, to, threads=-2), ValueError, "^threads: .*not -2"),
        (lambda to: swaplist.count(SAMPLE, threads=-2), ValueError, "^threads: .*not -2"),
        (lambda to: swaplist.validate(SAMPLE, threads=-2), ValueError, "^threads: .*not -2"),
        (lambda to: swaplist.write(pa.table({}), to, level=-1), ValueError, "^level: .*not -1"),
    ],
)
def test_numbers_are_named(tmp_path, call, error, message):
    with pytest.raises(error, match=message):
        call(tmp_path / "x.binpack")


def test_rows_that_cannot_be_written(tmp_path):
    path = tmp_path / "x.viriformat"
    good = {"fen": chess.STARTING_FEN, "move": "e2e4", "score": 12, "result": 0}
    for bad, message in [
        ({"fen": None}, "row 1: null as a position"),
        ({"fen": "nonsense"}, "row 1: "),
        ({"move": "e2e5"}, "row 1: illegal move 'e2e5'"),
        ({"move": None}, "row 1: viriformat needs a played move"),
        ({"result": 7}, "row 1: result 7"),
        ({"score": 40000}, "row 1: viriformat cannot hold the score 40000"),
        ({"score": 2**40}, "row 1: score 1099511627776"),
        ({"ply": 2**32}, "row 1: ply 4294967296"),
    ]:
        table = pl.DataFrame([good, good | bad, good])
        with pytest.raises(ValueError, match=message):
            swaplist.write(table, path)
        assert not list(tmp_path.iterdir())
        assert swaplist.write(table, path, errors="skip") == {
            "records": 2,
            "skipped": 1,
            "unscored": 0,
            "illegal_moves": 0,
        }
        path.unlink()
    with pytest.raises(ValueError, match="expected a column 'fen' or 'position'; there are: a, b"):
        swaplist.write(pl.DataFrame({"a": [1], "b": [2]}), path)
    with pytest.raises(TypeError, match="score: expected a column of numbers, not Utf8View"):
        swaplist.write(pl.DataFrame([good | {"score": "x"}]), path)
    with pytest.raises(TypeError, match="expected an Arrow table.* not list"):
        swaplist.write([good], path)
    with pytest.raises(TypeError, match="expected columns, not Int64"):
        swaplist.write(pl.Series([1]), path)
    with pytest.raises(ValueError, match="the name does not tell the format"):
        swaplist.write(pl.DataFrame([good]), tmp_path / "x")
    path.write_bytes(b"old")
    with pytest.raises(FileExistsError, match="overwrite=True"):
        swaplist.write(pl.DataFrame([good]), path)
    assert path.read_bytes() == b"old"
    swaplist.write(pl.DataFrame([good]), path, overwrite=True)
    assert path.read_bytes() != b"old"


def test_records_that_trainers_skip_are_asked_for_and_counted(games, tmp_path):
    unscored = games.select("fen", "move", "result", cp="score")
    for name in ("binpack", "viriformat", "sfbin", "plain"):
        path = tmp_path / f"x.{name}"
        with pytest.raises(ValueError, match="no column 'score', and trainers skip.*, cp"):
            swaplist.write(unscored, path)
        assert not path.exists()
        counts = swaplist.write(unscored, path, unscored=True)
        assert counts["records"] == counts["unscored"] == games.height
    with pytest.raises(ValueError, match="row 0: bulletformat needs a score"):
        swaplist.write(unscored, tmp_path / "x.data", unscored=True)
    marked = tmp_path / "marked.binpack"
    # A column of positions does not tell which zeros are no scores.
    kept = swaplist.filter(SAMPLE, marked, keep_placeholders=True)["kept"]
    for batch_size in (100, 65536):
        scored = pl.DataFrame(swaplist.read(marked, unscored=False, batch_size=batch_size))
        quiet = games.filter(swaplist.is_quiet(pl.col("fen"))).select(scored.columns)
        assert scored.equals(quiet) and scored.height == kept
    assert pl.DataFrame(swaplist.read(marked, columns=["mate"]))["mate"].null_count() == (
        games.height - kept
    )


def test_castling_rights_that_a_format_cannot_hold(tmp_path):
    """A rook next to its king castles, in Chess960."""
    game = tmp_path / "x.pgn"
    game.write_text(
        '[FEN "bqnnrkrb/pppppppp/8/8/8/8/PPPPPPPP/BQNNRKRB w KQkq - 0 1"]\n\n'
        "1. h3 {+0.1/9} O-O {0.1/9} 2. O-O {0.2/9} e5 {0.3/9} 1-0\n"
    )
    path = tmp_path / "x.binpack"
    with pytest.raises(ValueError, match="drop_castling=True drops such rights, pass errors="):
        swaplist.convert(game, path)
    converted = swaplist.convert(game, path, drop_castling=True)
    assert converted["unheld_castling_rights"] == 1
    assert converted["left_out_castlings"] == 2
    assert pl.DataFrame(swaplist.read(path))["move"].to_list() == ["h2h3", "e7e5"]
    for job in (swaplist.filter, swaplist.mix):
        done = job(game, path, to="binpack", preset="none", drop_castling=True, overwrite=True)
        assert done["left_out_castlings"] == 2
    with pytest.raises(ValueError, match="copied from binpack to binpack"):
        swaplist.convert(path, tmp_path / "y.binpack", drop_castling=True)
    assert swaplist.count(game, data=True)["data"]["chess960"] == 3


def test_mates(tmp_path):
    path = tmp_path / "x.fen"
    scores = [0, 30_999, -31_000, 31_999, 32_002]
    path.write_text("".join(f"{chess.STARTING_FEN} | {score} | 0.5\n" for score in scores))
    table = pl.DataFrame(swaplist.read(path, columns=["score", "mate"]))
    assert table["mate"].to_list() == [False, False, True, True, None]


def test_illegal_moves_are_written_as_conversions_write_them(tmp_path):
    record = "fen {}\nmove {}\nscore 5\nply 3\nresult 0\ne\n"
    castling = "4k3/8/8/8/8/8/8/R3K2R w - - 0 1"
    moves = [(chess.STARTING_FEN, "e2e5"), (castling, "e1g1"), (chess.STARTING_FEN, "e2e4")]
    plain = tmp_path / "x.plain"
    plain.write_text("".join(record.format(*move) for move in moves))
    table = pl.DataFrame(swaplist.read(plain))
    for to in ("plain", "sfbin", "text"):
        with warnings.catch_warnings(action="ignore"):
            counts = swaplist.write(table, tmp_path / "written", to=to, overwrite=True)
            swaplist.convert(plain, tmp_path / "converted", to=to, overwrite=True)
        assert counts["illegal_moves"] == (0 if to == "text" else 2)
        assert (tmp_path / "written").read_bytes() == (tmp_path / "converted").read_bytes()
    with pytest.raises(ValueError, match="row 0: illegal move 'e2e5'"):
        swaplist.write(table, tmp_path / "x.binpack")
    skipped = swaplist.write(table, tmp_path / "x.binpack", errors="skip")
    assert (skipped["records"], skipped["skipped"], skipped["illegal_moves"]) == (1, 2, 0)


def test_a_ply_that_the_format_cannot_hold(tmp_path):
    row = {"fen": [chess.STARTING_FEN], "move": ["e2e4"], "score": [0], "result": [0]}
    for name, most in (("binpack", 16_383), ("sfbin", 65_535)):
        swaplist.write(pl.DataFrame(row | {"ply": [most]}), tmp_path / f"x.{name}")
        with pytest.raises(ValueError, match=f"row 0: {name} cannot hold the ply {most + 1}"):
            swaplist.write(pl.DataFrame(row | {"ply": [most + 1]}), tmp_path / f"y.{name}")


def test_broken_files(tmp_path):
    cut = tmp_path / "cut.binpack"
    cut.write_bytes(SAMPLE.read_bytes()[:-100])
    with pytest.raises(Exception, match='cut.binpack, byte .*; pass errors="skip" .* chains as'):
        pl.DataFrame(swaplist.read(cut))
    lines = tmp_path / "lines.fen"
    lines.write_text(f"{chess.STARTING_FEN}\nnonsense\n{chess.STARTING_FEN}\n")
    with pytest.raises(Exception, match='lines.fen, line 2: .*; pass errors="skip" .* records'):
        pa.table(swaplist.read(lines))
    records = swaplist.read(lines, errors="skip")
    assert pa.table(records).num_rows == 2 and records.skipped == 1
    with pytest.raises(FileNotFoundError):
        swaplist.read(tmp_path / "none")
    with pytest.raises(ValueError, match="columns: expected some of"):
        swaplist.read(SAMPLE, columns=["cp"])
    with pytest.raises(ValueError, match="batch_size"):
        swaplist.read(SAMPLE, batch_size=0)
    with pytest.raises(ValueError, match="format: expected one of"):
        swaplist.read(SAMPLE, format="parquet")


def test_jobs(games, tmp_path):
    seen = []
    summary = swaplist.filter(
        SAMPLE,
        tmp_path / "quiet.binpack",
        mode="drop",
        keep_placeholders=True,
        progress=lambda *it: seen.append(it),
    )
    quiet = pl.DataFrame(swaplist.read(tmp_path / "quiet.binpack"))
    expected = games.filter(swaplist.is_quiet(pl.col("fen")))
    for column in ("move", "score", "result", "ply"):  # chains begin anew, and so do move numbers
        assert quiet[column].equals(expected[column])
    assert summary["kept"] == quiet.height
    assert summary["records"] == games.height and summary["dropped"]["see"] > 0
    assert swaplist.count(SAMPLE)["positions"] == games.height
    assert swaplist.validate(SAMPLE)["sound"] is True
    fewer = swaplist.filter(SAMPLE, tmp_path / "quiet-marked.binpack")
    assert fewer["dropped"]["placeholder"] == summary["kept"] - fewer["kept"] == 6
    whole = swaplist.filter(SAMPLE, tmp_path / "all.binpack", preset="none")
    assert whole["kept"] == games.height
    assert whole["unscored"] == {"records": 0, "became": "copied"}
    with pytest.raises(ValueError, match="x.arrow' does not tell the format; .*to="):
        swaplist.convert(SAMPLE, tmp_path / "x.arrow")
    with pytest.raises(TypeError, match="progress: expected a callable or a bool"):
        swaplist.count(SAMPLE, progress=5)
    with pytest.raises(ValueError, match="unscored: expected"):
        swaplist.convert(SAMPLE, tmp_path / "y.viriformat", unscored=True)
    with pytest.raises(ValueError, match="from -32001 to 32001"):
        swaplist.convert(SAMPLE, tmp_path / "y.data", unscored=-32002)
    strict = swaplist.filter(
        FENS, tmp_path / "some.fen", max_see=-1, min_pieces=10, keep_checks=True
    )
    assert "-1" in strict["filter"]
    assert swaplist.filter(FENS, tmp_path / "few.fen", limit=5)["kept"] == 5
    with pytest.warns(UserWarning, match="not carried over"):
        summary = swaplist.convert(SAMPLE, tmp_path / "x.data")
    assert summary["to"] == "bulletformat"
    with pytest.raises(FileExistsError, match="overwrite=True"):
        swaplist.filter(FENS, tmp_path / "few.fen")
    with pytest.warns(UserWarning), pytest.raises(ValueError, match='unscored="drop" of convert'):
        swaplist.convert(tmp_path / "quiet-marked.binpack", tmp_path / "z.data")
    with pytest.raises(ValueError, match='errors="skip"'):
        lines = tmp_path / "lines.fen"
        lines.write_text("nonsense\n")
        swaplist.filter(lines, tmp_path / "y.fen", format="text")
    assert swaplist.filter(lines, tmp_path / "y.fen", errors="skip")["invalid"] == 1
    assert swaplist.validate(lines)["sound"] is False


def test_tables_in_csv_keep_their_columns(games, tmp_path):
    table = games.head(500).select("best_see", "fen", note=pl.lit('a "b", c'))
    for name, separator in (("a.csv", ","), ("b.tsv.gz", "\t")):
        path, quiet = tmp_path / name, tmp_path / f"quiet-{name}"
        text = table.write_csv(separator=separator).encode()
        path.write_bytes(gzip.compress(text) if name.endswith("gz") else text)
        assert pl.DataFrame(swaplist.read(path))["fen"].equals(table["fen"])
        assert swaplist.count(path)["positions"] == table.height
        swaplist.filter(path, quiet, preset="quiet")
        kept = table.filter(swaplist.is_quiet(table["fen"]))
        assert 0 < kept.height < table.height
        assert pl.read_csv(quiet, separator=separator).equals(kept)


def test_names_and_formats_follow_the_rule_of_the_command(tmp_path):
    for name, to, why in [
        ("quiet.parquet", None, "is named as parquet, which is not written, but binpack would be"),
        ("z.binpack", "plain", 'is named as binpack or viriformat, .* or to="binpack" to convert'),
        ("z.fen", "binpack", 'is named as text, but binpack would be written; .* or to="text"'),
        ("z.plain", "pgn", 'to: expected one of .*, not "pgn"'),
    ]:
        with pytest.raises(ValueError, match=why):
            swaplist.filter(SAMPLE, tmp_path / name, to=to)
    assert not list(tmp_path.iterdir())


def test_rules_are_named(tmp_path):
    values = {name: 1 for name in typing.get_type_hints(Rules)}
    switches = ("keep_checks", "drop_double_threat", "drop_unscored", "invert")
    values |= dict.fromkeys((*switches, "keep_placeholders", "drop_decided_zeros"), True)
    assert {*values, "preset"} == set(RULES), "PositionRules and Rules in swaplist/_types.py"
    values |= {"played": ["quiet", "no-castling"], "max_see": None, "max_pieces": 2}
    for name, value in values.items():
        swaplist.filter(SAMPLE, tmp_path / "x.binpack", overwrite=True, **{name: value})
        assert f" {name}" in swaplist.filter.__doc__
    for wrong, error, why in [
        ({"max_sea": 1}, TypeError, "'max_sea'; did you mean 'max_see'"),
        ({"overwrit": 1}, TypeError, "'overwrit'; did you mean 'overwrite'"),
        ({"max_see": "x"}, ValueError, "max_see: .*, or None"),
        ({"preset": "nope"}, ValueError, "expected one of: quiet, "),
        ({"errors": "null"}, ValueError, 'errors: expected "raise" or "skip"'),
    ]:
        with pytest.raises(error, match=why) as raised:
            swaplist.filter(SAMPLE, tmp_path / "y.binpack", **wrong)
        assert "--" not in str(raised.value)


def test_an_exception_in_the_callback_cancels(tmp_path):
    def stop(records, done):
        raise KeyError("enough")

    big = tmp_path / "big.fen"
    big.write_bytes(FENS.read_bytes() * 200)
    with pytest.raises(KeyError, match="enough"):
        swaplist.filter(big, tmp_path / "out.fen", progress=stop, threads=1)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["big.fen"]


@pytest.mark.parametrize("work", ["filter", "read"])
def test_ctrl_c_ends_a_job_and_leaves_no_file(tmp_path, work):
    big = tmp_path / "big.fen"
    big.write_bytes(FENS.read_bytes() * 2000)
    calls = {
        "filter": f"swaplist.filter({str(big)!r}, {str(tmp_path / 'out.fen')!r}, threads=1)",
        "read": f"pyarrow.RecordBatchReader.from_stream(swaplist.read({str(big)!r})).read_all()",
    }
    code = f"""
import pyarrow, swaplist
print('begin', flush=True)
{calls[work]}
"""
    job = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert job.stdout.readline() == "begin\n"
    time.sleep(0.5)
    job.send_signal(signal.SIGINT)
    _, error = job.communicate(timeout=5)
    assert "KeyboardInterrupt" in error
    assert job.returncode == (-signal.SIGINT if work == "filter" else 1)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["big.fen"]


def test_tqdm_shows_a_bar(tmp_path, capsys):
    pytest.importorskip("tqdm")
    big = tmp_path / "big.fen"
    big.write_bytes(FENS.read_bytes() * 100)
    swaplist.count(big, progress=True)
    assert "records" in capsys.readouterr().err


def test_paths_may_be_any_kind(tmp_path):
    for path in (str(SAMPLE), pathlib.Path(SAMPLE)):
        assert swaplist.count(path)["positions"] == 11344


def test_count_of_several_files_and_for_training(games, tmp_path):
    plain = tmp_path / "games.plain"
    swaplist.convert(SAMPLE, plain)
    seen = []
    counted = swaplist.count(
        [SAMPLE, plain], data=True, threads=1, progress=lambda *it: seen.append(it)
    )
    assert counted["positions"] == 2 * games.height
    assert [file["positions"] for file in counted["files"]] == [games.height] * 2
    assert counted["seconds"] >= sum(file["seconds"] for file in counted["files"])
    assert seen == sorted(seen)
    assert seen[-1][0] <= counted["positions"]
    data = counted["data"]
    plies = games["ply"].value_counts().sort("ply")
    for ply, count in plies.rows():
        assert data["plies"][ply] == 2 * count
    boards = [chess.Board(fen) for fen in games["fen"]]
    kings = [0] * 64
    for board in boards:
        king = board.king(board.turn)
        kings[king if board.turn else chess.square_mirror(king)] += 2
    assert data["kings"] == kings
    pieces = [len(board.piece_map()) for board in boards]
    for name, first in (("bullet", 2), ("nnue-pytorch", 1)):
        buckets = [0] * 8
        for count in pieces:
            buckets[(count - first) // 4] += 2
        assert data["output_buckets"][name] == buckets
    placements = len({board.board_fen() for board in boards})
    estimate = data["duplicates"]["placements"]["distinct"]
    assert abs(estimate / placements - 1) < 4 * data["duplicates"]["standard_error"]
    for file in counted["files"]:
        bands = file["data"]["results_by_score"]
        decided = games.filter((pl.col("score") > 0) & (pl.col("score") <= 50))
        (band,) = (band for band in bands if band["from"] == 1)
        ends = decided["result"] * decided["turn"]
        assert [band["won"], band["drawn"], band["lost"]] == [(ends == n).sum() for n in (1, 0, -1)]
        assert file["data"]["plies"][30] == (games["ply"] == 30).sum()
    one = swaplist.count([plain], data=True)
    assert one["data"]["duplicates"]["positions"] == {
        "distinct": data["duplicates"]["positions"]["distinct"],
        "duplicates": games.height - data["duplicates"]["positions"]["distinct"],
    }
    assert swaplist.count(plain)["data"] is None
    with pytest.raises(ValueError, match="input: name at least one file"):
        swaplist.count([])


def test_mix(tmp_path):
    games = tmp_path / "games.plain"
    swaplist.convert(SAMPLE, games)
    outputs = [tmp_path / "train.data", tmp_path / "test.data"]
    options = {"shuffle": True, "seed": 1, "dedupe": "position", "dedupe_keep": "random"}
    with pytest.warns(UserWarning, match="not carried over to bulletformat"):
        summary = swaplist.mix([SAMPLE, games], outputs, split=[9, 1], **options)
    assert [line["records"] for line in summary["inputs"]] == [11344, 11344]
    # Of two equal positions, a random one stays.
    duplicates = [line["duplicates"] for line in summary["inputs"]]
    # What may be placeholders is not written where a reader could not tell.
    placeholders = sum(summary["dropped"].values())
    assert 0 < placeholders < 100
    assert min(duplicates) > 1000
    assert sum(duplicates) + placeholders == 2 * 11344 - summary["written"]
    assert summary["written"] <= 11344
    sides = [
        set(pl.DataFrame(swaplist.read(path, columns=["fen"]))["fen"].to_list()) for path in outputs
    ]
    assert sum(map(len, sides)) == summary["written"] and not sides[0] & sides[1]
    # An old held-out set is left out.
    again = tmp_path / "again.data"
    with pytest.warns(UserWarning, match="not carried over to bulletformat"):
        summary = swaplist.mix([SAMPLE, games], again, exclude=outputs[1])
    left = set(pl.DataFrame(swaplist.read(again, columns=["fen"]))["fen"].to_list())
    assert left == sides[0]
    placeholders = sum(summary["dropped"].values())
    assert summary["excluded"] == 2 * 11344 - summary["written"] - placeholders > 0
    assert summary["exclude"][0]["records"] == len(sides[1])


def test_mix_with_a_filter_and_in_order(tmp_path):
    out = tmp_path / "out.binpack"
    calls = []
    summary = swaplist.mix(SAMPLE, out, max_score=500, progress=lambda *done: calls.append(done))
    assert 0 < summary["kept"] < 11344 and all(done[0] <= 11344 for done in calls)
    scores = pl.DataFrame(swaplist.read(out, columns=["score"]))["score"]
    assert len(scores) == summary["kept"] and scores.abs().max() <= 500
    with pytest.warns(UserWarning, match="twice|no more records"):
        whole = swaplist.mix([SAMPLE, SAMPLE], tmp_path / "all.binpack", weights=[2, 1], seed=3)
    assert whole["written"] == 2 * 11344


def test_scores_in_another_unit(tmp_path):
    def scores(path):
        return pl.DataFrame(swaplist.read(path, columns=["score"]))["score"]

    before = scores(SAMPLE)
    expected = [round(score * 2.5 + (0.1 if score > 0 else -0.1)) for score in before]
    scaled = tmp_path / "scaled.binpack"
    summary = swaplist.filter(SAMPLE, scaled, preset="none", scale=2.5)
    assert scores(scaled).to_list() == expected and summary["scale"] == 2.5
    assert summary["clipped_scores"] == 0
    swaplist.convert(SAMPLE, tmp_path / "plain.plain", scale=2.5)
    assert scores(tmp_path / "plain.plain").to_list() == expected
    mixed = tmp_path / "mixed.binpack"
    swaplist.mix([SAMPLE, scaled], mixed, scales=[2.5, None])
    assert scores(mixed).sort().to_list() == sorted(expected + expected)
    with pytest.raises(ValueError, match="scale: expected a number from 0.001 to 1000, not"):
        swaplist.filter(SAMPLE, tmp_path / "never.binpack", scale=0)
    with pytest.raises(ValueError, match="a scale, or none, for each input"):
        swaplist.mix([SAMPLE], tmp_path / "never.binpack", scales=[1, 2])


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"dedupe": "pieces"}, ValueError, "dedupe"),
        ({"split": [1]}, ValueError, "a split needs"),
        ({"split": [1, 1], "split_by": "day"}, ValueError, "split_by"),
        ({"shuffle": True, "weights": [1]}, ValueError, "^weights: .* takes each record once"),
        ({"dedupe_keep": "last"}, ValueError, 'dedupe_keep: expected "first" or "random"'),
        ({"exclude": ["none.plain"]}, FileNotFoundError, "none.plain"),
        ({"force": True}, TypeError, "did you mean 'overwrite'"),
        ({"memory": 5}, ValueError, "memory"),
        ({"max_sea": 5}, TypeError, "did you mean 'max_see'"),
        ({"sample": 0}, ValueError, "sample"),
        ({"split": [1e308, 1e308]}, ValueError, "the shares of a split are too large to add up"),
        ({"limit": 0}, ValueError, "^limit: expected a whole number from 1 to .*, not 0$"),
        ({"limit": -1}, ValueError, "^limit: expected a whole number from 1 to .*, not -1$"),
    ],
)
def test_mix_refuses(tmp_path, given, error, words):
    with pytest.raises(error, match=words):
        swaplist.mix(SAMPLE, tmp_path / "out.binpack", **given)
    assert list(tmp_path.iterdir()) == []
