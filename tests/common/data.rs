//! The real positions, which are not part of the repository; CONTRIBUTING.md says which they are.
//! Tests that need them are named `real_data_*` and ignored unless asked for.

use std::path::PathBuf;

/// A file or folder in the folder that `SWAPLIST_DATA` names.
pub fn path(name: &str) -> PathBuf {
    let folder =
        std::env::var_os("SWAPLIST_DATA").expect("SWAPLIST_DATA names the folder of real data");
    let path = PathBuf::from(folder).join(name);
    assert!(path.exists(), "no real data at {}", path.display());
    path
}

/// A file's bytes, decompressed if need be.
pub fn bytes(name: &str) -> Vec<u8> {
    let bytes = std::fs::read(path(name)).unwrap();
    if bytes.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
        zstd::decode_all(bytes.as_slice()).unwrap()
    } else {
        bytes
    }
}

/// A text, decompressed if need be.
pub fn text(name: &str) -> String {
    String::from_utf8(bytes(name)).unwrap()
}
