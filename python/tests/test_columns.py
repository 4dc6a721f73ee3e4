"""Columns of every layout, their nulls, their errors and who gets what back."""

import subprocess
import sys

import chess
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import swaplist
from conftest import FENS, SAMPLE
from hypothesis import given, settings
from hypothesis import strategies as st

START = chess.STARTING_FEN
WINS = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1"
ROWS = [START, None, WINS, "4k3/8/8/8/8/8/8/4K3 w - -"]
QUIET = [True, None, False, True]

LAYOUTS = [
    pa.string(),
    pa.large_string(),
    pa.string_view(),
    pa.dictionary(pa.int8(), pa.string()),
    pa.dictionary(pa.uint64(), pa.large_string()),
]


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_layouts_slices_and_chunks(layout):
    array = pa.array(ROWS).cast(layout)
    assert swaplist.is_quiet(array).to_pylist() == QUIET
    for start in range(5):
        for length in range(5 - start):
            part = array.slice(start, length)
            assert swaplist.is_quiet(part).to_pylist() == QUIET[start : start + length]
    chunks = pa.chunked_array([array, array.slice(2), array.slice(4)], layout)
    assert swaplist.is_quiet(chunks).to_pylist() == QUIET + QUIET[2:]
    assert swaplist.is_quiet(pa.chunked_array([], layout)).to_pylist() == []


@pytest.mark.parametrize(
    "make",
    [
        pa.array,
        lambda rows: pa.chunked_array([rows[:1], rows[1:]]),
        lambda rows: pl.Series("fen", rows),
        lambda rows: pl.Series("fen", rows, dtype=pl.Categorical),
        lambda rows: pd.Series(rows, name="fen", index=[3, 1, 4, 5]),
        lambda rows: pd.Series(rows, dtype="string[pyarrow]"),
        lambda rows: np.array(rows, dtype=object),
        list,
        tuple,
    ],
    ids=[
        "array",
        "chunked",
        "polars",
        "categorical",
        "pandas",
        "pandas-arrow",
        "numpy",
        "list",
        "tuple",
    ],
)
def test_answers_are_of_the_askers_kind(make):
    given_rows = make(ROWS)
    for function in (swaplist.is_quiet, swaplist.verdicts):
        answers = function(given_rows)
        kind = list if isinstance(given_rows, tuple) else type(given_rows)
        if not isinstance(given_rows, pa.Array):
            assert isinstance(answers, kind)
        assert len(answers) == len(ROWS)
    quiet = swaplist.is_quiet(given_rows)
    plain = quiet.to_pylist() if hasattr(quiet, "to_pylist") else list(quiet)
    assert [None if value is None or value is pd.NA else bool(value) for value in plain] == QUIET
    if isinstance(given_rows, pd.Series):
        assert quiet.index.equals(given_rows.index) and quiet.name == given_rows.name
    if isinstance(given_rows, pl.Series):
        assert quiet.name == "fen"


def test_dtypes():
    verdicts = swaplist.verdicts(pa.array(ROWS), threat=True, quiescence=1)
    assert verdicts.type == pa.struct(
        [
            pa.field("in_check", pa.bool_(), nullable=False),
            pa.field("noisy", pa.uint8(), nullable=False),
            ("best_see", pa.int32()),
            ("best_move", pa.string()),
            ("threat_see", pa.int32()),
            ("threat_move", pa.string()),
            ("threats", pa.uint8()),
            pa.field("quiescence", pa.int32(), nullable=False),
        ]
    )
    assert verdicts.to_pylist()[2]["best_move"] == "e4d5"
    assert swaplist.is_quiet(pa.array(ROWS)).type == pa.bool_()
    one = swaplist.scores(pa.array(ROWS), pa.array(["e2e4", "a1a2", "e4d5", None]))
    assert one.type == pa.int32() and one.to_pylist() == [0, None, 100, None]
    lists = pa.array([["e2e4", "g1f3"], None, [], ["e1e2"]])
    many = swaplist.scores(pa.array(ROWS), lists)
    assert many.type == pa.list_(pa.int32()) and many.to_pylist() == [[0, 0], None, [], [0]]


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
@pytest.mark.parametrize("text", [b"\xff\xfe4k", START.encode() + b" \xc3"])
def test_bytes_that_are_not_text(layout, text, tmp_path):
    """pyarrow does not validate, also where it reads Parquet."""
    bad = pa.array([b"a", text]).view(pa.string())
    if isinstance(layout, pa.DictionaryType):
        bad = pa.DictionaryArray.from_arrays(pa.array([0, 1]), bad.cast(layout.value_type))
    elif layout == pa.string_view():
        bad = pa.array([b"a", text], pa.binary_view()).view(layout)
    else:
        bad = bad.cast(layout)
    fens, moves = pa.array([START] * 2), pa.array(["e2e4"] * 2)
    bad = bad.slice(1)
    path = tmp_path / "x.plain"
    for call in (
        lambda **errors: swaplist.is_quiet(bad, **errors),
        lambda **errors: swaplist.verdicts(bad, **errors),
        lambda **errors: swaplist.scores(bad, moves[:1], **errors),
        lambda **errors: swaplist.scores(fens[:1], bad, **errors),
    ):
        with pytest.raises(ValueError, match="^row 0: "):
            call()
        assert call(errors="null").to_pylist() == [None]
    for columns in ({"fen": bad}, {"fen": fens[:1], "move": bad}):
        with pytest.raises(ValueError, match="^row 0: .*UTF-8"):
            swaplist.write(pa.table(columns), path, overwrite=True, unscored=True)
        skips = {"errors": "skip", "overwrite": True, "unscored": True}
        assert swaplist.write(pa.table(columns), path, **skips)["skipped"] == 1
    if not isinstance(layout, pa.DictionaryType):
        pq.write_table(pa.table({"fen": bad}), tmp_path / "x.parquet")
        with pytest.raises(ValueError, match="^row 0: .*UTF-8"):
            swaplist.is_quiet(pq.read_table(tmp_path / "x.parquet")["fen"])


def test_columns_with_different_chunks_are_matched():
    fens = pa.chunked_array([[START, WINS], [], [WINS], [START]])
    moves = pa.chunked_array([["e2e4"], ["e4d5", "e4e5", "g1f3"]])
    assert swaplist.scores(fens, moves).to_pylist() == [0, 100, 0, 0]
    with pytest.raises(ValueError, match="fens and moves differ in length: 4 and 1 rows"):
        swaplist.scores(fens, moves.slice(3))


def test_the_row_of_an_error_counts_over_chunks():
    chunks = pa.chunked_array([[START] * 3000, [START, None, "nonsense", "worse"]])
    with pytest.raises(ValueError, match="^row 3002: "):
        swaplist.is_quiet(chunks)
    with pytest.raises(ValueError, match="^row 3002: "):
        swaplist.verdicts(chunks.dictionary_encode(), threads=2)
    moves = pa.chunked_array([["e2e4"] * 2999 + ["e2e5"], ["e2e4"] * 4])
    with pytest.raises(ValueError, match="^row 2999: illegal move 'e2e5'"):
        swaplist.scores(chunks, moves)
    answers = swaplist.is_quiet(chunks, errors="null").to_pylist()
    assert answers[2999:] == [True, True, None, None, None]
    assert (
        swaplist.scores(chunks, moves, errors="null").to_pylist()[2998:]
        == [0, None, 0] + [None] * 3
    )
    # A value that no row refers to is not an error.
    unused = pa.DictionaryArray.from_arrays(pa.array([0, None]), pa.array([START, "nonsense"]))
    assert swaplist.is_quiet(unused).to_pylist() == [True, None]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: swaplist.is_quiet(5),
            TypeError,
            "fens: expected an Arrow column or a sequence of str, not int",
        ),
        (lambda: swaplist.is_quiet("text"), TypeError, "not str; put a single one in a list"),
        (lambda: swaplist.is_quiet([START, 5]), TypeError, "fens: "),
        (
            lambda: swaplist.is_quiet(pa.array([1.0])),
            TypeError,
            "expected a column of strings, not Float64",
        ),
        (lambda: swaplist.is_quiet([START], profile="best"), ValueError, "profile: "),
        (lambda: swaplist.is_quiet([START], values="1,2"), ValueError, "values: "),
        (
            lambda: swaplist.is_quiet([START], errors="skip"),
            ValueError,
            'errors: expected "raise" or "null", not "skip", which is for files',
        ),
        (
            lambda: swaplist.read("x.plain", errors="null"),
            ValueError,
            'errors: expected "raise" or "skip", not "null", which is for columns',
        ),
        (
            lambda: swaplist.scores([START], ["e2e4"], errors="ignore"),
            ValueError,
            'errors: expected "raise" or "null", not "ignore"$',
        ),
        (lambda: swaplist.is_quiet(bytes(33)), TypeError, "not bytes"),
        (lambda: swaplist.is_quiet([START.encode()]), TypeError, "str, not bytes; decode"),
        (lambda: swaplist.is_quiet([START], min_ply=1), TypeError, r"'min_ply': .* for filter"),
        (lambda: swaplist.is_quiet([START], max_sea=1), TypeError, "did you mean 'max_see'"),
        (lambda: swaplist.is_quiet([START], played="quiet"), ValueError, "pass them with moves="),
        (lambda: swaplist.is_quiet([START], ["e2e4"], preset="bullet"), ValueError, "the score: "),
        (lambda: swaplist.is_quiet([START], preset="nnue-pytorch"), ValueError, "for filter()"),
        (lambda: swaplist.is_quiet([START], ["e2e5"]), ValueError, "row 0: illegal move"),
        (
            lambda: swaplist.is_quiet([START], backend="cuda"),
            ValueError,
            'backend: expected "auto", "cpu", "gpu" or "gpu:NAME", not "cuda"',
        ),
        (lambda: swaplist.is_quiet([START.split()[0]]), ValueError, "row 0: too few fields"),
        (lambda: swaplist.is_quiet([START], quiescence=4), ValueError, "quiescence: "),
        (lambda: swaplist.is_quiet([START], threads=0), ValueError, "threads: "),
        (
            lambda: swaplist.is_quiet(pa.array([b"short"])),
            ValueError,
            "row 0: a packed position has 32 bytes, not 5; cast a column of FENs to strings",
        ),
        (lambda: swaplist.scores([START], [[None]]), TypeError, "moves: "),
        (
            lambda: swaplist.is_quiet(np.zeros((5, 31), "uint8")),
            TypeError,
            "^fens: expected packed positions, uint8, n x 32, or strings, not uint8, 5 x 31$",
        ),
        (lambda: swaplist.is_quiet(np.zeros(32, "uint8")), TypeError, "n x 32, .*not uint8, 32$"),
        (
            lambda: swaplist.verdicts(np.zeros((5, 4), "uint64")),
            TypeError,
            "uint8, n x 32, or strings, not uint64, 5 x 4$",
        ),
        (
            lambda: swaplist.scores([START], np.zeros(1)),
            TypeError,
            "^moves: expected strings, not float64, 1$",
        ),
        (lambda: swaplist.is_quiet([START], threads=-1), ValueError, "^threads: .*not -1"),
        (lambda: swaplist.verdicts([START], threads=-1), ValueError, "^threads: .*not -1"),
        (lambda: swaplist.verdicts([START], quiescence=-1), ValueError, "^quiescence: .*not -1"),
        (lambda: swaplist.scores([START], ["e2e4"], threads=-1), ValueError, "^threads: .*not -1"),
        (lambda: swaplist.see("nonsense", "e2e4"), ValueError, "fen"),
        (lambda: swaplist.see(START, "e2e5"), ValueError, "illegal move 'e2e5'"),
        (lambda: swaplist.see(START, "nonsense"), ValueError, "is not a move in UCI or SAN"),
        (lambda: swaplist.explain("nonsense"), ValueError, "nonsense"),
    ],
)
def test_errors_say_what_and_where(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_the_same_on_any_number_of_threads(fens):
    column = pa.array(fens * 5)
    one = swaplist.verdicts(column)
    for threads in (2, 3, 7):
        assert swaplist.verdicts(column, threads=threads).equals(one)


def quiet(verdict, *, max_see=0, max_threat=None, keep_checks=False, **others):
    def exceeds(value, bound):
        return bound is not None and value is not None and value > bound

    return not (
        (verdict["in_check"] and not keep_checks)
        or exceeds(verdict["best_see"], max_see)
        or exceeds(verdict["threat_see"], max_threat)
        or (others.get("drop_double_threat") and (verdict["threats"] or 0) > 1)
        or ("quiescence" in others and verdict["quiescence"] > 0)
    )


@pytest.mark.parametrize(
    "bounds",
    [
        {},
        {"max_see": 100},
        {"max_see": None},
        {"max_threat": 50},
        {"keep_checks": True},
        {"drop_double_threat": True},
        {"max_see": None, "quiescence": 1, "drop_double_threat": True, "keep_checks": True},
    ],
    ids=str,
)
def test_bounds(fens, bounds):
    verdicts = swaplist.verdicts(fens, threat=True, quiescence=1)
    assert swaplist.is_quiet(fens, **bounds) == [quiet(verdict, **bounds) for verdict in verdicts]


@pytest.mark.parametrize(
    "rules",
    [
        {"preset": "played-calm"},
        {"preset": "none", "min_played_see": 0, "max_played_see": 100, "min_pieces": 20},
        {"played": ["no-captures", "no-castling"], "keep_checks": True, "max_see": 100},
    ],
    ids=str,
)
def test_rules_on_the_played_move_are_those_of_filter(rules, tmp_path):
    # Columns have no scores, so no placeholders either.
    kept = {"mode": "drop", "keep_placeholders": True}
    swaplist.filter(SAMPLE, tmp_path / "x.binpack", **kept, **rules)
    # A binpack's FENs have move numbers that depend on what was dropped.
    columns = ["fen", "position", "move", "score", "ply"]
    kept = swaplist.read(tmp_path / "x.binpack", columns=columns).to_polars()
    records = swaplist.read(SAMPLE, columns=columns).to_polars()
    quiet = swaplist.is_quiet(pl.col("fen"), pl.col("move"), **rules)
    assert kept.height > 0 and records.filter(quiet).drop("fen").equals(kept.drop("fen"))
    table = records.to_arrow()
    moves = pa.array([None, *table["move"].to_pylist()[1:]])
    assert swaplist.is_quiet(table["fen"], moves, **rules)[:1].to_pylist() == [None]


def test_packed_positions_are_columns_too(fens):
    table = pa.table(swaplist.read(FENS, columns=["fen", "position"]))
    by_fen, packed = swaplist.is_quiet(table["fen"]), swaplist.is_quiet(table["position"])
    assert by_fen.equals(packed) and len(packed) == len(fens)
    assert swaplist.is_quiet(pl.Series(table["position"])).to_list() == by_fen.to_pylist()
    planes = np.frombuffer(b"".join(table["position"].to_pylist()), "uint8").reshape(-1, 32)
    assert swaplist.is_quiet(planes).tolist() == by_fen.to_pylist()
    assert swaplist.verdicts(planes[:0]).dtype == object and len(swaplist.is_quiet(planes[:0])) == 0
    broken = pa.array([bytes(32)], pa.binary(32))
    assert swaplist.is_quiet(broken, errors="null").to_pylist() == [None]


def test_pandas(monkeypatch):
    for rows in (pd.Series(ROWS), pd.Series(ROWS, dtype="string[pyarrow]")):
        assert pd.Series(swaplist.is_quiet(rows.array)).tolist() == [True, pd.NA, False, True]
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match="pandas need pyarrow"):
        swaplist.is_quiet(pd.Series(ROWS))


def test_polars_expressions(fens):
    frame = pl.DataFrame({"fen": fens})
    eager = frame.filter(swaplist.is_quiet(pl.col("fen")))
    lazy = frame.lazy().filter(swaplist.is_quiet(pl.col("fen"))).collect()
    assert eager.equals(lazy) and eager.height == sum(swaplist.is_quiet(fens))
    schema = (
        frame.lazy()
        .with_columns(swaplist.verdicts(pl.col("fen"), threat=True, quiescence=1))
        .collect_schema()
    )
    assert schema["fen"] == swaplist.verdicts(pl.Series(fens), threat=True, quiescence=1).dtype


def test_polars_asks_about_rows_of_the_table_only(tmp_path):
    """Statistics of long texts are truncated, and a guard comes first."""
    long = "1rb2rk1/2q1p1bp/p2p1np1/PppP1p2/2P2N2/R5P1/1PQ1PPBP/2B2RK1 w - b6 0 16"
    frame = pl.DataFrame({"fen": [long] * 500 + [START], "ok": [True] * 501})
    frame.write_parquet(tmp_path / "x.parquet")
    for errors in ("raise", "null"):
        keep = swaplist.is_quiet(pl.col("fen"), errors=errors)
        expected = frame.filter(keep)
        assert pl.scan_parquet(tmp_path / "x.parquet").filter(keep).collect().equals(expected)
    guarded = pl.DataFrame({"fen": [START, "nonsense"], "ok": [True, False]}).lazy()
    guarded = guarded.filter("ok").filter(swaplist.is_quiet(pl.col("fen"))).collect()
    assert guarded["fen"].to_list() == [START]
    scores = pl.DataFrame({"fen": [WINS], "move": ["e4d5"], "all": [["e4d5", "e4e5"]]}).lazy()
    one = swaplist.scores(pl.col("fen"), pl.col("move"))
    many = swaplist.scores(pl.col("fen"), pl.col("all"), lists=True).alias("sees")
    scores = scores.with_columns(one, many)
    assert scores.collect_schema()["sees"] == pl.List(pl.Int32)
    assert scores.collect()["fen", "see", "sees"].row(0) == (WINS, 100, [100, 0])


def test_columns_without_a_type():
    empty = np.array([])
    assert swaplist.is_quiet(empty).dtype == bool
    assert swaplist.scores(empty, empty).dtype == np.int32
    assert swaplist.is_quiet(pl.Series([None, None])).to_list() == [None, None]
    assert swaplist.is_quiet(pa.nulls(2)).to_pylist() == [None, None]
    assert swaplist.scores(pl.Series([START]), pl.Series([[]])).to_list() == [[]]


def test_a_capsule_serves_once():
    class Once:
        capsules = pa.array([START]).__arrow_c_array__()

        def __arrow_c_array__(self, requested_schema=None):
            return self.capsules

    assert swaplist.is_quiet(Once()).to_pylist() == [True]
    with pytest.raises(ValueError, match="the Arrow array was consumed before"):
        swaplist.is_quiet(Once())


def test_duckdb_functions(fens):
    connection = duckdb.connect()
    connection.create_function(
        "is_quiet", lambda fens: swaplist.is_quiet(fens), ["VARCHAR"], "BOOLEAN", type="arrow"
    )
    rows = pa.table({"fen": fens * 3})
    assert rows.num_rows > 0
    count = connection.sql("select count(*) from rows where is_quiet(fen)").fetchall()
    assert count == [(3 * sum(swaplist.is_quiet(fens)),)]


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.one_of(st.none(), st.text(max_size=90), st.just(START)), max_size=30),
    st.sampled_from(LAYOUTS),
    st.integers(0, 30),
)
def test_any_text_keeps_its_row(rows, layout, cut):
    array = pa.array(rows, pa.string()).cast(layout)
    answers = swaplist.is_quiet(array, errors="null").to_pylist()
    assert len(answers) == len(rows)
    assert all(
        answer == (True if row == START else answer)
        for row, answer in zip(rows, answers, strict=True)
    )
    assert swaplist.is_quiet(array.slice(cut), errors="null").to_pylist() == answers[cut:]


def test_explain():
    text = swaplist.explain(WINS, "exd5")
    assert "SEE of exd5 (e4d5) = 100" in text
    data = swaplist.explain(WINS, "exd5", as_dict=True)
    assert data["moves"][0]["see"] == 100 and data["fen"] == WINS


def test_no_module_is_imported_that_was_not_asked_for():
    code = """
import sys, swaplist
swaplist.is_quiet([])
print([name for name in ("pyarrow", "polars", "pandas", "numpy") if name in sys.modules])
"""
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
