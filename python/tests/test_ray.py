"""Two nodes give what one process gives, also if one of them, or a worker, is lost."""

import gzip
import os
import pathlib
import threading
import time
import warnings

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import swaplist
from conftest import FENS, SAMPLE, gpu

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
    for i in range(4):
        rows = fens[i::4]
        table = {
            "fen": rows,
            "depth": pa.array([i] * len(rows), pa.int64()),
            "row": range(len(rows)),
        }
        part = folder / f"half={i // 2}"
        part.mkdir(exist_ok=True)
        pq.write_table(pa.table(table), part / f"{i}.parquet", row_group_size=500)
    return folder


def whole(folder: pathlib.Path) -> pa.Table:
    return pa.concat_tables(pq.read_table(path) for path in sorted(folder.rglob("*.parquet")))


def expected_files(shards, folder) -> dict[str, bytes]:
    folder.mkdir()
    for path in shards:
        swaplist.filter(path, folder / path.name)
    return contents(folder)


def contents(folder: pathlib.Path) -> dict[str, bytes]:
    found = {path.name: path.read_bytes() for path in folder.iterdir()}
    return found | {name: gzip.decompress(found[name]) for name in found if name.endswith(".gz")}


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
    folder = shards[0].parent
    again = swaplist.ray.filter_files(folder, tmp_path / "out", overwrite=True, preset="none")
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


def test_a_file_that_kills_its_worker_is_named(cluster, tmp_path):
    @swaplist.ray.ray.remote
    def deadly(path, output, scratch, threads):
        with open(path, "a") as tries:
            tries.write("x")
        if "bad" in path:
            os.kill(os.getpid(), 9)
        return {"records": 1, "kept": 1, "invalid": 0, "dropped": {}}

    outputs = {str(tmp_path / name): str(tmp_path / "out" / name) for name in ("bad", "good")}
    failed = "1 of 2 files failed:\n.*bad, given up after 3 attempts: The worker died"
    with pytest.raises(swaplist.ray.FailedFiles, match=failed) as error:
        swaplist.ray._run(deadly, outputs, tmp_path / "out", (1, 0))
    assert error.value.summary["records"] == 1
    assert [(tmp_path / name).read_text() for name in ("bad", "good")] == ["xxx", "x"]
    assert not list((tmp_path / "out").iterdir())


def test_what_is_refused_before_a_task_starts(cluster, tmp_path):
    out = tmp_path / "out"
    for settings, error, why in [
        ({"max_sea": 1}, TypeError, "'max_sea'; did you mean 'max_see'"),
        ({"max_see": "x"}, ValueError, "max_see: "),
        ({"preset": "nope"}, ValueError, "expected one of: quiet"),
        ({"threads": 2}, TypeError, "cpus_per_file"),
        ({"rejects": "x"}, TypeError, "'rejects'"),
        ({"cpus_per_file": 2}, ValueError, "cpus_per_file=2: expected 1 to 1, as the largest"),
        ({"num_gpus": 2}, ValueError, "num_gpus=2: expected 0 to 1, as the largest node has"),
        ({"cpus_per_file": "2"}, TypeError, "cpus_per_file: expected a whole number, not '2'"),
        ({"cpus_per_file": 1.0}, TypeError, "cpus_per_file: expected a whole number, not 1.0"),
        ({"num_gpus": None}, TypeError, "num_gpus=None: expected a number"),
        ({"backend": "cuda"}, ValueError, 'backend: expected "auto", "cpu", "gpu" or "gpu:NAME"'),
        ({"split": "9 furlongs"}, ValueError, "split='9 furlongs': expected a size such as"),
        ({"split": -1}, ValueError, "split=-1: expected a size such as"),
        ({"split": True}, ValueError, "split=True: expected a size such as"),
        ({"split": "0.1B"}, ValueError, "split='0.1B': parts of no bytes"),
        ({"split": 999, "limit": 9}, ValueError, "split: a limit counts from the start of a file"),
    ]:
        with pytest.raises(error, match=why):
            swaplist.ray.filter_files(str(SAMPLE), out, **settings)
    for settings, error, why in [
        ({"max_sea": 1}, TypeError, "'max_sea'; did you mean 'max_see'"),
        ({"errors": "null"}, ValueError, 'errors: expected "raise" or "skip"'),
        ({"profile": "nope"}, ValueError, "profile: "),
        ({"backend": "cuda"}, ValueError, "backend: "),
    ]:
        with pytest.raises(error, match=why):
            swaplist.ray.filter_parquet(SAMPLE, out, **settings)
    with pytest.raises(ValueError, match="there are no files"):
        swaplist.ray.filter_files(tmp_path, out)
    with pytest.raises(ValueError, match="sample.binpack' would be read and written"):
        swaplist.ray.filter_files(SAMPLE, SAMPLE.parent, overwrite=True)
    assert not out.exists()


def test_files_get_the_extension_of_their_format(cluster, tmp_path):
    summary = swaplist.ray.filter_files(str(SAMPLE), tmp_path, to="viriformat", limit=5)
    assert [path.name for path in tmp_path.iterdir()] == ["sample.viriformat"]
    assert summary["by_file"][0]["output"] == str(tmp_path / "sample.viriformat")


@pytest.mark.skipif(os.environ.get("GPU_TESTS") == "off", reason="GPU_TESTS=off")
def test_tasks_that_ask_for_a_gpu_use_it(cluster, shards, parquet, tmp_path):
    """Ray believes in GPUs that it is told of; behind them is any adapter, by its name."""
    expected = expected_files(shards[:4], tmp_path / "one")
    summary = swaplist.ray.filter_files(shards[:4], tmp_path / "out", num_gpus=1, backend=gpu())
    assert contents(tmp_path / "out") == expected
    used = [file["decoded_on_gpu"] for file in summary["by_file"]]
    # A binpack and viriformat; the CPU decodes the others.
    assert used == [11344, 11344, 0, 0]
    assert all(
        file["backend"].startswith(gpu().removeprefix("gpu:")) for file in summary["by_file"]
    )
    rows = whole(parquet)
    swaplist.ray.filter_parquet(parquet, tmp_path / "rows", num_gpus=0.5, backend=gpu())
    assert whole(tmp_path / "rows").equals(rows.filter(swaplist.is_quiet(rows["fen"])))


@pytest.mark.skipif(
    not all(device["software"] for device in swaplist.devices()), reason="there is a real GPU"
)
def test_tasks_without_a_real_gpu_use_the_cpu(cluster, shards, tmp_path):
    expected = expected_files(shards[:1], tmp_path / "one")
    summary = swaplist.ray.filter_files(shards[:1], tmp_path / "out", num_gpus=1)
    assert contents(tmp_path / "out") == expected
    (file,) = summary["by_file"]
    assert file["fallback"].startswith("no GPU adapter: ") and file["decoded_on_gpu"] == 0


def slow_shards(shards, tmp_path) -> list[pathlib.Path]:
    """The same, larger, so that there is a middle."""
    folder = tmp_path / "slow"
    folder.mkdir()
    for path in shards:
        (folder / path.name).write_bytes(
            path.read_bytes() * (30 if path.suffix != ".binpack" else 15)
        )
    return sorted(folder.iterdir())


def test_files_in_parts(cluster, shards, tmp_path):
    """Bytes, counts and places are those of one task for the file."""
    bad, packed = tmp_path / "bad.data", tmp_path / "packed.fen.gz"
    members, fens = tmp_path / "members.fen.gz", FENS.read_bytes()
    pieces = [fens[at : at + 9_999] for at in range(0, len(fens), 9_999)]
    members.write_bytes(b"".join(map(gzip.compress, pieces)))
    bad.write_bytes(shards[2].read_bytes() * 2 + b"\xff" * 40)
    packed.write_bytes(gzip.compress(fens, 1))
    files = [tmp_path / path.name for path in shards[:4]]
    for path, shard in zip(files, shards, strict=False):
        path.write_bytes(shard.read_bytes() * 3)
    files += [bad, packed, members]
    settings = {"errors": "skip", "keep_fraction": 0.5, "counts": True}
    whole = swaplist.ray.filter_files(files, tmp_path / "one", **settings)
    with pytest.warns(UserWarning, match="packed.fen.gz' is one task: it is compressed"):
        parts = swaplist.ray.filter_files(files, tmp_path / "out", split="0.06MB", **settings)
    assert contents(tmp_path / "out") == contents(tmp_path / "one")
    for one, other in zip(whole["by_file"], parts["by_file"], strict=True):
        alike = {"output", "node", "seconds", "records_per_second"}
        nodes = other.pop("nodes", [])
        if members.name in one["input"]:  # A frame for each part.
            alike.add("bytes")
            assert one["bytes"]["read_compressed"] == other["bytes"]["read_compressed"]
        assert {**one, **{name: other[name] for name in alike}} == other
        if "packed" not in one["input"]:
            assert len(nodes) >= os.path.getsize(one["input"]) / 60_000
    with pytest.raises(swaplist.ray.FailedFiles) as error:
        swaplist.ray.filter_files(files[2:5], tmp_path / "bad", split="60 kB")
    with pytest.raises(ValueError) as alone:
        swaplist.filter(bad, tmp_path / "alone")
    assert error.value.failed == {str(bad): str(alone.value)}
    assert sorted((tmp_path / "bad").iterdir()) == [
        tmp_path / "bad" / path.name for path in files[2:4]
    ]
    for given, why in [
        ({"split": 30}, "00.binpack, byte 0: too long for a part of 30 bytes"),
        ({"split": "30KB", "to": "viriformat"}, "games of viriformat may go on in the next part"),
    ]:
        with pytest.raises(swaplist.ray.FailedFiles, match=why):
            swaplist.ray.filter_files(files[0], tmp_path / "refused", **given)
    assert not list((tmp_path / "refused").iterdir())


@pytest.mark.parametrize("lost", ["node", "worker"])
def test_parts_if_something_is_lost(cluster, shards, tmp_path, lost):
    file = tmp_path / "large.binpack"
    file.write_bytes(shards[0].read_bytes() * 300)
    swaplist.filter(file, tmp_path / "one")
    out, losses = tmp_path / "out", []
    thread = lose(cluster, lost, lambda: len(list(out.glob(".*/parts-0/*/*"))) > 3, losses)
    summary = swaplist.ray.filter_files(file, out, split="0.2MB")
    thread.join()
    assert losses and len(summary["by_file"][0]["nodes"]) > 30
    assert (out / file.name).read_bytes() == (tmp_path / "one").read_bytes()
    assert list(out.iterdir()) == [out / file.name]


def lose(cluster, lost, is_time, losses) -> threading.Thread:
    """Removes a node, or kills a worker, when it is time."""

    def wait():
        while not is_time():
            time.sleep(0.01)
        if lost == "node":
            cluster.remove_node(cluster.second, allow_graceful=False)
            cluster.second = None
            losses.append("node")
        else:
            while not losses:
                for worker in busy_workers()[:1]:
                    os.kill(worker, 9)
                    losses.append(worker)

    thread = threading.Thread(target=wait)
    thread.start()
    return thread


@pytest.mark.parametrize("lost", ["node", "worker"])
def test_files_if_something_is_lost(cluster, shards, tmp_path, lost):
    shards = slow_shards(shards, tmp_path)
    expected = expected_files(shards, tmp_path / "one")
    out, losses = tmp_path / "out", []
    thread = lose(cluster, lost, lambda: len(list(out.glob("[0-9]*"))) > 3, losses)
    summary = swaplist.ray.filter_files(shards, out)
    thread.join()
    assert losses and summary["files"] == SHARDS
    assert contents(out) == expected


def test_parquet_on_two_nodes(cluster, parquet, tmp_path):
    rows = whole(parquet)
    expected = rows.filter(swaplist.is_quiet(rows["fen"]))
    summary = swaplist.ray.filter_parquet(parquet, tmp_path / "out")
    assert whole(tmp_path / "out").equals(expected)
    names = [path.relative_to(parquet) for path in parquet.rglob("*.parquet")]
    assert all((tmp_path / "out" / name).exists() for name in names)
    counts = [summary[count] for count in ("files", "records", "kept", "invalid")]
    assert counts == [4, rows.num_rows, expected.num_rows, 0]
    with pytest.raises(FileExistsError):
        swaplist.ray.filter_parquet(parquet, tmp_path / "out")
    again = swaplist.ray.filter_parquet(
        f"file://{parquet}", f"file://{tmp_path}/store", cpus_per_file=1, max_see=None
    )
    assert again["kept"] == whole(tmp_path / "store").num_rows > expected.num_rows


def test_a_bad_row_of_parquet_is_named(cluster, parquet, tmp_path):
    good, bad = next(parquet.rglob("0.parquet")), tmp_path / "bad.parquet"
    fens = pq.read_table(good)["fen"].to_pylist()
    pq.write_table(pa.table({"fen": [*fens, None, "nonsense"]}), bad, row_group_size=500)
    failed = f"1 of 2 files failed:\n.*bad.parquet, row {len(fens) + 1}: .*'nonsense'"
    with pytest.raises(swaplist.ray.FailedFiles, match=failed) as error:
        swaplist.ray.filter_parquet([good, bad], tmp_path / "out")
    assert error.value.summary["files"] == 1
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["0.parquet"]
    summary = swaplist.ray.filter_parquet(bad, tmp_path / "skipped", errors="skip")
    assert (summary["invalid"], summary["dropped"]["null"]) == (1, 1)
    with pytest.raises(swaplist.ray.FailedFiles, match="no column 'x', but: fen, depth, row"):
        swaplist.ray.filter_parquet(good, tmp_path / "other", column="x")
