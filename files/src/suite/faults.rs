//! The faults that engines' SEEs have, each with its name.

use core::fmt;
use core::str::FromStr;

use swaplist::{Choice, ParseError, Profile};

const ALL: &[Profile] = Profile::ALL;
const NOT_SF: &[Profile] = &[Profile::Swap, Profile::Sf8, Profile::Legal];
const NOT_LEGAL: &[Profile] = &[Profile::Swap, Profile::Sf8, Profile::Sf];
const FULL: &[Profile] = &[Profile::Swap, Profile::Legal];
const PINS: &[Profile] = &[Profile::Sf8, Profile::Sf, Profile::Legal];
const STOCKFISH: &[Profile] = &[Profile::Sf8, Profile::Sf];
const SWAP: &[Profile] = &[Profile::Swap];
const SF: &[Profile] = &[Profile::Sf];
const LEGAL: &[Profile] = &[Profile::Legal];
/// Not a fault: rules of an exchange leave it open, and the suite's lines do not depend on it.
const FREEDOM: &[Profile] = &[];

/// A fault that SEEs have, such as that the king does not recapture.
///
/// ```
/// use swaplist_files::suite::Fault;
///
/// let fault: Fault = "EnPassantVictimStays".parse()?;
/// assert_eq!(fault.text(), "the victim of en passant stays on the board");
/// # Ok::<(), swaplist::ParseError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fault(u8);

/// What is known of a fault.
struct Entry {
    name: &'static str,
    text: &'static str,
    class: &'static str,
    profiles: &'static [Profile],
}

/// Defines the faults by their classes, each with the rule sets in which it is one and a text.
macro_rules! faults {
    ($($class:literal { $($fault:ident: $profiles:ident, $text:literal;)+ })+) => {
        /// The places of the faults in the list.
        enum Place {
            $($($fault,)+)+
        }

        const LIST: &[Entry] = &[$($(Entry {
            name: stringify!($fault),
            text: $text,
            class: $class,
            profiles: $profiles,
        },)+)+];

        #[allow(non_upper_case_globals)] // a fault has one name everywhere
        impl Fault {
            $($(pub(crate) const $fault: Fault = Fault(Place::$fault as u8);)+)+
        }

        #[allow(non_upper_case_globals)]
        impl Choice for Fault {
            /// The simplest first.
            const ALL: &'static [Fault] = &[$($(Fault::$fault),+),+];

            fn name(self) -> &'static str {
                self.entry().name
            }
        }
    };
}

faults! {
    "wrong signs" {
        AllSigns: ALL, "every value has the wrong sign";
        BlackSigns: ALL, "Black's values have the wrong sign";
        WhiteSigns: ALL, "White's values have the wrong sign";
        Absolute: ALL, "losses are told as gains";
        NeverNegative: ALL, "a losing move is worth 0";
    }
    "thresholds" {
        StrictThreshold: ALL, "the threshold is compared by > instead of >=";
    }
    "the first capture" {
        VictimUncounted: ALL, "the first victim is not counted";
        MoverAlwaysLost: ALL, "the moving piece is always lost";
        MoverIsVictim: ALL, "the first gain is the moving piece's value";
        QuietIsZero: ALL, "a move that captures nothing is always worth 0";
    }
    "piece values" {
        QueenAsRook: ALL, "a queen has a rook's value";
        RookAsKnight: ALL, "a rook has a knight's value";
        BishopAsPawn: ALL, "a bishop has a pawn's value";
        KnightAsPawn: ALL, "a knight has a pawn's value";
        PawnAsKnight: ALL, "a pawn has a knight's value";
        ShiftedTable: ALL, "the table of values is read one piece too low";
    }
    "recaptures are missing" {
        NoRecaptures: ALL, "nothing is ever recaptured";
        NoPawnRecaptures: ALL, "pawns do not recapture";
        NoKnightRecaptures: ALL, "knights do not recapture";
        NoBishopRecaptures: ALL, "bishops do not recapture";
        NoRookRecaptures: ALL, "rooks do not recapture";
        NoQueenRecaptures: ALL, "queens do not recapture";
    }
    "attacks" {
        PawnsBackwards: ALL, "pawns attack backwards";
        PawnsUpwards: ALL, "black pawns attack as white ones do";
        PawnsStraight: ALL, "pawns attack the square in front";
        PawnsToOneSide: ALL, "pawns attack to one side only";
        PawnsWrap: ALL, "pawns attack around the edge of the board";
        EdgePawns: ALL, "pawns on the a- and h-file attack nothing";
        KnightsWrap: ALL, "knights jump around the edge of the board";
        ShortKnights: ALL, "knights miss the jumps of two files";
        SlidersStopBeforeEdge: ALL, "sliders do not reach the edge of the board";
        QueensOnlyStraight: ALL, "queens do not attack diagonally";
        QueensOnlyDiagonal: ALL, "queens do not attack straight";
        SlidersSeeThroughAll: ALL, "sliders attack through every piece";
        SlidersSeeThroughOwn: ALL, "sliders attack through their own pieces";
        SlidersSeeThroughSliders: ALL, "the piece behind another slider may capture first";
    }
    "the order of the attackers" {
        MostValuableFirst: ALL, "the most valuable attacker captures first";
        QueenBeforeRook: ALL, "queens capture before rooks";
        RookBeforeMinor: ALL, "rooks capture before knights and bishops";
        PawnsLast: ALL, "pawns capture after the pieces";
        KingFirst: ALL, "the king captures before the pieces";
        SquareOrder: ALL, "attackers capture in the order of their squares";
    }
    "sides and victims" {
        MoverSideRecaptures: ALL, "the side that moved recaptures";
        SideNeverChanges: ALL, "the side to recapture never changes";
        FirstVictimAgain: ALL, "each capture wins the first victim again";
        MoverStandsForever: ALL, "each recapture wins the piece that moved first";
        CapturerValue: ALL, "a recapture wins the value of the piece that captures";
    }
    "where the exchange stops" {
        NoStopping: ALL, "nobody may stop: all captures are played";
        MoverCannotStop: ALL, "the side that moved may not stop";
        OpponentCannotStop: ALL, "the opponent may not stop";
        GreedyStop: ALL, "a side stops only when it is behind at that moment";
        EarlyBreak: ALL, "pruning by the larger of two gains keeps the sign only";
        SpeculativeGain: ALL, "the last, speculative gain is counted";
        LastIgnored: ALL, "the last recapture is forgotten";
        OneRecapture: ALL, "only one recapture is seen";
        TwoRecaptures: ALL, "only two recaptures are seen";
        ThreeRecaptures: ALL, "only three recaptures are seen";
        FourRecaptures: ALL, "only four recaptures are seen";
        FiveRecaptures: ALL, "only five recaptures are seen";
        SixRecaptures: ALL, "only six recaptures are seen";
        NotNegated: ALL, "the value after a recapture is not negated";
        CountsAttackers: ALL, "attackers and defenders are counted instead of exchanged";
        GoodCaptureShortcut: ALL, "capturing a piece of at least the same value wins it whole";
        DefendedByCheaper: ALL, "a loss is seen only if a pawn defends";
        DefendedIsLost: ALL, "if anything defends, the moving piece is lost, and nothing more is looked at";
    }
    "the moving piece" {
        MoverStays: ALL, "the moving piece is still an attacker";
        MoverBlocks: ALL, "the square that the moving piece left still blocks";
    }
    "x-rays are missing" {
        AttackersBeforeMove: ALL, "pieces behind others do not recapture";
        FirstUncovered: ALL, "only the first piece that an exchange uncovers recaptures";
        NoXRays: ALL, "pieces behind the first capturer recapture, those behind others do not";
        NoDiagonalXRays: ALL, "no x-rays on diagonals";
        NoStraightXRays: ALL, "no x-rays on files and ranks";
        NoXRaysBehindPawns: ALL, "no x-rays behind pawns";
        NoXRaysBehindBishops: ALL, "no x-rays behind bishops";
        NoXRaysBehindRooks: ALL, "no x-rays behind rooks";
        NoXRaysBehindQueens: ALL, "no x-rays behind queens";
        OnlyOwnXRays: ALL, "no x-rays behind enemy pieces";
        OnlyEnemyXRays: ALL, "no x-rays behind pieces of the same side";
        OneXRay: ALL, "only one x-ray in an exchange";
        OneDeepXRays: ALL, "no x-rays through two capturers on one line";
        BishopsNeverJoin: ALL, "bishops do not join by x-ray";
        RooksNeverJoin: ALL, "rooks do not join by x-ray";
        QueensNeverJoinDiagonally: ALL, "queens do not join by x-ray on diagonals";
        QueensNeverJoinStraight: ALL, "queens do not join by x-ray on files and ranks";
    }
    "attacks" {
        AnySliderJoins: ALL, "x-rays take rooks on diagonals and bishops on files and ranks";
    }
    "the king does not recapture" {
        KingNeverRecaptures: ALL, "the king does not recapture";
    }
    "the king recaptures on a guarded square" {
        KingIgnoresGuards: ALL, "the king recaptures on a guarded square";
    }
    "the king's value" {
        HugeKing: NOT_LEGAL, "the king is an attacker of huge value without a rule of its own";
    }
    "attacks" {
        KingWraps: ALL, "kings attack around the edge of the board";
        KingOnlyStraight: ALL, "kings do not attack diagonally";
    }
    "en passant" {
        EnPassantIsZero: NOT_SF, "en passant is always worth 0";
        EnPassantExact: SF, "en passant is counted";
        EnPassantVictimUncounted: NOT_SF, "the victim of en passant is not counted";
        EnPassantVictimStays: NOT_SF, "the victim of en passant stays on the board";
        EnPassantNotRecaptured: NOT_SF, "en passant is never recaptured";
    }
    "promotions" {
        PromotionIgnored: FULL, "a promotion is taken for a pawn's move";
        PromotionIsPawnMove: SF, "a promotion is played as a pawn's move instead of being 0";
        PromotionIsZero: NOT_SF, "a promotion is always worth 0";
        PromotionCounted: STOCKFISH, "a promotion's gain is counted";
        PromotionGainMissing: FULL, "a promotion wins nothing, but the new piece can be lost";
        PromotionKeepsPawn: FULL, "a promotion wins the new piece without the loss of the pawn";
        PromotionTwice: FULL, "a promotion's gain is counted twice";
        PromotedIsPawn: FULL, "the promoted piece is recaptured as a pawn";
        PromotionNotRecaptured: NOT_SF, "a promotion is never recaptured";
        PromotionPushIsZero: NOT_SF, "a promotion without a capture is always worth 0";
        PromotionForgetsVictim: NOT_SF, "a capture that promotes does not count the victim";
        PromotionOnlyByPush: FULL, "a capture that promotes does not count the promotion";
        AllQueens: FULL, "underpromotions count as queens";
    }
    "promotions in recaptures" {
        RecaptureQueens: NOT_LEGAL, "a pawn that recaptures on the last rank becomes a queen";
        RecaptureStaysPawn: LEGAL, "a pawn that recaptures on the last rank stays a pawn";
        RecaptureGainMissing: LEGAL, "a recapturing pawn becomes a queen, but wins nothing by that";
        RecaptureLosesPawn: LEGAL, "a recapturing pawn wins a queen, but is lost as a pawn";
        RecaptureAsQueen: LEGAL, "a pawn that can promote by recapturing captures last";
    }
    "castling" {
        CastlingTakesRook: ALL, "castling is the king taking its own rook";
        CastlingLosesRook: ALL, "castling loses a rook";
    }
    "pins" {
        UsesPins: SWAP, "pinned pieces do not recapture";
        OnlyLegalRecaptures: SWAP, "recaptures that leave the king attacked are left out";
        PinsIgnored: PINS, "pinned pieces recapture";
        NoDiagonalPins: PINS, "pins on diagonals are not seen";
        NoStraightPins: PINS, "pins on files and ranks are not seen";
        NoQueenPins: PINS, "queens do not pin";
        OnlyOpponentPinned: PINS, "only the opponent's pieces are pinned";
        OnlyMoverSidePinned: PINS, "only the pieces of the side that moved are pinned";
        PinnedStayOnLine: LEGAL, "a pinned piece may not capture on the line of its pin";
        PinnedMayStayOnLine: STOCKFISH, "a pinned piece may capture on the line of its pin";
        PinsNeverReleased: STOCKFISH, "pins last when the pinning piece has left or is captured";
        CapturedPinnerStays: STOCKFISH, "a pinning piece that the move captures still pins";
        OtherPinners: STOCKFISH, "sf8 and sf are mixed up: all pinning pieces or any of them";
        OtherBlockers: STOCKFISH, "sf8 and sf are mixed up: two pinning pieces on one line";
        WrongKingsBlockers: STOCKFISH, "pieces before the enemy's king are taken for the pinned ones";
        TwoBlockers: STOCKFISH, "two pieces between king and slider are pinned";
        PinsAfterMove: STOCKFISH, "pins are looked for after the move";
        PinsEveryPly: STOCKFISH, "pins are looked for anew after each capture";
        PinnedDoNotGuard: PINS, "a pinned piece does not guard against the king";
        StaticPins: LEGAL, "pins are taken once, before the move";
        ChecksIgnored: LEGAL, "in check from another piece, a side may capture all the same";
    }
    "equal attackers" {
        HighestSquareFirst: FREEDOM, "of equal attackers the one on the highest square captures";
        BishopBeforeKnight: FREEDOM, "bishops capture before knights";
    }
}

impl Fault {
    const fn entry(self) -> &'static Entry {
        &LIST[self.0 as usize]
    }

    /// What the engine does wrong, in words.
    pub const fn text(self) -> &'static str {
        self.entry().text
    }

    /// What the fault is about, such as `en passant`: faults that are alike share it.
    pub(crate) const fn class(self) -> &'static str {
        self.entry().class
    }

    /// The rule sets in which this is a fault: another set may want just that.
    pub(crate) const fn profiles(self) -> &'static [Profile] {
        self.entry().profiles
    }

    /// Whether this is a fault of an engine with this rule set.
    pub(crate) fn is_fault_of(self, profile: Profile) -> bool {
        self.profiles().contains(&profile)
    }
}

impl FromStr for Fault {
    type Err = ParseError;

    fn from_str(name: &str) -> Result<Fault, ParseError> {
        let mut all = Fault::ALL.iter().copied();
        let found = all.find(|fault| fault.name() == name);
        found.ok_or_else(|| ParseError::new(format!("no fault is called '{name}'")))
    }
}

/// Writes its name.
impl fmt::Debug for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Writes the class before the text, if the text does not say it: `x-rays are missing: no x-rays on
/// diagonals`.
impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [class, text] = [self.class(), self.text()];
        if text.contains(class.trim_end_matches('s')) {
            f.write_str(text)
        } else {
            write!(f, "{class}: {text}")
        }
    }
}

/// Some faults.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct FaultSet {
    bits: [u64; 3],
}

impl FaultSet {
    /// No fault.
    pub const NONE: FaultSet = FaultSet { bits: [0; 3] };

    pub(crate) const fn and(mut self, fault: Fault) -> FaultSet {
        self.bits[fault.0 as usize / 64] |= 1 << (fault.0 % 64);
        self
    }

    /// The faults of both.
    pub fn union(self, other: FaultSet) -> FaultSet {
        FaultSet {
            bits: core::array::from_fn(|word| self.bits[word] | other.bits[word]),
        }
    }

    pub const fn has(&self, fault: Fault) -> bool {
        self.bits[fault.0 as usize / 64] >> (fault.0 % 64) & 1 != 0
    }
}
