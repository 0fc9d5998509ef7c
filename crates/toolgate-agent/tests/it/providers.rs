//! The adapters over a real socket: the same turn gives the same log, whatever happens on the way, or ends with a clear
//! error and a session that goes on.

use std::time::Duration;

use toolgate::{CancellationToken, RunContext, Scope, ToolError, tool_fn};
use toolgate_agent::model::script::{Script, ScriptedAnswer, ScriptedUsage};
use toolgate_agent::model::{AnthropicModel, ApiKey, OpenAiModel, Patience, Protocol, Provider};
use toolgate_agent::{Agent, AgentBuilder, Prompt, TurnReport};
use toolgate_session::{Event, TurnOutcome, Usage};
use toolgate_testing::provider_rules::{Dialect, check};
use toolgate_testing::{HttpFault, ModelServer};

use crate::support::{Nothing, Session, asks, hello, runtime, says, script, turn};
use crate::transcript::is_valid;

const PROTOCOLS: [Protocol; 2] = [Protocol::OpenAi, Protocol::Anthropic];

fn patience() -> Patience {
    Patience {
        connect: Duration::from_secs(5),
        first_byte: Duration::from_secs(20),
        idle: Duration::from_secs(20),
        attempts: 3,
        backoff: Duration::from_millis(5),
        longest_wait: Duration::from_secs(2),
    }
}

fn provider(protocol: Protocol, base_url: String) -> Provider {
    Provider { base_url, patience: patience(), ..Provider::new(protocol, "script") }
}

fn builder(scope: Scope, protocol: Protocol, provider: Provider) -> AgentBuilder {
    let builder = match protocol {
        Protocol::OpenAi => Agent::builder(scope, OpenAiModel::new(provider)),
        Protocol::Anthropic => Agent::builder(scope, AnthropicModel::new(provider)),
    };
    builder.prompt(Prompt::standard("You are an agent."))
}

/// A step with text, several calls and awkward arguments, one with a refused call, and an end.
fn answers() -> Vec<ScriptedAnswer> {
    let big = r#"{"n":9007199254740993}"#;
    let mut first =
        asks(&[("number", big), ("dotted.name/ü", "{}"), ("number", r#"{"n": 3}"#), ("nothing", "")]);
    first.text = "Grüße 😀, I look. ".to_owned();
    first.usage = Some(ScriptedUsage { input: 100, output: 20 });
    let mut cut =
        asks(&[("number", r#"{"n": 1"#), ("number", "[1]"), ("absent", "{}"), ("number", r#"{"n":4"#)]);
    cut.stop = Some("length".to_owned());
    vec![first, cut, asks(&[("number", r#""{\"n\":5}""#)]), says("done 日本")]
}

fn scope() -> Scope {
    let (builder, _) = runtime();
    let dotted =
        tool_fn("dotted.name/ü", "Has a name of its own.", |_: Nothing, cx: RunContext| async move {
            cx.defer_context(toolgate::UserMessage::text("plugin", "remember"));
            Ok::<_, ToolError>("dotted".to_owned())
        });
    builder.tool(dotted).build().unwrap().scope("agent")
}

/// The events, without what a provider's words change.
fn comparable(session: &Session) -> Vec<Event> {
    let mut events = session.events();
    for event in &mut events {
        if let Event::AssistantMessage(message) = event {
            message.stop = None;
            message.usage = message.usage.filter(|usage| usage.input > 0);
        }
    }
    events
}

async fn expected(id: toolgate_session::SessionId) -> Vec<Event> {
    let session = Session { id, ..Session::new() };
    let builder = Agent::builder(scope(), script(answers())).prompt(Prompt::standard("You are an agent."));
    let mut agent = builder.start(session.backend.clone(), session.id).await.unwrap();
    assert_eq!(turn(&mut agent).await.outcome, TurnOutcome::Completed);
    comparable(&session)
}

pub(crate) async fn over_http(
    protocol: Protocol,
    faults: Vec<HttpFault>,
) -> (Session, TurnReport, ModelServer) {
    let session = Session::new();
    let server =
        ModelServer::start(Script { answers: answers(), ..Script::default() }, faults).await.unwrap();
    let builder = builder(scope(), protocol, provider(protocol, server.base_url()));
    let mut agent = builder.start(session.backend.clone(), session.id).await.unwrap();
    let report = turn(&mut agent).await;
    (session, report, server)
}

#[tokio::test]
async fn the_same_turn_gives_the_same_log_over_a_socket() {
    let table = [
        vec![],
        vec![HttpFault::Split(1), HttpFault::Split(2), HttpFault::Split(3), HttpFault::Split(5)],
        vec![HttpFault::Interleave, HttpFault::Interleave],
        vec![HttpFault::Busy("0"), HttpFault::None, HttpFault::Busy("0.01")],
        vec![
            HttpFault::Status("503 Service Unavailable", "later"),
            HttpFault::Status("529 Overloaded", "later"),
        ],
        vec![HttpFault::Hangup, HttpFault::None, HttpFault::Hangup],
        vec![HttpFault::SlowFirstByte(30)],
        // A date that has passed: at once.
        vec![HttpFault::Busy("Wed, 21 Oct 2015 07:28:00 GMT")],
    ];
    for protocol in PROTOCOLS {
        for faults in &table {
            let (session, report, server) = over_http(protocol, faults.clone()).await;
            assert_eq!(report.outcome, TurnOutcome::Completed, "{protocol:?} {faults:?}: {report:?}");
            assert_eq!(report.usage, Usage { input: 100, output: 20 }, "{protocol:?} {faults:?}");
            assert_eq!(comparable(&session), expected(session.id).await, "{protocol:?} {faults:?}");
            assert_eq!(server.requests().len(), 4, "{protocol:?} {faults:?}");
        }
    }
}

#[tokio::test]
async fn an_answer_that_breaks_ends_the_turn_with_a_reason_and_the_session_goes_on() {
    let table = [
        (HttpFault::Cut, "cut off"),
        (HttpFault::Unfinished, "the stream ended before the answer did"),
        (HttpFault::Malformed, "cannot be read"),
        (HttpFault::ErrorEvent, "the model is overloaded"),
        (HttpFault::Status("400 Bad Request", "no such model"), "answered 400: no such model"),
        (HttpFault::Status("404 Not Found", "no such path"), "answered 404: no such path"),
        (HttpFault::Piece(b"{\"choices\":[{\"delta\":"), "cannot be read"),
        (HttpFault::Piece(b"{\"choices\":3,\"type\":7}"), "cannot be read"),
        (HttpFault::Piece(BAD_FRAGMENT), "cannot be read"),
        (HttpFault::Piece(b"\xff\xfe"), "is not UTF-8"),
        (HttpFault::Busy("3600"), "answered 429: too many requests"),
        (HttpFault::Busy("Sun, 21 Oct 2998 07:28:00 GMT"), "answered 429: too many requests"),
    ];
    for protocol in PROTOCOLS {
        for (fault, reason) in &table {
            for place in 0..2 {
                let faults = vec![HttpFault::None; place].into_iter().chain([fault.clone()]).collect();
                let session = Session::new();
                let server = ModelServer::start(Script { answers: answers(), ..Script::default() }, faults)
                    .await
                    .unwrap();
                let builder = builder(scope(), protocol, provider(protocol, server.base_url()));
                let mut agent = builder.start(session.backend.clone(), session.id).await.unwrap();
                let report = turn(&mut agent).await;
                assert_eq!(report.outcome, TurnOutcome::Failed, "{protocol:?} {fault:?}");
                let said = report.reason.unwrap();
                assert!(said.contains(reason), "{protocol:?} {fault:?}: {said}");
                assert_eq!(server.attempts(), place + 1, "{protocol:?} {fault:?} is not tried again");
                is_valid(&session.events());
                // The strict server takes what comes next.
                let report = turn(&mut agent).await;
                assert_eq!(
                    (report.outcome, report.text.as_str()),
                    (TurnOutcome::Completed, "done 日本"),
                    "{report:?}"
                );
                is_valid(&session.events());
            }
        }
    }
}

/// A fragment of a call that has no number, in both protocols at once.
const BAD_FRAGMENT: &[u8] = br#"{"type":"content_block_delta","index":"a","delta":{"type":"input_json_delta","partial_json":"{"},"choices":[{"delta":{"tool_calls":[{"index":"a"}]}}]}"#;

#[tokio::test]
async fn an_answer_that_is_cut_at_any_byte_is_whole_or_given_up() {
    for (protocol, dialect) in PROTOCOLS.into_iter().zip([Dialect::Chat, Dialect::Messages]) {
        let mut given_up = 0;
        loop {
            // A prime, so that lines, characters and events are cut in all their parts.
            let (session, report, server) = over_http(protocol, vec![HttpFault::CutAt(given_up * 53)]).await;
            if report.outcome == TurnOutcome::Completed {
                assert_eq!(comparable(&session), expected(session.id).await);
                break;
            }
            given_up += 1;
            assert_eq!(report.outcome, TurnOutcome::Failed);
            let reason = report.reason.unwrap();
            assert!(reason.contains("cut off"), "{reason}");
            is_valid(&session.events());
            let mut agent = loop {
                // The agent that failed gives its session back a moment after it is dropped.
                let resumed = builder(scope(), protocol, provider(protocol, server.base_url()));
                match resumed.resume(session.backend.clone(), session.id).await {
                    Ok(agent) => break agent,
                    Err(_) => tokio::time::sleep(Duration::from_millis(1)).await,
                }
            };
            assert_eq!(turn(&mut agent).await.text, "done 日本");
            for request in server.requests() {
                assert_eq!(check(dialect, &request), Ok(()), "{request}");
            }
        }
        assert!(given_up > 20, "{protocol:?} was cut {given_up} times");
    }
}

#[tokio::test]
async fn the_end_of_patience_says_what_happened() {
    for protocol in PROTOCOLS {
        let always = vec![HttpFault::Status("500 Internal Server Error", "broken"); 9];
        let (_, report, server) = over_http(protocol, always).await;
        assert!(report.reason.unwrap().contains("answered 500: broken"));
        assert_eq!(server.attempts(), 3, "as often as it may");

        let server =
            ModelServer::start(Script { answers: answers(), ..Script::default() }, vec![HttpFault::Silence])
                .await
                .unwrap();
        let mut silent = provider(protocol, server.base_url());
        silent.patience.idle = Duration::from_millis(50);
        let session = Session::new();
        let builder = builder(scope(), protocol, silent);
        let mut agent = builder.start(session.backend.clone(), session.id).await.unwrap();
        let reason = turn(&mut agent).await.reason.unwrap();
        assert!(reason.contains("sent nothing for"), "{reason}");

        let slow = vec![HttpFault::SlowFirstByte(600_000)];
        let server =
            ModelServer::start(Script { answers: answers(), ..Script::default() }, slow).await.unwrap();
        let mut late = provider(protocol, server.base_url());
        late.patience.first_byte = Duration::from_millis(50);
        let reason = self::reason(protocol, late).await;
        assert!(reason.contains("sent nothing for"), "{reason}");
    }
}

#[tokio::test]
async fn a_missing_key_and_an_unreachable_host_say_what_to_do() {
    for protocol in PROTOCOLS {
        let refuses = || HttpFault::Status("401 Unauthorized", "who are you?");
        let server = ModelServer::start(
            Script { answers: answers(), ..Script::default() },
            vec![refuses(), refuses()],
        )
        .await
        .unwrap();
        let mut keyless = provider(protocol, server.base_url());
        keyless.key_hint = "set EXAMPLE_KEY".to_owned();
        let reason = reason(protocol, keyless.clone()).await;
        assert!(reason.contains("there is no key for 127.0.0.1\nhint: set EXAMPLE_KEY"), "{reason}");
        // A wrong key is the provider's to explain, and is never shown.
        keyless.key = ApiKey::new("secret-text");
        let reason = self::reason(protocol, keyless).await;
        assert!(reason.contains("answered 401: who are you?") && !reason.contains("secret"), "{reason}");

        let gone = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let reason = self::reason(protocol, provider(protocol, format!("http://{gone}/v1"))).await;
        assert!(reason.contains("cannot be reached") && reason.contains("hint: "), "{reason}");
        let reason = self::reason(protocol, provider(protocol, "ftp://127.0.0.1/v1".to_owned())).await;
        assert!(reason.contains("`ftp` is no scheme"), "{reason}");
    }
    assert!(!format!("{:?}", ApiKey::new("secret-text")).contains("secret"));
}

async fn reason(protocol: Protocol, provider: Provider) -> String {
    let session = Session::new();
    let mut agent =
        builder(scope(), protocol, provider).start(session.backend.clone(), session.id).await.unwrap();
    turn(&mut agent).await.reason.unwrap()
}

#[tokio::test]
async fn an_interrupt_ends_the_request() {
    for protocol in PROTOCOLS {
        let server =
            ModelServer::start(Script { answers: answers(), ..Script::default() }, vec![HttpFault::Silence])
                .await
                .unwrap();
        let session = Session::new();
        let builder = builder(scope(), protocol, provider(protocol, server.base_url()));
        let mut agent = builder.start(session.backend.clone(), session.id).await.unwrap();
        let mut live = agent.watch();
        let stop = CancellationToken::new();
        let (report, ()) = tokio::join!(agent.turn(hello(), stop.clone()), async {
            while !matches!(live.recv().await, Ok(toolgate_agent::Live::Delta(_))) {}
            stop.cancel();
        });
        assert_eq!(report.unwrap().outcome, TurnOutcome::Interrupted);
        is_valid(&session.events());
        assert_eq!(turn(&mut agent).await.outcome, TurnOutcome::Completed);
    }
}

#[tokio::test]
async fn requests_say_everything_once_and_in_the_same_bytes() {
    for protocol in PROTOCOLS {
        let (_, _, one) = over_http(protocol, vec![]).await;
        let (_, _, two) = over_http(protocol, vec![]).await;
        let (one, two) = (one.requests(), two.requests());
        let texts =
            |requests: &[serde_json::Value]| requests.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(texts(&one), texts(&two));
        let last = one[3].to_string();
        assert!(last.contains("9007199254740993"), "K24: {last}");
        assert!(last.contains("dotted_name"), "{last}");
        assert!(last.contains("<context source=\\\"plugin\\\">\\nremember\\n</context>"), "{last}");
        assert!(last.contains("were truncated"), "K23: {last}");
        let messages = |place: usize| one[place]["messages"].as_array().unwrap().clone();
        assert_eq!(messages(3)[..messages(0).len()], messages(0)[..], "a request continues the one before");
    }
}
