//! Logging in at a server, with an authorization server on this machine that checks what it is sent.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::http::StatusCode;
use axum::response::Response;
use ring::digest::{SHA256, digest};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use toolgate_mcp::transport::{
    HttpAuth, HttpServer, OAuth, OAuthClient, OAuthError, TokenStore, begin_login, connect_http,
    is_login_required,
};
use url::Url;

use crate::client::Client;
use crate::stub::http::{HttpStub, Seen, answer_to, body, status};

/// What the authorization server remembers.
#[derive(Default)]
struct Known {
    challenge: String,
    redirect: String,
    /// The token that the server takes.
    token: String,
    issued: u32,
    refreshed: u32,
}

fn form(seen: &Seen) -> impl Fn(&str) -> String {
    let pairs: Vec<(String, String)> =
        url::form_urlencoded::parse(seen.text.as_bytes()).into_owned().collect();
    move |name| pairs.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone()).unwrap_or_default()
}

fn base64url(bytes: &[u8]) -> String {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let digit = |group: u32, shift: u32| char::from(ALPHABET[(group >> shift) as usize & 63]);
    bytes
        .chunks(3)
        .flat_map(|three| {
            let group = three.iter().fold(0, |group, byte| group << 8 | u32::from(*byte));
            let group = group << (8 * (3 - three.len()));
            [18, 12, 6, 0]
                .into_iter()
                .take(three.len() + 1)
                .map(move |shift| digit(group, shift))
                .collect::<Vec<_>>()
        })
        .collect()
}

fn json_body(value: &Value) -> Response {
    body("application/json", value.to_string())
}

/// A server that wants a token, and who gives it.
async fn guarded(known: Arc<Mutex<Known>>) -> HttpStub {
    HttpStub::start(move |seen, base| {
        let mut known = known.lock().unwrap();
        match seen.uri.path() {
            "/mcp" => {
                let expected = format!("Bearer {}", known.token);
                if seen.header("authorization") != Some(&expected) {
                    let metadata = format!(
                        "Bearer resource_metadata=\"{base}/.well-known/oauth-protected-resource/mcp\""
                    );
                    let mut refusal = status(StatusCode::UNAUTHORIZED);
                    refusal.headers_mut().insert("www-authenticate", metadata.parse().unwrap());
                    return Some(refusal);
                }
                (seen.calls() == "tools/call:ok")
                    .then(|| body("application/json", answer_to(seen, r#"{"content":[]}"#)))
            }
            "/.well-known/oauth-protected-resource/mcp" => Some(json_body(
                &json!({ "resource": format!("{base}/mcp"), "authorization_servers": [base] }),
            )),
            "/.well-known/oauth-authorization-server" => Some(json_body(&json!({
                "issuer": base,
                "authorization_endpoint": format!("{base}/authorize"),
                "token_endpoint": format!("{base}/token"),
                "registration_endpoint": format!("{base}/register"),
                "response_types_supported": ["code"],
                "grant_types_supported": ["authorization_code", "refresh_token"],
                "code_challenge_methods_supported": ["S256"],
            }))),
            "/register" => {
                let uris = &seen.message()["redirect_uris"];
                known.redirect = uris[0].as_str().unwrap().to_owned();
                Some(json_body(&json!({ "client_id": "client-1", "redirect_uris": uris })))
            }
            "/token" => {
                let value = form(seen);
                let is_right = match value("grant_type").as_str() {
                    "authorization_code" => {
                        let verifier = digest(&SHA256, value("code_verifier").as_bytes());
                        value("code") == "code-1"
                            && value("redirect_uri") == known.redirect
                            && base64url(verifier.as_ref()) == known.challenge
                    }
                    "refresh_token" => {
                        known.refreshed += 1;
                        value("refresh_token") == format!("refresh-{}", known.issued)
                    }
                    _ => false,
                };
                if !is_right {
                    let mut refusal = json_body(&json!({ "error": "invalid_grant" }));
                    *refusal.status_mut() = StatusCode::BAD_REQUEST;
                    return Some(refusal);
                }
                known.issued += 1;
                known.token = format!("token-{}", known.issued);
                Some(json_body(&json!({
                    "access_token": known.token,
                    "token_type": "Bearer",
                    "expires_in": 3600,
                    "refresh_token": format!("refresh-{}", known.issued),
                })))
            }
            _ => Some(status(StatusCode::NOT_FOUND)),
        }
    })
    .await
}

/// What a browser does with an address.
async fn visit(url: &str) -> (u16, String) {
    let url = Url::parse(url).unwrap();
    let address = (url.host_str().unwrap(), url.port().unwrap());
    let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
    let target = &url[url::Position::BeforePath..];
    let request = format!("GET {target} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).await.unwrap();
    (text.split(' ').nth(1).unwrap().parse().unwrap(), text)
}

fn parameter(url: &Url, name: &str) -> String {
    url.query_pairs().find(|(key, _)| key == name).unwrap().1.into_owned()
}

fn server(stub: &HttpStub, oauth: &OAuth) -> HttpServer {
    HttpServer { auth: HttpAuth::OAuth(oauth.clone()), ..HttpServer::new(stub.url()) }
}

fn oauth(folder: &Path) -> OAuth {
    OAuth { store: TokenStore::new(folder), client: None, scopes: Vec::new() }
}

/// Logs in as a browser would; gives what the browser saw.
async fn log_in(stub: &HttpStub, oauth: &OAuth, known: &Mutex<Known>) -> (u16, String) {
    let login = begin_login(&stub.url(), oauth).await.unwrap();
    let url = Url::parse(login.url()).unwrap();
    assert_eq!(parameter(&url, "code_challenge_method"), "S256");
    known.lock().unwrap().challenge = parameter(&url, "code_challenge");
    let redirect = parameter(&url, "redirect_uri");
    let state = parameter(&url, "state");
    let browser = async {
        // Somebody else's answer is turned away, and ends nothing.
        let (code, _) = visit(&format!("{redirect}?code=code-1&state=forged")).await;
        assert_eq!(code, 400);
        let (code, _) = visit(&format!("{redirect}?error=access_denied")).await;
        assert_eq!(code, 400);
        visit(&format!("{redirect}?code=code-1&state={state}")).await
    };
    let (outcome, seen) = tokio::join!(login.wait(Duration::from_secs(30)), browser);
    outcome.unwrap();
    seen
}

#[tokio::test]
async fn somebody_logs_in_and_the_tokens_are_kept_and_refreshed() {
    let known = Arc::new(Mutex::new(Known { token: "none yet".to_owned(), ..Known::default() }));
    let stub = guarded(Arc::clone(&known)).await;
    let place = TempDir::new().unwrap();
    let folder = place.path().join("tokens");
    let oauth = oauth(&folder);

    // Without tokens the server's refusal is what is seen.
    let connected = connect_http(server(&stub, &oauth)).await.unwrap();
    let error = rmcp::ServiceExt::serve((), connected.transport).await.err().unwrap();
    assert!(is_login_required(&error), "{error:?}");
    assert!(!oauth.store.has(&stub.url()).unwrap());

    let (code, page) = log_in(&stub, &oauth, &known).await;
    assert_eq!(code, 200, "{page}");
    assert!(page.contains("Logged in"), "{page}");

    // The files are nobody else's.
    assert!(oauth.store.has(&stub.url()).unwrap());
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    let files: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(files.iter().all(|file| mode(file) == 0o600), "{files:?}");
    let file = files.iter().find(|file| file.extension().is_some_and(|kind| kind == "json")).unwrap();

    // Another connection has them, until the server takes them no more: then it has new ones.
    let client = Client::connect(connect_http(server(&stub, &oauth)).await.unwrap()).await.unwrap();
    client.call("ok").await.unwrap();
    assert_eq!(known.lock().unwrap().refreshed, 0);
    known.lock().unwrap().token = "revoked".to_owned();
    client.call("ok").await.unwrap();
    assert_eq!(known.lock().unwrap().refreshed, 1);
    assert!(std::fs::read_to_string(file).unwrap().contains("token-2"));
    assert_eq!(mode(file), 0o600);

    // What others could have read is not used.
    std::fs::set_permissions(file, PermissionsExt::from_mode(0o644)).unwrap();
    let error = connect_http(server(&stub, &oauth)).await.err().unwrap().to_string();
    assert!(error.contains("644") && error.contains("hint: "), "{error}");
    assert!(!error.contains("token-2"), "{error}");
    oauth.store.forget(&stub.url()).unwrap();
    assert!(!oauth.store.has(&stub.url()).unwrap());
}

#[tokio::test]
async fn a_log_in_that_fails_keeps_nothing() {
    let known = Arc::new(Mutex::new(Known { token: "none yet".to_owned(), ..Known::default() }));
    let stub = guarded(Arc::clone(&known)).await;
    let place = TempDir::new().unwrap();
    let oauth = oauth(place.path());

    let login = begin_login(&stub.url(), &oauth).await.unwrap();
    let error = login.wait(Duration::from_millis(50)).await.unwrap_err();
    assert!(matches!(error, OAuthError::TooLate(_)), "{error}");

    for answer in ["error=access_denied&error_description=no", "code=wrong"] {
        let login = begin_login(&stub.url(), &oauth).await.unwrap();
        let url = Url::parse(login.url()).unwrap();
        let place =
            format!("{}?{answer}&state={}", parameter(&url, "redirect_uri"), parameter(&url, "state"));
        let (outcome, (code, _)) = tokio::join!(login.wait(Duration::from_secs(30)), visit(&place));
        assert!(outcome.is_err(), "{answer}");
        assert_eq!(code, 400, "{answer}");
    }
    assert!(!oauth.store.has(&stub.url()).unwrap());
}

#[tokio::test]
async fn where_to_log_in_and_for_what_is_learned_from_the_refusal_of_a_request() {
    let stub = HttpStub::start(|seen, base| {
        let is_request = seen.uri.path() == "/mcp" && seen.method == axum::http::Method::POST;
        let mut answer = match seen.uri.path() {
            "/elsewhere" => {
                json_body(&json!({ "resource": format!("{base}/mcp"), "authorization_servers": [base] }))
            }
            "/.well-known/oauth-authorization-server" => json_body(&json!({
                "issuer": base,
                "authorization_endpoint": format!("{base}/its-own/authorize"),
                "token_endpoint": format!("{base}/its-own/token"),
                "response_types_supported": ["code"],
                "code_challenge_methods_supported": ["S256"],
            })),
            _ if is_request => status(StatusCode::UNAUTHORIZED),
            _ => status(StatusCode::NOT_FOUND),
        };
        if is_request {
            let challenge = format!("Bearer scope=\"tools:use\", resource_metadata=\"{base}/elsewhere\"");
            answer.headers_mut().insert("www-authenticate", challenge.parse().unwrap());
        }
        Some(answer)
    })
    .await;
    let place = TempDir::new().unwrap();
    let client = OAuthClient { id: "known".to_owned(), secret: None };
    let oauth = OAuth { client: Some(client), ..oauth(place.path()) };
    let login = begin_login(&stub.url(), &oauth).await.unwrap();
    let url = Url::parse(login.url()).unwrap();
    assert_eq!(url.path(), "/its-own/authorize");
    assert_eq!(parameter(&url, "scope"), "tools:use");
}
