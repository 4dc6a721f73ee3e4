//! Which positions are within a bound, or beyond it, by no more than what each side
//! attacks: one position a lane, neither targets nor moves listed.
//!
//! No capture is worth more than its victim. Where the other side can answer, none
//! is worth more than the victim less the capturer if nobody of the mover's side is
//! left to go on, nor, if a pawn answers, more than the victim less the capturer plus
//! that pawn. And a legal capture is worth no less than its victim less the capturer,
//! or its victim where nobody can answer. What this leaves open goes the long way
//! with the targets that are in question.

use super::board::{Board, Lines};
use super::lanes::{MAX_LANES, Mask, MaskOf, Simd, Word};
use super::noisy::king_squares;
use super::pins::Pinned;
use super::walk::{Walk, inner, jumps, ring};
use crate::captures::fill::Shift as _;
use crate::exchange::{NO_PINS, SF_PINS};
use crate::{InsidePromotion, Position, Rules};

const LAST_RANKS: u64 = 0xff00_0000_0000_00ff;

/// Piece types that can be captured: code 1 to 6, the king (where bytes are no
/// position) among them.
const VICTIMS: usize = 6;

/// Sorts of capturers that are told apart: pawns, knights, bishops and queens on
/// diagonals, rooks and queens on ranks and files.
const SORTS: usize = 4;

/// Of a bound and piece values: which victims a capture needs to be in question, as
/// the number of the most valuable piece types that will do.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    /// Codes of the piece types, the most valuable first.
    order: [u8; VICTIMS],
    /// Nobody answers, or it is not known what follows.
    open: u8,
    /// Somebody answers, and that is all, for the cheapest capturer of a sort.
    lost: [u8; SORTS],
    /// A pawn answers, and is recaptured.
    pawn: [u8; SORTS],
    /// Beyond the bound whatever follows, with the dearest capturer of a sort.
    sure: [u8; SORTS],
    /// Whether a pawn that recaptures on the last rank becomes a queen.
    queens: bool,
    /// Whether there is a bound at all.
    bounded: bool,
}

impl Limits {
    pub(super) fn new(rules: &Rules, bound: Option<i32>) -> Limits {
        let [pawn, knight, bishop, rook, queen] = rules.values.to_array().map(i64::from);
        let values = [0, pawn, knight, bishop, rook, queen, 0];
        let mut order: [u8; VICTIMS] = [1, 2, 3, 4, 5, 6];
        order.sort_by_key(|&code| -values[usize::from(code)]);
        let bounded = bound.is_some();
        let bound = i64::from(bound.unwrap_or(i32::MAX));
        // Victims that are worth more than the bound and what is lost.
        let with = |lost: i64| {
            let enough = values[1..]
                .iter()
                .filter(|&&value| value - lost.max(0) > bound);
            enough.count() as u8
        };
        let cheapest = [pawn, knight, bishop.min(queen), rook.min(queen)];
        let dearest = [pawn, knight, bishop.max(queen), rook.max(queen)];
        Limits {
            order,
            open: with(0),
            lost: cheapest.map(with),
            pawn: cheapest.map(|capturer| with(capturer - pawn.max(0))),
            sure: dearest.map(with),
            queens: rules.inside_promotion == InsidePromotion::Queen,
            bounded,
        }
    }
}

/// What is known of one position a lane.
pub(super) struct Screened<S: Simd> {
    pub in_check: MaskOf<S>,
    /// Lanes where a legal capture is beyond the bound.
    pub beyond: MaskOf<S>,
    /// Lanes where that is not known: in all others no move is.
    pub open: MaskOf<S>,
    /// The victims in question, promotions and en passant apart.
    pub targets: S::Word,
}

/// Screens the side to move, or its opponent as if it were to move.
#[inline(always)]
pub(super) fn screen<S: Simd, const PINS: u8>(
    simd: S,
    limits: &Limits,
    positions: [&Position; MAX_LANES],
    opponent: bool,
) -> Screened<S> {
    let board = Board::new(simd.planes(positions));
    let men = Men::new(simd, board, opponent);
    let mut seen = Seen::new(simd, &men);
    seen.steps(&men);
    seen.sliders(&men);
    let victims = Victims::new(simd, limits, &men);

    let in_check = seen.theirs().meets(men.king);
    let defended = seen.defended::<PINS>(limits, &men);
    let doubtful = seen.in_question(limits, &victims, defended);
    let sure = seen.sure(limits, &victims, &men) & !in_check;
    let odd = men.king.misses(men.king) | (men.king & (men.king - simd.splat(1))).meets(men.king);
    let rare = men.rare.meets(men.rare) & simd.first_lanes(usize::from(limits.bounded) * S::LANES);
    let beyond = sure & !odd;
    Screened {
        in_check,
        beyond,
        open: (doubtful.meets(doubtful) | rare | odd) & !beyond,
        targets: (odd | rare).select(simd.splat(!0), doubtful),
    }
}

/// Who stands where.
struct Men<S: Simd> {
    board: Board<S::Word>,
    occupied: S::Word,
    us: S::Word,
    them: S::Word,
    /// Of the side whose captures are looked at.
    king: S::Word,
    black_moves: MaskOf<S>,
    /// Own pawns that are about to promote.
    promoting: S::Word,
    /// Those, and the en-passant target.
    rare: S::Word,
}

impl<S: Simd> Men<S> {
    #[inline(always)]
    fn new(simd: S, board: Board<S::Word>, opponent: bool) -> Men<S> {
        let occupied = board.occupied();
        let mover = board.bit0 & board.bit1 & board.bit2;
        let black_moves = mover.meets(board.black);
        let black_moves = if opponent { !black_moves } else { black_moves };
        let side = black_moves.select(board.black, !board.black);
        let (us, them) = (occupied & side, occupied & !side);
        let seventh = black_moves.select(simd.splat(0xff00), simd.splat(0x00ff_0000_0000_0000));
        let promoting = board.pawns() & us & seventh;
        let ep = if opponent {
            simd.splat(0)
        } else {
            board.black & !occupied
        };
        Men {
            board,
            occupied,
            us,
            them,
            king: board.kings() & us,
            black_moves,
            promoting,
            rare: promoting | ep,
        }
    }

    /// What pawns of one side attack, towards the h-file and towards the a-file.
    #[inline(always)]
    fn pawn_attacks(simd: S, pawns: S::Word, black: MaskOf<S>) -> [S::Word; 2] {
        let inner = inner(simd);
        [
            inner.b_to_h & black.select(pawns.shr::<7>(), pawns.shl::<9>()),
            inner.a_to_g & black.select(pawns.shr::<9>(), pawns.shl::<7>()),
        ]
    }
}

/// Victims by what they are worth.
struct Victims<W>([W; 8]);

impl<W: Word> Victims<W> {
    #[inline(always)]
    fn new<S: Simd<Word = W>>(simd: S, limits: &Limits, men: &Men<S>) -> Victims<W> {
        let (board, them, none) = (&men.board, men.them, simd.splat(0));
        let (diagonal, straight) = (board.diagonal_sliders(), board.straight_sliders());
        let by_code = [
            none,
            board.pawns() & them,
            board.knights() & them,
            diagonal & !straight & them,
            straight & !diagonal & them,
            diagonal & straight & them,
            board.kings() & them,
            none,
        ];
        let mut most = [none; 8];
        for (i, &code) in limits.order.iter().enumerate() {
            most[i + 1] = most[i] | by_code[usize::from(code & 7)];
        }
        Victims(most)
    }

    /// The victims of so many of the most valuable types.
    #[inline(always)]
    fn of(&self, types: u8) -> W {
        self.0[usize::from(types & 7)]
    }
}

/// What both sides see.
struct Seen<S: Simd> {
    simd: S,
    /// What the mover's side attacks, by sort of capturer, but with its king.
    sorts: [S::Word; SORTS],
    king: S::Word,
    /// Squares attacked by one of the mover's side at least, and by two: sliders
    /// counted that may join behind others.
    once: S::Word,
    twice: S::Word,
    /// What the other side attacks.
    their_pawns: S::Word,
    their_pieces: S::Word,
    their_king: S::Word,
    /// What it sees through one man of the mover's side.
    through: S::Word,
}

impl<S: Simd> Seen<S> {
    #[inline(always)]
    fn new(simd: S, men: &Men<S>) -> Seen<S> {
        let none = simd.splat(0);
        let king = ring(simd, men.king);
        Seen {
            simd,
            sorts: [none; SORTS],
            king,
            once: king,
            twice: none,
            their_pawns: none,
            their_pieces: none,
            their_king: ring(simd, men.board.kings() & men.them),
            through: none,
        }
    }

    #[inline(always)]
    fn count(&mut self, attacked: S::Word) {
        self.twice = self.twice | self.once & attacked;
        self.once = self.once | attacked;
    }

    /// Pawns and knights.
    #[inline(always)]
    fn steps(&mut self, men: &Men<S>) {
        let simd = self.simd;
        let pawns = men.board.pawns();
        let ours = Men::pawn_attacks(simd, pawns & men.us & !men.promoting, men.black_moves);
        let theirs = Men::pawn_attacks(simd, pawns & men.them, !men.black_moves);
        self.sorts[0] = ours[0] | ours[1];
        self.their_pawns = theirs[0] | theirs[1];
        let knights = men.board.knights();
        let jumps = jumps(simd, knights & men.us);
        for attacked in ours.into_iter().chain(jumps) {
            self.count(attacked);
        }
        for attacked in jumps {
            self.sorts[1] = self.sorts[1] | attacked;
        }
        self.their_pieces = inner(simd).knights(knights & men.them);
    }

    #[inline(always)]
    fn sliders(&mut self, men: &Men<S>) {
        let inner = inner(self.simd);
        let (not_a, not_h) = (inner.b_to_h, inner.a_to_g);
        let all = self.simd.splat(!0);
        let (pawns, black) = (men.board.pawns(), men.board.black);
        let (white, black) = (pawns & !black, pawns & black);
        let diagonal = men.board.diagonal_sliders();
        let a = self.ray::<true, 9, 18, 36>(men, diagonal, white, not_a);
        let b = self.ray::<true, 7, 14, 28>(men, diagonal, white, not_h);
        let c = self.ray::<false, 7, 14, 28>(men, diagonal, black, not_a);
        let d = self.ray::<false, 9, 18, 36>(men, diagonal, black, not_h);
        self.sorts[2] = a | b | c | d;
        let (straight, none) = (men.board.straight_sliders(), self.simd.splat(0));
        let a = self.ray::<true, 8, 16, 32>(men, straight, none, all);
        let b = self.ray::<false, 8, 16, 32>(men, straight, none, all);
        let c = self.ray::<true, 1, 2, 4>(men, straight, none, not_a);
        let d = self.ray::<false, 1, 2, 4>(men, straight, none, not_h);
        self.sorts[3] = a | b | c | d;
    }

    /// What both sides see in one direction: what ours attack is returned. `edge` are
    /// the squares that a step may end on, `pawns` those that capture this way.
    #[inline(always)]
    fn ray<const UP: bool, const ONE: u32, const TWO: u32, const FOUR: u32>(
        &mut self,
        men: &Men<S>,
        sliders: S::Word,
        pawns: S::Word,
        edge: S::Word,
    ) -> S::Word {
        let empty = Walk::<_, UP, ONE, TWO, FOUR>::new(!men.occupied, edge);
        let everywhere = Walk::<_, UP, ONE, TWO, FOUR>::new(self.simd.splat(!0), edge);
        let ours = empty.see(sliders & men.us);
        self.count(ours);
        // Behind what captures along this line, whatever else stands there.
        let joining = everywhere.see(ours & sliders) | everywhere.step(ours & pawns);
        self.count(joining);
        let theirs = empty.see(sliders & men.them);
        self.their_pieces = self.their_pieces | theirs;
        self.through = self.through | empty.see(theirs & men.us);
        ours
    }

    #[inline(always)]
    fn theirs(&self) -> S::Word {
        self.their_pawns | self.their_pieces | self.their_king
    }

    /// Squares where the other side can answer a capture, one way or the other.
    #[inline(always)]
    fn defended<const PINS: u8>(&self, limits: &Limits, men: &Men<S>) -> S::Word {
        let defended = self.theirs();
        let defended = if limits.queens {
            // Who takes it there may become a queen.
            defended & !self.simd.splat(LAST_RANKS)
        } else {
            defended
        };
        if PINS == NO_PINS {
            return defended;
        }
        // A man that shields his king may be barred.
        let shields = shields::<S, PINS>(self.simd, men);
        shields.misses(shields).keep(defended)
    }

    /// Targets of captures that may be beyond the bound.
    #[inline(always)]
    fn in_question(
        &self,
        limits: &Limits,
        victims: &Victims<S::Word>,
        defended: S::Word,
    ) -> S::Word {
        let by_pawn = self.twice & self.their_pawns;
        let by_others = self.twice & !self.their_pawns;
        let [a, b, c, d] = self.sorts;
        let anyone = (a | b | c | d) & (!defended | by_others) | self.king & !self.theirs();
        let mut found = anyone & victims.of(limits.open);
        for (sort, attacked) in self.sorts.into_iter().enumerate() {
            let enough = victims.of(limits.lost[sort]) | by_pawn & victims.of(limits.pawn[sort]);
            found = found | attacked & enough;
        }
        found
    }

    /// Lanes where a capture is beyond the bound, if the side is not in check.
    #[inline(always)]
    fn sure(&self, limits: &Limits, victims: &Victims<S::Word>, men: &Men<S>) -> MaskOf<S> {
        let [a, b, c, d] = self.sorts;
        let unanswered = victims.of(limits.open) & !self.theirs();
        // What sees through a man of ours joins when that captures, or pins it.
        let mut pieces = (a | b | c | d) & unanswered & !self.through;
        for (sort, attacked) in self.sorts.into_iter().enumerate() {
            let enough = attacked & victims.of(limits.sure[sort]);
            pieces = pieces
                | if limits.queens {
                    enough & !self.simd.splat(LAST_RANKS)
                } else {
                    enough
                };
        }
        let free = self.through.misses(men.king);
        let king = self.king & unanswered;
        free & pieces.meets(pieces) | king.meets(king)
    }
}

/// Men of the other side that alone shield their king, by a rule of pins.
#[inline(always)]
fn shields<S: Simd, const PINS: u8>(simd: S, men: &Men<S>) -> S::Word {
    let king = Lines::of(simd, &king_squares::<S>(men.board.kings() & men.them));
    let snipers = king.aligned(&men.board) & men.us;
    let mut occupied = men.occupied;
    if PINS == SF_PINS {
        occupied = occupied & !snipers;
    }
    Pinned::new(simd, &king, men.them, snipers, occupied).blockers
}
