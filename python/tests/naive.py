"""SEE written from its definition on python-chess boards, to check swaplist by."""

import chess

VALUES = {
    chess.PAWN: 100,
    chess.KNIGHT: 325,
    chess.BISHOP: 325,
    chess.ROOK: 500,
    chess.QUEEN: 1000,
    chess.KING: 0,
}


def see(board: chess.Board, move: chess.Move, profile: str = "swap") -> int:
    """The SEE of a legal move."""
    if board.is_castling(move):
        return 0
    gain = victim(board, move) + promotion(move)
    return gain - (legal(board, move) if profile == "legal" else swap(board, move))


def victim(board: chess.Board, move: chess.Move) -> int:
    if board.is_en_passant(move):
        return VALUES[chess.PAWN]
    piece = board.piece_type_at(move.to_square)
    return VALUES[piece] if piece else 0


def promotion(move: chess.Move) -> int:
    return VALUES[move.promotion] - VALUES[chess.PAWN] if move.promotion else 0


def swap(board: chess.Board, move: chess.Move) -> int:
    """What the opponent wins back, whoever is pinned."""
    mover = board.piece_type_at(move.from_square)
    assert mover
    if mover == chess.KING:
        return 0
    occupied = board.occupied & ~chess.BB_SQUARES[move.from_square]
    if board.is_en_passant(move):
        behind = chess.square(
            chess.square_file(move.to_square), chess.square_rank(move.from_square)
        )
        occupied &= ~chess.BB_SQUARES[behind]
    standing = move.promotion or mover
    return recapture(board, move.to_square, not board.turn, occupied, standing)


def recapture(
    board: chess.Board, target: int, side: chess.Color, occupied: int, standing: int
) -> int:
    around = occupied | chess.BB_SQUARES[target]

    def attackers(color: chess.Color) -> chess.SquareSet:
        mask = board.attackers_mask(color, target, around) & occupied
        return chess.SquareSet(mask & ~chess.BB_SQUARES[target])

    ours = attackers(side)
    if not ours:
        return 0
    square = min(ours, key=lambda square: (board.piece_type_at(square), square))
    kind = board.piece_type_at(square)
    assert kind
    if kind == chess.KING:
        return 0 if attackers(not side) else VALUES[standing]
    left = occupied & ~chess.BB_SQUARES[square]
    return max(0, VALUES[standing] - recapture(board, target, not side, left, kind))


def legal(board: chess.Board, move: chess.Move) -> int:
    """What the opponent wins back by legal captures."""
    board = board.copy(stack=False)
    board.push(move)
    captures = [
        other
        for other in board.legal_moves
        if other.to_square == move.to_square
        and board.is_capture(other)
        and other.promotion in (None, chess.QUEEN)
    ]
    if not captures:
        return 0

    def order(other: chess.Move) -> tuple[int, int]:
        return board.piece_type_at(other.from_square) or 0, other.from_square

    best = min(captures, key=order)
    return max(0, victim(board, best) + promotion(best) - legal(board, best))


def noisy(board: chess.Board) -> list[chess.Move]:
    """Legal captures, en passant and promotions."""
    return [move for move in board.legal_moves if board.is_capture(move) or move.promotion]


def verdict(board: chess.Board, profile: str = "swap") -> dict[str, object]:
    """In check, the number of noisy moves, and the highest SEE."""
    moves = noisy(board)
    sees = [see(board, move, profile) for move in moves]
    return {
        "in_check": board.is_check(),
        "noisy": len(moves),
        "best_see": max(sees) if sees else None,
    }


def is_quiet(board: chess.Board) -> bool:
    best = verdict(board)["best_see"]
    return not board.is_check() and not (isinstance(best, int) and best > 0)


def quiescence(board: chess.Board, depth: int) -> int:
    """M of depth + 1, by its definition."""
    return most(board, depth + 1)


def most(board: chess.Board, j: int) -> int:
    values = [0]
    for move in noisy(board):
        if j == 0:
            values.append(see(board, move))
            continue
        after = board.copy(stack=False)
        after.push(move)
        values.append(victim(board, move) + promotion(move) - most(after, j - 1))
    return max(values)


def threats(board: chess.Board) -> int | None:
    """On how many squares the opponent could win, were it to move."""
    if board.is_check():
        return None
    passed = board.copy(stack=False)
    passed.push(chess.Move.null())
    passed.ep_square = None
    return len({move.to_square for move in noisy(passed) if see(passed, move) > 0})
