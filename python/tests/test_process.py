"""Threads, forks, signals and memory."""

import gc
import gzip
import importlib.metadata
import os
import signal
import subprocess
import sys
import threading
import time

import pyarrow as pa
import pyarrow.dataset as ds
import swaplist
from conftest import FENS


def test_other_threads_run_meanwhile(fens):
    column = pa.array(fens * 100)
    ticks, stop = [0], threading.Event()

    def count():
        while not stop.wait(0.001):
            ticks[0] += 1

    thread = threading.Thread(target=count)
    thread.start()
    started = time.monotonic()
    while time.monotonic() - started < 1:
        swaplist.is_quiet(column)
    stop.set()
    thread.join()
    assert ticks[0] > 20


def test_calls_from_many_threads_agree(fens):
    expected, answers = swaplist.is_quiet(fens), []
    threads = [
        threading.Thread(target=lambda: answers.append(swaplist.is_quiet(fens, threads=2)))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [expected] * 8


def test_a_forked_child_works(fens, tmp_path):
    column = pa.array(fens)
    expected = swaplist.is_quiet(column, threads=4)
    swaplist.count(FENS)
    child = os.fork()
    if child == 0:
        same = swaplist.is_quiet(column, threads=4).equals(expected)
        counted = swaplist.count(FENS)["positions"] == len(fens)
        os._exit(7 if same and counted else 1)
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            assert os.waitstatus_to_exitcode(status) == 7
            return
        time.sleep(0.05)
    os.kill(child, signal.SIGKILL)
    raise AssertionError("the child hangs")


def test_ctrl_c_ends_a_long_call():
    code = f"""
import pyarrow as pa, swaplist
fens = open({str(FENS)!r}).read().splitlines()
column = pa.chunked_array([pa.array(fens)] * 2000)
print("begin", flush=True)
swaplist.verdicts(column, threat=True, profile="legal")
"""
    job = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert job.stdout.readline() == "begin\n"
    time.sleep(0.5)
    job.send_signal(signal.SIGINT)
    _, error = job.communicate(timeout=20)
    assert "KeyboardInterrupt" in error


def test_a_state_is_taken_while_another_thread_looks_for_blocks(tmp_path):
    # A compressed file is read once to find them: this one for longer than between two looks for
    # signals. A deadlock would hold the GIL, so it is for a process of its own.
    path = tmp_path / "x.fen.gz"
    lines = "".join(f"{fen} | 5 | 0.5\n" for fen in FENS.read_text().splitlines()[:1000])
    path.write_bytes(gzip.compress(lines.encode(), 1) * 3000)
    code = """if True:
        import pathlib, sys, threading, swaplist
        path = pathlib.Path(sys.argv[1])
        batches = swaplist.batches(path, filter=None, shuffle=0, batch_size=10)
        next(iter(batches))
        batches.state_dict()  # of files that are changed before the first one there is none
        path.touch()
        thread = threading.Thread(target=lambda: iter(batches))
        thread.start()
        states = 0
        while thread.is_alive():
            batches.state_dict()
            states += 1
        print(states)
    """
    ran = subprocess.run(
        [sys.executable, "-c", code, path], capture_output=True, text=True, timeout=60
    )
    assert ran.returncode == 0 and int(ran.stdout) > 10, ran.stderr


def resident() -> int:
    with open("/proc/self/statm") as status:
        return int(status.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_memory_is_given_back(fens, tmp_path):
    column = pa.array(fens * 10)

    def all_kinds():
        swaplist.verdicts(column, threat=True)
        swaplist.is_quiet(fens)
        table = pa.table(swaplist.read(FENS, columns=["fen", "score"]))
        swaplist.write(table, tmp_path / "x.fen", overwrite=True)
        next(iter(pa.RecordBatchReader.from_stream(swaplist.read(FENS, batch_size=10))))
        swaplist.is_quiet(pa.array(["nonsense"] * 1000), errors="null")

    for _ in range(5):
        all_kinds()
    gc.collect()
    before = resident()
    for _ in range(40):
        all_kinds()
    gc.collect()
    # Each round allocates some 20 MB.
    assert resident() - before < 100 << 20


def test_millions_of_rows(fens):
    rows = 2_000_000
    column = pa.chunked_array([pa.array(fens)] * (rows // len(fens) + 1))
    answers = swaplist.is_quiet(column, threads=2)
    assert len(answers) == len(column)
    one = swaplist.is_quiet(fens)
    assert answers.slice(len(fens) * 7, len(fens)).to_pylist() == one
    import pyarrow.compute as pc

    assert pc.sum(answers).as_py() == sum(one) * (rows // len(fens) + 1)


def test_the_licence_is_part_of_the_package():
    text = importlib.metadata.distribution("swaplist").read_text("licenses/LICENSE")
    assert "GNU GENERAL PUBLIC LICENSE" in text


def test_streams_that_need_python_while_they_are_written(fens, tmp_path):
    """A generator over `read`, and a scanner whose own threads call Python."""
    many = tmp_path / "many.fen"
    many.write_text("\n".join(fens * (600_000 // len(fens))))
    records = swaplist.read(many, columns=["fen"])
    schema = pa.schema(records)

    def batches():
        yield from records

    # Long enough to look for signals.
    lazy = pa.RecordBatchReader.from_batches(schema, batches())
    written = swaplist.write(lazy, tmp_path / "lazy.fen", unscored=True)
    scanned = ds.Scanner.from_batches(batches(), schema=schema).to_reader()
    assert swaplist.write(scanned, tmp_path / "scanned.fen", unscored=True) == written
    assert (tmp_path / "lazy.fen").read_bytes() == (tmp_path / "scanned.fen").read_bytes()
