//! First-party tools for Toolgate: files and search.
