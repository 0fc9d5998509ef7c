//! The type checkers, installed once per version of their lock file, and what they say of a program.
//!
//! Nothing here is skipped: where a checker cannot be installed or run, the test that needs it fails and says why.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

const PACKAGE: &str = include_str!("../checkers/package.json");
const LOCK: &str = include_str!("../checkers/package-lock.json");
const CONFIGURATION: &str = include_str!("../checkers/.npmrc");

/// A program has the language's own globals and those that the declarations bring.
const TSCONFIG: &str = r#"{
  "compilerOptions": { "strict": true, "noEmit": true, "target": "es2023", "lib": ["es2023"], "types": [] },
  "files": ["sdk.ts", "program.ts"]
}"#;

const PYRIGHTCONFIG: &str = r#"{ "typeCheckingMode": "standard", "pythonVersion": "3.13" }"#;

/// What a checker complained about: the first message of each line, counted from 1.
pub(crate) type Complaints = BTreeMap<usize, String>;

/// Checks a TypeScript file that follows the declarations; gives what is wrong with its lines. Anything wrong with the
/// declarations themselves fails the test.
pub(crate) fn typescript(test: &str, declarations: &str, program: &str) -> Complaints {
    let folder = fresh(&format!("typescript-{test}"));
    fs::write(folder.join("sdk.ts"), declarations).expect("the declarations");
    fs::write(folder.join("program.ts"), program).expect("the program");
    fs::write(folder.join("tsconfig.json"), TSCONFIG).expect("the configuration");
    let output = Command::new("node")
        .arg(installed().join("node_modules/typescript/bin/tsc"))
        .args(["--project", ".", "--pretty", "false"])
        .current_dir(&folder)
        .output()
        .expect("node runs tsc");
    let said = String::from_utf8_lossy(&output.stdout);
    let mut complaints = Complaints::new();
    for line in said.lines().filter(|line| !line.starts_with(' ')) {
        let (place, message) = line.split_once("): ").unwrap_or_else(|| panic!("tsc said {said}"));
        let (file, place) = place.split_once('(').unwrap_or_else(|| panic!("tsc said {said}"));
        assert_eq!(file, "program.ts", "the declarations in {} are wrong: {said}", folder.display());
        let line = place.split(',').next().and_then(|line| line.parse().ok()).expect("a line");
        complaints.entry(line).or_insert_with(|| message.to_owned());
    }
    let failed = !output.status.success();
    assert_eq!(failed, !complaints.is_empty(), "tsc: {said} {}", String::from_utf8_lossy(&output.stderr));
    complaints
}

/// What the TypeScript compiler makes of programs when it takes their types away; nothing for those that it refuses.
pub(crate) fn transpiled(programs: &[String]) -> Vec<Option<String>> {
    let folder = fresh("transpiled");
    fs::write(folder.join("programs.json"), serde_json::to_string(programs).expect("JSON"))
        .expect("programs");
    let output = Command::new("node")
        .args(["--eval", TRANSPILE])
        .env("NODE_PATH", installed().join("node_modules"))
        .current_dir(&folder)
        .output()
        .expect("node runs the compiler");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// Takes types away file by file, and refuses what is a mistake of syntax.
const TRANSPILE: &str = r#"
    const ts = require("typescript"), fs = require("fs");
    const compilerOptions = { target: "esnext", module: "esnext", verbatimModuleSyntax: true };
    const programs = JSON.parse(fs.readFileSync("programs.json", "utf8"));
    process.stdout.write(JSON.stringify(programs.map(program => {
        const made = ts.transpileModule(program, { compilerOptions, reportDiagnostics: true });
        return made.diagnostics.length ? null : made.outputText;
    })));
"#;

/// Checks a Python file that begins with the declarations; lines are counted from the end of those.
pub(crate) fn python(test: &str, declarations: &str, program: &str) -> Complaints {
    let folder = fresh(&format!("python-{test}"));
    fs::write(folder.join("program.py"), format!("{declarations}{program}")).expect("the program");
    fs::write(folder.join("pyrightconfig.json"), PYRIGHTCONFIG).expect("the configuration");
    let output = Command::new("node")
        .arg(installed().join("node_modules/pyright/index.js"))
        .arg("--outputjson")
        .current_dir(&folder)
        .output()
        .expect("node runs pyright");
    let said = String::from_utf8_lossy(&output.stdout);
    let report: serde_json::Value = serde_json::from_str(&said).unwrap_or_else(|error| {
        panic!("pyright: {error}: {said} {}", String::from_utf8_lossy(&output.stderr))
    });
    assert_eq!(report["summary"]["filesAnalyzed"], 1, "{said}");
    let declared = declarations.lines().count();
    let mut complaints = Complaints::new();
    for complaint in report["generalDiagnostics"].as_array().expect("complaints") {
        if complaint["severity"] != "error" {
            continue;
        }
        let line = complaint["range"]["start"]["line"].as_u64().expect("a line") as usize;
        let message = complaint["message"].as_str().expect("a message");
        let Some(line) = (line + 1).checked_sub(declared).filter(|line| *line > 0) else {
            panic!("the declarations in {} are wrong: line {}: {message}", folder.display(), line + 1)
        };
        complaints.entry(line).or_insert_with(|| message.to_owned());
    }
    complaints
}

/// An empty folder for one test, left behind for whoever wants to look at a failure.
fn fresh(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("programs").join(test);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Where the checkers are. The first test to ask installs them; other processes wait.
fn installed() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let mut hasher = DefaultHasher::new();
        (PACKAGE, LOCK, CONFIGURATION).hash(&mut hasher);
        let folder =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("checkers-{:016x}", hasher.finish()));
        fs::create_dir_all(&folder).expect("a folder");
        let lock = File::create(folder.join("lock")).expect("a lock file");
        lock.lock().expect("the lock");
        let done = folder.join("done");
        if !done.exists() {
            for (name, text) in
                [("package.json", PACKAGE), ("package-lock.json", LOCK), (".npmrc", CONFIGURATION)]
            {
                fs::write(folder.join(name), text).expect(name);
            }
            let output = Command::new("npm")
                .args(["ci", "--no-audit", "--no-fund", "--ignore-scripts"])
                .current_dir(&folder)
                .output()
                .unwrap_or_else(|error| panic!("these tests need Node.js with npm: {error}"));
            assert!(
                output.status.success(),
                "npm could not install the type checkers: {}",
                String::from_utf8_lossy(&output.stderr)
            );
            fs::write(done, "").expect("the mark");
        }
        folder
    })
}
