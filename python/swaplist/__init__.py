"""Static Exchange Evaluation (SEE) over Arrow columns and chess training files.

Columns: `is_quiet`, `verdicts` and `scores` take anything that speaks Arrow (pyarrow, polars,
pandas, DuckDB) or a list, and answer in the same library. `see` and `explain` take one position.

Files: `read` makes a table of any training format, `write` the other way around; `filter`,
`convert`, `mix`, `count` and `validate` work on whole files without bringing them into Python.
`batches` makes shuffled batches of arrays of them, to train a net on.
"""

import atexit

from ._batches import Batches, batches
from ._columns import devices, explain, is_quiet, scores, see, verdicts
from ._files import Records, convert, count, filter, mix, read, validate, write
from ._swaplist import Column, __version__, close_devices

__all__ = [
    "Batches",
    "Column",
    "Records",
    "__version__",
    "batches",
    "convert",
    "count",
    "devices",
    "explain",
    "filter",
    "is_quiet",
    "mix",
    "read",
    "scores",
    "see",
    "validate",
    "verdicts",
    "write",
]

# A driver must not be used after Python has ended.
atexit.register(close_devices)
