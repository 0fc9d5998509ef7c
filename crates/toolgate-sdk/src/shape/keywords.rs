//! What each keyword of JSON Schema is for. Everything not listed here is an annotation and says nothing of types.

/// Keywords that restrict values and that no type says.
const UNTYPED: &[&str] = &[
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
    "minItems",
    "maxItems",
    "uniqueItems",
    "contains",
    "minContains",
    "maxContains",
    "unevaluatedItems",
    "minProperties",
    "maxProperties",
    "patternProperties",
    "propertyNames",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "unevaluatedProperties",
    "not",
    "if",
    "then",
    "else",
    "$dynamicRef",
    "$recursiveRef",
];

/// Keywords that only objects heed.
const OF_OBJECTS: &[&str] = &[
    "properties",
    "required",
    "additionalProperties",
    "patternProperties",
    "propertyNames",
    "minProperties",
    "maxProperties",
];

/// Keywords that only lists heed.
const OF_ARRAYS: &[&str] =
    &["items", "prefixItems", "additionalItems", "minItems", "maxItems", "uniqueItems"];

pub(super) fn is_untyped(keyword: &str) -> bool {
    UNTYPED.contains(&keyword)
}

pub(super) fn is_of_objects(keyword: &str) -> bool {
    OF_OBJECTS.contains(&keyword)
}

pub(super) fn is_of_arrays(keyword: &str) -> bool {
    OF_ARRAYS.contains(&keyword)
}
