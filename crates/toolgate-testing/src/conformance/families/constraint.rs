//! Constraints on the events of a scenario, over the first occurrence of each.

use std::fmt;

use serde::Deserialize;

use super::super::cases::Malformed;
use super::super::compare::Comparison;

/// What must hold of the events.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) enum Constraint {
    /// All occur, in this order.
    Order(Vec<Event>),
    /// The bodies of two calls run at the same time.
    Overlap([String; 2]),
    /// The bodies of two calls do not run at the same time.
    Apart([String; 2]),
    /// So many bodies run at once at most, and so many do.
    Peak(usize),
    /// No more bodies than these run at once.
    MaxConcurrent(usize),
    /// None of these occurs.
    Absent(Vec<Event>),
}

/// What happens to a call, as `<what> <call id>`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct Event(String);

impl TryFrom<String> for Event {
    type Error = String;

    /// Refuses what can never occur, so that no constraint holds for that reason alone.
    fn try_from(text: String) -> Result<Self, String> {
        match text.split_once(' ') {
            Some((
                "pre" | "gate" | "body" | "done" | "post" | "result" | "commit" | "start" | "settle",
                _,
            )) => Ok(Self(text)),
            _ => Err(format!("{text:?} is no event")),
        }
    }
}

impl Constraint {
    /// Refuses a constraint on events that its family does not have.
    pub(super) fn refuse(&self, unknown: &[&str]) -> Result<(), Malformed> {
        let events = match self {
            Self::Order(events) | Self::Absent(events) => events.as_slice(),
            Self::Overlap(_) | Self::Apart(_) | Self::Peak(_) | Self::MaxConcurrent(_) => &[],
        };
        let is_unknown =
            |event: &&Event| event.0.split(' ').next().is_some_and(|word| unknown.contains(&word));
        match events.iter().find(is_unknown) {
            Some(event) => Err(Malformed::new(format!("{:?} is no event of this family", event.0))),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Constraint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Order(events) => write!(f, "in order: {}", joined(events)),
            Self::Overlap([one, other]) => write!(f, "{one} and {other} overlap"),
            Self::Apart([one, other]) => write!(f, "{one} and {other} do not overlap"),
            Self::Peak(count) => write!(f, "a peak of {count} bodies at once"),
            Self::MaxConcurrent(count) => write!(f, "at most {count} bodies at once"),
            Self::Absent(events) => write!(f, "absent: {}", joined(events)),
        }
    }
}

fn joined(events: &[Event]) -> String {
    events.iter().map(|event| event.0.as_str()).collect::<Vec<_>>().join(", ")
}

/// The events of a scenario, each at its first occurrence.
pub(super) struct Events(Vec<String>);

impl Events {
    pub(super) fn new(all: Vec<String>) -> Self {
        let mut first: Vec<String> = Vec::new();
        for event in all {
            if !first.contains(&event) {
                first.push(event);
            }
        }
        Self(first)
    }

    /// Notes the constraints that do not hold.
    pub(super) fn compare(&self, constraints: &[Constraint], comparison: &mut Comparison) {
        for constraint in constraints {
            if let Err(found) = self.check(constraint) {
                comparison.differs("constraints", &constraint.to_string(), &found);
            }
        }
    }

    /// Whether a constraint holds; else the events that it is about, as they occurred.
    fn check(&self, constraint: &Constraint) -> Result<(), String> {
        let holds = match constraint {
            Constraint::Order(events) => self.are_in_order(events),
            Constraint::Overlap([one, other]) => self.overlap(one, other),
            Constraint::Apart([one, other]) => !self.overlap(one, other),
            Constraint::Peak(count) => self.peak() == *count,
            Constraint::MaxConcurrent(count) => self.peak() <= *count,
            Constraint::Absent(events) => events.iter().all(|event| self.place_of_event(event).is_none()),
        };
        if holds { Ok(()) } else { Err(self.0.join(", ")) }
    }

    fn place_of_event(&self, event: &Event) -> Option<usize> {
        self.place_of(&event.0)
    }

    fn place_of(&self, event: &str) -> Option<usize> {
        self.0.iter().position(|known| known == event)
    }

    fn are_in_order(&self, events: &[Event]) -> bool {
        let places: Option<Vec<_>> = events.iter().map(|event| self.place_of_event(event)).collect();
        places.is_some_and(|places| places.is_sorted_by(|earlier, later| earlier < later))
    }

    fn overlap(&self, one: &str, other: &str) -> bool {
        let body =
            |call| Some((self.place_of(&format!("body {call}"))?, self.place_of(&format!("done {call}"))?));
        match (body(one), body(other)) {
            (Some((begin, end)), Some((other_begin, other_end))) => begin < other_end && other_begin < end,
            _ => false,
        }
    }

    fn peak(&self) -> usize {
        let mut running = 0_usize;
        let mut peak = 0;
        for event in &self.0 {
            if event.starts_with("body ") {
                running = running.saturating_add(1);
                peak = peak.max(running);
            } else if event.starts_with("done ") {
                running = running.saturating_sub(1);
            }
        }
        peak
    }
}
