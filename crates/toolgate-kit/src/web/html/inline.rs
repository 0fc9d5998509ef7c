//! The marks around running text: emphasis, code and links.
//!
//! An opening mark is written only before the first text inside it, so that a mark around nothing leaves no trace and
//! white space stays outside.

/// A mark that is open.
#[derive(Debug)]
pub(super) enum Mark {
    /// The same characters before and after.
    Around { characters: &'static str, written: bool },
    /// A link; its address comes after the text.
    Link { address: String, written: bool },
}

impl Mark {
    pub(super) fn around(characters: &'static str) -> Self {
        Self::Around { characters, written: false }
    }

    pub(super) fn link(address: String) -> Self {
        Self::Link { address, written: false }
    }

    /// Writes the opening part, once.
    pub(super) fn open(&mut self, out: &mut String) {
        match self {
            Self::Around { characters, written: written @ false } => {
                out.push_str(characters);
                *written = true;
            }
            Self::Link { written: written @ false, .. } => {
                out.push('[');
                *written = true;
            }
            Self::Around { written: true, .. } | Self::Link { written: true, .. } => {}
        }
    }

    /// Writes the closing part, if the opening one was written. The mark can be opened again.
    pub(super) fn close(&mut self, out: &mut String) {
        match self {
            Self::Around { characters, written: written @ true } => {
                out.push_str(characters);
                *written = false;
            }
            Self::Link { address, written: written @ true } => {
                out.push_str("](");
                out.push_str(address);
                out.push(')');
                *written = false;
            }
            Self::Around { written: false, .. } | Self::Link { written: false, .. } => {}
        }
    }

    pub(super) fn is_link(&self) -> bool {
        match self {
            Self::Link { .. } => true,
            Self::Around { .. } => false,
        }
    }
}
