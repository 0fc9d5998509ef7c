//! The calls of the operating system that have no safe wrapper. The only unsafe code of this crate.
//!
//! Used by the supervisor, which is a process with one thread, and by the probe. Nothing here keeps state.

use std::io;
use std::process::Command;

/// Has `work` run in the child, after the fork and before the program begins.
///
/// Only for the supervisor: its process has one thread, so a fork leaves no lock behind that nobody holds, and `work`
/// may do what any code may.
pub(crate) fn before_exec(
    command: &mut Command,
    work: impl FnMut() -> io::Result<()> + Send + Sync + 'static,
) {
    use std::os::unix::process::CommandExt as _;
    // SAFETY: the calling process has a single thread, so the child may allocate and take locks.
    #[expect(unsafe_code, reason = "what runs between fork and exec has no safe interface")]
    unsafe {
        command.pre_exec(work);
    }
}

/// Closes every file descriptor but the standard three.
#[cfg(target_os = "linux")]
pub(crate) fn close_inherited() {
    // SAFETY: called first thing in a supervisor process, before anything in it owns a descriptor above 2.
    #[expect(unsafe_code, reason = "close_range has no safe wrapper: it can close what others own")]
    unsafe {
        libc::syscall(libc::SYS_close_range, 3_u32, u32::MAX, 0_u32);
    }
}

/// Closes every file descriptor but the standard three, where there is a way.
#[cfg(not(target_os = "linux"))]
pub(crate) fn close_inherited() {}

/// Blocks every signal that can be blocked, for this thread and for what it starts.
pub(crate) fn block_signals() {
    mask_signals(libc::SIG_BLOCK);
}

/// Lets every signal through again, with what the system does about it: whoever started the owner may have had it
/// ignore some, as a shell does for what it runs in the background.
pub(crate) fn reset_signals() {
    /// Those beyond are of the C library.
    const ORDINARY: std::ops::RangeInclusive<libc::c_int> = 1..=31;
    for number in ORDINARY {
        // SAFETY: no handler is installed; for signals that cannot be changed the call fails.
        #[expect(unsafe_code, reason = "signal has no safe wrapper")]
        unsafe {
            libc::signal(number, libc::SIG_DFL);
        }
    }
    mask_signals(libc::SIG_UNBLOCK);
}

fn mask_signals(how: libc::c_int) {
    // SAFETY: the set is initialised by sigfillset before it is read, and both pointers outlive the calls.
    #[expect(unsafe_code, reason = "pthread_sigmask has no safe wrapper")]
    unsafe {
        let mut all = std::mem::MaybeUninit::<libc::sigset_t>::uninit();
        if libc::sigfillset(all.as_mut_ptr()) == 0 {
            libc::pthread_sigmask(how, all.as_ptr(), std::ptr::null_mut());
        }
    }
}

/// The version of Landlock that this kernel enforces; none where it has none or has it switched off.
#[cfg(target_os = "linux")]
pub(crate) fn landlock_abi() -> Option<u32> {
    const VERSION: libc::c_uint = 1;
    // SAFETY: with this flag the call reads no memory: it takes a null pointer and a size of zero.
    #[expect(unsafe_code, reason = "asking for the version has no safe wrapper")]
    let abi =
        unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, std::ptr::null::<u8>(), 0_usize, VERSION) };
    u32::try_from(abi).ok().filter(|abi| *abi > 0)
}

/// The version of Landlock that this kernel enforces.
#[cfg(not(target_os = "linux"))]
pub(crate) fn landlock_abi() -> Option<u32> {
    None
}
