//! Takes the powers of a worker away, in steps: before it is ready, and when it knows its limits.
//!
//! After that a worker can compute, use memory, read its standard input and write its standard output. Opening a
//! file or a socket, starting a process or a thread, and anything else is refused by the kernel.

use std::time::Duration;

use rustix::process::{Resource, Rlimit, setrlimit};

/// Limits the processor time and the address space of this process, for one program. The engine has its own, finer
/// limits; these hold where it does not look.
pub(super) fn limit(cpu: Duration, memory: usize) {
    let seconds = cpu.as_secs().saturating_add(2);
    // Refused where the process may not set limits: the host still watches the time.
    let _ = setrlimit(Resource::Cpu, Rlimit { current: Some(seconds), maximum: Some(seconds + 1) });
    let space = (BASE_SPACE + super::child::STACK).saturating_add(memory.saturating_mul(4)) as u64;
    let _ = setrlimit(Resource::As, Rlimit { current: Some(space), maximum: Some(space) });
}

/// The address space of a process that does nothing: the binary and the heaps that its threads have reserved.
const BASE_SPACE: usize = 1 << 30;

/// Gives up everything that no program needs.
///
/// # Errors
/// When the kernel refuses the filter: then the process must not run a program.
#[cfg(target_os = "linux")]
pub(super) fn confine() -> Result<(), Unconfined> {
    for (resource, most) in [
        (Resource::Core, 0),
        (Resource::Fsize, 0),
        (Resource::Nproc, 0),
        // The three that are open stay open.
        (Resource::Nofile, 3),
    ] {
        let _ = setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) });
    }
    filter::apply()
}

/// Where there is no filter, the limits have to do.
#[cfg(not(target_os = "linux"))]
pub(super) fn confine() -> Result<(), Unconfined> {
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
    Ok(())
}

/// The kernel did not take the filter.
#[derive(Debug)]
pub(super) struct Unconfined;

#[cfg(target_os = "linux")]
mod filter {
    //! The filter of system calls.

    use std::collections::BTreeMap;

    use seccompiler::{
        BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
        SeccompRule, apply_filter_all_threads,
    };

    use super::Unconfined;

    /// What a program's engine and its heap use.
    const ALLOWED: &[libc::c_long] = &[
        libc::SYS_read,
        libc::SYS_write,
        #[cfg(target_arch = "x86_64")]
        libc::SYS_poll,
        libc::SYS_ppoll,
        libc::SYS_futex,
        libc::SYS_mmap,
        libc::SYS_munmap,
        libc::SYS_mprotect,
        libc::SYS_mremap,
        libc::SYS_madvise,
        libc::SYS_brk,
        libc::SYS_clock_gettime,
        libc::SYS_getrandom,
        libc::SYS_gettid,
        libc::SYS_getpid,
        libc::SYS_rt_sigaction,
        libc::SYS_rt_sigprocmask,
        libc::SYS_rt_sigreturn,
        libc::SYS_sigaltstack,
        libc::SYS_sched_yield,
        libc::SYS_restart_syscall,
        libc::SYS_exit,
        libc::SYS_exit_group,
    ];

    pub(super) fn apply() -> Result<(), Unconfined> {
        let mut rules: BTreeMap<i64, Vec<SeccompRule>> =
            ALLOWED.iter().map(|number| (*number, Vec::new())).collect();
        // Its own limits, once it knows them; those of no other process.
        let own = SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, 0)
            .and_then(|condition| SeccompRule::new(vec![condition]))
            .map_err(|_| Unconfined)?;
        rules.insert(libc::SYS_prlimit64, vec![own]);
        let refused = SeccompAction::Errno(u32::try_from(libc::EPERM).unwrap_or(1));
        let arch = std::env::consts::ARCH.try_into().map_err(|_| Unconfined)?;
        let program: BpfProgram = SeccompFilter::new(rules, refused, SeccompAction::Allow, arch)
            .and_then(TryInto::try_into)
            .map_err(|_| Unconfined)?;
        apply_filter_all_threads(&program).map_err(|_| Unconfined)
    }
}
