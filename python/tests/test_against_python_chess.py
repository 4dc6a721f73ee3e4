"""Answers against a naive SEE on python-chess boards."""

import chess
import naive
import pytest
import swaplist
from conftest import boards
from hypothesis import given, settings
from hypothesis import strategies as st

PROFILES = ["swap", "legal"]


@pytest.mark.parametrize("profile", PROFILES)
@settings(max_examples=100, deadline=None)
@given(st.lists(boards, min_size=1, max_size=10))
def test_verdicts(profile, games):
    answers = swaplist.verdicts([board.fen() for board in games], profile=profile)
    for board, answer in zip(games, answers, strict=True):
        move = answer.pop("best_move")
        assert answer == naive.verdict(board, profile), board.fen()
        if move is not None:
            assert naive.see(board, chess.Move.from_uci(move), profile) == answer["best_see"]


@pytest.mark.parametrize("profile", PROFILES)
@settings(max_examples=100, deadline=None)
@given(boards)
def test_scores_of_all_legal_moves(profile, board):
    moves = [move.uci() for move in board.legal_moves]
    (scores,) = swaplist.scores([board.fen()], [moves], profile=profile)
    expected = [naive.see(board, chess.Move.from_uci(move), profile) for move in moves]
    assert scores == expected, board.fen()


@settings(max_examples=100, deadline=None)
@given(st.lists(boards, max_size=10))
def test_is_quiet(games):
    answers = swaplist.is_quiet([board.fen() for board in games])
    assert answers == [naive.is_quiet(board) for board in games]


@settings(max_examples=100, deadline=None)
@given(boards)
def test_threats_and_quiescence(board):
    (answer,) = swaplist.verdicts([board.fen()], threat=True, quiescence=1)
    assert answer["threats"] == naive.threats(board)
    assert answer["quiescence"] == naive.quiescence(board, 1)
    if board.is_check():
        assert answer["threat_see"] is None
        return
    board.push(chess.Move.null())
    board.ep_square = None
    assert answer["threat_see"] == naive.verdict(board)["best_see"]


def test_castling_by_any_name():
    fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
    moves = ["e1g1", "e1h1", "e1c1", "e1a1", "O-O", "O-O-O"]
    assert swaplist.scores([fen], [moves]) == [[0] * 6]
    # Chess960: the king takes its rook.
    fen = "1r2k1r1/1p4p1/8/8/8/8/1P4P1/1R2K1R1 w GBgb - 0 1"
    assert swaplist.scores([fen], [["e1g1", "e1b1"]]) == [[0, 0]]
    assert swaplist.see(fen, "O-O") == 0


def test_cases_by_hand():
    assert swaplist.see("1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1", "e1e5") == 100
    line = "1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1"
    assert swaplist.see(line, "Nxe5") == -225
    pinned = "4k3/4b3/8/2p5/4N3/8/8/4R2K w - - 0 1"
    assert swaplist.see(pinned, "e4c5") == -225
    assert swaplist.see(pinned, "e4c5", profile="legal") == 100
    assert swaplist.see(pinned, "e4c5", values="1,3,3,5,9") == -2
