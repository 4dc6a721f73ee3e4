//! Output in memory, and filters by their settings.

use std::io::Write;
use std::sync::{Arc, Mutex};

use swaplist_files::filter::{Filter, Settings};
use swaplist_files::formats::{Format, Writer};

/// Collects the output for the test.
#[derive(Clone, Default)]
pub struct Written(pub Arc<Mutex<Vec<u8>>>);

impl Written {
    pub fn bytes(&self) -> Vec<u8> {
        self.0.lock().unwrap().clone()
    }
}

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// By settings, such as `preset=none max_see=0`.
pub fn filter(settings: &str) -> Filter {
    let mut all = Settings::default();
    for setting in settings.split(' ') {
        let (name, text) = setting.split_once('=').unwrap();
        all.set(name, text).unwrap();
    }
    all.filter().unwrap()
}

/// The sample of games in another format.
pub fn games(format: Format) -> Vec<u8> {
    let binpack = &include_bytes!("../../../data/sample.binpack")[..];
    let mut writer = Writer::new(format).unwrap();
    let mut file = Vec::new();
    for record in Format::Binpack.records(binpack) {
        writer.push(&record.unwrap(), &mut file).unwrap();
    }
    writer.finish(&mut file);
    file
}
