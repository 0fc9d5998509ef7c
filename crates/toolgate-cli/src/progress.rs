//! A sign of life on standard error while a call takes long.
//!
//! Shown only on a terminal and only after a second, and gone without a trace when the call ends or a person is asked.

use std::fmt;
use std::future::Future;
use std::io::{self, IsTerminal as _};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
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
pub(crate) struct Spinner {
    bar: ProgressBar,
    is_stopping: AtomicBool,
    screen: Mutex<Screen>,
}

/// What the spinner has to do with the screen.
#[derive(Default)]
struct Screen {
    is_wanted: bool,
    pauses: usize,
    /// What others wrote meanwhile.
    held: Vec<Box<dyn FnOnce() + Send>>,
}

impl Spinner {
    /// A spinner that says `title`.
    pub(crate) fn new(title: &str) -> Self {
        let bar = ProgressBar::hidden().with_style(ProgressStyle::default_spinner());
        let spinner = Self { bar, is_stopping: AtomicBool::new(false), screen: Mutex::default() };
        spinner.say(title);
        spinner
    }

    /// Changes the title.
    pub(crate) fn say(&self, title: &str) {
        if !self.is_stopping.load(Ordering::Relaxed) {
            self.bar.set_message(shortened(&Line(title).to_string(), TITLE_CHARACTERS));
        }
    }

    /// Does something that writes whole lines to standard error, out of the spinner's way; once the pause is over, where
    /// there is one.
    pub(crate) fn aside(&self, write: impl FnOnce() + Send + 'static) {
        let mut screen = self.screen();
        if screen.pauses > 0 {
            screen.held.push(Box::new(write));
        } else {
            self.bar.suspend(write);
        }
    }

    /// Leaves the screen to somebody else, until the pause is dropped.
    pub(crate) fn pause(&self) -> Pause<'_> {
        let mut screen = self.screen();
        screen.pauses += 1;
        self.bar.disable_steady_tick();
        // Takes away what is drawn; drawing again is for `draw`.
        self.bar.finish_and_clear();
        self.bar.set_draw_target(ProgressDrawTarget::hidden());
        Pause(self)
    }

    fn screen(&self) -> MutexGuard<'_, Screen> {
        self.screen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn want(&self, is_wanted: bool) {
        let mut screen = self.screen();
        screen.is_wanted = is_wanted;
        self.draw(&screen);
    }

    fn draw(&self, screen: &Screen) {
        if screen.is_wanted && screen.pauses == 0 {
            self.bar.reset();
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
            self.bar.enable_steady_tick(FRAME);
        }
    }

    fn say_stopping(&self) {
        self.is_stopping.store(true, Ordering::Relaxed);
        self.bar.set_message("stopping; press Ctrl-C again to quit at once");
    }
}

impl fmt::Debug for Spinner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Spinner").finish_non_exhaustive()
    }
}

/// A time in which the screen is somebody else's.
#[derive(Debug)]
pub(crate) struct Pause<'a>(&'a Spinner);

impl Drop for Pause<'_> {
    fn drop(&mut self) {
        let mut screen = self.0.screen();
        screen.pauses = screen.pauses.saturating_sub(1);
        if screen.pauses == 0 {
            for write in std::mem::take(&mut screen.held) {
                write();
            }
            self.0.draw(&screen);
        }
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
    spinner.want(true);
    let done = select! {
        done = work.as_mut() => done,
        () = stop.cancelled() => {
            spinner.say_stopping();
            work.await
        }
    };
    spinner.want(false);
    spinner.bar.finish_and_clear();
    done
}
