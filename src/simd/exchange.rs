//! The exchange in lanes: `exchange.rs`, one move a lane, and no branch but the
//! loop's end.
//!
//! Alpha and beta stay in the first mover's view here. A lane is done when they
//! meet: whoever may stop clamps them to the balance, and who cannot recapture
//! draws the other bound to its own. What a finished lane does further changes
//! nothing.

use super::board::{Board, Lines};
use super::lanes::{MAX_LANES, Mask, MaskOf, PerLane, Simd, Word};
use super::pins::Barred;
use crate::exchange::INFINITE;
use crate::{Capture, EnPassant, FirstPromotion, Position, Rules};

/// The rules, spread over lanes once for many moves.
pub(super) struct LaneRules<S: Simd> {
    rules: Rules,
    table: S::Table,
    /// Pawn, knight, bishop, rook, queen.
    values: [S::Word; 5],
    /// What a pawn gains by becoming a queen.
    queening: S::Word,
}

impl<S: Simd> LaneRules<S> {
    #[inline(always)]
    pub(super) fn new(simd: S, rules: &Rules) -> LaneRules<S> {
        let [pawn, knight, bishop, rook, queen] = rules.values.to_array();
        LaneRules {
            rules: *rules,
            table: simd.table([0, pawn, knight, bishop, rook, queen, 0, 0]),
            values: [
                simd.splat_value(pawn),
                simd.splat_value(knight),
                simd.splat_value(bishop),
                simd.splat_value(rook),
                simd.splat_value(queen),
            ],
            queening: simd.splat_value(queen - pawn),
        }
    }
}

/// The moves of one group: lanes beyond its end repeat some move.
pub(super) struct Group<'a> {
    pub positions: [&'a Position; MAX_LANES],
    pub captures: [Capture; MAX_LANES],
}

/// The exact SEE of each lane's move.
#[inline(always)]
pub(super) fn see<S: Simd, const PINS: u8, const QUEENS: bool>(
    simd: S,
    rules: &LaneRules<S>,
    group: &Group,
) -> S::Word {
    let (mut exchange, mut window, mut balance) =
        Exchange::<S, PINS, QUEENS>::open(simd, rules, group);
    loop {
        // The first mover's opponent may stop, or recapture.
        window.beta = window.alpha.max_value(window.beta.min_value(balance));
        let (won, ended) = exchange.recapture(true);
        window.alpha = ended.select(window.beta, window.alpha);
        if !window.is_open() {
            return window.alpha;
        }
        balance = balance.sub_value(won);
        window.alpha = window.beta.min_value(window.alpha.max_value(balance));
        let (won, ended) = exchange.recapture(false);
        window.beta = ended.select(window.alpha, window.beta);
        if !window.is_open() {
            return window.alpha;
        }
        balance = balance.add_value(won);
    }
}

/// What each lane's value still may be.
struct Window<W> {
    alpha: W,
    beta: W,
}

impl<W: Word> Window<W> {
    #[inline(always)]
    fn is_open(&self) -> bool {
        self.alpha.is_less(self.beta).any()
    }
}

/// The state between two captures on one square, in each lane.
struct Exchange<'a, S: Simd, const PINS: u8, const QUEENS: bool> {
    simd: S,
    rules: &'a LaneRules<S>,
    board: Board<S::Word>,
    lines: Lines<S::Word>,
    /// Sliders on the target's lines that move along them.
    aligned: S::Word,
    /// Pieces that have not moved, the one on the target left out; a king that
    /// captures stays too, since nothing joins behind it.
    occupied: S::Word,
    attackers: S::Word,
    /// Squares of the first mover's opponent: black's bits, or all others.
    side: S::Word,
    /// The value of what stands on the target.
    standing: S::Word,
    /// Lanes whose target is on the first or last rank, for inside promotions.
    last_rank: MaskOf<S>,
    barred: Barred<S::Word>,
}

impl<'a, S: Simd, const PINS: u8, const QUEENS: bool> Exchange<'a, S, PINS, QUEENS> {
    /// Plays the first moves.
    #[inline(always)]
    fn open(
        simd: S,
        rules: &'a LaneRules<S>,
        group: &Group,
    ) -> (Self, Window<S::Word>, S::Word) {
        let board = Board::new(simd.planes(group.positions));
        let squares: PerLane = group.captures.map(Capture::to_index);
        let moves = simd.load(&group.captures.map(|capture| capture.to_bits().into()));
        let from = moves.shr::<9>().bit();
        let target_index = moves.shr::<3>() & simd.splat(63);
        let target = target_index.bit();
        let mask_rows = simd.masks(&squares);
        let [file, rank, diagonal, antidiagonal, ..] = mask_rows;
        let lines = Lines::new([file, rank, diagonal, antidiagonal], target);

        let everyone = board.occupied();
        let black_moves = board.black.meets(from);
        let side = black_moves.select(!board.black, board.black);
        let mover = board.code_at(simd, from);
        let victim = board.code_at(simd, target);
        let mut gain = simd.look_up(rules.table, victim);
        let mut standing = simd.look_up(rules.table, mover);
        let mut occupied = everyone & !(from | target);

        let takes = everyone.meets(target);
        let castles = takes & side.misses(target);
        let king_moves = board.kings().meets(from);
        let settled_value = (king_moves & !castles).keep(gain);
        let mut settled = castles | king_moves;

        let pawn_moves = board.pawns().meets(from);
        let pawn = rules.values[0];
        let files = moves.shr::<9>() ^ target_index;
        let en_passant = pawn_moves & !takes & files.meets(simd.splat(7));
        match rules.rules.en_passant {
            EnPassant::Zero => settled = settled | en_passant,
            EnPassant::Exact => {
                gain = en_passant.select(pawn, gain);
                let victim = (target_index ^ simd.splat(8)).bit();
                occupied = occupied & !en_passant.keep(victim);
            }
        }
        let promotion = moves & simd.splat(7);
        let promotes = pawn_moves & promotion.meets(promotion);
        match rules.rules.first_promotion {
            FirstPromotion::Zero => settled = settled | promotes,
            FirstPromotion::Pawn => {}
            FirstPromotion::Full => {
                let piece = simd.look_up(rules.table, promotion);
                gain = promotes.select(gain.add_value(piece.sub_value(pawn)), gain);
                standing = promotes.select(piece, standing);
            }
        }

        let aligned = lines.aligned(&board);
        let exchange = Exchange {
            simd,
            rules,
            board,
            aligned,
            occupied,
            attackers: attackers(&board, &lines, mask_rows, aligned, occupied) & occupied,
            side,
            standing,
            last_rank: target.meets(simd.splat(0xff00_0000_0000_00ff)),
            barred: Barred::new::<S, PINS>(simd, &board, side, group),
            lines,
        };
        let window = Window {
            alpha: settled.select(settled_value, simd.splat_value(-INFINITE)),
            beta: settled.select(settled_value, simd.splat_value(INFINITE)),
        };
        (exchange, window, gain)
    }

    /// The first mover's opponent, or it itself, recaptures where it can: what it
    /// wins, and the lanes where it cannot.
    #[inline(always)]
    fn recapture(&mut self, opponent: bool) -> (S::Word, MaskOf<S>) {
        let side = if opponent { self.side } else { !self.side };
        let [pawn, knight, bishop, rook, queen] = self.rules.values;
        let board = &self.board;
        let own = self.attackers & side & !self.barred.of::<S, PINS>(self.simd, opponent, self.occupied);
        // A king recaptures only what nobody guards.
        let unguarded = self.attackers.misses(!side);
        let mut kind = unguarded.keep(board.kings());
        let mut value = pawn;
        let pawns = board.pawns();
        let takes_pawn = own.meets(pawns);
        for (pieces, worth) in [
            (board.queens(), queen),
            (board.rooks(), rook),
            (board.bishops(), bishop),
            (board.knights(), knight),
            (pawns, pawn),
        ] {
            let takes = own.meets(pieces);
            kind = takes.select(pieces, kind);
            value = takes.select(worth, value);
        }
        let ended = own.misses(kind);
        let mut won = self.standing;
        if QUEENS {
            let queens = takes_pawn & self.last_rank;
            won = queens.select(won.add_value(self.rules.queening), won);
            value = queens.select(queen, value);
        }
        self.standing = value;
        self.remove((own & kind).lowest());
        (won, ended)
    }

    /// The capturer leaves its square; sliders behind it join.
    #[inline(always)]
    fn remove(&mut self, capturer: S::Word) {
        self.occupied = self.occupied ^ (capturer & !self.board.kings());
        let line = self.lines.line_of(capturer);
        let seen = self.lines.line_attacks(line, self.occupied);
        self.attackers = (self.attackers | seen & self.aligned) & self.occupied;
    }
}

/// As `attacks::attackers`.
#[inline(always)]
pub(super) fn attackers<W: Word>(
    board: &Board<W>,
    lines: &Lines<W>,
    [.., knight, king, white_pawns, black_pawns]: [W; 8],
    aligned: W,
    occupied: W,
) -> W {
    let pawns = board.pawns() & (black_pawns & board.black | white_pawns & !board.black);
    let steps = pawns | board.knights() & knight | board.kings() & king;
    steps | lines.queen_attacks(occupied) & aligned
}
