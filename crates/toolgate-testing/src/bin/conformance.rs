//! Plays the conformance cases of a folder and says which fail.

use std::path::PathBuf;
use std::process::ExitCode;

use toolgate_testing::conformance::{self, Family, ProgramLanguage, Selection};

const USAGE: &str = "usage: conformance [FOLDER] [--family NAME]… [--case ID] [--language typescript|python]

Plays the cases of FOLDER (default: conformance/cases). The exit status is 1 when a case failed or there was none.
--language is that of the programs of the code-mode family (default: typescript); for Python, build with the feature
`python`.";

/// What the command line asks for.
struct Arguments {
    folder: PathBuf,
    selection: Selection,
}

/// Counts what a program in Python uses, where this binary is its worker.
#[cfg(feature = "python")]
#[global_allocator]
static ALLOCATOR: toolgate_sandbox::ProgramAllocator = toolgate_sandbox::ProgramAllocator;

#[expect(clippy::print_stdout, clippy::print_stderr, reason = "printing is what this program is for")]
fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some("sandbox-worker") {
        toolgate_sandbox::worker_main();
    }
    let Arguments { folder, selection } = match read_arguments(std::env::args().skip(1)) {
        Ok(arguments) => arguments,
        Err(problem) => {
            eprintln!("{problem}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match conformance::run(&folder, &selection) {
        Ok(report) => {
            println!("{report}");
            if report.is_success() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn read_arguments(mut words: impl Iterator<Item = String>) -> Result<Arguments, String> {
    let mut folder = None;
    let mut selection = Selection::default();
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} needs a value"));
        match word.as_str() {
            "--family" => {
                selection.families.push(value()?.parse::<Family>().map_err(|unknown| unknown.to_string())?);
            }
            "--case" => selection.case = Some(value()?),
            "--language" => {
                selection.language =
                    value()?.parse::<ProgramLanguage>().map_err(|unknown| unknown.to_string())?;
            }
            option if option.starts_with('-') => return Err(format!("there is no option {option}")),
            path if folder.is_none() => folder = Some(PathBuf::from(path)),
            _ => return Err("there is one folder of cases".to_owned()),
        }
    }
    Ok(Arguments { folder: folder.unwrap_or_else(|| PathBuf::from("conformance/cases")), selection })
}
