//! JSON boundary, schema authoring language, enforced JSON Schema subset and its checker.
