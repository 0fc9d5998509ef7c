//! [`Answer`]: a streamed answer, put together piece by piece.
//!
//! Filled by adapters, which need not care whether fragments of several calls interleave; read by the step. Whoever
//! watches hears of every piece as it comes.

use toolgate_session::Usage;

use super::ModelError;
use crate::live::{Delta, Live, LiveSender};

/// How large an answer may grow, over text and arguments: also when every byte needs an escape it fits into one record.
const MOST_BYTES: usize = 8 << 20;

/// How many calls one answer may ask for.
const MOST_CALLS: usize = 1_000;

/// An answer under way.
#[derive(Debug, Default)]
pub struct Answer {
    pub(crate) text: String,
    pub(crate) calls: Vec<AskedCall>,
    pub(crate) stop: Option<String>,
    pub(crate) is_cut_off: bool,
    pub(crate) usage: Option<Usage>,
    bytes: usize,
    live: Option<LiveSender>,
}

/// A call that the model asks for.
#[derive(Debug)]
pub(crate) struct AskedCall {
    /// What ties its fragments together while the answer streams.
    key: u64,
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) arguments: String,
}

impl Answer {
    /// An answer that somebody watches.
    pub(crate) fn watched(live: LiveSender) -> Self {
        Self { live: Some(live), ..Self::default() }
    }

    /// Whether nothing was handed over yet.
    #[must_use]
    pub fn is_untouched(&self) -> bool {
        self.bytes == 0 && self.calls.is_empty() && self.stop.is_none()
    }

    /// Adds text that the model says.
    ///
    /// # Errors
    /// [`ModelError::TooLarge`].
    pub fn text(&mut self, text: &str) -> Result<(), ModelError> {
        self.grow(text.len())?;
        self.text.push_str(text);
        self.tell(|| Delta::Text(text.to_owned()));
        Ok(())
    }

    /// Adds a fragment of a call. Fragments of one call have one `key`; id and name may come with any of them, and each
    /// part is added to what came before.
    ///
    /// # Errors
    /// [`ModelError::TooLarge`].
    pub fn call(&mut self, key: u64, id: &str, name: &str, arguments: &str) -> Result<(), ModelError> {
        self.grow(id.len() + name.len() + arguments.len())?;
        let place = match self.calls.iter().position(|call| call.key == key) {
            Some(place) => place,
            None if self.calls.len() >= MOST_CALLS => {
                return Err(ModelError::Malformed {
                    why: format!("it asks for more than {MOST_CALLS} calls"),
                });
            }
            None => {
                let (id, name, arguments) = (String::new(), String::new(), String::new());
                self.calls.push(AskedCall { key, id, name, arguments });
                self.calls.len() - 1
            }
        };
        let Some(call) = self.calls.get_mut(place) else { return Ok(()) };
        // Some servers repeat the whole id and name with every fragment.
        if call.id != id {
            call.id.push_str(id);
        }
        if call.name != name {
            call.name.push_str(name);
        }
        call.arguments.push_str(arguments);
        let name = call.name.clone();
        self.tell(|| Delta::Call { place, name, arguments: arguments.to_owned() });
        Ok(())
    }

    /// Gives calls the names that they have here, once the names are whole.
    pub(crate) fn rename_calls(&mut self, name: impl Fn(&str) -> String) {
        for call in &mut self.calls {
            call.name = name(&call.name);
        }
    }

    /// Says why the model stopped, in the provider's word, and whether that was the limit of its output.
    pub fn stop(&mut self, word: impl Into<String>, is_cut_off: bool) {
        self.stop = Some(word.into());
        self.is_cut_off = is_cut_off;
    }

    /// Says what the request has cost so far; the last word counts.
    pub fn usage(&mut self, usage: Usage) {
        self.usage = Some(usage);
    }

    fn grow(&mut self, bytes: usize) -> Result<(), ModelError> {
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes > MOST_BYTES { Err(ModelError::TooLarge { limit: MOST_BYTES }) } else { Ok(()) }
    }

    fn tell(&self, delta: impl FnOnce() -> Delta) {
        if let Some(live) = &self.live
            && live.receiver_count() > 0
        {
            // Whoever watched may have gone.
            let _ = live.send(Live::Delta(delta()));
        }
    }
}
