//! The screen: decides from attack maps whether a side has a capture that wins more than a bound,
//! one position per lane. It says yes, no, or undecided, and never errs. `bounds.rs` asks it first,
//! up to three times for a position, and has the undecided ones decided by the stages (`stages.rs`)
//! or by scalar code (`verdict.rs`). It is an estimate from sets of attacked squares: no list of
//! targets or moves is made, and no exchange is played.
//!
//! # An example
//!
//! White to move. The bound is 0, a pawn is worth 100, a knight 325:
//!
//! ```text
//! 8  . . . . k . . .
//! 7  . . . . . . . .
//! 6  . . . . . . . .
//! 5  . . . p . . . .
//! 4  . . . . P . . .
//! 3  . . . . . . . .
//! 2  . . . . . . . .
//! 1  . . . . K . . .
//!
//!    a b c d e f g h
//! ```
//!
//! - As it stands, nothing guards d5: exd5 wins 100, whatever follows. Decided: yes.
//! - With a black pawn on e6: exd5 exd5 wins 100 and loses 100, and White has no second attacker.
//!   Decided: no.
//! - With a white knight on c3 as well: after exd5 exd5 Nxd5 White may be a pawn up. Undecided,
//!   with d5 as the only victim in question. (The stages find that exd5 wins 100, whether Black
//!   recaptures or not: yes.)
//!
//! # What the screen knows
//!
//! ```text
//! at most, a capture wins
//!     its victim
//!     its victim - the capturer             if it is recaptured, and nothing can take back
//!     its victim - the capturer + a pawn    if a pawn recaptures, and may be taken in turn
//! at least, a legal capture wins
//!     its victim                            if nobody can recapture
//!     its victim - the capturer             whatever follows
//! ```
//!
//! None of that needs the values of single pieces. Victim types are sorted by value. A limit is a
//! number n of types, counted from the most valuable. An upper limit says that only captures of
//! these n types can win more than the bound. A lower limit says that captures of these n types win
//! more than the bound for sure; of the others it says nothing. With bound 0 a pawn that is
//! recaptured needs a victim worth more than 100, so its limit is 4: queen, rook, bishop, knight.
//! The numbers are found once per call ([`Limits`]); for a position, [`Victims`] has the union of
//! the n most valuable types, and [`Attacks`] who attacks what.
//!
//! # What must hold
//!
//! - An upper limit may be too high and a lower one too low: that only costs time, as the stages
//!   then decide a position that the screen could have decided. Too low an upper limit or too high
//!   a lower one makes the answer wrong. Hence:
//!   - `twice` may have squares too many, never too few.
//!   - For a lower limit, a square counts as undefended only if nobody can recapture there, not
//!     even a slider that the capturer uncovers: `through` takes those squares out.
//!   - For an upper limit, a square counts as defended only if somebody can recapture there. Under
//!     a pin rule, a piece of the other side that alone stands between its king and one of our
//!     sliders (a *shield*) may be barred from that. So if there is one, no square of the lane
//!     counts as defended. (Under `Pins::Sf` our sliders on the lines of that king do not count as
//!     standing in between.)
//! - Promotions and en passant are not in the maps. A position where the side has a pawn one step
//!   from promotion (also a blocked one) or an en-passant target is undecided, with all squares in
//!   question, unless another capture exceeds the bound for sure.

use super::board::{Pieces, SidePins, inner};
use super::lanes::{MAX_LANES, Mask, MaskOf, Simd, Word};
use crate::attacks::{LAST_RANKS, Walk};
use crate::{Bounds, Pins, Position, RecapturePromotion, Rules};

/// The number of victim types: piece codes 1 (pawn) to 6 (king). Kings are among them, with the
/// value 0, since in a position of arbitrary bytes one may be capturable.
const VICTIMS: usize = 6;

/// The number of capturer classes: pawns; knights; bishops and queens on diagonals; rooks and
/// queens on ranks and files. Within a class it is not known which piece attacks a square: limits
/// take the cheapest or the most valuable one. Kings are treated apart.
const CLASSES: usize = 4;

/// What is asked about one side's captures, and its limits. Made once for each question, not for
/// each position.
///
/// Each limit is a number n of victim types, counted from the most valuable, as explained at the
/// head of this file. With bound 100 and the usual values, `if_undefended` is 4: queen, rook,
/// bishop, knight.
///
/// Limits only select among the pieces that a side attacks. So a side that attacks none exceeds no
/// bound, not even a negative one.
pub(super) struct Limits {
    /// Whether the captures are the opponent's, as if it were to move.
    pub opponent: bool,
    /// The bound; `i32::MAX` if there is none: no value exceeds it, so all limits are 0.
    pub bound: i32,
    /// Whether captures on two squares must exceed it.
    pub two: bool,
    /// Codes of the piece types, the most valuable first. [`Victims`] is built in this order.
    order: [u8; VICTIMS],
    /// The limit where the whole victim may be won. As an upper limit it is used where nobody can
    /// recapture, where it is not certain that somebody can, and where a piece other than a pawn
    /// recaptures and may be taken in turn. (In that last case a recapture may cost the other side
    /// more than it wins. Then it does not recapture, so the victim is still the most that is won.)
    /// As a lower limit it is used only where it is certain that nobody can recapture.
    if_undefended: u8,
    /// An upper limit if a piece recaptures and nothing takes it, for the cheapest capturer of a
    /// class.
    if_recaptured: [u8; CLASSES],
    /// An upper limit if a pawn recaptures and may be taken, for the cheapest capturer of a class:
    /// the capturer is lost, and the pawn is won. Only pawns have such a limit, as the maps do not
    /// say what other recapturers are worth.
    if_pawn_recaptures: [u8; CLASSES],
    /// A lower limit: captures of these types win more than the bound whatever follows, with the
    /// most valuable capturer of a class.
    in_any_case: [u8; CLASSES],
    /// Whether a pawn that recaptures on the last rank becomes a queen
    /// (`Rules::recapture_promotion`).
    queens: bool,
    /// The rule about pinned pieces. Never `Pins::Legal`, under which no bound is found in lanes.
    pins: Pins,
}

impl Limits {
    /// The three questions: about the side to move; about its opponent's best capture; about the
    /// opponent's captures on two squares. The side to move must come first: its pass writes whole
    /// answers (`screen_lanes` in `bounds.rs`). A question that is not asked is in the array, too,
    /// without a bound. Wins on two squares have the bound 0: a square is won if a SEE there is
    /// above 0.
    #[inline(always)]
    pub fn all(rules: &Rules, bounds: Bounds) -> [Limits; 3] {
        let double_threat = bounds.double_threat.then_some(0);
        let all = [
            Limits::new(rules, false, bounds.see, false),
            Limits::new(rules, true, bounds.threat, false),
            Limits::new(rules, true, double_threat, true),
        ];
        debug_assert!(all.is_sorted_by_key(|limits| limits.opponent));
        all
    }

    /// The limits of one question; the arguments are the fields of the same names.
    fn new(rules: &Rules, opponent: bool, bound: Option<i32>, two: bool) -> Limits {
        // As 64-bit numbers, in which no difference of a value and a bound overflows.
        let [pawn, knight, bishop, rook, queen] = rules.values.to_array().map(i64::from);
        let values = [0, pawn, knight, bishop, rook, queen, 0];
        let mut order: [u8; VICTIMS] = [1, 2, 3, 4, 5, 6];
        order.sort_by_key(|&code| -values[usize::from(code)]);
        let bound = bound.unwrap_or(i32::MAX);
        // The number of victim types worth more than the bound plus a loss. A negative loss counts
        // as none: the other side does not take a piece that is worth less than nothing. `order`
        // has the most valuable types first, so these types are its first ones.
        let types_above = |loss: i64| {
            let enough = values[1..]
                .iter()
                .filter(|&&value| value - loss.max(0) > i64::from(bound));
            enough.count() as u8
        };
        let cheapest = [pawn, knight, bishop.min(queen), rook.min(queen)];
        let costliest = [pawn, knight, bishop.max(queen), rook.max(queen)];
        Limits {
            opponent,
            bound,
            two,
            order,
            if_undefended: types_above(0),
            if_recaptured: cheapest.map(types_above),
            if_pawn_recaptures: cheapest.map(|capturer| types_above(capturer - pawn.max(0))),
            in_any_case: costliest.map(types_above),
            queens: rules.recapture_promotion == RecapturePromotion::Queen,
            pins: rules.pins,
        }
    }

    /// Whether the question has a bound. If not, nothing exceeds it.
    #[inline(always)]
    pub fn is_bounded(&self) -> bool {
        self.bound != i32::MAX
    }

    /// Lanes with as many squares as the question asks for: at least one, or at least two.
    /// `x.meets(x)` says whether `x` has any square. `x & (x - 1)` is `x` without its lowest
    /// square: if that still has one, `x` has two.
    #[inline(always)]
    fn is_reached<S: Simd>(&self, simd: S, squares: S::Word) -> MaskOf<S> {
        if self.two {
            squares.meets(squares & (squares - simd.splat(1)))
        } else {
            squares.meets(squares)
        }
    }
}

/// What the screen finds for one position per lane.
pub(super) struct ScreenResult<S: Simd> {
    /// Lanes where a king of the side that is screened is attacked. Callers use it only when that
    /// is the side to move.
    /// In lanes without exactly one king it may be wrong: they are undecided, and whoever decides
    /// them writes "in check" anew.
    pub in_check: MaskOf<S>,
    /// Lanes where a legal capture exceeds the bound for sure (captures on two squares, if that is
    /// the question).
    pub exceeds: MaskOf<S>,
    /// Lanes that are undecided. In lanes that are neither, the bound is not exceeded for sure.
    pub undecided: MaskOf<S>,
    /// In the lanes that are undecided the victims whose capture may exceed the bound; captures of
    /// other pieces do not exceed it. All squares in lanes where the side has a pawn one step from
    /// promotion or an en-passant target, or not exactly one king.
    pub targets: S::Word,
}

/// Screens the side to move, or its opponent as if it were to move. `opponent` is
/// `limits.opponent`: a parameter of its own, so that callers pass a constant. Only the first
/// `S::LANES` positions are read. In this file "the mover's side", or "ours", is the side that is
/// screened, and "theirs" the other one.
#[inline(always)]
pub(super) fn screen<S: Simd>(
    simd: S,
    limits: &Limits,
    positions: [&Position; MAX_LANES],
    opponent: bool,
) -> ScreenResult<S> {
    // `Pieces` (`board.rs`): `us` and `them` are the pieces of the two sides; `promoting` our pawns
    // one step from promotion; `rare` these and the en-passant target (the opponent has none).
    let pieces = Pieces::new(simd, positions, opponent);
    let king = pieces.board.kings() & pieces.us;
    let mut attacks = Attacks::new(simd, &pieces);
    attacks.add_steps(&pieces);
    attacks.add_sliders(&pieces);
    let victims = Victims::new(simd, limits, &pieces);

    let in_check = attacks.theirs().meets(king);
    let mut defended = attacks.defended(limits, &pieces);
    if limits.pins != Pins::None {
        // The pin rule may bar shields of their king from recapturing: pieces of theirs that alone
        // stand between their king and one of our sliders (see the head of this file). `SidePins`
        // (`board.rs`) calls them blockers. So if there is one, no square of the lane counts as
        // defended: captures then have the limit of the whole victim, which is never too low.
        let shields = SidePins::new(simd, limits.pins, &pieces.board, pieces.them).blockers;
        let has_none = shields.misses(shields);
        defended = has_none.keep(defended);
    }
    let in_question = attacks.may_exceed(limits, &victims, defended);
    let exceeding = attacks.must_exceed(limits, &victims, king);
    // A position may be any 32 bytes, so the mover's side may have no king, or several. Scalar code
    // and the stages then test the lowest king, or a1, for check; the maps here mix all kings up.
    // So such a lane is undecided, with or without a bound, and whoever decides it also writes "in
    // check". The other side's kings are only used as a set of squares, so they need not be
    // counted.
    let without_one_king = king.misses(king) | (king & (king - simd.splat(1))).meets(king);
    // Promotions and en passant are not in the maps. Without a bound they do not matter, and must
    // not make a lane undecided: then the mask below is `first_lanes(0)`, no lanes. With a bound it
    // is all lanes.
    let has_rare_moves = pieces.rare.meets(pieces.rare)
        & simd.first_lanes(usize::from(limits.is_bounded()) * S::LANES);
    // In check, captures of `exceeding` may be illegal, as few moves end a check.
    let exceeds = limits.is_reached(simd, exceeding) & !in_check & !without_one_king;
    let may_exceed = limits.is_reached(simd, in_question) | has_rare_moves | without_one_king;
    ScreenResult {
        in_check,
        exceeds,
        undecided: may_exceed & !exceeds,
        targets: (without_one_king | has_rare_moves).select(simd.splat(!0), in_question),
    }
}

/// The pawn attacks of one side: those towards the h-file, then those towards the a-file. `black`
/// are the lanes where that side is black.
#[inline(always)]
fn pawn_attacks<S: Simd>(simd: S, pawns: S::Word, black: MaskOf<S>) -> [S::Word; 2] {
    // Masks of the squares on which a step may end without having gone round the board's edge.
    let inner = inner(simd);
    [
        inner.b_to_h & black.select(pawns >> 7, pawns << 9),
        inner.a_to_g & black.select(pawns >> 9, pawns << 7),
    ]
}

/// The other side's pieces: entry n, from 0 to 6, has those of the n most valuable types, so a
/// limit is an index. There are 8 entries so that an index `& 7` needs no test of its range; the
/// last one is empty and not used.
struct Victims<W>([W; 8]);

impl<W: Word> Victims<W> {
    /// Adds the types one by one, in the order of their values.
    #[inline(always)]
    fn new<S: Simd<Word = W>>(simd: S, limits: &Limits, pieces: &Pieces<S>) -> Victims<W> {
        let board = &pieces.board;
        let them = pieces.them;
        let none = simd.splat(0);
        let diagonal = board.diagonal_sliders();
        let straight = board.straight_sliders();
        // By piece code: 0 is an empty square, 7 (a king to move) is counted with code 6. A queen
        // is a slider of both kinds.
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
        let mut most_valuable = [none; 8];
        for (i, &code) in limits.order.iter().enumerate() {
            most_valuable[i + 1] = most_valuable[i] | by_code[usize::from(code & 7)];
        }
        Victims(most_valuable)
    }

    /// The victims of the `types` most valuable types, 0 to 6.
    #[inline(always)]
    fn of(&self, types: u8) -> W {
        self.0[usize::from(types & 7)]
    }
}

/// The attacks of both sides.
struct Attacks<S: Simd> {
    simd: S,
    /// Squares attacked by the mover's side, by capturer class, without the king.
    classes: [S::Word; CLASSES],
    /// Squares attacked by the mover's king.
    king: S::Word,
    /// Squares attacked by the mover's side at least once.
    once: S::Word,
    /// Squares where the mover's side may take back after a recapture. Two of its pieces attack
    /// them; or one of its sliders does once the piece that blocks it has captured there, moving
    /// along the slider's own line. That piece is a slider or a pawn, of either side. The set may
    /// have too many squares: that makes an upper limit higher, never too low.
    twice: S::Word,
    /// Squares attacked by the other side's pawns.
    their_pawns: S::Word,
    /// Squares attacked by the other side's knights and sliders.
    their_pieces: S::Word,
    /// Squares attacked by the other side's king.
    their_king: S::Word,
    /// Squares that the other side's sliders would attack, in addition, if one piece of the mover's
    /// side were not there. If the mover's king is on one, that piece is pinned.
    through: S::Word,
}

impl<S: Simd> Attacks<S> {
    /// Begins with the attacks of the kings. [`Attacks::add_steps`] and [`Attacks::add_sliders`]
    /// add the others.
    #[inline(always)]
    fn new(simd: S, pieces: &Pieces<S>) -> Attacks<S> {
        let none = simd.splat(0);
        // `inner` (`board.rs`) has masks of the squares on which a step may end without having gone
        // round the board's edge. With them `ring` finds the attacks of kings.
        let king = inner(simd).ring(pieces.board.kings() & pieces.us);
        Attacks {
            simd,
            classes: [none; CLASSES],
            king,
            once: king,
            twice: none,
            their_pawns: none,
            their_pieces: none,
            their_king: inner(simd).ring(pieces.board.kings() & pieces.them),
            through: none,
        }
    }

    /// Adds the attacks of a class of the mover's side, and notes squares that are attacked twice.
    /// There is one word per direction, so within a word no square is attacked by two pieces.
    #[inline(always)]
    fn add_class<const N: usize>(&mut self, class: usize, directions: [S::Word; N]) {
        let mut any = self.simd.splat(0);
        for attacked in directions {
            self.twice = self.twice | any & attacked;
            any = any | attacked;
        }
        // Attacked by this class and by another one, or by the king.
        self.twice = self.twice | self.once & any;
        self.once = self.once | any;
        self.classes[class] = any;
    }

    /// Adds the attacks of both sides' pawns and knights. Pawns of the mover's side that are about
    /// to promote are left out: their captures are promotions, which the screen leaves undecided.
    #[inline(always)]
    fn add_steps(&mut self, pieces: &Pieces<S>) {
        let simd = self.simd;
        let pawns = pieces.board.pawns();
        let ours = pawn_attacks(
            simd,
            pawns & pieces.us & !pieces.promoting,
            pieces.black_moves,
        );
        let theirs = pawn_attacks(simd, pawns & pieces.them, !pieces.black_moves);
        self.add_class(0, ours);
        self.their_pawns = theirs[0] | theirs[1];
        let knights = pieces.board.knights();
        // `jumps` (`attacks.rs`) returns a word for each of the eight jumps of a knight, `knights`
        // one word with the squares of all eight.
        self.add_class(1, inner(simd).jumps(knights & pieces.us));
        self.their_pieces = inner(simd).knights(knights & pieces.them);
    }

    /// Adds the attacks of both sides' sliders, direction by direction. The numbers are how far a
    /// square's bit moves in 1, 2 and 4 steps.
    #[inline(always)]
    fn add_sliders(&mut self, pieces: &Pieces<S>) {
        let inner = inner(self.simd);
        let not_a = inner.b_to_h;
        let not_h = inner.a_to_g;
        let all = inner.all;
        let white_pawns = pieces.board.pawns() & !pieces.board.black;
        let black_pawns = pieces.board.pawns() & pieces.board.black;
        let diagonal = pieces.board.diagonal_sliders();
        // White pawns capture upwards and black ones downwards, along diagonals.
        let up_right = self.add_ray::<true, 9, 18, 36>(pieces, diagonal, white_pawns, not_a);
        let up_left = self.add_ray::<true, 7, 14, 28>(pieces, diagonal, white_pawns, not_h);
        let down_right = self.add_ray::<false, 7, 14, 28>(pieces, diagonal, black_pawns, not_a);
        let down_left = self.add_ray::<false, 9, 18, 36>(pieces, diagonal, black_pawns, not_h);
        self.add_class(2, [up_right, up_left, down_right, down_left]);
        let straight = pieces.board.straight_sliders();
        let no_pawns = self.simd.splat(0);
        let up = self.add_ray::<true, 8, 16, 32>(pieces, straight, no_pawns, all);
        let down = self.add_ray::<false, 8, 16, 32>(pieces, straight, no_pawns, all);
        let right = self.add_ray::<true, 1, 2, 4>(pieces, straight, no_pawns, not_a);
        let left = self.add_ray::<false, 1, 2, 4>(pieces, straight, no_pawns, not_h);
        self.add_class(3, [up, down, right, left]);
    }

    /// Adds the attacks of both sides' sliders in one direction, and returns those of the mover's
    /// side. `sliders` are those of both sides that move in this direction, `edge` the squares that
    /// a step may end on without having gone round the board's edge, and `pawns` the pawns that
    /// capture in this direction, of whichever side.
    ///
    /// [`Walk::see`] (`attacks.rs`) gives what sliders attack, with the first piece in their way;
    /// [`Walk::step`] the squares one step further, whatever stands there. The numbers are its
    /// shifts for 1, 2 and 4 steps: `see` fills the empty squares before a slider in three
    /// doublings.
    #[inline(always)]
    fn add_ray<const UP: bool, const ONE: u32, const TWO: u32, const FOUR: u32>(
        &mut self,
        pieces: &Pieces<S>,
        sliders: S::Word,
        pawns: S::Word,
        edge: S::Word,
    ) -> S::Word {
        let walk = Walk::<_, UP, ONE, TWO, FOUR>::new(!pieces.occupied, edge);
        let ours = walk.see(sliders & pieces.us);
        let theirs = walk.see(sliders & pieces.them);
        // One of our sliders is blocked by a piece, ours or theirs. If that piece captures further
        // on in the same direction, our slider attacks the square of the capture from then on.
        // - A blocker that slides in this direction may capture on any square beyond it: all count,
        //   whatever stands there (too many are no mistake).
        // - A pawn that captures in this direction may do so on the next square: that one counts.
        // - Others do not matter: a knight, or a slider of the other kind, never captures along
        //   this line, and where a king has captured, nobody captures after it.
        let unblocked = Walk::<_, UP, ONE, TWO, FOUR>::new(inner(self.simd).all, edge);
        let joining = unblocked.see(ours & sliders) | walk.step(ours & pawns);
        self.twice = self.twice | joining;
        self.their_pieces = self.their_pieces | theirs;
        // Where their slider's attack ends at a piece of ours: the squares beyond that piece.
        self.through = self.through | walk.see(theirs & pieces.us);
        ours
    }

    /// All squares that the other side attacks.
    #[inline(always)]
    fn theirs(&self) -> S::Word {
        self.their_pawns | self.their_pieces | self.their_king
    }

    /// Squares where the other side can recapture, as if no pin barred a piece ([`screen`] looks at
    /// pins).
    #[inline(always)]
    fn defended(&self, limits: &Limits, pieces: &Pieces<S>) -> S::Word {
        // A king may recapture only if the mover's side has no second attacker. Yet every king
        // counts here, and that is no error. If there is a second attacker, the square is in
        // `twice`, and there the king makes no difference: without a pawn that recaptures,
        // `may_exceed` takes the limit of the whole victim, be the square defended or not; with
        // one, the square is defended without the king. `may_recapture` (`board.rs`) is given no
        // guards (0), so it returns all kings: it is called only so that the rule about kings stays
        // in one place.
        let kings = pieces.board.kings() & pieces.them;
        let king = pieces.board.may_recapture(kings, self.simd.splat(0));
        let defended = self.their_pawns | self.their_pieces | inner(self.simd).ring(king);
        if limits.queens {
            // A pawn that recaptures on a last rank (rank 1 or 8) may become a queen, and be lost
            // as one: then more than a pawn comes back. So there the limit is the whole victim, as
            // where nobody can recapture.
            return defended & !self.simd.splat(LAST_RANKS);
        }
        defended
    }

    /// Targets of captures that may exceed the bound, by the upper limits. `defended` are the
    /// squares where somebody can recapture for sure.
    #[inline(always)]
    fn may_exceed(
        &self,
        limits: &Limits,
        victims: &Victims<S::Word>,
        defended: S::Word,
    ) -> S::Word {
        let pawn_recaptures = self.twice & self.their_pawns;
        let others_recapture = self.twice & !self.their_pawns;
        let [pawns, knights, diagonal, straight] = self.classes;
        let pieces = pawns | knights | diagonal | straight;
        // Where the limit is the whole victim: it is not certain that somebody can recapture; or a
        // piece other than a pawn recaptures and may be taken in turn, so that the other side may
        // rather leave the capturer alone; or the king captures, as it does only where nothing of
        // theirs attacks.
        let wins_victim = pieces & (!defended | others_recapture) | self.king & !self.theirs();
        let mut targets = wins_victim & victims.of(limits.if_undefended);
        // On all attacked squares a capture may exceed the bound even if it is recaptured: then the
        // capturer is lost, and where a pawn recaptures and may be taken, a pawn is won for it.
        for (class, attacked) in self.classes.into_iter().enumerate() {
            let enough = victims.of(limits.if_recaptured[class])
                | pawn_recaptures & victims.of(limits.if_pawn_recaptures[class]);
            targets = targets | attacked & enough;
        }
        targets
    }

    /// Targets of captures that exceed the bound for sure, by the lower limits, unless the side is
    /// in check (`screen` leaves these lanes out). `king` is the mover's king.
    #[inline(always)]
    fn must_exceed(&self, limits: &Limits, victims: &Victims<S::Word>, king: S::Word) -> S::Word {
        let [pawns, knights, diagonal, straight] = self.classes;
        let pieces = pawns | knights | diagonal | straight;
        // A pinned piece of theirs counts as a guard, too. That makes the limit too low, no error.
        let undefended = victims.of(limits.if_undefended) & !self.theirs();
        // Without the squares that a slider of theirs would come to attack when the capturer leaves
        // its own.
        let mut targets = pieces & undefended & !self.through;
        // A capture loses no more than the capturer, whatever follows: after a recapture the side
        // may stop. With `queens` that is not so on the last ranks, where a pawn that recaptures
        // becomes a queen: the other side also wins the difference of a queen and a pawn.
        for (class, attacked) in self.classes.into_iter().enumerate() {
            let enough = attacked & victims.of(limits.in_any_case[class]);
            targets = targets
                | if limits.queens {
                    enough & !self.simd.splat(LAST_RANKS)
                } else {
                    enough
                };
        }
        // If no slider of theirs reaches our king through one piece of ours, none of ours is
        // pinned, and every capture is legal.
        let is_unpinned = self.through.misses(king);
        is_unpinned.keep(targets) | self.king & undefended
    }
}
