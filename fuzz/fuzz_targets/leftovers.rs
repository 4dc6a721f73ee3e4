//! Files of any names in the folder of an output: all stay as they are, and only those are called
//! left over whose names are those of this system's temporary files. On one line, without control
//! characters.
#![no_main]

use std::fs;
use std::io::Cursor;
use std::ops::ControlFlow;

use libfuzzer_sys::{Corpus, fuzz_target};
use swaplist_files::jobs::{Event, Input, Job, Options};

const FEN: &[u8] = b"8/8/4k3/8/8/4K3/8/8 w - - 0 1\n";

fuzz_target!(|names: Vec<(u8, String)>| -> Corpus {
    let folder = tempfile::tempdir().expect("a folder");
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").expect("Linux");
    let ours = format!(".swaplist-{}-", &boot[..8]);
    let mut left = 0;
    let mut made = 0;
    for (kind, name) in &names {
        let name = match kind % 4 {
            0 => name.clone(),
            1 => format!(".swaplist-{name}.part"),
            2 => format!("{ours}{name}.part"),
            _ => format!("{ours}{name}.new"),
        };
        if name == "out.fen" || folder.path().join(&name).exists() {
            continue;
        }
        // Some are no names of files.
        if !name.contains('/') && fs::write(folder.path().join(&name), &name).is_ok() {
            made += 1;
            left += usize::from(name.starts_with(&ours) && name.ends_with(".part"));
        }
    }
    if made == 0 {
        return Corpus::Reject;
    }
    let mut notes = Vec::new();
    let input = Input::reader("in", Cursor::new(FEN)).expect("memory");
    let job = Job::new(input, Options::default()).expect("text");
    let job = job.watch(|event| {
        if let Event::Note(note) = event {
            notes.push(note.to_owned());
        }
        ControlFlow::Continue(())
    });
    let job = job.write_to(Some(&folder.path().join("out.fen")));
    job.and_then(Job::convert).expect("an output");
    notes.retain(|note| note.contains("killed"));
    assert_eq!(notes.len(), usize::from(left > 0), "{notes:?}");
    assert!(!notes.iter().any(|note| note.contains(char::is_control)));
    assert_eq!(
        fs::read_dir(folder.path()).expect("the folder").count(),
        made + 1
    );
    Corpus::Keep
});
