//! [`Server`]: one server from its settings to its end: connects, asks for its tools, asks again when they change, and
//! connects again when the connection ends.
//!
//! One task for each server runs [`Server::run`]. What a server does, or does not, is never in the way of another one.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::service::Subscription;
use tokio::sync::{Semaphore, SemaphorePermit, watch};
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;
use toolgate::{RunContext, ToolError, ToolGroup};

use super::connection::{ConnectError, Connection, Running};
use super::discovery::{Discovery, DiscoveryError, discover};
use super::generation::adopt;
use super::host::Host;
use super::offer::Unusable;
use super::retry::Retry;
use super::status::{ServerState, ServerStatus};
use crate::config::{Handshake, ServerConfig};
use crate::transport::is_login_required;

/// How long notices of changed tools are gathered before the tools are asked for again.
const SETTLING: Duration = Duration::from_millis(100);
/// How long at most, for a server that gives notice all the time; and after how long without one it is believed again.
const LONGEST_SETTLING: Duration = Duration::from_secs(5);
/// How often a subscription to changes is made again on one connection.
const MOST_RENEWALS: u32 = 20;
/// How long closing a connection may take.
const CLOSING: Duration = Duration::from_secs(10);

/// One server. Shared by its task, its tools and the façade.
pub(crate) struct Server {
    config: ServerConfig,
    host: Arc<Host>,
    link: watch::Sender<Link>,
    status: watch::Sender<ServerStatus>,
    /// What the server offered last, to be judged again when somebody approves something.
    offered: Mutex<Option<Arc<Discovery>>>,
    turns: Semaphore,
}

/// What calls find when they want to go out.
#[derive(Clone)]
enum Link {
    /// It may be there soon.
    Connecting,
    Up(Arc<Connection>),
    Down(Arc<str>),
    Closed,
}

impl Server {
    pub(crate) fn new(config: ServerConfig, host: Arc<Host>) -> Arc<Self> {
        let state = if config.enabled { ServerState::Connecting } else { ServerState::Disabled };
        Arc::new(Self {
            link: watch::Sender::new(Link::Connecting),
            status: watch::Sender::new(ServerStatus::new(config.name.clone(), state)),
            offered: Mutex::default(),
            turns: Semaphore::new(config.concurrency),
            config,
            host,
        })
    }

    pub(crate) fn config(&self) -> &ServerConfig {
        &self.config
    }

    pub(crate) fn host(&self) -> &Host {
        &self.host
    }

    pub(crate) fn status(&self) -> watch::Receiver<ServerStatus> {
        self.status.subscribe()
    }

    /// A connection, and a turn among the calls of this server. Waits for both as long as the caller does.
    pub(crate) async fn connection(
        &self,
        cx: &RunContext,
    ) -> Result<(Arc<Connection>, SemaphorePermit<'_>), ToolError> {
        tokio::select! {
            biased;
            () = cx.cancellation().cancelled() => Err(ToolError::aborted()),
            connection = self.next_turn() => connection,
        }
    }

    async fn next_turn(&self) -> Result<(Arc<Connection>, SemaphorePermit<'_>), ToolError> {
        let name = &self.config.name;
        let turn = self.turns.acquire().await?;
        let mut link = self.link.subscribe();
        loop {
            match link.borrow_and_update().clone() {
                Link::Up(connection) if connection.is_useful() => return Ok((connection, turn)),
                Link::Up(_) | Link::Connecting => {}
                Link::Down(reason) => {
                    return Err(ToolError::new(format!(
                        "the server {name} cannot be reached: {reason}\nhint: it is tried again from time to time; `toolgate mcp doctor` shows its state"
                    )));
                }
                Link::Closed => return Err(ToolError::new(format!("the server {name} has been closed"))),
            }
            link.changed().await?;
        }
    }

    /// Works for the server until it is stopped.
    pub(crate) async fn run(self: Arc<Self>, group: ToolGroup, stop: CancellationToken) {
        let mut handshake = self.config.handshake;
        let mut retry = Retry::default();
        while !stop.is_cancelled() {
            self.link.send_replace(Link::Connecting);
            self.status.send_modify(|status| status.state = ServerState::Connecting);
            let begun = Instant::now();
            let connected = tokio::select! {
                biased;
                () = stop.cancelled() => break,
                connected = self.connect(&mut handshake) => connected,
            };
            let reason = match connected {
                Ok((connection, running)) => {
                    let reason =
                        self.serve(Arc::new(connection), running, begun, &group, &stop, &mut retry).await;
                    if stop.is_cancelled() {
                        break;
                    }
                    reason
                }
                Err(reason) => reason,
            };
            let pause = retry.pause();
            if pause.is_zero() {
                continue;
            }
            self.link.send_replace(Link::Down(Arc::from(reason.as_str())));
            self.status.send_modify(|status| status.state = ServerState::Down { reason, retry_in: pause });
            tokio::select! {
                () = stop.cancelled() => break,
                () = sleep(pause) => {}
            }
        }
        self.link.send_replace(Link::Closed);
        self.status.send_modify(|status| status.state = ServerState::Closed);
    }

    /// Opens a connection. A server that cannot be asked in the newer way is asked once more, in the older one, and from
    /// then on only so (K47).
    async fn connect(&self, handshake: &mut Handshake) -> Result<(Connection, Running), String> {
        let patience = self.config.timeouts.start;
        let opened = timeout(patience, async {
            match Connection::open(&self.config, &self.host, *handshake).await {
                Err(ConnectError { may_be_older: true, .. }) => {
                    Connection::open(&self.config, &self.host, Handshake::Initialize).await
                }
                opened => opened,
            }
        });
        let (connection, running) = match opened.await {
            Ok(opened) => opened.map_err(|error| error.reason)?,
            Err(_) => return Err(format!("it was not ready within {} ms", patience.as_millis())),
        };
        if *handshake == Handshake::Auto && !connection.is_newer() {
            *handshake = Handshake::Initialize;
        }
        Ok((connection, running))
    }

    /// Uses a connection until it ends, and closes it. Gives the reason of its end.
    async fn serve(
        self: &Arc<Self>,
        connection: Arc<Connection>,
        running: Running,
        begun: Instant,
        group: &ToolGroup,
        stop: &CancellationToken,
        retry: &mut Retry,
    ) -> String {
        let closing = running.cancellation_token();
        let mut ended = std::pin::pin!(running.waiting());
        let mut is_over = false;
        let reason = tokio::select! {
            biased;
            () = stop.cancelled() => "it was closed".to_owned(),
            _ = &mut ended => {
                is_over = true;
                self.end_of(&connection)
            }
            () = connection.useless.cancelled() => self.end_of(&connection),
            reason = self.work(&connection, begun, group, retry) => reason,
        };
        // Calls that come now wait for the next connection.
        self.link.send_replace(Link::Connecting);
        connection.useless.cancel();
        closing.cancel();
        if !is_over && timeout(CLOSING, ended).await.is_err() {
            tracing::warn!(target: "toolgate", server = %self.config.name, "a connection did not close in time");
        }
        reason
    }

    fn end_of(&self, connection: &Connection) -> String {
        connection.diagnostics.problem().unwrap_or_else(|| "the connection ended".to_owned())
    }

    /// Asks for the tools, lets calls through, and asks again whenever the server says that they have changed, or a person
    /// approves something. Returns only where there is no first list.
    async fn work(
        self: &Arc<Self>,
        connection: &Arc<Connection>,
        begun: Instant,
        group: &ToolGroup,
        retry: &mut Retry,
    ) -> String {
        let mut approvals = self.host.pins.as_ref().map(crate::pin::Pins::approvals);
        let (mut subscription, problem) = match connection.subscribe().await {
            Ok(subscription) => (subscription, None),
            Err(problem) => (None, Some(format!("changes of its tools are not noticed: {problem}"))),
        };
        match self.discover(connection).await {
            Ok(discovery) => self.put_in_place(discovery, group),
            Err(reason) => return reason,
        }
        retry.is_up();
        let identity = connection.identity();
        self.status.send_modify(|status| {
            status.state = ServerState::Ready;
            status.identity = Some(identity);
            status.latency = Some(begun.elapsed());
            status.connections += 1;
            status.warnings.extend(problem);
        });
        self.link.send_replace(Link::Up(Arc::clone(connection)));
        // A server that ends every subscription at once is not asked for ever.
        let mut renewals = MOST_RENEWALS;
        let mut settling = SETTLING;
        let mut asked = Instant::now();
        let mut is_known = true;
        loop {
            tokio::select! {
                () = connection.client.tools_changed() => {}
                () = noticed(&mut subscription) => {}
                () = approved(&mut approvals) => {
                    let offered = self.offered.lock().unwrap_or_else(PoisonError::into_inner).clone();
                    if let Some(offered) = offered {
                        self.put_in_place_again(&offered, group);
                    }
                    continue;
                }
            }
            settling = if asked.elapsed() < LONGEST_SETTLING { settling } else { SETTLING };
            sleep(settling).await;
            settling = (settling * 2).min(LONGEST_SETTLING);
            if subscription.is_none() && renewals > 0 {
                renewals -= 1;
                subscription = connection.subscribe().await.unwrap_or_default();
            }
            let discovered = self.discover(connection).await;
            asked = Instant::now();
            match discovered {
                // Every change is told to everybody, so one that is none must not be made.
                Ok(discovery) if is_known && self.offers(&discovery) => {}
                Ok(discovery) => {
                    self.put_in_place(discovery, group);
                    is_known = true;
                }
                Err(reason) => {
                    is_known = false;
                    self.status.send_modify(|status| {
                        status.warnings =
                            vec![format!("its tools have changed and could not be asked for: {reason}")];
                    });
                }
            }
        }
    }

    async fn discover(&self, connection: &Connection) -> Result<Discovery, String> {
        // Those of a list that was given up.
        drop(connection.diagnostics.take_quarantined());
        let has_tools = connection.peer.peer_info().is_none_or(|info| info.capabilities.tools.is_some());
        if !has_tools {
            return Ok(Discovery::default());
        }
        let found = discover(&connection.peer, self.config.timeouts.discovery).await;
        let mut discovery = found.map_err(|error| match &error {
            DiscoveryError::Refused(refused) if is_login_required(refused.as_ref()) => {
                connection.reason_of(refused)
            }
            DiscoveryError::Refused(_) | DiscoveryError::TimedOut(_) | DiscoveryError::NoList => {
                error.to_string()
            }
        })?;
        let taken_out = connection.diagnostics.take_quarantined().into_iter();
        discovery.unusable.extend(taken_out.map(|tool| Unusable {
            name: tool.name.unwrap_or_else(|| "(without a name)".to_owned()),
            reason: tool.reason,
        }));
        Ok(discovery)
    }

    /// Whether that is what the server offered last.
    fn offers(&self, discovery: &Discovery) -> bool {
        let offered = self.offered.lock().unwrap_or_else(PoisonError::into_inner);
        offered.as_deref() == Some(discovery)
    }

    fn put_in_place(self: &Arc<Self>, discovery: Discovery, group: &ToolGroup) {
        let discovery = Arc::new(discovery);
        *self.offered.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&discovery));
        self.put_in_place_again(&discovery, group);
    }

    fn put_in_place_again(self: &Arc<Self>, discovery: &Discovery, group: &ToolGroup) {
        let generation = adopt(discovery, self, group);
        self.status.send_modify(|status| {
            status.tools = generation.tools;
            status.quarantined = generation.quarantined;
            status.removed = generation.removed;
            status.warnings = generation.warnings;
        });
    }
}

/// Waits for a notice that was subscribed to; for ever, where nothing was, or where the subscription is over.
async fn noticed(subscription: &mut Option<Subscription>) {
    match subscription {
        Some(open) => {
            if !matches!(open.next().await, Ok(Some(_))) {
                // What changed while it ended is not known, so the tools are asked for once more.
                *subscription = None;
            }
        }
        None => std::future::pending().await,
    }
}

/// Waits until a person approves something; for ever, where there are no pins.
async fn approved(approvals: &mut Option<watch::Receiver<u64>>) {
    let is_heard = match approvals {
        Some(approvals) => approvals.changed().await.is_ok(),
        None => false,
    };
    if !is_heard {
        std::future::pending().await
    }
}
