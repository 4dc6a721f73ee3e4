//! The `swaplist` command.

mod cli;

fn main() -> std::process::ExitCode {
    quiet_mesa();
    cli::main()
}

/// Silences Mesa's adapter-ordering layer, which complains on standard error without
/// `XDG_RUNTIME_DIR`, as on servers and in containers. We order adapters ourselves.
fn quiet_mesa() {
    if cfg!(target_os = "linux") && std::env::var_os("XDG_RUNTIME_DIR").is_none() {
        // SAFETY: no other thread runs yet.
        #[allow(unsafe_code)]
        unsafe {
            std::env::set_var("NODEVICE_SELECT", "1");
        }
    }
}
