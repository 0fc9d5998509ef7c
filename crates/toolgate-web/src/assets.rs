//! The files that pages need besides themselves. They are part of the binary.

use axum::extract::Path;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Response};

use crate::fault::Fault;

/// `GET /assets/{name}`.
pub(crate) async fn show(Path(name): Path<String>) -> Result<Response, Fault> {
    let (kind, text) = match name.as_str() {
        "page.css" => ("text/css; charset=utf-8", include_str!("../assets/page.css")),
        "page.js" => ("text/javascript; charset=utf-8", include_str!("../assets/page.js")),
        "icon.svg" => ("image/svg+xml", include_str!("../assets/icon.svg")),
        _ => return Err(Fault::missing("such file")),
    };
    Ok(([(CONTENT_TYPE, kind)], text).into_response())
}
