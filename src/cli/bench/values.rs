//! The values of options, refused before anything runs, whether a GPU will or not.

use core::ops::RangeInclusive;

use super::LARGEST;

/// A number of moves or positions, as `1000`, `64k` or `4M`.
pub fn size(text: &str) -> Result<usize, String> {
    let (digits, unit) = match text.strip_suffix(['k', 'K']) {
        Some(digits) => (digits, 1 << 10),
        None => match text.strip_suffix('M') {
            Some(digits) => (digits, 1 << 20),
            None => (text, 1),
        },
    };
    let number = digits.parse::<usize>().ok().filter(|&number| number > 0);
    number
        .and_then(|number| number.checked_mul(unit))
        .filter(|&size| size <= LARGEST)
        .ok_or_else(|| "expected a number from 1 to 16M, such as 1000, 64k or 4M".to_owned())
}

pub fn above_zero(text: &str) -> Result<f64, String> {
    let number = text.parse().ok();
    number
        .filter(|number: &f64| *number > 0.0 && number.is_finite())
        .ok_or_else(|| "expected a number above 0".to_owned())
}

pub fn above_zero_twice(text: &str) -> Result<[f64; 2], String> {
    let (score, verdict) = text
        .split_once(',')
        .ok_or_else(|| "expected two numbers, such as 450,1800".to_owned())?;
    Ok([above_zero(score)?, above_zero(verdict)?])
}

/// As the library takes them; it is there without a GPU, too.
const LANES: RangeInclusive<u32> = 1..=64;
const WORKGROUPS: RangeInclusive<u32> = 32..=1024;
const LISTS: RangeInclusive<u32> = 1..=64;

pub fn lanes(text: &str) -> Result<u32, String> {
    within(text, &LANES)
}

pub fn list(text: &str) -> Result<u32, String> {
    within(text, &LISTS)
}

pub fn workgroup(text: &str) -> Result<u32, String> {
    let invocations = within(text, &WORKGROUPS)?;
    if invocations.is_multiple_of(32) {
        return Ok(invocations);
    }
    Err("expected a multiple of 32".to_owned())
}

fn within(text: &str, range: &RangeInclusive<u32>) -> Result<u32, String> {
    let number = text.parse().ok().filter(|number| range.contains(number));
    let (least, most) = (range.start(), range.end());
    number.ok_or_else(|| format!("expected a whole number from {least} to {most}"))
}

#[cfg(all(test, feature = "gpu"))]
mod tests {
    use swaplist::gpu::Options;

    use super::*;

    #[test]
    fn the_ranges_are_those_of_the_library() {
        let lanes = *LANES.start() as usize..=*LANES.end() as usize;
        assert_eq!(lanes, Options::WORKERS);
        assert_eq!(WORKGROUPS, Options::WORKGROUPS);
        assert_eq!(LISTS, Options::LISTS);
        assert_eq!(LARGEST, *Options::CHUNKS.end());
    }
}
