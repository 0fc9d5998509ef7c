//! What a command inherits of the environment: all but what looks like a credential.
//!
//! A guess by the name, and by the value where the name is harmless. What is wanted all the same is named in the
//! configuration. Nothing here changes the environment of this process.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use super::EnvironmentConfig;

/// Parts of names that credentials have, between underscores or alone.
const WORDS: &[&str] = &[
    "KEY",
    "KEYS",
    "APIKEY",
    "TOKEN",
    "TOKENS",
    "SECRET",
    "SECRETS",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "PASS",
    "PWD",
    "CREDENTIAL",
    "CREDENTIALS",
    "CREDS",
    "AUTH",
    "COOKIE",
    "JWT",
    "PAT",
    "DSN",
    "NETRC",
    "KUBECONFIG",
];

/// The same where they stand anywhere in a name.
const PARTS: &[&str] = &[
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "CREDENTIAL",
    "APIKEY",
    "PRIVATE_KEY",
    "ACCESS_KEY",
];

/// Families of names that belong to accounts and agents.
const FAMILIES: &[&str] =
    &["AWS_", "AZURE_", "GOOGLE_", "GCP_", "GCLOUD_", "CLOUDSDK_", "SSH_", "GPG_", "VAULT_", "OP_SESSION"];

/// Names that would match, and name folders.
const HARMLESS: &[&str] = &["PWD", "OLDPWD"];

/// What makes a shell run code, or print what nobody asked for, before the command.
const SHELL_HOOKS: &[&str] = &["BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "PROMPT_COMMAND", "PS4"];

/// How tokens of known services begin.
const PREFIXES: &[&str] = &[
    "sk-",
    "sk_live_",
    "sk_test_",
    "rk_live_",
    "whsec_",
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "xoxa-",
    "xapp-",
    "AKIA",
    "ASIA",
    "AIza",
    "ya29.",
    "npm_",
    "pypi-",
    "hf_",
    "dop_v1_",
    "SG.",
    "eyJ",
];

/// What stands before a secret inside of a value: in headers, connection strings, queries and settings. In lower case.
const INTRODUCTIONS: &[&str] = &[
    "-----begin",
    "bearer ",
    "basic ",
    "password=",
    "passwd=",
    "pwd=",
    "token=",
    "secret=",
    "accountkey=",
    "accesskey=",
    "api_key=",
    "apikey=",
    "authtoken=",
    "sig=",
];

/// What programs see that would otherwise wait for a person, or draw for one.
const QUIET: &[(&str, &str)] = &[
    ("TERM", "dumb"),
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("NO_COLOR", "1"),
];

/// The variables of a command, from those of this process.
pub(super) fn environment(
    inherited: impl IntoIterator<Item = (OsString, OsString)>,
    config: &EnvironmentConfig,
    temporary: Option<&Path>,
) -> Vec<(OsString, OsString)> {
    let mut variables: Vec<(OsString, OsString)> = inherited
        .into_iter()
        .filter(|(name, value)| {
            config.pass.iter().any(|passed| name == passed.as_str())
                || !(is_credential(name, value) || is_shell_hook(name))
        })
        // The shell finds out itself where it is.
        .filter(|(name, _)| name != "PWD" && name != "OLDPWD")
        .collect();
    let mut set = |name: OsString, value: OsString| {
        variables.retain(|(other, _)| *other != name);
        variables.push((name, value));
    };
    for (name, value) in QUIET {
        set(name.into(), value.into());
    }
    for (name, folder) in ["TMPDIR", "TMP", "TEMP"].into_iter().zip(temporary.into_iter().cycle()) {
        set(name.into(), folder.into());
    }
    for (name, value) in &config.set {
        set(name.into(), value.into());
    }
    variables
}

fn is_shell_hook(name: &OsStr) -> bool {
    let bytes = name.as_encoded_bytes();
    SHELL_HOOKS.iter().any(|hook| name == *hook) || bytes.starts_with(b"BASH_FUNC_")
}

fn is_credential(name: &OsStr, value: &OsStr) -> bool {
    let name = name.to_string_lossy().to_ascii_uppercase();
    is_credential_name(&name) || value.to_str().is_some_and(is_credential_value)
}

fn is_credential_name(name: &str) -> bool {
    !HARMLESS.contains(&name)
        && (FAMILIES.iter().any(|family| name.starts_with(family))
            || PARTS.iter().any(|part| name.contains(part))
            || name.split(['_', '-', '.']).any(|word| WORDS.contains(&word))
            || name.ends_with("KEY"))
}

fn is_credential_value(value: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_-.+=".contains(c);
    let is_token = |word: &str| PREFIXES.iter().any(|prefix| word.starts_with(prefix) && word.len() >= 16);
    let introduced = value.to_ascii_lowercase();
    value.split(|c| !is_part(c)).any(is_token)
        || INTRODUCTIONS.iter().any(|words| introduced.contains(words))
        || has_user_info(value)
        || is_random(value)
}

/// An address with a password in it, `scheme://user:password@host`, or with a token for the user.
fn has_user_info(value: &str) -> bool {
    /// No name of a user is that long.
    const TOKEN: usize = 20;
    value.split("://").skip(1).any(|rest| {
        let authority = rest.split(['/', '?', '#', ' ']).next().unwrap_or_default();
        authority.rsplit_once('@').is_some_and(|(user, _)| user.contains(':') || user.len() >= TOKEN)
    })
}

/// A long word of mixed letters and digits, as random keys are. Hashes in hexadecimal have one case.
fn is_random(value: &str) -> bool {
    value.len() >= 32
        && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=_-".contains(&byte))
        && !value.starts_with('/')
        && value.bytes().filter(u8::is_ascii_digit).count() >= 3
        && value.bytes().filter(u8::is_ascii_uppercase).count() >= 3
        && value.bytes().filter(u8::is_ascii_lowercase).count() >= 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_stay_behind() {
        for (name, value) in [
            ("OPENAI_API_KEY", "x"),
            ("openai_api_key", "x"),
            ("GITHUB_TOKEN", "x"),
            ("NPM_TOKEN", "x"),
            ("AWS_ACCESS_KEY_ID", "x"),
            ("AWS_PROFILE", "x"),
            ("SSH_AUTH_SOCK", "/tmp/agent"),
            ("DB_PASSWORD", "x"),
            ("MYSQL_PWD", "x"),
            ("PGPASSWORD", "x"),
            ("MYSECRET", "x"),
            ("GOOGLE_APPLICATION_CREDENTIALS", "/a"),
            ("GITHUB_PAT", "x"),
            ("DOCKER_AUTH_CONFIG", "{}"),
            ("DATABASE_URL", "postgres://me:hunter2@db/x"),
            ("PROXY", "http://a:b@proxy:80"),
            ("HARMLESS", "ghp_0123456789abcdefghij"),
            ("ALSO", "eyJhbGciOiJIUzI1NiJ9.e30.x"),
            ("REMOTE", "https://ghp_0123456789abcdefghij@example.com/x"),
            ("REMOTE_2", "https://4f3c2a9d8e7b6c5d4e3f@example.com/x"),
            ("HEADERS", "Accept: */*; Authorization: Bearer abcdefghijkl"),
            ("HEADERS_2", "X-Service: glpat-0123456789abcdef"),
            ("SERVICE_ACCOUNT", r#"{"private_k": "-----BEGIN PRIVATE KEY-----\nx"}"#),
            ("CONNECTION", "Server=db;User Id=sa;Password=hunter2"),
            ("STORAGE", "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=x=="),
            ("JDBC_URL", "jdbc:postgresql://db/x?user=a&password=b"),
            ("WEBHOOK", "https://example.com/hook?sig=abc"),
            ("PAYMENTS", "sk_live_0123456789abcdef"),
            ("NPM_LINE", "//registry/:_authToken=abc"),
            ("RANDOM_WORD", "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE"),
        ] {
            assert!(is_credential(name.as_ref(), value.as_ref()), "{name}={value}");
        }
    }

    #[test]
    fn the_rest_passes() {
        for (name, value) in [
            ("PATH", "/usr/local/bin:/usr/bin"),
            ("HOME", "/home/me"),
            ("LANG", "C.UTF-8"),
            ("USER", "me"),
            ("CARGO_HOME", "/home/me/.cargo"),
            ("KEYBOARD", "de"),
            ("MONKEYS", "3"),
            ("GITHUB_SHA", "4f3c2a9d8e7b6c5d4e3f2a1b0c9d8e7f6a5b4c3d"),
            ("HTTP_PROXY", "http://proxy:3128"),
            ("XDG_RUNTIME_DIR", "/run/user/1000"),
            ("LD_LIBRARY_PATH", "/opt/Lib64/Release123/aB3dE5gH7jK9mN1pQ3sT5"),
            ("TASK_NAME", "task-sk-list-of-things-to-do"),
            ("ORIGIN", "ssh://git@example.com/x"),
            ("EMPTY", ""),
        ] {
            assert!(!is_credential(name.as_ref(), value.as_ref()), "{name}={value}");
        }
    }

    #[test]
    fn what_is_named_passes_and_what_is_set_wins() {
        let inherited =
            [("A_TOKEN", "1"), ("B_TOKEN", "2"), ("TERM", "xterm"), ("BASH_ENV", "/x"), ("PWD", "/y")];
        let config = EnvironmentConfig {
            pass: vec!["A_TOKEN".to_owned()],
            set: [("TERM".to_owned(), "vt100".to_owned()), ("C_TOKEN".to_owned(), "3".to_owned())].into(),
        };
        let inherited = inherited.map(|(name, value)| (name.into(), value.into()));
        let variables = environment(inherited, &config, Some(Path::new("/t")));
        let of = |name: &str| variables.iter().filter(|(other, _)| other == name).collect::<Vec<_>>();
        for (name, value) in
            [("A_TOKEN", "1"), ("TERM", "vt100"), ("C_TOKEN", "3"), ("TMPDIR", "/t"), ("PAGER", "cat")]
        {
            assert_eq!(of(name), [&(name.into(), value.into())]);
        }
        for name in ["B_TOKEN", "BASH_ENV", "PWD"] {
            assert!(of(name).is_empty(), "{name}");
        }
    }
}
