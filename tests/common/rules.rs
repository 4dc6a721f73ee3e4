//! Rule sets and bounds.

use core::array;
use swaplist::{Bounds, Choice, PieceValues, Profile, Rules};

/// The four profiles.
pub fn profiles(values: PieceValues) -> [Rules; 4] {
    array::from_fn(|i| Profile::ALL[i]).map(|profile| Rules::new(profile, values))
}

pub const fn bounds(see: Option<i32>, threat: Option<i32>, double_threat: bool) -> Bounds {
    Bounds {
        see,
        threat,
        double_threat,
    }
}
