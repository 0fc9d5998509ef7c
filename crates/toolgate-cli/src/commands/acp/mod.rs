//! `toolgate acp`: the agent of an editor, on standard input and output.
//!
//! Standard output carries the protocol and nothing else. The command ends when the editor closes standard input, or with
//! Ctrl-C or a request to terminate; turns that are under way are stopped and kept first.

mod files;
mod host;
mod models;

use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;

use self::host::EditorHost;
use crate::cli::AcpArgs;
use crate::interrupt::Interrupt;
use crate::sessions::default_folder;
use crate::toolbox;

/// Serves one editor.
pub(super) fn run(args: AcpArgs) -> anyhow::Result<ExitCode> {
    // What belongs to the user is the same in every directory; what belongs to one is read with its session.
    let settings = toolbox::configure(Path::new("."), &args.policy.flags())?.settings;
    let executor = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .context("the system gives no resources to run an agent")?;
    let (models, access) = executor.block_on(models::choices(&args, &settings.model))?;
    let folder = match args.sessions {
        Some(folder) => folder,
        None => default_folder()?,
    };
    let backend = settings.sessions.store.backend(&folder)?;
    let host = EditorHost { models, access, backend, flags: args.policy.flags(), max_steps: args.max_steps };
    let interrupt = Interrupt::listen().context("Ctrl-C could not be taken over")?;
    let stop = interrupt.token();
    let served = executor.block_on(async {
        #[cfg(unix)]
        stop_when_terminated(stop.clone())?;
        let (input, output) = (tokio::io::stdin(), tokio::io::stdout());
        anyhow::Ok(toolgate_acp::serve(host, input, output, stop).await?)
    });
    interrupt.finish();
    // A thread may still wait for standard input, which nobody will read.
    executor.shutdown_background();
    served.map(|()| ExitCode::SUCCESS)
}

/// Stops where the system or the editor asks this process to terminate.
#[cfg(unix)]
fn stop_when_terminated(stop: toolgate::CancellationToken) -> anyhow::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut signals = signal(SignalKind::terminate()).context("SIGTERM could not be taken over")?;
    tokio::spawn(async move {
        if signals.recv().await.is_some() {
            stop.cancel();
        }
    });
    Ok(())
}
