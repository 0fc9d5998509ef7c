//! [`ModelServer`]: a provider of models on a local socket, which follows a script and goes wrong on demand.
//!
//! It answers whole requests only, and refuses those that a strict provider would refuse.

mod answer;
mod faults;
mod request;

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use toolgate_agent::model::script::Script;

use crate::provider_rules::{self, Dialect};

pub use faults::HttpFault;

/// A server that runs until it is dropped.
#[derive(Debug)]
pub struct ModelServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    task: JoinHandle<()>,
}

#[derive(Debug)]
struct Shared {
    script: Script,
    /// What goes wrong with the next requests, one each.
    faults: Mutex<VecDeque<HttpFault>>,
    requests: Mutex<Vec<Value>>,
    attempts: Mutex<usize>,
}

impl ModelServer {
    /// Serves a script on a free port. The n-th fault happens to the n-th request.
    ///
    /// # Errors
    /// Where the system gives no port.
    pub async fn start(script: Script, faults: Vec<HttpFault>) -> std::io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            script,
            faults: Mutex::new(faults.into()),
            requests: Mutex::default(),
            attempts: Mutex::default(),
        });
        let task = tokio::spawn(serve(listener, Arc::clone(&shared)));
        Ok(Self { address, shared, task })
    }

    /// The address that the protocol's paths are added to.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// The bodies of the requests that were answered, in order.
    #[must_use]
    pub fn requests(&self) -> Vec<Value> {
        self.shared.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How many requests came, answered or not.
    #[must_use]
    pub fn attempts(&self) -> usize {
        *self.shared.attempts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(listener: TcpListener, shared: Arc<Shared>) {
    while let Ok((stream, _)) = listener.accept().await {
        let shared = Arc::clone(&shared);
        // A connection that breaks is the client's affair.
        tokio::spawn(async move { drop(handle(stream, &shared).await) });
    }
}

async fn handle(mut stream: TcpStream, shared: &Shared) -> std::io::Result<()> {
    let received = request::read(&mut stream).await?;
    *shared.attempts.lock().unwrap_or_else(PoisonError::into_inner) += 1;
    let fault = shared.faults.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
    if let Some(fault) = &fault
        && faults::refuses(fault, &mut stream).await?
    {
        return Ok(());
    }
    if let Err(why) = provider_rules::check(received.dialect, &received.body) {
        let body = serde_json::json!({ "error": { "message": why } }).to_string();
        return faults::respond(&mut stream, "400 Bad Request", "", &body).await;
    }
    shared.requests.lock().unwrap_or_else(PoisonError::into_inner).push(received.body.clone());
    let place = request::answers_so_far(&received.body);
    let answers = shared.script.conversation(&request::first_message(&received.body));
    let Some(scripted) = answers.get(place) else {
        return faults::respond(&mut stream, "404 Not Found", "", "the script has no further answer").await;
    };
    let is_interleaved = fault == Some(HttpFault::Interleave);
    let events = match received.dialect {
        Dialect::Chat => answer::chat(scripted, is_interleaved),
        Dialect::Messages => answer::messages(scripted, is_interleaved),
    };
    faults::stream(&mut stream, &events, fault.as_ref()).await
}
