//! Progress on a terminal.

// rates are shown rounded
#![allow(clippy::cast_precision_loss, clippy::cast_sign_loss)]

use std::io::{self, Write as _};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use swaplist::jobs::shown::grouped;
use swaplist::jobs::{self, Input, Watch};

const OF_FILE: &str = "{bar:30} {percent:>3} %  {msg}, {eta} left";
const OF_STREAM: &str = "{spinner} {msg}";

pub struct Progress {
    bar: ProgressBar,
    read: Arc<AtomicU64>,
    started: Instant,
    /// Bytes and records of the previous files.
    before: [u64; 2],
    /// Whether this is the last file.
    last: bool,
}

/// The progress through several files.
#[derive(Clone)]
pub struct Total {
    bar: ProgressBar,
    started: Instant,
    /// Bytes and records of finished files.
    pub done: [u64; 2],
}

impl Total {
    pub fn new(bytes: u64, quiet: bool) -> Total {
        Total {
            bar: bar(Some(bytes), quiet),
            started: Instant::now(),
            done: [0; 2],
        }
    }

    /// Prints a line above the progress bar.
    pub fn say(&self, line: &str) {
        self.bar.suspend(|| {
            let _ = writeln!(io::stderr(), "{line}");
        });
    }

    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

fn bar(length: Option<u64>, quiet: bool) -> ProgressBar {
    let (bar, template) = match length {
        _ if quiet => (ProgressBar::hidden(), OF_STREAM),
        Some(length) => (ProgressBar::new(length), OF_FILE),
        None => (ProgressBar::new_spinner(), OF_STREAM),
    };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}

impl Progress {
    /// Shown on standard error if that is a terminal, unless quiet.
    pub fn new(input: &Input, quiet: bool) -> Progress {
        Progress {
            bar: bar(input.length(), quiet),
            read: input.bytes_read(),
            started: Instant::now(),
            before: [0; 2],
            last: true,
        }
    }

    /// The progress through one of several files.
    pub fn within(total: &Total, input: &Input) -> Progress {
        Progress {
            bar: total.bar.clone(),
            read: input.bytes_read(),
            started: total.started,
            before: total.done,
            last: false,
        }
    }

    /// Sets the number of records done in this file.
    pub fn set(&self, records: u64) {
        if self.bar.is_hidden() {
            return;
        }
        let [bytes_before, records_before] = self.before;
        let records = records_before + records;
        let rate = records as f64 / self.elapsed().as_secs_f64().max(1e-3);
        self.bar.set_message(format!(
            "{} records, {}/s",
            grouped(records),
            grouped(rate as u64)
        ));
        self.bar
            .set_position(bytes_before + self.read.load(Ordering::Relaxed));
    }

    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.last {
            self.bar.finish_and_clear();
        }
    }
}

/// Shows a job's progress and notes on standard error.
pub struct Shown {
    progress: Progress,
    /// The input's name, if there are several.
    name: Option<String>,
    quiet: bool,
}

impl Shown {
    pub fn new(input: &Input, quiet: bool, total: Option<&Total>) -> Shown {
        Shown {
            progress: match total {
                Some(total) => Progress::within(total, input),
                None => Progress::new(input, quiet),
            },
            name: total.map(|_| input.name().to_owned()),
            quiet,
        }
    }
}

impl Watch for Shown {
    fn note(&mut self, text: &str) {
        if self.quiet {
            return;
        }
        let name = self
            .name
            .as_ref()
            .map_or_else(String::new, |name| format!("{name}: "));
        self.progress.bar.suspend(|| {
            let _ = writeln!(io::stderr(), "swaplist: note: {name}{text}");
        });
    }

    fn progress(&mut self, progress: jobs::Progress) -> ControlFlow<()> {
        self.progress.set(progress.records);
        ControlFlow::Continue(())
    }
}
