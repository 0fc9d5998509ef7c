//! From the program into JSON text: strictly for arguments and results, leniently for what is printed.
//!
//! The walk keeps its own stack, stops at a depth and at a size, and runs program code only where the program's own
//! getters do. Members that are undefined are left out, items that are undefined are null, as in `JSON.stringify`;
//! whatever else is not JSON is refused with its path.

use std::fmt::Write;

use rquickjs::object::{Filter, ObjectKeysIter};
use rquickjs::{Array, Atom, Coerced, Ctx, Error, FromJs, Function, Object, String as JsString, Value};

use crate::json_text::{MOST_LEVELS, Refusal, Step, path_of, quote};

/// Below this every integer is a double of its own and is written with its digits. Beyond it the exponent keeps a
/// number a number: digits would come back as a BigInt.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Steps between two looks at the limits of the run.
const STEPS: u32 = 4_096;

/// What the walk needs from the world of the program.
#[derive(Clone)]
pub(super) struct Language<'js> {
    /// The prototype of plain objects.
    pub(super) plain: Object<'js>,
    pub(super) label: Function<'js>,
    pub(super) show: Function<'js>,
    pub(super) fits: Function<'js>,
    pub(super) well_formed: Function<'js>,
}

impl From<Error> for Refusal {
    fn from(_: Error) -> Self {
        Self::Thrown
    }
}

/// The value as JSON text of at most so many bytes.
pub(super) fn strict<'js>(
    ctx: &Ctx<'js>,
    language: &Language<'js>,
    value: Value<'js>,
    most: usize,
    over: &dyn Fn() -> bool,
) -> Result<String, Refusal> {
    let mut walk =
        Walk { ctx, language, lenient: false, most, over, steps: 0, text: String::new(), open: Vec::new() };
    walk.run(value)?;
    Ok(walk.text)
}

/// Appends the value as it is printed: a text as it is, anything else like JSON.
pub(super) fn lenient<'js>(
    ctx: &Ctx<'js>,
    language: &Language<'js>,
    value: Value<'js>,
    text: &mut String,
    most: usize,
    over: &dyn Fn() -> bool,
) -> Result<(), Refusal> {
    if let Some(string) = value.as_string() {
        text.push_str(&well_formed(language, string)?);
        return Ok(());
    }
    let mut walk = Walk {
        ctx,
        language,
        lenient: true,
        most,
        over,
        steps: 0,
        text: std::mem::take(text),
        open: Vec::new(),
    };
    let done = walk.run(value);
    *text = walk.text;
    match done {
        Ok(()) => Ok(()),
        Err(Refusal::TooLong { .. }) => {
            text.push('…');
            Ok(())
        }
        Err(refusal) => Err(refusal),
    }
}

/// The text, with lone surrogates replaced.
pub(super) fn well_formed<'js>(language: &Language<'js>, text: &JsString<'js>) -> Result<String, Error> {
    match text.to_string() {
        Err(Error::Utf8(_)) => language.well_formed.call::<_, JsString<'js>>((text.clone(),))?.to_string(),
        done => done,
    }
}

enum Open<'js> {
    List { list: Array<'js>, next: usize, length: usize },
    Object { object: Object<'js>, keys: ObjectKeysIter<'js, Atom<'js>>, key: String, empty: bool },
}

impl<'js> Open<'js> {
    fn is(&self, other: &Value<'js>) -> bool {
        match self {
            Self::List { list, .. } => list.as_value() == other,
            Self::Object { object, .. } => object.as_value() == other,
        }
    }
}

struct Walk<'a, 'js> {
    ctx: &'a Ctx<'js>,
    language: &'a Language<'js>,
    lenient: bool,
    most: usize,
    over: &'a dyn Fn() -> bool,
    steps: u32,
    text: String,
    open: Vec<Open<'js>>,
}

/// What comes next in the innermost container.
enum Next<'js> {
    Close(char),
    Item(Value<'js>),
    Nothing,
}

impl<'js> Walk<'_, 'js> {
    fn run(&mut self, root: Value<'js>) -> Result<(), Refusal> {
        self.value(root)?;
        loop {
            self.steps = self.steps.wrapping_add(1);
            if self.steps.is_multiple_of(STEPS) && (self.over)() {
                return Err(Refusal::Over);
            }
            if self.text.len() > self.most {
                return Err(Refusal::TooLong { path: self.path() });
            }
            let Some(top) = self.open.last_mut() else { return Ok(()) };
            match step(top, &mut self.text, self.lenient) {
                Ok(Next::Item(item)) => self.value(item)?,
                Ok(Next::Nothing) => {}
                Ok(Next::Close(bracket)) => {
                    self.text.push(bracket);
                    self.open.pop();
                }
                Err(Error::Utf8(_)) => return Err(self.refuse("a key with half of a surrogate pair")),
                Err(_) => return Err(Refusal::Thrown),
            }
        }
    }

    fn refuse(&self, what: impl Into<String>) -> Refusal {
        Refusal::NotJson { what: what.into(), path: self.path() }
    }

    /// Writes a value, or says how it is printed, or refuses it.
    fn odd(&mut self, shown: &str, what: &str) -> Result<(), Refusal> {
        if self.lenient {
            self.text.push_str(shown);
            return Ok(());
        }
        Err(self.refuse(what))
    }

    fn value(&mut self, value: Value<'js>) -> Result<(), Refusal> {
        if value.is_undefined() {
            self.text.push_str(if self.lenient && self.open.is_empty() { "undefined" } else { "null" });
        } else if value.is_null() {
            self.text.push_str("null");
        } else if let Some(value) = value.as_bool() {
            self.text.push_str(if value { "true" } else { "false" });
        } else if let Some(number) = value.as_number() {
            return self.number(number);
        } else if let Some(string) = value.as_string() {
            return self.string(string);
        } else if value.is_big_int() {
            return self.integer(value);
        } else if value.is_proxy() {
            return self.odd("[Proxy]", "a Proxy");
        } else if let Some(list) = value.as_array() {
            if !self.enters(&value)? {
                return Ok(());
            }
            self.text.push('[');
            // Not `Array::len`, which takes every length for a small one.
            let length: f64 = list.as_object().get("length")?;
            self.open.push(Open::List { list: list.clone(), next: 0, length: length as usize });
        } else if let Some(object) = value.as_object().filter(|_| !value.is_function()) {
            return self.object(object.clone(), value);
        } else {
            return self.exotic(value);
        }
        Ok(())
    }

    /// Whether to go into a container: not into cycles and what is too deep.
    fn enters(&mut self, value: &Value<'js>) -> Result<bool, Refusal> {
        if self.open.len() >= MOST_LEVELS {
            self.odd("[…]", &format!("more than {MOST_LEVELS} levels"))?;
        } else if self.open.iter().any(|open| open.is(value)) {
            self.odd("[cycle]", "a cycle")?;
        } else {
            return Ok(true);
        }
        Ok(false)
    }

    fn object(&mut self, object: Object<'js>, value: Value<'js>) -> Result<(), Refusal> {
        let plain = match object.get_prototype() {
            None => true,
            Some(prototype) => prototype == self.language.plain,
        };
        if !plain && !self.lenient {
            return self.exotic(value);
        }
        if !plain && self.exotic(value.clone()).is_ok() {
            return Ok(());
        }
        if !self.enters(&value)? {
            return Ok(());
        }
        self.text.push('{');
        let keys = object.own_keys::<Atom<'js>>(Filter::new().string().enum_only());
        self.open.push(Open::Object { object, keys, key: String::new(), empty: true });
        Ok(())
    }

    /// What the language has and JSON lacks.
    fn exotic(&mut self, value: Value<'js>) -> Result<(), Refusal> {
        if !self.lenient {
            let what: String = self.language.label.call((value,))?;
            return Err(self.refuse(what));
        }
        let shown: Value<'js> = self.language.show.call((value,))?;
        match shown.as_string() {
            Some(shown) => {
                let shown = well_formed(self.language, shown)?;
                self.text.push_str(&shown);
                Ok(())
            }
            None => Err(self.refuse("an object")),
        }
    }

    fn number(&mut self, number: f64) -> Result<(), Refusal> {
        if number.is_nan() {
            return self.odd("NaN", "NaN");
        }
        if number.is_infinite() {
            let shown = if number > 0.0 { "Infinity" } else { "-Infinity" };
            return self.odd(shown, shown);
        }
        if number == 0.0 && number.is_sign_negative() {
            return self.odd("-0", "negative zero");
        }
        let magnitude = number.abs();
        // Writing into a String cannot fail.
        let _ = if (1e-6..EXACT).contains(&magnitude) || number == 0.0 {
            write!(self.text, "{number}")
        } else {
            write!(self.text, "{number:e}")
        };
        Ok(())
    }

    fn integer(&mut self, value: Value<'js>) -> Result<(), Refusal> {
        let fits: bool = self.language.fits.call((value.clone(),))?;
        if !fits {
            return self.odd("[BigInt beyond 64 bits]", "a BigInt beyond 64 bits");
        }
        let Coerced(digits) = Coerced::<String>::from_js(self.ctx, value)?;
        self.text.push_str(&digits);
        Ok(())
    }

    fn string(&mut self, string: &JsString<'js>) -> Result<(), Refusal> {
        let text = match string.to_string() {
            Ok(text) => text,
            Err(Error::Utf8(_)) if self.lenient => well_formed(self.language, string)?,
            Err(Error::Utf8(_)) => return Err(self.refuse("text with half of a surrogate pair")),
            Err(_) => return Err(Refusal::Thrown),
        };
        if text.len() > self.most {
            return Err(Refusal::TooLong { path: self.path() });
        }
        quote(&text, &mut self.text);
        Ok(())
    }

    /// Where the walk is, as `items[3].name`; bounded.
    fn path(&self) -> String {
        path_of(self.open.iter().map(|open| match open {
            Open::List { next, .. } => Step::Index(next.saturating_sub(1)),
            Open::Object { key, .. } => Step::Key(key),
        }))
    }
}

/// The next item of a container, after its separator and key are written.
fn step<'js>(top: &mut Open<'js>, text: &mut String, lenient: bool) -> Result<Next<'js>, Error> {
    match top {
        Open::List { list, next, length } => {
            if next >= length {
                return Ok(Next::Close(']'));
            }
            if *next > 0 {
                text.push(',');
            }
            *next += 1;
            Ok(Next::Item(list.get(*next - 1)?))
        }
        Open::Object { object, keys, key, empty } => {
            let Some(atom) = keys.next() else { return Ok(Next::Close('}')) };
            let atom = atom?;
            // Not `Atom::to_string`, which takes half of a surrogate pair for UTF-8.
            *key = match atom.to_js_string()?.to_string() {
                Err(Error::Utf8(_)) if lenient => "\u{fffd}".to_owned(),
                done => done?,
            };
            let value: Value<'js> = object.get(atom)?;
            if value.is_undefined() {
                return Ok(Next::Nothing);
            }
            if !std::mem::take(empty) {
                text.push(',');
            }
            quote(key, text);
            text.push(':');
            Ok(Next::Item(value))
        }
    }
}
