//! Messages of tools as the protocol's log messages, and its levels.
#![expect(deprecated, reason = "clients are told messages for as long as versions of the protocol have them")]

use rmcp::model::{LoggingLevel, LoggingMessageNotificationParam};
use rmcp::service::{Peer, RoleServer};
use serde_json::Value;
use toolgate::{ReportedMessage, Severity};

use super::outcome::MOST_LEVELS;
use crate::frame::is_deeper;

/// Tells a client a message of a tool. A client that is gone misses it.
pub(super) async fn tell(peer: &Peer<RoleServer>, message: ReportedMessage, tool: String) {
    let ReportedMessage { severity, source, data } = message;
    let data = if is_deeper(data.as_value(), MOST_LEVELS) {
        Value::String(data.to_text())
    } else {
        data.as_value().clone()
    };
    let told =
        LoggingMessageNotificationParam::new(level_of(severity), data).with_logger(source.unwrap_or(tool));
    let _ = peer.notify_logging_message(told).await;
}

pub(super) fn severity_of(level: LoggingLevel) -> Severity {
    match level {
        LoggingLevel::Debug => Severity::Debug,
        LoggingLevel::Info => Severity::Info,
        LoggingLevel::Notice => Severity::Notice,
        LoggingLevel::Warning => Severity::Warning,
        LoggingLevel::Error => Severity::Error,
        LoggingLevel::Critical => Severity::Critical,
        LoggingLevel::Alert => Severity::Alert,
        LoggingLevel::Emergency => Severity::Emergency,
    }
}

fn level_of(severity: Severity) -> LoggingLevel {
    match severity {
        Severity::Debug => LoggingLevel::Debug,
        Severity::Info => LoggingLevel::Info,
        Severity::Notice => LoggingLevel::Notice,
        Severity::Warning => LoggingLevel::Warning,
        Severity::Error => LoggingLevel::Error,
        Severity::Critical => LoggingLevel::Critical,
        Severity::Alert => LoggingLevel::Alert,
        Severity::Emergency => LoggingLevel::Emergency,
    }
}
