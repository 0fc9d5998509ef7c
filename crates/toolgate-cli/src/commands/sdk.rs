//! `toolgate sdk`: what a program can call, as declarations in its language.

use std::io::Write as _;
use std::process::ExitCode;

use anyhow::Context as _;
use toolgate::text::Line;
use toolgate_sdk::{Language, declare};

use crate::cli::{Lang, SdkArgs};
use crate::output::{Page, until_closed};
use crate::toolbox;

/// Prints the declarations, and on standard error what they do not say.
pub(super) fn run(args: &SdkArgs) -> anyhow::Result<ExitCode> {
    let runtime = toolbox::open(&args.workspace)?;
    let language = match args.lang {
        Lang::TypeScript => Language::TypeScript,
        Lang::Python => Language::Python,
    };
    let sdk = declare(language, &runtime.tools());
    let mut page = Page::raw_stdout();
    let written = page.write_all(sdk.text().as_bytes()).and_then(|()| page.flush());
    until_closed(written).context("the declarations could not be written")?;
    let mut page = Page::stderr();
    let faint = page.styles().faint;
    let written = sdk
        .losses()
        .iter()
        .try_for_each(|loss| writeln!(page, "{faint}note:{faint:#} {}", Line(&loss.to_string())))
        .and_then(|()| page.flush());
    until_closed(written).context("the notes could not be written")?;
    Ok(ExitCode::SUCCESS)
}
