//! `toolgate completions` and `toolgate man`: both are made from the definitions in `cli`.

use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::{Command, CommandFactory as _};

use crate::cli::{Cli, CompletionsArgs, ManArgs};
use crate::fault::UsageError;
use crate::output::Page;
use crate::suggest;

/// Prints the completion script of a shell.
pub(super) fn completions(args: &CompletionsArgs) -> anyhow::Result<ExitCode> {
    // The generator panics where it cannot write, so it writes to memory.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "toolgate", &mut script);
    print(&script)
}

/// Prints a man page.
pub(super) fn man(args: &ManArgs) -> anyhow::Result<ExitCode> {
    let mut root = Cli::command();
    root.build();
    let Some(name) = &args.command else { return print(&page_of(root)?) };
    match root.find_subcommand(name) {
        Some(command) => print(&page_of(command.clone())?),
        None => {
            let names = || root.get_subcommands().map(Command::get_name);
            let hint = suggest::question(&suggest::near(name, names()))
                .unwrap_or_else(|| format!("the commands are {}", names().collect::<Vec<_>>().join(", ")));
            Err(UsageError::new(format!("there is no command named `{name}`")).with_hint(hint).into())
        }
    }
}

/// The page of one command. The examples are kept as they are laid out, which the generator would not do.
fn page_of(command: Command) -> io::Result<Vec<u8>> {
    let name = command.get_bin_name().unwrap_or("toolgate").replace(' ', "-");
    let source = concat!("toolgate ", env!("CARGO_PKG_VERSION"));
    let has_commands = command.has_subcommands();
    let man = clap_mangen::Man::new(command).title(name).source(source).manual("Toolgate manual");
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if has_commands {
        man.render_subcommands_section(&mut page)?;
    }
    let mut examples = Vec::new();
    man.render_extra_section(&mut examples)?;
    page.extend(String::from_utf8_lossy(&examples).replacen("EXTRA\n", "NOTES\n.nf\n", 1).bytes());
    page.extend(b".fi\n");
    Ok(page)
}

fn print(bytes: &[u8]) -> anyhow::Result<ExitCode> {
    let mut page = Page::raw_stdout();
    page.write_all(bytes)?;
    page.flush()?;
    Ok(ExitCode::SUCCESS)
}
