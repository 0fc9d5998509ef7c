//! Places inside a schema, kept as steps until somebody reads them.

use std::fmt::Write;
use std::rc::Rc;

/// A place inside a schema. Cheap to clone; its text is built only when it is asked for.
#[derive(Clone, Default)]
pub(crate) struct Pointer(Option<Rc<Step>>);

struct Step {
    parent: Pointer,
    token: Token,
}

enum Token {
    Key(String),
    Index(usize),
    /// A whole pointer text, already escaped: where a reference leads.
    Text(String),
}

impl Pointer {
    /// The place that a pointer text names.
    pub(crate) fn from_text(text: &str) -> Self {
        Self::default().step(Token::Text(text.to_owned()))
    }

    pub(crate) fn key(&self, name: &str) -> Self {
        self.step(Token::Key(name.to_owned()))
    }

    pub(crate) fn index(&self, index: usize) -> Self {
        self.step(Token::Index(index))
    }

    fn step(&self, token: Token) -> Self {
        Self(Some(Rc::new(Step { parent: self.clone(), token })))
    }

    /// The JSON Pointer (RFC 6901).
    pub(crate) fn text(&self) -> String {
        let mut steps = Vec::new();
        let mut next = self;
        while let Some(step) = &next.0 {
            steps.push(&step.token);
            next = &step.parent;
        }
        let mut text = String::new();
        for token in steps.into_iter().rev() {
            match token {
                Token::Key(name) => {
                    text.push('/');
                    text.push_str(&name.replace('~', "~0").replace('/', "~1"));
                }
                Token::Index(index) => {
                    // Writing into a String cannot fail.
                    let _ = write!(text, "/{index}");
                }
                Token::Text(whole) => text.push_str(whole),
            }
        }
        text
    }
}
