//! `toolgate doctor`: what this machine can enforce on shell commands.

use std::io::{self, Write as _};
use std::process::ExitCode;

use anyhow::Context as _;
use toolgate_kit::{Bubblewrap, NotEnforceable, SandboxConfig, SandboxMode, SandboxPlan, SandboxSupport};

use crate::cli::DoctorArgs;
use crate::fault::FAILED;
use crate::output::{Page, until_closed};
use toolgate::text::Line;

/// A mode, and how it would be enforced.
struct Verdict {
    mode: SandboxMode,
    plan: Result<SandboxPlan, NotEnforceable>,
}

/// Looks, and shows what was found. Fails where the default mode cannot be enforced.
pub(super) fn run(args: &DoctorArgs) -> anyhow::Result<ExitCode> {
    let support = SandboxSupport::probe();
    let verdicts = SandboxMode::ALL.map(|mode| {
        let config = SandboxConfig { mode, ..SandboxConfig::default() };
        Verdict { mode, plan: support.plan(&config) }
    });
    let written = if args.json { show_json(&support, &verdicts)? } else { show(&support, &verdicts) };
    until_closed(written).context("the report could not be written")?;
    let is_well =
        verdicts.iter().all(|verdict| verdict.mode != SandboxMode::default() || verdict.plan.is_ok());
    Ok(if is_well { ExitCode::SUCCESS } else { ExitCode::from(FAILED) })
}

fn show_json(support: &SandboxSupport, verdicts: &[Verdict]) -> anyhow::Result<io::Result<()>> {
    let modes: Vec<_> = verdicts
        .iter()
        .map(|verdict| match &verdict.plan {
            Ok(plan) => serde_json::json!({ "mode": verdict.mode, "enforceable": true, "plan": plan }),
            Err(error) => {
                serde_json::json!({ "mode": verdict.mode, "enforceable": false, "why": error.to_string() })
            }
        })
        .collect();
    let report = serde_json::json!({ "sandbox": { "support": support, "modes": modes } });
    let text = serde_json::to_string(&report)
        .context("the report is not JSON, which is a defect of this program")?;
    let mut page = Page::raw_stdout();
    Ok(writeln!(page, "{text}").and_then(|()| page.flush()))
}

fn show(support: &SandboxSupport, verdicts: &[Verdict]) -> io::Result<()> {
    let mut page = Page::stdout();
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
                for gap in &plan.gaps {
                    writeln!(page, "  {:<16} {warning}but{warning:#} {}", "", Line(gap))?;
                }
            }
            Err(error) => {
                writeln!(page, "  {mode:<16} {warning}no:{warning:#} {}", Line(&error.to_string()))?
            }
        }
    }
    page.flush()
}
