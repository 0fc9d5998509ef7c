//! [`GatewayLimits`]: what clients may take of the process, resolved once when a gateway is built.

use std::time::Duration;

/// How much clients of a gateway may take, and how long things may last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GatewayLimits {
    /// The longest message of a client, in bytes: a line or a body. 4 MiB.
    pub message_bytes: usize,
    /// Calls under way on one pair of streams, or over HTTP with one credential and profile. One more is refused. 256.
    pub calls: usize,
    /// Sessions over HTTP at once. One more is refused. 256.
    pub sessions: usize,
    /// Connections over HTTP at once. One more waits. 512.
    pub connections: usize,
    /// How long a session without calls, streams and requests is kept. Ten minutes.
    pub session_idle: Duration,
    /// How long a client may take to send the head of a request, and again for its body. Ten seconds.
    pub request_time: Duration,
    /// Calls that wait for a client's answer in a later request, of all clients. One more is denied. 256.
    pub parked_calls: usize,
    /// How long such a call waits. Five minutes.
    pub parked_time: Duration,
    /// Events of one session that are kept for a client that reconnects. 256.
    pub replayed_events: usize,
    /// Their size in bytes. 8 MiB.
    pub replayed_bytes: usize,
    /// How long calls may go on when the gateway shuts down, before they are cancelled. Five seconds.
    pub shutdown_grace: Duration,
    /// How long they may take to come to rest after that. Five seconds.
    pub shutdown_settle: Duration,
    /// How long a change of tools waits for more, before clients are told. 50 milliseconds.
    pub change_pause: Duration,
}

impl Default for GatewayLimits {
    fn default() -> Self {
        Self {
            message_bytes: 4 << 20,
            calls: 256,
            sessions: 256,
            connections: 512,
            session_idle: Duration::from_secs(600),
            request_time: Duration::from_secs(10),
            parked_calls: 256,
            parked_time: Duration::from_secs(300),
            replayed_events: 256,
            replayed_bytes: 8 << 20,
            shutdown_grace: Duration::from_secs(5),
            shutdown_settle: Duration::from_secs(5),
            change_pause: Duration::from_millis(50),
        }
    }
}
