//! Filters a whole file: writes its quiet positions, byte for byte and atomically.
//!
//! `cargo run --release --example filter_file -- data/sample.binpack quiet.binpack`

use std::error::Error;
use std::path::PathBuf;

use swaplist_files::filter::Preset;
use swaplist_files::jobs::{self, Options};

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(input), Some(output)) = (args.next(), args.next()) else {
        return Err("expected an input and an output".into());
    };
    let summary = jobs::filter(input, output, &Preset::Quiet.filter(), &Options::default())?;
    print!("{}", summary.table());
    Ok(())
}
