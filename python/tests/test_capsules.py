"""Arrow structures that were released, or are odd. They end the process of a consumer that trusts
them, so each test has one of its own."""

import os
import pathlib
import subprocess
import sys

FUZZ = pathlib.Path(__file__).with_name("capsules.py")

# What each test runs: capsules whose structures others have moved out and released are given again.
RELEASED = """if True:
    import gc
    import chess, polars as pl, pyarrow as pa, swaplist

    class Holder:
        # Gives the same capsules again and again.
        def __init__(self, kind, capsules):
            setattr(self, f"__arrow_c_{kind}__", lambda requested_schema=None: capsules)

    rows = [chess.STARTING_FEN] * 3
    array = pa.array(rows)
    own = swaplist.is_quiet(Holder("array", array.__arrow_c_array__()))
    assert isinstance(own, swaplist.Column)

    def ask(used):
        gc.collect()
        for call in (swaplist.is_quiet, lambda column: swaplist.write(column, "x.plain")):
            try:
                print("taken", call(used), flush=True)
            except ValueError as error:
                print(error, flush=True)
"""


def run(*arguments):
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        timeout=600,
        env=os.environ | {"RUST_BACKTRACE": "0"},
        check=False,
    )


def refused(code):
    ran = run("-c", RELEASED + code)
    assert (ran.returncode, ran.stderr) == (0, ""), ran.stdout
    return ran.stdout.splitlines()


def test_a_stream_that_another_consumer_released_is_refused():
    lines = refused("""
    columns = pa.chunked_array([array]), pl.Series(rows), own
    for column in columns:
        for consumer in (pa.chunked_array, pl.Series):
            used = Holder("stream", column.__arrow_c_stream__())
            consumer(used)
            ask(used)
    """)
    assert lines == ["the Arrow stream was consumed before"] * 12


def test_an_array_that_another_consumer_released_is_refused():
    lines = refused("""
    for column in (array, own):
        for consumer in (pa.array, pl.Series):
            used = Holder("array", column.__arrow_c_array__())
            consumer(used)
            ask(used)
    """)
    # pyarrow also takes the schema.
    assert set(lines) == {f"the Arrow {what} was consumed before" for what in ("schema", "array")}


def test_a_schema_that_another_consumer_released_is_refused():
    lines = refused("""
    schema, _ = array.__arrow_c_array__()
    pa.field(Holder("schema", schema))
    ask(Holder("array", (schema, pa.array(rows).__arrow_c_array__()[1])))
    """)
    assert lines == ["the Arrow schema was consumed before"] * 2


def test_odd_structures_are_refused_and_released_once():
    ran = run(FUZZ)
    assert ran.returncode == 0 and ran.stdout.endswith("end\n"), (
        ran.stdout[-400:] + ran.stderr[-2000:]
    )
