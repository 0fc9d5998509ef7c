//! Both ends that the official conformance suite tests: `server` is a gateway with the tools that it calls, and `client URL`
//! uses the server that it has started. Run by the tests of `conformance.rs`, and by hand as `docs/mcp.md` says.

mod client;
mod server;

use std::error::Error;
use std::process::ExitCode;

#[tokio::main]
async fn main() -> Result<ExitCode, Box<dyn Error>> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["server"] => server::serve().await.map(|()| ExitCode::SUCCESS),
        ["client", url] => client::run(url).await,
        _ => Ok(ExitCode::from(64)),
    }
}
