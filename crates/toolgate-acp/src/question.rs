//! Questions to the person at the editor: approvals as permission requests, choices as forms.
//!
//! Joined to the people of a session. A question waits until the editor knows of the call that it is about. Cancelling
//! the call takes the question back; an editor that says the turn was cancelled has cancelled it. Whatever cannot be
//! understood is no answer, and what nobody answers is denied.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use agent_client_protocol::v1::schema as acp;
use toolgate::{CallId, HookResult};
use toolgate_policy::Answerer;
use toolgate_policy::person::{Answer, Asking, Question, Remember, Remembered};

use crate::content::{fenced, to_value};
use crate::editor::Editor;
use crate::session::Running;
use crate::watch::Announced;

/// How many rules are offered.
const MOST_RULES: usize = 3;

/// How many calls are rejected unasked; later ones are asked about again.
const MOST_REJECTED: usize = 1_000;

const ONCE: &str = "allow-once";
const ARGUMENTS: &str = "allow-arguments";
const RULE: &str = "allow-rule-";
const REJECT: &str = "reject-once";
const REJECT_ALWAYS: &str = "reject-arguments";

/// The field of a form.
const FIELD: &str = "answer";

/// The person at the editor.
pub(crate) struct AtTheEditor {
    pub(crate) editor: Editor,
    pub(crate) announced: Arc<Announced>,
    pub(crate) running: Arc<Running>,
    /// Tools with arguments that the person never wants to be asked about again.
    pub(crate) rejected: Mutex<HashSet<(String, String)>>,
}

impl Answerer for AtTheEditor {
    fn name(&self) -> &str {
        "editor"
    }

    async fn answer(&self, question: &Question) -> HookResult<Option<Answer>> {
        match &question.asking {
            Asking::Approval { .. } => Ok(self.approval(question).await),
            Asking::Choice { question: text, options, is_multiple } => {
                self.announced(&question.call_id).await;
                if self.editor.has_forms() {
                    return Ok(self.form(question, text, options, *is_multiple).await);
                }
                // Buttons carry one choice, and no words.
                match options.is_empty() || *is_multiple {
                    true => Ok(None),
                    false => Ok(self.buttons(question, text, options).await),
                }
            }
        }
    }
}

impl AtTheEditor {
    /// Waits until the editor knows of a call of the turn under way. A call of another session is never announced here,
    /// and carries all that there is to see.
    async fn announced(&self, id: &str) {
        if !id.starts_with(&self.editor.session().to_string()) {
            return;
        }
        let id = CallId::from(id);
        let mut announced = self.announced.subscribe();
        // Where nobody announces any more, the question says it all.
        let _ = announced.wait_for(|calls| calls.contains(&id)).await;
    }

    async fn approval(&self, question: &Question) -> Option<Answer> {
        let Asking::Approval { title, shown, arguments, reason, rules } = &question.asking else {
            return None;
        };
        let key = (question.tool.clone(), arguments.to_text());
        if self.rejected().contains(&key) {
            return Some(Answer::Reject);
        }
        self.announced(&question.call_id).await;
        let mut content: Vec<acp::ToolCallContent> =
            reason.iter().map(|reason| reason.clone().into()).collect();
        content.push(fenced(shown, "json").into());
        let fields = acp::ToolCallUpdateFields::new()
            .title(title.clone())
            .name(question.tool.clone())
            .content(content)
            .raw_input(to_value(arguments));
        let mut options = vec![option(ONCE, "Allow once", acp::PermissionOptionKind::AllowOnce)];
        for (at, rule) in rules.iter().take(MOST_RULES).enumerate() {
            let name = format!("Always allow {rule}");
            options.push(option(&format!("{RULE}{at}"), &name, acp::PermissionOptionKind::AllowAlways));
        }
        options.push(option(ARGUMENTS, "Always allow exactly this", acp::PermissionOptionKind::AllowAlways));
        options.push(option(REJECT, "Reject", acp::PermissionOptionKind::RejectOnce));
        options.push(option(
            REJECT_ALWAYS,
            "Always reject exactly this",
            acp::PermissionOptionKind::RejectAlways,
        ));
        let chosen = self.permission(question, fields, options).await?;
        let remember =
            |what| Some(Answer::Allow { remember: Some(Remember { what, uses: None, seconds: None }) });
        match &*chosen {
            ONCE => Some(Answer::allow_once()),
            ARGUMENTS => remember(Remembered::Arguments),
            REJECT => Some(Answer::Reject),
            REJECT_ALWAYS => {
                let mut rejected = self.rejected();
                if rejected.len() < MOST_REJECTED {
                    rejected.insert(key);
                }
                Some(Answer::Reject)
            }
            other => {
                let at = other.strip_prefix(RULE)?.parse::<usize>().ok()?;
                (at < rules.len().min(MOST_RULES)).then(|| remember(Remembered::Rule(at)))?
            }
        }
    }

    async fn buttons(&self, question: &Question, text: &str, options: &[String]) -> Option<Answer> {
        let fields = acp::ToolCallUpdateFields::new().title(text.to_owned());
        let choices = options.iter().enumerate();
        let mut buttons: Vec<acp::PermissionOption> = choices
            .map(|(at, name)| option(&at.to_string(), name, acp::PermissionOptionKind::AllowOnce))
            .collect();
        buttons.push(option(REJECT, "No answer", acp::PermissionOptionKind::RejectOnce));
        let chosen = self.permission(question, fields, buttons).await?;
        if *chosen == *REJECT {
            return Some(Answer::Reject);
        }
        let at = chosen.parse::<usize>().ok()?;
        (at < options.len()).then(|| Answer::Choose { options: vec![at] })
    }

    /// Asks for one of some options, and gives the id of the one that was chosen.
    async fn permission(
        &self,
        question: &Question,
        fields: acp::ToolCallUpdateFields,
        options: Vec<acp::PermissionOption>,
    ) -> Option<Arc<str>> {
        let call = acp::ToolCallUpdate::new(question.call_id.clone(), fields);
        let request = acp::RequestPermissionRequest::new(self.editor.session().to_string(), call, options);
        let response = self.editor.client().request(request).await;
        let outcome = match response {
            Ok(response) => response.outcome,
            Err(error) => {
                tracing::warn!(target: "toolgate", "the editor did not answer a question: {}", error.message);
                return None;
            }
        };
        if let acp::RequestPermissionOutcome::Selected(selected) = outcome {
            return Some(selected.option_id.0);
        }
        if outcome == acp::RequestPermissionOutcome::Cancelled {
            // The turn was cancelled; the call hears of it and takes the question back.
            self.running.cancel();
            return std::future::pending().await;
        }
        None
    }

    /// Asks with a form of one field.
    async fn form(
        &self,
        question: &Question,
        text: &str,
        options: &[String],
        is_multiple: bool,
    ) -> Option<Answer> {
        let field = match (options.is_empty(), is_multiple) {
            (true, _) => acp::ElicitationPropertySchema::String(acp::StringPropertySchema::new()),
            (false, false) => {
                let choice = acp::StringPropertySchema::new().enum_values(options.to_vec());
                acp::ElicitationPropertySchema::String(choice)
            }
            (false, true) => {
                acp::ElicitationPropertySchema::Array(acp::MultiSelectPropertySchema::new(options.to_vec()))
            }
        };
        let schema = acp::ElicitationSchema::new().property(FIELD, field, true);
        let scope = acp::ElicitationSessionScope::new(self.editor.session().to_string())
            .tool_call_id(acp::ToolCallId::new(question.call_id.as_str()));
        let mode = acp::ElicitationFormMode::new(scope, schema);
        let request = acp::CreateElicitationRequest::new(mode, text.to_owned());
        let action = self.editor.client().request(request).await.ok()?.action;
        let acp::ElicitationAction::Accept(accepted) = action else { return Some(Answer::Reject) };
        let value = accepted.content?.remove(FIELD)?;
        let place = |chosen: &String| options.iter().position(|option| option == chosen);
        if let acp::ElicitationContentValue::StringArray(chosen) = &value {
            let options = chosen.iter().map(place).collect::<Option<Vec<usize>>>()?;
            return Some(Answer::Choose { options });
        }
        let acp::ElicitationContentValue::String(chosen) = value else { return None };
        Some(match place(&chosen) {
            Some(at) => Answer::Choose { options: vec![at] },
            None => Answer::Reply { text: chosen },
        })
    }

    fn rejected(&self) -> std::sync::MutexGuard<'_, HashSet<(String, String)>> {
        // Held for one look-up only.
        self.rejected.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn option(id: &str, name: &str, kind: acp::PermissionOptionKind) -> acp::PermissionOption {
    acp::PermissionOption::new(id.to_owned(), name.to_owned(), kind)
}
