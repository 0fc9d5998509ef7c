//! `toolgate doctor`: what this machine can enforce on shell commands.

use std::io::{self, Write as _};
use std::process::ExitCode;

use anyhow::Context as _;
use toolgate::text::Line;
use toolgate_kit::{
    Bubblewrap, Enforcement, NotEnforceable, SandboxConfig, SandboxMode, SandboxPlan, SandboxSupport,
};

use crate::cli::DoctorArgs;
use crate::config::Configuration;
use crate::fault::FAILED;
use crate::output::{Page, until_closed};
use crate::toolbox;

/// A mode, and how it would be enforced.
struct Verdict {
    mode: SandboxMode,
    plan: Result<SandboxPlan, NotEnforceable>,
}

/// Looks, and shows what was found. Fails where what the configuration requires cannot be enforced.
pub(super) fn run(args: &DoctorArgs) -> anyhow::Result<ExitCode> {
    let configuration = toolbox::configure(&args.workspace, &[])?;
    let support = SandboxSupport::probe();
    let verdicts = SandboxMode::ALL.map(|mode| {
        let config = SandboxConfig { mode, ..SandboxConfig::default() };
        Verdict { mode, plan: support.plan(&config) }
    });
    let wanted = Wanted::new(&configuration, &support);
    let written = if args.json {
        show_json(&support, &verdicts, &wanted)?
    } else {
        let mut page = Page::stdout();
        show(&mut page, &support, &verdicts).and_then(|()| wanted.show(&mut page)).and_then(|()| page.flush())
    };
    until_closed(written).context("the report could not be written")?;
    Ok(if wanted.plan.is_ok() { ExitCode::SUCCESS } else { ExitCode::from(FAILED) })
}

/// What the configuration wants of the sandbox.
struct Wanted {
    mode: SandboxMode,
    enforcement: Enforcement,
    origins: [String; 2],
    files: Vec<String>,
    plan: Result<SandboxPlan, NotEnforceable>,
}

impl Wanted {
    fn new(configuration: &Configuration, support: &SandboxSupport) -> Self {
        let sandbox = &configuration.settings.shell.sandbox;
        let origin = |path| configuration.origin(path).map(ToString::to_string).unwrap_or_default();
        Self {
            mode: sandbox.mode,
            enforcement: sandbox.enforcement,
            origins: [origin("shell.sandbox.mode"), origin("shell.sandbox.enforcement")],
            files: configuration
                .sources
                .iter()
                .map(|source| source.file.path.display().to_string())
                .collect(),
            plan: support.plan(sandbox),
        }
    }

    fn enforcement(&self) -> &'static str {
        match self.enforcement {
            Enforcement::Required => "required",
            Enforcement::BestEffort => "best-effort",
        }
    }

    fn show(&self, page: &mut Page) -> io::Result<()> {
        let styles = page.styles();
        let (title, faint, warning) = (styles.title, styles.faint, styles.warning);
        let [mode, enforcement] = &self.origins;
        writeln!(page, "\n{title}What the configuration wants{title:#}")?;
        writeln!(page, "  {:<16} {} {faint}({}){faint:#}", "mode", self.mode, Line(mode))?;
        writeln!(
            page,
            "  {:<16} {} {faint}({}){faint:#}",
            "enforcement",
            self.enforcement(),
            Line(enforcement)
        )?;
        for file in &self.files {
            writeln!(page, "  {:<16} {}", "file", Line(file))?;
        }
        match &self.plan {
            Ok(plan) => {
                writeln!(page, "  commands run under it, by {}, network {}", plan.by, plan.network)?;
                show_gaps(page, plan)
            }
            Err(why) => {
                let why = why.to_string();
                writeln!(
                    page,
                    "  {warning}no command runs:{warning:#} it is required and cannot be enforced: {}",
                    Line(&why)
                )
            }
        }
    }

    fn to_json(&self) -> serde_json::Value {
        let [mode, enforcement] = &self.origins;
        serde_json::json!({
            "mode": { "value": self.mode, "origin": mode },
            "enforcement": { "value": self.enforcement(), "origin": enforcement },
            "files": self.files,
            "enforceable": self.plan.is_ok(),
        })
    }
}

fn show_json(
    support: &SandboxSupport,
    verdicts: &[Verdict],
    wanted: &Wanted,
) -> anyhow::Result<io::Result<()>> {
    let modes: Vec<_> = verdicts
        .iter()
        .map(|verdict| match &verdict.plan {
            Ok(plan) => serde_json::json!({ "mode": verdict.mode, "enforceable": true, "plan": plan }),
            Err(error) => {
                serde_json::json!({ "mode": verdict.mode, "enforceable": false, "why": error.to_string() })
            }
        })
        .collect();
    let sandbox = serde_json::json!({ "support": support, "modes": modes });
    let report = serde_json::json!({ "sandbox": sandbox, "configuration": wanted.to_json() });
    let text = serde_json::to_string(&report)
        .context("the report is not JSON, which is a defect of this program")?;
    let mut page = Page::raw_stdout();
    Ok(writeln!(page, "{text}").and_then(|()| page.flush()))
}

/// What a plan leaves open.
fn show_gaps(page: &mut Page, plan: &SandboxPlan) -> io::Result<()> {
    let warning = page.styles().warning;
    plan.gaps.iter().try_for_each(|gap| writeln!(page, "  {:<16} {warning}but{warning:#} {}", "", Line(gap)))
}

fn show(page: &mut Page, support: &SandboxSupport, verdicts: &[Verdict]) -> io::Result<()> {
    let styles = page.styles();
    let (title, faint, warning) = (styles.title, styles.faint, styles.warning);
    let landlock = support.landlock.map_or_else(|| "no".to_owned(), |abi| format!("ABI {abi}"));
    let yes_or_no = |is_there: bool| if is_there { "yes" } else { "no" }.to_owned();
    let bubblewrap = match &support.bubblewrap {
        Bubblewrap::Absent => "not installed".to_owned(),
        Bubblewrap::Unusable { path, why } => format!("{} does not work: {why}", path.display()),
        Bubblewrap::Usable { path, version } => format!("{version} ({})", path.display()),
    };
    writeln!(page, "{title}What this machine has{title:#}")?;
    for (name, value) in [
        ("Landlock", landlock),
        ("seccomp", yes_or_no(support.seccomp)),
        ("user namespaces", yes_or_no(support.user_namespaces)),
        ("bubblewrap", bubblewrap),
    ] {
        writeln!(page, "  {name:<16} {}", Line(&value))?;
    }
    writeln!(page, "\n{title}What it can enforce on shell commands{title:#}")?;
    for verdict in verdicts {
        let mode = verdict.mode.as_str();
        match &verdict.plan {
            Ok(plan) => {
                writeln!(
                    page,
                    "  {mode:<16} {faint}by{faint:#} {}, {faint}network{faint:#} {}",
                    plan.by, plan.network
                )?;
                show_gaps(page, plan)?;
            }
            Err(error) => {
                writeln!(page, "  {mode:<16} {warning}no:{warning:#} {}", Line(&error.to_string()))?
            }
        }
    }
    Ok(())
}
