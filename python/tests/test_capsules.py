"""Arrow structures that were released, or are odd. They end the process of a consumer that trusts
them, so each test has one of its own."""

import pathlib
import subprocess
import sys

import pytest

FUZZ = pathlib.Path(__file__).with_name("capsules.py")

HOLDER = """if True:
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
"""
REFUSED = """
    for call in (swaplist.is_quiet, lambda column: swaplist.write(column, "x.plain")):
        try:
            call(used)
            print("taken")
        except ValueError as error:
            print(error)
"""


def run(*arguments):
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, timeout=300, check=False
    )


@pytest.mark.parametrize(
    ("what", "code"),
    [
        ("stream", 'used = Holder("stream", pa.chunked_array([array]).__arrow_c_stream__())'),
        ("stream", 'used = Holder("stream", pl.Series(rows).__arrow_c_stream__())'),
        ("stream", 'used = Holder("stream", own.__arrow_c_stream__())'),
        ("array", 'used = Holder("array", array.__arrow_c_array__())'),
        ("array", 'used = Holder("array", own.__arrow_c_array__())'),
    ],
)
@pytest.mark.parametrize("consumer", ["pa.chunked_array", "pl.Series", "swaplist.is_quiet"])
def test_what_another_consumer_released_is_refused(what, code, consumer):
    if "own" in code and "swaplist" in consumer:
        pytest.skip("answers are no positions")
    if what == "array":
        consumer = consumer.replace("chunked_", "")
    consumed = f"\n    {code}\n    {consumer}(used)\n    gc.collect()"
    ran = run("-c", HOLDER + consumed + REFUSED)
    assert (ran.returncode, ran.stderr) == (0, "")
    lines = set(ran.stdout.splitlines())
    assert lines <= {f"the Arrow {one} was consumed before" for one in (what, "schema")}, lines


def test_a_schema_that_another_consumer_released_is_refused():
    consumed = """
    schema, _ = array.__arrow_c_array__()
    pa.field(Holder("schema", schema))
    gc.collect()
    used = Holder("array", (schema, pa.array(rows).__arrow_c_array__()[1]))"""
    ran = run("-c", HOLDER + consumed + REFUSED)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert set(ran.stdout.splitlines()) == {"the Arrow schema was consumed before"}


def test_odd_structures_are_refused_and_released_once():
    ran = run(FUZZ)
    assert ran.returncode == 0 and ran.stdout.endswith("end\n"), ran.stdout[-400:] + ran.stderr
