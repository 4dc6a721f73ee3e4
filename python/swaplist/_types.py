"""Names that arguments accept, for type checkers and for `help`."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Literal, TypedDict

Path = str | os.PathLike[str]
#: "auto", "cpu", "gpu" or "gpu:NAME".
Backend = str
#: Called with the records done and the bytes read so far; True for a bar, if tqdm is there.
Progress = Callable[[int, int], object] | bool

Profile = Literal["swap", "sf8", "sf", "legal"]
#: Formats that are written.
Format = Literal["text", "binpack", "bulletformat", "marlinformat", "viriformat", "sfbin", "plain"]
#: Formats that are read.
InputFormat = Format | Literal["montyformat", "montyvalue", "pgn", "csv", "jsonl"]
#: Columns that are read.
Name = Literal[
    "fen",
    "position",
    "castling",
    "halfmoves",
    "fullmoves",
    "turn",
    "move",
    "score",
    "mate",
    "result",
    "ply",
    "in_check",
    "best_see",
]
#: Columns that batches have beside features.
BatchColumn = Literal["score", "result", "ply", "pieces", "turn", "move", "hash"]
#: Those that `swaplist.is_quiet` has too.
PositionPreset = Literal["quiet", "calm", "still", "played-calm", "none"]
Preset = PositionPreset | Literal["bullet", "viriformat", "nnue-pytorch", "see-ge0"]
Played = Literal[
    "quiet",
    "normal",
    "no-captures",
    "empty-target",
    "no-promotions",
    "no-castling",
    "see-ge0",
    "any",
]
Errors = Literal["raise", "skip"]
Mode = Literal["drop", "mark"]


class PositionRules(TypedDict, total=False):
    """The rules that `swaplist.is_quiet` has too."""

    max_see: int | None
    max_threat: int | None
    drop_double_threat: bool
    quiescence: int | None
    keep_checks: bool
    min_pieces: int
    max_pieces: int | None
    played: Played | Sequence[Played]
    min_played_see: int | None
    max_played_see: int | None


class Rules(PositionRules, total=False):
    """Rules of `swaplist.filter`, whose `help` says what they do; None lifts a preset's bound."""

    min_ply: int
    max_score: int | None
    drop_unscored: bool
    keep_placeholders: bool
    drop_decided_zeros: bool
    keep_fraction: float
    seed: int
    invert: bool


class FileSettings(Rules, total=False):
    """Keywords of `swaplist.filter` that hold for each of many files."""

    preset: Preset | None
    limit: int | None
    mode: Mode | None
    to: Format | None
    scale: float | None
    drop_castling: bool
    format: InputFormat | None
    errors: Errors
    level: int | None
    counts: bool
    profile: Profile | None
    values: str | None


class Skipping(TypedDict, total=False):
    """Options of nnue-pytorch's loader, for `swaplist.batches`."""

    filtered: bool
    wld_filtered: bool
    random_fen_skipping: int
    early_fen_skipping: int
    soft_early_fen_skipping: int
    simple_eval_skipping: int
    pc_y0: float
    pc_y1: float
    pc_y2: float
    pc_y3: float
    pc_y4: float
    ply_x1: float
    ply_y1: float
    ply_x2: float
    ply_y2: float
    ply_x3: float
    ply_y3: float
    ply_x4: float
    ply_y4: float
