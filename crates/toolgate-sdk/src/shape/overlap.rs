//! Whether the branches of a `oneOf` exclude each other, as far as that can be seen.
//!
//! A union type lets a value fit several branches and the schema does not. Where two branches share no value the two
//! say the same; anywhere else the difference is a loss.

use std::collections::HashMap;

use super::{Kind, Literal, Model, Object, Shape, Undeclared, Union};
use crate::losses::LossReason;
use crate::pointer::Pointer;

/// More branches than these are not compared with each other.
const BRANCHES: usize = 64;

/// Reports every `oneOf` whose branches may overlap.
pub(super) fn report(model: &mut Model<'_>) {
    let mut found: Vec<Pointer> = Vec::new();
    let mut open: Vec<&Shape<'_>> = vec![&model.root];
    open.extend(model.definitions.iter().map(|definition| &definition.shape));
    open.reverse();
    while let Some(shape) = open.pop() {
        match &shape.kind {
            Kind::Union(union) => {
                if let Some(at) = &union.exclusive
                    && may_overlap(union, model)
                {
                    found.push(at.clone());
                }
                open.extend(union.branches.iter().rev());
            }
            Kind::Array(items) => open.push(items),
            Kind::Tuple(tuple) => {
                open.extend(tuple.rest.as_deref());
                open.extend(tuple.items.iter().rev());
            }
            Kind::Object(object) => {
                if let Undeclared::Of(shape) = &object.undeclared {
                    open.push(shape);
                }
                open.extend(object.properties.iter().rev().map(|property| &property.shape));
            }
            Kind::Any
            | Kind::Never
            | Kind::Null
            | Kind::Boolean
            | Kind::Integer
            | Kind::Number
            | Kind::String
            | Kind::Literals(_)
            | Kind::Named(_) => {}
        }
    }
    model.losses.extend(found.into_iter().map(|at| (at, LossReason::Overlap)));
}

fn may_overlap(union: &Union<'_>, model: &Model<'_>) -> bool {
    if union.branches.len() > BRANCHES {
        return true;
    }
    union.branches.iter().enumerate().any(|(index, one)| {
        union.branches.iter().skip(index + 1).any(|other| !excludes(&one.kind, &other.kind, model))
    })
}

/// Whether no value fits both. `false` where that cannot be seen.
fn excludes(one: &Kind<'_>, other: &Kind<'_>, model: &Model<'_>) -> bool {
    let (Some(one), Some(other)) = (resolve(one, model), resolve(other, model)) else { return false };
    if json_types(one) & json_types(other) == 0 {
        return true;
    }
    match (one, other) {
        (Kind::Literals(one), Kind::Literals(other)) => are_apart(one, other),
        (Kind::Object(one), Kind::Object(other)) => objects_exclude(one, other, model),
        _ => false,
    }
}

/// Follows definitions, a few steps.
fn resolve<'m, 'a>(kind: &'m Kind<'a>, model: &'m Model<'a>) -> Option<&'m Kind<'a>> {
    let mut kind = kind;
    for _ in 0..8 {
        let Kind::Named(index) = kind else { return Some(kind) };
        kind = &model.definitions.get(*index)?.shape.kind;
    }
    None
}

/// Two objects exclude each other when one requires a property that the other refuses, or whose values there are
/// others.
fn objects_exclude(one: &Object<'_>, other: &Object<'_>, model: &Model<'_>) -> bool {
    let of_other: HashMap<&str, _> =
        other.properties.iter().map(|property| (property.name, property)).collect();
    let of_one: HashMap<&str, _> = one.properties.iter().map(|property| (property.name, property)).collect();
    let refuses = |object: &Object<'_>| matches!(object.undeclared, Undeclared::Nothing);
    let one_tells = one.properties.iter().any(|property| match of_other.get(property.name) {
        None => property.required && refuses(other),
        Some(twin) => {
            (property.required || twin.required) && tells_apart(&property.shape.kind, &twin.shape.kind, model)
        }
    });
    one_tells
        || (refuses(one)
            && other
                .properties
                .iter()
                .any(|property| property.required && !of_one.contains_key(property.name)))
}

/// Whether two types of one property share no value: by their JSON types, or by their values.
fn tells_apart(one: &Kind<'_>, other: &Kind<'_>, model: &Model<'_>) -> bool {
    let (Some(one), Some(other)) = (resolve(one, model), resolve(other, model)) else { return false };
    let listed = match (one, other) {
        (Kind::Literals(one), Kind::Literals(other)) => are_apart(one, other),
        _ => false,
    };
    listed || json_types(one) & json_types(other) == 0
}

fn are_apart(one: &[Literal<'_>], other: &[Literal<'_>]) -> bool {
    !one.iter().any(|one| other.iter().any(|other| is_same(one, other)))
}

fn is_same(one: &Literal<'_>, other: &Literal<'_>) -> bool {
    match (one, other) {
        (Literal::Null, Literal::Null) => true,
        (Literal::Boolean(one), Literal::Boolean(other)) => one == other,
        (Literal::Text(one), Literal::Text(other)) => one == other,
        // Doubles may be equal where integers are not; then they count as the same, which only costs a report.
        (Literal::Number(one), Literal::Number(other)) => one.as_f64() == other.as_f64(),
        (Literal::Null | Literal::Boolean(_) | Literal::Text(_) | Literal::Number(_), _) => false,
    }
}

/// Which JSON types a type has values of, as bits; all of them where that is not plain.
fn json_types(kind: &Kind<'_>) -> u8 {
    const ALL: u8 = 0b11_1111;
    match kind {
        Kind::Never => 0,
        Kind::Null => 1,
        Kind::Boolean => 1 << 1,
        Kind::Integer | Kind::Number => 1 << 2,
        Kind::String => 1 << 3,
        Kind::Array(_) | Kind::Tuple(_) => 1 << 4,
        Kind::Object(_) => 1 << 5,
        Kind::Literals(literals) => literals.iter().fold(0, |bits, literal| {
            bits | match literal {
                Literal::Null => 1,
                Literal::Boolean(_) => 1 << 1,
                Literal::Number(_) => 1 << 2,
                Literal::Text(_) => 1 << 3,
            }
        }),
        Kind::Any | Kind::Named(_) => ALL,
        Kind::Union(union) => union.branches.iter().fold(0, |bits, shape| bits | json_types(&shape.kind)),
    }
}
