//! Rules about commands: what a line may hold and still be allowed, and what no spelling gets past a denial.

use serde_json::json;
use toolgate_policy::rules::Decision::{Allow, Ask, Deny};

use super::bench::Bench;

#[test]
fn k60_a_rule_allows_its_command_and_nothing_beside_it() {
    let bench = Bench::new(&["allow bash(git status)", "allow bash(cat)"]);
    for (line, expected) in [
        ("git status", Allow),
        ("git status; id", Ask),
        ("git status $(id)", Ask),
        ("PATH=/tmp/x cat a", Ask),
        ("cat <<E > /etc/p", Ask),
        ("git -c core.pager=id status", Ask),
        ("cat", Allow),
        ("cat a", Ask),
        ("PATH=/tmp/x cat", Ask),
        ("PATH=/tmp/x; cat", Ask),
        ("cat <<E\nx\nE", Ask),
        ("cat <<E > /etc/p\nx\nE", Ask),
    ] {
        assert_eq!(bench.bash(line), expected, "{line:?}");
    }
}

/// Every way of running `id` beside, inside, before or instead of what is allowed.
#[test]
fn nothing_runs_beside_what_is_allowed() {
    let bench =
        Bench::new(&["allow bash(git status)", "allow bash(cat:*)", "allow bash(cd:*)", "allow bash(./run)"]);
    bench.all(
        Ask,
        &[
            "git status && id",
            "git status || id",
            "git status | id",
            "git status & id",
            "git status\nid",
            "id; git status",
            "(id)",
            "{ id; }",
            "! id",
            "if id; then git status; fi",
            "if git status; then id; fi",
            "if cat; then cat; elif id; then cat; fi",
            "if cat; then cat; else id; fi",
            "while id; do cat; done",
            "until id; do cat; done",
            "for f in $(id); do cat; done",
            "for f in a; do id; done",
            "for PATH in /tmp; do cat a; done",
            "for path in /tmp; do cat a; done",
            "for f do cat; done",
            "select f in a; do cat; done",
            "case a in a) id;; esac",
            "case $(id) in a) cat;; esac",
            "f() { id; }; f",
            "cat() { id; }; cat a",
            "function cat { id; }; cat a",
            "cat `id`",
            "cat \"`id`\"",
            "cat \"$(id)\"",
            "cat $(cat $(id))",
            "cat <(id)",
            "cat >(id)",
            "cat > a",
            "cat >> a",
            "cat >| a",
            "cat < a",
            "cat <> a",
            "cat &> a",
            "cat >& a",
            "cat 2> a",
            "cat > /dev/nullx",
            "cat > \"/dev/null\"",
            "cat <<< $(id)",
            "cat <<E\n$(id)\nE",
            "cat <<'E'\nx\nE\nid",
            "cat <<-E\n\t$(id)\n\tE",
            "cat $((1 + $(id)))",
            "cat $((a[$(id)]))",
            "((id))",
            "[[ -n $(id) ]]",
            "cat ${x:-$(id)}",
            "cat ${x:=y}",
            "cat ${!x}",
            "cat ${x@P}",
            "cat \"${x:-`id`}\"",
            "cat $'\\x61'",
            "cat $\"a\"",
            "cat $[1]",
            "$X",
            "$X git status",
            "git $X",
            "g*t status",
            "{git,status}",
            "git {status,}",
            "~/git status",
            "./git status",
            "/bin/git status",
            "GIT status",
            "'gi\\\nt' status",
            "gi\\\\\nt status",
            "git status \\\n; id",
            "git\tstatus\rid",
            "git status\u{0}; id",
            "git status\u{7f}",
            "git status\u{1b}[2K",
            "git status\u{a0}; id",
            "git\u{a0}status",
            "git status\u{2028}id",
            "git status; \\id",
            "alias cat=id\ncat",
            "cat a; alias cat=id",
            "eval id",
            "eval cat",
            "exec cat a",
            "command cat a",
            "env cat a",
            "sudo cat a",
            "xargs cat",
            "sh -c cat",
            "nohup cat a",
            "time cat a",
            "timeout 1 cat a",
            "find . -exec cat {} ;",
            "trap id EXIT; cat",
            "X=$(id)",
            "X=1",
            "X=1 cat",
            "X+=1 cat",
            "x[0]=1 cat",
            "export PATH=/x; cat",
            "unset x; cat",
            "set -- a; cat",
            ". ./x; cat",
            "cat a |& id",
            "cat a ;; cat",
            "coproc id",
            "cat a #\nid",
            "cat 'a",
            "cat \"a",
            "cat $(cat",
            "cat )",
            "(cat",
            "{ cat",
            "cat;;",
            "&& cat",
            "cat &&",
            "| cat",
            "git status )( id",
            "if cat; fi",
            "cd /tmp; ./run",
            "cd sub; ./run",
            "cd ..; git status",
            "cd -; git status",
            "cd $X; git status",
            "cd; git status",
            "cd ~; git status",
            "pushd a; cat",
            "",
            " ",
            "# id",
            "cat @(a)",
            "cat !(a)",
            "echo() cat",
            "cat a b=(id)",
            "cat ${x}$(id)",
            "'git status'",
            "git 'status '",
            "git status ''",
            "\"git\" \"status\" x",
            "git statu\\s x",
            "GIT_PAGER=id git status",
            "cat a & id",
            "cat\u{b}a; id",
            "cat a;id#",
            "cat #a\nid",
            "!cat a",
            "git status -- $(id)",
        ],
    );
}

#[test]
fn what_is_surely_only_what_rules_allow_is_allowed() {
    let bench = Bench::new(&[
        "allow bash(git status)",
        "allow bash(cat:*)",
        "allow bash(cd:*)",
        "allow bash(grep:*)",
        "allow bash(RUST_LOG=debug cargo test:*)",
        "allow bash('my tool' \"a b\")",
        "allow bash(test:*)",
        "allow bash(echo:*)",
    ]);
    bench.all(
        Allow,
        &[
            "git status",
            "gi\\\nt \\\n status",
            " git  status ",
            "git status\n",
            "'git' \"status\"",
            "g'i't st\\atus",
            "git status; git status",
            "git status && cat a",
            "git status || cat 'a b' \"c$x\"",
            "cat a | grep -v '$(id)' | cat",
            "cat a &",
            "! cat a",
            "(cat a; cat b)",
            "{ cat a; }",
            "if cat a; then git status; elif cat b; then cat c; else cat d; fi",
            "while cat a; do cat b; done",
            "until cat a; do cat b; done",
            "for f in a *.rs $(cat list); do cat \"$f\"; done",
            "cat $(git status)",
            "cat \"$(cat $(cat a))\"",
            "cat ${x} $x $1 $@ \"$#\"",
            "cat ${x}",
            "cat a 2>&1",
            "cat a 2>/dev/null >&2",
            "cat a > /dev/null",
            "cat </dev/null",
            "cat # what is id?\n",
            "# first\ncat a\n# last",
            "cat a#b",
            "cat \\$x '`id`'",
            "cat *.rs ~/x {a,b} a?[bc]",
            "cat \"größe\" 'ä'",
            "cd src && cat a",
            "cd src",
            "cd /tmp",
            "cd ..",
            "RUST_LOG=debug cargo test -p x",
            "'my tool' 'a b'",
            "test -f a && cat a",
            "git status && (cat a | cat) || echo no",
            "echo HEAD~1 a=b 100%",
            "cat\ta",
            "cat a\n\n\ncat b",
            "echo \"\\\"q\\\" \\$x\"",
        ],
    );
}

#[test]
fn a_builtin_that_changes_what_others_mean_is_allowed_alone() {
    let builtins = [
        ("alias", "cat=id"),
        ("eval", "id"),
        ("exec", "id"),
        ("hash", "-p /tmp/x cat"),
        (".", "./x"),
        ("source", "./x"),
        ("trap", "id EXIT"),
        ("set", "-a"),
        ("read", "PATH"),
        ("enable", "-n cat"),
        ("command", "id"),
        ("pushd", "/tmp"),
        ("printf", "-v PATH x"),
        ("printf", "\"$x\""),
        ("test", "-v 'a[$(id)]'"),
        ("test", "$a $b"),
        ("test", "'a[$(id)]' -eq 0"),
        ("wait", "'a[$(id)]'"),
        ("wait", "-p PATH"),
        ("compgen", "-C id"),
        ("compgen", "-bWx '$(id)'"),
        ("jobs", "-x id"),
        ("mapfile", "-C id -c1"),
        ("'export'", "PATH=/tmp"),
        ("'declare'", "PATH=/tmp"),
    ];
    for (name, argument) in builtins {
        let bench = Bench::new(&["allow bash(cat:*)", &format!("allow bash({name}:*)")]);
        let line = format!("{name} {argument}");
        // Those that evaluate names run code by themselves.
        let evaluates = ["read", "printf", "test", "wait", "compgen", "jobs", "mapfile"].contains(&name)
            && !["PATH", "-p PATH"].contains(&argument);
        bench.all(if evaluates { Ask } else { Allow }, &[&line]);
        bench.all(
            Ask,
            &[&format!("{line}; cat a"), &format!("cat a && {line}"), &format!("cat \"$({line})\"")],
        );
    }
}

#[test]
fn a_denied_command_is_denied_in_every_dress() {
    let bench = Bench::new(&["allow bash", "deny bash(rm:*)", "deny bash(git push:*)"]);
    bench.all(
        Deny,
        &[
            "rm a",
            "cat a; rm a",
            "cat $(rm a)",
            "/bin/rm a",
            "\\rm a",
            "'r'm a",
            "r\\m a",
            "r\\\nm a",
            "X=1 rm a",
            "$X a",
            "r* a",
            "{rm,a}",
            "$'rm' a",
            "sudo rm a",
            "env rm a",
            "env X=1 rm a",
            "xargs rm",
            "ls | xargs -n1 rm",
            "find . -exec rm {} +",
            "sh -c 'rm a'",
            "sh -c \"rm a\"",
            "bash -lc 'cat; rm a'",
            "eval rm a",
            "eval 'rm a'",
            "eval \"$x\"",
            "sh -c \"$x\"",
            "nohup sh -c 'sudo rm a' &",
            "command rm a",
            "exec rm a",
            "time rm a",
            "timeout 1 rm a",
            "busybox rm a",
            "f() { rm a; }; f",
            "case a in a) rm a;; esac",
            "cat <(rm a)",
            "cat <<E\n$(rm a)\nE",
            "cat `rm a`",
            "[[ -n $(rm a) ]]",
            "cat ${x:-$(rm a)}",
            "((rm))",
            "echo 'rm a' | sh",
            "sh <<E\nrm a\nE",
            "if true; then rm a; fi",
            "rm",
            "rm 'unclosed",
            "cat (",
            "cat\rrm a",
            "git push",
            "git push origin",
            "git -C x push",
            "git -c a=b --no-pager push -f",
            "git $X",
            "git pu\\sh",
            "ls | xargs git",
            "trap 'rm a' EXIT",
            "rm -rf a &",
            "for f in a; do rm $f; done",
            "ls |& rm a",
            "coproc rm a",
            "! rm a",
            "(rm a)",
            "{ rm a; }",
            "printf -v 'a[$(rm x)]' y",
        ],
    );
    bench.all(
        Allow,
        &[
            "cat rm",
            "git status",
            "git commit -m 'git push'",
            "echo 'rm a'",
            "ls -l | grep rm",
            "rmdir a",
            "git log push",
            "make rm > a",
            "X=1; cat $X",
        ],
    );
    let long = format!("cat {}", "a".repeat(20_000));
    assert_eq!(bench.bash(&long), Deny, "what is too long to read may be anything");
    assert_eq!(bench.decide("bash", json!({})), Deny);
    assert_eq!(bench.decide("bash", json!({ "command": 3 })), Deny);
}

/// Ways around a denial that begin with a name for it, a shell behind it, or another order of its words.
#[test]
fn a_denied_command_is_denied_behind_other_names_and_shells() {
    let bench = Bench::new(&["allow bash", "deny bash(rm:*)", "deny bash(git push --force:*)"]);
    bench.all(
        Deny,
        &[
            "alias x=rm\nx a",
            "hash -p /bin/rm x; x a",
            "enable -f ./x.so y; y",
            "echo 'rm a' | sh -s",
            "echo 'rm a' | sh -s b",
            "echo 'rm a' | sh -es b",
            "echo 'rm a' | sh -",
            "echo 'rm a' | sh -o errexit",
            "echo 'rm a' | sh +e",
            "echo 'rm a' | sh /dev/stdin",
            "echo 'rm a' | sh /proc/self/fd/0",
            "echo 'rm a' | . /dev/stdin",
            "echo 'rm a' | env sh",
            "echo 'rm a' | sudo -u x bash",
            "echo 'rm a' | nohup dash -e",
            "echo 'rm a' | fish",
            "sh -s b <<E\nrm a\nE",
            "env sh <<E\nrm a\nE",
            "env -S'rm a'",
            "env -Srm a",
            "env --split-string='rm a'",
            "env --split-string=rm a",
            "echo rm | xargs -I% % a",
            "echo rm | xargs -i@ @ a",
            "echo rm | xargs --replace=% % a",
            "ssh-agent rm a",
            "tmux new 'rm a'",
            "RM a",
            "/bin/Rm a",
            "git push origin --force",
            "git push origin main --force -v",
            "git -C x push a --force",
        ],
    );
    bench.all(
        Allow,
        &[
            "alias",
            "cd x && sh build.sh",
            "ls | sh -c 'cat'",
            "ls | sh ./x.sh -s",
            "cd x && env A=b make",
            "git push origin main",
            "git push origin -f",
            "git log --force",
            "git commit -m push --force",
        ],
    );
}

#[test]
fn an_asking_rule_beats_one_that_allows_and_loses_to_one_that_denies() {
    let bench = Bench::new(&["allow bash(git:*)", "ask bash(git push:*)", "deny bash(git push --force:*)"]);
    for (line, expected) in [
        ("git status", Allow),
        ("git push", Ask),
        ("git status && git push", Ask),
        ("git push --force", Deny),
        ("git push; git push --force x", Deny),
    ] {
        assert_eq!(bench.bash(line), expected, "{line:?}");
    }
}

#[test]
fn other_arguments_of_bash_cannot_change_what_a_rule_allowed() {
    let bench = Bench::with_files(&["allow bash(git status)", "allow bash(./run)"], |folder| {
        std::fs::create_dir(folder.join("sub")).expect("a folder");
        std::os::unix::fs::symlink("/", folder.join("out")).expect("a link");
    });
    for (arguments, expected) in [
        (
            json!({ "command": "git status", "description": "Look.", "timeout_ms": 5, "run_in_background": true }),
            Allow,
        ),
        (json!({ "command": "git status", "workdir": "sub" }), Allow),
        (json!({ "command": "git status", "workdir": bench.folder.path().join("sub") }), Allow),
        (json!({ "command": "git status", "workdir": "/" }), Ask),
        (json!({ "command": "git status", "workdir": "out" }), Ask),
        (json!({ "command": "git status", "workdir": "../" }), Ask),
        (json!({ "command": "git status", "workdir": null }), Ask),
        (json!({ "command": "git status", "env": { "GIT_PAGER": "id" } }), Ask),
        (json!({ "command": ["git status"] }), Ask),
        (json!({ "command": "./run", "workdir": "." }), Allow),
        (json!({ "command": "./run", "workdir": "sub" }), Ask),
    ] {
        assert_eq!(bench.decide("bash", arguments.clone()), expected, "{arguments}");
    }
}

/// Broken lines take no longer than whole ones: a reader that has had enough gives up, and the line asks.
#[test]
fn no_line_keeps_the_reader_for_long() {
    let bench = Bench::new(&["allow bash(a)"]);
    let started = std::time::Instant::now();
    for part in [
        "a;",
        "((",
        "$(",
        "\"$(",
        "{ ",
        "`",
        "<<E ",
        "if ",
        "a=(",
        "[[ ",
        "case x in ",
        "<(",
        "${a:-",
        "$((",
        "\\\n",
        "'\"",
        "a() ",
        "(",
        "#\n",
    ] {
        let line = part.repeat(16_000 / part.len());
        let expected = if part == "a;" { Allow } else { Ask };
        assert_eq!(bench.bash(&line), expected, "{part:?}");
    }
    assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
}
