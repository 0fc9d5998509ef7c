//! The `[spill]` table of a configuration file.

use std::time::Duration;

use toolgate::ToolRuntime;
use toolgate_policy::{Spill, SpillConfig, ToolSpill};

#[test]
fn settings_are_read_by_name_and_unknown_ones_refused() {
    let text = "max_text_bytes = 65536\nexpires_after_seconds = 90\ntools = { read = \"never\", bash = { above = 9000 } }";
    let config: SpillConfig = toml::from_str(text).unwrap();
    assert_eq!((config.max_text_bytes, config.expires_after), (65_536, Duration::from_secs(90)));
    assert_eq!((config.tools["read"], config.tools["bash"]), (ToolSpill::Never, ToolSpill::Above(9_000)));
    assert_eq!(config.quota_entries, SpillConfig::default().quota_entries);
    for text in [
        "max_text = 1",
        "tools = { read = \"seldom\" }",
        "quota_bytes = -1",
        "expires_after_seconds = \"1h\"",
    ] {
        assert!(toml::from_str::<SpillConfig>(text).is_err(), "{text}");
    }
}

#[test]
fn settings_that_make_no_sense_are_named() {
    let home = tempfile::tempdir().unwrap();
    for (text, words) in [
        ("max_text_bytes = 8191", "`max_text_bytes`"),
        ("tools = { bash = { above = 10 } }", "`tools.bash.above`"),
        ("answer_bytes = 255", "`answer_bytes`"),
        ("answer_bytes = 1048577", "`answer_bytes`"),
        ("quota_bytes = 0", "`quota_bytes`"),
        ("quota_entries = 0", "`quota_entries`"),
        ("expires_after_seconds = 0", "`expires_after_seconds`"),
    ] {
        let spill = Spill::new(home.path().join("spill"), toml::from_str(text).unwrap());
        let runtime = ToolRuntime::builder().build().unwrap();
        let error = runtime.plug(spill).unwrap_err();
        let message = std::error::Error::source(&error).unwrap().to_string();
        assert!(message.contains(words) && message.contains("hint: "), "{text}: {message}");
        assert!(runtime.tools().is_empty(), "nothing is left of it");
    }
    assert!(!home.path().join("spill").exists());
}
