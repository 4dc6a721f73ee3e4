//! A run that can be gone on with: what it has written stays, and a journal beside
//! it says how far it came.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, UNIX_EPOCH};

use anyhow::{Context as _, Result, anyhow, bail};
use serde::{Deserialize, Serialize};
use swaplist::formats::Cut;

use super::input::Input;
use super::output::{self, Output, Taken};
use super::shown;
use super::summary::Tally;

/// What has to be the same for a run to go on: names and values.
pub type Terms = Vec<(String, String)>;

/// The journal of a run.
pub struct Resume {
    path: PathBuf,
    journal: Journal,
    /// How often it is written.
    every: Duration,
    saved: Instant,
}

#[derive(Default, Serialize, Deserialize)]
struct Journal {
    terms: Terms,
    /// Blocks of another size could come out differently.
    block_bytes: Option<usize>,
    /// Where the next block begins in the input.
    next: Cut,
    /// How many bytes of each output stand before that.
    lengths: Vec<u64>,
    /// How long it took so far.
    seconds: f64,
    tally: Tally,
}

impl Resume {
    /// Begins a run, or goes on with the one that the journal beside the first
    /// output tells of. Refuses what could not come out the same.
    pub fn begin(
        input: &mut Input,
        mut outputs: Vec<&mut Output>,
        taken: &Taken,
        asked: Terms,
        skip_invalid: bool,
        every: Duration,
    ) -> Result<Resume> {
        let mut terms = input_terms(input)?;
        terms.extend(asked);
        let path = outputs[0].beside("journal")?;
        let partials = outputs.iter().map(|output| output.beside("partial"));
        let partials = partials.collect::<Result<Vec<PathBuf>>>()?;
        for path in partials.iter().chain([&path]) {
            taken.refuse(path)?;
        }
        let mut is_new = false;
        let journal = match fs::read(&path) {
            Ok(bytes) => Journal::read(&bytes)
                .and_then(|journal| {
                    journal.is_of(&terms, outputs.len())?;
                    journal.fits(input, skip_invalid)?;
                    Ok(journal)
                })
                .with_context(|| cannot_go_on(&path, &partials))?,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let journal = Journal::new(terms, &partials)?;
                // Before there is anything that would need one.
                journal.save(&path)?;
                is_new = true;
                journal
            }
            Err(error) => return Err(error).with_context(|| cannot_go_on(&path, &partials)),
        };
        for (output, &length) in outputs.iter_mut().zip(&journal.lengths) {
            let kept = output.keep(length);
            if kept.is_err() && is_new {
                // There is nothing that it could tell of.
                let _ = fs::remove_file(&path);
            }
            kept?;
        }
        input.seek(journal.next.offset)?;
        output::keep(path.clone(), partials, journal.tally.records);
        Ok(Resume {
            path,
            journal,
            every,
            saved: Instant::now(),
        })
    }

    /// The size of blocks, `planned` for a run that begins.
    pub fn block_bytes(&mut self, planned: usize) -> usize {
        *self.journal.block_bytes.get_or_insert(planned)
    }

    pub fn next(&self) -> Cut {
        self.journal.next
    }

    pub fn tally(&self) -> Tally {
        self.journal.tally.clone()
    }

    pub fn elapsed(&self) -> Duration {
        Duration::try_from_secs_f64(self.journal.seconds).unwrap_or_default()
    }

    /// A block was written; the next one begins at the cut.
    pub fn note<'o>(
        &mut self,
        next: Cut,
        outputs: impl IntoIterator<Item = &'o mut Output>,
        tally: &Tally,
        elapsed: Duration,
    ) -> Result<()> {
        if self.saved.elapsed() < self.every {
            return Ok(());
        }
        self.journal.lengths.clear();
        for output in outputs {
            // A journal that survives a power cut must not tell of bytes that did not.
            output.sync()?;
            self.journal.lengths.push(output.written());
        }
        self.journal.next = next;
        self.journal.seconds = elapsed.as_secs_f64();
        self.journal.tally = tally.clone();
        self.journal.save(&self.path)?;
        self.saved = Instant::now();
        Ok(())
    }
}

impl Journal {
    fn new(terms: Terms, partials: &[PathBuf]) -> Result<Journal> {
        if let Some(partial) = partials.iter().find(|partial| partial.exists()) {
            let partial = shown::path(partial);
            bail!("'{partial}' exists, but no journal to go on by; remove it to begin again");
        }
        Ok(Journal {
            terms,
            lengths: vec![0; partials.len()],
            ..Journal::default()
        })
    }

    fn save(&self, path: &Path) -> Result<()> {
        let text = format!("{:#}\n", serde_json::to_value(self)?);
        output::save_journal(path, text.as_bytes(), self.tally.records)
            .with_context(|| format!("cannot write '{}'", shown::path(path)))
    }

    fn read(bytes: &[u8]) -> Result<Journal> {
        serde_json::from_slice(bytes).map_err(|error| anyhow!("it is broken: {error}"))
    }

    fn is_of(&self, terms: &Terms, outputs: usize) -> Result<()> {
        let mut pairs = self.terms.iter().zip(terms);
        if let Some(((_, was), (name, is))) = pairs.find(|(was, is)| was != is) {
            bail!("{name}: was {}, now {}", shown::text(was), shown::text(is));
        }
        if self.terms.len() != terms.len() || self.lengths.len() != outputs {
            bail!("it is broken: something is missing");
        }
        Ok(())
    }

    fn fits(&self, input: &Input, skip_invalid: bool) -> Result<()> {
        if self.tally.invalid > 0 && !skip_invalid {
            bail!("invalid records were passed over; add --skip-invalid");
        }
        let Cut { offset, lines, .. } = self.next;
        if input.length.is_none_or(|length| offset > length) || lines > offset {
            bail!("it is broken: there is no such place in the input");
        }
        Ok(())
    }
}

/// Whether a file is the journal of a run, and not one of another program.
pub fn is_journal(path: &Path) -> bool {
    const MOST: u64 = 1 << 24;
    let is_small = fs::metadata(path).is_ok_and(|file| file.is_file() && file.len() <= MOST);
    is_small && fs::read(path).is_ok_and(|bytes| Journal::read(&bytes).is_ok())
}

/// What an interrupted run has left beside an output, for one that does not go on with
/// it.
pub fn left_beside(output: &Output) -> Option<String> {
    let journal = output.beside("journal").ok()?;
    if !is_journal(&journal) {
        return None;
    }
    let partial = output.beside("partial").ok().filter(|path| path.exists());
    let files: Vec<_> = partial.iter().chain([&journal]).collect();
    let files: Vec<_> = files
        .iter()
        .map(|f| format!("'{}'", shown::path(f)))
        .collect();
    Some(format!(
        "{} stay from an interrupted run: the same command with --resume goes on with it, or \
         remove them",
        files.join(" and ")
    ))
}

fn cannot_go_on(journal: &Path, partials: &[PathBuf]) -> String {
    let all = partials
        .iter()
        .map(|path| format!("'{}'", shown::path(path)));
    let all: Vec<_> = all.collect();
    format!(
        "cannot go on by '{}' (to begin again, remove it and {})",
        shown::path(journal),
        all.join(" and ")
    )
}

/// What tells that the input is still the same.
fn input_terms(input: &Input) -> Result<Terms> {
    let name = &input.name;
    let (Some(path), Some(metadata), Some(length)) = (&input.path, &input.metadata, input.length)
    else {
        bail!("--resume needs an input that is a file, not {name}");
    };
    if input.compressed {
        bail!("--resume cannot seek in compressed data; decompress '{name}' first");
    }
    let path = fs::canonicalize(path).with_context(|| format!("cannot open '{name}'"))?;
    let changed = metadata.modified().ok();
    let changed = changed.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let terms = [
        ("version", env!("CARGO_PKG_VERSION").to_owned()),
        ("input", path.display().to_string()),
        ("bytes of the input", length.to_string()),
        (
            "the input's last change, in ns",
            changed.unwrap_or_default().as_nanos().to_string(),
        ),
    ];
    Ok(terms.map(|(name, value)| (name.to_owned(), value)).into())
}
