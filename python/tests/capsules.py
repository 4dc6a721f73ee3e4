"""Arrow structures as C sees them, some of them odd: released, incomplete, or of impossible sizes.

What is wrong with them ends the process if a consumer trusts it. So `test_capsules.py` runs this
file in a process of its own. It prints what it tries.
"""

import ctypes
import gc
from ctypes import CFUNCTYPE, POINTER, c_char_p, c_int, c_int64, c_void_p

import chess
import swaplist
from hypothesis import given, settings
from hypothesis import strategies as st

EIO = 5
FEN = chess.STARTING_FEN.encode()


class Schema(ctypes.Structure):
    """`struct ArrowSchema`."""


class Array(ctypes.Structure):
    """`struct ArrowArray`."""


class Stream(ctypes.Structure):
    """`struct ArrowArrayStream`."""


Schema._fields_ = [
    ("format", c_char_p),
    ("name", c_char_p),
    ("metadata", c_char_p),
    ("flags", c_int64),
    ("n_children", c_int64),
    ("children", c_void_p),
    ("dictionary", c_void_p),
    ("release", CFUNCTYPE(None, POINTER(Schema))),
    ("private_data", c_void_p),
]
Array._fields_ = [
    ("length", c_int64),
    ("null_count", c_int64),
    ("offset", c_int64),
    ("n_buffers", c_int64),
    ("n_children", c_int64),
    ("buffers", c_void_p),
    ("children", c_void_p),
    ("dictionary", c_void_p),
    ("release", CFUNCTYPE(None, POINTER(Array))),
    ("private_data", c_void_p),
]
Stream._fields_ = [
    ("get_schema", CFUNCTYPE(c_int, POINTER(Stream), POINTER(Schema))),
    ("get_next", CFUNCTYPE(c_int, POINTER(Stream), POINTER(Array))),
    ("get_last_error", CFUNCTYPE(c_void_p, POINTER(Stream))),
    ("release", CFUNCTYPE(None, POINTER(Stream))),
    ("private_data", c_void_p),
]
KINDS = {"schema": Schema, "array": Array, "stream": Stream}

# What a field is instead of what it should be. None is a null pointer.
NEGATIVE_OR_HUGE = [-(1 << 63), -1, 1 << 48, (1 << 63) - 1]
FAULTS = {
    "schema": {
        "format": [None, b"", b"?", b"\xff", b"n", b"i", b"w:32", b"w:-1", b"+l", b"+s", b"+m"],
        "name": [b"\xff"],
        "flags": [-1],
        "n_children": [-1, 1],
        "release": [None],
    },
    "array": {
        "length": [0, *NEGATIVE_OR_HUGE],
        "null_count": [-2, -1, 7],
        "offset": NEGATIVE_OR_HUGE,
        "n_buffers": [0, 1, 2, *NEGATIVE_OR_HUGE],
        "n_children": [1, *NEGATIVE_OR_HUGE],
        "buffers": [None],
        "release": [None],
    },
    "stream": {
        "get_schema": [None],
        "get_next": [None],
        "get_last_error": [None],
        "release": [None],
    },
}


class Producer:
    """Two rows of text, as structures with faults; it counts how often they are released."""

    def __init__(self, faults, missing, failing, text):
        self.faults, self.failing = faults, failing
        self.made, self.released, self.arrays = 0, 0, 0
        # More than any format reads for two rows.
        offsets = b"".join(n.to_bytes(4, "little") for n in (0, len(FEN), 2 * len(FEN)))
        self.memory = [
            ctypes.create_string_buffer(part, 4096) for part in (b"\3", offsets, FEN * 2)
        ]
        addresses = [ctypes.addressof(part) for part in self.memory]
        if missing is not None:
            addresses[missing] = None
        self.buffers = (c_void_p * 3)(*addresses)
        self.text = text and ctypes.create_string_buffer(text)
        self.kept = []

    def keep(self, callback):
        """Callbacks live as long as the structures."""
        self.kept.append(callback)
        return callback

    def release_of(self, kind):
        def release(pointer):
            self.released += 1
            pointer.contents.release = type(pointer.contents.release)()

        return self.keep(dict(KINDS[kind]._fields_)["release"](release))

    def fill(self, kind, struct, **fields):
        """Fills in a structure, with its faults; one that is not released owes its release."""
        for name, value in (fields | {"release": self.release_of(kind)}).items():
            setattr(struct, name, value)
        for (faulty, name), value in self.faults.items():
            if faulty == kind:
                kind_of_field = dict(struct._fields_)[name]
                is_null = value is None and not issubclass(kind_of_field, ctypes._SimpleCData)
                setattr(struct, name, kind_of_field() if is_null else value)
        self.made += bool(struct.release)
        return struct

    def schema(self, struct):
        return self.fill("schema", struct, format=b"u", flags=2)

    def array(self, struct):
        address = ctypes.addressof(self.buffers)
        return self.fill("array", struct, length=2, n_buffers=3, buffers=address)

    def stream(self, struct):
        types = dict(Stream._fields_)

        def get_schema(_, out):
            if "get_schema" in self.failing:
                return EIO
            self.schema(out.contents)
            return 0

        def get_next(_, out):
            self.arrays += 1
            if "get_next" in self.failing:
                return EIO
            if self.arrays == 1:
                self.array(out.contents)
            return 0

        def get_last_error(_):
            return self.text and ctypes.addressof(self.text)

        callbacks = {
            "get_schema": get_schema,
            "get_next": get_next,
            "get_last_error": get_last_error,
        }
        made = {name: self.keep(types[name](call)) for name, call in callbacks.items()}
        return self.fill("stream", struct, **made)


new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype = ctypes.py_object
new_capsule.argtypes = [c_void_p, c_char_p, c_void_p]
NAMES = {"schema": b"arrow_schema", "array": b"arrow_array", "stream": b"arrow_array_stream"}


def capsule(kind, struct):
    return new_capsule(ctypes.addressof(struct), NAMES[kind], None)


class OfArray:
    """An object with an array."""

    def __init__(self, producer):
        self.producer = producer
        self.structs = producer.schema(Schema()), producer.array(Array())

    def __arrow_c_array__(self, requested_schema=None):
        schema, array = self.structs
        return capsule("schema", schema), capsule("array", array)

    def close(self):
        """As capsules do when they end: what nobody has moved out is released."""
        for struct in self.structs:
            if struct.release:
                struct.release(struct)


class OfStream:
    """An object with a stream."""

    def __init__(self, producer):
        self.struct = producer.stream(Stream())

    def __arrow_c_stream__(self, requested_schema=None):
        return capsule("stream", self.struct)

    def close(self):
        assert not self.struct.release


def is_quiet(given_column):
    try:
        return swaplist.is_quiet(given_column, errors="null").to_pylist()
    except (TypeError, ValueError) as error:
        return str(error)


ANY_FAULTS = st.dictionaries(
    st.sampled_from([(kind, name) for kind, names in FAULTS.items() for name in names]),
    st.none(),
    max_size=3,
).flatmap(
    lambda faults: st.fixed_dictionaries(
        {fault: st.sampled_from(FAULTS[fault[0]][fault[1]]) for fault in faults}
    )
)


@settings(max_examples=600, deadline=None, database=None, derandomize=True)
@given(
    st.sampled_from([OfArray, OfStream]),
    ANY_FAULTS,
    st.sampled_from([None, None, 0, 1, 2]),
    st.sets(st.sampled_from(["get_schema", "get_next"])),
    st.sampled_from([None, b"", b"why", b"\xff"]),
)
def odd_structures(kind, faults, missing, failing, text):
    print(kind.__name__, faults, missing, failing, text, flush=True)
    producer = Producer(faults, missing, failing, text)
    column = kind(producer)
    answer = is_quiet(column)
    print(answer, flush=True)
    if not faults and missing in (None, 0) and not (kind is OfStream and failing):
        assert answer == [True, True]
    # What is released stays so: a second call is refused.
    again = is_quiet(column)
    assert isinstance(again, str) and again.endswith("was consumed before"), again
    column.close()
    gc.collect(0)
    assert producer.released == producer.made, (producer.released, producer.made)


if __name__ == "__main__":
    odd_structures()
    print("end")
