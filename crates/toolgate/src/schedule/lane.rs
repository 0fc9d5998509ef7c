//! The ordered lane (rules Q1–Q5): the one scheduler, used by whoever has several calls to make.
//!
//! Calls come as a stream, in model order. The lane starts them in that order, lets dispatch overlap as far as the
//! modes allow, and commits their results in that order. It spawns nothing: everything runs inside the future of
//! [`Lane::run`].

use std::collections::VecDeque;
use std::future::Future;
use std::num::NonZeroUsize;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};

use futures_util::future::{Either, select};
use futures_util::stream::FuturesUnordered;
use futures_util::{Stream, StreamExt as _};

use super::ToolExecutionMode;
use crate::Cancellation;

/// What a lane schedules.
pub trait LaneWork {
    /// A call that has not been started.
    type Call;
    /// The part of a call that may overlap with others.
    type Running: Future<Output = Self::Done> + Unpin;
    /// A call that has come to rest and has not been committed.
    type Done;
    /// A failure of the scheduling itself; a failing call is no such thing.
    type Error;

    /// Whether the call may overlap. Asked again just before each start.
    fn mode(&mut self, call: &Self::Call) -> ToolExecutionMode;

    /// Does what comes before the overlapping part, and gives that part. Starts never overlap with each other or
    /// with commits.
    fn start(&mut self, call: Self::Call) -> impl Future<Output = Result<Self::Running, Self::Error>> + Send;

    /// Does what comes after the overlapping part. Called in the order of the calls.
    fn commit(&mut self, done: Self::Done) -> impl Future<Output = Result<(), Self::Error>> + Send;

    /// Settles a call that will never start, because the lane was cancelled. Called in the order of the calls, after
    /// every started call was committed.
    fn skip(&mut self, call: Self::Call) -> impl Future<Output = Result<(), Self::Error>> + Send;
}

/// An ordered lane with a bounded pool.
#[derive(Clone, Debug)]
pub struct Lane {
    cap: NonZeroUsize,
    cancellation: Cancellation,
}

impl Lane {
    /// How many calls overlap at most, unless somebody says otherwise.
    pub const DEFAULT_CAP: NonZeroUsize = NonZeroUsize::MIN.saturating_add(9);

    /// A lane in which at most `cap` calls overlap, and that starts nothing more once it is cancelled.
    pub fn new(cap: NonZeroUsize, cancellation: impl Into<Cancellation>) -> Self {
        Self { cap, cancellation: cancellation.into() }
    }

    /// Runs every call of the stream to its end.
    ///
    /// A cancelled lane starts nothing more, awaits and commits what it has started, and skips the rest of the
    /// stream; the stream should end soon then.
    ///
    /// # Errors
    /// The first error of the work. Nothing more is started or committed after it; what runs is awaited (rule Q4).
    pub async fn run<W: LaneWork>(
        &self,
        calls: impl Stream<Item = W::Call>,
        work: &mut W,
    ) -> Result<(), W::Error> {
        let mut pool = Pool::new();
        let outcome = self.drive(calls, work, &mut pool).await;
        pool.drain().await;
        outcome
    }

    async fn drive<W: LaneWork>(
        &self,
        calls: impl Stream<Item = W::Call>,
        work: &mut W,
        pool: &mut Pool<W>,
    ) -> Result<(), W::Error> {
        let mut calls = pin!(calls.fuse());
        while let Some(call) = pool.meanwhile(work, calls.next()).await? {
            let mode = self.make_room(&call, work, pool).await?;
            if self.cancellation.is_cancelled() {
                pool.commit_all(work).await?;
                work.skip(call).await?;
                continue;
            }
            let running = pool.while_running(work.start(call)).await?;
            pool.push(running);
            if mode == ToolExecutionMode::Exclusive {
                pool.commit_all(work).await?;
            }
        }
        pool.commit_all(work).await
    }

    /// Waits until a call may start, and gives the mode that it has then. Commits and observers may change a mode, so
    /// it is read again after each wait.
    async fn make_room<W: LaneWork>(
        &self,
        call: &W::Call,
        work: &mut W,
        pool: &mut Pool<W>,
    ) -> Result<ToolExecutionMode, W::Error> {
        loop {
            pool.commit_ready(work).await?;
            let mode = work.mode(call);
            let has_room = match mode {
                ToolExecutionMode::Parallel => pool.running() < self.cap.get(),
                ToolExecutionMode::Exclusive => pool.is_empty(),
            };
            if has_room || self.cancellation.is_cancelled() {
                return Ok(mode);
            }
            pool.one_done().await;
        }
    }
}

/// The started calls of a lane that are not committed yet, in order.
struct Pool<W: LaneWork> {
    running: FuturesUnordered<Numbered<W::Running>>,
    /// One place for each started call, from the oldest; filled when its call is done.
    done: VecDeque<Option<W::Done>>,
    /// The number of the oldest place.
    oldest: usize,
}

/// A running call that says which one it was.
struct Numbered<F> {
    number: usize,
    running: F,
}

impl<F: Future + Unpin> Future for Numbered<F> {
    type Output = (usize, F::Output);

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let number = self.number;
        Pin::new(&mut self.running).poll(cx).map(|done| (number, done))
    }
}

impl<W: LaneWork> Pool<W> {
    fn new() -> Self {
        Self { running: FuturesUnordered::new(), done: VecDeque::new(), oldest: 0 }
    }

    fn running(&self) -> usize {
        self.running.len()
    }

    fn is_empty(&self) -> bool {
        self.done.is_empty()
    }

    fn push(&mut self, running: W::Running) {
        let number = self.oldest.wrapping_add(self.done.len());
        self.done.push_back(None);
        self.running.push(Numbered { number, running });
    }

    /// Waits until one more call is done; returns at once where none runs.
    async fn one_done(&mut self) {
        if let Some((number, done)) = self.running.next().await {
            self.settle(number, done);
        }
    }

    fn settle(&mut self, number: usize, done: W::Done) {
        if let Some(place) = self.done.get_mut(number.wrapping_sub(self.oldest)) {
            *place = Some(done);
        }
    }

    /// Commits every done call that nothing older waits in front of, while the others go on.
    async fn commit_ready(&mut self, work: &mut W) -> Result<(), W::Error> {
        while let Some(Some(_)) = self.done.front() {
            let Some(Some(done)) = self.done.pop_front() else { break };
            self.oldest = self.oldest.wrapping_add(1);
            self.while_running(work.commit(done)).await?;
        }
        Ok(())
    }

    /// Waits for every started call and commits it.
    async fn commit_all(&mut self, work: &mut W) -> Result<(), W::Error> {
        while !self.is_empty() {
            self.commit_ready(work).await?;
            self.one_done().await;
        }
        Ok(())
    }

    /// Waits for the next call of the stream, committing what becomes ready meanwhile.
    async fn meanwhile<T>(&mut self, work: &mut W, next: impl Future<Output = T>) -> Result<T, W::Error> {
        let mut next = pin!(next);
        loop {
            self.commit_ready(work).await?;
            if self.running.is_empty() {
                return Ok(next.await);
            }
            match select(&mut next, self.running.next()).await {
                Either::Left((item, _)) => return Ok(item),
                Either::Right((Some((number, done)), _)) => self.settle(number, done),
                Either::Right((None, _)) => {}
            }
        }
    }

    /// Awaits something while the running calls go on.
    async fn while_running<T>(&mut self, something: impl Future<Output = T>) -> T {
        let mut something = pin!(something);
        loop {
            if self.running.is_empty() {
                return something.await;
            }
            match select(&mut something, self.running.next()).await {
                Either::Left((value, _)) => return value,
                Either::Right((Some((number, done)), _)) => self.settle(number, done),
                Either::Right((None, _)) => {}
            }
        }
    }

    /// Awaits what runs and gives up what it did: the end of a lane that failed.
    async fn drain(&mut self) {
        while self.running.next().await.is_some() {}
    }
}
