//! `toolgate tools`: what can be called, and with what.

use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use toolgate::text::Line;
use toolgate::{ToolDefinition, ToolRuntime};

use crate::cli::ToolsArgs;
use crate::output::Page;
use crate::parameters::{Parameter, first_sentence, parameters};
use crate::toolbox;

/// Lists the tools.
pub(super) fn run(args: &ToolsArgs) -> anyhow::Result<ExitCode> {
    toolbox::open(Path::new("."))?.with_servers(|runtime| list(args, runtime))
}

fn list(args: &ToolsArgs, runtime: &ToolRuntime) -> anyhow::Result<ExitCode> {
    let mut page;
    if args.json {
        page = Page::raw_stdout();
        let schemas =
            serde_json::to_string(&runtime.schemas()).context("a tool's schema cannot be printed")?;
        writeln!(page, "{schemas}")?;
    } else {
        page = Page::stdout();
        for (at, tool) in runtime.tools().iter().enumerate() {
            if at > 0 {
                writeln!(page)?;
            }
            list_tool(&mut page, tool)?;
        }
    }
    page.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn list_tool(page: &mut Page, tool: &ToolDefinition) -> io::Result<()> {
    let title = page.styles().title;
    let about = first_sentence(tool.description());
    writeln!(page, "{title}{}{title:#}  {}", Line(tool.name()), Line(&about))?;
    let parameters = parameters(tool.parameters());
    let width = |text: fn(&Parameter) -> &str| {
        parameters.iter().map(|one| text(one).chars().count()).max().unwrap_or_default()
    };
    let (names, kinds) = (width(|one| &one.name), width(|one| &one.kind));
    for one in &parameters {
        list_parameter(page, one, names, kinds)?;
    }
    Ok(())
}

fn list_parameter(page: &mut Page, one: &Parameter, names: usize, kinds: usize) -> io::Result<()> {
    let styles = page.styles();
    let (faint, warning) = (styles.faint, styles.warning);
    let (name, kind) = (Line(&one.name).to_string(), Line(&one.kind).to_string());
    let about = first_sentence(&one.description);
    let mark = if one.is_required { "required" } else { "        " };
    let line = format!(
        "    {name:<names$}  {faint}{kind:<kinds$}{faint:#}  {warning}{mark}{warning:#}  {}",
        Line(&about)
    );
    writeln!(page, "{}", line.trim_end())
}
