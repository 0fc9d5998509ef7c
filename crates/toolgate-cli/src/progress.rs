//! A sign of life on standard error while a call takes long.
//!
//! Shown only on a terminal and only after a second, and gone without a trace when the call ends.

use std::future::Future;
use std::io::{self, IsTerminal as _};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tokio::select;
use tokio::time::timeout;
use toolgate::CancellationToken;
use toolgate::text::{Line, shortened};

const PATIENCE: Duration = Duration::from_secs(1);
const FRAME: Duration = Duration::from_millis(100);
/// A title that fits on one line of most terminals.
const TITLE_CHARACTERS: usize = 60;

/// A spinner with a title. Until it is needed it is not shown.
#[derive(Debug)]
pub(crate) struct Spinner {
    bar: ProgressBar,
    is_stopping: AtomicBool,
}

impl Spinner {
    /// A spinner that says `title`.
    pub(crate) fn new(title: &str) -> Self {
        let bar = ProgressBar::hidden().with_style(ProgressStyle::default_spinner());
        let spinner = Self { bar, is_stopping: AtomicBool::new(false) };
        spinner.say(title);
        spinner
    }

    /// Changes the title.
    pub(crate) fn say(&self, title: &str) {
        if !self.is_stopping.load(Ordering::Relaxed) {
            self.bar.set_message(shortened(&Line(title).to_string(), TITLE_CHARACTERS));
        }
    }

    /// Does something that writes whole lines to standard error, out of the spinner's way.
    pub(crate) fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        self.bar.suspend(write)
    }

    fn show(&self) {
        self.bar.set_draw_target(ProgressDrawTarget::stderr());
        self.bar.enable_steady_tick(FRAME);
    }

    fn say_stopping(&self) {
        self.is_stopping.store(true, Ordering::Relaxed);
        self.bar.set_message("stopping; press Ctrl-C again to quit at once");
    }
}

/// Awaits `work`, with the spinner where it takes long. Once `stop` has fired, the spinner says how to get out.
pub(crate) async fn watch<T>(
    work: impl Future<Output = T>,
    spinner: &Spinner,
    stop: &CancellationToken,
) -> T {
    let mut work = pin!(work);
    if !io::stderr().is_terminal() {
        return work.await;
    }
    if let Ok(done) = timeout(PATIENCE, work.as_mut()).await {
        return done;
    }
    spinner.show();
    let done = select! {
        done = work.as_mut() => done,
        () = stop.cancelled() => {
            spinner.say_stopping();
            work.await
        }
    };
    spinner.bar.finish_and_clear();
    done
}
