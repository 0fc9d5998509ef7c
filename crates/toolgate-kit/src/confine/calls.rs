//! System calls, by seccomp: sockets, what goes around Landlock, and signals at the supervisor.
//!
//! The filter lists what is refused (`EPERM`) and lets the rest through: commands are ordinary programs.

use std::collections::BTreeMap;

use rustix::process::Pid;
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule,
};

use super::{Confinement, Files, NetworkAccess};

/// What no confined command does: it would change the machine, or reach files or sockets in a way that is not
/// otherwise looked at.
const NEVER: &[libc::c_long] = &[
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_open_by_handle_at,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    OPEN_TREE_ATTR,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fspick,
    libc::SYS_fsmount,
    libc::SYS_mount_setattr,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_add_key,
    libc::SYS_keyctl,
    libc::SYS_request_key,
    libc::SYS_kexec_load,
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    libc::SYS_kexec_file_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
];

/// What changes a file without opening it for writing, which Landlock does not see. Refused where no file may change.
const ATTRIBUTES: &[libc::c_long] = &[
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chmod,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_lchown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utime,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utimes,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_futimesat,
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    FCHMODAT2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    SETXATTRAT,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    REMOVEXATTRAT,
    FILE_SETATTR,
];

/// These have one number on all machines.
const FCHMODAT2: libc::c_long = 452;
const SETXATTRAT: libc::c_long = 463;
const REMOVEXATTRAT: libc::c_long = 466;
const OPEN_TREE_ATTR: libc::c_long = 467;
const FILE_SETATTR: libc::c_long = 469;

/// The other set of numbers by which a 64-bit process of this machine can make the same calls.
#[cfg(target_arch = "x86_64")]
const ALIAS: Option<i64> = Some(0x4000_0000);
#[cfg(not(target_arch = "x86_64"))]
const ALIAS: Option<i64> = None;

/// The filter of a confinement. `supervisor` must get no signal from the command; in a process namespace of its own a
/// command cannot name it.
pub(super) fn filter(confinement: &Confinement, supervisor: Option<Pid>) -> Result<BpfProgram, BackendError> {
    let mut refused: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::new();
    let mut always = |numbers: &[libc::c_long]| {
        refused.extend(numbers.iter().map(|number| (*number, Vec::new())));
    };
    always(NEVER);
    match confinement.files {
        Files::Devices => always(ATTRIBUTES),
        Files::Beneath(_) | Files::All => {}
    }
    match confinement.network {
        NetworkAccess::None => {
            refused.insert(libc::SYS_socket, Vec::new());
            refused.insert(libc::SYS_socketpair, vec![unless_first_is(libc::AF_UNIX)?]);
        }
        NetworkAccess::Unix => {
            refused.insert(libc::SYS_socket, vec![unless_first_is(libc::AF_UNIX)?]);
            refused.insert(libc::SYS_socketpair, vec![unless_first_is(libc::AF_UNIX)?]);
        }
        NetworkAccess::All => {}
    }
    refused.insert(libc::SYS_prlimit64, vec![limits_of_another()?]);
    if let Some(supervisor) = supervisor {
        let own = supervisor.as_raw_nonzero().get();
        // Its number, its group, and everybody: that would be the owner as well.
        let rules = || [own, -own, -1].into_iter().map(if_first_is).collect::<Result<Vec<_>, _>>();
        for number in [
            libc::SYS_kill,
            libc::SYS_tkill,
            libc::SYS_tgkill,
            libc::SYS_rt_sigqueueinfo,
            libc::SYS_rt_tgsigqueueinfo,
            libc::SYS_pidfd_open,
        ] {
            refused.insert(number, rules()?);
        }
    }
    if let Some(alias) = ALIAS {
        let aliases: Vec<_> = refused.iter().map(|(number, rules)| (number | alias, rules.clone())).collect();
        refused.extend(aliases);
    }
    let errno = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    let arch = std::env::consts::ARCH.try_into()?;
    SeccompFilter::new(refused, SeccompAction::Allow, errno, arch)?.try_into()
}

fn if_first_is(value: i32) -> Result<SeccompRule, BackendError> {
    first(SeccompCmpOp::Eq, value)
}

fn unless_first_is(value: i32) -> Result<SeccompRule, BackendError> {
    first(SeccompCmpOp::Ne, value)
}

/// New limits for a process that is named by its number. Landlock is not asked about them, and a supervisor or an owner
/// without file descriptors or processor time ends nothing any more. A process sets its own by the number 0.
fn limits_of_another() -> Result<SeccompRule, BackendError> {
    SeccompRule::new(vec![
        SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, 0)?,
        SeccompCondition::new(2, SeccompCmpArgLen::Qword, SeccompCmpOp::Ne, 0)?,
    ])
}

/// A rule on the lower half of the first argument, which is all that these calls look at.
fn first(operation: SeccompCmpOp, value: i32) -> Result<SeccompRule, BackendError> {
    let value = u64::from(value.cast_unsigned());
    SeccompRule::new(vec![SeccompCondition::new(0, SeccompCmpArgLen::Dword, operation, value)?])
}
