"""Two nodes give what one process gives, also if one of them, or a worker, is lost."""

import os
import pathlib
import threading
import time
import warnings

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import swaplist
from conftest import FENS, SAMPLE

pytest.importorskip("ray")

import swaplist.ray  # noqa: E402

SHARDS = 24


@pytest.fixture(scope="session")
def shards(tmp_path_factory) -> list[pathlib.Path]:
    """Files of four formats."""
    folder = tmp_path_factory.mktemp("shards")
    names = ["binpack", "viriformat", "data", "plain"]
    paths = []
    for i in range(SHARDS):
        path = folder / f"{i:02}.{names[i % 4]}"
        if i < 4:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                swaplist.convert(SAMPLE, path)
        else:
            path.write_bytes(paths[i % 4].read_bytes())
        paths.append(path)
    return paths


@pytest.fixture(scope="session")
def parquet(tmp_path_factory) -> pathlib.Path:
    """A data set of the shape of Lichess/chess-position-evaluations, in many files."""
    folder = tmp_path_factory.mktemp("evals")
    fens = [" ".join(fen.split()[:4]) for fen in FENS.read_text().splitlines()]
    for i in range(SHARDS):
        rows = fens[i::SHARDS] * 20
        table = {
            "fen": rows,
            "depth": pa.array([i] * len(rows), pa.int64()),
            "row": range(len(rows)),
        }
        pq.write_table(pa.table(table), folder / f"{i:02}.parquet")
    return folder


def whole(folder: pathlib.Path) -> pa.Table:
    return pa.concat_tables(pq.read_table(path) for path in sorted(folder.glob("*.parquet")))


def quiet_rows(parquet: pathlib.Path) -> pa.Table:
    rows = whole(parquet)
    return rows.filter(swaplist.is_quiet(rows["fen"]))


def expected_files(shards, folder) -> dict[str, bytes]:
    folder.mkdir()
    for path in shards:
        swaplist.filter(path, folder / path.name)
    return contents(folder)


def contents(folder: pathlib.Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def busy_workers() -> list[int]:
    """Processes of Ray workers that run a task now."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            name = path.read_bytes()
        except OSError:
            continue
        if name.startswith(b"ray::") and b"IDLE" not in name and b"filter" in name.lower():
            found.append(int(path.parent.name))
    return found


def test_files_on_two_nodes(cluster, shards, tmp_path):
    shards = slow_shards(shards, tmp_path)
    expected = expected_files(shards, tmp_path / "one")
    summary = swaplist.ray.filter_files(shards, tmp_path / "out")
    assert contents(tmp_path / "out") == expected
    one = [swaplist.filter(path, tmp_path / "again", overwrite=True) for path in shards]
    for count in ("records", "kept", "invalid"):
        assert summary[count] == sum(file[count] for file in one)
    assert summary["files"] == SHARDS
    assert summary["records"] == summary["kept"] + sum(summary["dropped"].values())
    assert len({file["node"] for file in summary["by_file"]}) == 2
    with pytest.raises(FileExistsError, match="overwrite=True"):
        swaplist.ray.filter_files(shards, tmp_path / "out")
    again = swaplist.ray.filter_files(shards, tmp_path / "out", overwrite=True, preset="none")
    assert again["kept"] == again["records"] == summary["records"]


def test_a_corrupt_file_is_named_and_the_others_are_done(cluster, shards, tmp_path):
    expected = expected_files(shards, tmp_path / "one")
    broken = tmp_path / "broken.binpack"
    broken.write_bytes(SAMPLE.read_bytes()[:-5])
    with pytest.raises(
        swaplist.ray.FailedFiles, match="1 of 25 files failed:\n.*broken.binpack, byte"
    ) as error:
        swaplist.ray.filter_files([*shards[:5], broken, *shards[5:]], tmp_path / "out")
    assert contents(tmp_path / "out") == expected
    assert list(error.value.failed) == [str(broken)]
    assert error.value.summary["files"] == SHARDS


def slow_shards(shards, tmp_path) -> list[pathlib.Path]:
    """The same, larger, so that there is a middle."""
    folder = tmp_path / "slow"
    folder.mkdir()
    for path in shards:
        (folder / path.name).write_bytes(
            path.read_bytes() * (60 if path.suffix != ".binpack" else 30)
        )
    return sorted(folder.iterdir())


@pytest.mark.parametrize("lost", ["node", "worker"])
def test_files_if_something_is_lost(cluster, shards, tmp_path, lost):
    shards = slow_shards(shards, tmp_path)
    expected = expected_files(shards, tmp_path / "one")
    out, losses = tmp_path / "out", []

    def lose():
        while len(list(out.glob("[0-9]*"))) < 4:
            time.sleep(0.01)
        if lost == "node":
            cluster.remove_node(cluster.second, allow_graceful=False)
            losses.append("node")
        else:
            while not losses:
                for worker in busy_workers()[:1]:
                    os.kill(worker, 9)
                    losses.append(worker)

    thread = threading.Thread(target=lose)
    thread.start()
    summary = swaplist.ray.filter_files(shards, out)
    thread.join()
    assert losses and summary["files"] == SHARDS
    assert contents(out) == expected


def test_parquet_on_two_nodes(cluster, parquet, tmp_path):
    expected = quiet_rows(parquet)
    summary = swaplist.ray.filter_parquet(parquet, tmp_path / "out")
    assert whole(tmp_path / "out").equals(expected)
    assert summary == {"records": whole(parquet).num_rows, "kept": expected.num_rows}
    with pytest.raises(FileExistsError):
        swaplist.ray.filter_parquet(parquet, tmp_path / "out")
    with pytest.raises(ValueError, match="there is no column 'x' in .*, but: fen, depth, row"):
        swaplist.ray.filter_parquet(parquet, tmp_path / "other", column="x")
    bad = tmp_path / "bad.parquet"
    pq.write_table(pa.table({"fen": ["nonsense"]}), bad)
    with pytest.raises(Exception, match="row 0: "):
        swaplist.ray.filter_parquet(bad, tmp_path / "other")
    assert swaplist.ray.filter_parquet(bad, tmp_path / "none", errors="null")["kept"] == 0
    assert {path.name for path in tmp_path.iterdir()} == {"out", "bad.parquet", "none"}


@pytest.mark.parametrize("lost", ["node", "worker"])
def test_parquet_if_something_is_lost(cluster, parquet, tmp_path, lost):
    expected, losses = quiet_rows(parquet), []

    def lose():
        while not any(tmp_path.glob("out.*/*.parquet")):
            time.sleep(0.01)
        if lost == "node":
            cluster.remove_node(cluster.second, allow_graceful=False)
            losses.append("node")
            return
        while not losses and not (tmp_path / "out").exists():
            for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
                try:
                    name = path.read_bytes()
                except OSError:
                    continue
                if name.startswith(b"ray::") and b"MapBatches" in name:
                    os.kill(int(path.parent.name), 9)
                    losses.append(path)
                    break

    thread = threading.Thread(target=lose)
    thread.start()
    swaplist.ray.filter_parquet(parquet, tmp_path / "out", blocks=SHARDS)
    thread.join()
    assert losses
    assert whole(tmp_path / "out").equals(expected)
