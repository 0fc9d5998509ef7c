//! [`Discovery`]: tools that a program finds itself, because their declarations are too long for a prompt.
//!
//! The prompt gets one line per tool and two functions; the run of a program answers these from here. Pure text.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::sync::OnceLock;

use toolgate::ToolDefinition;

use crate::docs::{TOOL_BYTES, prefix};
use crate::index::line;
use crate::language::Language;
use crate::sdk::describe;
use crate::{python, typescript};

/// The most tools that one search finds.
const MOST_FOUND: usize = 20;

/// The most words of a query that are looked for.
const MOST_WORDS: usize = 32;

/// A set of tools, and the names of the two functions that tell of them.
#[derive(Clone, Debug)]
pub struct Discovery {
    language: Language,
    tools: Vec<ToolDefinition>,
    /// What a search looks at, made when there is a first one.
    entries: OnceLock<Vec<Entry>>,
    search: String,
    describe: String,
}

/// A tool as a search sees it: its texts in lower case.
#[derive(Clone, Debug)]
struct Entry {
    found: Found,
    name: String,
    line: String,
    description: String,
}

/// One tool that a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its name.
    pub name: String,
    /// Its line of the index.
    pub line: String,
}

impl Discovery {
    /// The discovery of these tools. Of several tools of one name the first counts.
    #[must_use]
    pub fn of(language: Language, tools: &[ToolDefinition]) -> Self {
        let mut taken = HashSet::new();
        let tools: Vec<_> = tools.iter().filter(|tool| taken.insert(tool.name())).cloned().collect();
        let search = free("search", &taken);
        let describe = free("describe", &taken);
        Self { language, tools, entries: OnceLock::new(), search, describe }
    }

    /// The name of the function that finds tools: `search`. A tool of that name keeps it, and the function gets the
    /// first of `search_tools`, `search_tools_tools` and so on that no tool has.
    #[must_use]
    pub fn search_name(&self) -> &str {
        &self.search
    }

    /// The name of the function that declares a tool: `describe`, or longer where a tool has that name, as above.
    #[must_use]
    pub fn describe_name(&self) -> &str {
        &self.describe
    }

    /// What a prompt carries: what every program has, the two functions, and the index as a comment.
    #[must_use]
    pub fn text(&self) -> String {
        let lines: Vec<String> = self.tools.iter().map(line).collect();
        match self.language {
            Language::TypeScript => typescript::discover(&self.search, &self.describe, &lines),
            Language::Python => python::discover(&self.search, &self.describe, &lines),
        }
    }

    /// Finds tools by the words of a query, the best first, at most 20. A word counts most as a name or a part of
    /// one, less in the names of arguments and in the first sentence of the description, and least in the rest of it.
    /// Case does not matter. A query without words finds the first tools.
    #[must_use]
    pub fn search(&self, query: &str) -> Vec<Found> {
        let query = query.to_lowercase();
        let words: Vec<&str> = words(&query).take(MOST_WORDS).collect();
        let entries = self.entries.get_or_init(|| self.tools.iter().map(Entry::of).collect());
        let mut found: Vec<(usize, &Entry)> = entries
            .iter()
            .map(|entry| (entry.score(&words), entry))
            .filter(|(score, _)| words.is_empty() || *score > 0)
            .collect();
        // Stable: equals stay in the order of the tools.
        found.sort_by_key(|(score, _)| Reverse(*score));
        found.into_iter().map(|(_, entry)| entry.found.clone()).take(MOST_FOUND).collect()
    }

    /// The declaration of a tool, if there is one of that name.
    #[must_use]
    pub fn describe(&self, name: &str) -> Option<String> {
        let tool = self.tools.iter().find(|tool| tool.name() == name)?;
        Some(describe(self.language, tool))
    }
}

/// The name itself, or longer, until no tool has it.
fn free(name: &str, taken: &HashSet<&str>) -> String {
    let mut name = name.to_owned();
    while taken.contains(name.as_str()) {
        name.push_str("_tools");
    }
    name
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

impl Entry {
    fn of(tool: &ToolDefinition) -> Self {
        let line = line(tool);
        Self {
            name: tool.name().to_lowercase(),
            line: line.to_lowercase(),
            description: prefix(tool.description(), TOOL_BYTES).to_lowercase(),
            found: Found { name: tool.name().to_owned(), line },
        }
    }

    /// How well the tool fits the words, which are in lower case.
    fn score(&self, query: &[&str]) -> usize {
        let Self { name, line, description, .. } = self;
        let one = |word: &&str| {
            if name == word {
                16
            } else if words(name).any(|part| part == *word) {
                8
            } else if name.contains(word) {
                4
            } else if line.contains(word) {
                2
            } else {
                usize::from(description.contains(word))
            }
        };
        query.iter().map(one).sum()
    }
}
