//! The spelling rules of serde's `rename_all`.
//!
//! They have to give exactly the names that serde's own derive gives, so odd names follow serde, not taste: a field is
//! taken as `snake_case` and a variant as `PascalCase`, whatever they really are.

use syn::LitStr;

use crate::errors::Errors;

/// One of serde's spelling rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Case {
    /// `lowercase`
    Lower,
    /// `UPPERCASE`
    Upper,
    /// `PascalCase`
    Pascal,
    /// `camelCase`
    Camel,
    /// `snake_case`
    Snake,
    /// `SCREAMING_SNAKE_CASE`
    ScreamingSnake,
    /// `kebab-case`
    Kebab,
    /// `SCREAMING-KEBAB-CASE`
    ScreamingKebab,
}

const NAMES: [(&str, Case); 8] = [
    ("lowercase", Case::Lower),
    ("UPPERCASE", Case::Upper),
    ("PascalCase", Case::Pascal),
    ("camelCase", Case::Camel),
    ("snake_case", Case::Snake),
    ("SCREAMING_SNAKE_CASE", Case::ScreamingSnake),
    ("kebab-case", Case::Kebab),
    ("SCREAMING-KEBAB-CASE", Case::ScreamingKebab),
];

impl Case {
    /// The rule with this name.
    pub(crate) fn parse(name: &LitStr, errors: &mut Errors) -> Option<Self> {
        let written = name.value();
        let found = NAMES.iter().find(|(known, _)| *known == written).map(|(_, case)| *case);
        if found.is_none() {
            let known: Vec<&str> = NAMES.iter().map(|(known, _)| *known).collect();
            errors.refuse(
                name,
                format!("`{written}` is no spelling rule"),
                format!("use one of {}", known.join(", ")),
            );
        }
        found
    }

    /// The JSON name of a variant.
    pub(crate) fn of_variant(self, variant: &str) -> String {
        match self {
            Self::Pascal => variant.to_owned(),
            Self::Lower => variant.to_ascii_lowercase(),
            Self::Upper => variant.to_ascii_uppercase(),
            Self::Camel => lower_first(variant),
            Self::Snake => separated(variant, '_'),
            Self::ScreamingSnake => separated(variant, '_').to_ascii_uppercase(),
            Self::Kebab => separated(variant, '-').replace('_', "-"),
            Self::ScreamingKebab => separated(variant, '-').replace('_', "-").to_ascii_uppercase(),
        }
    }

    /// The JSON name of a field.
    pub(crate) fn of_field(self, field: &str) -> String {
        match self {
            Self::Lower | Self::Snake => field.to_owned(),
            Self::Upper | Self::ScreamingSnake => field.to_ascii_uppercase(),
            Self::Pascal => capitalized(field),
            Self::Camel => lower_first(&capitalized(field)),
            Self::Kebab => field.replace('_', "-"),
            Self::ScreamingKebab => field.replace('_', "-").to_ascii_uppercase(),
        }
    }
}

fn lower_first(name: &str) -> String {
    let mut characters = name.chars();
    characters.next().map(|first| first.to_ascii_lowercase()).into_iter().chain(characters).collect()
}

/// Puts the separator before every capital but the first character, and lowers them.
fn separated(name: &str, separator: char) -> String {
    let mut result = String::with_capacity(name.len() + 4);
    for (position, character) in name.chars().enumerate() {
        if position > 0 && character.is_uppercase() {
            result.push(separator);
        }
        result.push(character.to_ascii_lowercase());
    }
    result
}

/// Drops the underscores and raises the character after each.
fn capitalized(name: &str) -> String {
    name.split('_')
        .flat_map(|word| {
            let mut characters = word.chars();
            characters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(characters)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spells_like_serde() {
        // rule, variant `VeryTasty`, variant `Z42`, field `very_tasty`, field `_a_2`
        let table = [
            (Case::Lower, "verytasty", "z42", "very_tasty", "_a_2"),
            (Case::Upper, "VERYTASTY", "Z42", "VERY_TASTY", "_A_2"),
            (Case::Pascal, "VeryTasty", "Z42", "VeryTasty", "A2"),
            (Case::Camel, "veryTasty", "z42", "veryTasty", "a2"),
            (Case::Snake, "very_tasty", "z42", "very_tasty", "_a_2"),
            (Case::ScreamingSnake, "VERY_TASTY", "Z42", "VERY_TASTY", "_A_2"),
            (Case::Kebab, "very-tasty", "z42", "very-tasty", "-a-2"),
            (Case::ScreamingKebab, "VERY-TASTY", "Z42", "VERY-TASTY", "-A-2"),
        ];
        for (case, long, short, field, odd) in table {
            assert_eq!(case.of_variant("VeryTasty"), long, "{case:?}");
            assert_eq!(case.of_variant("Z42"), short, "{case:?}");
            assert_eq!(case.of_field("very_tasty"), field, "{case:?}");
            assert_eq!(case.of_field("_a_2"), odd, "{case:?}");
        }
    }
}
