//! The tool runtime for AI agents: one guarded path between a model and the tools it calls.
