//! Rule sets and bounds.

use swaplist::{Bounds, PieceValues, Profile, Rules};

/// The four profiles.
pub fn profiles(values: PieceValues) -> [Rules; 4] {
    Profile::ALL.map(|profile| Rules::new(profile, values))
}

pub const fn bounds(see: Option<i32>, threat: Option<i32>, double_threat: bool) -> Bounds {
    Bounds {
        see,
        threat,
        double_threat,
    }
}
