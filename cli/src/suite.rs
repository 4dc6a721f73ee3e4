//! `swaplist suite`: prints the exchanges by which an engine's SEE is tested.

use std::fmt::Write as _;

use anyhow::{Result, bail};
use clap::ValueEnum;
use serde_json::json;
use swaplist::PieceValues;
use swaplist_files::suite::{self, Line};

use super::session;

/// Prints the suite: exchanges with known values, by which an engine's SEE is tested.
///
/// Each line is `FEN | move | swap | sf8 | sf | legal | what it tests`: a position, a move in UCI,
/// and the move's value under each of the four profiles. Test your engine with the column whose
/// rules it follows. Values are sums such as `P - N` that hold for all usual piece values. With
/// --values they are numbers. `check --suite` reads your engine's answers.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  swaplist suite > see-suite.txt
  swaplist suite --values 100,320,330,500,900 --to csv
  swaplist suite --to cpp > see_suite.h")]
pub struct Args {
    /// The form
    #[arg(long, value_name = "FORM", default_value = "text")]
    to: Form,

    /// Numbers instead of sums, with these piece values: cpw, stockfish, 1-3-3-5-9, or five numbers
    /// P,N,B,R,Q between -30000 and 30000
    #[arg(long, value_name = "VALUES", allow_hyphen_values = true)]
    values: Option<PieceValues>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Form {
    /// Fields separated by bars, as in data/see-suite.txt
    Text,
    /// A table with a header
    Csv,
    /// An array of objects
    Json,
    /// The initialiser of an array in C++
    Cpp,
    /// The initialiser of an array in Rust
    Rust,
}

/// Fails if the suite's sums may be wrong for these piece values.
pub fn must_hold(values: Option<PieceValues>) -> Result<()> {
    match values {
        Some(values) if !suite::holds_for(&values) => bail!(
            "the suite does not hold for these piece values: it needs P above 0, N and B from 2.5 \
             P to 5.5 P, B from N - P/4 to N + P, R from the larger of both + P to 2.5 P more, and \
             Q from R + 2.5 P to R + 7 P"
        ),
        _ => Ok(()),
    }
}

/// Prints the suite; always returns true.
pub fn run(args: &Args) -> Result<bool> {
    must_hold(args.values)?;
    let lines = suite::lines();
    let rows: Vec<Row> = lines.iter().map(|line| Row::new(line, args)).collect();
    session::print(&match args.to {
        Form::Text => rows.iter().map(Row::text).collect(),
        Form::Csv => rows
            .iter()
            .fold(CSV_HEADER.to_owned(), |text, row| text + &row.csv()),
        Form::Json => json_array(&rows),
        Form::Cpp => cpp(&rows),
        Form::Rust => rust(&rows),
    })?;
    Ok(true)
}

const CSV_HEADER: &str = "fen,move,swap,sf8,sf,legal,about\n";

/// A line of the suite with its values as they are printed.
struct Row<'a> {
    line: &'a Line<'static>,
    /// A sum or a number for each profile.
    values: [String; 4],
    are_numbers: bool,
}

impl<'a> Row<'a> {
    fn new(line: &'a Line<'static>, args: &Args) -> Row<'a> {
        Row {
            line,
            values: line.sums.map(|sum| match args.values {
                Some(values) => sum.at(&values).to_string(),
                None => sum.to_string(),
            }),
            are_numbers: args.values.is_some(),
        }
    }

    fn text(&self) -> String {
        let Line {
            fen, uci, about, ..
        } = self.line;
        format!("{fen} | {uci} | {} | {about}\n", self.values.join(" | "))
    }

    /// A row of CSV. What the line tests is quoted, as it may have commas; no text of the suite has
    /// a quote.
    fn csv(&self) -> String {
        let Line {
            fen, uci, about, ..
        } = self.line;
        format!("{fen},{uci},{},\"{about}\"\n", self.values.join(","))
    }

    fn json(&self) -> String {
        let value = |at: usize| match self.values[at].parse::<i32>() {
            Ok(number) if self.are_numbers => json!(number),
            _ => json!(self.values[at]),
        };
        let [swap, sf8, sf, legal] = [value(0), value(1), value(2), value(3)];
        let Line {
            fen, uci, about, ..
        } = self.line;
        format!(
            "{{\"fen\":{},\"move\":{},\"swap\":{swap},\"sf8\":{sf8},\"sf\":{sf},\"legal\":{legal},\
             \"about\":{}}}",
            json!(fen),
            json!(uci),
            json!(about)
        )
    }

    /// The fields of an initialiser in C++ or Rust. No text of the suite needs an escape, so their
    /// string literals are the same.
    fn fields(&self, open: char, close: char) -> String {
        let Line {
            fen, uci, about, ..
        } = self.line;
        let values = self.values.join(", ");
        format!("    {open}\"{fen}\", \"{uci}\", {values}, \"{about}\"{close},\n")
    }
}

fn json_array(rows: &[Row<'_>]) -> String {
    let objects: Vec<String> = rows.iter().map(Row::json).collect();
    format!("[\n{}\n]\n", objects.join(",\n"))
}

fn cpp(rows: &[Row<'_>]) -> String {
    let mut text = head(rows);
    text += "struct SeeTest { const char *fen, *move; int swap, sf8, sf, legal; const char *about; };\n";
    text += "const SeeTest SEE_SUITE[] = {\n";
    text.extend(rows.iter().map(|row| row.fields('{', '}')));
    text + "};\n"
}

fn rust(rows: &[Row<'_>]) -> String {
    let mut text = head(rows);
    text += "pub type SeeTest = (&'static str, &'static str, i32, i32, i32, i32, &'static str);\n";
    // A `const` would be copied to each use.
    let _ = writeln!(text, "pub static SEE_SUITE: [SeeTest; {}] = [", rows.len());
    text.extend(rows.iter().map(|row| row.fields('(', ')')));
    text + "];\n"
}

/// Comments that both languages have.
fn head(rows: &[Row<'_>]) -> String {
    let mut text = format!(
        "// swaplist {}: FEN, move, values under swap, sf8, sf and legal, what it tests.\n",
        env!("CARGO_PKG_VERSION")
    );
    if rows.iter().any(|row| !row.are_numbers) {
        text += "// P, N, B, R and Q are your piece values, as constants of the type int (i32).\n";
    }
    text
}
