"""A GPU answers what the CPU answers, or the CPU does. Any adapter will do, also a software one."""

import multiprocessing
import os
import pathlib
import subprocess
import sys
import threading
import warnings

import pyarrow as pa
import pytest
import swaplist
from conftest import FENS, ROOT, SAMPLE, gpu

pytestmark = pytest.mark.skipif(os.environ.get("GPU_TESTS") == "off", reason="GPU_TESTS=off")

#: Formats that a GPU filters itself.
FILTERED = ["binpack", "viriformat"]
FORMATS = [*FILTERED, "bulletformat", "marlinformat", "text", "sfbin", "plain"]
#: Other systems' drivers do not survive a fork.
KINDS = ["fork", "spawn"] if sys.platform == "linux" else ["spawn"]


def columns(backend: str, table: pa.Table, **options) -> list[pa.Array]:
    """What all functions say of these positions and moves."""
    options |= {"backend": backend, "errors": "null"}
    fens, moves = table["fen"], table["move"]
    return [
        swaplist.is_quiet(fens, **options),
        swaplist.is_quiet(fens, moves, preset="played-calm", **options),
        swaplist.is_quiet(fens, preset="still", max_threat=100, profile="sf", **options),
        swaplist.verdicts(fens, threat=True, quiescence=1, profile="legal", **options),
        swaplist.scores(fens, moves, **options),
    ]


def test_columns_are_the_cpus():
    table = pa.table(swaplist.read(SAMPLE)).slice(0, 3000)
    fens = pa.chunked_array([[None, "nonsense"], *table["fen"].chunks])
    moves = pa.chunked_array([["e2e4", "e2e4"], *table["move"].chunks])
    table = pa.table({"fen": fens, "move": moves})
    expected = columns("cpu", table)
    assert columns(gpu(), table, threads=2) == expected
    name = swaplist.devices()[0]["name"]
    assert columns(f"gpu:{name.upper()}", table.slice(0, 10)) == columns("cpu", table.slice(0, 10))
    assert swaplist.is_quiet([], backend=gpu()) == []


@pytest.mark.skipif("SWAPLIST_DATA" not in os.environ, reason="needs real data")
def test_real_data_a_million_rows_are_the_cpus(tmp_path):
    million = pathlib.Path(os.environ["SWAPLIST_DATA"], "human_1m.fen.zst")
    fens = pa.table(swaplist.read(million, columns=["fen"]))["fen"]
    assert len(fens) == 1_000_000
    for function, options in [
        (swaplist.is_quiet, {"max_threat": 0}),
        (swaplist.verdicts, {"threat": True, "profile": "legal"}),
    ]:
        expected = function(fens, threads=2, **options)
        assert function(fens, threads=2, backend=gpu(), **options).equals(expected)


@pytest.mark.parametrize("name", FORMATS)
def test_files_are_filtered_as_by_the_cpu(name, tmp_path):
    path = tmp_path / f"in.{name}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        swaplist.convert(SAMPLE, path, to=name)
    outputs, summaries = [], []
    for backend in ("cpu", gpu(), "auto"):
        output = tmp_path / f"{len(outputs)}.{name}"
        summary = swaplist.filter(path, output, max_see=100, format=name, backend=backend)
        outputs.append(output.read_bytes())
        summaries.append([summary[key] for key in ("records", "kept", "dropped")])
        decoded = summary["decoded_on_gpu"]
        is_decoded = backend == gpu() and name in FILTERED
        assert decoded == (summary["records"] if is_decoded else 0)
    assert outputs[1:] == outputs[:1] * 2 and summaries[1:] == summaries[:1] * 2


def test_threads_share_a_gpu(fens):
    expected, answers = swaplist.is_quiet(fens), []

    def ask():
        answers.append(swaplist.is_quiet(fens, backend=gpu()))
        swaplist.count(SAMPLE, backend=gpu())

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [expected] * 4


def worker(expected: list[bool]) -> None:
    warnings.simplefilter("error")
    assert swaplist.is_quiet(FENS.read_text().splitlines(), backend=gpu()) == expected
    counted = swaplist.count(SAMPLE, backend=gpu())
    assert counted["positions"] == swaplist.count(SAMPLE, backend="cpu")["positions"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_worker_opens_its_own(fens, kind):
    expected = swaplist.is_quiet(fens, backend=gpu())
    process = multiprocessing.get_context(kind).Process(target=worker, args=(expected,))
    process.start()
    process.join(60)
    process.kill()
    assert process.exitcode == 0


def python(code: str, **environment: str) -> str:
    """What it prints, in a process of its own that ends by itself."""
    code = f"import swaplist; fens = open({str(FENS)!r}).read().splitlines()\n{code}"
    done = subprocess.run(
        [sys.executable, "-W", "always", "-c", code],
        env={**os.environ, **environment},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return done.stdout + done.stderr


def test_without_any_gpu():
    said = python(
        """
assert swaplist.devices() == []
expected = swaplist.is_quiet(fens, backend="auto")
for _ in range(2):
    assert swaplist.is_quiet(fens, backend="gpu") == expected
summary = swaplist.count("data/sample.fen", backend="gpu")
assert summary["positions"] == len(fens)
try:
    swaplist.is_quiet(fens, backend="gpu:nope")
except ValueError as error:
    print(error)
""",
        WGPU_BACKEND="vulkan",
        VK_DRIVER_FILES="/nonexistent",
        VK_ICD_FILENAMES="/nonexistent",
    )
    assert said.count("UserWarning: no GPU adapter: none found") == 1
    assert said.count("; the CPU takes over") == 1
    if sys.platform == "linux":
        assert "libvulkan1" in said
    assert "backend: no GPU adapter: none found" in said


@pytest.mark.skipif(
    not all(device["software"] for device in swaplist.devices()), reason="there is a real GPU"
)
def test_a_software_adapter_is_used_only_if_it_is_named(tmp_path):
    said = python(
        f"""
assert swaplist.is_quiet(fens, backend="gpu") == swaplist.is_quiet(fens)
out = {str(tmp_path / "out.fen")!r}
print(swaplist.filter("data/sample.fen", out, backend="gpu")["fallback"])
"""
    )
    assert said.count("UserWarning: no GPU adapter: found only software") == 1
    assert said.count("by name: 'gpu:") == 2


@pytest.mark.skipif(not hasattr(swaplist._swaplist, "lose_devices"), reason="a release build")
def test_a_gpu_lost_in_the_middle(tmp_path):
    said = python(
        f"""
import threading, time
import pyarrow as pa
column = pa.array(fens * 200)
expected = swaplist.is_quiet(column)
swaplist.is_quiet(fens, backend="{gpu()}")
timer = threading.Timer(0.1, swaplist._swaplist.lose_devices)
timer.start()
assert swaplist.is_quiet(column, backend="{gpu()}").equals(expected)
assert not timer.is_alive()
summary = swaplist.filter("data/sample.fen", "{tmp_path}/x.fen", backend="{gpu()}")
print(summary["fallback"])
"""
    )
    assert said.count("lost for a test; the CPU takes over, with the same results") == 1
    assert "\nGPU error: lost for a test\n" in "\n" + said
