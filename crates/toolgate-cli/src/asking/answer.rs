//! What is typed, read as an answer. Anything that is not clearly one is none: silence, garbage and slips allow nothing.

use std::num::{NonZeroU32, NonZeroU64};

use toolgate_policy::person::{Answer, Asking, Remember, Remembered};

use crate::config::ApprovalsConfig;

/// Reads a line as an answer to a question.
pub(super) fn read(line: &str, asking: &Asking, limits: &GrantLimits) -> Option<Answer> {
    let line = line.trim();
    match asking {
        Asking::Approval { rules, .. } => match line.to_ascii_lowercase().as_str() {
            "y" | "yes" => Some(Answer::allow_once()),
            "n" | "no" => Some(Answer::Reject),
            number => {
                let at = number.parse::<usize>().ok()?.checked_sub(1)?;
                (at < rules.len()).then(|| Answer::Allow { remember: Some(limits.remember(at)) })
            }
        },
        Asking::Choice { .. } if line.is_empty() => None,
        Asking::Choice { .. } if line == "-" => Some(Answer::Reject),
        Asking::Choice { options, is_multiple, .. } => {
            let numbers: Option<Vec<usize>> = line
                .split([',', ' '])
                .filter(|part| !part.is_empty())
                .map(|part| part.parse::<usize>().ok()?.checked_sub(1).filter(|at| *at < options.len()))
                .collect();
            match numbers {
                Some(chosen) if !chosen.is_empty() && (*is_multiple || chosen.len() == 1) => {
                    Some(Answer::Choose { options: chosen })
                }
                Some(_) | None => Some(Answer::Reply { text: line.to_owned() }),
            }
        }
    }
}

/// For how long a chosen rule holds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct GrantLimits {
    uses: Option<NonZeroU32>,
    seconds: Option<NonZeroU64>,
}

impl GrantLimits {
    pub(super) fn new(config: &ApprovalsConfig) -> Self {
        // What is shorter than a second holds for one.
        let seconds = config.grant_lasts.map(|lasts| lasts.as_secs().max(1));
        Self { uses: config.grant_uses, seconds: seconds.and_then(NonZeroU64::new) }
    }

    fn remember(self, at: usize) -> Remember {
        Remember { what: Remembered::Rule(at), uses: self.uses, seconds: self.seconds }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn approval() -> Asking {
        Asking::Approval {
            title: "Write `a`".to_owned(),
            shown: "{}".to_owned(),
            arguments: toolgate::JsonValue::parse("{}").unwrap(),
            reason: None,
            rules: vec!["write(a)".to_owned(), "write(**)".to_owned()],
        }
    }

    #[test]
    fn only_clear_words_answer_an_approval() {
        let limits = GrantLimits::default();
        assert_eq!(read(" Y ", &approval(), &limits), Some(Answer::allow_once()));
        assert_eq!(read("no", &approval(), &limits), Some(Answer::Reject));
        let remember = Some(Remember { what: Remembered::Rule(1), uses: None, seconds: None });
        assert_eq!(read("2", &approval(), &limits), Some(Answer::Allow { remember }));
        for line in ["", "0", "3", "yy", "y n", "\u{1b}[8;24;80t", "y\u{1b}[A", "ok", "-1", "1.", "１"] {
            assert_eq!(read(line, &approval(), &limits), None, "{line:?}");
        }
    }

    #[test]
    fn choices_are_numbers_or_words() {
        let limits = GrantLimits::default();
        let options = ["red".to_owned(), "blue".to_owned()];
        for (is_multiple, line, expected) in [
            (false, "2", Some(Answer::Choose { options: vec![1] })),
            (true, "1, 2", Some(Answer::Choose { options: vec![0, 1] })),
            (false, "green", Some(Answer::Reply { text: "green".to_owned() })),
            (false, "1 2", Some(Answer::Reply { text: "1 2".to_owned() })),
            (false, "-", Some(Answer::Reject)),
            (false, " ", None),
        ] {
            let asking = Asking::choice("Which?", &options, is_multiple);
            assert_eq!(read(line, &asking, &limits), expected, "{line:?}");
        }
    }
}
