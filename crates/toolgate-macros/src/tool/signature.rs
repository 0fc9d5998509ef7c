//! The signature of a tool's function, read into arguments, context and output.
//!
//! A tool's arguments arrive as JSON and are owned; its context is recognised by the name of its type. Everything else
//! that a Rust signature can say is refused here, each at its place.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{
    Attribute, FnArg, GenericArgument, Ident, ItemFn, Pat, PatType, PathArguments, ReturnType, Safety, Type,
    spanned::Spanned,
};

use crate::derive;
use crate::errors::Errors;

/// The parts of a tool's function that the implementation is made of.
pub(crate) struct Signature {
    /// The name of the function and of the unit struct.
    pub(crate) name: Ident,
    /// `#[cfg(…)]` of the function, repeated on everything made from it.
    pub(crate) conditions: Vec<Attribute>,
    /// The parameters, in order.
    pub(crate) parameters: Vec<Parameter>,
    output: Option<Output>,
}

/// What the function returns: `Result<value, error>`.
pub(crate) struct Output {
    /// The canonical value.
    pub(crate) value: Type,
    /// Where the error's type is written, or the whole type when an alias leaves it out.
    pub(crate) error_place: Span,
}

/// One parameter.
pub(crate) enum Parameter {
    /// Sent by the model.
    Argument(Box<Argument>),
    /// `RunContext`
    Context,
    /// `&RunContext`
    BorrowedContext,
}

/// One argument that the model sends.
pub(crate) struct Argument {
    /// Its name in Rust.
    pub(crate) name: Ident,
    /// Its type.
    pub(crate) written: Type,
    /// Doc comments, `#[schema]` and `#[serde]`.
    pub(crate) attributes: Vec<Attribute>,
}

impl Signature {
    /// Reads the signature.
    pub(crate) fn read(function: &ItemFn, errors: &mut Errors) -> Self {
        check_qualifiers(function, errors);
        let mut parameters = Vec::with_capacity(function.sig.inputs.len());
        for input in &function.sig.inputs {
            match input {
                FnArg::Receiver(receiver) => errors.refuse(
                    receiver,
                    "a tool is a function of its own, without `self`",
                    "move it out of the `impl` block; state belongs into a type that implements `Tool`",
                ),
                FnArg::Typed(typed) => parameters.extend(parameter(typed, &parameters, errors)),
            }
        }
        Self {
            name: function.sig.ident.clone(),
            conditions: function.attrs.iter().filter(|each| each.path().is_ident("cfg")).cloned().collect(),
            parameters,
            output: output(function, errors),
        }
    }

    /// What is returned; `None` when it is no `Result`, with the mistake recorded.
    pub(crate) fn output(&self) -> Option<&Output> {
        self.output.as_ref()
    }

    /// The parameters that the model sends.
    pub(crate) fn arguments(&self) -> impl Iterator<Item = &Argument> {
        self.parameters.iter().filter_map(|parameter| match parameter {
            Parameter::Argument(argument) => Some(argument.as_ref()),
            Parameter::Context | Parameter::BorrowedContext => None,
        })
    }
}

fn check_qualifiers(function: &ItemFn, errors: &mut Errors) {
    let signature = &function.sig;
    if signature.asyncness.is_none() {
        errors.refuse(signature.fn_token, "a tool is an async function", "write `async fn`");
    }
    if let Some(constness) = &signature.constness {
        errors.refuse(constness, "a tool cannot be `const`", "remove `const`");
    }
    match &signature.safety {
        Safety::Default => {}
        Safety::Unsafe(token) => {
            errors.refuse(
                token,
                "a tool is called by a model and cannot be `unsafe`",
                "put `unsafe` into the body",
            );
        }
        Safety::Safe(token) => errors.refuse(token, "a tool cannot be marked `safe`", "remove `safe`"),
    }
    if let Some(abi) = &signature.abi {
        errors.refuse(abi, "a tool cannot be `extern`", "remove the ABI");
    }
    if let Some(variadic) = &signature.variadic {
        errors.refuse(variadic, "a tool cannot be variadic", "take a `Vec<T>`");
    }
    let generics = &signature.generics;
    if !generics.params.is_empty() {
        errors.refuse(
            generics,
            "a tool has one schema and cannot be generic",
            "write the types; a generic tool is a type that implements `Tool`",
        );
    } else if let Some(bounds) = &generics.where_clause {
        errors.refuse(bounds, "a tool has no type parameters to bound", "remove the `where` clause");
    }
}

/// Reads one parameter; `None` when it is refused.
fn parameter(typed: &PatType, earlier: &[Parameter], errors: &mut Errors) -> Option<Parameter> {
    if let Some(context) = context(&typed.ty, errors) {
        if earlier.iter().any(|other| !matches!(other, Parameter::Argument(_))) {
            errors.refuse(&typed.ty, "a call has one context", "remove this parameter");
        }
        for attribute in &typed.attrs {
            errors.refuse(attribute, "the context is not described to the model", "remove this attribute");
        }
        return Some(context);
    }
    for attribute in &typed.attrs {
        if !["doc", "schema", "serde"].iter().any(|known| attribute.path().is_ident(known)) {
            errors.refuse(
                attribute,
                "an argument of a tool has no such attribute",
                "use a doc comment, `#[schema(…)]` or `#[serde(…)]`",
            );
        }
    }
    let name = argument_name(&typed.pat, errors);
    check_owned(&typed.ty, "an argument of a tool", errors);
    Some(Parameter::Argument(Box::new(Argument {
        name: name?,
        written: (*typed.ty).clone(),
        attributes: typed.attrs.clone(),
    })))
}

/// The context parameter, recognised by the last name of its type.
fn context(written: &Type, errors: &mut Errors) -> Option<Parameter> {
    let is_context = |written: &Type| {
        matches!(written, Type::Path(path)
            if path.path.segments.last().is_some_and(|last| last.ident == "RunContext"))
    };
    if is_context(written) {
        return Some(Parameter::Context);
    }
    if let Type::Reference(reference) = written
        && is_context(&reference.elem)
    {
        if let Some(mutability) = &reference.mutability {
            errors.refuse(mutability, "the context of a call is shared", "take `&RunContext`");
        }
        return Some(Parameter::BorrowedContext);
    }
    None
}

fn argument_name(pattern: &Pat, errors: &mut Errors) -> Option<Ident> {
    if let Pat::Ident(name) = pattern
        && name.by_ref.is_none()
        && name.subpat.is_none()
    {
        return Some(name.ident.clone());
    }
    errors.refuse(
        pattern,
        "an argument of a tool is a plain name, because the model sends it by that name",
        "take the value under a name and take it apart in the body",
    );
    None
}

/// Refuses types whose values do not own what they are made of: both ends of a call cross into JSON and back.
fn check_owned(written: &Type, subject: &str, errors: &mut Errors) {
    if let Type::ImplTrait(implemented) = written {
        errors.refuse(
            implemented,
            format!("{subject} has one type, and `impl Trait` names none"),
            "write the type",
        );
    } else if let Some(borrow) = borrow(written.to_token_stream()) {
        errors.refuse(
            borrow,
            format!("{subject} is an owned value"),
            "use `String`, `Vec<T>` or another owned type; only the context may be borrowed",
        );
    }
}

/// The first `&` or lifetime but `'static` in the tokens.
fn borrow(tokens: TokenStream) -> Option<TokenStream> {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match &token {
            TokenTree::Punct(punct) if punct.as_char() == '&' => return Some(token.into()),
            TokenTree::Punct(punct) if punct.as_char() == '\'' => {
                let name = tokens.next();
                if name.as_ref().is_none_or(|name| name.to_string() != "static") {
                    return Some([token].into_iter().chain(name).collect());
                }
            }
            TokenTree::Group(group) => {
                if let Some(found) = borrow(group.stream()) {
                    return Some(found);
                }
            }
            TokenTree::Punct(_) | TokenTree::Ident(_) | TokenTree::Literal(_) => {}
        }
    }
    None
}

/// The parts of `-> Result<T, …>`.
fn output(function: &ItemFn, errors: &mut Errors) -> Option<Output> {
    let hint = "return `Result<T, ToolError>`, where `T` is what the tool gives";
    let written = match &function.sig.output {
        ReturnType::Default => {
            errors.refuse(
                &function.sig.ident,
                "a tool returns a `Result`, and this one returns nothing",
                hint,
            );
            return None;
        }
        ReturnType::Type(_, written) => written,
    };
    let Some((value, error)) = result_arguments(written) else {
        errors.refuse(written, "a tool returns a `Result`", hint);
        return None;
    };
    check_owned(value, "the value of a tool", errors);
    derive::check_result_type(value, errors);
    Some(Output { value: value.clone(), error_place: error.unwrap_or(written).span() })
}

/// The type arguments of a `Result`; an alias may leave the second one out.
fn result_arguments(written: &Type) -> Option<(&Type, Option<&Type>)> {
    let Type::Path(path) = written else { return None };
    let last = path.path.segments.last().filter(|last| last.ident == "Result")?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    let mut types = arguments.args.iter().filter_map(|argument| {
        if let GenericArgument::Type(argument) = argument { Some(argument) } else { None }
    });
    Some((types.next()?, types.next()))
}
