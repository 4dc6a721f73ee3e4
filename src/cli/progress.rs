//! How far a long command is, on a terminal.

// Rates are rounded for people anyway.
#![allow(clippy::cast_precision_loss, clippy::cast_sign_loss)]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use super::input::Input;
use super::summary::grouped;

const OF_FILE: &str = "{bar:30} {percent:>3} %  {msg}, {eta} left";
const OF_STREAM: &str = "{spinner} {msg}";

pub struct Progress {
    bar: ProgressBar,
    read: Arc<AtomicU64>,
    started: Instant,
}

impl Progress {
    /// Shown on standard error if that is a terminal, and not if quiet.
    pub fn new(input: &Input, quiet: bool) -> Progress {
        let (bar, template) = match input.length {
            _ if quiet => (ProgressBar::hidden(), OF_STREAM),
            Some(length) => (ProgressBar::new(length), OF_FILE),
            None => (ProgressBar::new_spinner(), OF_STREAM),
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Progress {
            bar,
            read: Arc::clone(&input.read),
            started: Instant::now(),
        }
    }

    /// So many records were done in all.
    pub fn set(&self, records: u64) {
        if self.bar.is_hidden() {
            return;
        }
        let rate = records as f64 / self.elapsed().as_secs_f64().max(1e-3);
        self.bar.set_message(format!(
            "{} records, {}/s",
            grouped(records),
            grouped(rate as u64)
        ));
        self.bar.set_position(self.read.load(Ordering::Relaxed));
    }

    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
