//! `#[tool]`: from an async function to a unit struct that implements `Tool`.
//!
//! `options` and `signature` read what is written; `expand` writes the code. The function itself is kept as
//! `name::call`, unchanged but for the attributes of its parameters. When anything is wrong, a stand-in implementation
//! takes the place of the real one, so that registering the tool causes no second message.

use proc_macro2::{TokenStream, TokenTree};
use quote::quote;
use syn::ItemFn;

use crate::attributes::ToolOptions;
use crate::errors::Errors;
use signature::Signature;

mod expand;
mod signature;

/// Expands `#[tool(options)] item`.
pub(crate) fn expand(options: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let options = ToolOptions::read(options, &mut errors);
    let function: ItemFn = match syn::parse2(item.clone()) {
        Ok(function) => function,
        Err(error) => {
            refuse_item(&item, error, &mut errors);
            let mistakes = errors.into_compile_errors();
            return quote!(#mistakes #item);
        }
    };
    let signature = Signature::read(&function, &mut errors);
    let description = describe(&function, &options, &mut errors);
    let arguments = expand::arguments(&signature, &options, &mut errors);

    let callable = expand::callable(&function);
    let implementation = match (signature.output(), errors.is_empty()) {
        (Some(output), true) => {
            expand::implementation(&signature, output, &options, &description, &arguments)
        }
        (_, _) => expand::stand_in(&signature, &options),
    };
    let mistakes = errors.into_compile_errors();
    quote!(#mistakes #callable #implementation)
}

/// Says that the item is no function, or what the parser says when it looks like one.
fn refuse_item(item: &TokenStream, error: syn::Error, errors: &mut Errors) {
    let mut words = item.clone().into_iter().filter(|token| matches!(token, TokenTree::Ident(_)));
    let first = words.next();
    if first.iter().cloned().chain(words).any(|word| word.to_string() == "fn") {
        errors.absorb(error);
    } else {
        errors.refuse(
            first.map_or_else(|| item.clone(), TokenStream::from),
            "a tool is an async function",
            "put `#[tool]` on an `async fn`",
        );
    }
}

fn describe(function: &ItemFn, options: &ToolOptions, errors: &mut Errors) -> String {
    let description = options.description.clone().or_else(|| crate::docs::description(&function.attrs));
    description.unwrap_or_else(|| {
        let name = &function.sig.ident;
        errors.refuse(
            name,
            format!("the tool `{name}` has no description, so a model cannot know when to call it"),
            "write a doc comment, or `#[tool(description = \"…\")]`",
        );
        String::new()
    })
}

#[cfg(test)]
mod tests;
