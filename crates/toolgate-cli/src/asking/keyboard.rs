//! Lines from the terminal. A thread of its own reads, so that nothing waits for a person who walked away.
//!
//! Used by the terminal answerer, for one question at a time. A line is read only when one is wanted, and what was typed
//! before a question was shown is thrown away: it cannot be an answer to it.

use std::io::{self, BufRead as _, Read as _};
use std::sync::{OnceLock, mpsc};
use std::thread;

use tokio::sync::Mutex;
use tokio::sync::mpsc::{Receiver, channel};

/// The longest line that is taken for an answer, in bytes. The rest of a longer one is another line.
const LONGEST: u64 = 64 * 1024;

/// The keyboard. There is one, whoever asks.
pub(super) struct Keyboard(Mutex<Reader>);

struct Reader {
    wanted: mpsc::Sender<()>,
    lines: Receiver<String>,
    /// Whether a line is wanted that has not come; one that an earlier question waited for serves the next.
    is_reading: bool,
}

impl Keyboard {
    /// The keyboard, whose thread is begun where there is none.
    ///
    /// # Errors
    /// The system gives no thread.
    pub(super) fn get() -> io::Result<&'static Self> {
        static KEYBOARD: OnceLock<Keyboard> = OnceLock::new();
        if let Some(keyboard) = KEYBOARD.get() {
            return Ok(keyboard);
        }
        let (wanted, asked) = mpsc::channel();
        let (sender, lines) = channel(1);
        thread::Builder::new().name("keyboard".to_owned()).spawn(move || {
            let mut stdin = io::stdin().lock();
            while asked.recv().is_ok() {
                let mut line = Vec::new();
                let read = stdin.by_ref().take(LONGEST).read_until(b'\n', &mut line);
                let line = String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']).to_owned();
                // At the end of the input, and where it fails, the channel closes.
                if !matches!(read, Ok(1..)) || sender.blocking_send(line).is_err() {
                    return;
                }
            }
        })?;
        let reader = Reader { wanted, lines, is_reading: false };
        Ok(KEYBOARD.get_or_init(|| Self(Mutex::new(reader))))
    }

    /// Throws away what was typed so far.
    pub(super) async fn forget(&self) {
        let mut reader = self.0.lock().await;
        forget_typed();
        if reader.lines.try_recv().is_ok() {
            reader.is_reading = false;
        }
    }

    /// The next line; none at the end of the input.
    pub(super) async fn line(&self) -> Option<String> {
        let mut reader = self.0.lock().await;
        if !reader.is_reading {
            reader.wanted.send(()).ok()?;
            reader.is_reading = true;
        }
        let line = reader.lines.recv().await;
        reader.is_reading = false;
        line
    }
}

#[cfg(unix)]
fn forget_typed() {
    // Where this fails there is no terminal, and nobody is asked.
    let _ = rustix::termios::tcflush(rustix::stdio::stdin(), rustix::termios::QueueSelector::IFlush);
}

#[cfg(not(unix))]
fn forget_typed() {}
