//! The screen: decides from attack maps whether a side has a capture that wins more than a bound,
//! one position per lane. It says yes, no, or undecided, and never errs. `bounds.rs` asks it first.
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
//!     its victim - the capturer + a pawn    if a pawn recaptures
//! at least, a legal capture wins
//!     its victim                            if nobody can recapture
//!     its victim - the capturer             whatever follows
//! ```
//!
//! None of that needs the values of single pieces. Victim types are sorted by value. A limit is the
//! number n of the most valuable types whose capture can win more than the bound (an upper limit),
//! or must (a lower one). With bound 0 a pawn that is recaptured needs a victim worth more than
//! 100, so its limit is 4: queen, rook, bishop, knight. The numbers are found once per call
//! ([`Limits`]); for a position, [`Victims`] has the union of the n most valuable types, and
//! [`Attacks`] who attacks what.
//!
//! # What must hold
//!
//! - An upper limit may be too high and a lower one too low: then the stages decide a position that
//!   the screen could have decided. The other way round the answer would be wrong. So `twice` may
//!   have squares too many. A square that counts as undefended must be so for sure, even if the
//!   capturer uncovers a slider: `through` takes such squares out. So must a square that counts as
//!   defended: if the other side's king has a shield, which a pin may bar from recapturing, no
//!   square of that lane counts as defended.
//! - Promotions and en passant are not in the maps. A position where the side has a pawn one step
//!   from promotion (also a blocked one) or an en-passant target is undecided, with all squares in
//!   question, unless another capture exceeds the bound for sure.

use super::board::{Pieces, SidePins, inner};
use super::lanes::{MAX_LANES, Mask, MaskOf, Simd, Word};
use crate::attacks::{LAST_RANKS, Walk};
use crate::{Bounds, Pins, Position, RecapturePromotion, Rules};

/// Victim types: codes 1 to 6, with the king, since arbitrary bytes may have one captured.
const VICTIMS: usize = 6;

/// Capturer classes: pawns, knights, bishops and queens on diagonals, rooks and queens
/// on ranks and files.
const CLASSES: usize = 4;

/// What is asked about one side's captures, and its limits.
///
/// Each limit is a number n of victim types, counted from the most valuable: captures of the n most
/// valuable types can win more than the bound. With bound 100 and the usual values, `if_undefended`
/// is 4: queen, rook, bishop, knight.
///
/// A position without captures exceeds no bound, not even a negative one.
pub(super) struct Limits {
    /// Whether the captures are the opponent's, as if it were to move.
    pub opponent: bool,
    /// The bound; the largest number if there is none: nothing exceeds it.
    pub bound: i32,
    /// Whether captures on two squares must exceed it.
    pub two: bool,
    /// Codes of the piece types, the most valuable first.
    order: [u8; VICTIMS],
    /// An upper limit where the whole victim may be won: if nobody can recapture; if it is not
    /// known whether somebody can; or if a piece other than a pawn recaptures and may be taken.
    /// (That exchange may win even more, but the other side need not recapture.)
    if_undefended: u8,
    /// An upper limit if a piece recaptures and nothing takes it, for the cheapest capturer of a
    /// class.
    if_recaptured: [u8; CLASSES],
    /// An upper limit if a pawn recaptures and may be taken, for the cheapest capturer of a class.
    if_pawn_recaptures: [u8; CLASSES],
    /// A lower limit: captures of these types win more than the bound whatever follows, with the
    /// most valuable capturer of a class.
    in_any_case: [u8; CLASSES],
    /// Whether a pawn that recaptures on the last rank becomes a queen.
    queens: bool,
    pins: Pins,
}

impl Limits {
    /// The three questions: about the side to move; about its opponent's best capture; about the
    /// opponent's captures on two squares. The side to move must come first: its pass writes whole
    /// answers.
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

    fn new(rules: &Rules, opponent: bool, bound: Option<i32>, two: bool) -> Limits {
        let [pawn, knight, bishop, rook, queen] = rules.values.to_array().map(i64::from);
        let values = [0, pawn, knight, bishop, rook, queen, 0];
        let mut order: [u8; VICTIMS] = [1, 2, 3, 4, 5, 6];
        order.sort_by_key(|&code| -values[usize::from(code)]);
        let bound = bound.unwrap_or(i32::MAX);
        // The number of victim types worth more than the bound plus a loss. A negative loss counts
        // as none: the other side leaves a piece that is worth less than nothing.
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
    /// Lanes where the side that is screened is in check. For an opponent nobody asks.
    pub in_check: MaskOf<S>,
    /// Lanes where legal captures exceed the bound for sure.
    pub exceeds: MaskOf<S>,
    /// Lanes that are undecided. In lanes that are neither, the bound is not exceeded for sure.
    pub undecided: MaskOf<S>,
    /// The victims in question; all squares where the side has a pawn one step from promotion or an
    /// en-passant target, or not exactly one king.
    pub targets: S::Word,
}

/// Screens the side to move, or its opponent as if it were to move. Only the first `S::LANES`
/// positions are read.
#[inline(always)]
pub(super) fn screen<S: Simd>(
    simd: S,
    limits: &Limits,
    positions: [&Position; MAX_LANES],
    opponent: bool,
) -> ScreenResult<S> {
    let pieces = Pieces::new(simd, positions, opponent);
    let king = pieces.board.kings() & pieces.us;
    let mut attacks = Attacks::new(simd, &pieces);
    attacks.add_steps(&pieces);
    attacks.add_sliders(&pieces);
    let victims = Victims::new(simd, limits, &pieces);

    let in_check = attacks.theirs().meets(king);
    let mut defended = attacks.defended(limits, &pieces);
    if limits.pins != Pins::None {
        // The pin rule may bar shields of their king (`SidePins` calls them blockers) from
        // recapturing. So if there is one, no square of the lane counts as defended.
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
    // `rare`: our pawns one step from promotion, and the en-passant target (the opponent has none).
    // Without a bound they do not matter: the mask has all lanes if there is a bound, else none.
    let has_rare_moves = pieces.rare.meets(pieces.rare)
        & simd.first_lanes(usize::from(limits.is_bounded()) * S::LANES);
    let exceeds = limits.is_reached(simd, exceeding) & !in_check & !without_one_king;
    let may_exceed = limits.is_reached(simd, in_question) | has_rare_moves | without_one_king;
    ScreenResult {
        in_check,
        exceeds,
        undecided: may_exceed & !exceeds,
        targets: (without_one_king | has_rare_moves).select(simd.splat(!0), in_question),
    }
}

/// The pawn attacks of one side: those towards the h-file, then those towards the a-file.
#[inline(always)]
fn pawn_attacks<S: Simd>(simd: S, pawns: S::Word, black: MaskOf<S>) -> [S::Word; 2] {
    // Masks of the squares on which a step may end without having gone round the board's edge.
    let inner = inner(simd);
    [
        inner.b_to_h & black.select(pawns >> 7, pawns << 9),
        inner.a_to_g & black.select(pawns >> 9, pawns << 7),
    ]
}

/// Pieces that may be captured: entry n, from 0 to 6, has those of the n most valuable types. There
/// are 8 entries so that an index `& 7` needs no test of its range.
struct Victims<W>([W; 8]);

impl<W: Word> Victims<W> {
    #[inline(always)]
    fn new<S: Simd<Word = W>>(simd: S, limits: &Limits, pieces: &Pieces<S>) -> Victims<W> {
        let board = &pieces.board;
        let them = pieces.them;
        let none = simd.splat(0);
        let diagonal = board.diagonal_sliders();
        let straight = board.straight_sliders();
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
    /// Squares where it may take back after a recapture: those that two of its pieces attack, and
    /// those that one of its sliders attacks once the slider or pawn in front of it, of either
    /// side, has captured there. May be too many.
    twice: S::Word,
    /// Squares attacked by the other side's pawns.
    their_pawns: S::Word,
    /// Squares attacked by its knights and sliders.
    their_pieces: S::Word,
    /// Squares attacked by its king.
    their_king: S::Word,
    /// Squares that its sliders would attack if one piece of the mover's side were not there.
    through: S::Word,
}

impl<S: Simd> Attacks<S> {
    /// The attacks of the kings; the other pieces are added.
    #[inline(always)]
    fn new(simd: S, pieces: &Pieces<S>) -> Attacks<S> {
        let none = simd.splat(0);
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

    /// Adds the attacks of a class of the mover's side, one word per direction: so within a word no
    /// square is attacked by two pieces.
    #[inline(always)]
    fn add_class<const N: usize>(&mut self, class: usize, directions: [S::Word; N]) {
        let mut any = self.simd.splat(0);
        for attacked in directions {
            self.twice = self.twice | any & attacked;
            any = any | attacked;
        }
        self.twice = self.twice | self.once & any;
        self.once = self.once | any;
        self.classes[class] = any;
    }

    /// Adds the attacks of pawns and knights. Pawns about to promote are left out: their captures
    /// are promotions.
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
        // One word for each of the eight jumps.
        self.add_class(1, inner(simd).jumps(knights & pieces.us));
        self.their_pieces = inner(simd).knights(knights & pieces.them);
    }

    /// Adds the attacks of sliders, direction by direction.
    #[inline(always)]
    fn add_sliders(&mut self, pieces: &Pieces<S>) {
        let inner = inner(self.simd);
        let not_a = inner.b_to_h;
        let not_h = inner.a_to_g;
        let all = inner.all;
        let white_pawns = pieces.board.pawns() & !pieces.board.black;
        let black_pawns = pieces.board.pawns() & pieces.board.black;
        let diagonal = pieces.board.diagonal_sliders();
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
    /// side. `edge` are the squares that a step may end on, `pawns` the pawns of both sides that
    /// capture in this direction.
    ///
    /// [`Walk::see`] gives what sliders attack, with the first piece in their way; [`Walk::step`]
    /// the squares one step further, whatever stands there. The numbers are its shifts for 1, 2 and
    /// 4 steps.
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
        // Where one of our sliders is blocked by a slider, or by a pawn that captures in the same
        // direction, it may attack what that piece attacks once that piece has captured there. All
        // squares beyond the blocker count, whatever stands there and whosever piece it is: too
        // many are no mistake.
        let unblocked = Walk::<_, UP, ONE, TWO, FOUR>::new(inner(self.simd).all, edge);
        let joining = unblocked.see(ours & sliders) | walk.step(ours & pawns);
        self.twice = self.twice | joining;
        self.their_pieces = self.their_pieces | theirs;
        self.through = self.through | walk.see(theirs & pieces.us);
        ours
    }

    /// All squares that the other side attacks.
    #[inline(always)]
    fn theirs(&self) -> S::Word {
        self.their_pawns | self.their_pieces | self.their_king
    }

    /// Squares where the other side can recapture, pins aside.
    #[inline(always)]
    fn defended(&self, limits: &Limits, pieces: &Pieces<S>) -> S::Word {
        // A king recaptures only if the mover's side has no second attacker. That need not be asked
        // here: with a second attacker the square is in `twice`, where `may_exceed` only asks
        // whether a pawn recaptures. So every king counts. `may_recapture`, given no guards of the
        // mover's side, returns them all; it is called because the rule about kings is there.
        let kings = pieces.board.kings() & pieces.them;
        let king = pieces.board.may_recapture(kings, self.simd.splat(0));
        let defended = self.their_pawns | self.their_pieces | inner(self.simd).ring(king);
        if limits.queens {
            // A pawn that recaptures there may become a queen, and be lost as one: more than a pawn
            // comes back. So there the limit is the whole victim, as where nobody can recapture.
            return defended & !self.simd.splat(LAST_RANKS);
        }
        defended
    }

    /// Targets of captures that may exceed the bound, by the upper limits.
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
        // Where the limit is the whole victim. If a piece other than a pawn recaptures and may be
        // taken, that is the limit too: the other side may rather let the capturer go.
        let wins_victim = pieces & (!defended | others_recapture) | self.king & !self.theirs();
        let mut targets = wins_victim & victims.of(limits.if_undefended);
        for (class, attacked) in self.classes.into_iter().enumerate() {
            let enough = victims.of(limits.if_recaptured[class])
                | pawn_recaptures & victims.of(limits.if_pawn_recaptures[class]);
            targets = targets | attacked & enough;
        }
        targets
    }

    /// Targets of captures that exceed the bound for sure, by the lower limits, unless the side is
    /// in check.
    #[inline(always)]
    fn must_exceed(&self, limits: &Limits, victims: &Victims<S::Word>, king: S::Word) -> S::Word {
        let [pawns, knights, diagonal, straight] = self.classes;
        let pieces = pawns | knights | diagonal | straight;
        let undefended = victims.of(limits.if_undefended) & !self.theirs();
        // A slider of theirs behind a piece of ours joins when that piece captures.
        let mut targets = pieces & undefended & !self.through;
        // In any case a capture loses no more than the capturer. With `queens` that is not so on
        // the last ranks: a pawn that recaptures there gains a queen for a pawn, too.
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
