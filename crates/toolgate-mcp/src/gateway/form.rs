//! A question to a person as a form of the protocol, and what the form says when it comes back.
//!
//! Forms are flat: one text or one choice. To accept the form of an approval is to allow the call, this once unless the
//! form says more.

use rmcp::model::{ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema};
use serde_json::{Value, json};
use toolgate_policy::person::{Answer, Asking, Question, Remember, Remembered};

/// What the field of an approval says where nothing is to be remembered.
const ONCE: &str = "this call";
/// The same, where the same call with the same arguments is allowed from now on.
const ARGUMENTS: &str = "this call whenever its arguments are the same";

/// The form of a question. None where it cannot be told as one, which no question of ours is.
pub(super) fn of(question: &Question) -> Option<ElicitRequestParams> {
    let (message, schema) = match &question.asking {
        Asking::Approval { title, shown, reason, rules, .. } => {
            let reason = reason.as_ref().map(|reason| format!("\n\n{reason}")).unwrap_or_default();
            let tool = &question.tool;
            let message = format!("Allow this call of `{tool}`?\n\n{title}{reason}\n\nArguments:\n{shown}");
            (message, allowing(rules))
        }
        Asking::Choice { question, options, is_multiple } => {
            (question.clone(), choosing(options, *is_multiple))
        }
    };
    let requested_schema: ElicitationSchema = serde_json::from_value(schema).ok()?;
    Some(ElicitRequestParams::FormElicitationParams { meta: None, message, requested_schema })
}

/// What a person said with the form; none where they said nothing.
pub(super) fn answer(question: &Question, result: &ElicitResult) -> Option<Answer> {
    let field = result.content.as_ref().and_then(|content| content.get(field_of(&question.asking)));
    if result.action == ElicitationAction::Accept {
        match &question.asking {
            Asking::Approval { rules, .. } => allowed(field, rules),
            Asking::Choice { options, .. } => chosen(field?, options),
        }
    } else {
        (result.action == ElicitationAction::Decline).then_some(Answer::Reject)
    }
}

fn field_of(asking: &Asking) -> &'static str {
    match asking {
        Asking::Approval { .. } => "allow",
        Asking::Choice { .. } => "answer",
    }
}

fn allowing(rules: &[String]) -> Value {
    let choices: Vec<String> = [ONCE.to_owned(), ARGUMENTS.to_owned()]
        .into_iter()
        .chain(rules.iter().map(|rule| by_rule(rule)))
        .collect();
    json!({
        "type": "object",
        "properties": { "allow": { "type": "string", "title": "Allow", "enum": choices, "default": ONCE } },
    })
}

fn by_rule(rule: &str) -> String {
    format!("every call by the rule: {rule}")
}

/// A form that says something else than it could is no answer.
fn allowed(field: Option<&Value>, rules: &[String]) -> Option<Answer> {
    let what = match field {
        None => None,
        Some(field) => match field.as_str()? {
            ONCE => None,
            ARGUMENTS => Some(Remembered::Arguments),
            said => Some(Remembered::Rule(rules.iter().position(|rule| by_rule(rule) == said)?)),
        },
    };
    Some(Answer::Allow { remember: what.map(|what| Remember { what, uses: None, seconds: None }) })
}

fn choosing(options: &[String], is_multiple: bool) -> Value {
    let field = if options.is_empty() {
        json!({ "type": "string", "title": "Answer" })
    } else if is_multiple {
        let items = json!({ "type": "string", "enum": options });
        json!({ "type": "array", "title": "Answer", "items": items, "minItems": 1 })
    } else {
        json!({ "type": "string", "title": "Answer", "enum": options })
    };
    json!({ "type": "object", "properties": { "answer": field }, "required": ["answer"] })
}

fn chosen(field: &Value, options: &[String]) -> Option<Answer> {
    let place = |said: &Value| {
        let said = said.as_str()?;
        options.iter().position(|option| option == said)
    };
    match field {
        Value::String(text) if options.is_empty() => Some(Answer::Reply { text: text.clone() }),
        Value::String(_) => place(field).map(|at| Answer::Choose { options: vec![at] }),
        Value::Array(items) => {
            let options = items.iter().map(place).collect::<Option<Vec<usize>>>()?;
            Some(Answer::Choose { options })
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
    }
}
