//! The person at the terminal, as somebody who answers.
//!
//! Joined by the toolbox where standard input and standard error both are a terminal. One question is shown at a time,
//! whole, above its choices; the spinner and the lines of a program's calls wait meanwhile. Ctrl-C is not an answer: it
//! cancels the call, which takes the question back.

use std::io::{self, IsTerminal as _, Write};
use std::sync::Arc;

use tokio::sync::Mutex;
use toolgate::HookResult;
use toolgate_policy::Answerer;
use toolgate_policy::person::{Answer, Asking, Closed, Question};

use super::answer::{GrantLimits, read};
use super::keyboard::Keyboard;
use crate::config::ApprovalsConfig;
use crate::output::Page;
use crate::progress::Spinner;

/// The terminal.
pub(crate) struct Terminal {
    spinner: Arc<Spinner>,
    limits: GrantLimits,
    /// Held by the question that is on the screen.
    screen: Mutex<()>,
}

impl Terminal {
    /// Whether a person can be asked here.
    pub(crate) fn is_there() -> bool {
        io::stdin().is_terminal() && io::stderr().is_terminal()
    }

    /// The terminal, on which a spinner may be turning.
    pub(crate) fn new(spinner: Arc<Spinner>, config: &ApprovalsConfig) -> Self {
        Self { spinner, limits: GrantLimits::new(config), screen: Mutex::new(()) }
    }
}

impl Answerer for Terminal {
    fn name(&self) -> &str {
        "terminal"
    }

    async fn answer(&self, question: &Question) -> HookResult<Option<Answer>> {
        let _screen = self.screen.lock().await;
        let _paused = self.spinner.pause();
        let keyboard = Keyboard::get()?;
        show(|page| ask(page, question))?;
        // Whoever typed ahead has not seen this.
        keyboard.forget().await;
        loop {
            show(|page| write!(page, "{}", prompt(&question.asking)))?;
            let Some(line) = keyboard.line().await else { return Ok(None) };
            if let Some(answer) = read(&line, &question.asking, &self.limits) {
                return Ok(Some(answer));
            }
        }
    }

    fn closed(&self, _question: &Question, how: &Closed) {
        if *how == Closed::Withdrawn {
            // The cursor stands behind the prompt. Where this fails there is no screen to keep tidy.
            let _ = show(|page| writeln!(page));
        }
    }
}

fn show(write: impl FnOnce(&mut Page) -> io::Result<()>) -> io::Result<()> {
    let mut page = Page::stderr();
    write(&mut page)?;
    page.flush()
}

/// Writes a question. Its texts are escaped already; what is long stands first, and the choices last.
fn ask(page: &mut Page, question: &Question) -> io::Result<()> {
    let styles = page.styles();
    let (title, faint, warning) = (styles.title, styles.faint, styles.warning);
    match &question.asking {
        Asking::Approval { title: does, shown, reason, rules, .. } => {
            let origin = if question.call_id == question.root_call_id { "" } else { ", called by a program" };
            writeln!(page, "{warning}May this call run?{warning:#}  {title}{does}{title:#}")?;
            writeln!(page, "  {faint}tool{faint:#} {}{origin}", question.tool)?;
            writeln!(page, "  {faint}arguments{faint:#}")?;
            indented(page, shown)?;
            if let Some(reason) = reason {
                writeln!(page, "  {faint}why{faint:#}")?;
                indented(page, reason)?;
            }
            writeln!(page, "  {title}y{title:#}  allow this one call")?;
            for (at, rule) in rules.iter().enumerate() {
                writeln!(
                    page,
                    "  {title}{}{title:#}  allow every call, until this command ends, that fits  {rule}",
                    at + 1
                )?;
            }
            writeln!(page, "  {title}n{title:#}  reject")
        }
        Asking::Choice { question, options, .. } => {
            writeln!(page, "{warning}A question for you{warning:#}")?;
            indented(page, question)?;
            for (at, option) in options.iter().enumerate() {
                writeln!(page, "  {title}{}{title:#}  {option}", at + 1)?;
            }
            Ok(())
        }
    }
}

/// Writes a text so that none of its lines looks like one of this program.
fn indented(page: &mut Page, text: &str) -> io::Result<()> {
    text.split('\n').try_for_each(|line| writeln!(page, "    {line}"))
}

fn prompt(asking: &Asking) -> String {
    match asking {
        Asking::Approval { rules, .. } => match rules.len() {
            0 => "y or n? ".to_owned(),
            1 => "y, 1 or n? ".to_owned(),
            most => format!("y, 1–{most} or n? "),
        },
        Asking::Choice { options, .. } if options.is_empty() => "your answer, or - for none: ".to_owned(),
        Asking::Choice { options, is_multiple: true, .. } => {
            format!("1–{}, several with commas, your own words, or - for none: ", options.len())
        }
        Asking::Choice { options, .. } => format!("1–{}, your own words, or - for none: ", options.len()),
    }
}
