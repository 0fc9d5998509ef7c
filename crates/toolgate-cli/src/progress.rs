//! A sign of life on standard error while a call takes long.
//!
//! Shown only on a terminal and only after a second, and gone without a trace when the call ends.

use std::future::Future;
use std::io::{self, IsTerminal as _};
use std::pin::pin;
use std::time::Duration;

use indicatif::ProgressBar;
use tokio::select;
use tokio::time::timeout;
use toolgate::CancellationToken;

use crate::render::escape::{Line, shortened};

const PATIENCE: Duration = Duration::from_secs(1);
const FRAME: Duration = Duration::from_millis(100);
/// A title that fits on one line of most terminals.
const TITLE_CHARACTERS: usize = 60;

/// Awaits `work`, with a spinner that says `title` where it takes long. Once `stop` has fired, the spinner says how
/// to get out.
pub(crate) async fn watch<T>(work: impl Future<Output = T>, title: &str, stop: &CancellationToken) -> T {
    let mut work = pin!(work);
    if !io::stderr().is_terminal() {
        return work.await;
    }
    if let Ok(done) = timeout(PATIENCE, work.as_mut()).await {
        return done;
    }
    let spinner = ProgressBar::new_spinner();
    spinner.set_message(shortened(&Line(title).to_string(), TITLE_CHARACTERS));
    spinner.enable_steady_tick(FRAME);
    let done = select! {
        done = work.as_mut() => done,
        () = stop.cancelled() => {
            spinner.set_message("stopping; press Ctrl-C again to quit at once");
            work.await
        }
    };
    spinner.finish_and_clear();
    done
}
