"""What the tests share."""

import collections
import os
import pathlib
import random
import time

import chess
import pytest
import swaplist
from hypothesis import strategies

ROOT = pathlib.Path(__file__).resolve().parents[2]
os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
# A machine under load takes longer to start Ray than Ray waits.
os.environ.setdefault("RAY_gcs_server_port_wait_time_s", "120")
SAMPLE = ROOT / "data" / "sample.binpack"
FENS = ROOT / "data" / "sample.fen"


def gpu() -> str:
    """The backend under test: the GPU that `GPU_TESTS` names, or the best, also a software one."""
    return "gpu:" + (os.environ.get("GPU_TESTS") or swaplist.devices()[0]["name"])


def random_board(seed: int, plies: int) -> chess.Board:
    """A position of a game of random moves, captures more often than not."""
    choice, board = random.Random(seed), chess.Board()
    for _ in range(plies):
        moves = list(board.legal_moves)
        if not moves:
            break
        captures = [move for move in moves if board.is_capture(move) or move.promotion]
        board.push(choice.choice(captures if captures and choice.random() < 0.5 else moves))
    return board


def positions(batches) -> collections.Counter:
    """How often each position is in batches, with its score and ply."""
    found = collections.Counter()
    for batch in batches:
        rows = zip(batch["positions"], batch["score"], batch["ply"], strict=True)
        found.update((position.tobytes(), score, ply) for position, score, ply in rows)
    return found


boards = strategies.builds(random_board, strategies.integers(0, 2**32), strategies.integers(0, 150))


@pytest.fixture(scope="session")
def fens() -> list[str]:
    """Real positions."""
    return FENS.read_text().splitlines()


NODE = {"num_cpus": 1, "num_gpus": 1, "object_store_memory": 100 << 20}


@pytest.fixture(scope="session")
def two_nodes():
    """A Ray cluster of two nodes on this machine."""
    ray = pytest.importorskip("ray")
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args=NODE)
    made.second = None
    try:
        ray.init(address=made.address, logging_level="error", log_to_driver=False)
        yield made
    finally:
        ray.shutdown()
        made.shutdown()


def pytest_collection_modifyitems(items) -> None:
    """Tests of a cluster run in one process, so that there is one cluster."""
    for item in items:
        if "cluster" in item.fixturenames:
            item.add_marker(pytest.mark.xdist_group("cluster"))


@pytest.fixture
def cluster(two_nodes):
    """The same, with both nodes there."""
    import ray

    if two_nodes.second is None:
        two_nodes.second = two_nodes.add_node(**NODE)
        # Both nodes have a worker that runs.
        pause = ray.remote(lambda: time.sleep(0.5)).options(scheduling_strategy="SPREAD")
        ray.get([pause.remote() for _ in range(6)])
    return two_nodes
