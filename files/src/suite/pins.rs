//! Which attackers may not capture: Stockfish's pin rules, and strictly legal captures.

use shakmaty::{Color, Piece, Role, Square};

use super::engine::Exchange;
use super::faults::Fault;
use super::scene::{Squares, Way, attacks, between, bit, slides, squares_of};
use swaplist::Profile;

impl Exchange<'_> {
    /// Whether captures that leave the own king attacked are left out.
    pub(super) fn tests_legality(&self) -> bool {
        let engine = self.engine;
        let is_legal = engine.profile == Profile::Legal || engine.has(Fault::OnlyLegalRecaptures);
        is_legal && !engine.has(Fault::PinsIgnored) && !engine.has(Fault::StaticPins)
    }

    /// The pieces of a side that a pin bars under Stockfish's rules.
    pub(super) fn barred(&self, side: Color) -> u64 {
        let engine = self.engine;
        let profile = engine.profile;
        if engine.has(Fault::PinsIgnored) {
            return 0;
        }
        let uses_pins = matches!(profile, Profile::Sf8 | Profile::Sf)
            || engine.has(Fault::UsesPins)
            || engine.has(Fault::StaticPins);
        let is_other_side = engine.has(Fault::OnlyOpponentPinned) && side == self.scene.turn
            || engine.has(Fault::OnlyMoverSidePinned) && side != self.scene.turn;
        if !uses_pins || is_other_side {
            return 0;
        }
        let board = self.board_of_pins();
        let pins = self.pins(&board, side);
        let stands = |pin: &Pin| {
            let is_on_target = pin.pinner == self.scene.to;
            self.occupied & bit(pin.pinner) != 0
                || is_on_target && engine.has(Fault::CapturedPinnerStays)
                || engine.has(Fault::PinsNeverReleased)
                || engine.has(Fault::StaticPins)
        };
        // Mixed up, `sf` asks for all and `sf8` for any.
        let needs_all = (profile == Profile::Sf8) != engine.has(Fault::OtherPinners);
        let is_in_force = if needs_all {
            pins.iter().all(stands)
        } else {
            pins.iter().any(stands)
        };
        if !is_in_force {
            return 0;
        }
        let blockers = pins.iter().filter(|pin| {
            let king = Way::from_to(pin.king, self.scene.to);
            let line = Way::from_to(pin.king, pin.pinner);
            let is_on_line = king.files * line.ranks == king.ranks * line.files
                && (king.is_diagonal() || king.is_straight());
            !(is_on_line && engine.has(Fault::PinnedMayStayOnLine))
        });
        blockers.fold(0, |all, pin| all | pin.blockers)
    }

    /// The board on which pins are looked for: that before the move.
    fn board_of_pins(&self) -> Squares {
        if self.engine.has(Fault::PinsEveryPly) {
            return self.squares;
        }
        let mut board = self.scene.squares;
        if self.engine.has(Fault::PinsAfterMove) {
            board[self.scene.to as usize] = board[self.scene.from as usize].take();
        }
        board
    }

    fn pins(&self, board: &Squares, side: Color) -> Vec<Pin> {
        let engine = self.engine;
        let king_side = if engine.has(Fault::WrongKingsBlockers) {
            !side
        } else {
            side
        };
        let Some(king) = king_of(board, king_side) else {
            return Vec::new();
        };
        let is_sniper = |square: Square| {
            let way = Way::from_to(square, king);
            let is_missed = engine.has(Fault::NoDiagonalPins) && way.is_diagonal()
                || engine.has(Fault::NoStraightPins) && way.is_straight();
            board[square as usize].is_some_and(|piece| {
                let is_kind = piece.role != Role::Queen || !engine.has(Fault::NoQueenPins);
                piece.color != king_side && slides(piece.role, way) && is_kind && !is_missed
            })
        };
        // Mixed up, `sf` counts other snipers as blockers and `sf8` does not.
        let sees_through = (engine.profile == Profile::Sf) != engine.has(Fault::OtherBlockers);
        let most = if engine.has(Fault::TwoBlockers) { 2 } else { 1 };
        let mut pins = Vec::new();
        for pinner in Square::ALL.into_iter().filter(|square| is_sniper(*square)) {
            let on_way: Vec<Square> = between(pinner, king)
                .filter(|square| {
                    board[*square as usize].is_some() && !(sees_through && is_sniper(*square))
                })
                .collect();
            let blockers: Vec<&Square> = on_way
                .iter()
                .filter(|square| board[**square as usize].is_some_and(|piece| piece.color == side))
                .collect();
            if on_way.len() <= most && !blockers.is_empty() {
                pins.push(Pin {
                    king,
                    pinner,
                    blockers: blockers.iter().fold(0, |all, square| all | bit(**square)),
                });
            }
        }
        pins
    }

    /// Whether the capture of the piece on a square would leave its own king attacked.
    pub(super) fn is_illegal(&self, square: Square, side: Color) -> bool {
        let engine = self.engine;
        let is_other_side = engine.has(Fault::OnlyOpponentPinned) && side == self.scene.turn
            || engine.has(Fault::OnlyMoverSidePinned) && side != self.scene.turn;
        let is_king = self.role(square) == Role::King;
        if is_king && engine.has(Fault::KingIgnoresGuards) || is_other_side && !is_king {
            return false;
        }
        let mut after = self.squares;
        let capturer = after[square as usize].take();
        let stays = engine.has(Fault::PinnedStayOnLine) && !is_king;
        let mut before = self.squares;
        if !stays {
            after[self.scene.to as usize] = capturer;
            before[self.scene.to as usize] = capturer;
        }
        let king = if is_king {
            self.scene.to
        } else {
            let Some(king) = king_of(&after, side) else {
                return false;
            };
            king
        };
        let is_attacked = self.attacks_king(&after, king, side, is_king);
        if stays {
            // Without the piece the line is open, whatever stands on the target.
            let opened = is_attacked && !self.attacks_king(&before, king, side, is_king);
            let mut played = after;
            played[self.scene.to as usize] = capturer;
            return opened || self.attacks_king(&played, king, side, is_king);
        }
        if engine.has(Fault::ChecksIgnored) && !is_king {
            // A check that was there before is not this piece's pin.
            return is_attacked && !self.attacks_king(&before, king, side, is_king);
        }
        is_attacked
    }

    fn attacks_king(&self, board: &Squares, king: Square, side: Color, is_king: bool) -> bool {
        let engine = self.engine;
        squares_of(!bit(king)).any(|square| {
            let Some(piece) = board[square as usize].filter(|piece| piece.color != side) else {
                return false;
            };
            let way = Way::from_to(square, king);
            let is_slider = matches!(piece.role, Role::Bishop | Role::Rook | Role::Queen);
            let is_missed = is_slider
                && !is_king
                && (engine.has(Fault::NoDiagonalPins) && way.is_diagonal()
                    || engine.has(Fault::NoStraightPins) && way.is_straight()
                    || engine.has(Fault::NoQueenPins) && piece.role == Role::Queen);
            let is_pinned =
                is_king && engine.has(Fault::PinnedDoNotGuard) && is_pinned(board, square, piece);
            !is_missed
                && !is_pinned
                && attacks(&engine.faults, piece, square, king, |at| {
                    board[at as usize].is_some()
                })
        })
    }
}

/// A pin of one side.
struct Pin {
    king: Square,
    pinner: Square,
    blockers: u64,
}

fn king_of(board: &Squares, side: Color) -> Option<Square> {
    let king = Piece {
        color: side,
        role: Role::King,
    };
    Square::ALL
        .into_iter()
        .find(|square| board[*square as usize] == Some(king))
}

/// Whether a slider attacks the piece's king once the piece has left its square.
fn is_pinned(board: &Squares, square: Square, piece: Piece) -> bool {
    let Some(king) = king_of(board, piece.color) else {
        return false;
    };
    Square::ALL.into_iter().any(|at| {
        let is_slider = board[at as usize].is_some_and(|slider| {
            slider.color != piece.color && slides(slider.role, Way::from_to(at, king))
        });
        let mut on_way = between(at, king).filter(|between| board[*between as usize].is_some());
        is_slider && on_way.next() == Some(square) && on_way.next().is_none()
    })
}
