//! What the spelling of a type gives away: an optional field, and the types no schema can describe.
//!
//! A macro sees names, not types, so a check looks into well-known containers only; for every other type the compiler
//! asks for `Schema` and explains what is missing.

use syn::{GenericArgument, Ident, Path, PathArguments, PathSegment, Type};

use crate::errors::Errors;

/// Types whose schema contains that of their type arguments.
const CONTAINERS: [&str; 14] = [
    "Vec",
    "VecDeque",
    "LinkedList",
    "BinaryHeap",
    "Box",
    "Rc",
    "Arc",
    "Cow",
    "Nullable",
    "HashMap",
    "BTreeMap",
    "IndexMap",
    "HashSet",
    "BTreeSet",
];

/// The `T` of an `Option<T>`.
pub(crate) fn option_inner(written: &Type) -> Option<&Type> {
    let Type::Path(path) = ungrouped(written) else { return None };
    if path.qself.is_some() || !is_option(&path.path) {
        return None;
    }
    path.path.segments.last().and_then(|segment| type_arguments(segment).next())
}

/// Reports what cannot be described: recursion into `own`, `Option` and 128-bit integers, at any depth.
pub(crate) fn check(written: &Type, own: Option<&Ident>, errors: &mut Errors) {
    let written = ungrouped(written);
    if let Type::Path(path) = written
        && path.qself.is_none()
    {
        check_path(written, &path.path, own, errors);
    } else if let Type::Reference(reference) = written {
        check(&reference.elem, own, errors);
    } else if let Type::Slice(slice) = written {
        check(&slice.elem, own, errors);
    } else if let Type::Array(array) = written {
        check(&array.elem, own, errors);
    } else if let Type::Tuple(tuple) = written {
        for element in &tuple.elems {
            check(element, own, errors);
        }
    } else if let Type::Macro(call) = written {
        errors.refuse(call, "the schema cannot see the type behind a macro", "write the type itself");
    }
}

fn check_path(written: &Type, path: &Path, own: Option<&Ident>, errors: &mut Errors) {
    let Some(last) = path.segments.last() else { return };
    if own.is_some_and(|own| is_own(path, own)) {
        errors.refuse(
            written,
            "a recursive type has no finite schema; use JsonValue for the recursive part",
            "`#[schema(with = \"toolgate::JsonValue\")]` on the field describes it so and keeps its Rust type",
        );
    } else if is_option(path) {
        errors.refuse(
            written,
            "only the type of a named field may be an `Option`: it says that the key may be absent",
            "use `Nullable<T>` for a value that may be null",
        );
    } else if is_wide_integer(path) {
        errors.refuse(
            written,
            format!("`{}` does not fit into a JSON number", last.ident),
            "use a 64-bit integer, or a `String` of digits",
        );
    } else if CONTAINERS.iter().any(|container| last.ident == container) {
        for argument in type_arguments(last) {
            check(argument, own, errors);
        }
    }
}

fn is_own(path: &Path, own: &Ident) -> bool {
    let mut segments = path.segments.iter();
    match (segments.next(), segments.next(), segments.next()) {
        (Some(only), None, None) => only.ident == "Self" || only.ident == *own,
        (Some(first), Some(second), None) => first.ident == "self" && second.ident == *own,
        (_, _, _) => false,
    }
}

fn is_option(path: &Path) -> bool {
    is_spelled(path, &[&["Option"], &["std", "option", "Option"], &["core", "option", "Option"]])
}

fn is_wide_integer(path: &Path) -> bool {
    is_spelled(
        path,
        &[
            &["u128"],
            &["i128"],
            &["std", "primitive", "u128"],
            &["std", "primitive", "i128"],
            &["core", "primitive", "u128"],
            &["core", "primitive", "i128"],
        ],
    )
}

fn is_spelled(path: &Path, spellings: &[&[&str]]) -> bool {
    spellings.iter().any(|spelling| {
        path.segments.len() == spelling.len()
            && path.segments.iter().zip(spelling.iter()).all(|(segment, name)| segment.ident == name)
    })
}

fn type_arguments(segment: &PathSegment) -> impl Iterator<Item = &Type> {
    let arguments = if let PathArguments::AngleBracketed(arguments) = &segment.arguments {
        Some(arguments.args.iter())
    } else {
        None
    };
    arguments.into_iter().flatten().filter_map(|argument| {
        if let GenericArgument::Type(argument) = argument { Some(argument) } else { None }
    })
}

/// The type inside parentheses and the invisible groups of `macro_rules!`.
fn ungrouped(mut written: &Type) -> &Type {
    loop {
        if let Type::Group(group) = written {
            written = &group.elem;
        } else if let Type::Paren(paren) = written {
            written = &paren.elem;
        } else {
            return written;
        }
    }
}

/// Whether this is `PhantomData`, which has no JSON form beside another field.
pub(crate) fn is_phantom(written: &Type) -> bool {
    matches!(ungrouped(written), Type::Path(path)
        if path.path.segments.last().is_some_and(|segment| segment.ident == "PhantomData"))
}
