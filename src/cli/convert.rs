//! `swaplist convert`: from one format into another.

use anyhow::{Result, bail};
use swaplist::formats::{Block, Codec, Decoded, Fate, Fates, Format};

use super::Answer;
use super::options::{InputArgs, OutputArgs};
use super::output;
use super::pipeline::{Ahead, Done, Task};
use super::stream::{self, Stream};
use super::{summary, threads};

/// Writes a data set in another format.
///
/// What the other format has no place for is said before the run starts; what it
/// must hold and a record lacks (a result, where a game was broken off) ends it, or is
/// passed over with --skip-invalid. Scores and results of text, viriformat and
/// marlinformat are White's, those of binpack, sfbin, plain and bulletformat the side to
/// move's, and are turned. Into its own format, each record is copied as
/// it is. Text made of other formats is lines `FEN | score | result`, or `FEN [result]`
/// where no score is known, as in a game of a PGN without any; of EPD nothing is
/// written, its `sm`, `ce` and `c9` are read.
/// The format of OUT is told by its name, or by --to.
#[derive(clap::Args)]
#[command(after_help = "\
Exit status: 0 done, 1 invalid records were passed over, 2 could not run (then
nothing is left at OUT), 130 interrupted (neither).

Examples:
  swaplist convert games.binpack -o games.viriformat
  swaplist convert games.viriformat -o games.data
  swaplist convert games.data --from bulletformat --to text | head")]
pub struct Args {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    output: OutputArgs,

    /// Format to write, where the name of OUT does not tell it: text (.fen, .txt),
    /// binpack, bulletformat (.bf, .data), marlinformat, viriformat (.viri, .vf), sfbin or plain
    #[arg(long, value_name = "FORMAT", help_heading = "Output")]
    to: Option<Format>,

    /// Worker threads, up to 1024 [default: one a core]
    #[arg(long, value_name = "N", value_parser = threads::parse)]
    threads: Option<std::num::NonZeroUsize>,
}

pub fn run(args: &Args) -> Result<Answer> {
    let threads = threads::count(args.threads);
    let mut stream = Stream::open(&args.input, &args.output, threads)?;
    let Some(to) = args.to.or(stream.output.named_format()) else {
        let formats = Format::ALL
            .iter()
            .filter(|format| format.is_convertible_to());
        let names: Vec<_> = formats.map(|format| format.name()).collect();
        let names = names.join(", ");
        bail!("which format to write? the name of OUT does not tell; add --to, one of: {names}");
    };
    stream.write_records(Some(to))?;
    let mut ended = stream.run(&Convert, &[], Vec::new(), stream::write_data)?;
    output::finish(ended.outputs.drain(..))?;
    if args.input.wants_summary() {
        summary::print_conversion(&ended, args.input.json)?;
    }
    Ok(ended.answer())
}

struct Convert;

impl Task for Convert {
    fn bytes_a_record(&self) -> usize {
        80
    }

    fn run(
        &self,
        codec: &dyn Codec,
        block: &Block,
        decoded: &mut Decoded,
        done: &mut Done,
        send: &mut dyn FnMut(Ahead) -> Result<()>,
    ) -> Result<()> {
        let records = decoded.records.len();
        let kept = Fates {
            records: &vec![Fate::Keep; records],
            invalid: false,
        };
        codec.encode_part(block, decoded, &kept, &mut done.data, &mut done.open[0])?;
        done.tally.records += records as u64;
        done.send_if_large(send)
    }
}
