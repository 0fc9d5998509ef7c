//! Collects the mistakes of one item, so that all of them are reported at once.
//!
//! Every stage of both macros gets the collector and goes on after a mistake as well as it can. Nothing here decides
//! what is a mistake.

use std::fmt::Display;

use proc_macro2::TokenStream;
use quote::ToTokens;

/// The mistakes found so far, in the order in which they were found.
#[derive(Default)]
pub(crate) struct Errors {
    found: Vec<syn::Error>,
}

impl Errors {
    /// Records a mistake at the given tokens: what is wrong, and what to do instead.
    pub(crate) fn refuse(&mut self, place: impl ToTokens, what: impl Display, hint: impl Display) {
        self.found.push(syn::Error::new_spanned(place, format!("{what}\nhint: {hint}")));
    }

    /// Records an error of the parser.
    pub(crate) fn absorb(&mut self, error: syn::Error) {
        self.found.push(error);
    }

    /// The value, or `None` with the parser's error recorded.
    pub(crate) fn take<T>(&mut self, result: syn::Result<T>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                self.absorb(error);
                None
            }
        }
    }

    /// Whether nothing is wrong so far.
    pub(crate) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// One `compile_error!` per mistake.
    pub(crate) fn into_compile_errors(self) -> TokenStream {
        self.found.iter().map(syn::Error::to_compile_error).collect()
    }

    /// The messages alone.
    #[cfg(test)]
    pub(crate) fn messages(self) -> Vec<String> {
        self.found.into_iter().flatten().map(|error| error.to_string()).collect()
    }
}
