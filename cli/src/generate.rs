//! `swaplist generate`: shell completions and man pages, for packages.

use std::path::{Path, PathBuf};
use std::{fs, io};

use anyhow::{Context as _, Result};
use clap::Subcommand;
use clap_complete::Shell;
use clap_mangen::Man;

use crate::session;

/// Prints completions of a shell, or writes man pages.
///
/// Examples:
///   swaplist generate completions bash > swaplist.bash
///   swaplist generate man man
#[derive(clap::Args)]
#[command(verbatim_doc_comment, hide = true)]
pub struct Args {
    #[command(subcommand)]
    artifact: Artifact,
}

// What can be generated.
#[derive(Subcommand)]
enum Artifact {
    /// Print the completions of a shell
    Completions { shell: Shell },
    /// Write a man page of each command to a folder, over those of before
    Man { folder: PathBuf },
}

/// Prints or writes what is asked for; always returns true.
pub fn run(args: &Args, mut command: clap::Command) -> Result<bool> {
    match &args.artifact {
        Artifact::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut command, "swaplist", &mut script);
            let text = String::from_utf8(script).map_err(io::Error::other)?;
            session::print(&text)?;
        }
        Artifact::Man { folder } => write_pages(command, folder)
            .with_context(|| format!("cannot write to '{}'", folder.display()))?,
    }
    Ok(true)
}

/// Writes the page of each command. `clap_mangen` puts the text after the options into a section
/// EXTRA, as running text: here it becomes NOTES and EXAMPLES, and keeps its lines.
fn write_pages(mut command: clap::Command, folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    command = command.disable_help_subcommand(true);
    command.build();
    let visible = command.get_subcommands().filter(|one| !one.is_hide_set());
    for one in visible.chain([&command]) {
        let man = Man::new(one.clone()).source(concat!("swaplist ", env!("CARGO_PKG_VERSION")));
        let mut roff = Vec::new();
        man.render(&mut roff)?;
        let page = String::from_utf8_lossy(&roff)
            .replace(".SH EXTRA\n", ".SH NOTES\n.nf\n")
            .replace("\nExamples:\n", "\n.fi\n.SH EXAMPLES\n.nf\n")
            .replace("\n.SH VERSION", "\n.fi\n.SH VERSION");
        fs::write(folder.join(man.get_filename()), page)?;
    }
    Ok(())
}
