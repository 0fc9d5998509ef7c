//! The fingerprint of a file's content: whether it is still what was read.
//!
//! Taken while a file streams by, in constant memory. The hash is keyed with a secret of this process, so nobody can
//! make two contents that look the same; it means nothing in another process and is never stored.

use std::hash::{BuildHasher as _, DefaultHasher, Hasher as _, RandomState};
use std::io::{self, Read};
use std::sync::LazyLock;

static KEYS: LazyLock<RandomState> = LazyLock::new(RandomState::new);

/// The length and the hash of a content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fingerprint {
    length: u64,
    hash: u64,
}

impl Fingerprint {
    /// The fingerprint of a content that is in memory.
    pub(crate) fn of(content: &[u8]) -> Self {
        let mut sum = Sum::default();
        sum.add(content);
        sum.end()
    }
}

/// A fingerprint in the making.
#[derive(Debug)]
pub(super) struct Sum {
    length: u64,
    hasher: DefaultHasher,
}

impl Default for Sum {
    fn default() -> Self {
        Self { length: 0, hasher: KEYS.build_hasher() }
    }
}

impl Sum {
    pub(super) fn add(&mut self, bytes: &[u8]) {
        self.length += bytes.len() as u64;
        self.hasher.write(bytes);
    }

    pub(super) fn end(self) -> Fingerprint {
        Fingerprint { length: self.length, hash: self.hasher.finish() }
    }
}

/// A reader that takes the fingerprint of what is read through it.
#[derive(Debug)]
pub(crate) struct FingerprintedReader<R> {
    source: R,
    sum: Sum,
}

impl<R> FingerprintedReader<R> {
    pub(crate) fn new(source: R) -> Self {
        Self { source, sum: Sum::default() }
    }

    /// The fingerprint of what has been read.
    pub(crate) fn finish(self) -> Fingerprint {
        self.sum.end()
    }
}

impl<R: Read> Read for FingerprintedReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.source.read(buffer)?;
        self.sum.add(buffer.get(..count).unwrap_or_default());
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_does_not_matter_in_which_pieces_the_content_came() {
        let content: Vec<u8> = (0..200_u8).cycle().take(3001).collect();
        for size in [1, 3, 7, 8, 9, 64, 3000, 3001] {
            let mut sum = Sum::default();
            content.chunks(size).for_each(|piece| sum.add(piece));
            assert_eq!(sum.end(), Fingerprint::of(&content), "pieces of {size}");
        }
        assert_ne!(Fingerprint::of(b"a"), Fingerprint::of(b"b"));
    }
}
