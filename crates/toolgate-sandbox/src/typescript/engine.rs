//! One run of one program on QuickJS, from its source to its outcome.
//!
//! The loop runs one job at a time and looks at the limits between jobs; inside a job the engine's interrupt does.
//! Whatever ends the run, every value of the program is dropped before the engine is.

use std::ffi::{CString, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::time::Instant;

use rquickjs::function::Rest;
use rquickjs::promise::PromiseState;
use rquickjs::qjs::{self, JS_EVAL_FLAG_STRICT, JS_EVAL_OPTIONS_VERSION, JS_EVAL_TYPE_GLOBAL, JSEvalOptions};
use rquickjs::{Context, Ctx, Persistent, Promise, Runtime, Value};

use crate::ending::{self, Done};
use crate::json_text::Refusal;
use crate::limits::Limits;
use crate::link::{Link, Wake};
use crate::outcome::{Failure, FailureKind, Outcome};
use crate::program::{Globals, HostReply};

use super::bridge::{Bridge, MOST_REJECTIONS, Rejection};
use super::encode;
use super::fault;
use super::heap::Heap;
use super::host::{self, Shelf, World};
use super::{FILE, strip};

/// The size of the heap at which the engine looks for cycles for the first time. It makes none by itself, and each look
/// goes through the whole heap.
const FIRST_COLLECTION: usize = 4 << 20;

/// Runs a program to its end on this thread, whose stack is as large as `stack_size` says.
pub(crate) fn run<L: Link + 'static>(source: &str, globals: &Globals, limits: &Limits, link: L) -> Outcome {
    let started = Instant::now();
    let source = match strip::strip(source, limits) {
        Ok(source) => source,
        Err(failure) => return Outcome { failure: Some(failure), ..Outcome::default() },
    };
    let bridge = Rc::new(Bridge::new(limits, link, started));
    let mut ended = Ended::default();
    let done = catch_unwind(AssertUnwindSafe(|| execute(&bridge, &source, globals, &mut ended)))
        .unwrap_or_else(|_| Err(Failure::new(FailureKind::Crash, "the engine of the program failed")))
        .map_err(|failure| fault::placed(failure, &source));
    let Ended { unawaited, engine } = ended;
    let outcome = ending::outcome(done, bridge.stopped(), &mut bridge.output.borrow_mut(), unawaited);
    bridge.link.borrow_mut().ended(&outcome);
    drop(engine);
    outcome
}

/// What there is when the program has ended.
struct Ended<L: Link> {
    /// The calls that nobody awaited.
    unawaited: Vec<u64>,
    /// What ran the program.
    engine: Option<Engine<L>>,
}

impl<L: Link> Default for Ended<L> {
    fn default() -> Self {
        Self { unawaited: Vec::new(), engine: None }
    }
}

/// The engine with one program; dropped, it drops the values of the program first, also when the run unwinds.
struct Engine<L: Link> {
    bridge: Rc<Bridge<L>>,
    shelf: Rc<Shelf>,
    context: Context,
}

impl<L: Link> Drop for Engine<L> {
    fn drop(&mut self) {
        self.bridge.clear();
        self.shelf.clear();
    }
}

fn execute<L: Link + 'static>(
    bridge: &Rc<Bridge<L>>,
    source: &str,
    globals: &Globals,
    ended: &mut Ended<L>,
) -> Done {
    let heap = Heap::new(bridge.limits.memory, bridge.pressure.clone());
    let runtime = Runtime::new_with_alloc(heap).map_err(|_| ending::memory())?;
    runtime.set_gc_threshold(FIRST_COLLECTION.min(bridge.limits.memory / 8));
    runtime.set_max_stack_size(bridge.limits.stack);
    {
        let bridge = bridge.clone();
        runtime.set_interrupt_handler(Some(Box::new(move || bridge.is_over())));
    }
    {
        let bridge = bridge.clone();
        runtime.set_host_promise_rejection_tracker(Some(Box::new(move |ctx, promise, reason, handled| {
            track(&bridge, &ctx, promise, reason, handled);
        })));
    }
    let context = Context::full(&runtime).map_err(|_| ending::memory())?;
    let engine = Engine { bridge: bridge.clone(), shelf: Rc::default(), context };
    let Engine { shelf, context, .. } = ended.engine.insert(engine);
    context.with(|ctx| {
        let world = host::install(&ctx, bridge, shelf, &globals.names).map_err(|_| {
            // Nothing of the program has run: only the heap can have been too small.
            ctx.catch();
            ending::memory()
        })?;
        let drive = Drive { ctx: &ctx, bridge, world: &world };
        let done = drive.run(source);
        ended.unawaited = drive.unawaited();
        done
    })
}

/// Remembers promises that are rejected while nobody handles them, and forgets those that are handled later.
fn track<'js, L: Link>(
    bridge: &Bridge<L>,
    ctx: &Ctx<'js>,
    promise: Value<'js>,
    reason: Value<'js>,
    handled: bool,
) {
    let Ok(mut rejections) = bridge.rejections.try_borrow_mut() else { return };
    let promise = Persistent::save(ctx, promise);
    if handled {
        rejections.retain(|rejection| rejection.promise != promise);
    } else if rejections.len() < MOST_REJECTIONS {
        rejections.push(Rejection { promise, reason: Persistent::save(ctx, reason) });
    }
}

struct Drive<'a, 'js, L: Link> {
    ctx: &'a Ctx<'js>,
    bridge: &'a Rc<Bridge<L>>,
    world: &'a World<'js>,
}

impl<'js, L: Link> Drive<'_, 'js, L> {
    fn run(&self, source: &str) -> Done {
        let value = self.begin(source)?;
        let Some(promise) = value.as_promise() else {
            return Err(Failure::new(
                FailureKind::Exception,
                "SyntaxError: the source is not the body of a function",
            ));
        };
        loop {
            self.jobs()?;
            match promise.state() {
                PromiseState::Resolved | PromiseState::Rejected => break,
                PromiseState::Pending => self.wait()?,
            }
        }
        self.finish(promise)
    }

    /// Starts the program, whose lines have the numbers that they have for its author.
    #[expect(unsafe_code, reason = "the number of the first line has no safe form")]
    fn begin(&self, source: &str) -> Result<Value<'js>, Failure> {
        // The engine takes no zero for a number, so two lines are in front.
        const FIRST_LINE: c_int = -1;
        let program = CString::new(format!("(async function () {{\n\n{source}\n}})()"));
        let (Ok(program), Ok(file)) = (program, CString::new(FILE)) else {
            let message = "SyntaxError: the source holds a character U+0000";
            return Err(Failure::new(FailureKind::Exception, message));
        };
        let mut options = JSEvalOptions {
            version: JS_EVAL_OPTIONS_VERSION as c_int,
            eval_flags: (JS_EVAL_TYPE_GLOBAL | JS_EVAL_FLAG_STRICT) as c_int,
            filename: file.as_ptr(),
            line_num: FIRST_LINE,
        };
        let length = program.count_bytes() as qjs::size_t;
        // SAFETY: the context is alive, the text ends in a null and both texts outlive the call; what it gives is owned.
        let value = unsafe {
            let value = qjs::JS_Eval2(self.ctx.as_raw().as_ptr(), program.as_ptr(), length, &raw mut options);
            Value::from_raw(self.ctx.clone(), value)
        };
        if value.is_exception() { Err(self.thrown()) } else { Ok(value) }
    }

    /// Runs what is ready to run.
    fn jobs(&self) -> Result<(), Failure> {
        loop {
            self.check()?;
            if let Some(failure) = self.bridge.uncaught.borrow_mut().take() {
                return Err(failure);
            }
            if !self.ctx.execute_pending_job() {
                return Ok(());
            }
        }
    }

    fn check(&self) -> Result<(), Failure> {
        if self.bridge.is_over() { Err(self.stopped()) } else { Ok(()) }
    }

    fn stopped(&self) -> Failure {
        self.bridge.stopped().unwrap_or_else(ending::unknown)
    }

    /// Runs a timer that is due, or waits for an answer or the next timer.
    fn wait(&self) -> Result<(), Failure> {
        let now = Instant::now();
        let due = self.bridge.timers.borrow_mut().due(now);
        let until = if let Some(timer) = due {
            let callback = timer.callback.restore(self.ctx).map_err(|_| ending::memory())?;
            let arguments = timer.arguments.restore(self.ctx).map_err(|_| ending::memory())?;
            let arguments: Vec<Value<'js>> = arguments.get().map_err(|_| self.thrown())?;
            callback.call::<_, Value<'js>>((Rest(arguments),)).map_err(|_| self.thrown())?;
            now
        } else {
            let next = self.bridge.timers.borrow_mut().next();
            if next.is_none() && self.bridge.calls.borrow().pending.is_empty() {
                // What the engine has no memory to go on with is lost without a word.
                if self.bridge.pressure.is_exhausted.get() {
                    return Err(ending::memory());
                }
                return Err(Failure::new(
                    FailureKind::Stalled,
                    "the program awaits a promise that nothing can settle",
                ));
            }
            next.map_or(self.bridge.watch.end, |next| next.min(self.bridge.watch.end))
        };
        let wake = self.bridge.link.borrow_mut().wait(until);
        match wake {
            Wake::Answer(number, reply) => self.settle(number, reply),
            Wake::Time => Ok(()),
            Wake::Cancelled => {
                self.bridge.watch.cancel();
                Err(self.stopped())
            }
            Wake::Gone => {
                self.bridge.watch.desert();
                Err(self.stopped())
            }
        }
    }

    /// Settles the promise of a call.
    fn settle(&self, number: u64, reply: HostReply) -> Result<(), Failure> {
        let pending = {
            let mut calls = self.bridge.calls.borrow_mut();
            let Some(pending) = calls.pending.remove(&number) else { return Ok(()) };
            calls.bytes = calls.bytes.saturating_sub(pending.bytes);
            pending
        };
        let settled = (|| {
            let trace = pending.trace.restore(self.ctx)?;
            let reject = pending.reject.restore(self.ctx)?;
            let resolve = pending.resolve.restore(self.ctx)?;
            match reply {
                HostReply::Ok(value) => {
                    let value = super::decode::decode(self.ctx, value.as_value())?;
                    resolve.call::<_, ()>((value,))
                }
                HostReply::Err(message) => {
                    let error: Value<'js> = self.world.explain.call((trace, number as f64, message))?;
                    reject.call::<_, ()>((error,))
                }
            }
        })();
        settled.map_err(|_| self.thrown())
    }

    /// The failure of what was thrown just now.
    fn thrown(&self) -> Failure {
        let thrown = self.ctx.catch();
        if let Some(stopped) = self.bridge.stopped() {
            return stopped;
        }
        let failure =
            fault::of(self.ctx, &self.world.language, thrown, self.bridge.pressure.is_exhausted.get());
        self.bridge.stopped().unwrap_or(failure)
    }

    fn finish(&self, promise: &Promise<'js>) -> Done {
        let value = match promise.result::<Value<'js>>() {
            Some(Ok(value)) => value,
            Some(Err(_)) | None => return Err(self.thrown()),
        };
        if let Some(failure) = self.unhandled() {
            return Err(failure);
        }
        self.bridge.link.borrow_mut().flush(self.bridge.watch.end);
        self.check()?;
        if value.is_undefined() || self.bridge.output.borrow().is_overflown() {
            return Ok(None);
        }
        let room = self.bridge.output.borrow().room();
        let text = encode::strict(self.ctx, &self.world.language, value, room, &|| self.bridge.is_over())
            .map_err(|refusal| match refusal {
                Refusal::Thrown => self.thrown(),
                Refusal::Over => self.stopped(),
                Refusal::NotJson { .. } => {
                    Failure::new(FailureKind::InvalidOutput, refusal.message("the program returned"))
                }
                Refusal::TooLong { .. } => Failure::new(
                    FailureKind::OutputLimit,
                    format!(
                        "{}: it may print and return {} bytes",
                        refusal.message("the program returned"),
                        self.bridge.limits.output
                    ),
                ),
            })?;
        ending::returned(&text)
    }

    /// The first rejection that nobody handled. That of a call is told with the calls that nobody awaited.
    fn unhandled(&self) -> Option<Failure> {
        let rejections = std::mem::take(&mut *self.bridge.rejections.borrow_mut());
        let mut first = None;
        for rejection in rejections {
            let Ok(reason) = rejection.reason.restore(self.ctx) else { continue };
            let call: f64 = self.world.call_of.call((reason.clone(),)).unwrap_or_default();
            if call > 0.0 {
                self.bridge.calls.borrow_mut().untouched.insert(call as u64);
            } else if first.is_none() {
                first = Some(fault::of(
                    self.ctx,
                    &self.world.language,
                    reason,
                    self.bridge.pressure.is_exhausted.get(),
                ));
            }
        }
        first
    }

    /// The calls that nobody awaited or that have no answer.
    fn unawaited(&self) -> Vec<u64> {
        let calls = self.bridge.calls.borrow();
        let mut numbers = calls.untouched.clone();
        numbers.extend(calls.pending.keys());
        numbers.into_iter().collect()
    }
}
