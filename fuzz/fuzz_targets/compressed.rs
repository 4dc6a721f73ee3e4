//! Any bytes as a compressed file, and any bytes compressed: data or an error, the same for
//! reads of any size, in bounded memory; round trips; truncation is an error.
#![no_main]

use std::io::{self, Cursor, Read};

use libfuzzer_sys::fuzz_target;
use swaplist::Choice;
use swaplist_files::formats::compressed::Compression;
use swaplist_files::formats::inside;

/// A limit, since a few bytes can expand to very many.
const MOST: u64 = 8 << 20;

fuzz_target!(|bytes: &[u8]| {
    let whole = read(bytes.to_vec(), 1 << 16);
    assert!(read(bytes.to_vec(), 997) == whole);
    for &kind in Compression::ALL {
        let file = compress(kind, bytes);
        assert!(read(file.clone(), 1 << 16) == Ok(bytes.to_vec()));
        let cut = bytes.len() * 31 % file.len();
        if cut >= 4 {
            assert!(read(file[..cut].to_vec(), 1 << 16).is_err(), "{kind} {cut}");
        }
    }
});

fn compress(kind: Compression, bytes: &[u8]) -> Vec<u8> {
    inside::compress(kind, bytes).expect("memory")
}

/// The content, or the kind of error.
fn read(file: Vec<u8>, step: usize) -> Result<Vec<u8>, io::ErrorKind> {
    let stream = inside::decompressed(Cursor::new(file)).map_err(|error| error.kind())?;
    let mut stream = stream.take(MOST);
    let mut content = Vec::new();
    let mut buffer = vec![0; step];
    loop {
        match stream.read(&mut buffer) {
            Ok(0) => return Ok(content),
            Ok(read) => content.extend_from_slice(&buffer[..read]),
            Err(error) => return Err(error.kind()),
        }
    }
}
