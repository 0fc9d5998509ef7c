//! `#[derive(Schema)]`: from a struct or enum to the constant node of its JSON form.
//!
//! `expand` is the order of the work: attributes, then the node by `structs` or `enums`, then the implementation. It is
//! also used by `#[tool]` for the arguments. When anything is wrong the implementation accepts any JSON, so that the
//! item's other uses compile and only the mistakes are reported.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Generics, Ident, Type, parse_quote};

use crate::attributes::{Annotations, ContainerSerde, SchemaAttributes, SchemaPlace};
use crate::errors::Errors;
use node::{Model, Shape};

mod enums;
mod fields;
mod node;
mod structs;
mod types;

/// Expands `#[derive(Schema)]`.
pub(crate) fn expand(input: TokenStream) -> TokenStream {
    let input: DeriveInput = match syn::parse2(input) {
        Ok(input) => input,
        Err(error) => return error.into_compile_error(),
    };
    let mut errors = Errors::default();
    let implementation = implementation(&input, &quote!(::toolgate::__private::schema), &mut errors);
    let mistakes = errors.into_compile_errors();
    quote!(#mistakes #implementation)
}

/// The implementation of `Schema` for the item. `root` is where the schema types are found unless the item says so.
pub(crate) fn implementation(input: &DeriveInput, root: &TokenStream, errors: &mut Errors) -> TokenStream {
    let schema = SchemaAttributes::read(&input.attrs, SchemaPlace::Container, errors);
    let serde = ContainerSerde::read(&input.attrs, schema.with.is_some(), errors);
    let root = schema.root.as_ref().map_or_else(|| root.clone(), |path| quote!(#path));
    let annotations = schema.annotations(&input.attrs);
    let context = Context { name: &input.ident, serde: &serde };

    let model = match &schema.with {
        Some(described) => described_as(described, annotations, &context, errors),
        None => match &input.data {
            Data::Struct(data) => structs::model(data, annotations, &context, errors),
            Data::Enum(data) => enums::model(data, annotations, &context, errors),
            Data::Union(data) => {
                errors.refuse(data.union_token, "a union has no JSON form", "use an enum");
                None
            }
        },
    };
    let node = model.filter(|_| errors.is_empty()).unwrap_or_else(Model::any).tokens(&root);
    let name = &input.ident;
    let generics = bounded(&input.generics, &root);
    let (parameters, arguments, bounds) = generics.split_for_impl();
    quote! {
        #[automatically_derived]
        impl #parameters #root::Schema for #name #arguments #bounds {
            const NODE: &'static #root::Node = #node;
        }
    }
}

/// What every part of one item needs to know of the whole.
pub(crate) struct Context<'a> {
    /// The name of the item, to recognise recursion.
    pub(crate) name: &'a Ident,
    /// What serde is told about the item.
    pub(crate) serde: &'a ContainerSerde,
}

/// Reports what cannot be the result of a tool: the spelling rules of a type that stands outside any item.
pub(crate) fn check_result_type(result: &Type, errors: &mut Errors) {
    types::check(result, None, errors);
}

fn described_as(
    described: &Type,
    annotations: Annotations,
    context: &Context<'_>,
    errors: &mut Errors,
) -> Option<Model> {
    types::check(described, Some(context.name), errors);
    Some(Model { shape: Shape::Of(Box::new(described.clone())), annotations })
}

/// The generics with a `Schema` bound on every type parameter.
fn bounded(generics: &Generics, root: &TokenStream) -> Generics {
    let mut generics = generics.clone();
    for parameter in generics.type_params_mut() {
        parameter.bounds.push(parse_quote!(#root::Schema));
    }
    generics
}

#[cfg(test)]
mod tests;
