//! Derive and attribute macros of Toolgate: derive(Schema) and tool.
