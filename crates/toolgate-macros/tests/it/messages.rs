//! The message of every mistake, as the author sees it, with nothing else around it.

#[test]
fn every_mistake_is_reported_once_at_its_place() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
