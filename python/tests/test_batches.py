"""Batches hold what the files hold, each position once."""

import collections
import os
import pickle
import sys
import time
import types

import chess
import numpy as np
import pytest
import swaplist
from conftest import FENS, SAMPLE, positions


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Files of several blocks."""
    folder = tmp_path_factory.mktemp("files")
    paths = [folder / "a.data", folder / "b.viriformat", folder / "c.binpack"]
    with pytest.warns(UserWarning):
        swaplist.convert(SAMPLE, paths[0])
    swaplist.convert(SAMPLE, paths[1])
    paths[1].write_bytes(paths[1].read_bytes() * 60)
    paths[2].write_bytes(SAMPLE.read_bytes())
    return paths


def features(board: chess.Board, side: bool) -> list[int]:
    """As documented."""
    found = []
    for square, piece in board.piece_map().items():
        seen = square if side == chess.WHITE else chess.square_mirror(square)
        found.append(384 * (piece.color != side) + 64 * (piece.piece_type - 1) + seen)
    return sorted(found)


def test_arrays_are_the_positions():
    table = swaplist.read(SAMPLE, columns=["fen", "score", "result", "turn", "ply", "position"])
    table = table.to_polars()
    options = {"filter": None, "shuffle": 0, "batch_size": 4000}
    batches = list(swaplist.batches(SAMPLE, **options))
    assert [len(batch["score"]) for batch in batches] == [4000, 4000, 3344]
    for name in ("score", "ply"):
        whole = np.concatenate([batch[name] for batch in batches])
        assert whole.tolist() == table[name].to_list()
        one = batches[0][name]
        assert np.shares_memory(np.from_dlpack(one), one)
    for name, column in (("planes", "planes"), ("packed", "positions")):
        others = list(swaplist.batches(SAMPLE, features=name, **options))
        whole = np.concatenate([batch[column] for batch in others])
        if name == "packed":
            assert whole.tobytes() == b"".join(table["position"])
        else:
            on = [np.flatnonzero(board) for board in whole]
            us = np.concatenate([batch["us"] for batch in batches])
            assert (
                np.concatenate(on).tolist()
                == np.concatenate(
                    [np.sort(part) for part in np.split(us, np.cumsum([len(o) for o in on])[:-1])]
                ).tolist()
            )
    batch = batches[1]
    batch["us"][0] += 0  # they may be written
    ends = [*batch["offsets"][1:], len(batch["us"])]
    for i in range(0, 4000, 10):
        board = chess.Board(table["fen"][4000 + i])
        bag = slice(batch["offsets"][i], ends[i])
        assert sorted(batch["us"][bag]) == features(board, board.turn)
        assert sorted(batch["them"][bag]) == features(board, not board.turn)
        assert batch["pieces"][i] == len(board.piece_map())


def test_results_are_the_side_to_moves(tmp_path):
    lines = "4k3/8/8/8/8/8/8/4K3 {} - - 0 9 | {} | {}\n"
    rows = [("w", 5, "1.0"), ("b", 5, "1.0"), ("b", -7, "0.0"), ("w", 3, "0.5")]
    path = tmp_path / "x.fen"
    path.write_text("".join(lines.format(*row) for row in rows) + "4k3/8/8/8/8/8/8/4K3 b - - 0 1\n")
    batches = swaplist.batches(path, shuffle=0)
    (batch,) = batches
    assert batch["result"].tolist() == [1, -1, 1, 0]
    assert batch["score"].tolist() == [5, -5, 7, 3]
    assert batches.counts == {
        "records": 5,
        "kept": 4,
        "filtered": 0,
        "unscored": 1,
        "without_result": 0,
        "skipped": 0,
        "invalid": 0,
    }


@pytest.mark.parametrize("workers", [0, 1, 3])
def test_each_position_is_in_one_shard_once(files, workers):
    options = {"features": "packed", "batch_size": 1000, "workers": workers}
    whole = positions(swaplist.batches(files, shuffle=0, features="packed"))
    parts = [
        positions(swaplist.batches(files, shard=(i, 3), shuffle=5000, seed=i, **options))
        for i in range(3)
    ]
    assert sum(parts, collections.Counter()) == whole
    assert all(parts) and whole.total() == 61 * 7880 + 7886  # boards have no moves
    kept = swaplist.batches(files, endless=True, shuffle=0, **options)
    rounds = iter(kept)
    twice = collections.Counter()
    while twice.total() < 2 * whole.total():
        rest = 2 * whole.total() - twice.total()
        batch = next(rounds)
        twice.update(positions([{name: array[:rest] for name, array in batch.items()}]))
    assert twice == whole + whole


def test_the_seed_makes_the_order(files):
    def scores(**options):
        return np.concatenate([batch["score"] for batch in swaplist.batches(files, **options)])

    one = scores(seed=1)
    assert np.array_equal(one, scores(seed=1)) and not np.array_equal(one, scores(seed=2))
    assert np.array_equal(np.sort(one), np.sort(scores(shuffle=0)))
    plies = np.concatenate([batch["ply"] for batch in swaplist.batches(SAMPLE, seed=3)])
    assert (np.diff(plies.astype(int)) < 0).mean() > 0.3  # games are torn apart


def test_the_window_is_filled_before_a_position_leaves(tmp_path):
    path = tmp_path / "one-block.data"
    with pytest.warns(UserWarning):
        swaplist.convert(SAMPLE, path)
    records = path.read_bytes()
    path.write_bytes(records[: 8000 * 32])

    def order(shuffle):
        batches = swaplist.batches(path, filter=None, features="packed", shuffle=shuffle)
        return [row.tobytes() for batch in batches for row in batch["positions"]]

    assert len(set(order(0))) > 7000 and len(records) > 8000 * 32
    places = {position: place for place, position in enumerate(order(0))}
    came = np.array([places[position] for position in order(2000)])
    # The first bag, of 16, has what came until the window was full, and nothing else.
    assert came[:100].max() < 2000 and came[:100].min() < 200
    waited = np.arange(len(came)) - came
    assert 500 < np.abs(waited).mean() < 2000 and np.abs(np.diff(came)).mean() > 500


def test_rules_and_marks_of_filter(tmp_path):
    rules = {"preset": "played-calm", "min_ply": 8, "max_see": 100, "values": "1,3,3,5,9"}
    summary = swaplist.filter(SAMPLE, tmp_path / "x.binpack", **rules)
    batches = swaplist.batches(SAMPLE, filter=rules)
    assert sum(len(batch["score"]) for batch in batches) == summary["kept"]
    marked = swaplist.batches(tmp_path / "x.binpack", filter=None)
    assert sum(len(batch["score"]) for batch in marked) == summary["kept"]
    assert marked.counts["unscored"] == summary["records"] - summary["kept"]


def test_workers_of_a_data_loader(monkeypatch):
    """As far as it can be told without torch, of which this has what is used.

    Torch itself is used by the tests below, where it is installed.
    """
    data = types.SimpleNamespace(get_worker_info=lambda: None, IterableDataset=object)
    tensors = {name: np.dtype(name) for name in ("int8", "uint8", "int32", "int64")}
    torch = types.SimpleNamespace(frombuffer=np.frombuffer, zeros=Shared.zeros, **tensors)
    for name, module in [("torch", torch), ("torch.utils", torch), ("torch.utils.data", data)]:
        monkeypatch.setitem(sys.modules, name, module)
    batches = swaplist.batches([SAMPLE, SAMPLE], features="packed", tensors="torch")
    whole = positions(batches)
    assert whole == positions(swaplist.batches([SAMPLE, SAMPLE], features="packed"))
    # What a DataLoader does with what is not an IterableDataset.
    with pytest.raises(TypeError, match=r"pass batches.dataset\(\) and batch_size=None"):
        batches[0]
    dataset = pickle.loads(pickle.dumps(batches.dataset()))
    assert isinstance(dataset, data.IterableDataset)
    parts = []
    for i in range(2):
        data.get_worker_info = lambda i=i: types.SimpleNamespace(id=i, num_workers=2)
        parts.append(positions(dataset))
    assert parts[0] + parts[1] == whole and all(parts)
    # In new processes the second epoch has another order: they share the epochs with the dataset.
    data.get_worker_info = lambda: types.SimpleNamespace(id=0, num_workers=1)
    made, (its, epochs) = batches.dataset().__reduce__()

    def order(copy):
        return [score for batch in copy for score in batch["score"].tolist()]

    one, two = (order(made(pickle.loads(pickle.dumps(its)), epochs)) for _ in range(2))
    assert one != two and sorted(one) == sorted(two)
    dataset = made(pickle.loads(pickle.dumps(its)), epochs)
    dataset.set_epoch(1)
    assert order(dataset) == one


class Shared(np.ndarray):
    """As a tensor in shared memory."""

    @staticmethod
    def zeros(length, dtype):
        return np.zeros(length, dtype).view(Shared)

    def share_memory_(self):
        return self

    def fill_(self, number):
        self[:] = number


def train(rank: int, ranks: int, paths: list, folder) -> None:
    """As one of several processes; what came to it goes into a file."""
    import torch

    torch.distributed.init_process_group(
        "gloo", init_method=f"file://{folder}/meet", rank=rank, world_size=ranks
    )
    options = {"features": "packed", "tensors": "torch", "shard": (rank, ranks)}
    dataset = swaplist.batches(paths, **options).dataset()
    loader = torch.utils.data.DataLoader(dataset, batch_size=None, num_workers=2)
    came = ({name: tensor.numpy() for name, tensor in batch.items()} for batch in loader)
    (folder / f"rank{rank}").write_bytes(pickle.dumps(positions(came)))
    torch.distributed.barrier()


def test_torch(files, tmp_path):
    """Not installed for the tests, as it needs 2 GB."""
    torch = pytest.importorskip("torch")
    torch.multiprocessing.spawn(train, (2, files, tmp_path), 2)
    came = [pickle.loads((tmp_path / f"rank{rank}").read_bytes()) for rank in range(2)]
    assert came[0] + came[1] == positions(swaplist.batches(files, features="packed")) and all(came)
    options = {"tensors": "torch", "shuffle": 0}
    one = next(iter(swaplist.batches(SAMPLE, **options)))
    two = next(iter(swaplist.batches(SAMPLE, features="planes", **options)))
    layer = torch.nn.EmbeddingBag(768, 8, mode="sum")
    dense = two["planes"].reshape(-1, 768).float() @ layer.weight
    assert torch.allclose(layer(one["us"], one["offsets"]), dense, atol=1e-5)


@pytest.mark.parametrize(("workers", "persistent"), [(0, False), (2, False), (2, True)])
def test_the_processes_of_torch(files, workers, persistent):
    torch = pytest.importorskip("torch")
    options = {"features": "packed", "tensors": "torch", "batch_size": 1000}
    whole = positions(swaplist.batches(files, features="packed"))

    def loader():
        dataset = swaplist.batches(files, **options).dataset()
        return torch.utils.data.DataLoader(
            dataset, batch_size=None, num_workers=workers, persistent_workers=persistent
        )

    def epoch(batches):
        return [{name: tensor.numpy() for name, tensor in batch.items()} for batch in batches]

    def order(batches):
        return [score for batch in batches for score in batch["score"].tolist()]

    given = loader()
    epochs = [epoch(given) for _ in range(3)]
    assert [positions(batches) for batches in epochs] == [whole] * 3
    orders = [order(batches) for batches in epochs]
    assert orders[0] != orders[1] != orders[2] != orders[0]
    given.dataset.set_epoch(1)
    assert order(epoch(given)) == orders[1]
    options["endless"] = True
    endless = iter(loader())
    assert len(epoch(next(endless) for _ in range(3 * len(epochs[0])))) == 3 * len(epochs[0])


@pytest.mark.filterwarnings("ignore:'set_vital' is deprecated")  # torchdata's own
@pytest.mark.parametrize("workers", [0, 2])
def test_the_states_of_torchdata(files, workers):
    stateful = pytest.importorskip("torchdata.stateful_dataloader")

    def loader():
        dataset = swaplist.batches(files, tensors="torch", batch_size=1000).dataset()
        return stateful.StatefulDataLoader(dataset, batch_size=None, num_workers=workers)

    def order(batches):
        return [score for batch in batches for score in batch["score"].tolist()]

    given, again = loader(), loader()
    batches = iter(given)
    for _ in range(7):
        next(batches)
    again.load_state_dict(pickle.loads(pickle.dumps(given.state_dict())))
    rest = order(batches)
    assert rest and order(again) == rest
    assert order(again) == order(given)  # the next epoch


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"features": "halfkp"}, ValueError, 'features: expected "768", "HalfKAv2_hm", "planes"'),
        (
            {"features": "planes", "king_buckets": [0] * 64},
            ValueError,
            "king_buckets: expected noth",
        ),
        ({"king_buckets": [0] * 63}, ValueError, "king_buckets: expected 64 or 32 numbers"),
        ({"king_buckets": ["a"]}, TypeError, "king_buckets: expected numbers"),
        (
            {"king_buckets": [-1] + [0] * 63},
            ValueError,
            "^king_buckets: expected 64 or 32 numbers from 0 to 1048575, .* not -1$",
        ),
        (
            {"king_buckets": [0] * 31 + [1 << 20]},
            ValueError,
            "^king_buckets: expected 64 or 32 numbers from 0 to 1048575, .* not 1048576$",
        ),
        ({"king_buckets": [1 << 80] * 64}, ValueError, "^king_buckets: .* from 0 to 1048575"),
        ({"king_buckets": [0] * 65}, ValueError, "^king_buckets: .*square, not 65 of them$"),
        ({"columns": ["elo"]}, ValueError, "columns: expected some of .*hash.*not .elo"),
        ({"buckets": 33}, ValueError, "buckets: expected a number from 1 to 32, not 33"),
        ({"buckets": [0]}, ValueError, "buckets: expected 33 numbers"),
        ({"weights": [1, 2]}, ValueError, "weights: expected one for each of 1 files, not 2"),
        ({"weights": [0]}, ValueError, "weights: expected numbers above 0"),
        ({"skipping": {"wdl_filtered": True}}, TypeError, "did you mean 'wld_filtered'"),
        ({"skipping": {"randm": 3}}, TypeError, "did you mean 'random_fen_skipping'"),
        (
            {"skipping": {"random_fen_skipping": 0.5}},
            TypeError,
            "random_fen_skipping: expected int",
        ),
        ({"skipping": {"filtered": 1}}, TypeError, "filtered: expected bool, not 1"),
        ({"skipping": {"pc_y1": float("nan")}}, ValueError, "pc_y1: expected a number, not NaN"),
        ({"skipping": "all"}, TypeError, "^skipping: expected a dict of options"),
        (
            {"batch_size": 0},
            ValueError,
            "^batch_size: expected a whole number from 1 to .*, not 0$",
        ),
        ({"shard": (2, 2)}, ValueError, r"shard: expected \(i, n\) with i below n"),
        ({"filter": "nope"}, ValueError, "preset: "),
        ({"filter": {"max_sea": 1}}, TypeError, "did you mean 'max_see'"),
        ({"tensors": "jax"}, ValueError, 'tensors: expected "numpy" or "torch"'),
        ({"format": "pdf"}, ValueError, "format: "),
        ({"workers": -1}, ValueError, "^workers: .*not -1"),
        ({"batch_size": -1}, ValueError, "^batch_size: .*not -1"),
        ({"batch_size": True}, TypeError, "^batch_size: .*not True"),
        ({"shuffle": -1}, ValueError, "^shuffle: .*not -1"),
        ({"shuffle": 0.5}, TypeError, "^shuffle: .*not 0.5"),
        ({"seed": -1}, ValueError, "^seed: .*not -1"),
        ({"shard": 3}, TypeError, r"^shard: expected \(i, n\) with i below n, not 3$"),
        ({"shard": (0, 1, 2)}, TypeError, "^shard: expected"),
        ({"shard": (-1, 2)}, ValueError, r"^shard: .*not \(-1, 2\)"),
        ({"filter": False}, TypeError, "^filter: expected the name of a preset.*not False"),
        ({"filter": ["quiet"]}, TypeError, "^filter: expected the name of a preset"),
    ],
)
def test_arguments_are_checked_at_once(options, error, message):
    with pytest.raises(error, match=message):
        swaplist.batches(SAMPLE, **options)


def test_paths_are_named():
    with pytest.raises(TypeError, match="^paths: expected a file or several, or tables, not 5"):
        swaplist.batches(5)


def test_shuffle_true_is_the_default_window():
    def order(**options):
        batches = swaplist.batches(SAMPLE, features="packed", **options)
        return [batch["positions"].tobytes() for batch in batches]

    assert order(shuffle=True) == order() != order(shuffle=1)
    assert order(shuffle=False) == order(shuffle=0) != order()


@pytest.mark.parametrize("workers", [0, 2])
def test_an_empty_shard_warns(workers, tmp_path):
    two = tmp_path / "two.fen"
    two.write_text(
        "4k3/8/8/8/8/8/8/4K3 w - - 0 9 | 1 | 0.5\n4k3/8/8/8/8/8/8/3K4 w - - 0 9 | 2 | 0.5\n"
    )
    parts = [[], [], [], []]
    with pytest.warns(UserWarning, match=r"no record: shard \(., 4\) has none: take fewer"):
        for i in range(4):
            for batch in swaplist.batches(two, shard=(i, 4), workers=workers):
                parts[i] += batch["score"].tolist()
    assert sorted(sum(parts, [])) == [1, 2]
    empty = parts.index([])
    with pytest.raises(ValueError, match="no record is in this shard: take fewer"):
        next(iter(swaplist.batches(two, shard=(empty, 4), workers=workers, endless=True)))
    path = tmp_path / "empty.binpack"
    path.write_bytes(b"")
    with pytest.warns(UserWarning, match="batches reads no record: its files are empty"):
        assert list(swaplist.batches(path, workers=workers, format="binpack")) == []


@pytest.mark.parametrize("workers", [0, 2])
def test_errors_while_reading(workers, tmp_path, monkeypatch):
    with pytest.raises(ValueError, match="there are no files"):
        swaplist.batches([])
    with pytest.raises(FileNotFoundError, match="nope.binpack"):
        list(swaplist.batches(tmp_path / "nope.binpack", workers=workers))
    broken = tmp_path / "broken.binpack"
    broken.write_bytes(SAMPLE.read_bytes()[:-5])
    with pytest.raises(ValueError, match='broken.binpack, byte .*errors="skip"'):
        list(swaplist.batches(broken, workers=workers))
    batches = swaplist.batches(broken, errors="skip", workers=workers)
    assert sum(len(batch["score"]) for batch in batches) > 3000
    assert batches.counts["invalid"] == 1
    # FENs have no scores.
    with pytest.raises(ValueError, match="no position of this shard is left"):
        next(iter(swaplist.batches(FENS, endless=True, workers=workers)))
    with pytest.warns(UserWarning, match="keeps none of 5000 records: 5000 unscored"):
        assert list(swaplist.batches(FENS, workers=workers)) == []
    monkeypatch.setitem(sys.modules, "numpy", None)
    with pytest.raises(ModuleNotFoundError, match="batches needs numpy"):
        swaplist.batches(FENS)


@pytest.mark.skipif(not os.path.exists("/proc/self/task"), reason="counts threads")
def test_an_iterator_may_be_left_early(files):
    before = len(os.listdir("/proc/self/task"))
    for _ in range(20):
        batches = iter(swaplist.batches(files, workers=2, endless=True, shuffle=1000))
        assert len(next(batches)["score"]) == 16384
        del batches
    deadline = time.monotonic() + 10
    while len(os.listdir("/proc/self/task")) > before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert len(os.listdir("/proc/self/task")) <= before
