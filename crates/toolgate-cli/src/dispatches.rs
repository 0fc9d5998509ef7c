//! The calls that a program makes, one line each on standard error as they settle.
//!
//! Mounted by `commands::run` as the sink of Code Mode, and as a stopwatch around each body. It also keeps what is left
//! of the program, because the result of `run_code` says it in words only.

use std::collections::HashMap;
use std::io::{self, Write as _};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use toolgate::CallId;
use toolgate::prelude::*;
use toolgate::text::{Line, shortened};
use toolgate_code::{DispatchSettled, DispatchSink, DispatchStarted};
use toolgate_sandbox::Outcome;

use crate::output::{Page, grouped};
use crate::progress::Spinner;

/// How much of the arguments is shown.
const ARGUMENTS_CHARACTERS: usize = 60;
/// How much of an error is shown.
const ERROR_CHARACTERS: usize = 100;

/// What is known of the calls of one program.
#[derive(Clone, Debug)]
pub(crate) struct Dispatches(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    title: String,
    spinner: Spinner,
    is_shown: bool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    running: HashMap<CallId, Clock>,
    settled: u64,
    outcome: Option<Outcome>,
}

/// The time of one call.
#[derive(Debug)]
struct Clock {
    started: Instant,
    /// How long its body took. Calls settle in order, so one may wait for others after its body has ended.
    body: Option<Duration>,
}

impl Dispatches {
    /// The calls of a program that is called `title`; shown if `is_shown`.
    pub(crate) fn new(title: &str, is_shown: bool) -> Self {
        let spinner = Spinner::new(title);
        Self(Arc::new(Shared { title: title.to_owned(), spinner, is_shown, state: Mutex::default() }))
    }

    /// The spinner that the lines keep out of the way of.
    pub(crate) fn spinner(&self) -> &Spinner {
        &self.0.spinner
    }

    /// What is left of the program, once it has ended.
    pub(crate) fn take_outcome(&self) -> Option<Outcome> {
        self.state().outcome.take()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn say_counts(&self, state: &State) {
        let (running, settled) = (grouped(state.running.len() as u64), grouped(state.settled));
        self.0.spinner.say(&format!("{running} running, {settled} done: {}", self.0.title));
    }

    fn show(&self, event: &DispatchSettled, took: Duration) {
        let written = self.0.spinner.aside(|| {
            let mut page = Page::stderr();
            line(&mut page, event, took).and_then(|()| page.flush())
        });
        // Where standard error is gone, the program goes on.
        let _ = written;
    }
}

fn line(page: &mut Page, event: &DispatchSettled, took: Duration) -> io::Result<()> {
    let styles = page.styles();
    let (title, faint, ok, failed) = (styles.title, styles.faint, styles.added, styles.error);
    let DispatchStarted { sub_call_id, tool, arguments, .. } = &event.started;
    let arguments = shortened(&arguments.to_text(), ARGUMENTS_CHARACTERS);
    write!(
        page,
        "{faint}{}{faint:#}  {title}{}{title:#} {}  ",
        Line(&sub_call_id.to_string()),
        Line(tool),
        Line(&arguments)
    )?;
    let took = format!("{} ms", grouped(u64::try_from(took.as_millis()).unwrap_or(u64::MAX)));
    if !event.is_error {
        return writeln!(page, "{ok}ok{ok:#}  {faint}{took}{faint:#}");
    }
    let error = event.content.iter().find_map(ContentBlock::as_text).unwrap_or_default();
    let error = error.strip_prefix("Error: ").unwrap_or(error).lines().next().unwrap_or_default();
    writeln!(
        page,
        "{failed}failed{failed:#}  {faint}{took}{faint:#}  {}",
        Line(&shortened(error, ERROR_CHARACTERS))
    )
}

impl DispatchSink for Dispatches {
    async fn started(&self, event: &DispatchStarted) -> Result<(), ToolError> {
        let mut state = self.state();
        state.running.insert(event.sub_call_id.clone(), Clock { started: Instant::now(), body: None });
        self.say_counts(&state);
        Ok(())
    }

    async fn settled(&self, event: &DispatchSettled) -> Result<(), ToolError> {
        let took = {
            let mut state = self.state();
            state.settled += 1;
            let clock = state.running.remove(&event.started.sub_call_id);
            self.say_counts(&state);
            clock.map(|clock| clock.body.unwrap_or_else(|| clock.started.elapsed()))
        };
        if self.0.is_shown {
            self.show(event, took.unwrap_or_default());
        }
        Ok(())
    }

    async fn ended(&self, _outer: &ToolExecution, outcome: &Outcome) {
        self.state().outcome = Some(outcome.clone());
    }
}

impl Execute for Dispatches {
    async fn execute(
        &self,
        call: &ToolExecution,
        mut next: Next<'_, Dispatch>,
    ) -> HookResult<ToolExecutionResult> {
        let begun = Instant::now();
        let answer = next.run().await;
        if let Some(clock) = self.state().running.get_mut(call.call_id()) {
            clock.body = Some(begun.elapsed());
        }
        answer
    }
}
