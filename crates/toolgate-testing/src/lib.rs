//! Conformance runner and test doubles for Toolgate.
