//! `toolgate mcp`: the tools of a workspace and of its servers, for clients of the Model Context Protocol.
//!
//! `views` makes the profiles: what clients may get, and under which further rules. `conversation` gives each client a
//! scope and servers of its own. `http` opens the door for clients that come over the network, and `stop` hears the wish
//! to end. Standard output belongs to the protocol; whatever there is to say to people goes to standard error.

mod conversation;
mod http;
mod stop;
mod views;

use std::io::{self, IsTerminal as _, Write as _};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use tokio_util::task::TaskTracker;
use toolgate::ToolRuntime;
use toolgate_code::NoSink;
use toolgate_mcp::gateway::{Gateway, GatewayBuilder, Unanswered};
use toolgate_mcp::upstream::Servers;
use toolgate_policy::LostAnswers;
use toolgate_sdk::DEFAULT_BUDGET;

use self::conversation::Opener;
use self::stop::Stop;
use self::views::Views;
use crate::cli::{Lang, McpServeArgs};
use crate::config::{Settings, WithoutAnswer};
use crate::output::Page;
use crate::servers::tell;
use crate::toolbox::{self, Tools};
use crate::{code_mode, program};

/// Workers that wait for the next programs of clients.
const IDLE_WORKERS: usize = 2;

/// How long the servers of conversations that are over may take to end.
const LEAVING: Duration = Duration::from_secs(10);

/// Serves until the client or somebody else wants it to end.
pub(super) fn run(args: &McpServeArgs) -> anyhow::Result<ExitCode> {
    let configuration = toolbox::configure(&args.workspace, &args.flags())?;
    let settings = configuration.settings.clone();
    let root = toolbox::root_of(&args.workspace)?;
    let views = views::read(&configuration, &root, args.profile.as_deref())?;
    let lang = args.lang.unwrap_or(Lang::TypeScript);
    let budget = args.budget.unwrap_or(DEFAULT_BUDGET);
    let mut toolbox = toolbox::prepare_to_serve(&args.workspace, configuration)?;
    toolbox.builder = toolbox.builder.on_execute(LostAnswers::new());
    if views.iter().any(|view| view.mode.presents_code()) {
        let language = program::runnable(lang.language(), "--lang py")?;
        let mut code = code_mode::config(&settings.code, language);
        code.budget = budget;
        let transport = code_mode::transport(code, NoSink, toolbox.clock(), IDLE_WORKERS)?;
        toolbox.builder = toolbox.builder.code_transport(transport);
    }
    let people = toolbox.people();
    let Tools { runtime, servers } =
        toolbox.for_clients(|runtime, permissions| views::rules(&views, runtime, permissions))?;
    let executor = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .context("the system gives no resources to serve clients")?;
    let served = executor.block_on(async {
        let stop = Stop::listen().context("the signals that end it could not be taken over")?;
        let pins = if servers.configs.is_empty() { None } else { servers.pins()? };
        let (shared, own) = servers.divided();
        let shared = Arc::new(shared.mount(pins.clone(), &runtime)?);
        let leaving = TaskTracker::new();
        let opener = Opener { shared: Arc::clone(&shared), own, pins, leaving: leaving.clone() };
        let gateway = gateway(views, &runtime, opener)?.people(&people).unanswered(unanswered(&settings));
        let gateway = gateway.code(lang.declarations(), budget).build();
        let told = tokio::spawn(tell_when_settled(Arc::clone(&shared)));
        let served = serve(args, &settings, gateway, stop).await;
        told.abort();
        leaving.close();
        // Whoever does not end in time is killed with this process.
        let _ = tokio::time::timeout(LEAVING, leaving.wait()).await;
        let _ = tokio::time::timeout(LEAVING, shared.close()).await;
        served
    });
    // A thread that waits for the client's next line would be waited for.
    executor.shutdown_background();
    served.map(|()| ExitCode::SUCCESS)
}

/// A gateway with a profile for each view; clients that none is for get the first.
fn gateway(views: Views, runtime: &ToolRuntime, opener: Opener) -> anyhow::Result<GatewayBuilder> {
    let opener = Arc::new(opener);
    let Views { first, others } = views;
    let gateway = Gateway::builder(first.profile(runtime, &opener)?);
    others.into_iter().try_fold(gateway, |gateway, view| Ok(gateway.profile(view.profile(runtime, &opener)?)))
}

fn unanswered(settings: &Settings) -> Unanswered {
    match settings.mcp.serve.unanswered {
        WithoutAnswer::Deny => Unanswered::Leave,
        WithoutAnswer::Allow => Unanswered::Allow,
    }
}

async fn serve(
    args: &McpServeArgs,
    settings: &Settings,
    gateway: Gateway,
    mut stop: Stop,
) -> anyhow::Result<()> {
    let serving = async {
        match &args.http {
            Some(address) => http::serve(address, args, settings, &gateway).await,
            None => {
                greet();
                let (input, output) = (tokio::io::stdin(), tokio::io::stdout());
                gateway.serve_stdio(input, output).await.context("the client could not be served")
            }
        }
    };
    let mut serving = std::pin::pin!(serving);
    tokio::select! {
        served = &mut serving => return served,
        () = stop.asked() => {}
    }
    stop.end_at_the_next();
    let ((), served) = tokio::join!(gateway.shut_down(), serving);
    served
}

/// Says to a person who started it by hand what it waits for.
fn greet() {
    if !io::stdin().is_terminal() {
        return;
    }
    let mut page = Page::stderr();
    let hint = page.styles().hint;
    let written = writeln!(
        page,
        "messages of a client are expected on standard input, and nothing is one of them that is typed\n\
         {hint}hint:{hint:#} let a client start `toolgate mcp`, or serve over HTTP: `toolgate mcp --http 127.0.0.1:0`"
    );
    // Where standard error is gone, nothing is lost but the words.
    let _ = written.and_then(|()| page.flush());
}

/// Says what cannot be used of the servers that all clients share.
async fn tell_when_settled(servers: Arc<Servers>) {
    servers.settled().await;
    tell(&servers);
}
