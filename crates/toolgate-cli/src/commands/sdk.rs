//! `toolgate sdk`: what a program can call, as declarations in its language.

use std::io::Write as _;
use std::process::ExitCode;

use anyhow::Context as _;
use toolgate::ToolRuntime;
use toolgate::text::Line;
use toolgate_sdk::{Loss, Presented, present};

use crate::cli::SdkArgs;
use crate::output::{Page, until_closed};
use crate::toolbox;

/// Prints the declarations, and on standard error what they do not say.
pub(super) fn run(args: &SdkArgs) -> anyhow::Result<ExitCode> {
    toolbox::open(&args.workspace)?.with_servers(|runtime| print(args, runtime))
}

fn print(args: &SdkArgs, runtime: &ToolRuntime) -> anyhow::Result<ExitCode> {
    let presented = present(args.lang.declarations(), &runtime.tools(), args.budget.unwrap_or(usize::MAX));
    let mut page = Page::raw_stdout();
    let written = page.write_all(presented.text().as_bytes()).and_then(|()| page.flush());
    until_closed(written).context("the declarations could not be written")?;
    let mut page = Page::stderr();
    let faint = page.styles().faint;
    let written = losses(&presented)
        .iter()
        .try_for_each(|loss| writeln!(page, "{faint}note:{faint:#} {}", Line(&loss.to_string())))
        .and_then(|()| page.flush());
    until_closed(written).context("the notes could not be written")?;
    Ok(ExitCode::SUCCESS)
}

/// What the declarations do not say; an index does not claim to say it.
fn losses(presented: &Presented) -> &[Loss] {
    match presented {
        Presented::Whole(sdk) => sdk.losses(),
        Presented::Index(_) => &[],
    }
}
