//! `rename_all` gives the names that serde gives, for every rule and for odd names.
#![expect(non_snake_case, non_camel_case_types, reason = "odd names are the point")]

use serde::{Deserialize, Serialize};
use toolgate::Schema;

use crate::described::schema;

macro_rules! spelled {
    ($($test:ident $rule:literal)+) => {$(
        #[test]
        fn $test() {
            #[derive(Schema, Serialize, Deserialize, Default)]
            #[serde(rename_all = $rule)]
            struct Fields {
                plain: u8,
                two_words: u8,
                __odd__2name_: u8,
                camelCase: u8,
                r#type: u8,
                grüße_an: u8,
            }

            #[derive(Schema, Serialize, Deserialize)]
            #[serde(rename_all = $rule)]
            enum Variants {
                Plain,
                TwoWords,
                HTTPServer2,
                snake_case,
                r#Type,
                ÄußereForm,
            }

            let written = serde_json::to_value(Fields::default()).unwrap();
            let described = schema::<Fields>();
            let keys = |value: &serde_json::Value| -> Vec<String> {
                value.as_object().unwrap().keys().cloned().collect()
            };
            assert_eq!(keys(&described.raw().as_value()["properties"]), keys(&written));

            use Variants::*;
            let written = serde_json::to_value([Plain, TwoWords, HTTPServer2, snake_case, r#Type, ÄußereForm]);
            assert_eq!(schema::<Variants>().raw().as_value()["enum"], written.unwrap());
        }
    )+};
}

spelled! {
    lower "lowercase"
    upper "UPPERCASE"
    pascal "PascalCase"
    snake "snake_case"
    screaming_snake "SCREAMING_SNAKE_CASE"
    kebab "kebab-case"
    screaming_kebab "SCREAMING-KEBAB-CASE"
}

// serde cannot lower a first letter outside ASCII, so `camelCase` has a test of its own.
#[test]
fn camel() {
    #[derive(Schema, Serialize, Deserialize, Default)]
    #[serde(rename_all = "camelCase")]
    struct Fields {
        two_words: u8,
        __odd__2name_: u8,
        r#type: u8,
    }

    #[derive(Schema, Serialize, Deserialize)]
    #[serde(rename_all = "camelCase")]
    enum Variants {
        TwoWords,
        HTTPServer2,
    }

    let written = serde_json::to_value(Fields::default()).unwrap();
    let described = schema::<Fields>();
    let properties = described.raw().as_value()["properties"].as_object().unwrap();
    assert!(properties.keys().eq(written.as_object().unwrap().keys()));
    let written = serde_json::to_value([Variants::TwoWords, Variants::HTTPServer2]).unwrap();
    assert_eq!(schema::<Variants>().raw().as_value()["enum"], written);
}
