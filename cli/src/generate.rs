//! `swaplist generate`: shell completions and man pages, for packages.

use std::io;
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::Subcommand;
use clap_complete::Shell;

use crate::opened;

/// Prints completions of a shell, or writes man pages.
///
/// Examples:
///   swaplist generate completions bash > swaplist.bash
///   swaplist generate man man
#[derive(clap::Args)]
#[command(verbatim_doc_comment, hide = true)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Print the completions of a shell
    Completions { shell: Shell },
    /// Write a man page of each command to an existing folder, over those of before
    Man { folder: PathBuf },
}

pub fn run(args: &Args, mut command: clap::Command) -> Result<bool> {
    match &args.what {
        What::Completions { shell } => {
            let mut text = Vec::new();
            clap_complete::generate(*shell, &mut command, "swaplist", &mut text);
            let text = String::from_utf8(text).map_err(io::Error::other)?;
            opened::print(&text)?;
        }
        What::Man { folder } => clap_mangen::generate_to(command, folder)
            .with_context(|| format!("cannot write to '{}'", folder.display()))?,
    }
    Ok(true)
}
