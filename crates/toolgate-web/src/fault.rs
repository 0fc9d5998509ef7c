//! [`Fault`]: a request that was not done, as an answer with a page that says why.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use maud::html;
use toolgate_session::StoreError;

use crate::desk::SayError;
use crate::foreign;
use crate::pages::{Frame, Place};

/// Why a request was not done.
#[derive(Debug)]
pub(crate) struct Fault {
    status: StatusCode,
    message: String,
}

impl Fault {
    /// There is nothing there.
    pub(crate) fn missing(what: &str) -> Self {
        Self { status: StatusCode::NOT_FOUND, message: format!("There is no {what} here.") }
    }

    /// The request makes no sense.
    pub(crate) fn unclear(message: impl Into<String>) -> Self {
        Self { status: StatusCode::BAD_REQUEST, message: message.into() }
    }

    /// It makes sense, and cannot be done now.
    pub(crate) fn conflict(message: impl Into<String>) -> Self {
        Self { status: StatusCode::CONFLICT, message: message.into() }
    }

    /// Something failed that should not.
    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self { status: StatusCode::INTERNAL_SERVER_ERROR, message: message.into() }
    }
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::NotFound(_) => Self::missing("such session"),
            StoreError::Busy(_) => {
                Self::conflict(format!("{error}\nhint: it can be watched here while a terminal works on it"))
            }
            StoreError::Exists(_)
            | StoreError::Damaged { .. }
            | StoreError::Io { .. }
            | StoreError::Database { .. } => Self::failed(error.to_string()),
        }
    }
}

impl From<SayError> for Fault {
    fn from(error: SayError) -> Self {
        match error {
            SayError::Store(error) => error.into(),
            SayError::Open(toolgate_agent::OpenError::Store(error)) => error.into(),
            SayError::Open(_) | SayError::Full(_) | SayError::NoModel | SayError::Crowded => {
                Self::conflict(error.to_string())
            }
        }
    }
}

impl IntoResponse for Fault {
    fn into_response(self) -> Response {
        let page = Frame { title: "That was not done", place: Place::Nowhere, live: None };
        let body = html! {
            h1 { "That was not done" }
            p.failure { (foreign::text(&self.message)) }
        };
        (self.status, page.around(body)).into_response()
    }
}
