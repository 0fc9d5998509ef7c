//! [`Stop`]: the wish to end, as it comes from a terminal or from whoever started the process.

use std::io;
use std::process;

use crate::fault::INTERRUPTED;

/// The signals that end a server.
pub(super) struct Stop {
    #[cfg(unix)]
    signals: [tokio::signal::unix::Signal; 3],
    #[cfg(windows)]
    signals: tokio::signal::windows::CtrlC,
}

impl Stop {
    /// Takes the signals over; none is lost from here on, and none ends the process by itself.
    ///
    /// # Errors
    /// The system gives no signal handler.
    #[cfg(unix)]
    pub(super) fn listen() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
        let [interrupt, terminate, hangup] = kinds.map(signal);
        Ok(Self { signals: [interrupt?, terminate?, hangup?] })
    }

    /// Takes Ctrl-C over.
    ///
    /// # Errors
    /// The system gives no handler.
    #[cfg(windows)]
    pub(super) fn listen() -> io::Result<Self> {
        Ok(Self { signals: tokio::signal::windows::ctrl_c()? })
    }

    /// Waits for the next signal.
    #[cfg(unix)]
    pub(super) async fn asked(&mut self) {
        let [interrupt, terminate, hangup] = &mut self.signals;
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
        }
    }

    /// Waits for the next Ctrl-C.
    #[cfg(windows)]
    pub(super) async fn asked(&mut self) {
        self.signals.recv().await;
    }

    /// Lets one more signal end the process at once. What it had started dies with it.
    pub(super) fn end_at_the_next(mut self) {
        tokio::spawn(async move {
            self.asked().await;
            process::exit(i32::from(INTERRUPTED));
        });
    }
}
