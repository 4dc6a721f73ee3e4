"""The order of batches, their epochs and shards, and going on from a state."""

import collections
import gc
import itertools
import json
import os
import pickle
import subprocess
import sys
import time

import chess
import numpy as np
import polars as pl
import pytest
import swaplist
import xxhash
from conftest import SAMPLE, positions

# A million rows whose scores are their numbers from here on: 32002 means that there is none.
MANY, FIRST = 1_000_000, 100_000


@pytest.fixture(scope="module")
def numbered():
    """A table of a million records."""
    position = swaplist.read(SAMPLE, columns=["position"]).to_polars()["position"][0]
    return pl.DataFrame(
        {
            "position": pl.Series([position], dtype=pl.Binary).new_from_index(0, MANY),
            "score": np.arange(FIRST, FIRST + MANY, dtype=np.int32),
            "result": np.zeros(MANY, np.int8),
        }
    )


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """Three unequal files of different formats, whose records have the scores 1, 2 and 3."""
    folder = tmp_path_factory.mktemp("sources")
    table = swaplist.read(SAMPLE).to_polars()
    paths = []
    for score, name, times in [(1, "a.data", 20), (2, "b.viriformat", 20), (3, "c.binpack", 10)]:
        one = folder / name
        changed = table.with_columns(score=pl.lit(score, pl.Int32))
        if name == "a.data":
            with pytest.warns(UserWarning):
                swaplist.write(changed, one)
        else:
            swaplist.write(changed, one)
        one.write_bytes(one.read_bytes() * times)
        paths.append(one)
    return paths


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Files of several blocks, one of them compressed."""
    folder = tmp_path_factory.mktemp("files")
    paths = [folder / name for name in ("a.data", "b.viriformat", "c.binpack", "d.plain.zst")]
    with pytest.warns(UserWarning):
        swaplist.convert(SAMPLE, paths[0])
    swaplist.convert(SAMPLE, paths[1])
    paths[1].write_bytes(paths[1].read_bytes() * 20)
    paths[2].write_bytes(SAMPLE.read_bytes() * 10)
    swaplist.convert(SAMPLE, paths[3])
    return paths


def column(batches, name="score"):
    return np.concatenate([batch[name] for batch in batches])


def test_a_window_that_holds_the_data_shuffles_uniformly(numbered):
    batches = swaplist.batches(numbered, filter=None)
    assert repr(batches).endswith("shuffled in a window of 1,048,576, 16,384 a batch>")
    came = column(batches) - FIRST
    assert repr(batches).endswith(
        "shuffled as a whole (1,000,000 in a window of 1,048,576), 16,384 a batch>"
    )
    assert np.array_equal(np.sort(came), np.arange(MANY))
    places = np.arange(MANY)
    assert abs(np.corrcoef(places, came)[0, 1]) < 0.01
    # Neighbours stay neighbours twice on average.
    assert (np.abs(np.diff(came)) == 1).sum() < 15
    kept = column(swaplist.batches(numbered, filter=None, shuffle=0)) - FIRST
    assert np.array_equal(kept, places)


@pytest.mark.parametrize("workers", [0, 2])
def test_every_part_of_an_epoch_has_all_files(sources, workers):
    options = {"filter": None, "shuffle": 1 << 15, "workers": workers}
    came = column(swaplist.batches(sources, **options))
    assert len(came) == 50 * 11344
    shares = np.array([np.bincount(part, minlength=4)[1:] for part in np.array_split(came, 20)])
    shares = shares / shares.sum(1, keepdims=True)
    assert np.abs(shares - [0.4, 0.4, 0.2]).max() < 0.1, shares
    places = np.arange(len(came))
    for score in (1, 2, 3):
        assert abs(np.corrcoef(places, came == score)[0, 1]) < 0.02
    # Also in each shard.
    shard = column(swaplist.batches(sources, shard=(1, 3), **options))
    shares = np.array([np.bincount(part, minlength=4)[1:] for part in np.array_split(shard, 5)])
    assert np.abs(shares / shares.sum(1, keepdims=True) - [0.4, 0.4, 0.2]).max() < 0.1
    # In the files' order they come one after the other.
    options["shuffle"] = 0
    assert (np.diff(column(swaplist.batches(sources, **options))) >= 0).all()


@pytest.mark.parametrize("workers", [0, 3])
@pytest.mark.parametrize("shuffle", [0, 1 << 12, True])
def test_weights_hold_in_every_batch(sources, shuffle, workers):
    options = {"filter": None, "shuffle": shuffle, "workers": workers}
    for weights in ([1, 1, 4], [1, 1, 1], [5, 1, 0.5]):
        batches = swaplist.batches(sources, weights=weights, **options)
        with pytest.raises(TypeError, match="not known before an epoch was read"):
            len(batches)
        given = [batch["score"] for batch in batches]
        assert len(batches) == len(given)
        shares = np.array(weights) / sum(weights)
        for scores in given[:-1]:
            counts = np.bincount(scores, minlength=4)[1:]
            deviation = np.sqrt(shares * (1 - shares) * len(scores))
            most = 5 * deviation if shuffle else 2
            assert (np.abs(counts - shares * len(scores)) <= most).all(), (weights, counts)
        # Each position comes once at least, and the file that lasts longest once.
        came = np.bincount(np.concatenate(given))[1:]
        held = np.array([20, 20, 10]) * 11344
        assert (came >= held).all()
        assert (came == held).any(), came


def test_an_epoch_with_weights_has_each_position():
    table = swaplist.read(SAMPLE, columns=["position"]).to_polars()
    paths = []
    for number, rows in enumerate([100, 1000]):
        scores = pl.Series(np.arange(rows, dtype=np.int32) + 10_000 * number)
        paths.append(table[:rows].with_columns(score=scores, result=pl.lit(0, pl.Int8)))
    options = {"filter": None, "weights": [1, 2], "seed": 4}
    batches = swaplist.batches(paths, **options)
    epochs = [column(batches) for _ in range(2)]
    for came in epochs:
        of_large = came[came >= 10_000]
        assert np.array_equal(np.sort(of_large), np.arange(1000) + 10_000)
        # The small one came five times, each time as a whole and in another order.
        of_small = np.bincount(came[came < 10_000])
        assert of_small.tolist() == [5] * 100
    assert not np.array_equal(*epochs)
    endless = swaplist.batches(paths, endless=True, batch_size=1500, **options)
    given = iter(endless)
    assert np.array_equal(next(given)["score"], epochs[0])
    assert np.array_equal(next(given)["score"], epochs[1])
    batches.set_epoch(1)
    assert np.array_equal(column(batches), epochs[1])
    # A file of which nothing is kept is passed over.
    rules = {"preset": "none", "max_score": 5000}
    came = column(swaplist.batches(paths, **{**options, "filter": rules}))
    assert np.array_equal(np.sort(came), np.arange(100))


@pytest.mark.parametrize("weights", [None, [1, 2, 3, 4]])
@pytest.mark.parametrize("shuffle", [0, 5000])
def test_the_order_is_the_same_for_any_number_of_workers(files, weights, shuffle):
    options = {
        "features": "packed",
        "filter": {"preset": "quiet", "keep_fraction": 0.8},
        "skipping": {"random_fen_skipping": 1, "pc_y1": 1.0},
        "shuffle": shuffle,
        "weights": weights,
    }
    expected = None
    for workers in (0, 1, 2, 5):
        batches = swaplist.batches(files, workers=workers, **options)
        came = b"".join(batch["positions"].tobytes() for batch in itertools.islice(batches, 12))
        expected = expected or came
        assert came == expected, workers


def test_each_epoch_has_an_order_of_its_own(files):
    batches = swaplist.batches(files, features="packed", shuffle=1 << 14, seed=3)
    epochs = [list(batches) for _ in range(3)]
    orders = [column(epoch).tolist() for epoch in epochs]
    assert orders[0] != orders[1] != orders[2] != orders[0]
    whole = positions(epochs[0])
    assert whole == positions(epochs[1]) == positions(epochs[2])
    assert whole == positions(swaplist.batches(files, features="packed", shuffle=0))
    batches.set_epoch(1)
    assert column(batches).tolist() == orders[1]
    assert column(batches).tolist() == orders[2]
    # Endless ones are the same epochs, each whole before the next one begins.
    endless = swaplist.batches(files, features="packed", shuffle=1 << 14, seed=3, endless=True)
    scores = (score for batch in endless for score in batch["score"].tolist())
    for order in orders:
        assert list(itertools.islice(scores, len(order))) == order
    with pytest.raises(ValueError, match="^epoch: expected a whole number"):
        batches.set_epoch(-1)


def test_a_long_window_has_exact_epochs_too(files):
    options = {"features": "packed", "shuffle": True, "endless": True, "batch_size": 1000}
    whole = positions(swaplist.batches(files, features="packed", shuffle=0))
    endless = iter(swaplist.batches(files, workers=2, **options))
    rows = (
        (position.tobytes(), score, ply)
        for batch in endless
        for position, score, ply in zip(
            batch["positions"], batch["score"], batch["ply"], strict=True
        )
    )
    for _ in range(2):
        assert collections.Counter(itertools.islice(rows, whole.total())) == whole


def test_random_rules_draw_anew_in_each_epoch():
    rules = {"preset": "none", "keep_fraction": 0.25, "seed": 5}
    batches = swaplist.batches(SAMPLE, filter=rules, features="packed")
    epochs = [positions(batches) for _ in range(12)]
    whole = positions(swaplist.batches(SAMPLE, filter=None, features="packed"))
    seen = sum(epochs, collections.Counter())
    # All but one in thirty of them were there.
    assert len(seen) > 0.95 * len(whole) and epochs[0] != epochs[1]
    assert all(abs(epoch.total() / whole.total() - 0.25) < 0.02 for epoch in epochs)
    batches.set_epoch(1)
    assert positions(batches) == epochs[1]
    with pytest.raises(TypeError, match="not known before"):
        len(batches)


def test_the_first_epoch_draws_as_filter(tmp_path):
    rules = {"preset": "none", "keep_fraction": 0.25, "seed": 5}
    kept = tmp_path / "x.binpack"
    summary = swaplist.filter(SAMPLE, kept, **rules)
    came = positions(swaplist.batches(SAMPLE, filter=rules, features="packed"))
    assert came == positions(swaplist.batches(kept, filter=None, features="packed"))
    assert came.total() == summary["kept"] > 0


@pytest.mark.parametrize("workers", [0, 2, 3])
@pytest.mark.parametrize(
    ("shuffle", "weights"),
    [(0, None), (5000, None), (True, None), (0, [8, 1, 1, 3]), (5000, [8, 1, 1, 3])],
)
def test_a_state_goes_on_at_the_next_batch(files, workers, shuffle, weights):
    options = {
        "weights": weights,
        "features": "packed",
        "filter": {"preset": "quiet", "keep_fraction": 0.8},
        "skipping": {"random_fen_skipping": 1, "pc_y1": 1.0},
        "shuffle": shuffle,
        "workers": workers,
        "batch_size": 777,
        "seed": 9,
        "endless": True,
    }
    batches = swaplist.batches(files, **options)
    # Some epochs.
    given = iter(batches)
    whole, states, counts = [], [batches.state_dict()], []
    for _ in range(150):
        whole.append(next(given))
        states.append(json.loads(json.dumps(batches.state_dict())))
        counts.append(batches.counts)
    assert weights or states[-1]["within"]["stream"]["epoch"] > 0
    for place in (0, 1, 2, 17, 40, 76, 111, 149):
        # The number of workers may be another one.
        again = swaplist.batches(files, **{**options, "workers": 3 - workers})
        again.load_state_dict(states[place])
        again = pickle.loads(pickle.dumps(again))
        rest = whole[place : place + 30]
        for expected, batch in zip(rest, again, strict=False):
            assert batch.keys() == expected.keys()
            for name, array in batch.items():
                assert array.tobytes() == expected[name].tobytes(), (place, name)
        assert again.counts == counts[place + len(rest) - 1]


@pytest.mark.parametrize("workers", [0, 2])
def test_a_state_at_the_end_of_an_epoch(files, workers):
    options = {"shuffle": 3000, "workers": workers, "batch_size": 5000}
    batches = swaplist.batches(files, **options)
    one, two = list(batches), list(batches)
    again = swaplist.batches(files, **options)
    came = []
    for batch in again:
        came.append(batch)
        if len(came) == len(one) - 1:
            break
    state = pickle.loads(pickle.dumps(again.state_dict()))
    again = swaplist.batches(files, **options)
    again.load_state_dict(state)
    last = list(again)
    assert len(last) == 1 and np.array_equal(last[0]["score"], one[-1]["score"])
    assert again.counts == {**batches.counts}
    # The epoch is over, so the next one begins.
    state = again.state_dict()
    again = swaplist.batches(files, **options)
    again.load_state_dict(state)
    assert np.array_equal(column(again), column(two))
    # Before the first batch.
    again.load_state_dict(swaplist.batches(files, **options).state_dict())
    assert np.array_equal(column(again), column(one))


def test_going_on_decodes_no_more_than_a_window_holds(tmp_path):
    path = tmp_path / "x.binpack"
    path.write_bytes(SAMPLE.read_bytes() * 100)
    batches = swaplist.batches(path, shuffle=20_000, batch_size=1000)
    given = iter(batches)
    for _ in range(700):
        next(given)
    within = batches.state_dict()["within"]["stream"]["within"]
    assert within["window"]["arrived"] >= 700_000
    assert within["checkpoint"]["arrived"] >= 700_000 - 2 * 20_000 - (1 << 17)


def test_states_of_others_are_refused(files):
    state = swaplist.batches(files, seed=1).state_dict()
    with pytest.raises(ValueError, match="taken with seed=1, not 2"):
        swaplist.batches(files, seed=2).load_state_dict(state)
    with pytest.raises(ValueError, match="taken with files=4, not 3"):
        swaplist.batches(files[1:], seed=1).load_state_dict(state)
    with pytest.raises(ValueError, match="expected what state_dict"):
        swaplist.batches(files).load_state_dict({})
    batches = swaplist.batches(files, seed=1)
    next(iter(batches))
    state = batches.state_dict()
    others = [files[1], files[1], *files[2:]]
    batches = swaplist.batches(others, seed=1)
    batches.load_state_dict(state)
    with pytest.raises(ValueError, match="has .* bytes, not as many as when the state was taken"):
        next(iter(batches))
    for version in ({**state, "version": 1}, {"version": 3}):
        with pytest.raises(ValueError, match="expected what state_dict"):
            batches.load_state_dict(version)


def test_a_state_knows_its_files_by_content(tmp_path):
    path = tmp_path / "x.plain"
    swaplist.convert(SAMPLE, path)
    records = path.read_bytes().split(b"e\n")[:-1]
    batches = swaplist.batches(path)
    given = iter(batches)
    next(given)
    state = batches.state_dict()
    # Two records that are exchanged, in a file of the same length.
    swapped = [records[1], records[0], *records[2:]]
    path.write_bytes(b"".join(record + b"e\n" for record in swapped))
    batches.load_state_dict(state)
    with pytest.raises(ValueError, match="x.plain holds other data than when the state was taken"):
        next(iter(batches))
    # The same data in another place and at another time.
    elsewhere = tmp_path / "y.plain"
    elsewhere.write_bytes(b"".join(record + b"e\n" for record in records))
    batches = swaplist.batches(elsewhere)
    batches.load_state_dict(state)
    assert list(batches) == []
    # Of a long file the ends and some blocks are looked at.
    for at in (0, 10 << 20, -1):
        long = tmp_path / "long.data"
        with pytest.warns(UserWarning):
            swaplist.convert(SAMPLE, long, overwrite=True)
        data = bytearray(long.read_bytes()) * 60
        long.write_bytes(data)
        batches = swaplist.batches(long, filter=None, format="bulletformat")
        next(iter(batches))
        state = batches.state_dict()
        last = len(data) - (1 << 16)
        block = last + -(-last // 15) * -7
        data[block if at > 0 else at] ^= 1
        long.write_bytes(data)
        batches.load_state_dict(state)
        with pytest.raises(ValueError, match="long.data holds other data"):
            next(iter(batches))


def test_no_state_of_a_file_that_was_changed_meanwhile(tmp_path):
    path = tmp_path / "x.binpack"
    path.write_bytes(SAMPLE.read_bytes())
    batches = swaplist.batches(path)
    given = iter(batches)
    next(given)
    path.write_bytes(SAMPLE.read_bytes() * 2)
    with pytest.raises(ValueError, match="x.binpack was changed while it was read"):
        batches.state_dict()


@pytest.mark.parametrize("workers", [0, 2])
def test_shards_are_balanced(files, workers):
    for paths, shards in [(SAMPLE, 7), (files, 5)]:
        options = {"features": "packed", "workers": workers}
        parts = [
            positions(swaplist.batches(paths, filter=None, shard=(i, shards), **options))
            for i in range(shards)
        ]
        whole = positions(swaplist.batches(paths, filter=None, features="packed"))
        assert sum(parts, collections.Counter()) == whole
        sizes = [part.total() for part in parts]
        # Bytes are shared, and a compressed or chained record is longer than another.
        assert max(sizes) < 1.05 * min(sizes), sizes


@pytest.mark.parametrize(("count", "records", "shards"), [(400, 1, 4), (300, 5, 8), (200, 20, 8)])
def test_shards_of_many_small_files_are_balanced(files, tmp_path, count, records, shards):
    data = files[0].read_bytes()
    size = 32 * records
    small = [tmp_path / f"{number}.data" for number in range(count)]
    for number, path in enumerate(small):
        path.write_bytes(data[size * number : size * (number + 1)])
    options = {"filter": None, "features": "packed", "format": "bulletformat"}
    parts = [
        positions(swaplist.batches(small, shard=(i, shards), **options)) for i in range(shards)
    ]
    sizes = [part.total() for part in parts]
    assert sum(sizes) == count * records
    assert max(sizes) - min(sizes) < 12, sizes


def test_the_length_where_it_is_known(files):
    batches = swaplist.batches(files[0], filter=None, batch_size=1000)
    assert len(batches) == 12 and repr(batches).startswith("<swaplist.Batches of a.data: ")
    assert len(list(batches)) == 12
    parts = [
        swaplist.batches(files[0], filter=None, batch_size=1, shard=(i, 3), workers=2)
        for i in range(3)
    ]
    lengths = [len(part) for part in parts]
    assert sum(lengths) == 11344 and max(lengths) - min(lengths) < 20
    assert [sum(1 for _ in part) for part in parts] == lengths
    quiet = swaplist.batches(files, batch_size=1000)
    with pytest.raises(TypeError, match="not known before an epoch was read"):
        len(quiet)
    assert len(list(quiet)) == len(quiet) == -(-quiet.counts["kept"] // 1000)
    with pytest.raises(TypeError, match="endless"):
        len(swaplist.batches(files[0], filter=None, endless=True))


def test_more_files_than_lanes(tmp_path):
    table = swaplist.read(SAMPLE).to_polars()
    paths = []
    for i in range(100):
        paths.append(tmp_path / f"{i}.plain")
        swaplist.write(table[i * 100 : (i + 1) * 100], paths[-1])
    batches = swaplist.batches(paths, filter=None, features="packed")
    whole = positions(batches)
    assert whole == positions(swaplist.batches(paths, filter=None, features="packed", shuffle=0))
    parts = [
        swaplist.batches(paths, filter=None, features="packed", shard=(i, 3)) for i in range(3)
    ]
    assert sum(map(positions, parts), collections.Counter()) == whole


def test_turn_move_and_hash():
    names = ["turn", "move", "fen", "position", "score"]
    table = swaplist.read(SAMPLE, columns=names).to_polars()
    columns = ["hash", "turn", "move"]
    (batch,) = swaplist.batches(
        SAMPLE, filter=None, shuffle=0, batch_size=1 << 20, columns=columns, features="packed"
    )
    assert list(batch) == ["positions", *columns]
    assert batch["turn"].tolist() == table["turn"].to_list()
    hashes = [xxhash.xxh3_64_intdigest(position) for position in table["position"]]
    assert batch["hash"].dtype == np.uint64 and batch["hash"].tolist() == hashes

    def number(text):
        move = chess.Move.from_uci(text)
        return move.from_square + 64 * move.to_square + 4096 * (move.promotion or 0)

    moves = table["move"].to_list()
    assert batch["move"].tolist() == [number(text) for text in moves]
    assert {"e1g1", "e8g8"} & set(moves) and any(len(text) == 5 for text in moves)


def half_ka(board: chess.Board, side: bool) -> list[int]:
    """nnue-pytorch's HalfKAv2_hm.

    The board is turned so that the own side is below and its king on files e to h. The king has 32
    squares, e1 = 31 to h8 = 0; the pieces are own pawn, other pawn, own knight and so on.
    """
    king = board.king(side)

    def turned(square):
        if side == chess.BLACK:
            square = chess.square_mirror(square)
        if chess.square_file(king) < 4:
            square = chess.square(7 - chess.square_file(square), chess.square_rank(square))
        return square

    at = turned(king)
    bucket = (7 - chess.square_rank(at)) * 4 + 7 - chess.square_file(at)
    return sorted(
        768 * bucket + 64 * (2 * (piece.piece_type - 1) + (piece.color != side)) + turned(square)
        for square, piece in board.piece_map().items()
    )


def bucketed(board: chess.Board, side: bool, buckets: list[int]) -> list[int]:
    """bullet's ChessBuckets for 64 buckets, ChessBucketsMirrored for 32."""
    own = [square if side else chess.square_mirror(square) for square in chess.SQUARES]
    king, flip = own[board.king(side)], 0
    if len(buckets) == 32:
        file = chess.square_file(king)
        bucket = buckets[chess.square_rank(king) * 4 + min(file, 7 - file)]
        flip = 7 if file > 3 else 0
    else:
        bucket = buckets[king]
    return sorted(
        768 * bucket + 384 * (piece.color != side) + 64 * (piece.piece_type - 1) + (own[at] ^ flip)
        for at, piece in board.piece_map().items()
    )


@pytest.mark.parametrize("kind", ["HalfKAv2_hm", "32", "64"])
def test_features_are_the_trainers(kind):
    fens = swaplist.read(SAMPLE, columns=["fen"]).to_polars()["fen"][::7].to_list()
    table = pl.DataFrame({"fen": fens}).with_columns(score=pl.lit(0), result=pl.lit(0))
    options = {"filter": None, "shuffle": 0, "batch_size": 1 << 20}
    if kind == "HalfKAv2_hm":
        expected = half_ka
        options["features"] = kind
    else:
        buckets = np.random.default_rng(1).integers(0, 9, int(kind)).tolist()
        options["king_buckets"] = buckets

        def expected(board, side):
            return bucketed(board, side, buckets)

    (batch,) = swaplist.batches(table, **options)
    ends = [*batch["offsets"][1:], len(batch["us"])]
    kings = set()
    for i, fen in enumerate(fens):
        board = chess.Board(fen)
        bag = slice(batch["offsets"][i], ends[i])
        assert sorted(batch["us"][bag].tolist()) == expected(board, board.turn)
        assert sorted(batch["them"][bag].tolist()) == expected(board, not board.turn)
        kings.add((board.turn, chess.square_file(board.king(board.turn)) < 4))
    assert len(kings) == 4


def test_output_buckets():
    for buckets, expected in [
        ("nnue-pytorch", lambda pieces: (pieces - 1) // 4),
        (8, lambda pieces: (pieces - 2) // 4),
        (5, lambda pieces: (pieces - 2) // 7),
        (list(range(33)), lambda pieces: pieces),
    ]:
        for batch in swaplist.batches(SAMPLE, buckets=buckets):
            assert batch["bucket"].tolist() == expected(batch["pieces"].astype(int)).tolist()


def test_tables_are_inputs(tmp_path):
    import duckdb
    import pyarrow as pa

    table = swaplist.read(SAMPLE).to_polars()
    frame = table.with_columns(other=pl.lit("x"))
    frame.write_parquet(tmp_path / "x.parquet")
    frame.write_ipc(tmp_path / "x.arrow", compression="uncompressed")
    connection = duckdb.connect()
    connection.register("frame", frame.to_arrow())
    whole = positions(swaplist.batches(SAMPLE, features="packed"))
    packed = swaplist.read(SAMPLE, columns=["position", "score", "result", "ply"]).to_polars()
    # Without the played moves, no zero is taken for a placeholder.
    every_zero = {"preset": "quiet", "keep_placeholders": True}
    expected = positions(swaplist.batches(SAMPLE, features="packed", filter=every_zero))
    assert expected > whole and positions(swaplist.batches(packed, features="packed")) == expected
    for given in [
        tmp_path / "x.parquet",
        str(tmp_path / "x.arrow"),
        table,
        table.lazy(),
        table.to_arrow(),
        pa.table(table.to_arrow()),
        connection.sql("select * from frame"),
        connection.sql(f"from '{tmp_path}/x.parquet'"),
    ]:
        batches = swaplist.batches(given, features="packed")
        assert positions(batches) == whole, type(given)
        assert positions(batches) == whole  # again
    mixed = swaplist.batches([SAMPLE, table, tmp_path / "x.parquet"], features="packed", workers=2)
    assert positions(mixed) == whole + whole + whole and "3 files" in repr(mixed)
    first = next(iter(mixed))
    mixed.load_state_dict(mixed.state_dict())
    assert positions([first]) + positions(mixed) == whole + whole + whole
    # Moves come along.
    rules = {"preset": "played-calm"}
    kept = positions(swaplist.batches(SAMPLE, features="packed", filter=rules))
    assert positions(swaplist.batches(table, features="packed", filter=rules)) == kept
    with pytest.raises(ValueError, match="no column 'result', which training needs"):
        swaplist.batches(table.drop("result"))
    bad = pl.DataFrame({"fen": ["8/8", table["fen"][0]], "score": [1, 2], "result": [0, 0]})
    with pytest.raises(ValueError, match="table, row 0: "):
        swaplist.batches(bad)
    batches = swaplist.batches(bad, errors="skip", filter=None)
    assert column(batches).tolist() == [2] and batches.counts["invalid"] == 1
    with pytest.raises(ValueError, match="2 \\* r - 1"):
        swaplist.batches(table.with_columns(result=pl.lit(0.5)))
    with pytest.raises(TypeError, match="expected files or tables, not 3"):
        swaplist.batches([SAMPLE, 3])


# Without polars, whose threads a fork does not copy.
TABLE = """
import gc, os, sys, tempfile
import pyarrow as pa
import swaplist

fen = "4k3/8/8/8/8/8/8/4K2R w - - 0 1"
table = pa.table({"fen": [fen] * 3, "score": [1, 2, 3], "result": [0, 0, 0]})
batches = swaplist.batches(table, filter=None)

def read():
    return sum(len(batch["score"]) for batch in batches)

def folders():
    return os.listdir(tempfile.gettempdir())

assert len(folders()) == 1
"""


@pytest.mark.parametrize(
    "code",
    [
        "import swaplist; swaplist.batches(sys.argv[1])",
        "import swaplist, tempfile; tempfile.tempdir = '/nonexist'; swaplist.batches(sys.argv[1])",
        TABLE + "assert read() == 3; del batches; gc.collect(); assert not folders()",
        TABLE + "given = iter(batches); del batches; gc.collect(); assert len(list(given)) == 1",
        TABLE + "assert read() == 3",
        TABLE + "sys.exit(0)",
        pytest.param(
            TABLE
            + """
if not (child := os.fork()):
    del batches
    gc.collect()
    sys.exit(0)
assert os.waitpid(child, 0)[1] == 0
assert len(folders()) == 1 and read() == 3
""",
            marks=pytest.mark.skipif(not hasattr(os, "fork"), reason="has no fork"),
            id="fork",
        ),
    ],
)
def test_rows_are_removed_without_a_warning(tmp_path, code):
    run = subprocess.run(
        [sys.executable, "-X", "dev", "-W", "error::ResourceWarning", "-c", "import sys\n" + code]
        + [str(SAMPLE)],
        env={**os.environ, "TMPDIR": str(tmp_path), "TEMP": str(tmp_path), "TMP": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert (run.returncode, run.stderr) == (0, "")
    assert list(tmp_path.iterdir()) == []


def test_a_pickled_table_leaves_the_rows_where_they_are():
    table = swaplist.read(SAMPLE).to_polars()[:10]
    batches = swaplist.batches(table, filter=None)
    again = pickle.loads(pickle.dumps(batches))
    assert len(column(again)) == 10
    del again
    gc.collect()
    assert len(column(batches)) == 10


def test_rows_are_named_by_their_numbers():
    table = swaplist.read(SAMPLE, columns=["fen", "score", "result", "ply", "move"]).to_polars()
    table = table[:5].with_columns(
        ply=pl.Series([40, 40, 40, None, 40], dtype=pl.UInt32),
        move=pl.Series([*table["move"][:2], None, *table["move"][3:5]]),
    )
    for options, message in [
        ({"skipping": {"early_fen_skipping": 1}}, "^table, .* needs the ply, which row 3 lacks$"),
        ({"skipping": {"filtered": True}}, "^table, filtered needs the move, which row 2 lacks$"),
        ({"filter": "played-calm"}, "^table, row 2: the filter asks for the played move, "),
    ]:
        options = {"filter": None, "shuffle": 0, **options}
        with pytest.raises(ValueError, match=message):
            list(swaplist.batches(table, **options))


def chance_of_result(score: int, ply: int, result: int) -> float:
    """nnue-pytorch's: a logistic of the score whose place and width depend on the ply."""
    phase = min(240, ply) / 64
    place = np.polyval([-3.68389304, 30.07065921, -60.52878723, 149.53378557], phase)
    width = 1.5 * np.polyval([-2.0181857, 15.85685038, -29.83452023, 47.59078827], phase)
    x = np.clip(100 * score / 208, -2000, 2000)
    won = 1 / (1 + np.exp((place - x) / width))
    lost = 1 / (1 + np.exp((place + x) / width))
    return {1: won, -1: lost, 0: 1 - won - lost}[result]


def are_decided_zeros(scores, results, plies):
    """Which scores nnue-pytorch's loader takes for placeholders."""
    found = []
    last_ply = last_score = None
    for score, result, ply in zip(scores, results, plies, strict=True):
        if last_ply is None or ply <= last_ply:
            last_score = None
        last_ply = ply
        is_far = last_score is not None and abs(last_score) > 100
        found.append(is_far and result != 0 and score == 0)
        if not found[-1] and abs(score) != 32002:
            last_score = score
    return found


def test_nnue_pytorch_s_zeros_in_decided_games(tmp_path):
    moves = ["e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "g8f6", "d2d3", "f8c5"]
    scores = [0, 101, 0, 32002, 0, 100, 0, -101]
    board = chess.Board()
    text = ""
    for result in (1, 0, -1):
        for ply, (move, score) in enumerate(zip(moves, scores, strict=True)):
            view = result if board.turn else -result
            text += f"fen {board.fen()}\nmove {move}\nscore {score}\nply {ply}\nresult {view}\ne\n"
            board.push_uci(move)
        board = chess.Board()
    plain = tmp_path / "games.plain"
    plain.write_text(text)
    path = tmp_path / "games.binpack"
    swaplist.convert(plain, path)

    def kept(**skipping):
        batches = swaplist.batches(path, filter=None, skipping=skipping, shuffle=0)
        came = column(batches).tolist()
        assert batches.counts["unscored"] == 3
        assert batches.counts["skipped"] == 21 - len(came)
        assert batches.counts["records"] == 24
        return came

    # The zeros after 101 in the games that were won, and the one after the record without a score.
    won = [0, 101, 100, 0, -101]
    drawn = [0, 101, 0, 0, 100, 0, -101]
    assert kept(early_fen_skipping=-1) == 3 * drawn
    everything = {"pc_y0": 1.0, "pc_y1": 1.0, "pc_y2": 1.0, "pc_y3": 1.0, "pc_y4": 1.0}
    for option in [{"simple_eval_skipping": 0, "early_fen_skipping": 0}, {"early_fen_skipping": 0}]:
        assert kept(**option) == won[1:] + drawn[1:] + won[1:]
    assert len(kept(**everything)) <= len(2 * won + drawn)
    # Shares of a block know the records before theirs.
    shards = [
        column(
            swaplist.batches(
                path, filter=None, skipping={"early_fen_skipping": 0}, shard=(rank, 2), shuffle=0
            )
        ).tolist()
        for rank in (0, 1)
    ]
    assert sorted(shards[0] + shards[1]) == sorted(won[1:] + drawn[1:] + won[1:])
    # The same by the preset of a filter.
    quiet = tmp_path / "quiet.binpack"
    summary = swaplist.filter(path, quiet, preset="none", drop_decided_zeros=True)
    assert summary["dropped"]["decided_zero"] == 4


def test_rows_of_a_table_are_in_no_game():
    start = chess.Board().fen()
    table = pl.DataFrame({"fen": [start] * 3, "score": [500, 0, 0], "result": [1, 1, 1]})
    for options in [
        {"filter": {"preset": "none", "drop_decided_zeros": True}},
        {"filter": None, "skipping": {"early_fen_skipping": -1}},
    ]:
        batches = swaplist.batches(table, shuffle=0, **options)
        assert column(batches).tolist() == [500, 0, 0], options


def test_nnue_pytorch_s_skips():
    table = swaplist.read(SAMPLE, columns=["fen", "move", "score", "result", "turn", "ply"])
    table = table.to_polars()
    zeros = are_decided_zeros(table["score"], table["result"], table["ply"])
    assert sum(zeros) == 1
    used = [i for i, is_zero in enumerate(zeros) if not is_zero]

    def kept(**skipping):
        batches = swaplist.batches(SAMPLE, filter=None, skipping=skipping, shuffle=0)
        came = list(batches)
        counts = batches.counts
        assert counts["records"] == counts["kept"] + counts["skipped"] == 11344
        assert counts["kept"] == sum(len(batch["score"]) for batch in came)
        return came

    assert len(column(kept())) == 11344
    assert abs(len(column(kept(random_fen_skipping=3))) / 11344 - 0.25) < 0.02
    early = column(kept(early_fen_skipping=28), "ply")
    assert early.tolist() == [ply for ply in table["ply"][used] if ply > 28]
    boards = [chess.Board(fen) for fen in table["fen"]]
    moves = [chess.Move.from_uci(move) for move in table["move"]]
    pairs = list(zip(boards, moves, strict=True))

    def is_tactical(board, move):
        taken = board.piece_at(move.to_square)
        return board.is_check() or (taken is not None and taken.color != board.turn)

    calm = [i for i in used if not is_tactical(*pairs[i])]
    assert column(kept(filtered=True)).tolist() == table["score"][calm].to_list()
    values = {1: 208, 2: 781, 3: 825, 4: 1276, 5: 2538, 6: 0}

    def material(board):
        sides = (
            (1 if piece.color else -1) * values[piece.piece_type]
            for piece in board.piece_map().values()
        )
        return abs(sum(sides))

    wide = [i for i in used if material(boards[i]) >= 500]
    assert column(kept(simple_eval_skipping=500)).tolist() == table["score"][wide].to_list()
    rows = zip(table["score"], table["ply"], table["result"] * table["turn"], strict=True)
    expected = sum(chance_of_result(*row) for row in rows)
    assert abs(len(column(kept(wld_filtered=True))) - expected) < 3 * 11344**0.5 / 2
    points = [(0, 0.1), (6, 0.15), (10, 0.25), (18, 0.75), (40, 1.0)]
    chances = np.interp(np.arange(40), *zip(*points, strict=True))
    expected = sum(chances[ply] if ply < 40 else 1 for ply in table["ply"])
    soft = column(kept(soft_early_fen_skipping=40), "ply")
    late = (table["ply"][used] >= 40).sum()
    assert abs(len(soft) - expected) < 100 and (soft >= 40).sum() == late
    all_of_them = swaplist.batches(SAMPLE, filter=None, skipping="nnue-pytorch")
    assert 0 < len(column(all_of_them)) < 2000
    other = swaplist.batches(SAMPLE, skipping={"random_fen_skipping": 3}, seed=1)
    assert column(other).tolist() != column(other).tolist()  # another epoch


def test_the_curve_of_pieces(tmp_path):
    path = tmp_path / "x.binpack"
    path.write_bytes(SAMPLE.read_bytes() * 30)
    before = column(swaplist.batches(path, filter=None), "pieces")
    curve = {"pc_y0": 1.0, "pc_y1": 1.0, "pc_y2": 1.0, "pc_y3": 1.0, "pc_y4": 1.0}
    after = column(swaplist.batches(path, filter=None, skipping=curve), "pieces")
    # Equal weights make frequencies more equal.
    many = np.bincount(before, minlength=33) > 1000
    one, two = (np.bincount(pieces, minlength=33)[many] for pieces in (before, after))
    assert one.max() / one.min() > 2 * two.max() / two.min() and len(after) > 0.01 * len(before)
    # Nothing is wanted of few pieces.
    late = {"pc_y0": 0.0, "pc_y1": 0.0, "pc_y2": 0.0, "pc_y3": 0.0, "pc_y4": 1.0}
    left = column(swaplist.batches(path, filter=None, skipping=late), "pieces")
    assert left.min() > 20 and len(left) > 0


def test_skips_need_what_the_file_holds(files):
    for option, lacking in [("filtered", "move"), ("wld_filtered", "ply")]:
        with pytest.raises(ValueError, match=f"a.data.*{option} needs the {lacking}"):
            list(swaplist.batches(files[0], filter=None, skipping={option: True}))


def test_files_that_change_are_found(tmp_path):
    path = tmp_path / "x.binpack"
    path.write_bytes(SAMPLE.read_bytes() * 3)
    batches = swaplist.batches(path, filter=None, batch_size=100, shuffle=0)
    assert len(column(batches)) == 3 * 11344
    path.write_bytes(SAMPLE.read_bytes() * 2)
    assert len(column(batches)) == 2 * 11344  # between epochs it may
    given = iter(swaplist.batches([path, path], filter=None, batch_size=100, shuffle=0))
    next(given)
    time.sleep(0.01)
    path.write_bytes(SAMPLE.read_bytes() * 4)
    with pytest.raises(ValueError, match="was changed while it was read"):
        list(given)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="has no pipes")
def test_a_pipe_is_refused(tmp_path):
    os.mkfifo(tmp_path / "x.binpack")
    import threading

    def write():
        with open(tmp_path / "x.binpack", "wb") as pipe:
            pipe.write(SAMPLE.read_bytes()[: 1 << 15])

    thread = threading.Thread(target=write, daemon=True)
    thread.start()
    with pytest.raises(ValueError, match="is not a regular file"):
        list(swaplist.batches(tmp_path / "x.binpack", format="binpack"))
