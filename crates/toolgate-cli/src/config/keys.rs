//! Every key of `toolgate.toml`, once: what it takes, what holds without it, and what a file may say that nobody trusts.
//!
//! The check of unknown keys, the defaults, `toolgate config`, and the JSON Schema for editors all come from this list.
//! Tests tie it to the types of the crates that the values are for.

use toml::Value;

use crate::size;
use toolgate_policy::duration;

/// One key.
#[derive(Debug)]
pub(crate) struct Key {
    /// The path; a part `*` stands for a name that the user gives.
    pub(crate) path: &'static str,
    /// What it takes.
    pub(crate) kind: Kind,
    /// What holds without it, as it would be written; none where nothing does.
    pub(crate) default: Option<&'static str>,
    /// What a file of a workspace may say that is not trusted.
    pub(super) untrusted: Untrusted,
    /// What it means.
    pub(crate) about: &'static str,
}

/// What a key takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `true` or `false`; the former is the stricter one.
    Flag,
    /// A whole number.
    Count,
    /// A duration, such as `10s`.
    Duration,
    /// An amount of memory, such as `64M`.
    Size,
    /// A text.
    Text,
    /// A list of texts.
    Texts,
    /// A text that is not shown.
    Secret,
    /// One of these words, the strictest first.
    Choice(&'static [&'static str]),
    /// `"never"` or `{ above = N }`.
    ToolSpill,
    /// `{ environment = "NAME" }` or `{ command = ["PROGRAM", …] }`.
    KeySource,
    /// Rules in the long form.
    Rules,
}

/// What a file of a workspace may say that is not trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Untrusted {
    /// Anything: it can only narrow.
    Taken,
    /// Nothing.
    Ignored,
    /// What is not beyond the value that holds without it. Where there is none, there is no limit to go beyond.
    Narrower,
    /// The same, and nothing where no value holds without it.
    NarrowerThanSet,
}

const fn key(
    path: &'static str,
    kind: Kind,
    default: Option<&'static str>,
    untrusted: Untrusted,
    about: &'static str,
) -> Key {
    Key { path, kind, default, untrusted, about }
}

use Kind::{Choice, Count, Duration, Flag, KeySource, Rules, Secret, Size, Text, Texts, ToolSpill};
use Untrusted::{Ignored, Narrower, NarrowerThanSet, Taken};

/// All keys, in the order in which they are shown.
#[rustfmt::skip]
pub(crate) const KEYS: &[Key] = &[
    key("permissions.allow", Texts, None, Ignored, "Calls that may run without asking."),
    key("permissions.ask", Texts, None, Taken, "Calls that somebody has to allow, each time."),
    key("permissions.deny", Texts, None, Taken, "Calls that may never run."),
    key("permissions.rules", Rules, None, Taken, "Rules that say more. Those that allow need trust."),
    key("approvals.stance", Choice(&["never", "ask", "yes"]), Some(r#""ask""#), Narrower,
        "Who answers where rules ask: nobody (the call is denied), the person at the terminal, or always yes."),
    key("approvals.patience", Duration, None, Narrower, "How long an answer is waited for; without end if left out."),
    key("approvals.grant_uses", Count, None, Narrower, "For how many calls a rule holds that was chosen when asked."),
    key("approvals.grant_lasts", Duration, None, Narrower, "For how long a rule holds that was chosen when asked."),
    key("limits.default", Duration, None, Narrower, "How long a tool may take that declares no timeout."),
    key("limits.maximum", Duration, None, Narrower, "The longest that any tool may take, whatever it declares."),
    key("limits.tools.*", Duration, None, NarrowerThanSet, "How long this tool may take."),
    key("limits.grace", Duration, Some(r#""5s""#), Narrower,
        "How much longer a tool may take that was told to stop; then it is dropped where it stands."),
    key("limits.stage", Duration, Some(r#""30s""#), Narrower, "How long the hooks of one stage of a call may take."),
    key("limits.blocked", Duration, Some(r#""1s""#), Narrower, "How long a tool may block its thread unreported."),
    key("files.require_read", Flag, Some("false"), Narrower,
        "Whether a file must have been read before it is replaced or edited."),
    key("shell.shell", Text, None, Ignored, "The shell; `/bin/bash`, or `/bin/sh` where there is none."),
    key("shell.timeout_ms", Count, Some("120000"), Narrower,
        "How long a command may take that does not say so itself, in milliseconds."),
    key("shell.max_timeout_ms", Count, Some("600000"), Narrower, "How long any command may take, in milliseconds."),
    key("shell.max_output_bytes", Count, Some("32768"), Narrower, "How much of a command's output is kept."),
    key("shell.max_processes", Count, Some("512"), Narrower, "How many processes a command may have at one time."),
    key("shell.max_jobs", Count, Some("8"), Narrower, "How many jobs may run at one time."),
    key("shell.job_buffer_bytes", Count, Some("1048576"), Narrower, "How much output of a job waits to be read."),
    key("shell.sandbox.mode", Choice(&["read-only", "workspace-write", "full"]), Some(r#""workspace-write""#), Narrower,
        "Which files a command may change."),
    key("shell.sandbox.network", Choice(&["none", "unix", "all"]), None, NarrowerThanSet,
        "Whom a command may talk to; nobody, and everybody in mode `full`, if left out."),
    key("shell.sandbox.writable", Texts, Some("[]"), Ignored, "What a command may change outside the workspace."),
    key("shell.sandbox.backend", Choice(&["auto", "landlock", "bubblewrap"]), Some(r#""auto""#), Ignored,
        "What enforces the sandbox."),
    key("shell.sandbox.enforcement", Choice(&["required", "best-effort"]), Some(r#""required""#), Narrower,
        "What happens where the sandbox cannot be enforced: commands are refused, or run with what can be."),
    key("shell.environment.pass", Texts, Some("[]"), Ignored,
        "Variables that commands inherit although they look like credentials."),
    key("shell.environment.set.*", Text, None, Ignored, "A variable that is set for every command."),
    key("web.allow_private", Texts, Some("[]"), Ignored,
        "Hosts and networks that may be reached although they are not public."),
    key("web.ca_files", Texts, Some("[]"), Ignored, "PEM files with certificate authorities to trust as well."),
    key("web.timeout_ms", Count, Some("30000"), Narrower, "How long one fetch may take, in milliseconds."),
    key("web.max_bytes", Count, Some("4194304"), Narrower, "How much of a body is read."),
    key("web.max_characters", Count, Some("50000"), Narrower, "How much text one fetch returns."),
    key("web.max_redirects", Count, Some("5"), Narrower, "How many redirects are followed."),
    key("web.search.provider", Choice(&["brave"]), Some(r#""brave""#), Ignored, "Who answers `web_search`."),
    key("web.search.base_url", Text, None, Ignored, "Where the provider is, in place of its own address."),
    key("web.search.key", KeySource, Some(r#"{ environment = "BRAVE_API_KEY" }"#), Ignored,
        "Where the provider's key comes from: an environment variable, or what a program prints."),
    key("spill.max_text_bytes", Count, Some("32768"), Narrower, "How much text one result may hold."),
    key("spill.max_image_bytes", Count, Some("4194304"), Narrower, "How much base64 the images of a result may hold."),
    key("spill.head_bytes", Count, Some("6144"), Narrower, "How much of the beginning of a longer text is shown."),
    key("spill.tail_bytes", Count, Some("2048"), Narrower, "How much of its end is shown."),
    key("spill.answer_bytes", Count, Some("16384"), Narrower, "How much text an answer from kept content may hold."),
    key("spill.quota_bytes", Count, Some("268435456"), Narrower, "How much is kept at the same time."),
    key("spill.quota_entries", Count, Some("1000"), Narrower, "How many contents are kept at the same time."),
    key("spill.expires_after_seconds", Count, Some("3600"), Narrower, "How long a content is kept, in seconds."),
    key("spill.tools.*", ToolSpill, None, Ignored, "What happens to the texts of this tool."),
    key("code.timeout", Duration, Some(r#""5m""#), Narrower, "How long a program may take, waiting included."),
    key("code.cpu", Duration, Some(r#""10s""#), Narrower, "How long a program may compute."),
    key("code.memory", Size, Some(r#""64M""#), Narrower, "How much memory a program may use."),
    key("code.max_calls", Count, Some("10000"), Narrower, "How many calls a program may make."),
    key("code.parallel", Count, Some("10"), Narrower, "How many calls of a program may run at one time."),
    key("model.name", Text, None, Ignored,
        "The model that agents ask: `openai:NAME`, also of servers that speak like it, or `anthropic:NAME`."),
    key("model.base_url", Text, None, Ignored, "Where that model is, in place of the provider's own address."),
    key("model.key", KeySource, None, Ignored,
        "Where its key comes from: an environment variable, or what a program prints. OPENAI_API_KEY or ANTHROPIC_API_KEY \
         if left out."),
    key("model.output_tokens", Count, None, Narrower, "How many tokens one answer may have."),
    key("agent.mode", Choice(&["native", "code", "both"]), Some(r#""native""#), Ignored,
        "How a model gets the tools: to call one by one, to call from programs that it writes, or both."),
    key("agent.max_steps", Count, Some("100"), Narrower, "How often the model is asked in one turn."),
    key("agent.context_tokens", Count, Some("200000"), Narrower, "How many tokens one request may have."),
    key("agent.turn_tokens", Count, Some("20000000"), Narrower,
        "How many tokens all requests of a turn may use together, with those of sub-agents."),
    key("sessions.store", Choice(&["sqlite", "jsonl"]), Some(r#""sqlite""#), Ignored,
        "What keeps new sessions: a database each, or a file of JSON lines each."),
    key("mcp.files", Texts, Some("[]"), Ignored,
        "Files of other programs whose `mcpServers` are used as well, such as `.mcp.json`; from the workspace."),
    key("mcp.lock", Text, None, Ignored,
        "The file that keeps how tools described themselves when first seen; one of yours for each workspace if left out."),
    key("mcp.servers.*.command", Text, None, Ignored, "The program of a server that speaks over standard input and output."),
    key("mcp.servers.*.args", Texts, None, Ignored, "Its arguments. `${NAME}` stands for a variable, here and in the other texts."),
    key("mcp.servers.*.env.*", Secret, None, Ignored, "A variable that is set for it."),
    key("mcp.servers.*.pass_env", Texts, None, Ignored, "Variables that it inherits although they look like credentials."),
    key("mcp.servers.*.cwd", Text, None, Ignored, "Where it starts; in the workspace if left out."),
    key("mcp.servers.*.url", Text, None, Ignored, "The address of a server that speaks over streamable HTTP."),
    key("mcp.servers.*.headers.*", Secret, None, Ignored, "A header of every request to it."),
    key("mcp.servers.*.oauth.client_id", Text, None, Ignored,
        "The client that was registered by hand with a server that people log in to."),
    key("mcp.servers.*.oauth.client_secret", Secret, None, Ignored, "Its secret, where it has one."),
    key("mcp.servers.*.oauth.scopes", Texts, None, Ignored, "What to ask for; what the server says if left out."),
    key("mcp.servers.*.enabled", Flag, None, Ignored, "Whether it is used; it is if left out."),
    key("mcp.servers.*.shared", Flag, None, Ignored, "Whether all sessions share one connection; each has its own if left out."),
    key("mcp.servers.*.allow", Texts, None, Ignored, "The tools to offer, `*` behind a beginning; all if left out."),
    key("mcp.servers.*.deny", Texts, None, Ignored, "Tools that are not offered, whatever `allow` says."),
    key("mcp.servers.*.start_timeout", Duration, None, Ignored, "How long connecting may take; 30s if left out."),
    key("mcp.servers.*.discovery_timeout", Duration, None, Ignored, "How long the list of tools may take; 10s if left out."),
    key("mcp.servers.*.call_timeout", Duration, None, Ignored, "How long a call may take; `limits` alone if left out."),
    key("mcp.servers.*.concurrency", Count, None, Ignored, "How many calls may be under way at one time; 16 if left out."),
    key("mcp.servers.*.trust_annotations", Flag, None, Ignored,
        "Whether its own word counts that a tool changes nothing; it does not if left out."),
    key("mcp.servers.*.handshake", Choice(&["auto", "initialize", "discover"]), None, Ignored,
        "Which handshake to begin with; `auto` asks once in the newer way."),
    key("mcp.servers.*.pins.off", Flag, None, Ignored, "Whether descriptions and schemas may change unnoticed."),
    key("mcp.servers.*.pins.new_tools", Choice(&["quarantine", "pin"]), None, Ignored,
        "What happens to a tool that a known server did not have before; it waits for approval if left out."),
    key("mcp.servers.*.tools.*.effect", Choice(&["pure", "idempotent", "non_idempotent"]), None, Ignored,
        "What a call of this tool leaves behind, under the server's own name for it."),
    key("mcp.servers.*.tools.*.timeout", Duration, None, Ignored, "How long a call of this tool may take."),
    key("mcp.serve.tools", Choice(&["servers", "all"]), Some(r#""all""#), Ignored,
        "What `toolgate mcp` serves: the tools of servers alone, or its own tools for files, shell and web as well."),
    key("mcp.serve.mode", Choice(&["native", "code", "both"]), Some(r#""native""#), Ignored,
        "How clients get the tools: to call one by one, to call from programs, or both."),
    key("mcp.serve.token", KeySource, None, Ignored,
        "Where the token comes from that clients over HTTP need; a new one at each start if left out."),
    key("mcp.serve.hosts", Texts, Some("[]"), Ignored,
        "Names under which it may be reached over HTTP beside those of this machine for itself."),
    key("mcp.serve.origins", Texts, Some("[]"), Ignored, "Origins of web pages that may speak to it."),
    key("mcp.serve.unanswered", Choice(&["deny", "allow"]), Some(r#""deny""#), Ignored,
        "What happens to calls that rules ask about where the client cannot ask a person."),
    key("mcp.profiles.*.allow", Texts, None, Ignored,
        "The tools that clients of this profile get, `*` behind a beginning; all if left out."),
    key("mcp.profiles.*.deny", Texts, None, Ignored, "Tools that they do not get, whatever `allow` says."),
    key("mcp.profiles.*.rules.allow", Texts, None, Ignored, "Further calls of theirs that may run without asking."),
    key("mcp.profiles.*.rules.ask", Texts, None, Ignored, "Further calls of theirs that somebody has to allow."),
    key("mcp.profiles.*.rules.deny", Texts, None, Ignored, "Further calls of theirs that may never run."),
    key("mcp.profiles.*.clients", Texts, None, Ignored, "The names of clients that get this profile by themselves."),
    key("mcp.profiles.*.mode", Choice(&["native", "code", "both"]), None, Ignored,
        "How they get the tools; `mcp.serve.mode` if left out."),
    key("mcp.profiles.*.token", KeySource, None, Ignored,
        "Where a token comes from that opens this profile and no other."),
];

impl Key {
    /// The parts of the path.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &'static str> {
        self.path.split('.')
    }

    /// Whether a path is one that this key means.
    fn is_at(&self, path: &[String]) -> bool {
        self.path.split('.').count() == path.len() && self.begins(path)
    }

    /// Whether a path leads to this key, or as far as it goes towards it.
    fn begins(&self, path: &[String]) -> bool {
        let parts = self.path.split('.').map(Some).chain(std::iter::repeat(None));
        path.iter().zip(parts).all(|(part, own)| own.is_some_and(|own| own == "*" || own == part))
    }

    /// The key at a path.
    pub(super) fn at(path: &[String]) -> Option<&'static Self> {
        KEYS.iter().find(|key| key.is_at(path))
    }

    /// What may follow a path; nothing where it leads nowhere.
    pub(super) fn below(path: &[String]) -> Vec<&'static str> {
        let mut names: Vec<_> = KEYS
            .iter()
            .filter(|key| key.begins(path))
            .filter_map(|key| key.path.split('.').nth(path.len()))
            .collect();
        names.dedup();
        names
    }

    /// A value as it may be shown.
    pub(crate) fn shown(&self, value: &Value) -> Value {
        match self.kind {
            Kind::Secret => Value::from("(hidden)"),
            Kind::Flag
            | Kind::Count
            | Kind::Duration
            | Kind::Size
            | Kind::Text
            | Kind::Texts
            | Kind::Choice(_)
            | Kind::ToolSpill
            | Kind::KeySource
            | Kind::Rules => value.clone(),
        }
    }

    /// How far a value goes, for keys of which a file without trust may say less: the larger, the wider.
    pub(super) fn reach(&self, value: &Value) -> Option<u64> {
        match self.kind {
            Kind::Count => value.as_integer().and_then(|number| u64::try_from(number).ok()),
            Kind::Duration => {
                duration::parse(value.as_str()?).ok().and_then(|time| u64::try_from(time.as_millis()).ok())
            }
            Kind::Size => size::parse(value.as_str()?).ok().and_then(|bytes| u64::try_from(bytes).ok()),
            Kind::Flag => value.as_bool().map(|is_on| u64::from(!is_on)),
            Kind::Choice(words) => {
                let at = words.iter().position(|word| Some(*word) == value.as_str())?;
                u64::try_from(at).ok()
            }
            Kind::Text | Kind::Texts | Kind::Secret | Kind::ToolSpill | Kind::KeySource | Kind::Rules => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lead_to_keys() {
        let path = |text: &str| text.split('.').map(str::to_owned).collect::<Vec<_>>();
        for (text, expected) in [
            ("shell.sandbox.mode", Some("shell.sandbox.mode")),
            ("limits.tools.bash", Some("limits.tools.*")),
            ("limits.tools", None),
            ("shell", None),
            ("shell.mode", None),
            ("shell.sandbox.mode.x", None),
        ] {
            assert_eq!(Key::at(&path(text)).map(|key| key.path), expected, "{text}");
        }
        assert_eq!(Key::below(&path("shell.environment")), ["pass", "set"]);
        assert!(Key::below(&path("shell.mode")).is_empty());
        assert_eq!(Key::below(&[])[..2], ["permissions", "approvals"]);
    }

    #[test]
    fn what_narrows_can_be_compared() {
        for key in KEYS.iter().filter(|key| matches!(key.untrusted, Narrower | NarrowerThanSet)) {
            let is_comparable = !matches!(key.kind, Text | Texts | Secret | ToolSpill | KeySource | Rules);
            assert!(is_comparable, "{} cannot be compared", key.path);
        }
    }
}
