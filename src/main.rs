//! The `swaplist` command.

mod cli;

fn main() -> std::process::ExitCode {
    quiet_mesa();
    cli::main()
}

/// Without `XDG_RUNTIME_DIR`, as on servers and in containers, Mesa's layer that
/// orders adapters complains on standard error each time one is looked for. It is
/// not needed here, where adapters are ordered anyway.
fn quiet_mesa() {
    if cfg!(target_os = "linux") && std::env::var_os("XDG_RUNTIME_DIR").is_none() {
        // SAFETY: no other thread runs yet.
        #[allow(unsafe_code)]
        unsafe {
            std::env::set_var("NODEVICE_SELECT", "1");
        }
    }
}
