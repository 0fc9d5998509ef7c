//! What a program can reach: the functions of the host behind `tools`, `console` and the timers.
//!
//! `bootstrap.js` makes the program's world of them. Each is contained: a panic here ends the run, because program
//! code could catch it as an exception.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use rquickjs::context::EvalOptions;
use rquickjs::function::Rest;
use rquickjs::{Ctx, Exception, Function, Object, Persistent, Result, Value};
use toolgate_schema::JsonValue;

use crate::json_text::{Refusal, weight};
use crate::link::Link;
use crate::outcome::FailureKind;

use super::bridge::{Bridge, PendingCall};
use super::encode::{self, Language};
use super::fault;
use super::timers::{MOST_TIMERS, Timer};

/// What the host keeps of the world it made.
pub(super) struct World<'js> {
    pub(super) language: Language<'js>,
    /// Makes the error of a call: trace, number, message.
    pub(super) explain: Function<'js>,
    /// The number of the call that an error belongs to, or 0.
    pub(super) call_of: Function<'js>,
}

/// The same, for the functions of the host, which outlive the borrow.
#[derive(Clone)]
struct Kept {
    plain: Persistent<Object<'static>>,
    label: Persistent<Function<'static>>,
    show: Persistent<Function<'static>>,
    fits: Persistent<Function<'static>>,
    well_formed: Persistent<Function<'static>>,
    explain: Persistent<Function<'static>>,
}

impl Kept {
    fn language<'js>(&self, ctx: &Ctx<'js>) -> Result<Language<'js>> {
        Ok(Language {
            plain: self.plain.clone().restore(ctx)?,
            label: self.label.clone().restore(ctx)?,
            show: self.show.clone().restore(ctx)?,
            fits: self.fits.clone().restore(ctx)?,
            well_formed: self.well_formed.clone().restore(ctx)?,
        })
    }
}

/// Where the functions of the host find the language once the world is made; emptied when the run ends.
#[derive(Default)]
pub(super) struct Shelf(std::cell::RefCell<Option<Kept>>);

impl Shelf {
    pub(super) fn clear(&self) {
        self.0.borrow_mut().take();
    }

    fn kept<'js>(&self, ctx: &Ctx<'js>) -> Result<Kept> {
        match &*self.0.borrow() {
            Some(kept) => Ok(kept.clone()),
            None => Err(Exception::throw_internal(ctx, "the run has ended")),
        }
    }
}

/// Makes the world of a program.
pub(super) fn install<'js, L: Link + 'static>(
    ctx: &Ctx<'js>,
    bridge: &Rc<Bridge<L>>,
    shelf: &Rc<Shelf>,
    names: &[String],
) -> Result<World<'js>> {
    let host = Object::new(ctx.clone())?;
    host.set("call", call_function(ctx, bridge, shelf)?)?;
    host.set("print", print_function(ctx, bridge, shelf)?)?;
    host.set("touch", {
        let bridge = bridge.clone();
        Function::new(ctx.clone(), move |number: f64| {
            if let Ok(mut calls) = bridge.calls.try_borrow_mut() {
                calls.untouched.remove(&(number as u64));
            }
        })?
    })?;
    host.set("timer", timer_function(ctx, bridge)?)?;
    host.set("clear", {
        let bridge = bridge.clone();
        Function::new(ctx.clone(), move |number: f64| bridge.timers.borrow_mut().cancel(number as u64))?
    })?;
    host.set("uncaught", uncaught_function(ctx, bridge, shelf)?)?;

    let mut options = EvalOptions::default();
    options.strict = true;
    options.filename = Some("toolgate".to_owned());
    let make: Function<'js> = ctx.eval_with_options(include_str!("bootstrap.js"), options)?;
    let kit: Object<'js> = make.call((host, names.to_vec()))?;
    let language = Language {
        plain: kit.get("plain")?,
        label: kit.get("label")?,
        show: kit.get("show")?,
        fits: kit.get("fits")?,
        well_formed: kit.get("wellFormed")?,
    };
    let explain: Function<'js> = kit.get("explain")?;
    *shelf.0.borrow_mut() = Some(Kept {
        plain: Persistent::save(ctx, language.plain.clone()),
        label: Persistent::save(ctx, language.label.clone()),
        show: Persistent::save(ctx, language.show.clone()),
        fits: Persistent::save(ctx, language.fits.clone()),
        well_formed: Persistent::save(ctx, language.well_formed.clone()),
        explain: Persistent::save(ctx, explain.clone()),
    });
    Ok(World { language, explain, call_of: kit.get("callOf")? })
}

/// Helps the compiler to see a function that works for every lifetime of a context.
fn general<F>(function: F) -> F
where
    F: for<'js> Fn(Ctx<'js>, Rest<Value<'js>>) -> Result<Value<'js>>,
{
    function
}

/// Runs a function of the host; a panic ends the run.
fn contained<'js, L: Link, T>(
    ctx: &Ctx<'js>,
    bridge: &Bridge<L>,
    body: impl FnOnce() -> Result<T>,
) -> Result<T> {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|_| {
        bridge.stop(FailureKind::Crash, "the bridge of the program failed");
        Err(Exception::throw_internal(ctx, "the bridge failed"))
    })
}

/// `call(name, argument, trace, watched)`: submits a call and gives its promise.
fn call_function<'js, L: Link + 'static>(
    ctx: &Ctx<'js>,
    bridge: &Rc<Bridge<L>>,
    shelf: &Rc<Shelf>,
) -> Result<Function<'js>> {
    let (bridge, shelf) = (bridge.clone(), shelf.clone());
    Function::new(
        ctx.clone(),
        general(move |ctx, Rest(arguments)| {
            contained(&ctx, &bridge, || {
                let mut arguments = arguments.into_iter();
                let (Some(name), Some(argument), Some(trace), Some(watched)) =
                    (arguments.next(), arguments.next(), arguments.next(), arguments.next())
                else {
                    return Err(Exception::throw_internal(&ctx, "the bridge failed"));
                };
                let kept = shelf.kept(&ctx)?;
                let name: String = name.get()?;
                let trace: Object<'_> = trace.get()?;
                let watched: Function<'_> = watched.get()?;
                match read_argument(&ctx, &bridge, &kept, argument)? {
                    Ok((value, bytes)) => submit(&ctx, &bridge, name, value, bytes, trace, &watched),
                    Err(message) => {
                        let explain = kept.explain.clone().restore(&ctx)?;
                        let error: Value<'_> = explain.call((trace, 0, message))?;
                        let (promise, _, reject) = ctx.promise()?;
                        reject.call::<_, ()>((error,))?;
                        Ok(promise.into_value())
                    }
                }
            })
        }),
    )
}

/// The argument as JSON and what it takes, or the words for why it is not JSON.
fn read_argument<'js, L: Link>(
    ctx: &Ctx<'js>,
    bridge: &Bridge<L>,
    kept: &Kept,
    argument: Value<'js>,
) -> Result<std::result::Result<(JsonValue, usize), String>> {
    if argument.is_undefined() {
        return Ok(Ok((JsonValue::empty_object(), 0)));
    }
    let language = kept.language(ctx)?;
    let most = bridge.limits.memory / 4;
    match encode::strict(ctx, &language, argument, most, &|| bridge.is_over()) {
        Ok(text) => match JsonValue::parse(&text) {
            Ok(value) => {
                let bytes = weight(value.as_value());
                Ok(Ok((value, bytes)))
            }
            Err(error) => Ok(Err(format!("the arguments are not JSON: {error}"))),
        },
        Err(Refusal::Thrown) => {
            let thrown = ctx.catch();
            if bridge.is_over() {
                return Err(ctx.throw(thrown));
            }
            let failure = fault::of(ctx, &language, thrown, bridge.pressure.is_exhausted.get());
            Ok(Err(format!("reading the arguments threw {}", failure.message)))
        }
        Err(Refusal::Over) => Err(Exception::throw_internal(ctx, "the run has ended")),
        Err(refusal) => Ok(Err(refusal.message("the arguments hold"))),
    }
}

/// Numbers the call, remembers who waits, and hands it to the link.
fn submit<'js, L: Link>(
    ctx: &Ctx<'js>,
    bridge: &Bridge<L>,
    name: String,
    arguments: JsonValue,
    bytes: usize,
    trace: Object<'js>,
    watched: &Function<'js>,
) -> Result<Value<'js>> {
    let limits = &bridge.limits;
    let over = {
        let calls = bridge.calls.borrow();
        limits.refuse_call(calls.made, calls.pending.len(), calls.bytes.saturating_add(bytes))
    };
    if let Some(message) = over {
        bridge.stop(FailureKind::Limit, message);
    }
    if bridge.is_over() {
        return Err(Exception::throw_internal(ctx, "the run has ended"));
    }
    let (promise, resolve, reject) = ctx.promise()?;
    let number = {
        let mut calls = bridge.calls.borrow_mut();
        calls.made += 1;
        let number = calls.made;
        calls.bytes += bytes;
        calls.untouched.insert(number);
        let pending = PendingCall {
            resolve: Persistent::save(ctx, resolve),
            reject: Persistent::save(ctx, reject),
            trace: Persistent::save(ctx, trace),
            bytes,
        };
        calls.pending.insert(number, pending);
        number
    };
    bridge.link.borrow_mut().submit(number, name, arguments);
    watched.call((number as f64, promise))
}

/// `print(...values)`: one line of the log.
fn print_function<'js, L: Link + 'static>(
    ctx: &Ctx<'js>,
    bridge: &Rc<Bridge<L>>,
    shelf: &Rc<Shelf>,
) -> Result<Function<'js>> {
    let (bridge, shelf) = (bridge.clone(), shelf.clone());
    Function::new(
        ctx.clone(),
        general(move |ctx, Rest(values)| {
            contained(&ctx, &bridge, || {
                let language = shelf.kept(&ctx)?.language(&ctx)?;
                let most = bridge.output.borrow().room().saturating_add(1 << 10);
                let mut line = String::new();
                for (index, value) in values.into_iter().enumerate() {
                    if index > 0 {
                        line.push(' ');
                    }
                    match encode::lenient(&ctx, &language, value, &mut line, most, &|| bridge.is_over()) {
                        Ok(()) => {}
                        Err(Refusal::Thrown) => return Err(rquickjs::Error::Exception),
                        Err(Refusal::Over) => {
                            return Err(Exception::throw_internal(&ctx, "the run has ended"));
                        }
                        Err(Refusal::NotJson { what, .. }) => {
                            line.push('[');
                            line.push_str(&what);
                            line.push(']');
                        }
                        Err(Refusal::TooLong { .. }) => line.push('…'),
                    }
                }
                bridge.print(line);
                Ok(Value::new_undefined(ctx.clone()))
            })
        }),
    )
}

/// `timer(callback, milliseconds, arguments)`: gives the number of a new timer.
fn timer_function<'js, L: Link + 'static>(ctx: &Ctx<'js>, bridge: &Rc<Bridge<L>>) -> Result<Function<'js>> {
    let bridge = bridge.clone();
    Function::new(
        ctx.clone(),
        general(move |ctx, Rest(arguments)| {
            contained(&ctx, &bridge, || {
                let mut arguments = arguments.into_iter();
                let (Some(callback), Some(delay), Some(rest)) =
                    (arguments.next(), arguments.next(), arguments.next())
                else {
                    return Err(Exception::throw_internal(&ctx, "the bridge failed"));
                };
                let callback: Function<'_> = callback.get()?;
                let mut timers = bridge.timers.borrow_mut();
                if timers.len() >= MOST_TIMERS {
                    bridge.stop(
                        FailureKind::Limit,
                        format!("the program has more than {MOST_TIMERS} timers that wait"),
                    );
                    return Err(Exception::throw_internal(&ctx, "the run has ended"));
                }
                let timer = Timer {
                    callback: Persistent::save(&ctx, callback),
                    arguments: Persistent::save(&ctx, rest),
                };
                let number = timers.start(delay.as_number().unwrap_or_default(), timer);
                Ok(Value::new_number(ctx.clone(), number as f64))
            })
        }),
    )
}

/// `uncaught(error)`: a callback threw where nobody can catch.
fn uncaught_function<'js, L: Link + 'static>(
    ctx: &Ctx<'js>,
    bridge: &Rc<Bridge<L>>,
    shelf: &Rc<Shelf>,
) -> Result<Function<'js>> {
    let (bridge, shelf) = (bridge.clone(), shelf.clone());
    Function::new(
        ctx.clone(),
        general(move |ctx, Rest(arguments)| {
            contained(&ctx, &bridge, || {
                let language = shelf.kept(&ctx)?.language(&ctx)?;
                let thrown =
                    arguments.into_iter().next().unwrap_or_else(|| Value::new_undefined(ctx.clone()));
                let failure = fault::of(&ctx, &language, thrown, bridge.pressure.is_exhausted.get());
                bridge.uncaught.borrow_mut().get_or_insert(failure);
                Ok(Value::new_undefined(ctx.clone()))
            })
        }),
    )
}
