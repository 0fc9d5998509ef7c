//! The runtime that the commands use: the first-party tools on one workspace, under the policies of its configuration.
//!
//! The order of the policies is the order of this file: rules decide, approvals answer what they ask, deadlines bound
//! everything; where a program reads results, oversized ones are kept aside, and repeated ones are remarked on.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use toolgate::text::Line;
use toolgate::{Registrar as _, ToolRuntime, ToolRuntimeBuilder};
use toolgate_agent::SessionRoutes;
#[cfg(unix)]
use toolgate_kit::{SupervisorCommand, shell_tools};
use toolgate_kit::{Workspace, ask_user, file_tools, todo_tool, web_tools};
#[cfg(unix)]
use toolgate_policy::Spill;
use toolgate_policy::person::PersonClock;
use toolgate_policy::rules::Permissions;
use toolgate_policy::{Approvals, Deadlines, People, RepeatReminder};

use crate::asking::{OfferedRule, Terminal, Unanswered};
use crate::config::{self, Configuration, Flag, ServedTools, Settings};
use crate::fault::UsageError;
use crate::output::{Page, counted};
use crate::progress::Spinner;
use crate::servers::Plan;

/// A runtime in the making, and what is known of its policies.
pub(crate) struct Toolbox {
    /// The runtime, which still takes hooks inside of the deadlines.
    pub(crate) builder: ToolRuntimeBuilder,
    /// The rules.
    pub(crate) permissions: Permissions,
    /// What could not be asked about.
    pub(crate) unanswered: Unanswered,
    servers: Plan,
    settings: Settings,
    people: People,
}

/// Opens `root` as the workspace and registers the tools that work in it, with no policies: for those who list them.
///
/// # Errors
/// A [`UsageError`] where `root` is no directory that can be opened, or its configuration cannot be used.
pub(crate) fn open(root: &Path) -> anyhow::Result<Tools> {
    let settings = configure(root, &[])?.settings;
    let runtime = build(tools(workspace(root)?, &settings, &People::new())?)?;
    Ok(Tools { runtime, servers: Plan::new(&settings.mcp, &root_of(root)?)? })
}

/// A runtime with the first-party tools, and where more come from.
pub(crate) struct Tools {
    /// The runtime.
    pub(crate) runtime: ToolRuntime,
    /// Where more come from.
    pub(crate) servers: Plan,
}

impl Tools {
    /// Connects to the servers, gives the runtime with their tools to `list`, and takes leave of them.
    ///
    /// # Errors
    /// The servers cannot be mounted, or what `list` fails with.
    pub(crate) fn with_servers<T>(
        self,
        list: impl FnOnce(&ToolRuntime) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        if self.servers.configs.is_empty() {
            return list(&self.runtime);
        }
        let executor = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .context("the system gives no resources to ask servers")?;
        executor.block_on(async {
            let servers = self.servers.mounted(&self.runtime).await?;
            let listed = list(&self.runtime);
            servers.close().await;
            listed
        })
    }
}

/// The configuration of a workspace, with a warning about what of it does not count.
///
/// # Errors
/// A [`UsageError`] where there is no such workspace, or its configuration cannot be used.
pub(crate) fn configure(root: &Path, flags: &[Flag]) -> anyhow::Result<Configuration> {
    let configuration = config::load(&root_of(root)?, flags)?;
    warn(&configuration);
    Ok(configuration)
}

/// The tools of a workspace under the policies of a configuration. Questions go to the terminal, if there is one, past
/// the spinner.
///
/// # Errors
/// Those of [`open`].
pub(crate) fn prepare(
    root: &Path,
    configuration: Configuration,
    spinner: &Arc<Spinner>,
) -> anyhow::Result<Toolbox> {
    let people = People::new();
    if Terminal::is_there() {
        people.join(Terminal::new(Arc::clone(spinner), &configuration.settings.approvals));
    }
    prepare_for(workspace(root)?, configuration, people)
}

/// The same for people who are asked somewhere else.
///
/// # Errors
/// Those of [`open`].
pub(crate) fn prepare_for(
    files: Workspace,
    configuration: Configuration,
    people: People,
) -> anyhow::Result<Toolbox> {
    let root = files.root().to_owned();
    let builder = tools(files, &configuration.settings, &people)?;
    toolbox(&root, configuration, people, builder)
}

/// The tools that clients of a gateway get, under the policies of a configuration. Nobody is asked who does not join the
/// people.
///
/// # Errors
/// Those of [`open`].
pub(crate) fn prepare_to_serve(root: &Path, configuration: Configuration) -> anyhow::Result<Toolbox> {
    let people = People::new();
    let files = workspace(root)?;
    let root = files.root().to_owned();
    let builder = match configuration.settings.mcp.serve.tools {
        ServedTools::All => tools(files, &configuration.settings, &people)?,
        ServedTools::Servers => ToolRuntime::builder(),
    };
    toolbox(&root, configuration, people, builder)
}

fn toolbox(
    root: &Path,
    configuration: Configuration,
    people: People,
    builder: ToolRuntimeBuilder,
) -> anyhow::Result<Toolbox> {
    let Configuration { settings, rules, .. } = configuration;
    let permissions = Permissions::new(rules);
    let unanswered = Unanswered::new(permissions.clone());
    let servers = Plan::new(&settings.mcp, root)?;
    Ok(Toolbox { builder, permissions, unanswered, servers, settings, people })
}

impl Toolbox {
    /// Those who are asked.
    pub(crate) fn people(&self) -> People {
        self.people.clone()
    }

    /// The clock that stands still while a person is asked.
    pub(crate) fn clock(&self) -> PersonClock {
        self.people.clock()
    }

    /// Those who may be asked.
    pub(crate) fn people(&self) -> People {
        self.people.clone()
    }

    /// The runtime for a person who reads the result: it is shown whole, and one call repeats none.
    ///
    /// # Errors
    /// A defect of this program.
    pub(crate) fn for_a_person(self) -> anyhow::Result<Tools> {
        let Guarded { builder, permissions, servers, .. } = self.guarded(None);
        Ok(Tools { runtime: ruled(builder, |_| permissions)?, servers })
    }

    /// The runtime for a program or a model that reads results: oversized ones are kept aside, and repeated ones are
    /// remarked on.
    ///
    /// # Errors
    /// The settings of what is kept make no sense, or its folder is not private; a defect of this program.
    pub(crate) fn for_a_reader(self) -> anyhow::Result<Tools> {
        Ok(self.reader(None, |_, permissions| permissions)?.0)
    }

    /// The runtime for clients, some of which are under further rules; otherwise like
    /// [`for_a_reader`](Self::for_a_reader).
    ///
    /// # Errors
    /// Those of [`for_a_reader`](Self::for_a_reader).
    pub(crate) fn for_clients(
        self,
        further: impl FnOnce(&ToolRuntime, Permissions) -> Permissions,
    ) -> anyhow::Result<Tools> {
        Ok(self.reader(None, further)?.0)
    }

    /// The runtime for an agent, whose session keeps what people were asked and what they said; otherwise like
    /// [`for_a_reader`](Self::for_a_reader).
    ///
    /// # Errors
    /// Those of [`for_a_reader`](Self::for_a_reader).
    pub(crate) fn for_an_agent(self, routes: SessionRoutes) -> anyhow::Result<Tools> {
        Ok(self.reader(Some(routes), |_, permissions| permissions)?.0)
    }

    /// The same with its approvals, for those who let a person change their stance.
    ///
    /// # Errors
    /// Those of [`for_a_reader`](Self::for_a_reader).
    pub(crate) fn for_an_editor(self, routes: SessionRoutes) -> anyhow::Result<(Tools, Approvals)> {
        self.reader(Some(routes), |_, permissions| permissions)
    }

    fn reader(
        self,
        routes: Option<SessionRoutes>,
        further: impl FnOnce(&ToolRuntime, Permissions) -> Permissions,
    ) -> anyhow::Result<(Tools, Approvals)> {
        let Guarded { builder, approvals, permissions, settings, servers } = self.guarded(routes);
        let builder = builder.on_post_execute(RepeatReminder::new());
        #[cfg(unix)]
        let builder = match config::cache() {
            Some(folder) => builder.plugin(Spill::new(folder.join("spill"), settings.spill)),
            // Without a folder of the user's there is nowhere to keep anything.
            None => builder,
        };
        #[cfg(not(unix))]
        let _ = settings;
        let runtime = ruled(builder, |runtime| further(runtime, permissions))?;
        Ok((Tools { runtime, servers }, approvals))
    }

    /// Adds approvals and deadlines. The latter go outside of all that is there.
    fn guarded(self, routes: Option<SessionRoutes>) -> Guarded {
        let Self { builder, permissions, unanswered, settings, people, servers } = self;
        let clock = people.clock();
        let known = permissions.clone();
        let mut approvals = Approvals::new(people)
            .with_stance(settings.approvals.stance)
            .with_rules(move |call| known.suggest(call).into_iter().map(OfferedRule::shared).collect());
        if let Some(patience) = settings.approvals.patience {
            approvals = approvals.with_patience(patience);
        }
        if let Some(routes) = routes {
            approvals = approvals.with_log(routes);
        }
        let deadlines = Deadlines::new(settings.limits.clone()).with_clock(clock);
        let approver = deadlines.approver(unanswered.noting(approvals.clone()));
        let builder = builder.approver(approver).plugin(deadlines);
        Guarded { builder, approvals, permissions, settings, servers }
    }
}

/// A runtime in the making that lacks its rules.
struct Guarded {
    builder: ToolRuntimeBuilder,
    approvals: Approvals,
    permissions: Permissions,
    settings: Settings,
    servers: Plan,
}

/// Builds a runtime, and puts it under rules, of which some may be for its scopes.
fn ruled(
    builder: ToolRuntimeBuilder,
    rules: impl FnOnce(&ToolRuntime) -> Permissions,
) -> anyhow::Result<ToolRuntime> {
    let runtime = build(builder)?;
    runtime.on_pre_execute(rules(&runtime));
    Ok(runtime)
}

/// The tools.
fn tools(files: Workspace, settings: &Settings, people: &People) -> anyhow::Result<ToolRuntimeBuilder> {
    #[cfg(unix)]
    let root = files.root().to_owned();
    let builder = ToolRuntime::builder().plugin(file_tools(files, settings.files));
    #[cfg(unix)]
    let builder = {
        let shell = shell_tools(workspace(&root)?, settings.shell.clone(), SupervisorCommand::default());
        builder.plugin(shell)
    };
    let web = web_tools(settings.web.clone());
    Ok(builder.plugin(todo_tool()).plugin(web).tool(ask_user(people.clone())))
}

/// The workspace at a path, as an absolute path without links.
///
/// # Errors
/// A [`UsageError`] where there is no such workspace.
pub(crate) fn root_of(root: &Path) -> Result<PathBuf, UsageError> {
    Ok(workspace(root)?.root().to_owned())
}

/// Opens a workspace.
///
/// # Errors
/// A [`UsageError`] where there is no such workspace.
pub(crate) fn workspace(root: &Path) -> Result<Workspace, UsageError> {
    Workspace::open(root).map_err(|error| {
        let hint = error.hint();
        UsageError::new(format!("{:#}", anyhow::Error::from(error))).with_hint(hint)
    })
}

/// Builds what was prepared. What fails here was set in a configuration, or is a defect.
fn build(builder: ToolRuntimeBuilder) -> anyhow::Result<ToolRuntime> {
    builder.build().context("the tools could not be set up")
}

/// Says on standard error what of a file does not count.
fn warn(configuration: &Configuration) {
    let [first, rest @ ..] = configuration.ignored.as_slice() else { return };
    let mut page = Page::stderr();
    let styles = page.styles();
    let (warning, hint) = (styles.warning, styles.hint);
    let count = counted(rest.len() as u64 + 1, "setting", "settings");
    let written = writeln!(
        page,
        "{warning}warning:{warning:#} {count} ignored, because nobody trusts the file: {} ({}){}\n\
         {hint}hint:{hint:#} `toolgate config` shows what is in force; if you trust the file, run `toolgate config trust`",
        Line(&first.what),
        first.origin,
        if rest.is_empty() { "" } else { ", …" },
    );
    // Where standard error is gone, the settings are ignored all the same.
    let _ = written.and_then(|()| page.flush());
}
