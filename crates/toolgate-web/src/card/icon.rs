//! The small pictures of cards.

use maud::{Markup, html};
use toolgate::ToolCallKind;

/// A picture for a kind of tool. It says nothing that the words beside it do not say.
pub(super) fn of_kind(kind: ToolCallKind) -> Markup {
    picture(match kind {
        ToolCallKind::Read => "M3 2.5h6.5L13 6v7.5H3zM9 2.5V6.5h4M5.5 9h5M5.5 11h3.5",
        ToolCallKind::Edit => "M3 13l.7-3L10.5 3.2l2.3 2.3L6 12.3zM9 4.7l2.3 2.3",
        ToolCallKind::Delete => "M3 4.5h10M6.5 4.5v-2h3v2M4.5 4.5l.5 9h6l.5-9M7 7v4M9 7v4",
        ToolCallKind::Move => "M2.5 8h10M9.5 5l3 3-3 3",
        ToolCallKind::Search => "M7 11.5a4.5 4.5 0 1 1 0-9 4.5 4.5 0 0 1 0 9zM10.3 10.3l3.2 3.2",
        ToolCallKind::Execute => "M2 3h12v10H2zM4.5 6l2 2-2 2M8 10h3.5",
        ToolCallKind::Fetch => {
            "M8 13.5a5.5 5.5 0 1 1 0-11 5.5 5.5 0 0 1 0 11zM2.5 8h11M8 2.5c2 1.6 2.5 3.5 2.5 5.5S10 11.9 8 13.5C6 11.9 \
             5.5 10 5.5 8S6 4.1 8 2.5z"
        }
        ToolCallKind::Other => "M8 2.5v3M8 10.5v3M2.5 8h3M10.5 8h3M6 8a2 2 0 1 0 4 0 2 2 0 0 0-4 0z",
    })
}

/// A picture for programs.
pub(super) fn of_program() -> Markup {
    picture("M5.5 4.5L2 8l3.5 3.5M10.5 4.5L14 8l-3.5 3.5M9 3.5l-2 9")
}

fn picture(path: &str) -> Markup {
    html! {
        svg.icon viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false" { path d=(path) {} }
    }
}
