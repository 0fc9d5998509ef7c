//! Ctrl-C: the first one cancels the call through the pipeline, the second one ends the process.
//!
//! A thread of its own listens, so that the second Ctrl-C is heard whatever the rest of the process is doing. Once
//! the call has its result, [`Interrupt::finish`] lets a single Ctrl-C end the process, so that long output can be
//! stopped.

use std::io;
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread;

use tokio::runtime::Runtime;
use toolgate::CancellationToken;

use crate::fault::INTERRUPTED;

/// A call is under way and nobody has asked it to stop.
const RUNNING: u8 = 0;
/// The call has been asked to stop.
const STOPPING: u8 = 1;
/// There is nothing left to cancel.
const FINISHED: u8 = 2;

/// The wish to stop, as it comes from the terminal.
pub(crate) struct Interrupt {
    token: CancellationToken,
    state: Arc<AtomicU8>,
}

impl Interrupt {
    /// Takes Ctrl-C over. From the return of this function on, one is never lost and never ends the process unasked.
    ///
    /// # Errors
    /// The system gives no thread or no signal handler.
    pub(crate) fn listen() -> io::Result<Self> {
        let token = CancellationToken::new();
        let state = Arc::new(AtomicU8::new(RUNNING));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
        let signals = {
            let _entered = runtime.enter();
            Signals::install()?
        };
        let heard = Heard { token: token.clone(), state: Arc::clone(&state) };
        thread::Builder::new().name("interrupt".to_owned()).spawn(move || heard.act_on(&runtime, signals))?;
        Ok(Self { token, state })
    }

    /// The cancellation of the call.
    pub(crate) fn token(&self) -> CancellationToken {
        self.token.clone()
    }

    /// Says that the call has its result. Gives whether it was asked to stop.
    pub(crate) fn finish(&self) -> bool {
        self.state.swap(FINISHED, Ordering::AcqRel) == STOPPING
    }
}

/// What the listening thread knows.
struct Heard {
    token: CancellationToken,
    state: Arc<AtomicU8>,
}

impl Heard {
    fn act_on(self, runtime: &Runtime, mut signals: Signals) {
        while runtime.block_on(signals.next()) {
            match self.state.compare_exchange(RUNNING, STOPPING, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => self.token.cancel(),
                Err(_) => process::exit(i32::from(INTERRUPTED)),
            }
        }
    }
}

/// The stream of interrupts of this platform.
struct Signals {
    #[cfg(unix)]
    stream: tokio::signal::unix::Signal,
    #[cfg(windows)]
    stream: tokio::signal::windows::CtrlC,
}

impl Signals {
    fn install() -> io::Result<Self> {
        #[cfg(unix)]
        let stream = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::interrupt())?;
        #[cfg(windows)]
        let stream = tokio::signal::windows::ctrl_c()?;
        Ok(Self { stream })
    }

    /// Waits for the next one; false once there can be none.
    async fn next(&mut self) -> bool {
        self.stream.recv().await.is_some()
    }
}
