//! Waterfalls: how one listener delegates to the rest (the whole mechanism is in this file).
//!
//! A waterfall is an ordered chain. Each listener gets the call and a [`Next`], which stands for everyone after it
//! and, behind the last of them, the stage's own answer. A listener that does not run its `next` decides alone.

use std::future::{Future, ready};
use std::sync::Arc;

use super::{
    CodeDispatchLog, DynCodeDispatchLogListener, DynExecute, DynPostExecute, DynPreExecute, PostToolDecision,
    PreToolDecision,
};
use crate::pipeline::{ContainedFuture, Dispatching, contained_future};
use crate::tool::{BoxFuture, ContentBlock};
use crate::{Cancellation, CancellationToken, ToolError, ToolExecution, ToolExecutionResult};

/// What a hook answers. An `Err` fails the call closed, unless an outer listener handles it.
pub type HookResult<T> = Result<T, ToolError>;

/// The rest of a waterfall, as one listener sees it.
#[must_use = "a listener that does not run `next` decides alone"]
pub struct Next<'a, S: stage::Stage> {
    rest: &'a [Arc<S::Listener>],
    input: S::Input<'a>,
}

impl<'a, S: stage::Stage> Next<'a, S> {
    pub(crate) fn new(listeners: &'a [Arc<S::Listener>], input: S::Input<'a>) -> Self {
        Self { rest: listeners, input }
    }

    /// Asks the first of the rest, or the stage itself where nobody is left.
    fn ask(rest: &'a [Arc<S::Listener>], input: S::Input<'a>) -> ContainedFuture<'a, S::Decision> {
        match rest.split_first() {
            Some((first, rest)) => {
                contained_future(|| S::invoke(first, input.clone(), Next { rest, input: input.clone() }))
                    .of_hook(S::type_name(first))
            }
            None => contained_future(|| S::answer(input)),
        }
    }
}

impl<'a, S: stage::Waterfall> Next<'a, S> {
    /// Delegates to the rest and gives their decision.
    ///
    /// # Errors
    /// A listener of the rest failed. Passing the error on fails the call; answering something else handles it.
    pub fn run(self) -> impl Future<Output = HookResult<S::Decision>> + Send + use<'a, S> {
        Self::ask(self.rest, self.input)
    }
}

impl<'a> Next<'a, stage::Dispatch> {
    /// Delegates to the rest and gives the normalised result. A failing body is a result, not an error. Running it
    /// again after a failure is a retry; two overlapping runs cannot be written. Dropping the future drops the body where
    /// it stands, and the call can then only fail: `tokio::time::timeout` around it is wrong. Use
    /// [`run_with`](Self::run_with), cancel, and await the end.
    ///
    /// # Errors
    /// A wrapper of the rest failed.
    pub fn run(&mut self) -> impl Future<Output = HookResult<ToolExecutionResult>> + Send + use<'a, '_> {
        Self::ask(self.rest, self.input.clone())
    }

    /// The same, with `signal` beside the signals that this wrapper sees, for the time of the delegation (rule P10).
    /// The rest stops when either fires. The caller's signal cannot be taken away.
    ///
    /// # Errors
    /// A wrapper of the rest failed.
    pub fn run_with(
        &mut self,
        signal: CancellationToken,
    ) -> impl Future<Output = HookResult<ToolExecutionResult>> + Send + use<'a, '_> {
        let cancellation = self.cancellation().or(signal);
        Self::ask(self.rest, self.input.with_substitute(cancellation))
    }

    /// The cancellation that this wrapper sees: the caller's, and the signals of the wrappers around it.
    #[must_use]
    pub fn cancellation(&self) -> &Cancellation {
        self.input.cancellation()
    }
}

/// The stages that have a waterfall. They only name types; there are no values of them.
pub mod stage {
    use super::{
        Arc, BoxFuture, CodeDispatchLog, ContentBlock, Dispatching, DynCodeDispatchLogListener, DynExecute,
        DynPostExecute, DynPreExecute, HookResult, Next, PostToolDecision, PreToolDecision, ToolExecution,
        ToolExecutionResult, ready,
    };

    /// A stage with a waterfall. Sealed: the stages are those of the pipeline.
    pub trait Stage: sealed::Stage {}
    impl<S: sealed::Stage> Stage for S {}

    /// A stage whose waterfall may be run once.
    pub trait Waterfall: Stage {}
    impl Waterfall for Pre {}
    impl Waterfall for Post {}
    impl Waterfall for DispatchLog {}

    /// Before dispatch: allow, deny or ask.
    #[derive(Debug)]
    pub enum Pre {}

    /// Around the body.
    #[derive(Debug)]
    pub enum Dispatch {}

    /// After dispatch: accept, replace or block.
    #[derive(Debug)]
    pub enum Post {}

    /// Before a sub-call of a program is logged: keep the content, or another copy of it.
    #[derive(Debug)]
    pub enum DispatchLog {}

    pub(crate) mod sealed {
        use super::{Arc, BoxFuture, HookResult, Next};

        pub trait Stage: Sized + 'static {
            type Listener: ?Sized + Send + Sync;
            type Input<'a>: Clone + Send + Sync;
            type Decision: Send;

            /// The listener's type.
            fn type_name(listener: &Self::Listener) -> &'static str;

            fn invoke<'a>(
                listener: &'a Arc<Self::Listener>,
                input: Self::Input<'a>,
                next: Next<'a, Self>,
            ) -> BoxFuture<'a, HookResult<Self::Decision>>;

            fn answer<'a>(input: Self::Input<'a>) -> BoxFuture<'a, HookResult<Self::Decision>>;
        }
    }

    impl sealed::Stage for Pre {
        type Listener = dyn DynPreExecute;
        type Input<'a> = &'a ToolExecution;
        type Decision = PreToolDecision;

        fn type_name(listener: &Self::Listener) -> &'static str {
            listener.type_name()
        }

        fn invoke<'a>(
            listener: &'a Arc<Self::Listener>,
            call: &'a ToolExecution,
            next: Next<'a, Self>,
        ) -> BoxFuture<'a, HookResult<PreToolDecision>> {
            listener.pre_execute(call, next)
        }

        fn answer<'a>(_call: Self::Input<'a>) -> BoxFuture<'a, HookResult<PreToolDecision>> {
            Box::pin(ready(Ok(PreToolDecision::Allow)))
        }
    }

    impl sealed::Stage for Dispatch {
        type Listener = dyn DynExecute;
        type Input<'a> = Dispatching<'a>;
        type Decision = ToolExecutionResult;

        fn type_name(listener: &Self::Listener) -> &'static str {
            listener.type_name()
        }

        fn invoke<'a>(
            listener: &'a Arc<Self::Listener>,
            input: Dispatching<'a>,
            next: Next<'a, Self>,
        ) -> BoxFuture<'a, HookResult<ToolExecutionResult>> {
            listener.execute(input.call(), next)
        }

        fn answer<'a>(input: Self::Input<'a>) -> BoxFuture<'a, HookResult<ToolExecutionResult>> {
            Box::pin(async move { Ok(input.run_body_for_wrappers().await) })
        }
    }

    impl sealed::Stage for Post {
        type Listener = dyn DynPostExecute;
        type Input<'a> = (&'a ToolExecution, &'a ToolExecutionResult);
        type Decision = PostToolDecision;

        fn type_name(listener: &Self::Listener) -> &'static str {
            listener.type_name()
        }

        fn invoke<'a>(
            listener: &'a Arc<Self::Listener>,
            (call, result): (&'a ToolExecution, &'a ToolExecutionResult),
            next: Next<'a, Self>,
        ) -> BoxFuture<'a, HookResult<PostToolDecision>> {
            listener.post_execute(call, result, next)
        }

        fn answer<'a>(_input: Self::Input<'a>) -> BoxFuture<'a, HookResult<PostToolDecision>> {
            Box::pin(ready(Ok(PostToolDecision::accept())))
        }
    }

    impl sealed::Stage for DispatchLog {
        type Listener = dyn DynCodeDispatchLogListener;
        type Input<'a> = &'a CodeDispatchLog;
        type Decision = Vec<ContentBlock>;

        fn type_name(listener: &Self::Listener) -> &'static str {
            listener.type_name()
        }

        fn invoke<'a>(
            listener: &'a Arc<Self::Listener>,
            dispatch: &'a CodeDispatchLog,
            next: Next<'a, Self>,
        ) -> BoxFuture<'a, HookResult<Vec<ContentBlock>>> {
            listener.log_content(dispatch, next)
        }

        fn answer<'a>(dispatch: Self::Input<'a>) -> BoxFuture<'a, HookResult<Vec<ContentBlock>>> {
            Box::pin(ready(Ok(dispatch.content.clone())))
        }
    }
}
