"""What the tests share."""

import pathlib
import random

import chess
import pytest
from hypothesis import strategies

ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "data" / "sample.binpack"
FENS = ROOT / "data" / "sample.fen"


def random_board(seed: int, plies: int) -> chess.Board:
    """A position of a game of random moves, captures more often than not."""
    choice, board = random.Random(seed), chess.Board()
    for _ in range(plies):
        moves = list(board.legal_moves)
        if not moves:
            break
        captures = [move for move in moves if board.is_capture(move) or move.promotion]
        board.push(choice.choice(captures if captures and choice.random() < 0.5 else moves))
    return board


boards = strategies.builds(random_board, strategies.integers(0, 2**32), strategies.integers(0, 150))


@pytest.fixture(scope="session")
def fens() -> list[str]:
    """Real positions."""
    return FENS.read_text().splitlines()
