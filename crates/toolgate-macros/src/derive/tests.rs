//! The derive on the level of tokens: which mistakes are found. What schemas come out is tested in `tests/it`.

use quote::quote;

use super::*;

fn messages(item: TokenStream) -> Vec<String> {
    let input: DeriveInput = syn::parse2(item).unwrap();
    let mut errors = Errors::default();
    implementation(&input, &quote!(root), &mut errors);
    errors.messages().into_iter().map(|text| text.lines().next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn accepts_what_a_schema_can_say() {
    let table = [
        quote!(
            struct Unit;
        ),
        quote!(
            struct Id(String);
        ),
        quote!(
            struct Tree {
                children: Vec<Id<Tree>>,
            }
        ),
        quote!(
            struct Tree {
                #[schema(with = "JsonValue")]
                children: Vec<Tree>,
            }
        ),
        quote!(
            struct Skipped {
                #[serde(skip)]
                inner: Option<Vec<Skipped>>,
            }
        ),
        quote!(
            #[schema(with = "String")]
            #[serde(try_from = "String", into = "String")]
            struct Url {
                raw: u128,
            }
        ),
        quote!(
            struct Generic<'a, T> {
                text: Cow<'a, str>,
                value: std::option::Option<T>,
            }
        ),
        quote!(
            struct Renamed {
                #[serde(rename(serialize = "a", deserialize = "a"))]
                b: bool,
            }
        ),
        quote!(
            struct Skips {
                #[serde(skip_serializing, skip_deserializing)]
                b: u128,
            }
        ),
        quote!(
            #[serde(bound = "", expecting = "x", crate = "s")]
            struct Ignored {
                #[serde(borrow)]
                text: &'a str,
            }
        ),
        quote!(
            #[serde(untagged)]
            enum Either {
                None,
                Text(String),
                Named { a: bool },
            }
        ),
    ];
    for item in table {
        assert_eq!(messages(item.clone()), Vec::<String>::new(), "{item}");
    }
}

#[test]
fn finds_every_mistake_of_one_item() {
    let found = messages(quote! {
        #[serde(remote = "Other", rename_all = "Title Case")]
        #[schema(colour = "red")]
        struct Wrong {
            #[serde(flatten)]
            flat: Inner,
            #[serde(alias = "b")]
            a: u128,
            nested: Option<Option<Wrong>>,
            own: Box<Self>,
            list: Vec<Option<bool>>,
            #[serde(skip_deserializing)]
            half: bool,
            #[serde(with = "custom")]
            custom: Custom,
        }
    });
    assert_eq!(found.len(), 11, "{found:#?}");
}

#[test]
fn says_one_thing_about_one_mistake() {
    let table = [
        (quote!(union U { a: u8 }), "a union has no JSON form"),
        (
            quote!(
                struct Pair(u8, u8);
            ),
            "a struct with 2 unnamed fields would be a list",
        ),
        (
            quote!(
                struct Empty();
            ),
            "a struct with 0 unnamed fields would be a list",
        ),
        (
            quote!(
                struct Maybe(Option<u8>);
            ),
            "only the type of a named field may be an `Option`",
        ),
        (
            quote!(
                struct Wide {
                    a: Vec<i128>,
                }
            ),
            "`i128` does not fit",
        ),
        (
            quote!(
                struct Twice {
                    a: u8,
                    #[serde(rename = "a")]
                    b: u8,
                }
            ),
            "the key `a` is used twice",
        ),
        (
            quote!(
                #[serde(tag = "t")]
                struct Tagged {
                    a: u8,
                }
            ),
            "the tag of a struct",
        ),
        (
            quote!(
                #[serde(transparent)]
                struct Two {
                    a: u8,
                    b: u8,
                }
            ),
            "a transparent struct",
        ),
        (
            quote!(
                enum Never {}
            ),
            "an enum without variants",
        ),
        (
            quote!(
                enum Same {
                    #[serde(rename = "B")]
                    A,
                    B,
                }
            ),
            "two variants are called `B`",
        ),
        (
            quote!(
                enum Rest {
                    A,
                    #[serde(other)]
                    B,
                }
            ),
            "`other` accepts every unknown name",
        ),
        (
            quote!(
                #[serde(tag = "t")]
                enum Inner {
                    A(Other),
                }
            ),
            "the fields of another type",
        ),
        (
            quote!(
                #[serde(tag = "t")]
                enum Inner {
                    A { t: u8 },
                }
            ),
            "the key `t` is used twice",
        ),
        (
            quote!(
                #[serde(content = "c")]
                enum NoTag {
                    A,
                }
            ),
            "`content` needs a tag",
        ),
        (
            quote!(
                #[serde(tag = "t", content = "t")]
                enum Key {
                    A,
                }
            ),
            "tag and content have the same key",
        ),
        (
            quote!(
                #[serde(tag = "t", untagged)]
                enum Both {
                    A,
                }
            ),
            "an enum cannot be both",
        ),
        (
            quote!(
                #[serde(untagged)]
                enum Nulls {
                    A,
                    B,
                }
            ),
            "two untagged unit variants",
        ),
        (
            quote!(
                enum Mixed {
                    A,
                    #[serde(untagged)]
                    B(u8),
                }
            ),
            "one untagged variant",
        ),
        (
            quote!(
                enum Text {
                    #[schema(description = "x")]
                    A,
                }
            ),
            "a schema has no place",
        ),
        (
            quote!(
                enum Words {
                    #[schema(with = "u8")]
                    A(u8),
                }
            ),
            "`schema` has no option `with` here",
        ),
        (
            quote!(
                #[serde(from = "Other")]
                struct From {
                    a: u8,
                }
            ),
            "the schema cannot see what `from` makes",
        ),
        (
            quote!(
                #[schema(with = "a b")]
                struct With;
            ),
            "this is not a type",
        ),
        (
            quote!(
                #[schema]
                struct Nothing;
            ),
            "`#[schema]` says nothing",
        ),
        (
            quote!(
                struct Custom {
                    #[serde(with = "x")]
                    #[schema(with = "String")]
                    a: Option<Url>,
                }
            ),
            "serde refuses an absent key where `with` reads an `Option`",
        ),
    ];
    for (item, expected) in table {
        let found = messages(item.clone());
        assert_eq!(found.len(), 1, "{item}: {found:#?}");
        assert!(found.iter().all(|message| message.starts_with(expected)), "{item}: {found:#?}");
    }
}

#[test]
fn stands_in_for_an_item_with_mistakes() {
    let expanded = expand(quote!(union Raw { a: u8 })).to_string();
    assert!(expanded.contains("compile_error"), "{expanded}");
    assert!(expanded.contains("NodeKind :: Json"), "{expanded}");
}
