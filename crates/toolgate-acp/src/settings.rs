//! Modes and configuration options: what a person may change of a session while it is open.
//!
//! The mode is the stance of the approvals. It is a configuration option as well, because editors that know options
//! ignore modes; both are kept equal. The other options are the model, and how tools are presented to it.

use agent_client_protocol::v1::schema as acp;
use toolgate::PresentationMode;
use toolgate_policy::Stance;

use crate::host::ModelChoice;

/// The option that is the mode.
pub(crate) const MODE: &str = "mode";
/// The option for the model.
pub(crate) const MODEL: &str = "model";
/// The option for the presentation of tools.
pub(crate) const TOOLS: &str = "tools";

/// A word, its name and what it means.
type Choice<T> = (T, &'static str, &'static str, &'static str);

const STANCES: [Choice<Stance>; 3] = [
    (Stance::Ask, "ask", "Ask", "Ask before whatever the rules ask about"),
    (Stance::Yes, "yes", "Allow", "Answer yes to whatever the rules ask about; what they deny stays denied"),
    (Stance::Never, "never", "Deny", "Ask nobody: what the rules ask about is denied"),
];

const PRESENTATIONS: [Choice<PresentationMode>; 3] = [
    (PresentationMode::Native, "native", "Tools", "The model calls tools one by one"),
    (PresentationMode::Code, "code", "Programs", "The model writes programs that call the tools"),
    (PresentationMode::Both, "both", "Tools and programs", "The model may do either"),
];

/// What is chosen in a session.
#[derive(Clone, Debug)]
pub(crate) struct Chosen {
    pub(crate) stance: Stance,
    pub(crate) model: String,
    pub(crate) presentation: PresentationMode,
}

/// The stance of a mode.
pub(crate) fn stance(id: &str) -> Option<Stance> {
    STANCES.iter().find(|(_, word, ..)| *word == id).map(|(stance, ..)| *stance)
}

/// The mode of a stance.
pub(crate) fn mode_id(stance: Stance) -> &'static str {
    STANCES.iter().find(|(known, ..)| *known == stance).map_or("never", |(_, word, ..)| word)
}

/// The modes of a session.
pub(crate) fn modes(chosen: &Chosen) -> acp::SessionModeState {
    let modes = STANCES.iter().map(|(_, id, name, description)| {
        acp::SessionMode::new(*id, *name).description((*description).to_owned())
    });
    acp::SessionModeState::new(mode_id(chosen.stance), modes.collect())
}

/// The configuration options of a session. Tools can be presented as code only where Code Mode is mounted.
pub(crate) fn options(
    chosen: &Chosen,
    models: &[ModelChoice],
    presents_code: bool,
) -> Vec<acp::SessionConfigOption> {
    let mode = acp::SessionConfigOption::select(MODE, "Approvals", mode_id(chosen.stance), choices(&STANCES))
        .category(acp::SessionConfigOptionCategory::Mode);
    let named = models
        .iter()
        .map(|choice| acp::SessionConfigSelectOption::new(choice.id.clone(), choice.name.clone()));
    let model =
        acp::SessionConfigOption::select(MODEL, "Model", chosen.model.clone(), named.collect::<Vec<_>>())
            .category(acp::SessionConfigOptionCategory::Model);
    let mut options = vec![mode, model];
    if presents_code {
        let current = chosen.presentation.as_str();
        let tools = acp::SessionConfigOption::select(TOOLS, "Tools", current, choices(&PRESENTATIONS))
            .description("How tools are presented to the model".to_owned());
        options.push(tools);
    }
    options
}

fn choices<T>(choices: &[Choice<T>]) -> Vec<acp::SessionConfigSelectOption> {
    let option = |(_, id, name, description): &Choice<T>| {
        acp::SessionConfigSelectOption::new(*id, *name).description((*description).to_owned())
    };
    choices.iter().map(option).collect()
}
