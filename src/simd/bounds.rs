//! Which positions exceed bounds: a screen decides most of them from each side's attacks alone, one
//! position per lane, without listing targets or moves.
//!
//! No capture is worth more than its victim. If the other side can recapture, it is worth at
//! most the victim minus the capturer if the mover's side has no other attacker; if a pawn
//! recaptures, at most that plus the pawn. A legal capture is worth at least its victim minus
//! the capturer, or its victim if nobody can recapture. Undecided positions go through all
//! stages, with the targets in question.

use core::ops::Range;

use bytemuck::Zeroable as _;

use super::board::{Pieces, SidePins, inner};
use super::exchange::LaneRules;
use super::lanes::{MAX_LANES, Mask, MaskOf, PerLane, Sets, Simd, Stages, Word};
use super::path::Kernel;
use super::stages::{BLOCK, MOVE_BITS, Work};
use crate::attacks::{LAST_RANKS, Walk};
use crate::captures::Generator;
use crate::{Bounds, BoundsExceeded, Pins, Position, RecapturePromotion, Rules};

/// Positions screened together, so that the undecided ones fill blocks, except the last.
const STRETCH: usize = 4096;

/// Whether each position exceeds the bounds.
#[derive(Clone, Copy)]
pub(crate) struct Compare<'a> {
    pub positions: &'a [Position],
    pub bounds: Bounds,
}

impl Kernel for Compare<'_> {
    type Answer = BoundsExceeded;

    fn one_by_one(self, positions: Range<usize>, rules: &Rules, exceeds: &mut [BoundsExceeded]) {
        for (position, exceeds) in self.positions[positions].iter().zip(exceeds) {
            *exceeds = rules.exceeds(position, self.bounds);
        }
    }

    #[inline(always)]
    fn in_lanes<S: Stages>(
        self,
        simd: S,
        positions: Range<usize>,
        rules: &Rules,
        exceeds: &mut [BoundsExceeded],
    ) {
        let asked = Limits::all(rules, self.bounds);
        let rules = [
            LaneRules::above(simd, rules, asked[0].bound),
            LaneRules::above(simd, rules, asked[1].bound),
            LaneRules::above(simd, rules, asked[2].bound),
        ];
        let (mut work, mut open) = (Work::new(simd, &rules[0]), Open::new());
        let stretches = self.positions[positions].chunks(STRETCH);
        for (positions, exceeds) in stretches.zip(exceeds.chunks_mut(STRETCH)) {
            for (asked, rules) in asked.iter().zip(&rules) {
                work.rules = rules;
                let mut start = first(asked, positions);
                while start < positions.len() || open.len() > 0 {
                    start = screen_block(simd, positions, start, asked, &mut open, exceeds);
                    work.decide(positions, asked, &mut open, exceeds);
                }
            }
        }
    }

    #[inline(always)]
    fn by_screen<S: Simd>(
        self,
        simd: S,
        positions: Range<usize>,
        rules: &Rules,
        exceeds: &mut [BoundsExceeded],
    ) {
        let (positions, mut open) = (&self.positions[positions], Open::new());
        for asked in &Limits::all(rules, self.bounds) {
            let mut start = first(asked, positions);
            while start < positions.len() {
                start = screen_block(simd, positions, start, asked, &mut open, exceeds);
                while let Some((targets, owner)) = open.pop() {
                    let position = &positions[owner as usize];
                    let exceeds = &mut exceeds[owner as usize];
                    // All squares stand for promotions, en passant and odd positions.
                    if asked.opponent || targets == !0 {
                        *exceeds = rules.exceeds(position, self.bounds);
                    } else {
                        let moves = Generator::new(position, position.turn());
                        let see = rules.beats(position, &moves, targets, None, asked.bound);
                        *exceeds = exceeds.with_see(see);
                    }
                }
            }
        }
    }
}

/// Undecided positions: the victims in question, with the position's index.
type Open = Sets<{ 2 * BLOCK }>;

/// The first position to screen: without a bound the side to move is screened for checks.
#[inline(always)]
fn first(asked: &Limits, positions: &[Position]) -> usize {
    if asked.is_bounded() || !asked.opponent {
        0
    } else {
        positions.len()
    }
}

/// The answers for four bits of "in check" and four of "above the bound". A table, because the
/// compiler makes slow code of single bits.
static FOUND: [[BoundsExceeded; 4]; 256] = {
    let mut table = [[BoundsExceeded::from_bits(0); 4]; 256];
    let mut i = 0;
    while i < 4 * 256 {
        let in_check = (i / 4) >> (i % 4) & 1 != 0;
        let see = (i / 4) >> (4 + i % 4) & 1 != 0;
        table[i / 4][i % 4] = table[i / 4][i % 4].with_in_check(in_check).with_see(see);
        i += 1;
    }
    table
};

/// The highest key that is not above a bound.
#[inline(always)]
fn highest(bound: i32) -> i64 {
    i64::from(bound) << 16 | i64::from(MOVE_BITS)
}

/// Screens positions until a block of them is undecided; returns how many were screened.
#[inline(always)]
fn screen_block<S: Simd>(
    simd: S,
    positions: &[Position],
    start: usize,
    asked: &Limits,
    open: &mut Open,
    exceeds: &mut [BoundsExceeded],
) -> usize {
    // A constant is faster here.
    if asked.opponent {
        screen_side::<true, S>(simd, positions, start, asked, open, exceeds)
    } else {
        screen_side::<false, S>(simd, positions, start, asked, open, exceeds)
    }
}

#[inline(always)]
fn screen_side<const OPPONENT: bool, S: Simd>(
    simd: S,
    positions: &[Position],
    mut start: usize,
    asked: &Limits,
    open: &mut Open,
    exceeds: &mut [BoundsExceeded],
) -> usize {
    let mut last = [Position::zeroed(); MAX_LANES];
    let mut last_found = [BoundsExceeded::default(); MAX_LANES];
    while start < positions.len() && open.len() < BLOCK {
        let (positions, exceeds) = (&positions[start..], &mut exceeds[start..]);
        let count = S::LANES.min(positions.len());
        let indices: PerLane = core::array::from_fn(|i| (start + i) as u32);
        // One call for both, as all of it is compiled in place.
        let whole = (positions.first_chunk(), exceeds.first_chunk_mut());
        let (lanes, found) = if let (Some(lanes), Some(found)) = whole {
            (lanes, found)
        } else {
            last[..count].copy_from_slice(&positions[..count]);
            last_found[..count].copy_from_slice(&exceeds[..count]);
            (&last, &mut last_found)
        };
        let screened = screen_lanes::<OPPONENT, S>(simd, lanes, count, asked, found);
        if positions.len() < MAX_LANES {
            exceeds[..count].copy_from_slice(&last_found[..count]);
        }
        simd.pick(screened.open, screened.targets, simd.load(&indices), open);
        start += S::LANES;
    }
    start
}

/// Screens one register of positions.
#[inline(always)]
fn screen_lanes<const OPPONENT: bool, S: Simd>(
    simd: S,
    positions: &[Position; MAX_LANES],
    count: usize,
    asked: &Limits,
    found: &mut [BoundsExceeded; MAX_LANES],
) -> Screen<S> {
    let positions = positions.each_ref();
    let mut screened = screen(simd, asked, positions, OPPONENT);
    let mut lanes = simd.first_lanes(count);
    if OPPONENT {
        lanes = lanes & not_in_check(simd, found);
    }
    let (in_check, above) = (screened.in_check.bits(), (lanes & screened.exceeds).bits());
    if OPPONENT {
        for (i, found) in found[..S::LANES].iter_mut().enumerate() {
            *found = with_threat(*found, asked.two, above >> i & 1 != 0);
        }
    } else {
        // Two lanes write two answers too many; the next ones are written after them.
        let (fours, _) = found[..S::LANES.max(4)].as_chunks_mut();
        for (i, four) in fours.iter_mut().enumerate() {
            let in_check = in_check >> (4 * i) & 15;
            let above = above >> (4 * i) & 15;
            *four = FOUND[(in_check | above << 4) as usize];
        }
    }
    screened.open = lanes & screened.open;
    screened
}

impl<S: Stages> Work<'_, S> {
    /// Runs all stages on up to a block of undecided positions.
    #[inline(always)]
    fn decide(
        &mut self,
        positions: &[Position],
        asked: &Limits,
        open: &mut Open,
        exceeds: &mut [BoundsExceeded],
    ) {
        let mut owners = [0; BLOCK];
        let mut block = [Position::zeroed(); BLOCK];
        let mut count = 0;
        while count < BLOCK
            && let Some((targets, owner)) = open.pop()
        {
            self.wanted[count] = targets;
            owners[count] = owner as usize;
            block[count] = positions[owner as usize];
            count += 1;
        }
        if asked.opponent {
            self.in_check = [0; BLOCK + MAX_LANES]; // else these positions would be skipped
        }
        self.judge(
            &block[..count],
            asked.opponent,
            asked.two,
            highest(asked.bound),
        );
        for (i, &owner) in owners[..count].iter().enumerate() {
            let found = &mut exceeds[owner];
            let above = if asked.two {
                self.won[i].count_ones() > 1
            } else {
                self.best[i] > highest(asked.bound)
            };
            *found = if asked.opponent {
                with_threat(*found, asked.two, above)
            } else {
                found.with_in_check(self.in_check[i] != 0).with_see(above)
            };
        }
    }
}

/// With the answer about the opponent.
#[inline(always)]
fn with_threat(found: BoundsExceeded, two: bool, above: bool) -> BoundsExceeded {
    if two {
        found.with_double_threat(above)
    } else {
        found.with_threat(above)
    }
}

#[inline(always)]
fn not_in_check<S: Simd>(simd: S, found: &[BoundsExceeded; MAX_LANES]) -> MaskOf<S> {
    let mut lanes = [0; MAX_LANES];
    for (lane, found) in lanes.iter_mut().zip(found) {
        *lane = found.in_check().into();
    }
    simd.load(&lanes).misses(simd.splat(1))
}

/// Victim types: codes 1 to 6, with the king, since arbitrary bytes may have one captured.
const VICTIMS: usize = 6;

/// Capturer classes: pawns, knights, bishops and queens on diagonals, rooks and queens
/// on ranks and files.
const CLASSES: usize = 4;

/// What is asked about one side's captures, and how many of the most valuable victim types can
/// exceed the bound, by what may follow the capture.
struct Limits {
    /// Whether the opponent's, as if it were to move.
    opponent: bool,
    /// The largest number for none: nothing exceeds it.
    bound: i32,
    /// Whether captures of two pieces must exceed it.
    two: bool,
    /// Codes of the piece types, the most valuable first.
    order: [u8; VICTIMS],
    /// If nobody can recapture, or it is not known.
    open: u8,
    /// If one piece recaptures and that is all, for the cheapest capturer of a class.
    lost: [u8; CLASSES],
    /// If a pawn recaptures and is recaptured.
    pawn: [u8; CLASSES],
    /// Whatever follows, for the most valuable capturer of a class.
    sure: [u8; CLASSES],
    /// Whether a pawn that recaptures on the last rank becomes a queen.
    queens: bool,
    pins: Pins,
}

impl Limits {
    #[inline(always)]
    fn all(rules: &Rules, bounds: Bounds) -> [Limits; 3] {
        let won = bounds.double_threat.then_some(0);
        [
            Limits::new(rules, false, bounds.see, false),
            Limits::new(rules, true, bounds.threat, false),
            Limits::new(rules, true, won, true),
        ]
    }

    fn new(rules: &Rules, opponent: bool, bound: Option<i32>, two: bool) -> Limits {
        let [pawn, knight, bishop, rook, queen] = rules.values.to_array().map(i64::from);
        let values = [0, pawn, knight, bishop, rook, queen, 0];
        let mut order: [u8; VICTIMS] = [1, 2, 3, 4, 5, 6];
        order.sort_by_key(|&code| -values[usize::from(code)]);
        let bound = bound.unwrap_or(i32::MAX);
        // The number of victim types worth more than the bound plus the loss.
        let with = |lost: i64| {
            let enough = values[1..]
                .iter()
                .filter(|&&value| value - lost.max(0) > i64::from(bound));
            enough.count() as u8
        };
        let cheapest = [pawn, knight, bishop.min(queen), rook.min(queen)];
        let costliest = [pawn, knight, bishop.max(queen), rook.max(queen)];
        Limits {
            opponent,
            bound,
            two,
            order,
            open: with(0),
            lost: cheapest.map(with),
            pawn: cheapest.map(|capturer| with(capturer - pawn.max(0))),
            sure: costliest.map(with),
            queens: rules.recapture_promotion == RecapturePromotion::Queen,
            pins: rules.pins,
        }
    }

    #[inline(always)]
    fn is_bounded(&self) -> bool {
        self.bound != i32::MAX
    }

    /// Lanes with enough squares.
    #[inline(always)]
    fn is_reached<S: Simd>(&self, simd: S, squares: S::Word) -> MaskOf<S> {
        if self.two {
            squares.meets(squares & (squares - simd.splat(1)))
        } else {
            squares.meets(squares)
        }
    }
}

/// The results for one position per lane.
struct Screen<S: Simd> {
    in_check: MaskOf<S>,
    /// Lanes where legal captures exceed the bound.
    exceeds: MaskOf<S>,
    /// Lanes that are undecided; in all others the bound is not exceeded.
    open: MaskOf<S>,
    /// The victims in question, except for promotions and en passant.
    targets: S::Word,
}

/// Screens the side to move, or its opponent as if it were to move.
#[inline(always)]
fn screen<S: Simd>(
    simd: S,
    limits: &Limits,
    positions: [&Position; MAX_LANES],
    opponent: bool,
) -> Screen<S> {
    let pieces = Pieces::new(simd, positions, opponent);
    let king = pieces.board.kings() & pieces.us;
    let mut seen = Attacks::new(simd, &pieces);
    seen.steps(&pieces);
    seen.sliders(&pieces);
    let victims = Victims::new(simd, limits, &pieces);

    let in_check = seen.theirs().meets(king);
    let mut defended = seen.defended(limits, &pieces);
    if limits.pins != Pins::None {
        // The pin rule may bar these from recapturing.
        let shields = SidePins::new(simd, limits.pins, &pieces.board, pieces.them).blockers;
        defended = shields.misses(shields).keep(defended);
    }
    let doubtful = seen.in_question(limits, &victims, defended);
    let sure = limits.is_reached(simd, seen.sure(limits, &victims, king)) & !in_check;
    let odd = king.misses(king) | (king & (king - simd.splat(1))).meets(king);
    let rare = pieces.rare.meets(pieces.rare)
        & simd.first_lanes(usize::from(limits.is_bounded()) * S::LANES);
    let exceeds = sure & !odd;
    Screen {
        in_check,
        exceeds,
        open: (limits.is_reached(simd, doubtful) | rare | odd) & !exceeds,
        targets: (odd | rare).select(simd.splat(!0), doubtful),
    }
}

/// Pawn attacks of one side, towards the h-file and towards the a-file.
#[inline(always)]
fn pawn_attacks<S: Simd>(simd: S, pawns: S::Word, black: MaskOf<S>) -> [S::Word; 2] {
    let inner = inner(simd);
    [
        inner.b_to_h & black.select(pawns >> 7, pawns << 9),
        inner.a_to_g & black.select(pawns >> 9, pawns << 7),
    ]
}

/// Victims by value.
struct Victims<W>([W; 8]);

impl<W: Word> Victims<W> {
    #[inline(always)]
    fn new<S: Simd<Word = W>>(simd: S, limits: &Limits, pieces: &Pieces<S>) -> Victims<W> {
        let (board, them, none) = (&pieces.board, pieces.them, simd.splat(0));
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

    /// The victims of the `types` most valuable types.
    #[inline(always)]
    fn of(&self, types: u8) -> W {
        self.0[usize::from(types & 7)]
    }
}

/// The attacks of both sides.
struct Attacks<S: Simd> {
    simd: S,
    /// Attacks of the mover's side by capturer class, without the king.
    classes: [S::Word; CLASSES],
    king: S::Word,
    /// Squares attacked by the mover's side at least once; and at least twice, or where sliders may
    /// join in behind others.
    once: S::Word,
    twice: S::Word,
    /// Attacks of the other side.
    their_pawns: S::Word,
    their_pieces: S::Word,
    their_king: S::Word,
    /// Its attacks through one piece of the mover's side.
    through: S::Word,
}

impl<S: Simd> Attacks<S> {
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

    /// Adds a class of the mover's side, whose words are attacks of one piece a square.
    #[inline(always)]
    fn add<const N: usize>(&mut self, class: usize, attacks: [S::Word; N]) {
        let mut any = self.simd.splat(0);
        for attacked in attacks {
            self.twice = self.twice | any & attacked;
            any = any | attacked;
        }
        self.twice = self.twice | self.once & any;
        self.once = self.once | any;
        self.classes[class] = any;
    }

    /// Adds pawns and knights.
    #[inline(always)]
    fn steps(&mut self, pieces: &Pieces<S>) {
        let simd = self.simd;
        let pawns = pieces.board.pawns();
        let ours = pawn_attacks(
            simd,
            pawns & pieces.us & !pieces.promoting,
            pieces.black_moves,
        );
        let theirs = pawn_attacks(simd, pawns & pieces.them, !pieces.black_moves);
        self.add(0, ours);
        self.their_pawns = theirs[0] | theirs[1];
        let knights = pieces.board.knights();
        self.add(1, inner(simd).jumps(knights & pieces.us));
        self.their_pieces = inner(simd).knights(knights & pieces.them);
    }

    #[inline(always)]
    fn sliders(&mut self, pieces: &Pieces<S>) {
        let inner = inner(self.simd);
        let (not_a, not_h) = (inner.b_to_h, inner.a_to_g);
        let all = inner.all;
        let (pawns, black) = (pieces.board.pawns(), pieces.board.black);
        let (white, black) = (pawns & !black, pawns & black);
        let diagonal = pieces.board.diagonal_sliders();
        let a = self.ray::<true, 9, 18, 36>(pieces, diagonal, white, not_a);
        let b = self.ray::<true, 7, 14, 28>(pieces, diagonal, white, not_h);
        let c = self.ray::<false, 7, 14, 28>(pieces, diagonal, black, not_a);
        let d = self.ray::<false, 9, 18, 36>(pieces, diagonal, black, not_h);
        self.add(2, [a, b, c, d]);
        let (straight, none) = (pieces.board.straight_sliders(), self.simd.splat(0));
        let a = self.ray::<true, 8, 16, 32>(pieces, straight, none, all);
        let b = self.ray::<false, 8, 16, 32>(pieces, straight, none, all);
        let c = self.ray::<true, 1, 2, 4>(pieces, straight, none, not_a);
        let d = self.ray::<false, 1, 2, 4>(pieces, straight, none, not_h);
        self.add(3, [a, b, c, d]);
    }

    /// Adds the attacks of both sides in one direction, and returns the mover's side's. `edge`
    /// are the squares that a step may end on, `pawns` those that capture in this direction.
    #[inline(always)]
    fn ray<const UP: bool, const ONE: u32, const TWO: u32, const FOUR: u32>(
        &mut self,
        pieces: &Pieces<S>,
        sliders: S::Word,
        pawns: S::Word,
        edge: S::Word,
    ) -> S::Word {
        let empty = Walk::<_, UP, ONE, TWO, FOUR>::new(!pieces.occupied, edge);
        let ours = empty.see(sliders & pieces.us);
        let theirs = empty.see(sliders & pieces.them);
        let everywhere = Walk::<_, UP, ONE, TWO, FOUR>::new(inner(self.simd).all, edge);
        // Behind the attackers on this line, whatever else stands there.
        let joining = everywhere.see(ours & sliders) | empty.step(ours & pawns);
        self.twice = self.twice | joining;
        self.their_pieces = self.their_pieces | theirs;
        self.through = self.through | empty.see(theirs & pieces.us);
        ours
    }

    #[inline(always)]
    fn theirs(&self) -> S::Word {
        self.their_pawns | self.their_pieces | self.their_king
    }

    /// Squares where the other side can recapture, pins aside.
    #[inline(always)]
    fn defended(&self, limits: &Limits, pieces: &Pieces<S>) -> S::Word {
        // Where guards would bar the king, the target is undecided anyway.
        let kings = pieces.board.kings() & pieces.them;
        let king = pieces.board.may_recapture(kings, self.simd.splat(0));
        let defended = self.their_pawns | self.their_pieces | inner(self.simd).ring(king);
        if limits.queens {
            // A pawn that recaptures there may become a queen.
            return defended & !self.simd.splat(LAST_RANKS);
        }
        defended
    }

    /// Targets of captures that may exceed the bound.
    #[inline(always)]
    fn in_question(
        &self,
        limits: &Limits,
        victims: &Victims<S::Word>,
        defended: S::Word,
    ) -> S::Word {
        let by_pawn = self.twice & self.their_pawns;
        let by_others = self.twice & !self.their_pawns;
        let [a, b, c, d] = self.classes;
        let anyone = (a | b | c | d) & (!defended | by_others) | self.king & !self.theirs();
        let mut found = anyone & victims.of(limits.open);
        for (class, attacked) in self.classes.into_iter().enumerate() {
            let enough = victims.of(limits.lost[class]) | by_pawn & victims.of(limits.pawn[class]);
            found = found | attacked & enough;
        }
        found
    }

    /// Targets of captures that exceed the bound, unless in check.
    #[inline(always)]
    fn sure(&self, limits: &Limits, victims: &Victims<S::Word>, king: S::Word) -> S::Word {
        let [a, b, c, d] = self.classes;
        let unanswered = victims.of(limits.open) & !self.theirs();
        // A slider behind a piece of ours joins when that piece captures, or pins it.
        let mut sure = (a | b | c | d) & unanswered & !self.through;
        for (class, attacked) in self.classes.into_iter().enumerate() {
            let enough = attacked & victims.of(limits.sure[class]);
            sure = sure
                | if limits.queens {
                    enough & !self.simd.splat(LAST_RANKS)
                } else {
                    enough
                };
        }
        let free = self.through.misses(king);
        free.keep(sure) | self.king & unanswered
    }
}
