//! Definitions that are nothing but each other: `A` is `B` or null, `B` is `A`. No language has such a type.

use super::{Kind, Model, Shape};
use crate::losses::LossReason;

/// Turns one definition of each such circle into any JSON, and reports it.
///
/// Removes, again and again, the definitions that lead to none of the remaining ones outside of a list or an object.
/// When that ends before all are gone, a circle is left and the first of it is cut.
pub(super) fn cut(model: &mut Model<'_>) {
    let count = model.definitions.len();
    let mut waits_for = vec![0_usize; count];
    let mut waited_for_by: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (index, definition) in model.definitions.iter().enumerate() {
        for target in led_to(&definition.shape) {
            if let (Some(waits), Some(waited)) = (waits_for.get_mut(index), waited_for_by.get_mut(target)) {
                *waits += 1;
                waited.push(index);
            }
        }
    }
    let mut is_gone = vec![false; count];
    let mut ready: Vec<usize> = (0..count).filter(|index| waits_for.get(*index) == Some(&0)).collect();
    let mut next_to_cut = 0;
    loop {
        while let Some(index) = ready.pop() {
            if is_gone.get(index).copied().unwrap_or(true) {
                continue;
            }
            if let Some(gone) = is_gone.get_mut(index) {
                *gone = true;
            }
            for waiting in waited_for_by.get(index).into_iter().flatten() {
                if let Some(waits) = waits_for.get_mut(*waiting) {
                    *waits = waits.saturating_sub(1);
                    if *waits == 0 {
                        ready.push(*waiting);
                    }
                }
            }
        }
        let Some(index) = (next_to_cut..count).find(|index| is_gone.get(*index) == Some(&false)) else {
            return;
        };
        next_to_cut = index + 1;
        if let Some(definition) = model.definitions.get_mut(index) {
            definition.shape.kind = Kind::Any;
            model.losses.push((definition.shape.at.clone(), LossReason::SelfReference));
        }
        ready.push(index);
    }
}

/// The definitions that a type is, or may be: not those of its members.
fn led_to(shape: &Shape<'_>) -> Vec<usize> {
    let mut found = Vec::new();
    let mut open = vec![shape];
    while let Some(shape) = open.pop() {
        match &shape.kind {
            Kind::Named(index) => found.push(*index),
            Kind::Union(union) => open.extend(&union.branches),
            Kind::Any
            | Kind::Never
            | Kind::Null
            | Kind::Boolean
            | Kind::Integer
            | Kind::Number
            | Kind::String
            | Kind::Literals(_)
            | Kind::Array(_)
            | Kind::Tuple(_)
            | Kind::Object(_) => {}
        }
    }
    found
}
