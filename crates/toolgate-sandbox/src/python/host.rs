//! [`Host`]: what a program can reach: its tools, `print`, the clock and sleep. Everything else is refused.
//!
//! The interpreter suspends the program whenever it wants something of the host; no code of the program runs meanwhile.

use std::borrow::Cow;
use std::collections::HashSet;
use std::panic::resume_unwind;
use std::time::{Duration, Instant};

use monty::{FunctionCall, NameLookup, OsCall, RunProgress};
use monty_types::{
    DictPairs, ExcType, ExtFunctionResult, MontyClassInstance, MontyClassType, MontyException, MontyObject,
    MontyUuid, NameLookupResult, OsFunctionCall, PrintWriter, PrintWriterCallback,
};
use toolgate_schema::JsonValue;

use crate::json_text::{Refusal, weight};
use crate::limits::Limits;
use crate::link::Link;
use crate::outcome::{Failure, FailureKind};
use crate::output::Output;
use crate::program::Globals;
use crate::watch::Watch;

use super::calls::{Calls, MOST_SLEEPS};
use super::{clock, encode, fault, scan};

/// The name that stands behind every program: who comes there has returned nothing.
pub(super) const END: &str = "_end__";

/// What the function of a tool is called, with the tool's name behind it.
const TOOL: &str = "tools.";

/// The longest sleep, 30 days; nothing runs that long.
const LONGEST: f64 = 2_592_000.0;

/// The end of a run that no code of the program can catch: it unwinds through the interpreter.
pub(super) struct Stopped;

/// The state of one run, and what its program can reach.
pub(super) struct Host<L> {
    names: Vec<String>,
    known: HashSet<String>,
    pub(super) limits: Limits,
    pub(super) watch: Watch,
    pub(super) link: L,
    pub(super) output: Output,
    pub(super) calls: Calls,
    started: Instant,
    /// How long the program has waited for answers.
    pub(super) waited: Duration,
    /// The line that is being printed: its beginning, and its length in truth.
    line: String,
    line_bytes: u64,
}

/// What the program goes on with, or how it ended.
pub(super) type Step = Result<RunProgress, MontyException>;

impl<L: Link> Host<L> {
    pub(super) fn new(globals: &Globals, limits: &Limits, link: L, started: Instant) -> Self {
        Self {
            names: globals.names.clone(),
            known: globals.names.iter().cloned().collect(),
            limits: limits.clone(),
            watch: Watch::new(limits, started),
            link,
            output: Output::new(limits.output),
            calls: Calls::default(),
            started,
            waited: Duration::ZERO,
            line: String::new(),
            line_bytes: 0,
        }
    }

    /// How long the program did not wait.
    pub(super) fn computed(&self) -> Duration {
        self.started.elapsed().saturating_sub(self.waited)
    }

    /// Where the program prints while it goes on.
    pub(super) fn writer(&mut self) -> PrintWriter<'_> {
        PrintWriter::Callback(self)
    }

    /// A name that the program does not define, or an attribute of `tools` that is not there.
    pub(super) fn look_up(&mut self, lookup: NameLookup) -> Step {
        let value = match (lookup.object_id(), lookup.name.as_str()) {
            (None, "tools") => Some(self.tools()),
            (None, name @ (scan::AT | scan::SLEEP | END)) => Some(function(name)),
            (None, _) | (Some(_), _) => None,
        };
        lookup.resume(NameLookupResult::from(value), self.writer())
    }

    /// The object whose attributes are the tools.
    fn tools(&self) -> MontyObject {
        let attributes = self
            .names
            .iter()
            .map(|name| (MontyObject::String(name.clone()), function(&format!("{TOOL}{name}"))));
        MontyObject::ClassInstance(Box::new(MontyClassInstance {
            class_type: MontyClassType {
                name: "Tools".to_owned(),
                id: MontyUuid::from_u128(1),
                host_defined: true,
                is_dataclass: false,
                attrs: DictPairs::from(Vec::new()),
            },
            instance_id: MontyUuid::from_u128(2),
            attrs: attributes.collect(),
        }))
    }

    /// A call of one of the functions above, or of an attribute of `tools` that is not there.
    pub(super) fn call(&mut self, call: FunctionCall) -> Step {
        let result = match (call.object_id, call.function_name.as_str()) {
            (Some(_), name) => {
                let message = format!("'Tools' object has no attribute '{name}'");
                ExtFunctionResult::Error(fault::refused(ExcType::AttributeError, message))
            }
            (None, scan::AT) => self.subscript(&call),
            (None, scan::SLEEP) => self.sleep(&call),
            (None, name) => match name.strip_prefix(TOOL) {
                Some(tool) => self.submit(tool, &call),
                None => ExtFunctionResult::NotFound(name.to_owned()),
            },
        };
        call.resume(result, self.writer())
    }

    fn subscript(&self, call: &FunctionCall) -> ExtFunctionResult {
        match call.args.as_slice() {
            [MontyObject::String(name)] if self.known.contains(name) => {
                ExtFunctionResult::Return(function(&format!("{TOOL}{name}")))
            }
            [name] => {
                let shown: String = name.py_repr().chars().take(100).collect();
                ExtFunctionResult::Error(fault::refused(ExcType::KeyError, shown))
            }
            _ => {
                let message = "a tool has one name";
                ExtFunctionResult::Error(fault::refused(ExcType::TypeError, message))
            }
        }
    }

    fn sleep(&mut self, call: &FunctionCall) -> ExtFunctionResult {
        let (seconds, value) = match (call.args.as_slice(), call.kwargs.as_slice()) {
            ([seconds], []) => (seconds_of(seconds), MontyObject::None),
            ([seconds, value], []) => (seconds_of(seconds), value.clone()),
            ([] | [_, _, ..], _) | ([_], [_, ..]) => (None, MontyObject::None),
        };
        let Some(seconds) = seconds else {
            let message = "asyncio.sleep takes a number of seconds, and what it gives";
            return ExtFunctionResult::Error(fault::refused(ExcType::TypeError, message));
        };
        if self.calls.sleeps() >= MOST_SLEEPS {
            self.end(FailureKind::Limit, format!("the program has more than {MOST_SLEEPS} sleeps that wait"));
        }
        let seconds = if seconds > 0.0 { seconds.min(LONGEST) } else { 0.0 };
        self.calls.sleep(call.call_id, Instant::now() + Duration::from_secs_f64(seconds), value);
        ExtFunctionResult::Future(call.call_id)
    }

    /// Submits a call of a tool.
    fn submit(&mut self, tool: &str, call: &FunctionCall) -> ExtFunctionResult {
        let arguments = match (call.args.as_slice(), call.kwargs.as_slice()) {
            ([arguments], []) => Cow::Borrowed(arguments),
            ([], arguments) => Cow::Owned(MontyObject::dict(arguments.to_vec())),
            ([_, ..], _) => {
                let message = format!("tools.{tool} takes one dictionary, or keywords");
                return ExtFunctionResult::Error(fault::refused(ExcType::TypeError, message));
            }
        };
        let text = match encode::encode(&arguments, self.limits.memory / 4) {
            Ok(text) => text,
            Err(refusal) => return self.refuse(refusal.message("the arguments hold")),
        };
        let value = match JsonValue::parse(&text) {
            Ok(value) => value,
            Err(error) => return self.refuse(format!("the arguments are not JSON: {error}")),
        };
        let bytes = weight(value.as_value());
        let all = self.calls.bytes().saturating_add(bytes);
        if let Some(message) = self.limits.refuse_call(self.calls.made, self.calls.in_flight(), all) {
            self.end(FailureKind::Limit, message);
        }
        let number = self.calls.submit(call.call_id, tool.to_owned(), bytes);
        self.link.submit(number, tool.to_owned(), value);
        ExtFunctionResult::Future(call.call_id)
    }

    /// A call that is none, because its arguments are not JSON.
    fn refuse(&mut self, message: String) -> ExtFunctionResult {
        self.calls.has_failed = true;
        ExtFunctionResult::Error(fault::call_failed(message))
    }

    /// What the program wants of the operating system: nothing but the clock.
    pub(super) fn system(&mut self, call: OsCall) -> Step {
        let wanted = &call.function_call;
        let result = if let OsFunctionCall::DateToday = wanted {
            ExtFunctionResult::Return(clock::today())
        } else if let OsFunctionCall::DateTimeNow(zone) = wanted {
            ExtFunctionResult::Return(clock::now(zone.clone()))
        } else {
            let message = if matches!(wanted, OsFunctionCall::Getenv(_) | OsFunctionCall::GetEnviron) {
                "a program has no environment; pass it what it needs".to_owned()
            } else {
                format!("a program reaches no files, so not `{}`; call a tool", wanted.name())
            };
            ExtFunctionResult::Error(fault::refused(ExcType::NotImplementedError, message))
        };
        call.resume(result, self.writer())
    }

    /// Ends the run, whatever the program thinks of it.
    fn end(&self, kind: FailureKind, message: impl Into<String>) -> ! {
        self.watch.stop(kind, message);
        resume_unwind(Box::new(Stopped))
    }

    fn check(&mut self) {
        // It also hands over what the program has submitted.
        if self.link.is_cancelled() {
            self.watch.cancel();
        }
        if self.watch.is_over() {
            resume_unwind(Box::new(Stopped));
        }
    }

    /// Keeps the beginning of a piece of a line, as far as it could be shown.
    fn print(&mut self, piece: &str) {
        self.line_bytes += piece.len() as u64;
        let room = (self.output.room() + 4).saturating_sub(self.line.len()).min(piece.len());
        let cut = (room..=piece.len()).find(|at| piece.is_char_boundary(*at)).unwrap_or(piece.len());
        self.line.push_str(piece.get(..cut).unwrap_or_default());
        if self.line_bytes > self.output.flood_bytes() {
            self.end_line();
        }
    }

    fn end_line(&mut self) {
        self.tell_line();
        if self.output.is_flood() {
            self.end(FailureKind::OutputLimit, self.output.flood());
        }
    }

    fn tell_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        let bytes = std::mem::take(&mut self.line_bytes);
        if let Some(kept) = self.output.head_of_line(line, bytes) {
            self.link.log(kept);
        }
    }

    /// Tells the last line of a program that did not end it.
    pub(super) fn tell_last_line(&mut self) {
        if self.line_bytes > 0 {
            self.tell_line();
        }
    }

    /// The words and the kind for a result that cannot be given.
    pub(super) fn no_result(&self, refusal: &Refusal) -> Failure {
        let message = refusal.message("the program returned");
        match refusal {
            Refusal::TooLong { .. } => {
                let limit = self.limits.output;
                let message = format!("{message}: it may print and return {limit} bytes");
                Failure::new(FailureKind::OutputLimit, message)
            }
            Refusal::NotJson { .. } | Refusal::Thrown | Refusal::Over => {
                Failure::new(FailureKind::InvalidOutput, message)
            }
        }
    }
}

impl<L: Link> PrintWriterCallback for Host<L> {
    fn stdout_write(&mut self, output: Cow<'_, str>) -> Result<(), MontyException> {
        self.print(&output);
        Ok(())
    }

    fn stdout_push(&mut self, end: char) -> Result<(), MontyException> {
        if end == '\n' {
            self.end_line();
        } else {
            self.print(end.encode_utf8(&mut [0; 4]));
        }
        Ok(())
    }

    /// Asked between the steps of a program that computes.
    fn poll_flush(&mut self) -> Result<(), MontyException> {
        self.check();
        Ok(())
    }
}

fn seconds_of(value: &MontyObject) -> Option<f64> {
    if let MontyObject::Int(seconds) = value {
        return Some(*seconds as f64);
    }
    if let MontyObject::Float(seconds) = value { Some(*seconds) } else { None }
}

fn function(name: &str) -> MontyObject {
    MontyObject::Function { name: name.to_owned(), docstring: None }
}
