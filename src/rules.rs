//! The rules of an exchange: the meaning of "SEE".

use core::fmt;

use crate::PieceValues;

/// Which pinned pieces may not recapture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Pins {
    /// None: pins are ignored.
    #[default]
    None = 0,
    /// As in Stockfish 8: a side's blockers may not recapture while *all* their pinners stand
    /// on their squares; blockers from the full occupancy.
    Sf8 = 1,
    /// As in Stockfish since 2019: a side's blockers may not recapture while *any* pinner
    /// stands on its square; two pinners on one line count.
    Sf = 2,
    /// Only strictly legal captures, tested on the board of every ply.
    Legal = 3,
}

/// The value of an en-passant capture as the first move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum EnPassant {
    /// The pawn, and what follows on the board without it.
    #[default]
    Exact = 0,
    /// Always 0, as in Stockfish.
    Zero = 1,
}

/// The value of a promotion as the first move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum FirstPromotion {
    /// The promotion's gain counts and the promoted piece stands on the square.
    #[default]
    Full = 0,
    /// As if the pawn moved and stayed a pawn.
    Pawn = 1,
    /// Always 0, as in Stockfish.
    Zero = 2,
}

/// What a pawn that recaptures on the last rank becomes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum InsidePromotion {
    /// It stays a pawn.
    #[default]
    Pawn = 0,
    /// It becomes a queen; it still captures first, as a pawn.
    Queen = 1,
}

/// A named set of rules that engines use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Profile {
    /// CPW's swap algorithm: no pins, everything else exact.
    #[default]
    Swap,
    /// The `see_ge` of Stockfish 8 to 10 (2016-18).
    Sf8,
    /// The `see_ge` of Stockfish master (2019-26).
    Sf,
    /// Least valuable attacker first, over strictly legal captures.
    Legal,
}

impl Profile {
    /// All profiles.
    pub const ALL: [Profile; 4] = [Profile::Swap, Profile::Sf8, Profile::Sf, Profile::Legal];
}

/// The complete rules of an exchange: options and piece values.
///
/// ```
/// use swaplist::{InsidePromotion, PieceValues, Profile, Rules};
///
/// let stockfish = Rules::new(Profile::Sf, PieceValues::STOCKFISH);
/// let own = Rules { inside_promotion: InsidePromotion::Queen, ..stockfish };
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
    pub inside_promotion: InsidePromotion,
    /// The piece values.
    pub values: PieceValues,
}

impl Rules {
    /// CPW's swap algorithm with CPW's values: the default.
    pub const SWAP: Rules = Rules::new(Profile::Swap, PieceValues::CPW);

    /// The rules of a profile, with piece values.
    #[must_use]
    pub const fn new(profile: Profile, values: PieceValues) -> Rules {
        let swap = Rules {
            pins: Pins::None,
            en_passant: EnPassant::Exact,
            first_promotion: FirstPromotion::Full,
            inside_promotion: InsidePromotion::Pawn,
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
                inside_promotion: InsidePromotion::Queen,
                ..swap
            },
        }
    }

    /// The profile with these options, if there is one.
    #[must_use]
    pub fn profile(&self) -> Option<Profile> {
        Profile::ALL
            .into_iter()
            .find(|&profile| Rules::new(profile, self.values) == *self)
    }
}

impl From<PieceValues> for Rules {
    /// Profile `swap` with these values.
    fn from(values: PieceValues) -> Rules {
        Rules::new(Profile::Swap, values)
    }
}

/// Writes `profile NAME, values P,N,B,R,Q`, or the four options instead of the profile.
impl fmt::Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.profile() {
            Some(profile) => write!(f, "profile {profile}")?,
            None => write!(
                f,
                "pins {}, en-passant {}, first-promotion {}, inside-promotion {}",
                self.pins, self.en_passant, self.first_promotion, self.inside_promotion
            )?,
        }
        write!(f, ", values {}", self.values)
    }
}

/// Names of an option's choices, with parsing and display.
macro_rules! names {
    ($type:ident, $option:literal, $($choice:ident = $name:literal),+) => {
        impl $type {
            /// The names of the choices, in their order.
            pub const NAMES: &'static [&'static str] = &[$($name),+];

            /// The name of this choice in options and output.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $($type::$choice => $name),+ }
            }
        }

        impl core::fmt::Display for $type {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.pad(self.name())
            }
        }

        impl core::str::FromStr for $type {
            type Err = $crate::ParseError;

            fn from_str(name: &str) -> Result<$type, $crate::ParseError> {
                match name {
                    $($name => Ok($type::$choice),)+
                    _ => Err($crate::ParseError::unknown($option, name, $type::NAMES)),
                }
            }
        }
    };
}

pub(crate) use names;

names!(
    Profile,
    "profile",
    Swap = "swap",
    Sf8 = "sf8",
    Sf = "sf",
    Legal = "legal"
);
names!(
    Pins,
    "pin rule",
    None = "none",
    Sf8 = "sf8",
    Sf = "sf",
    Legal = "legal"
);
names!(EnPassant, "en-passant rule", Exact = "exact", Zero = "zero");
names!(
    FirstPromotion,
    "first-promotion rule",
    Full = "full",
    Pawn = "pawn",
    Zero = "zero"
);
names!(
    InsidePromotion,
    "inside-promotion rule",
    Pawn = "pawn",
    Queen = "queen"
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_go_both_ways() {
        for name in Profile::NAMES {
            assert_eq!(name.parse::<Profile>().unwrap().name(), *name);
        }
        let error = "stockfish".parse::<Profile>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "unknown profile 'stockfish', expected one of: swap, sf8, sf, legal"
        );
    }

    #[test]
    fn profiles_are_told_by_their_options() {
        for profile in Profile::ALL {
            assert_eq!(
                Rules::new(profile, PieceValues::STOCKFISH).profile(),
                Some(profile)
            );
        }
        let own = Rules {
            pins: Pins::Sf,
            ..Rules::SWAP
        };
        assert_eq!(own.profile(), None);
        assert!(own.to_string().starts_with("pins sf, en-passant exact"));
    }
}
