//! Long texts page by page, and names that are no names.

use serde_json::json;

use crate::support::{Server, asks, says};

#[tokio::test(flavor = "multi_thread")]
async fn a_long_text_is_cut_in_its_card_and_whole_on_its_page() {
    let lines: String = (0..20_000).map(|line| format!("line {line}.\n")).collect();
    let server = Server::start(vec![says(&lines)]).await;
    let id = server.played("speak").await;
    let page = server.get(&format!("/sessions/{id}")).await.body;
    assert!(page.contains("line 1.") && !page.contains("line 19999."), "{} bytes", page.len());
    let address = format!("/sessions/{id}/text/3");
    assert!(page.contains(&address), "{page}");
    let (mut seen, mut next) = (0, Some(address.clone()));
    while let Some(path) = next {
        let part = server.get(&path).await.body;
        seen += part.matches("line ").count();
        let (_, ways) = part.rsplit_once("class=\"ways\"").unwrap();
        next = ways
            .split("href=\"")
            .skip(1)
            .find(|link| link.contains(">Later"))
            .map(|link| link.split('"').next().unwrap().to_owned());
    }
    assert_eq!(seen, 20_000);
    assert_eq!(server.get(&format!("{address}?offset=99999999")).await.status, 200);
    assert_eq!(server.get(&format!("/sessions/{id}/text/99")).await.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn tricks_with_paths_lead_nowhere() {
    let server = Server::start(vec![asks(&[("prints", json!({ "text": "x" }))]), says("done")]).await;
    let id = server.played("print").await;
    std::fs::write(server.folder.path().join("secret.txt"), "top secret").unwrap();
    let handle = format!("spill_{}", "0".repeat(32));
    for path in [
        format!("/sessions/{id}/kept/{handle}"),
        format!("/sessions/{id}/kept/..%2f..%2fsecret.txt"),
        format!("/sessions/{id}/kept/spill_..%2f..%2f..%2f..%2fsecret.txt000000"),
        format!("/sessions/{id}/kept/%00"),
        format!("/sessions/{id}/text/..%2fsecret.txt"),
        "/sessions/..%2f..%2fsecret".to_owned(),
        "/sessions/..".to_owned(),
        format!("/sessions/{}", id.to_string().to_uppercase()),
        format!("/sessions/{id}%00"),
        "/assets/..%2f..%2fsecret.txt".to_owned(),
        "/assets/../../secret.txt".to_owned(),
        "/assets/page.css%00".to_owned(),
        "/etc/passwd".to_owned(),
    ] {
        let answer = server.get(&path).await;
        assert!((400..500).contains(&answer.status), "{path}: {answer:?}");
        assert!(!answer.body.contains("top secret"), "{path}");
    }
}
