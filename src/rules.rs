//! The rules of an exchange: the meaning of "SEE".

use core::fmt;

use crate::{Choice, PieceValues, choices};

choices! {
    "pin rule",
    /// Which pinned pieces may not recapture.
    #[derive(Default)]
    pub enum Pins {
        /// None: pins are ignored.
        #[default]
        None = "none",
        /// As in Stockfish 8: a side's blockers may not recapture while *all* their pinners stand
        /// on their squares. Of two enemy sliders behind a piece on one line, only the nearer
        /// one pins it.
        Sf8 = "sf8",
        /// As in Stockfish since 2019: a side's blockers may not recapture while *any* pinner
        /// stands on its square. Two enemy sliders behind a piece on one line both pin it.
        Sf = "sf",
        /// Only strictly legal captures, tested on the board of every ply.
        Legal = "legal",
    }
}

choices! {
    "en-passant rule",
    /// The value of an en-passant capture as the first move.
    #[derive(Default)]
    pub enum EnPassant {
        /// The pawn, and what follows on the board without it.
        #[default]
        Exact = "exact",
        /// Always 0, as in Stockfish.
        Zero = "zero",
    }
}

choices! {
    "first-promotion rule",
    /// The value of a promotion as the first move.
    #[derive(Default)]
    pub enum FirstPromotion {
        /// The promotion's gain counts and the promoted piece stands on the square.
        #[default]
        Full = "full",
        /// As if the pawn moved and stayed a pawn.
        Pawn = "pawn",
        /// Always 0, as in Stockfish.
        Zero = "zero",
    }
}

choices! {
    "recapture-promotion rule",
    /// What a pawn that recaptures on the last rank becomes.
    #[derive(Default)]
    pub enum RecapturePromotion {
        /// It stays a pawn.
        #[default]
        Pawn = "pawn",
        /// It becomes a queen. Among the attackers it still counts as a pawn, which captures first.
        Queen = "queen",
    }
}

choices! {
    "profile",
    /// A named set of rules that engines use.
    #[derive(Default)]
    pub enum Profile {
        /// CPW's swap algorithm: no pins, everything else exact.
        #[default]
        Swap = "swap",
        /// The `see_ge` of Stockfish 8 to 10 (2016-18).
        Sf8 = "sf8",
        /// The `see_ge` of Stockfish master (2019-26).
        Sf = "sf",
        /// Least valuable attacker first, over strictly legal captures.
        Legal = "legal",
    }
}

/// The complete rules of an exchange: options and piece values.
///
/// A program that filters records while it reads them, such as a trainer's loader, calls one of
/// these. They allocate nothing and use the calling thread alone, as a hot loop needs.
///
/// | question about one position | call |
/// |---|---|
/// | may a static evaluation be trusted: not in check, and no capture wins? | [`Rules::is_quiet`] |
/// | the same with another bound, or with the opponent's threats | [`Rules::exceeds`] |
/// | would `swaplist filter` keep it? | `Filter::judge` of the crate `swaplist-files`; without a record `Filter::is_quiet` |
/// | what is its best capture worth? | [`Rules::verdict`] |
/// | what is a move worth, or is it worth at least so much? | [`Rules::see`], [`Rules::see_ge`] |
///
/// "No capture has a SEE above 0" is not enough for a filter: a position in check needs a test of
/// its own, which the first three rows make. Many positions at once take a fraction of the time, on
/// vectors and on all cores: [`Evaluator`](crate::Evaluator).
///
/// ```
/// use swaplist::{RecapturePromotion, PieceValues, Profile, Rules};
///
/// let stockfish = Rules::new(Profile::Sf, PieceValues::STOCKFISH);
/// let own = Rules { recapture_promotion: RecapturePromotion::Queen, ..stockfish };
/// assert_eq!(stockfish.to_string(), "profile sf, values 208,781,825,1276,2538");
/// assert_eq!(own.profile(), None);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Rules {
    /// Which pinned pieces may not recapture.
    pub pins: Pins,
    /// En passant as the first move.
    pub en_passant: EnPassant,
    /// Promotion as the first move.
    pub first_promotion: FirstPromotion,
    /// A pawn that recaptures on the last rank.
    pub recapture_promotion: RecapturePromotion,
    /// The values of pawn to queen, in any unit; SEEs are in the same one.
    pub values: PieceValues,
}

impl Rules {
    /// CPW's swap algorithm with CPW's values: the default.
    pub const SWAP: Rules = Rules::new(Profile::Swap, PieceValues::CPW);

    /// The rules of a profile, with piece values.
    pub const fn new(profile: Profile, values: PieceValues) -> Rules {
        let swap = Rules {
            pins: Pins::None,
            en_passant: EnPassant::Exact,
            first_promotion: FirstPromotion::Full,
            recapture_promotion: RecapturePromotion::Pawn,
            values,
        };
        match profile {
            Profile::Swap => swap,
            Profile::Sf8 => Rules {
                pins: Pins::Sf8,
                first_promotion: FirstPromotion::Pawn,
                ..swap
            },
            Profile::Sf => Rules {
                pins: Pins::Sf,
                en_passant: EnPassant::Zero,
                first_promotion: FirstPromotion::Zero,
                ..swap
            },
            Profile::Legal => Rules {
                pins: Pins::Legal,
                recapture_promotion: RecapturePromotion::Queen,
                ..swap
            },
        }
    }

    /// The profile with these options, whatever the piece values; `None` if no profile has them.
    pub fn profile(&self) -> Option<Profile> {
        Profile::ALL
            .iter()
            .copied()
            .find(|&profile| Rules::new(profile, self.values) == *self)
    }
}

/// Writes `profile NAME, values P,N,B,R,Q`, or the four options instead of the profile.
impl fmt::Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.profile() {
            Some(profile) => write!(f, "profile {profile}")?,
            None => write!(
                f,
                "pins {}, en-passant {}, first-promotion {}, recapture-promotion {}",
                self.pins, self.en_passant, self.first_promotion, self.recapture_promotion
            )?,
        }
        write!(f, ", values {}", self.values)
    }
}
