//! `toolgate mcp --http`: the address, the tokens, and what a person is told of them, once.

use std::io::Write as _;
use std::net::SocketAddr;

use anyhow::Context as _;
use tokio::net::TcpListener;
use toolgate::text::Line;
use toolgate_kit::KeySource;
use toolgate_mcp::gateway::{Access, Credential, Gateway, HttpOptions, Secret};

use crate::cli::McpServeArgs;
use crate::config::Settings;
use crate::fault::UsageError;
use crate::output::Page;
use crate::servers::warn;

/// Serves until the gateway shuts down.
///
/// # Errors
/// The address cannot be used, or a token cannot be had.
pub(super) async fn serve(
    address: &str,
    args: &McpServeArgs,
    settings: &Settings,
    gateway: &Gateway,
) -> anyhow::Result<()> {
    let listener = TcpListener::bind(address).await.map_err(|error| {
        UsageError::new(format!("nobody can be served at `{address}`: {error}"))
            .with_hint("give an address of this machine and a port that is free, such as 127.0.0.1:8931, or port 0 for any")
    })?;
    let local = listener.local_addr().context("the address is not known")?;
    if !local.ip().is_loopback() {
        if args.no_token {
            return Err(UsageError::new(format!(
                "without a token, everybody who reaches {local} could call the tools"
            ))
            .with_hint("leave out --no-token, or serve at 127.0.0.1")
            .into());
        }
        warn(
            &format!(
                "{local} can be reached from other machines, and nothing that is sent there is encrypted"
            ),
            "serve at 127.0.0.1, behind something that speaks TLS, and name its host with --allow-host",
        );
    }
    let (access, new) = access(args, settings).await?;
    let mut options = HttpOptions::new(access);
    if !local.ip().is_loopback() && !local.ip().is_unspecified() {
        options = options.allow_host(host_of(local));
    }
    let serve = &settings.mcp.serve;
    options = serve.hosts.iter().chain(&args.allow_host).fold(options, HttpOptions::allow_host);
    options = serve.origins.iter().chain(&args.allow_origin).fold(options, HttpOptions::allow_origin);
    announce(local, new.as_ref());
    gateway.serve_http(listener, options).await.context("clients could not be served")
}

/// Who may come, and the token that was made for them.
async fn access(args: &McpServeArgs, settings: &Settings) -> anyhow::Result<(Access, Option<Secret>)> {
    if args.no_token {
        warn(
            "without a token, every program of this machine can call the tools",
            "leave out --no-token, and give the token to those who may",
        );
        return Ok((Access::Everybody, None));
    }
    let mut credentials = Vec::new();
    // Where two tokens are the same, the one that opens less counts.
    for (name, profile) in &settings.mcp.profiles {
        let is_served = args.profile.as_ref().is_none_or(|asked| asked == name);
        if let Some(source) = profile.token.as_ref().filter(|_| is_served) {
            let secret = secret(source, &format!("mcp.profiles.{name}.token")).await?;
            credentials.push(Credential::new(name, secret).for_profile(name));
        }
    }
    let new = match &settings.mcp.serve.token {
        Some(source) => {
            credentials.push(Credential::new("token", secret(source, "mcp.serve.token").await?));
            None
        }
        None => {
            let secret = Secret::generate().context("the system gives no randomness for a token")?;
            credentials.push(Credential::new("token", secret.clone()));
            Some(secret)
        }
    };
    Ok((Access::Credentials(credentials), new))
}

async fn secret(source: &KeySource, key: &str) -> Result<Secret, UsageError> {
    let fetched = source.fetch().await;
    let fetched = fetched.map_err(|error| {
        UsageError::new(format!("there is no token: {error}"))
            .with_hint(format!("{}, or change `{key}` in toolgate.toml", source.remedy()))
    })?;
    Ok(Secret::new(fetched.reveal()))
}

/// The address as it stands in a URL.
fn host_of(local: SocketAddr) -> String {
    match local {
        SocketAddr::V4(local) => local.ip().to_string(),
        SocketAddr::V6(local) => format!("[{}]", local.ip()),
    }
}

/// Says where it serves, and shows a new token the only time.
fn announce(local: SocketAddr, new: Option<&Secret>) {
    let mut page = Page::stderr();
    let title = page.styles().title;
    let shown =
        new.map_or(Ok(()), |secret| writeln!(page, "{title}token{title:#}   {}", Line(secret.reveal())));
    let written = shown.and_then(|()| {
        writeln!(page, "{title}serving{title:#} http://{}:{}/mcp", host_of(local), local.port())
    });
    // Where standard error is gone, nobody learns the token, and nobody comes in.
    let _ = written.and_then(|()| page.flush());
}
