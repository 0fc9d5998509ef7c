//! Policies through the public interface.

mod rules;
