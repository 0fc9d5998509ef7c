//! `#[tool]` on the level of tokens: which mistakes are found. What tools do is tested in `tests/it`.

use quote::quote;

use super::*;

/// The first line of each message.
fn messages(options: TokenStream, item: TokenStream) -> Vec<String> {
    let function: ItemFn = syn::parse2(item).unwrap();
    let mut errors = Errors::default();
    let options = ToolOptions::read(options, &mut errors);
    let signature = Signature::read(&function, &mut errors);
    describe(&function, &options, &mut errors);
    expand::arguments(&signature, &options, &mut errors);
    errors.messages().into_iter().map(|text| text.lines().next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn accepts_every_allowed_signature() {
    let table = [
        quote!(
            async fn a() -> Result<(), ToolError> {}
        ),
        quote!(
            pub(crate) async fn a(mut b: String, _: &RunContext) -> Result<u8, ToolError> {}
        ),
        quote!(
            async fn a(cx: toolgate::RunContext, r#type: Cow<'static, str>) -> Result<u8, ToolError> {}
        ),
        quote!(
            async fn a(#[serde(default)] b: u8, c: Option<u8>) -> std::result::Result<u8, ToolError> {}
        ),
    ];
    for item in table {
        let found = messages(quote!(description = "A."), item.clone());
        assert_eq!(found, Vec::<String>::new(), "{item}");
    }
}

#[test]
fn says_one_thing_about_one_mistake() {
    let table = [
        (
            quote!(
                fn a() -> Result<(), ToolError> {}
            ),
            "a tool is an async function",
        ),
        (
            quote!(
                async fn a() {}
            ),
            "a tool returns a `Result`, and this one returns nothing",
        ),
        (
            quote!(
                async fn a() -> String {}
            ),
            "a tool returns a `Result`",
        ),
        (
            quote!(
                async fn a() -> fmt::Result {}
            ),
            "a tool returns a `Result`",
        ),
        (
            quote!(
                async fn a() -> Result<Option<u8>, ToolError> {}
            ),
            "only the type of a named field",
        ),
        (
            quote!(
                async unsafe fn a() -> Result<(), ToolError> {}
            ),
            "a tool is called by a model",
        ),
        (
            quote!(
                async extern "C" fn a() -> Result<(), ToolError> {}
            ),
            "a tool cannot be `extern`",
        ),
        (
            quote!(
                async fn a<T>() -> Result<(), ToolError> {}
            ),
            "a tool has one schema",
        ),
        (
            quote!(
                async fn a(&self) -> Result<(), ToolError> {}
            ),
            "a tool is a function of its own",
        ),
        (
            quote!(
                async fn a(b: impl Into<u8>) -> Result<(), ToolError> {}
            ),
            "an argument of a tool has one type",
        ),
        (
            quote!(
                async fn a(b: &str) -> Result<(), ToolError> {}
            ),
            "an argument of a tool is an owned value",
        ),
        (
            quote!(
                async fn a(b: Cow<'_, str>) -> Result<(), ToolError> {}
            ),
            "an argument of a tool is an owned",
        ),
        (
            quote!(
                async fn a((b, c): Two) -> Result<(), ToolError> {}
            ),
            "an argument of a tool is a plain name",
        ),
        (
            quote!(
                async fn a(b: RunContext, c: &RunContext) -> Result<(), ToolError> {}
            ),
            "a call has one context",
        ),
        (
            quote!(
                async fn a(b: &mut RunContext) -> Result<(), ToolError> {}
            ),
            "the context of a call is shared",
        ),
        (
            quote!(
                async fn a(#[allow(x)] b: u8) -> Result<(), ToolError> {}
            ),
            "an argument of a tool has no such",
        ),
        (
            quote!(
                async fn a(#[serde(flatten)] b: B) -> Result<(), ToolError> {}
            ),
            "`flatten` merges the fields",
        ),
        (
            quote!(
                async fn a(b: u128) -> Result<(), ToolError> {}
            ),
            "`u128` does not fit",
        ),
    ];
    for (item, expected) in table {
        let found = messages(quote!(description = "A."), item.clone());
        assert_eq!(found.len(), 1, "{item}: {found:#?}");
        assert!(found.iter().all(|message| message.starts_with(expected)), "{item}: {found:#?}");
    }
}

#[test]
fn finds_every_mistake_of_one_function() {
    let found = messages(
        quote!(timeout = "soon", kind = write),
        quote!(
            fn a(b: &str, c: u128, (d, e): Two) -> u8 {}
        ),
    );
    assert_eq!(found.len(), 8, "{found:#?}");
}

#[test]
fn refuses_what_is_no_function() {
    let expanded = expand(
        TokenStream::new(),
        quote!(
            struct Plain;
        ),
    )
    .to_string();
    assert!(expanded.contains("a tool is an async function"), "{expanded}");
    assert!(expanded.contains("struct Plain ;"), "{expanded}");
}
