//! The calls of the operating system that have no safe wrapper. The only unsafe code of this crate.

/// Closes every file descriptor but the standard three.
#[cfg(target_os = "linux")]
pub(crate) fn close_inherited() {
    // SAFETY: called first thing in a worker process, before anything in it owns a descriptor above 2.
    #[expect(unsafe_code, reason = "close_range has no safe wrapper: it can close what others own")]
    unsafe {
        libc::syscall(libc::SYS_close_range, 3_u32, u32::MAX, 0_u32);
    }
}

/// Closes every file descriptor but the standard three, where there is a way.
#[cfg(not(target_os = "linux"))]
pub(crate) fn close_inherited() {}

/// Gives free pages of the heap back, after a run that may have used many. Threads that end leave theirs behind.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(crate) fn give_back_memory() {
    // SAFETY: malloc_trim takes no pointers and may be called at any time from any thread.
    #[expect(unsafe_code, reason = "malloc_trim has no safe wrapper")]
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Gives free pages of the heap back, where there is a way.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn give_back_memory() {}
