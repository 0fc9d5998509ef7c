//! How much a call allocates (DESIGN section 11): at most six times beyond its request.

#![expect(clippy::panic, reason = "a failing helper fails its test")]
#![expect(unsafe_code, reason = "a global allocator cannot be written without it")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use toolgate::prelude::*;

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every method hands its arguments to the system allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller's promise is passed on.
        unsafe { System.realloc(block, layout, size) }
    }
}

#[global_allocator]
static GLOBAL: Counting = Counting;

#[derive(serde::Deserialize, Schema)]
struct Add {
    a: i64,
    b: i64,
}

fn ready<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("the call waits for nothing"),
    }
}

#[test]
fn a_bare_call_allocates_at_most_six_times_beyond_its_request() {
    let add = tool_fn("add", "Adds.", |args: Add, _: RunContext| async move { Ok(args.a + args.b) });
    let runtime = ToolRuntime::builder().tool(add).build().expect("valid");
    let request = || ToolCall::new("add", serde_json::json!({ "a": 1, "b": 2 }), CancellationToken::new());
    // The first call makes the view that later ones share.
    ready(runtime.execute(request()));

    let call = request();
    let before = ALLOCATIONS.with(Cell::get);
    let result = ready(runtime.execute(call));
    let allocations = ALLOCATIONS.with(Cell::get) - before;
    assert_eq!(result.text(), "3");
    println!("a bare call allocates {allocations} times");
    assert!(allocations <= 6, "{allocations} allocations");
}
