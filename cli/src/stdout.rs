//! Whether there is a standard output.

use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Result, bail};

/// Whether standard output was closed when the process began.
static CLOSED: AtomicBool = AtomicBool::new(false);

/// Looks before `main`: Rust's runtime opens `/dev/null` in place of a closed standard output, and
/// what is written there would be lost without an error.
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
#[used]
// SAFETY: the section holds functions of this type.
#[unsafe(link_section = ".init_array")]
static LOOK: extern "C" fn() = {
    extern "C" fn look() {
        use std::os::fd::AsFd as _;
        let copy = std::io::stdout().as_fd().try_clone_to_owned();
        CLOSED.store(copy.is_err(), Ordering::Relaxed);
    }
    look
};

/// Refuses to write to a closed standard output.
pub fn must_be_open() -> Result<()> {
    if CLOSED.load(Ordering::Relaxed) {
        bail!("standard output is closed, redirect it");
    }
    Ok(())
}
