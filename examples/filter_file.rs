//! Filters a whole file: writes its quiet positions, byte for byte and atomically.
//!
//! `cargo run --release --example filter_file -- data/sample.binpack quiet.binpack`

use std::error::Error;
use std::path::PathBuf;

use swaplist::filter::Filter;
use swaplist::jobs::{Filtering, Input, Job};
use swaplist::{Choice, Evaluator, Rules};

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(input), Some(output)) = (args.next(), args.next()) else {
        return Err("expected an input and an output".into());
    };
    let job = Job::new(Input::open(Some(&input))?, None)?;
    let job = job.write_to(Some(&output), false, None)?;
    let quiet = Filtering::new(Filter::default(), Rules::SWAP);
    let summary = job.filter(&quiet, &Evaluator::new(&Choice::Auto))?;
    print!("{}", summary.to_text());
    Ok(())
}
