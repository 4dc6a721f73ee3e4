//! A SEE that can have faults: naive, and with every usual mistake to choose from.
//!
//! It lists the captures of an exchange as sums of pieces (this file), which hold for all piece
//! values, and puts them together to a value (`fold.rs`).

use shakmaty::{Color, Piece, Role, Square};

use super::faults::{Fault, FaultSet};
use super::scene::{Scene, Squares, Way, attacks, bit, slides, squares_of};
use super::sum::PieceSum;
use swaplist::{EnPassant, FirstPromotion, Pins, Profile, RecapturePromotion, Rules};

/// The captures of an exchange.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Captures {
    /// What each capture wins, the first move's first.
    pub wins: Vec<PieceSum>,
    /// What the next capture would win if there were one.
    pub speculative: PieceSum,
    /// The moving piece.
    pub mover: Role,
    /// The pieces that recapture.
    pub capturers: Vec<Role>,
    /// The squares on which these pieces stood.
    pub squares: Vec<Square>,
    /// How many pieces of the side that moved, and of the other, attack the square after the move.
    pub attackers: [usize; 2],
    /// Whether a pawn attacks the square after the move.
    pub is_guarded_by_pawn: bool,
    /// The side that moves.
    pub turn: Color,
}

/// An engine with faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FaultyEngine {
    pub(super) profile: Profile,
    pub(super) faults: FaultSet,
}

impl FaultyEngine {
    /// An engine that follows a rule set without a fault.
    pub const fn faultless(profile: Profile) -> FaultyEngine {
        FaultyEngine {
            profile,
            faults: FaultSet::NONE,
        }
    }

    /// An engine that follows any rules without a fault. Rules that are not a profile's are what
    /// some faults make of a profile.
    #[must_use]
    pub fn following(rules: &Rules) -> FaultyEngine {
        let profile = match rules.pins {
            Pins::None => Profile::Swap,
            Pins::Sf8 => Profile::Sf8,
            Pins::Sf => Profile::Sf,
            Pins::Legal => Profile::Legal,
        };
        let usual = Rules::new(profile, rules.values);
        let en_passant = match rules.en_passant {
            EnPassant::Exact => Fault::EnPassantExact,
            EnPassant::Zero => Fault::EnPassantIsZero,
        };
        let first_promotion = match (rules.first_promotion, profile) {
            (FirstPromotion::Full, _) => Fault::PromotionCounted,
            (FirstPromotion::Pawn, Profile::Sf) => Fault::PromotionIsPawnMove,
            (FirstPromotion::Pawn, _) => Fault::PromotionIgnored,
            (FirstPromotion::Zero, _) => Fault::PromotionIsZero,
        };
        let recapture_promotion = match rules.recapture_promotion {
            RecapturePromotion::Pawn => Fault::RecaptureStaysPawn,
            RecapturePromotion::Queen => Fault::RecaptureQueens,
        };
        [
            (rules.en_passant != usual.en_passant, en_passant),
            (
                rules.first_promotion != usual.first_promotion,
                first_promotion,
            ),
            (
                rules.recapture_promotion != usual.recapture_promotion,
                recapture_promotion,
            ),
        ]
        .into_iter()
        .filter(|(differs, _)| *differs)
        .fold(FaultyEngine::faultless(profile), |engine, (_, choice)| {
            engine.with(choice)
        })
    }

    /// This engine with one fault more.
    #[must_use]
    pub const fn with(mut self, fault: Fault) -> FaultyEngine {
        self.faults = self.faults.and(fault);
        self
    }

    /// An engine with the faults of both, which have the pins of one rule set, or one of them that
    /// other's.
    pub(crate) fn and(self, other: &FaultyEngine, usual: Profile) -> FaultyEngine {
        let profile = if self.profile == usual {
            other.profile
        } else {
            self.profile
        };
        FaultyEngine {
            profile,
            faults: self.faults.union(other.faults),
        }
    }

    /// The rule set whose pins it has.
    pub(crate) const fn profile(&self) -> Profile {
        self.profile
    }

    pub(super) const fn has(&self, fault: Fault) -> bool {
        self.faults.has(fault)
    }

    /// The captures after the first move of a scene.
    pub(crate) fn captures(&self, scene: &Scene) -> Captures {
        let (mut exchange, gain) = match self.first_move(scene) {
            First::Settled(captures) => return captures,
            First::Contested(exchange, gain) => (*exchange, gain),
        };
        let first_victim = exchange.first_victim;
        let mut captures = Captures {
            wins: vec![gain],
            speculative: PieceSum::ZERO,
            mover: scene.mover().role,
            capturers: Vec::new(),
            squares: Vec::new(),
            attackers: [scene.turn, !scene.turn].map(|side| {
                let attackers = squares_of(exchange.attackers);
                attackers.filter(|at| exchange.is_of(*at, side)).count()
            }),
            is_guarded_by_pawn: squares_of(exchange.attackers)
                .any(|at| exchange.is_of(at, !scene.turn) && exchange.role(at) == Role::Pawn),
            turn: scene.turn,
        };
        let mut side = if self.has(Fault::MoverSideRecaptures) {
            scene.turn
        } else {
            !scene.turn
        };
        while let Some(square) = exchange.next_capturer(side) {
            let role = exchange.role(square);
            let mut win = if self.has(Fault::FirstVictimAgain) {
                PieceSum::from_role(first_victim.unwrap_or(Role::Pawn))
            } else if self.has(Fault::MoverStandsForever) {
                PieceSum::from_role(captures.mover)
            } else if self.has(Fault::CapturerValue) {
                PieceSum::from_role(role)
            } else {
                PieceSum::from_role(exchange.standing)
            };
            win = win + exchange.recapture(square);
            captures.wins.push(win);
            captures.capturers.push(role);
            captures.squares.push(square);
            if !self.has(Fault::SideNeverChanges) {
                side = !side;
            }
        }
        captures.speculative = PieceSum::from_role(exchange.standing);
        captures
    }

    fn first_move<'a>(&'a self, scene: &'a Scene) -> First<'a> {
        let mover = scene.mover();
        let victim = scene.squares[scene.to as usize];
        let way = Way::from_to(scene.from, scene.to);
        let is_castling = victim.is_some_and(|piece| piece.color == scene.turn)
            || mover.role == Role::King && way.files.abs() > 1;
        if is_castling {
            let rook = PieceSum::from_role(Role::Rook);
            let gain = match () {
                () if self.has(Fault::CastlingTakesRook) => rook,
                () if self.has(Fault::CastlingLosesRook) => -rook,
                () => PieceSum::ZERO,
            };
            return First::settled(scene, gain);
        }
        let is_pawn = mover.role == Role::Pawn;
        let is_en_passant = is_pawn && victim.is_none() && way.files != 0;
        let mut first_victim = victim.map(|piece| piece.role);
        let mut cleared = bit(scene.from);
        if is_en_passant {
            let is_zero = self.profile == Profile::Sf && !self.has(Fault::EnPassantExact);
            if is_zero || self.has(Fault::EnPassantIsZero) {
                return First::settled(scene, PieceSum::ZERO);
            }
            first_victim = Some(Role::Pawn);
            cleared |= self.en_passant_cleared(scene);
        }
        let mut gain = first_victim.map_or(PieceSum::ZERO, PieceSum::from_role);
        let is_uncounted = self.has(Fault::VictimUncounted)
            || is_en_passant && self.has(Fault::EnPassantVictimUncounted);
        if is_uncounted {
            gain = PieceSum::ZERO;
        }
        if self.has(Fault::MoverIsVictim) && first_victim.is_some() {
            gain = PieceSum::from_role(mover.role);
        }
        let is_quiet = first_victim.is_none() && scene.promotion.is_none();
        let ends = is_quiet && self.has(Fault::QuietIsZero)
            || is_en_passant && self.has(Fault::EnPassantNotRecaptured);
        if ends {
            return First::settled(scene, gain);
        }
        let mut standing = mover.role;
        if let Some(chosen) = scene.promotion {
            match self.promotion(chosen, first_victim, gain) {
                Promotion::Settled(value) => return First::settled(scene, value),
                Promotion::Played { gain: won, role } => {
                    gain = won;
                    standing = role;
                }
            }
        }
        let exchange = Exchange::new(self, scene, standing, cleared, first_victim);
        First::Contested(Box::new(exchange), gain)
    }

    /// The squares that en passant clears besides the capturer's.
    fn en_passant_cleared(&self, scene: &Scene) -> u64 {
        if self.has(Fault::EnPassantVictimStays) {
            return 0;
        }
        let victim = Square::from_coords(scene.to.file(), scene.from.rank());
        bit(victim)
    }

    fn promotion(&self, chosen: Role, victim: Option<Role>, gain: PieceSum) -> Promotion {
        let is_full = matches!(self.profile, Profile::Swap | Profile::Legal)
            || self.has(Fault::PromotionCounted);
        let is_zero = self.has(Fault::PromotionIsZero)
            || self.profile == Profile::Sf
                && !self.has(Fault::PromotionCounted)
                && !self.has(Fault::PromotionIsPawnMove)
            || victim.is_none() && self.has(Fault::PromotionPushIsZero);
        if is_zero {
            return Promotion::Settled(PieceSum::ZERO);
        }
        let victims = if self.has(Fault::PromotionForgetsVictim) {
            PieceSum::ZERO
        } else {
            gain
        };
        let pawn = PieceSum::from_role(Role::Pawn);
        let role = if self.has(Fault::AllQueens) {
            Role::Queen
        } else {
            chosen
        };
        let new = PieceSum::from_role(role);
        let mut bonus = match () {
            () if !is_full || self.has(Fault::PromotionIgnored) => PieceSum::ZERO,
            () if self.has(Fault::PromotionGainMissing) => PieceSum::ZERO,
            () if self.has(Fault::PromotionOnlyByPush) && victim.is_some() => PieceSum::ZERO,
            () if self.has(Fault::PromotionKeepsPawn) => new,
            () => new - pawn,
        };
        if self.has(Fault::PromotionTwice) {
            bonus = bonus + bonus;
        }
        let gain = victims + bonus;
        if self.has(Fault::PromotionNotRecaptured) {
            return Promotion::Settled(gain);
        }
        let is_pawn = !is_full
            || self.has(Fault::PromotionIgnored)
            || self.has(Fault::PromotedIsPawn)
            || self.has(Fault::PromotionOnlyByPush) && victim.is_some();
        let role = if is_pawn { Role::Pawn } else { role };
        Promotion::Played { gain, role }
    }
}

impl Scene {
    /// The piece that moves.
    pub fn mover(&self) -> Piece {
        self.squares[self.from as usize].unwrap_or(Piece {
            color: self.turn,
            role: Role::Pawn,
        })
    }
}

enum Promotion {
    Settled(PieceSum),
    Played { gain: PieceSum, role: Role },
}

enum First<'a> {
    Settled(Captures),
    Contested(Box<Exchange<'a>>, PieceSum),
}

impl First<'_> {
    fn settled(scene: &Scene, gain: PieceSum) -> First<'static> {
        First::Settled(Captures {
            wins: vec![gain],
            speculative: PieceSum::ZERO,
            mover: scene.mover().role,
            capturers: Vec::new(),
            squares: Vec::new(),
            attackers: [0; 2],
            is_guarded_by_pawn: false,
            turn: scene.turn,
        })
    }
}

/// The state between two captures.
pub(super) struct Exchange<'a> {
    pub engine: &'a FaultyEngine,
    pub scene: &'a Scene,
    /// The board now, with the last capturer on the target.
    pub squares: Squares,
    /// Pieces that block lines, without the one on the target.
    pub occupied: u64,
    /// Pieces of both sides that attack the target.
    pub attackers: u64,
    /// Attackers that joined by x-ray.
    joined: u64,
    pub standing: Role,
    first_victim: Option<Role>,
}

impl<'a> Exchange<'a> {
    fn new(
        engine: &'a FaultyEngine,
        scene: &'a Scene,
        standing: Role,
        cleared: u64,
        first_victim: Option<Role>,
    ) -> Exchange<'a> {
        let mut squares = scene.squares;
        let mut occupied = 0;
        for square in Square::ALL {
            if squares[square as usize].is_some() && square != scene.to {
                occupied |= bit(square);
            }
        }
        let is_unseen = engine.has(Fault::MoverBlocks) || engine.has(Fault::AttackersBeforeMove);
        let is_kept = engine.has(Fault::MoverStays) || is_unseen;
        let kept = if is_kept { bit(scene.from) } else { 0 };
        occupied &= !cleared | kept;
        for square in squares_of(cleared & !kept) {
            squares[square as usize] = None;
        }
        squares[scene.to as usize] = Some(Piece {
            color: scene.turn,
            role: standing,
        });
        let mut exchange = Exchange {
            engine,
            scene,
            squares,
            occupied,
            attackers: 0,
            joined: 0,
            standing,
            first_victim,
        };
        exchange.attackers = exchange.attackers_through(occupied, true);
        if is_unseen {
            exchange.attackers &= !bit(scene.from);
        }
        if engine.has(Fault::FirstUncovered) {
            let before = exchange.attackers_through(occupied | bit(scene.from), true);
            exchange.joined = exchange.attackers & !before;
        }
        exchange
    }

    /// Pieces that attack the target now; at the start some faults see through others.
    fn attackers_through(&self, occupied: u64, is_start: bool) -> u64 {
        let to = self.scene.to;
        let mut attackers = 0;
        for square in squares_of(occupied) {
            let piece = self.piece(square);
            let way = Way::from_to(square, to);
            if attacks(&self.engine.faults, piece, square, to, |at| {
                occupied & bit(at) != 0 && !(is_start && self.is_seen_through(piece, way, at))
            }) {
                attackers |= bit(square);
            }
        }
        attackers
    }

    fn is_seen_through(&self, slider: Piece, way: Way, at: Square) -> bool {
        let piece = self.piece(at);
        self.engine.has(Fault::SlidersSeeThroughAll)
            || self.engine.has(Fault::SlidersSeeThroughOwn) && piece.color == slider.color
            || self.engine.has(Fault::SlidersSeeThroughSliders) && slides(piece.role, way)
    }

    fn piece(&self, square: Square) -> Piece {
        self.squares[square as usize].unwrap_or(Piece {
            color: self.scene.turn,
            role: Role::Pawn,
        })
    }

    pub fn role(&self, square: Square) -> Role {
        self.piece(square).role
    }

    pub fn is_of(&self, square: Square, side: Color) -> bool {
        self.piece(square).color == side
    }

    /// The piece that captures next, or `None`.
    fn next_capturer(&self, side: Color) -> Option<Square> {
        let engine = self.engine;
        let barred = self.barred(side);
        let capturers = squares_of(self.attackers).filter(|square| {
            self.is_of(*square, side)
                && barred & bit(*square) == 0
                && !self.is_left_out(self.role(*square))
                && !(self.tests_legality() && self.is_illegal(*square, side))
        });
        let first = capturers.min_by_key(|square| {
            let number = *square as i32;
            let is_highest_first = engine.has(Fault::HighestSquareFirst);
            let tie = if is_highest_first { -number } else { number };
            (self.place(*square), tie)
        })?;
        if self.role(first) != Role::King || self.tests_legality() || engine.has(Fault::HugeKing) {
            return Some(first);
        }
        let mut guards = self.attackers;
        if engine.has(Fault::PinnedDoNotGuard) {
            guards &= !self.barred(!side);
        }
        let is_guarded = squares_of(guards).any(|at| !self.is_of(at, side));
        (!is_guarded || engine.has(Fault::KingIgnoresGuards)).then_some(first)
    }

    fn is_left_out(&self, role: Role) -> bool {
        let missing = match role {
            Role::Pawn => Fault::NoPawnRecaptures,
            Role::Knight => Fault::NoKnightRecaptures,
            Role::Bishop => Fault::NoBishopRecaptures,
            Role::Rook => Fault::NoRookRecaptures,
            Role::Queen => Fault::NoQueenRecaptures,
            Role::King => Fault::KingNeverRecaptures,
        };
        self.engine.has(missing)
    }

    /// The place of an attacker in the order of capture.
    fn place(&self, square: Square) -> i32 {
        let engine = self.engine;
        let role = self.role(square);
        let place = 2 * role as i32;
        match role {
            Role::King if engine.has(Fault::KingFirst) => 0,
            Role::King => place,
            _ if engine.has(Fault::SquareOrder) => 1,
            _ if engine.has(Fault::MostValuableFirst) => 12 - place,
            Role::Pawn if engine.has(Fault::PawnsLast) => 11,
            Role::Pawn if engine.has(Fault::RecaptureAsQueen) && self.is_last_rank() => 11,
            Role::Queen if engine.has(Fault::QueenBeforeRook) => 7,
            Role::Rook if engine.has(Fault::RookBeforeMinor) => 3,
            Role::Bishop if engine.has(Fault::BishopBeforeKnight) => 3,
            _ => place,
        }
    }

    fn is_last_rank(&self) -> bool {
        matches!(i32::from(self.scene.to.rank()), 0 | 7)
    }

    /// Captures: removes the piece from its square, lets sliders join, and returns what a promotion
    /// wins.
    fn recapture(&mut self, square: Square) -> PieceSum {
        let engine = self.engine;
        let piece = self.piece(square);
        let mut bonus = PieceSum::ZERO;
        self.standing = piece.role;
        let queens = if engine.profile == Profile::Legal {
            !engine.has(Fault::RecaptureStaysPawn)
        } else {
            engine.has(Fault::RecaptureQueens)
        };
        if queens && piece.role == Role::Pawn && self.is_last_rank() {
            if !engine.has(Fault::RecaptureGainMissing) {
                bonus = PieceSum::from_role(Role::Queen) - PieceSum::from_role(Role::Pawn);
            }
            if !engine.has(Fault::RecaptureLosesPawn) {
                self.standing = Role::Queen;
            }
        }
        self.occupied &= !bit(square);
        self.attackers &= !bit(square);
        self.squares[square as usize] = None;
        self.squares[self.scene.to as usize] = Some(Piece {
            color: piece.color,
            role: self.standing,
        });
        self.join(square, piece);
        bonus
    }

    /// Adds the sliders that attack the target through the square that a piece has left.
    fn join(&mut self, left: Square, capturer: Piece) {
        let engine = self.engine;
        let to = self.scene.to;
        let way = Way::from_to(left, to);
        if !way.is_diagonal() && !way.is_straight() {
            return;
        }
        let mut seen = self.attackers_through(self.occupied, false);
        if engine.has(Fault::AnySliderJoins) {
            seen |= self.any_slider_behind(left);
        }
        for square in squares_of(seen & !self.attackers) {
            let slider = self.piece(square);
            let is_diagonal = way.is_diagonal();
            let is_late = engine.has(Fault::OneXRay) || engine.has(Fault::FirstUncovered);
            let is_missed = engine.has(Fault::NoXRays)
                || engine.has(Fault::AttackersBeforeMove)
                || engine.has(Fault::NoDiagonalXRays) && is_diagonal
                || engine.has(Fault::NoStraightXRays) && !is_diagonal
                || engine.has(Fault::OnlyOwnXRays) && slider.color != capturer.color
                || engine.has(Fault::OnlyEnemyXRays) && slider.color == capturer.color
                || is_late && self.joined != 0
                || engine.has(Fault::OneDeepXRays) && self.joined & bit(left) != 0
                || match capturer.role {
                    Role::Pawn => engine.has(Fault::NoXRaysBehindPawns),
                    Role::Bishop => engine.has(Fault::NoXRaysBehindBishops),
                    Role::Rook => engine.has(Fault::NoXRaysBehindRooks),
                    Role::Queen => engine.has(Fault::NoXRaysBehindQueens),
                    _ => false,
                }
                || match slider.role {
                    Role::Bishop => engine.has(Fault::BishopsNeverJoin),
                    Role::Rook => engine.has(Fault::RooksNeverJoin),
                    _ if is_diagonal => engine.has(Fault::QueensNeverJoinDiagonally),
                    _ => engine.has(Fault::QueensNeverJoinStraight),
                };
            if !is_missed {
                self.attackers |= bit(square);
                self.joined |= bit(square);
            }
        }
    }

    /// The next slider of any kind behind a square, seen from the target.
    fn any_slider_behind(&self, left: Square) -> u64 {
        let way = Way::from_to(self.scene.to, left);
        let mut file = i32::from(left.file());
        let mut rank = i32::from(left.rank());
        loop {
            file += way.files.signum();
            rank += way.ranks.signum();
            if !(0..8).contains(&file) || !(0..8).contains(&rank) {
                return 0;
            }
            let square = Square::new((rank * 8 + file).cast_unsigned());
            if self.occupied & bit(square) != 0 {
                let role = self.role(square);
                let is_slider = matches!(role, Role::Bishop | Role::Rook | Role::Queen);
                return if is_slider { bit(square) } else { 0 };
            }
        }
    }
}
