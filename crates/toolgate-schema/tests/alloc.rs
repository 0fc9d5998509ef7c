//! Cost: judging a valid value of ordinary depth allocates nothing, and shared values are free.

#![expect(unsafe_code, reason = "a counting global allocator can only be written with unsafe")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use toolgate_schema::{CompiledSchema, JsonValue};

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call is passed on to the system allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

fn allocations<T>(body: impl FnOnce() -> T) -> (usize, T) {
    let before = ALLOCATIONS.get();
    let value = body();
    (ALLOCATIONS.get() - before, value)
}

const SCHEMA: &str = r#"{"type":"object","additionalProperties":false,"required":["path","edits"],"properties":{
    "path":{"type":"string"},"mode":{"type":"string","enum":["read","write"]},"limit":{"type":"integer"},
    "edits":{"type":"array","items":{"type":"object","required":["at"],"properties":{
        "at":{"oneOf":[{"type":"integer"},{"type":"null"}]},"text":{"type":"string"}}}},
    "extra":{}}}"#;

const VALUE: &str = r#"{"path":"/srv/a.txt","mode":"write","limit":10,"edits":[{"at":1,"text":"a","more":[1]},
    {"text":"b","at":null}],"extra":{"deep":[[[1]]]}}"#;

#[test]
fn judging_a_valid_value_allocates_nothing() {
    let schema = CompiledSchema::compile(JsonValue::parse(SCHEMA).unwrap()).unwrap();
    let value = JsonValue::parse(VALUE).unwrap();
    assert_eq!(allocations(|| schema.is_valid(&value)), (0, true));
    assert_eq!(allocations(|| value == value.clone()).0, 0);
    let other = JsonValue::parse(VALUE).unwrap();
    assert_eq!(allocations(|| value == other), (0, true));
}

#[test]
fn common_values_are_shared() {
    drop((JsonValue::null(), JsonValue::empty_object(), CompiledSchema::any()));
    let (count, _) = allocations(|| (JsonValue::null(), JsonValue::empty_object(), CompiledSchema::any()));
    assert_eq!(count, 0);
}

#[test]
fn the_boundary_costs_one_allocation() {
    // The search for negative zero needs none, the shared owner needs one.
    let value: serde_json::Value = serde_json::from_str(VALUE).unwrap();
    assert_eq!(allocations(|| JsonValue::new(value).map(drop).is_ok()), (1, true));
    assert_eq!(allocations(|| JsonValue::encode(&7_u64).is_ok()), (1, true));
    // One for the text, one for the owner.
    assert_eq!(allocations(|| JsonValue::encode("text").is_ok()), (2, true));
}
