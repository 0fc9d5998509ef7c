//! One run of one program on the interpreter, from its source to its outcome.
//!
//! The interpreter is a machine that stops whenever the program wants something; the loop here gives it that and lets it
//! go on. Its own limits hold inside of its loops, the watch between them, and the worker's host outside of both.

use std::num::NonZeroU32;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use monty::{MontyRun, ResolveFutures, RunProgress};
use monty_types::{
    AssertMessageAnnotations, CompileOptions, ExcType, MontyException, MontyObject, ResourceLimits,
    ResourceTracker,
};

use crate::ending::{self, Done};
use crate::limits::Limits;
use crate::link::{Link, Wake};
use crate::outcome::{Failure, FailureKind, Outcome};
use crate::program::Globals;

use super::calls::Next;
use super::encode::encode;
use super::fault;
use super::host::{END, Host, Stopped};
use super::scan;

/// The name of the program's source in stack traces.
const FILE: &str = "program.py";

/// Bytes of stack that one call of a program's function stands for.
const FRAME: usize = 1_024;

/// Characters of a value that an assertion shows.
const SHOWN: NonZeroU32 = NonZeroU32::MIN.saturating_add(119);

/// Runs a program to its end on this thread, whose stack must suffice for the parser.
pub(crate) fn run<L: Link>(source: &str, globals: &Globals, limits: &Limits, link: L) -> Outcome {
    let started = Instant::now();
    let mut host = Host::new(globals, limits, link, started);
    let done = catch_unwind(AssertUnwindSafe(|| execute(&mut host, source)));
    let done = done.unwrap_or_else(|reason| {
        let why = if reason.is::<Stopped>() { "the run ended" } else { "the interpreter failed" };
        Err(Failure::new(FailureKind::Crash, why))
    });
    host.tell_last_line();
    let unawaited = host.calls.unawaited();
    let outcome = ending::outcome(done, host.watch.stopped(), &mut host.output, unawaited);
    host.link.ended(&outcome);
    outcome
}

fn execute<L: Link>(host: &mut Host<L>, source: &str) -> Done {
    if source.len() > host.limits.source {
        let message = format!(
            "the program has {} bytes, more than the {} it may have",
            source.len(),
            host.limits.source
        );
        return Err(Failure::new(FailureKind::Limit, message));
    }
    let mut text = scan::prepare(source)?;
    // The value of the last statement is what the interpreter gives back, and it is to be none of the author's.
    text.push('\n');
    text.push_str(END);
    let options = CompileOptions { assert_message_annotations: AssertMessageAnnotations::MaxBytes(SHOWN) };
    let resources = resources(&host.limits);
    let time = resources.max_duration.unwrap_or_default();
    let fault = |host: &Host<L>, exception: MontyException| {
        // The interpreter says that the time is over by an exception that a program can make as well.
        if exception.exc_type() == ExcType::TimeoutError && host.computed() >= time {
            let message = format!("the program computed for longer than {:?}", host.limits.cpu);
            return Failure::new(FailureKind::Timeout, message);
        }
        fault::of(source, &exception, host.calls.has_failed)
    };
    let program =
        MontyRun::new(text, FILE, Vec::new(), options).map_err(|exception| fault(host, exception))?;
    let tracker = ResourceTracker::new(resources);
    let mut step = program.start(Vec::new(), tracker, host.writer());
    let value = loop {
        step = match step.map_err(|exception| fault(host, exception))? {
            RunProgress::Complete(value) => break value,
            RunProgress::NameLookup(lookup) => host.look_up(lookup),
            RunProgress::FunctionCall(call) => host.call(call),
            RunProgress::OsCall(call) => host.system(call),
            RunProgress::ResolveFutures(waiting) => settle(host, waiting)?,
        };
    };
    finish(host, &value)
}

/// What the interpreter itself looks at. The time is that of the clock while the program computes, so a busy machine
/// takes some of it away; the watch is exact, and this is for the loops inside of which it is not asked.
fn resources(limits: &Limits) -> ResourceLimits {
    ResourceLimits::default()
        .max_duration(
            limits.cpu.saturating_mul(2).saturating_add(Duration::from_millis(500)).min(limits.wall),
        )
        .max_memory(limits.memory)
        .max_recursion_depth(limits.stack / FRAME)
}

/// Waits until something that the program awaits has come to an end, and goes on with it.
fn settle<L: Link>(
    host: &mut Host<L>,
    waiting: ResolveFutures,
) -> Result<Result<RunProgress, MontyException>, Failure> {
    host.calls.look(&waiting);
    let mut until = Instant::now();
    loop {
        let asked = Instant::now();
        let wake = host.link.wait(until);
        host.waited += asked.elapsed();
        match wake {
            // More may have arrived with it.
            Wake::Answer(number, reply) => {
                host.calls.answer(number, reply);
                until = Instant::now();
                continue;
            }
            Wake::Time => {}
            Wake::Cancelled => host.watch.cancel(),
            Wake::Gone => host.watch.desert(),
        }
        if host.watch.is_over() {
            return Err(stopped(host));
        }
        match host.calls.next(Instant::now()) {
            Next::Ready(results) => return Ok(waiting.resume(results, host.writer())),
            Next::Wait(due) => until = due.map_or(host.watch.end, |due| due.min(host.watch.end)),
            Next::Stalled => {
                let message = "the program awaits what nothing can settle";
                return Err(Failure::new(FailureKind::Stalled, message));
            }
        }
    }
}

fn stopped<L: Link>(host: &Host<L>) -> Failure {
    host.watch.stopped().unwrap_or_else(ending::unknown)
}

fn finish<L: Link>(host: &mut Host<L>, value: &MontyObject) -> Done {
    host.link.flush(host.watch.end);
    if host.watch.is_over() {
        return Err(stopped(host));
    }
    host.tell_last_line();
    let is_nothing = matches!(value, MontyObject::Function { name, .. } if name == END);
    if is_nothing || host.output.is_overflown() {
        return Ok(None);
    }
    let text = encode(value, host.output.room()).map_err(|refusal| host.no_result(&refusal))?;
    ending::returned(&text)
}
