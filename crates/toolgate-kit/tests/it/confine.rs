//! What confined commands cannot do. Each attempt is judged by what it left in the world, and each has a counterpart
//! that shows that it works where it may.

use std::fs;
use std::net::{TcpListener, UdpSocket};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixListener;
use std::process::{Child, Command};

use serde_json::json;
use toolgate_kit::{
    Bubblewrap, Enforcement, NetworkAccess, SandboxBackend, SandboxConfig, SandboxMode, SandboxSupport,
    ShellConfig,
};

use crate::shell_bench::{ShellBench, confined, unconfined};

/// The ways in which this machine can confine.
fn backends() -> Vec<SandboxBackend> {
    let support = SandboxSupport::probe();
    let mut backends = Vec::new();
    let landlock = SandboxConfig { backend: SandboxBackend::Landlock, ..SandboxConfig::default() };
    if support.plan(&landlock).is_ok() {
        backends.push(SandboxBackend::Landlock);
    }
    if matches!(support.bubblewrap, Bubblewrap::Usable { .. }) {
        backends.push(SandboxBackend::Bubblewrap);
    }
    if backends.is_empty() {
        eprintln!("skipped: this machine confines nothing: {support:?}");
    }
    backends
}

fn with(backend: SandboxBackend, mode: SandboxMode, network: Option<NetworkAccess>) -> ShellConfig {
    let sandbox = SandboxConfig { backend, mode, network, ..SandboxConfig::default() };
    ShellConfig { sandbox, ..ShellConfig::default() }
}

/// Attempts on `../beside`, which is outside, from the workspace.
const ESCAPES: &[&str] = &[
    "echo new > ../beside/new",
    "echo changed > ../beside/old",
    "echo more >> ../beside/old",
    ": > ../beside/old",
    "truncate -s 0 ../beside/old",
    "rm -f ../beside/old",
    "mv ../beside/old stolen",
    "mv -f own ../beside/old",
    "ln ../beside/old hard && echo changed > hard",
    "ln -s ../beside/old soft && echo changed > soft",
    "mkdir ../beside/new",
    "ln -s /etc/passwd ../beside/new",
    "mkfifo ../beside/new",
    "cp own ../beside/new",
    "cd ../beside && echo new > new",
    "echo new > /proc/self/cwd/../beside/new",
    "setsid --wait sh -c 'echo new > ../beside/new'",
    "dd if=own of=../beside/old conv=notrunc",
];

#[tokio::test]
async fn nothing_outside_the_workspace_can_be_changed() {
    for backend in backends() {
        for mode in [SandboxMode::WorkspaceWrite, SandboxMode::ReadOnly] {
            let bench = ShellBench::new(with(backend, mode, None));
            let beside = bench.outside("beside");
            fs::create_dir(&beside).unwrap();
            fs::write(beside.join("old"), "old\n").unwrap();
            fs::write(bench.path("own"), "own\n").unwrap();
            for escape in ESCAPES {
                let value = bench.bash(escape).await;
                assert_ne!(value["exit_code"], 0, "{backend:?} {mode} {escape}: {value}");
                let left: Vec<_> =
                    fs::read_dir(&beside).unwrap().map(|entry| entry.unwrap().file_name()).collect();
                assert_eq!(left, ["old"], "{backend:?} {mode} {escape}");
                assert_eq!(
                    fs::read_to_string(beside.join("old")).unwrap(),
                    "old\n",
                    "{backend:?} {mode} {escape}"
                );
            }
            // It may be read.
            assert_eq!(bench.bash("cat ../beside/old").await["output"], "old\n");
        }
    }
    // The same attempts succeed where nothing is confined, so they are attempts.
    for escape in ESCAPES {
        let bench = ShellBench::new(unconfined());
        fs::create_dir(bench.outside("beside")).unwrap();
        fs::write(bench.outside("beside/old"), "old\n").unwrap();
        fs::write(bench.path("own"), "own\n").unwrap();
        assert_eq!(bench.bash(escape).await["exit_code"], 0, "{escape}");
    }
}

#[tokio::test]
async fn the_workspace_and_the_temporary_folder_can_be_worked_in() {
    for backend in backends() {
        let bench = ShellBench::new(with(backend, SandboxMode::WorkspaceWrite, None));
        for command in [
            "mkdir -p a/b && echo x > a/b/f && mv a/b/f a/f && ln a/f hard && ln -s a/f soft && rm -r a/b",
            "echo x > f && chmod 755 f && touch -d '2001-01-01' f && truncate -s 0 f && mkfifo pipe && rm pipe",
            "f=$(mktemp) && echo x > $f && cp $f copied && rm $f",
            "echo x > /dev/null && head -c 8 /dev/urandom | cat > random",
            "git init -q repo && cd repo && git -c user.name=n -c user.email=e@x commit -q --allow-empty -m x",
            "cat <<E > here\n$(head -c 200000 /dev/zero | tr '\\0' x)\nE",
        ] {
            let value = bench.bash(command).await;
            assert_eq!(value["exit_code"], 0, "{backend:?} {command}: {value}");
        }
    }
}

#[tokio::test]
async fn read_only_changes_nothing_at_all() {
    for backend in backends() {
        let bench = ShellBench::new(with(backend, SandboxMode::ReadOnly, None));
        fs::write(bench.path("f"), "old").unwrap();
        fs::set_permissions(bench.path("f"), fs::Permissions::from_mode(0o640)).unwrap();
        let before = fs::metadata(bench.path("f")).unwrap();
        for command in [
            "echo new > f",
            "echo x > new",
            "rm f",
            "mv f g",
            "chmod 777 f",
            "touch f",
            "chown 1:1 f",
            "mkdir d",
            "ln f hard",
            "echo x > $TMPDIR/f",
        ] {
            let value = bench.bash(command).await;
            assert_ne!(value["exit_code"], 0, "{backend:?} {command}: {value}");
        }
        let after = fs::metadata(bench.path("f")).unwrap();
        assert_eq!(fs::read_to_string(bench.path("f")).unwrap(), "old");
        assert_eq!(before.permissions(), after.permissions());
        assert_eq!(before.modified().unwrap(), after.modified().unwrap());
        assert_eq!(fs::read_dir(bench.path(".")).unwrap().count(), 1);
        assert_eq!(
            bench.bash("cat f; echo x > /dev/null; grep -c root /etc/passwd | head -c 0").await["exit_code"],
            0
        );
    }
}

#[tokio::test]
async fn what_is_named_can_be_changed_too() {
    let directory = tempfile::tempdir().unwrap();
    let named = fs::canonicalize(directory.path()).unwrap();
    for backend in backends() {
        let sandbox = SandboxConfig { backend, writable: vec![named.clone()], ..SandboxConfig::default() };
        let bench = ShellBench::new(ShellConfig { sandbox, ..ShellConfig::default() });
        let value = bench.bash(&format!("echo x > {}/{backend:?}", named.display())).await;
        assert_eq!(value["exit_code"], 0, "{value}");
        assert!(named.join(format!("{backend:?}")).exists());
    }
}

#[tokio::test]
async fn without_network_nobody_is_reached() {
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
    tcp.set_nonblocking(true).unwrap();
    udp.set_nonblocking(true).unwrap();
    let reach_tcp =
        format!("exec 3<> /dev/tcp/127.0.0.1/{} && echo reached", tcp.local_addr().unwrap().port());
    let reach_udp =
        format!("echo x > /dev/udp/127.0.0.1/{} && echo reached", udp.local_addr().unwrap().port());
    let got_datagram = || udp.recv(&mut [0; 8]).is_ok();
    for backend in backends() {
        for (network, is_reached) in
            [(NetworkAccess::None, false), (NetworkAccess::Unix, false), (NetworkAccess::All, true)]
        {
            let bench = ShellBench::new(with(backend, SandboxMode::WorkspaceWrite, Some(network)));
            let unix = UnixListener::bind(bench.path("socket")).unwrap();
            unix.set_nonblocking(true).unwrap();
            let connect = "perl -MSocket -e 'socket(S,AF_UNIX,SOCK_STREAM,0) && connect(S,pack_sockaddr_un(\"socket\")) || exit 1'";
            let outputs =
                [bench.bash(&reach_tcp).await, bench.bash(&reach_udp).await, bench.bash(connect).await];
            let reached = [tcp.accept().is_ok(), got_datagram(), unix.accept().is_ok()];
            let expected = [is_reached, is_reached, network != NetworkAccess::None];
            assert_eq!(reached, expected, "{backend:?} {network}: {outputs:#?}");
        }
    }
    // The mode that confines no file can be without network all the same.
    if SandboxSupport::probe_kernel().seccomp {
        let bench = ShellBench::new(confined(SandboxMode::Full, Some(NetworkAccess::None)));
        assert_ne!(bench.bash(&reach_tcp).await["exit_code"], 0);
        assert!(tcp.accept().is_err());
    }
}

#[tokio::test]
async fn other_processes_are_out_of_reach() {
    let own = std::process::id();
    let support = SandboxSupport::probe_kernel();
    for backend in backends() {
        let bench = ShellBench::new(with(backend, SandboxMode::WorkspaceWrite, None));
        // The supervisor first: if it died, the call would fail.
        for command in ["kill -KILL $PPID", "kill -KILL -- -$PPID", "kill -KILL -1"] {
            // Inside a process namespace they are the command's own processes.
            if backend == SandboxBackend::Landlock {
                let value = bench.bash(&format!("{command}; echo alive")).await;
                assert_eq!(
                    value["output"].as_str().map(|text| text.ends_with("alive\n")),
                    Some(true),
                    "{command}: {value}"
                );
            }
        }
        if backend == SandboxBackend::Bubblewrap || support.landlock >= Some(6) {
            assert_ne!(bench.bash(&format!("kill -0 {own}")).await["exit_code"], 0, "{backend:?}");
        }
        let value = bench.bash(&format!("cat /proc/{own}/environ | tr '\\0' '\\n' | grep -c ^PATH=")).await;
        assert_ne!(value["exit_code"], 0, "{backend:?}: {value}");
    }
    let bench = ShellBench::new(unconfined());
    let value = bench
        .bash(&format!("kill -0 {own} && cat /proc/{own}/environ | tr '\\0' '\\n' | grep -c ^PATH="))
        .await;
    assert_eq!(value["exit_code"], 0, "{value}");
}

#[tokio::test]
async fn a_command_sets_no_limits_but_its_own() {
    // Without file descriptors a supervisor finds nothing to end, and without processor time the owner is killed.
    let limits = |text: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix("Max open files"));
        line.map(|line| line.split_whitespace().take(2).map(str::to_owned).collect::<Vec<_>>())
    };
    let victim = Victim(Command::new("sleep").arg("300").spawn().unwrap());
    let path = format!("/proc/{}/limits", victim.0.id());
    let before = limits(&fs::read_to_string(&path).unwrap()).unwrap();
    let attempt = format!("prlimit --pid {} --nofile=7:9", victim.0.id());
    for backend in backends() {
        let bench = ShellBench::new(with(backend, SandboxMode::WorkspaceWrite, None));
        let value = bench.bash(&attempt).await;
        assert_ne!(value["exit_code"], 0, "{backend:?}: {value}");
        assert_eq!(limits(&fs::read_to_string(&path).unwrap()).unwrap(), before, "{backend:?}");
        if backend == SandboxBackend::Landlock {
            let value = bench.bash("prlimit --pid $PPID --nofile=7:9; cat /proc/$PPID/limits").await;
            assert_ne!(
                limits(value["output"].as_str().unwrap()).unwrap(),
                ["7", "9"],
                "the supervisor: {value}"
            );
        }
        let value = bench.bash("ulimit -n 20 && prlimit --nofile=15:15 sh -c 'ulimit -n'").await;
        assert_eq!(value["output"], "15\n", "{backend:?}: {value}");
    }
    let value = ShellBench::new(unconfined()).bash(&attempt).await;
    assert_eq!(value["exit_code"], 0, "{value}");
    assert_eq!(limits(&fs::read_to_string(&path).unwrap()).unwrap(), ["7", "9"]);
}

/// A process of somebody else.
struct Victim(Child);

impl Drop for Victim {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::test]
async fn a_confinement_that_cannot_be_enforced_refuses_to_run() {
    let usable = matches!(SandboxSupport::probe().bubblewrap, Bubblewrap::Usable { .. });
    let bench = ShellBench::new(with(SandboxBackend::Bubblewrap, SandboxMode::WorkspaceWrite, None));
    let result = bench.call("bash", json!({ "command": "echo ran > ran" })).await;
    if usable {
        assert!(bench.path("ran").exists(), "{}", result.text());
    } else {
        assert_eq!(result.code(), Some("CONFINEMENT_UNAVAILABLE"));
        assert!(!bench.path("ran").exists());
    }
}

#[test]
fn a_plan_keeps_its_promise_or_is_refused() {
    let kernel = |landlock: Option<u32>, seccomp: bool| SandboxSupport {
        landlock,
        seccomp,
        user_namespaces: false,
        bubblewrap: Bubblewrap::Absent,
    };
    let wrapped = |support: SandboxSupport| SandboxSupport {
        bubblewrap: Bubblewrap::Usable { path: "/usr/bin/bwrap".into(), version: "0.8.0".to_owned() },
        ..support
    };
    let broken = |support: SandboxSupport| SandboxSupport {
        bubblewrap: Bubblewrap::Unusable { path: "/usr/bin/bwrap".into(), why: "no namespaces".to_owned() },
        ..support
    };
    let config = |mode, backend| SandboxConfig { mode, backend, ..SandboxConfig::default() };
    use SandboxBackend::{Auto, Bubblewrap as Wrapped, Landlock};
    use SandboxMode::{Full, ReadOnly, WorkspaceWrite};
    for (support, config, by, gaps) in [
        (kernel(Some(7), true), config(WorkspaceWrite, Auto), Some("landlock"), 1),
        (kernel(Some(7), true), config(ReadOnly, Auto), Some("landlock"), 0),
        (kernel(Some(3), true), config(ReadOnly, Auto), Some("landlock"), 1),
        (kernel(Some(2), true), config(ReadOnly, Auto), None, 0),
        (kernel(None, true), config(WorkspaceWrite, Auto), None, 0),
        (kernel(Some(7), false), config(WorkspaceWrite, Auto), None, 0),
        (wrapped(kernel(None, false)), config(WorkspaceWrite, Auto), Some("bubblewrap"), 0),
        (wrapped(kernel(Some(7), true)), config(WorkspaceWrite, Auto), Some("landlock"), 1),
        (wrapped(kernel(Some(7), true)), config(WorkspaceWrite, Wrapped), Some("bubblewrap"), 0),
        (wrapped(kernel(None, true)), config(WorkspaceWrite, Landlock), None, 0),
        (broken(kernel(None, true)), config(WorkspaceWrite, Auto), None, 0),
        (broken(kernel(Some(7), true)), config(WorkspaceWrite, Wrapped), None, 0),
        (kernel(None, false), config(Full, Auto), Some("nothing"), 0),
    ] {
        let plan = support.plan(&config);
        let found = plan.as_ref().ok().map(|plan| plan.by);
        assert_eq!(found, by, "{support:?} {config:?}");
        assert_eq!(plan.as_ref().map_or(0, |plan| plan.gaps.len()), gaps, "{plan:?}");
        let lax = SandboxConfig { enforcement: Enforcement::BestEffort, ..config };
        let lax = support.plan(&lax).unwrap();
        assert_eq!(
            plan.is_err(),
            lax.gaps.iter().any(|gap| plan.as_ref().is_err_and(|why| why.to_string().ends_with(gap)))
        );
    }
}
