//! What is on disk: whose it is, how much, for how long, and what happens when it cannot be written.

use std::os::unix::fs::{MetadataExt as _, PermissionsExt, chown, symlink};
use std::path::Path;

use serde_json::json;
use toolgate::prelude::*;
use toolgate_policy::{Spill, SpillConfig};

use super::bench::{Bench, files_below, handle, handle_in, large};

fn mode(path: &Path) -> u32 {
    std::fs::symlink_metadata(path).unwrap().permissions().mode() & 0o7777
}

fn refusal(folder: &Path) -> String {
    let spill = Spill::new(folder, SpillConfig::default());
    let error = ToolRuntime::builder().build().unwrap().plug(spill).expect_err("refused");
    std::error::Error::source(&error).unwrap().to_string()
}

#[tokio::test]
async fn folders_and_files_are_for_their_owner_alone() {
    let bench = Bench::new();
    bench.gives("big", large(50_000));
    bench.call("big", json!({})).await;
    assert_eq!(mode(&bench.folder), 0o700);
    assert_eq!(mode(bench.folder.parent().unwrap()), 0o700);
    let files = bench.files();
    assert_eq!(files.len(), 2, "the text and the call: {files:?}");
    for file in &files {
        assert_eq!(mode(file), 0o600, "{}", file.display());
        assert_eq!(mode(file.parent().unwrap()), 0o700);
        assert_eq!(mode(&file.parent().unwrap().join("lock")), 0o600);
    }
}

#[tokio::test]
async fn a_file_name_does_not_tell_the_handle() {
    let bench = Bench::new();
    bench.gives("big", large(50_000));
    let handle = handle(&bench.call("big", json!({})).await);
    let digits = handle.strip_prefix("spill_").unwrap();
    for file in bench.files() {
        let content = std::fs::read_to_string(&file).unwrap();
        assert!(!file.to_str().unwrap().contains(digits) && !content.contains(digits));
    }
}

#[test]
fn a_folder_that_is_not_private_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let real = home.path().join("real");
    std::fs::create_dir(&real).unwrap();
    std::fs::set_permissions(&real, PermissionsExt::from_mode(0o700)).unwrap();

    let link = home.path().join("link");
    symlink(&real, &link).unwrap();
    assert!(refusal(&link).contains("symbolic link"), "{}", refusal(&link));
    let dangling = home.path().join("dangling");
    symlink(home.path().join("nothing"), &dangling).unwrap();
    assert!(refusal(&dangling).contains("symbolic link"));
    assert!(!home.path().join("nothing").exists(), "nothing is made behind a link");

    let file = home.path().join("file");
    std::fs::write(&file, "").unwrap();
    assert!(refusal(&file).contains("cannot be opened"));

    for wide in [0o701, 0o710, 0o770, 0o755, 0o1777] {
        std::fs::set_permissions(&real, PermissionsExt::from_mode(wide)).unwrap();
        let message = refusal(&real);
        assert!(message.contains(&format!("{wide:04o}")) && message.contains("hint: "), "{message}");
    }
    std::fs::set_permissions(&real, PermissionsExt::from_mode(0o700)).unwrap();

    let is_root = std::fs::metadata(home.path()).unwrap().uid() == 0;
    let foreign = if is_root {
        chown(&real, Some(65_534), None).unwrap();
        real.as_path()
    } else {
        Path::new("/")
    };
    assert!(refusal(foreign).contains("belongs to user"), "{}", refusal(foreign));
    assert_eq!(std::fs::read_dir(&real).unwrap().count(), 0, "a refused folder is left as it was");
}

#[tokio::test]
async fn a_link_in_the_place_of_the_folder_leads_nowhere() {
    let bench = Bench::new();
    bench.gives("big", large(50_000));
    let first = handle(&bench.call("big", json!({})).await);
    let moved = bench.folder.with_file_name("moved");
    let trap = bench.folder.with_file_name("trap");
    std::fs::create_dir(&trap).unwrap();
    std::fs::rename(&bench.folder, &moved).unwrap();
    symlink(&trap, &bench.folder).unwrap();
    let second = handle(&bench.call("big", json!({})).await);
    assert_eq!(std::fs::read_dir(&trap).unwrap().count(), 0);
    assert_eq!(files_below(&moved).len(), 4);
    assert_eq!((bench.refusal(&first).await, bench.refusal(&second).await), (None, None));
    // A file that was replaced by a link is not followed either.
    let secret = bench.folder.with_file_name("secret");
    std::fs::write(&secret, "SECRET").unwrap();
    for file in files_below(&moved) {
        std::fs::remove_file(&file).unwrap();
        symlink(&secret, &file).unwrap();
    }
    assert_eq!(bench.refusal(&first).await.as_deref(), Some("SPILL_UNREADABLE"));
}

#[tokio::test]
async fn the_oldest_makes_room_and_is_told_to_be_gone() {
    let size = large(50_000).to_string().len() as u64 * 2;
    for config in [
        SpillConfig { quota_entries: 3, ..SpillConfig::default() },
        SpillConfig { quota_bytes: 4 * size, ..SpillConfig::default() },
    ] {
        let bench = Bench::with(config.clone());
        bench.gives("big", large(50_000));
        let mut handles = Vec::new();
        for _ in 0..10 {
            handles.push(handle(&bench.call("big", json!({})).await));
            let bytes = bench.files().iter().map(|file| file.metadata().unwrap().len()).sum::<u64>();
            assert!(bytes <= config.quota_bytes && bench.files().len() / 2 <= config.quota_entries as usize);
        }
        let left = bench.files().len() / 2;
        assert!((1..=5).contains(&left), "{left}");
        for (at, handle) in handles.iter().enumerate() {
            let expected = (at < 10 - left).then(|| "SPILL_EXPIRED".to_owned());
            assert_eq!(bench.refusal(handle).await, expected, "{at}");
        }
        // To anybody else it is what it always was: unknown.
        let other = bench.runtime.scope("other");
        assert_eq!(bench.refusal_of(&other, &handles[0]).await.as_deref(), Some("SPILL_UNKNOWN_HANDLE"));
    }
}

#[tokio::test]
async fn what_was_kept_for_its_time_goes() {
    let bench = Bench::new();
    bench.gives("big", large(50_000));
    let first = handle(&bench.call("big", json!({})).await);
    bench.pass(1_800);
    let second = handle(&bench.call("big", json!({})).await);
    bench.pass(1_799);
    assert_eq!((bench.refusal(&first).await, bench.files().len()), (None, 4));
    bench.pass(1);
    assert_eq!(bench.refusal(&first).await.as_deref(), Some("SPILL_EXPIRED"));
    assert_eq!((bench.refusal(&second).await, bench.files().len()), (None, 2));
}

#[tokio::test]
async fn what_is_larger_than_the_quota_stays_whole() {
    let bench = Bench::with(SpillConfig { quota_bytes: 60_000, ..SpillConfig::default() });
    bench.gives("fits", "x".repeat(50_000));
    bench.gives("large", "x".repeat(60_001));
    let kept = handle(&bench.call("fits", json!({})).await);
    let result = bench.call("large", json!({})).await;
    assert!(result.text() == "x".repeat(60_001));
    assert_eq!(bench.refusal(&kept).await, None, "nothing made room for it");
}

#[tokio::test]
async fn a_store_that_is_gone_leaves_the_result_whole() {
    let bench = Bench::new();
    bench.gives("big", large(50_000));
    std::fs::remove_dir_all(&bench.folder).unwrap();
    let result = bench.call("big", json!({})).await;
    assert_eq!(result.text(), large(50_000).to_string());
}

#[tokio::test]
async fn everything_goes_with_the_runtime() {
    let bench = Bench::new();
    bench.gives("big", large(50_000));
    bench.call("big", json!({})).await;
    let folder = bench.folder.clone();
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
    let keep_home = bench.into_home();
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
    drop(keep_home);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn writers_at_the_same_time_get_their_own_content() {
    let bench =
        std::sync::Arc::new(Bench::with(SpillConfig { quota_entries: 100, ..SpillConfig::default() }));
    for number in 0..16 {
        bench.gives(&format!("big{number}"), format!("{number} ").repeat(30_000));
    }
    let calls = (0..64).map(|number| {
        let bench = std::sync::Arc::clone(&bench);
        tokio::spawn(async move {
            let number = number % 16;
            let result = bench.call(&format!("big{number}"), json!({})).await;
            let handle = handle_in(&result.text()).unwrap();
            let read = bench.value("spill_read", json!({ "handle": handle, "offset": 9_000 })).await;
            let expected = format!("{number} ").repeat(30_000);
            assert!(expected[9_000..].starts_with(read["text"].as_str().unwrap()), "{number}");
            handle
        })
    });
    let mut handles = Vec::new();
    for call in calls.collect::<Vec<_>>() {
        handles.push(call.await.unwrap());
    }
    handles.sort();
    handles.dedup();
    assert_eq!((handles.len(), bench.files().len()), (64, 128));
}
