//! Rule sets.

use swaplist::{PieceValues, Profile, Rules};

/// The four profiles.
pub fn profiles(values: PieceValues) -> [Rules; 4] {
    Profile::ALL.map(|profile| Rules::new(profile, values))
}
