//! One open session: its settings, its turns, its end.
//!
//! Made by `sessions`. One turn runs at a time; a second prompt is refused. A turn that is cancelled is awaited, so that
//! the log is whole and every update is told before the prompt is answered.

use std::any::Any;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agent_client_protocol::v1::schema as acp;
use agent_client_protocol::{Error, ErrorCode};
use tokio::sync::oneshot;
use toolgate::{CancellationToken, ContentBlock, PresentationMode, Registration, Scope};
use toolgate_agent::{Agent, TurnReport};
use toolgate_policy::{Approvals, Stance};
use toolgate_session::{SessionId, TurnOutcome};

use crate::command;
use crate::host::ModelChoice;
use crate::serve::Client;
use crate::settings::{self, Chosen};
use crate::watch::Teller;

/// Whether a turn runs, and how it is stopped.
#[derive(Debug, Default)]
pub(crate) struct Running(Mutex<Option<CancellationToken>>);

impl Running {
    fn lock(&self) -> MutexGuard<'_, Option<CancellationToken>> {
        // Held for plain assignments only.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the right to run a turn; nothing while somebody has it.
    pub(crate) fn begin(self: &Arc<Self>) -> Option<Claim> {
        let mut running = self.lock();
        if running.is_some() {
            return None;
        }
        let stop = CancellationToken::new();
        *running = Some(stop.clone());
        Some(Claim { running: Arc::clone(self), stop })
    }

    /// Stops the turn under way, if there is one.
    pub(crate) fn cancel(&self) {
        if let Some(stop) = &*self.lock() {
            stop.cancel();
        }
    }
}

/// The right to run a turn, until it is dropped.
#[derive(Debug)]
pub(crate) struct Claim {
    running: Arc<Running>,
    pub(crate) stop: CancellationToken,
}

impl Drop for Claim {
    fn drop(&mut self) {
        *self.running.lock() = None;
    }
}

/// A session.
pub(crate) struct Session {
    pub(crate) id: SessionId,
    pub(crate) running: Arc<Running>,
    pub(crate) scope: Scope,
    pub(crate) approvals: Approvals,
    pub(crate) presents_code: bool,
    pub(crate) steps: u64,
    pub(crate) models: Vec<ModelChoice>,
    pub(crate) client: Client,
    pub(crate) chosen: Mutex<Chosen>,
    pub(crate) presented: Mutex<Option<Registration>>,
    pub(crate) work: tokio::sync::Mutex<Option<Work>>,
}

/// What a turn needs for itself.
pub(crate) struct Work {
    pub(crate) agent: Agent,
    pub(crate) teller: Teller,
    /// The model that the agent asks.
    pub(crate) model: String,
    pub(crate) _keep: Option<Box<dyn Any + Send + Sync>>,
}

impl Session {
    /// What is chosen now.
    pub(crate) fn chosen(&self) -> Chosen {
        self.lock_chosen().clone()
    }

    fn lock_chosen(&self) -> MutexGuard<'_, Chosen> {
        // Held for plain assignments only.
        self.chosen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn modes(&self) -> acp::SessionModeState {
        settings::modes(&self.chosen())
    }

    pub(crate) fn options(&self) -> Vec<acp::SessionConfigOption> {
        settings::options(&self.chosen(), &self.models, self.presents_code)
    }

    /// Chooses a stance, for questions from now on.
    pub(crate) fn choose_stance(&self, stance: Stance) {
        self.approvals.set_stance(stance);
        self.lock_chosen().stance = stance;
    }

    /// Chooses one value of an option. `false` where there is no such option or value.
    pub(crate) fn choose(&self, option: &str, value: &str) -> bool {
        match option {
            settings::MODE => match settings::stance(value) {
                Some(stance) => self.choose_stance(stance),
                None => return false,
            },
            settings::MODEL if self.models.iter().any(|choice| choice.id == value) => {
                self.lock_chosen().model = value.to_owned();
            }
            settings::TOOLS if self.presents_code => match value.parse() {
                Ok(mode) => return self.present_as(mode),
                Err(_) => return false,
            },
            _ => return false,
        }
        true
    }

    /// Presents tools in another way, from the next request to the model on.
    fn present_as(&self, mode: PresentationMode) -> bool {
        let mut presented = self.presented.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(before) = presented.take() {
            before.dispose();
        }
        let Ok(registration) = self.scope.present_as(mode) else { return false };
        *presented = Some(registration);
        self.lock_chosen().presentation = mode;
        true
    }

    /// Works on a message. Everything is told by the time this returns.
    ///
    /// # Errors
    /// The model or the log failed, or the session was closed.
    pub(crate) async fn prompt(
        &self,
        said: Vec<ContentBlock>,
        claim: &Claim,
    ) -> Result<acp::StopReason, Error> {
        let mut work = self.work.lock().await;
        let Some(work) = work.as_mut() else {
            return Err(Error::new(ErrorCode::RESOURCE_NOT_FOUND, "the session was closed"));
        };
        if let Some(command) = command::of(&said) {
            let answer = command.answer(self.id, &self.scope, &self.chosen());
            let chunk = acp::ContentChunk::new(acp::ContentBlock::from(answer));
            self.client.update(self.id, acp::SessionUpdate::AgentMessageChunk(chunk)).await;
            return Ok(acp::StopReason::EndTurn);
        }
        let chosen = self.chosen().model;
        if let Some(choice) = self.models.iter().find(|choice| choice.id == chosen && chosen != work.model) {
            work.agent.set_model(choice.model.clone());
            work.model = chosen;
        }
        work.teller.announced.send_modify(Vec::clear);
        let live = work.agent.watch();
        let (over, is_over) = oneshot::channel();
        let turn = async {
            let report = work.agent.turn(said, claim.stop.clone()).await;
            drop(over);
            report
        };
        let (report, ()) = tokio::join!(turn, work.teller.watch(live, is_over));
        match report {
            Ok(report) => self.stop_reason(report),
            Err(error) => {
                let cause =
                    std::error::Error::source(&error).map(|cause| format!(": {cause}")).unwrap_or_default();
                Err(Error::new(ErrorCode::INTERNAL_ERROR, format!("{error}{cause}")))
            }
        }
    }

    fn stop_reason(&self, report: TurnReport) -> Result<acp::StopReason, Error> {
        match report.outcome {
            TurnOutcome::Completed => Ok(acp::StopReason::EndTurn),
            TurnOutcome::Interrupted => Ok(acp::StopReason::Cancelled),
            TurnOutcome::LimitReached if report.steps >= self.steps => Ok(acp::StopReason::MaxTurnRequests),
            TurnOutcome::LimitReached => Ok(acp::StopReason::MaxTokens),
            TurnOutcome::Failed | TurnOutcome::Crashed => {
                let reason = report.reason.unwrap_or_else(|| "the turn failed".to_owned());
                Err(Error::new(ErrorCode::INTERNAL_ERROR, reason))
            }
        }
    }

    /// Stops what runs, awaits it, and gives the session back, so that it can be opened again. A second time does
    /// nothing.
    pub(crate) async fn close(&self) {
        self.running.cancel();
        let work = self.work.lock().await.take();
        if let Some(Work { agent, _keep, .. }) = work {
            agent.close().await;
            self.approvals.forget(&self.scope);
            self.scope.close();
        }
    }
}
