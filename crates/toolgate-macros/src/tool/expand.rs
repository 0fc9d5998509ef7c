//! The code of a tool: the unit struct, the arguments and the implementation of `Tool`.
//!
//! Everything that is not the unit struct lives in an unnamed constant, so that nothing of it can be named or meet a
//! name of the user. Names of the user are never bound again: arguments are reached as fields.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Attribute, DeriveInput, FnArg, Ident, ItemFn, LitStr, Path, ext::IdentExt, spanned::Spanned};

use super::signature::{Output, Parameter, Signature};
use crate::attributes::ToolOptions;
use crate::{derive, errors::Errors};

/// The unit struct, and the function as its associated function `call`.
pub(crate) fn callable(function: &ItemFn) -> TokenStream {
    let ItemFn { attrs, vis, sig, .. } = function;
    let name = &sig.ident;
    let on_struct = attrs.iter().filter(|each| each.path().is_ident("doc") || each.path().is_ident("cfg"));
    let conditions = attrs.iter().filter(|each| each.path().is_ident("cfg"));

    let mut call = function.clone();
    call.sig.ident = Ident::new("call", name.span());
    for input in &mut call.sig.inputs {
        match input {
            FnArg::Receiver(receiver) => receiver.attrs.clear(),
            FnArg::Typed(typed) => typed.attrs.clear(),
        }
    }
    quote! {
        #(#on_struct)*
        #[allow(non_camel_case_types)]
        #[derive(::core::clone::Clone, ::core::marker::Copy, ::core::fmt::Debug)]
        #vis struct #name;

        #(#conditions)*
        impl #name {
            #[allow(clippy::missing_errors_doc, clippy::too_many_arguments, clippy::unused_async)]
            #call
        }
    }
}

/// The struct that the arguments are decoded into, with its schema.
pub(crate) fn arguments(signature: &Signature, options: &ToolOptions, errors: &mut Errors) -> TokenStream {
    let root = options.root();
    let closed = options.deny_unknown_fields.then(|| quote!(#[serde(deny_unknown_fields)]));
    let fields = |keep: fn(&Attribute) -> bool| -> TokenStream {
        let fields = signature.arguments().map(|argument| {
            let attributes = argument.attributes.iter().filter(|each| keep(each));
            let (name, written) = (&argument.name, &argument.written);
            quote!(#(#attributes)* #name: #written,)
        });
        fields.collect()
    };
    let described = fields(|_| true);
    let described = syn::parse2::<DeriveInput>(quote!(#closed struct __ToolArguments { #described }));
    let Some(described) = errors.take(described) else { return TokenStream::new() };
    let schema = derive::implementation(&described, &quote!(#root::__private::schema), errors);

    let decoded = fields(|attribute| attribute.path().is_ident("serde"));
    let serde = quote!(#root::__private::serde);
    let serde_path = LitStr::new(&serde.to_string().replace(' ', ""), signature.name.span());
    quote! {
        #[derive(#serde::Deserialize)]
        #[serde(crate = #serde_path)]
        #closed
        #[allow(unreachable_pub)]
        pub struct __ToolArguments { #decoded }
        #schema
    }
}

/// The implementation of `Tool`.
pub(crate) fn implementation(
    signature: &Signature,
    output: &Output,
    options: &ToolOptions,
    description: &str,
    arguments: &TokenStream,
) -> TokenStream {
    let root = options.root();
    let name = &signature.name;
    let conditions = &signature.conditions;
    let called = options.name.clone().unwrap_or_else(|| name.unraw().to_string());
    let run = run(signature, output, &root);
    let value = &output.value;
    let optional = [timeout(options), concurrency(options), kind(options, &root), effect(options, &root)];
    let presentation = presentation(options, &root);
    quote! {
        #(#conditions)*
        const _: () = {
            #arguments

            impl #root::Tool for #name {
                type Args = __ToolArguments;
                type Output = #value;
                fn name(&self) -> ::std::borrow::Cow<'static, str> {
                    ::std::borrow::Cow::Borrowed(#called)
                }
                fn description(&self) -> ::std::borrow::Cow<'static, str> {
                    ::std::borrow::Cow::Borrowed(#description)
                }
                #run
                #(#optional)*
                #presentation
            }
        };
    }
}

/// An implementation that fits every use of the tool, for a tool with mistakes.
pub(crate) fn stand_in(signature: &Signature, options: &ToolOptions) -> TokenStream {
    let root = options.root();
    let name = &signature.name;
    let conditions = &signature.conditions;
    quote! {
        #(#conditions)*
        impl #root::Tool for #name {
            type Args = ();
            type Output = ();
            fn name(&self) -> ::std::borrow::Cow<'static, str> {
                ::std::borrow::Cow::Borrowed("")
            }
            fn description(&self) -> ::std::borrow::Cow<'static, str> {
                ::std::borrow::Cow::Borrowed("")
            }
            async fn run(&self, _: (), _: #root::RunContext) -> ::core::result::Result<(), #root::ToolError> {
                ::core::result::Result::Ok(())
            }
        }
    }
}

/// The body: calls the function with its arguments in their order.
fn run(signature: &Signature, output: &Output, root: &TokenStream) -> TokenStream {
    let name = &signature.name;
    let parameters = signature.parameters.iter().map(|parameter| match parameter {
        Parameter::Argument(argument) => {
            let argument = &argument.name;
            quote!(__arguments.#argument)
        }
        Parameter::Context => quote!(__context),
        Parameter::BorrowedContext => quote!(&__context),
    });
    // A mismatch of the error is reported where its type is written, and a future that is not `Send` at the name.
    let error = quote_spanned!(generated_at(output.error_place)=> __error);
    let failed = quote!(let __failed: #root::ToolError = #error;);
    let unused = quote!(#[allow(unused_variables)]);
    quote_spanned! {generated_at(name.span())=>
        #unused
        async fn run(
            &self,
            __arguments: Self::Args,
            __context: #root::RunContext,
        ) -> ::core::result::Result<Self::Output, #root::ToolError> {
            match #name::call(#(#parameters),*).await {
                ::core::result::Result::Ok(__value) => ::core::result::Result::Ok(__value),
                ::core::result::Result::Err(__error) => {
                    #failed
                    ::core::result::Result::Err(__failed)
                }
            }
        }
    }
}

/// A place in the user's code whose tokens still count as generated, so that lints leave them alone.
fn generated_at(place: Span) -> Span {
    Span::call_site().located_at(place)
}

fn timeout(options: &ToolOptions) -> Option<TokenStream> {
    options.timeout_milliseconds.map(|milliseconds| {
        quote! {
            fn timeout(&self) -> ::core::option::Option<::core::time::Duration> {
                ::core::option::Option::Some(::core::time::Duration::from_millis(#milliseconds))
            }
        }
    })
}

fn concurrency(options: &ToolOptions) -> Option<TokenStream> {
    options.concurrency_safe.then(|| {
        quote! {
            fn is_concurrency_safe(&self, _: &Self::Args) -> bool {
                true
            }
        }
    })
}

fn kind(options: &ToolOptions, root: &TokenStream) -> Option<TokenStream> {
    options.kind.as_ref().map(|kind| {
        quote! {
            fn kind(&self) -> #root::ToolCallKind {
                #root::ToolCallKind::#kind
            }
        }
    })
}

fn effect(options: &ToolOptions, root: &TokenStream) -> Option<TokenStream> {
    options.effect.as_ref().map(|effect| {
        quote! {
            fn effect(&self) -> #root::ToolEffect {
                #root::ToolEffect::#effect
            }
        }
    })
}

/// The functions that make content and cards.
fn presentation(options: &ToolOptions, root: &TokenStream) -> TokenStream {
    let json = quote!(#root::JsonValue);
    let render = options.render.as_ref().map(|function| {
        let call = called(function, &["__arguments", "__output"]);
        quote! {
            fn render(
                &self,
                __arguments: &#json,
                __output: &Self::Output,
            ) -> ::core::option::Option<::std::vec::Vec<#root::ContentBlock>> {
                #call
            }
        }
    });
    let present_call = options.present_call.as_ref().map(|function| {
        let call = called(function, &["__arguments"]);
        quote! {
            fn present_call(&self, __arguments: &#json) -> ::core::option::Option<#root::ToolCallView> {
                #call
            }
        }
    });
    let present_result = options.present_result.as_ref().map(|function| {
        let call = called(function, &["__arguments", "__result"]);
        quote! {
            fn present_result(
                &self,
                __arguments: &#json,
                __result: &#root::ToolResult<'_>,
            ) -> ::core::option::Option<#root::ToolResultView> {
                #call
            }
        }
    });
    quote!(#render #present_call #present_result)
}

/// A call of the user's function, so that a wrong signature is reported at its path.
fn called(function: &Path, arguments: &[&str]) -> TokenStream {
    let place = generated_at(function.span());
    let arguments = arguments.iter().map(|name| Ident::new(name, place));
    quote_spanned!(place=> #function(#(#arguments),*))
}
