//! The key of a provider: where it comes from, who gets it, and that nobody else sees it.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread;

use crate::kept::{Keeper, STORES};

const KEY: &str = "sk-0123456789-not-a-real-key";

/// A provider that notes the heads of requests, and says yes, or refuses and repeats what it was given.
struct Provider {
    url: String,
    heads: Arc<Mutex<Vec<String>>>,
}

impl Provider {
    fn start(refuses: bool) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let heads = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::clone(&heads);
        // It ends with the process: nobody waits for it.
        thread::spawn(move || {
            for socket in listener.incoming() {
                noted.lock().unwrap().push(answer(socket.unwrap(), refuses));
            }
        });
        Self { url, heads }
    }

    fn heads(&self) -> Vec<String> {
        self.heads.lock().unwrap().clone()
    }
}

fn answer(socket: TcpStream, refuses: bool) -> String {
    let mut reader = BufReader::new(socket);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        if line.trim().is_empty() {
            break;
        }
        if let Some((_, value)) =
            line.split_once(':').filter(|(name, _)| name.eq_ignore_ascii_case("content-length"))
        {
            length = value.trim().parse().unwrap();
        }
        head.push_str(&line);
    }
    reader.by_ref().take(length).read_to_end(&mut Vec::new()).unwrap();
    let (status, kind, body) = if refuses {
        let body = format!(r#"{{"error":{{"message":"wrong key: {KEY}"}}}}"#);
        ("401 Unauthorized", "application/json", body)
    } else {
        let chunk = r#"{"choices":[{"index":0,"delta":{"content":"yes"},"finish_reason":"stop"}]}"#;
        ("200 OK", "text/event-stream", format!("data: {chunk}\n\ndata: [DONE]\n\n"))
    };
    let length = body.len();
    let head_out = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    reader.get_mut().write_all(format!("{head_out}{body}").as_bytes()).unwrap();
    head
}

/// Whether any file below a folder has the key in it.
fn holds_key(folder: &Path) -> bool {
    std::fs::read_dir(folder).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        if path.is_dir() {
            return holds_key(&path);
        }
        let bytes = std::fs::read(&path).unwrap();
        bytes.windows(KEY.len()).any(|window| window == KEY.as_bytes())
    })
}

#[test]
fn a_key_of_a_command_reaches_the_provider_and_nothing_else() {
    for refuses in [false, true] {
        for store in STORES {
            for json in [false, true] {
                let provider = Provider::start(refuses);
                let keeper = Keeper::new(store);
                // The program reads the key from where only it knows.
                let secret = tempfile::tempdir().unwrap();
                let file = secret.path().join("key");
                std::fs::write(&file, format!("{KEY}\n")).unwrap();
                keeper.configure(&format!(
                    "[sessions]\nstore = \"{store}\"\n[model]\nname = \"openai:m\"\nbase_url = \"{}\"\nkey = {{ command = [\"cat\", {file:?}] }}\n",
                    provider.url
                ));
                let run =
                    keeper.run(&[&["agent", "hello"][..], if json { &["--json"] } else { &[] }].concat());
                let run = run.exits(i32::from(refuses));
                let heads = provider.heads();
                assert_eq!(heads.len(), 1, "{heads:?}");
                assert!(
                    heads[0].to_lowercase().contains(&format!("authorization: bearer {KEY}\r\n")),
                    "{heads:?}"
                );
                assert!(!run.stdout.contains(KEY) && !run.stderr.contains(KEY), "{run:#?}");
                assert!(!holds_key(keeper.root()), "{store}: the key was kept");
                if refuses {
                    let shown = keeper.run(&["replay", "last"]).exits(0);
                    assert!(shown.stdout.contains("answered 401: wrong key: (the key)"), "{shown:#?}");
                } else if !json {
                    assert_eq!(run.stdout, "yes\n");
                }
                let config = keeper.run(&["config"]).exits(0);
                assert!(config.stdout.contains("model.key") && !config.stdout.contains(KEY), "{config:#?}");
            }
        }
    }
}

#[test]
fn a_key_in_an_address_is_neither_used_nor_kept() {
    let provider = Provider::start(false);
    let place = provider.url.strip_prefix("http://").unwrap();
    for url in [
        format!("http://{KEY}@{place}"),
        format!("http://me:{KEY}@{place}"),
        format!("{}?key={KEY}", provider.url),
        format!("{}#{KEY}", provider.url),
        format!("http://me:{KEY}@[nowhere/v1"),
        format!("me:{KEY}@nowhere"),
    ] {
        let keeper = Keeper::new("sqlite");
        let run = keeper.run(&["agent", "hello", "--model", "openai:m", "--base-url", &url]).exits(1);
        assert!(run.stderr.contains("cannot be reached: "), "{run:#?}");
        assert!(!run.stdout.contains(KEY) && !run.stderr.contains(KEY), "{run:#?}");
        assert!(!holds_key(keeper.root()), "{url}: the key was kept");
    }
    assert_eq!(provider.heads(), Vec::<String>::new());
}

#[test]
fn a_key_goes_to_the_provider_that_it_is_of() {
    let provider = Provider::start(false);
    let keeper = Keeper::new("sqlite");
    keeper.configure(&format!(
        "[model]\nname = \"anthropic:m\"\nbase_url = \"http://127.0.0.1:1\"\nkey = {{ command = [\"echo\", \"{KEY}\"] }}\n"
    ));
    // Another provider gets neither that key nor that address; one without a key may want none.
    let args = ["agent", "hello", "--model", "openai:other", "--base-url", &provider.url];
    keeper.run(&args).exits(0);
    let heads = provider.heads();
    assert!(
        heads.len() == 1 && !heads[0].contains(KEY) && !heads[0].to_lowercase().contains("authorization"),
        "{heads:?}"
    );
    // The environment has a key for each.
    crate::run(keeper.command(args).env("OPENAI_API_KEY", "of-openai").env("ANTHROPIC_API_KEY", KEY))
        .exits(0);
    let heads = provider.heads();
    assert!(heads[1].to_lowercase().contains("authorization: bearer of-openai"), "{heads:?}");
}

#[test]
fn a_strangers_file_names_no_model_and_no_key() {
    let provider = Provider::start(false);
    let keeper = Keeper::new("sqlite");
    let text = format!(
        "[model]\nname = \"openai:m\"\nbase_url = \"{}\"\nkey = {{ command = [\"touch\", \"ran\"] }}\n[agent]\nmode = \"code\"\nmax_steps = 1000\n",
        provider.url
    );
    std::fs::write(keeper.project().join("toolgate.toml"), text).unwrap();
    let mut command = keeper.command(["agent", "hello"]);
    let run = crate::run(command.env("OPENAI_API_KEY", KEY)).exits(2);
    assert!(
        run.stderr.contains("5 settings ignored") && run.stderr.contains("there is no model to ask"),
        "{run:#?}"
    );
    assert_eq!(provider.heads(), Vec::<String>::new());
    assert!(!keeper.project().join("ran").exists());
}
