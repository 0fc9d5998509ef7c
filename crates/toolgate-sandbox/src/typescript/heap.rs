//! [`Heap`]: the memory of one program, and whether it was ever too small.
//!
//! The engine takes its memory here and nowhere else. It throws null where there is none for an error, and so may a
//! program that has plenty; only this knows which it was.

use std::cell::Cell;
use std::ptr::null_mut;
use std::rc::Rc;

use rquickjs::allocator::{Allocator, RustAllocator};

/// What a block takes besides the bytes that were asked for, as the engine counts it.
const OVERHEAD: usize = 16;

/// The largest block that the engine takes for small values, many of which share it.
const SMALL: usize = 8 << 10;

/// What there is beyond the limit for such blocks: a program that was refused a large value can go on with small ones, and
/// the engine has room for the error.
const RESERVE: usize = 256 << 10;

/// What there is beyond that for a program that is to end: the error that ends it must not fail, because a program could
/// catch what is thrown in its place.
const LAST: usize = 1 << 20;

/// What a heap and those who run its program know of each other.
#[derive(Default)]
pub(super) struct Pressure {
    /// Whether the program had no memory at least once.
    pub(super) is_exhausted: Cell<bool>,
    /// Whether it is to end.
    pub(super) is_ending: Cell<bool>,
}

/// The memory of one program.
pub(super) struct Heap {
    most: usize,
    used: usize,
    pressure: Rc<Pressure>,
}

impl Heap {
    /// A heap of so many bytes, which says when it had to refuse some.
    pub(super) fn new(bytes: usize, pressure: Rc<Pressure>) -> Self {
        Self { most: bytes, used: 0, pressure }
    }

    /// Whether there is room for a block of so many bytes, in place of one that takes so many.
    fn has(&self, size: usize, before: usize) -> bool {
        let extra = match (size <= SMALL, self.pressure.is_ending.get()) {
            (true, true) => RESERVE + LAST,
            (true, false) => RESERVE,
            (false, _) => 0,
        };
        let most = self.most.saturating_add(extra);
        let used = self.used.saturating_sub(before).saturating_add(size).saturating_add(OVERHEAD);
        let has = used <= most;
        if !has {
            self.pressure.is_exhausted.set(true);
        }
        has
    }

    /// Counts a block that was made, if it was.
    fn made(&mut self, block: *mut u8) -> *mut u8 {
        if block.is_null() {
            self.pressure.is_exhausted.set(true);
        } else {
            self.used = self.used.saturating_add(taken(block));
        }
        block
    }
}

/// What a block takes.
#[expect(unsafe_code, reason = "only blocks of this allocator come here")]
fn taken(block: *mut u8) -> usize {
    // SAFETY: every block of a heap was made by the allocator that is asked.
    unsafe { RustAllocator::usable_size(block) }.saturating_add(OVERHEAD)
}

#[expect(
    unsafe_code,
    reason = "every block comes from the allocator to which it goes back; this counts and refuses"
)]
// SAFETY: blocks are those of `RustAllocator`, which keeps what the trait asks for; null is an allowed answer.
unsafe impl Allocator for Heap {
    fn alloc(&mut self, size: usize) -> *mut u8 {
        if !self.has(size, 0) {
            return null_mut();
        }
        let block = RustAllocator.alloc(size);
        self.made(block)
    }

    fn calloc(&mut self, count: usize, size: usize) -> *mut u8 {
        if !self.has(count.saturating_mul(size), 0) {
            return null_mut();
        }
        let block = RustAllocator.calloc(count, size);
        self.made(block)
    }

    unsafe fn dealloc(&mut self, block: *mut u8) {
        self.used = self.used.saturating_sub(taken(block));
        // SAFETY: the caller gives a block of this allocator.
        unsafe { RustAllocator.dealloc(block) }
    }

    unsafe fn realloc(&mut self, block: *mut u8, size: usize) -> *mut u8 {
        let before = taken(block);
        if !self.has(size, before) {
            return null_mut();
        }
        // SAFETY: the caller gives a block of this allocator.
        let block = unsafe { RustAllocator.realloc(block, size) };
        if !block.is_null() {
            self.used = self.used.saturating_sub(before);
        }
        self.made(block)
    }

    unsafe fn usable_size(block: *mut u8) -> usize {
        // SAFETY: the caller gives a block of this allocator.
        unsafe { RustAllocator::usable_size(block) }
    }
}
