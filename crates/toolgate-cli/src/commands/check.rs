//! `toolgate run --check`: whether a program fits the tools that it calls, without running it.
//!
//! The compiler of the person's own TypeScript says so, about the declarations of `toolgate sdk` and the program behind
//! them. The program is never run, and nothing is written outside of a folder of its own that is removed again.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{ExitCode, Stdio};
use std::time::Duration;

use anyhow::Context as _;
use tokio::io::AsyncReadExt as _;
use tokio::process::Command;
use toolgate::text::Line;
use toolgate_sandbox::Limits;
use toolgate_sdk::{Language, declare};

use crate::cli::RunArgs;
use crate::excerpt::{excerpt, offset_of};
use crate::fault::{self, FAILED, INTERRUPTED, UsageError};
use crate::interrupt::Interrupt;
use crate::output::{Page, until_closed};
use crate::program::{self, ProgramText};
use crate::toolbox;

/// How long a check may take, unless `--timeout` says otherwise.
const PATIENCE: Duration = Duration::from_secs(120);

/// The most that is read of what the compiler says.
const MOST_SAID: u64 = 1 << 20;

/// The most complaints that are shown.
const MOST_SHOWN: usize = 20;

/// What a program has: the language's own globals and those of the declarations.
const TSCONFIG: &str = r#"{ "compilerOptions": { "strict": true, "noEmit": true, "target": "es2023", "lib": ["es2023"],
  "types": [], "erasableSyntaxOnly": true }, "files": ["sdk.ts", "program.ts"] }"#;

/// One thing that is wrong with the program.
#[derive(Debug, PartialEq, Eq)]
struct Complaint {
    line: u32,
    column: u32,
    message: String,
}

/// What the compiler made of the program.
enum Said {
    Complaints(Vec<Complaint>),
    Interrupted,
}

/// Checks the program and shows what is wrong with it: exit code 1, or 0 where nothing is.
pub(super) fn check(args: &RunArgs) -> anyhow::Result<ExitCode> {
    let program = program::read(&args.program, args.lang, &Limits::default())?;
    if program.language == toolgate_sandbox::Language::Python {
        return Err(UsageError::new("only programs in TypeScript can be checked with --check")
            .with_hint("give the declarations of `toolgate sdk --lang py` to a type checker for Python")
            .into());
    }
    let declarations = toolbox::open(&args.workspace)?
        .with_servers(|runtime| Ok(declare(Language::TypeScript, &runtime.tools())))?;
    let compiler = find("tsc", &args.workspace).ok_or_else(|| {
        UsageError::new("the TypeScript compiler `tsc` is not there, so the program cannot be checked")
            .with_hint("install it with `npm install --save-dev typescript` in the workspace, or for all with `npm install --global typescript`")
            .with_hint("without --check the program runs unchecked: types are erased")
    })?;
    let folder = tempfile::tempdir().context("there is no folder for the check")?;
    let body = format!("async function program() {{\n{}\n}}\n", program.source);
    for (name, text) in [("sdk.ts", declarations.text()), ("program.ts", &body), ("tsconfig.json", TSCONFIG)]
    {
        fs::write(folder.path().join(name), text).context("the check could not be prepared")?;
    }
    let interrupt = Interrupt::listen().context("Ctrl-C could not be taken over")?;
    let executor = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("the system gives no resources for the check")?;
    let patience = args.timeout.unwrap_or(PATIENCE);
    let said = executor.block_on(async {
        tokio::select! {
            said = tokio::time::timeout(patience, ask(&compiler, folder.path())) => match said {
                Ok(said) => said,
                Err(_) => anyhow::bail!("`{}` did not end within {patience:?}", compiler.display()),
            },
            () = interrupt.token().cancelled_owned() => Ok(Said::Interrupted),
        }
    })?;
    interrupt.finish();
    match said {
        Said::Interrupted => Ok(ExitCode::from(INTERRUPTED)),
        Said::Complaints(complaints) if complaints.is_empty() => {
            let mut page = Page::stdout();
            let written =
                writeln!(page, "{}: no type errors", Line(&program.name)).and_then(|()| page.flush());
            until_closed(written).context("the result could not be written")?;
            Ok(ExitCode::SUCCESS)
        }
        Said::Complaints(complaints) => {
            let mut page = Page::stderr();
            let written = show(&mut page, &complaints, &program).and_then(|()| page.flush());
            until_closed(written).context("the complaints could not be written")?;
            Ok(ExitCode::from(FAILED))
        }
    }
}

/// A program of the `PATH`, or of the `node_modules` of a folder or one above it.
fn find(name: &str, workspace: &Path) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let workspace = workspace.canonicalize().unwrap_or_default();
    std::env::split_paths(&path)
        .chain(workspace.ancestors().map(|folder| folder.join("node_modules/.bin")))
        .map(|folder| folder.join(name))
        // A relative entry of PATH would mean something else in the folder of the check.
        .find(|candidate| candidate.is_absolute() && candidate.is_file())
}

/// Runs the compiler; it is killed when nobody waits for it any more.
async fn ask(compiler: &Path, folder: &Path) -> anyhow::Result<Said> {
    let mut child = Command::new(compiler)
        .args(["--project", ".", "--pretty", "false"])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .with_context(|| format!("`{}` could not be started", compiler.display()))?;
    let mut said = Vec::new();
    if let Some(output) = child.stdout.take() {
        output.take(MOST_SAID).read_to_end(&mut said).await.context("the compiler could not be heard")?;
    }
    let status = child.wait().await.context("the compiler could not be awaited")?;
    let said = String::from_utf8_lossy(&said);
    let complaints = complaints(&said);
    if complaints.is_empty() && !status.success() {
        let first = said.lines().next().unwrap_or("nothing");
        anyhow::bail!("`{}` ended with {status} and said: {}", compiler.display(), Line(first));
    }
    Ok(Said::Complaints(complaints))
}

/// The complaints about the program among the lines of a compiler, such as `program.ts(3,5): error TS2345: …`. Lines
/// that are indented go on with the complaint before.
fn complaints(said: &str) -> Vec<Complaint> {
    let mut complaints: Vec<Complaint> = Vec::new();
    for line in said.lines() {
        if line.starts_with(' ') {
            if let Some(last) = complaints.last_mut() {
                last.message.push('\n');
                last.message.push_str(line);
            }
        } else if let Some(complaint) = complaint(line) {
            complaints.push(complaint);
        }
    }
    complaints
}

fn complaint(line: &str) -> Option<Complaint> {
    let (place, message) = line.strip_prefix("program.ts(")?.split_once("): error ")?;
    let (line, column) = place.split_once(',')?;
    let line: u32 = line.parse().ok()?;
    // The program begins on the second line.
    Some(Complaint {
        line: line.saturating_sub(1).max(1),
        column: column.parse().ok()?,
        message: message.to_owned(),
    })
}

fn show(page: &mut Page, complaints: &[Complaint], program: &ProgramText) -> io::Result<()> {
    for complaint in complaints.iter().take(MOST_SHOWN) {
        let place = place(complaint, &program.source)
            .map(|(column, lines)| format!("  {}:{}:{column}\n{lines}", Line(&program.name), complaint.line));
        fault::show(page, &complaint.message, place.as_deref(), &[])?;
    }
    match complaints.len().saturating_sub(MOST_SHOWN) {
        0 => Ok(()),
        more => writeln!(page, "and {more} more"),
    }
}

/// The column in characters, and the line with a caret. The compiler counts in UTF-16.
fn place(complaint: &Complaint, source: &str) -> Option<(u32, String)> {
    let line = source.lines().nth(usize::try_from(complaint.line).ok()?.checked_sub(1)?)?;
    let mut units = 1;
    let mut column = 1;
    for c in line.chars() {
        if units >= complaint.column {
            break;
        }
        units += if c.len_utf16() == 2 { 2 } else { 1 };
        column += 1;
    }
    let offset = offset_of(source, toolgate_sandbox::Language::TypeScript, complaint.line, column)?;
    Some((column, excerpt(source.as_bytes(), offset)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complaints_are_about_the_authors_lines() {
        let said = "program.ts(2,7): error TS1: one\n  because\nsdk.ts(1,1): error TS2: not this\nnoise\n\
                    program.ts(9,x): error TS3: no place\nprogram.ts(4,1): error TS4: two\n";
        let found = complaints(said);
        assert_eq!(
            found,
            [
                Complaint { line: 1, column: 7, message: "TS1: one\n  because".to_owned() },
                Complaint { line: 3, column: 1, message: "TS4: two".to_owned() },
            ]
        );
    }

    #[test]
    fn columns_are_characters() {
        let complaint = Complaint { line: 2, column: 5, message: String::new() };
        let (column, lines) = place(&complaint, "a\n😀😀bad\n").expect("a place");
        assert_eq!(column, 3);
        assert!(lines.contains("😀😀bad"), "{lines}");
        assert!(place(&Complaint { line: 9, ..complaint }, "a").is_none());
    }
}
