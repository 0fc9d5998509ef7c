//! `toolgate config`: the configuration in force, its schema, and which files of workspaces are trusted.

use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use toolgate::text::Line;

use crate::cli::{ConfigAction, ConfigArgs, TrustArgs};
use crate::config::{self, TrustFolder, workspace_file};
use crate::fault::UsageError;
use crate::output::{Page, until_closed};
use crate::servers::other_files;
use crate::toolbox;

/// Shows the configuration, or changes what is trusted.
pub(super) fn run(args: &ConfigArgs) -> anyhow::Result<ExitCode> {
    if let Some(ConfigAction::Trust(args)) = &args.action {
        return trust(args);
    }
    let written = if args.schema {
        let schema =
            serde_json::to_string_pretty(&config::schema()).context("the schema cannot be printed")?;
        print_raw(&schema)
    } else {
        let configuration = toolbox::configure(&args.workspace, &args.policy.flags())?;
        if args.json {
            print_raw(&config::to_json(&configuration).to_string())
        } else {
            let mut page = Page::stdout();
            config::show(&mut page, &configuration).and_then(|()| page.flush())
        }
    };
    until_closed(written).context("the configuration could not be written")?;
    Ok(ExitCode::SUCCESS)
}

fn print_raw(text: &str) -> io::Result<()> {
    let mut page = Page::raw_stdout();
    writeln!(page, "{text}").and_then(|()| page.flush())
}

fn trust(args: &TrustArgs) -> anyhow::Result<ExitCode> {
    let root = toolbox::root_of(&args.workspace)?;
    let folder = TrustFolder::of_user().ok_or_else(|| {
        UsageError::new("there is no folder to remember it in").with_hint("set HOME or XDG_STATE_HOME")
    })?;
    // What the files say beyond narrowing, while it does not count yet.
    let widening = if args.revoke { Vec::new() } else { config::load(&root, &[])?.ignored };
    // Files with servers are known once the file that points to them counts.
    let others =
        |root: &Path| other_files(&config::load(root, &[])?.settings.mcp, root).map_err(anyhow::Error::from);
    let mut files = if args.revoke { others(&root)? } else { Vec::new() };
    let own = workspace_file(&root);
    let mut said = Vec::new();
    match own {
        Ok(file) => said.push((decide(&folder, args, &file.path, &file.text)?, file.path)),
        Err(error) if others(&root)?.is_empty() => return Err(error.into()),
        Err(_) => {}
    }
    if !args.revoke {
        files = others(&root)?;
    }
    for (path, text) in files {
        said.push((decide(&folder, args, &path, &text)?, path));
    }
    let mut page = Page::stdout();
    let written = said
        .iter()
        .try_for_each(|(did, path)| writeln!(page, "{}: {did}", Line(&path.display().to_string())));
    let written = written.and_then(|()| {
        for ignored in &widening {
            writeln!(page, "  counts from now on: {} ({})", Line(&ignored.what), ignored.origin)?;
        }
        page.flush()
    });
    until_closed(written).context("the answer could not be written")?;
    Ok(ExitCode::SUCCESS)
}

/// Trusts the content of a file, or takes the trust back; says which.
fn decide(folder: &TrustFolder, args: &TrustArgs, path: &Path, text: &str) -> anyhow::Result<&'static str> {
    Ok(if args.revoke {
        match folder.remove(path, text).context("the trust could not be taken back")? {
            true => "not trusted any more",
            false => "was not trusted",
        }
    } else {
        folder.add(path, text).context("the trust could not be remembered")?;
        "trusted as it is now; once it changes, it only narrows again"
    })
}
