"""Mistakes that `mypy --strict` finds; it would say if one of these remarks were not needed."""

import swaplist


def mistakes() -> None:
    swaplist.read("a", columns="fen")  # type: ignore[arg-type]
    swaplist.read("a", profile="nope")  # type: ignore[arg-type]
    swaplist.is_quiet([], preset="bullet")  # type: ignore[arg-type]
    swaplist.count("a", profile="nope")  # type: ignore[arg-type]
    swaplist.filter("a", "b", max_sea=1)  # type: ignore[call-arg]
    swaplist.filter("a", "b", max_see="1")  # type: ignore[arg-type]
    swaplist.filter("a", "b", preset="nope")  # type: ignore[arg-type]
    swaplist.filter("a", "b", played=["nope"])  # type: ignore[list-item]
    swaplist.filter("a", "b", to="parquet")  # type: ignore[arg-type]
    swaplist.filter("a", "b", errors="null")  # type: ignore[arg-type]
    swaplist.batches("a", features="halfkp")  # type: ignore[arg-type]
    swaplist.batches("a", columns=["elo"])  # type: ignore[list-item]
    swaplist.batches("a", skipping={"wdl_filtered": True})  # type: ignore[arg-type]


def no_mistakes() -> None:
    swaplist.read("a", columns=["fen", "score"]).to_polars()
    swaplist.batches("a", skipping={"pc_y1": 1}, columns=["score", "hash"], buckets=8)
    swaplist.filter("a", "b", max_see=None, played=["quiet", "no-castling"], errors="skip")
