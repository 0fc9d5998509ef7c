//! The closed list of serde's attributes that a schema can follow.
//!
//! Three answers are possible for a word: it changes the JSON form and is honoured, it changes nothing that a schema
//! says and is ignored, or the schema cannot say it and it is refused. An unknown word is refused, because a later
//! serde may give it a meaning. Mistakes that serde's own derive reports are left to it, so that they are said once.

use syn::{Attribute, LitStr};

use super::{Case, item::Item};
use crate::errors::Errors;

/// What serde is told about a struct or enum.
#[derive(Default)]
pub(crate) struct ContainerSerde {
    /// Spelling of the fields of a struct, or of the variants of an enum.
    pub(crate) rename_all: Option<Case>,
    /// Spelling of the fields of all struct variants.
    pub(crate) rename_all_fields: Option<Case>,
    /// How an enum shows which variant it holds.
    pub(crate) tagging: Tagging,
    /// Whether every field may be absent.
    pub(crate) default: bool,
    /// Whether undeclared keys are refused.
    pub(crate) deny_unknown_fields: bool,
    /// Whether the JSON form is that of the only field.
    pub(crate) transparent: bool,
}

/// How an enum shows which variant it holds.
#[derive(Default)]
pub(crate) enum Tagging {
    /// `{"Variant": data}`, or `"Variant"` for a unit variant.
    #[default]
    External,
    /// `{"tag": "Variant", …fields}`.
    Internal(LitStr),
    /// `{"tag": "Variant", "content": data}`.
    Adjacent {
        /// The key of the variant's name.
        tag: LitStr,
        /// The key of its data.
        content: LitStr,
    },
    /// The data alone.
    Untagged,
}

impl ContainerSerde {
    /// Reads every `#[serde(…)]` of a struct or enum; `described` when `#[schema(with = "…")]` names the JSON form.
    pub(crate) fn read(attributes: &[Attribute], described: bool, errors: &mut Errors) -> Self {
        let mut read = Self::default();
        let (mut tag, mut content, mut untagged) = (None, None, None);
        for item in Item::of(attributes, "serde", errors) {
            match item.key.as_str() {
                "rename" => drop(one_name(&item, errors)),
                "rename_all" => read.rename_all = case(&item, errors),
                "rename_all_fields" => read.rename_all_fields = case(&item, errors),
                "tag" => tag = item.text(errors),
                "content" => content = item.text(errors).map(|text| (text, item)),
                "untagged" => untagged = Some(item),
                "default" => read.default = true,
                "deny_unknown_fields" => read.deny_unknown_fields = true,
                "transparent" => read.transparent = true,
                "from" | "try_from" | "into" => {
                    if !described {
                        refuse_conversion(&item, "type", errors);
                    }
                }
                "bound" | "crate" | "expecting" => {}
                _ => refuse_unknown(&item, errors),
            }
        }
        read.tagging = match (tag, content, untagged) {
            (None, None, None) => Tagging::External,
            (Some(tag), None, None) => Tagging::Internal(tag),
            (Some(tag), Some((content, _)), None) => Tagging::Adjacent { tag, content },
            (None, Some((_, item)), None) => {
                errors.refuse(&item.place, "`content` needs a tag beside it", "add `tag = \"…\"`");
                Tagging::External
            }
            (None, None, Some(_)) => Tagging::Untagged,
            (_, _, Some(item)) => {
                errors.refuse(
                    &item.place,
                    "an enum cannot be both tagged and untagged",
                    "keep one of the two",
                );
                Tagging::Untagged
            }
        };
        read
    }
}

/// What serde is told about a variant.
#[derive(Default)]
pub(crate) struct VariantSerde {
    /// The JSON name.
    pub(crate) rename: Option<String>,
    /// Spelling of the variant's fields.
    pub(crate) rename_all: Option<Case>,
    /// Whether the variant has no JSON form.
    pub(crate) skip: bool,
}

impl VariantSerde {
    /// Reads every `#[serde(…)]` of a variant.
    pub(crate) fn read(attributes: &[Attribute], errors: &mut Errors) -> Self {
        let mut read = Self::default();
        let mut skips = Skips::default();
        for item in Item::of(attributes, "serde", errors) {
            match item.key.as_str() {
                "rename" => read.rename = one_name(&item, errors),
                "rename_all" => read.rename_all = case(&item, errors),
                "skip" | "skip_serializing" | "skip_deserializing" => skips.add(item),
                "alias" => refuse_alias(&item, errors),
                "other" => errors.refuse(
                    &item.place,
                    "`other` accepts every unknown name, which a schema of this enum cannot say",
                    "remove it, or use a `String`",
                ),
                "untagged" => errors.refuse(
                    &item.place,
                    "one untagged variant among tagged ones cannot be described",
                    "put `untagged` on the enum, or give this variant a name",
                ),
                "with" | "serialize_with" | "deserialize_with" => errors.refuse(
                    &item.place,
                    format!("the schema cannot see what `{}` makes of this variant", item.key),
                    "put it on the variant's field, with `#[schema(with = \"Type\")]` beside it",
                ),
                "borrow" | "bound" => {}
                _ => refuse_unknown(&item, errors),
            }
        }
        read.skip = skips.resolve(errors);
        read
    }
}

/// What serde is told about a field.
#[derive(Default)]
pub(crate) struct FieldSerde {
    /// The JSON name.
    pub(crate) rename: Option<String>,
    /// Whether the field has no JSON form.
    pub(crate) skip: bool,
    /// Whether reading fills in a value when the key is absent.
    pub(crate) default: bool,
    /// The part by which writing may leave the key out.
    pub(crate) skip_serializing_if: Option<Item>,
    /// The part that replaces serde's reading of the field. serde then knows no absent `Option`.
    pub(crate) custom_reading: Option<Item>,
}

impl FieldSerde {
    /// Reads every `#[serde(…)]` of a field; `described` when `#[schema(with = "…")]` names its JSON form.
    pub(crate) fn read(attributes: &[Attribute], described: bool, errors: &mut Errors) -> Self {
        let mut read = Self::default();
        let mut skips = Skips::default();
        for item in Item::of(attributes, "serde", errors) {
            match item.key.as_str() {
                "rename" => read.rename = one_name(&item, errors),
                "default" => read.default = true,
                "skip" | "skip_serializing" | "skip_deserializing" => skips.add(item),
                "skip_serializing_if" => read.skip_serializing_if = Some(item),
                "alias" => refuse_alias(&item, errors),
                "flatten" => errors.refuse(
                    &item.place,
                    "`flatten` merges the fields of another type, which the schema cannot see",
                    "write the fields here, or keep the other type under its own key",
                ),
                "with" | "serialize_with" | "deserialize_with" => {
                    if !described {
                        refuse_conversion(&item, "field", errors);
                    } else if item.key != "serialize_with" {
                        read.custom_reading = Some(item);
                    }
                }
                "borrow" | "bound" => {}
                _ => refuse_unknown(&item, errors),
            }
        }
        read.skip = skips.resolve(errors);
        read
    }
}

/// The `skip` words of one place; one direction alone would give the type two JSON forms.
#[derive(Default)]
struct Skips {
    found: Vec<Item>,
}

impl Skips {
    fn add(&mut self, item: Item) {
        self.found.push(item);
    }

    fn resolve(self, errors: &mut Errors) -> bool {
        let has = |key: &str| self.found.iter().any(|item| item.key == key);
        let both_ways = has("skip") || (has("skip_serializing") && has("skip_deserializing"));
        if !both_ways {
            for item in &self.found {
                let key = &item.key;
                errors.refuse(
                    &item.place,
                    format!("`{key}` makes the written form and the read form differ"),
                    "use `skip`, or two types",
                );
            }
        }
        !self.found.is_empty()
    }
}

/// The name in `word = "…"` or `word(serialize = "…", deserialize = "…")` with one name for both directions.
fn one_name(item: &Item, errors: &mut Errors) -> Option<String> {
    one_text(item, errors).map(|text| text.value())
}

fn case(item: &Item, errors: &mut Errors) -> Option<Case> {
    let name = one_text(item, errors)?;
    Case::parse(&name, errors)
}

fn one_text(item: &Item, errors: &mut Errors) -> Option<LitStr> {
    let Some(directions) = item.list(errors) else { return item.text(errors) };
    let mut names = Vec::new();
    for direction in &directions {
        if matches!(direction.key.as_str(), "serialize" | "deserialize") {
            names.push((direction.key.as_str(), direction.text(errors)?));
        } else {
            refuse_unknown(direction, errors);
            return None;
        }
    }
    if let [(first_direction, first), (second_direction, second)] = names.as_slice()
        && first_direction != second_direction
        && first.value() == second.value()
    {
        return Some(first.clone());
    }
    let key = &item.key;
    errors.refuse(
        &item.place,
        format!("this `{key}` makes the written form and the read form differ"),
        format!("write `{key} = \"…\"`, or use two types"),
    );
    None
}

fn refuse_alias(item: &Item, errors: &mut Errors) {
    errors.refuse(&item.place, "`alias` gives one value two names, and a schema says one", "remove it");
}

fn refuse_conversion(item: &Item, place: &str, errors: &mut Errors) {
    errors.refuse(
        &item.place,
        format!("the schema cannot see what `{}` makes of this {place}", item.key),
        format!("name the JSON form with `#[schema(with = \"Type\")]` on this {place}"),
    );
}

fn refuse_unknown(item: &Item, errors: &mut Errors) {
    errors.refuse(
        &item.place,
        format!("a schema cannot follow the serde attribute `{}` here", item.key),
        "remove it, or write the type without it",
    );
}
