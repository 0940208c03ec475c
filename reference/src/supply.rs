//! Where the data of a constant comes from when it is supplied after the graph was built.
//!
//! Script hands over an `AllowSharedBufferSource`, a [`Blob`](https://w3c.github.io/FileAPI/#blob-section) or a
//! [`ReadableStream`](https://streams.spec.whatwg.org/#rs-class) of bytes. A blob may be a range of a file: it is read
//! where it is needed, and as often as it is needed, so that nobody has to hold its bytes. A stream is read once.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::rc::Rc;

use crate::buffer::{BufferSource, Bytes};

/// Why bytes could not be had: what an application or its file is to blame for, in words.
pub type Unreadable = String;

/// Immutable bytes that are read where they are needed. Several threads may read at the same time.
pub trait Blob: Sync + fmt::Debug {
    /// How many bytes there are.
    fn size(&self) -> u64;

    /// Fills `into` with the bytes that begin at `offset`.
    ///
    /// # Errors
    /// If they can not be read, or are no longer those that there were.
    fn read(&self, offset: u64, into: &mut [u8]) -> Result<(), Unreadable>;

    /// All of them, where they lie in memory already.
    fn in_memory(&self) -> Option<&[u8]> {
        None
    }
}

/// The reader of a stream of bytes.
pub trait ByteReader: fmt::Debug {
    /// Fills `into` with the next bytes, as far as there are so many, and says how many there were.
    ///
    /// # Errors
    /// If the stream has failed.
    fn read(&mut self, into: &mut [u8]) -> Result<usize, Unreadable>;
}

/// A stream of bytes, which can be read once. Clones are the same stream.
#[derive(Clone, Debug)]
pub struct ReadableStream(Rc<StreamSlots>);

#[derive(Debug)]
struct StreamSlots {
    reader: RefCell<Box<dyn ByteReader>>,
    is_locked: Cell<bool>,
}

impl ReadableStream {
    /// A stream of what `reader` reads.
    pub fn new(reader: Box<dyn ByteReader>) -> Self {
        Self(Rc::new(StreamSlots { reader: RefCell::new(reader), is_locked: Cell::new(false) }))
    }

    /// Whether somebody has it already.
    pub fn is_locked(&self) -> bool {
        self.0.is_locked.get()
    }

    /// Locks it, as whoever gets its reader does.
    pub fn lock(&self) {
        self.0.is_locked.set(true);
    }

    /// Fills all of `into` with the next bytes.
    ///
    /// # Errors
    /// If the stream fails, or ends before.
    pub fn fill(&self, into: &mut [u8]) -> Result<(), Unreadable> {
        let mut filled = 0;
        while filled < into.len() {
            match self.0.reader.borrow_mut().read(&mut into[filled..])? {
                0 => return Err(format!("the stream ended {} bytes early", into.len() - filled)),
                more => filled += more.min(into.len() - filled),
            }
        }
        Ok(())
    }

    /// Ensures that nothing is left of it.
    ///
    /// # Errors
    /// If something is, or the stream fails.
    pub fn ensure_end(&self) -> Result<(), Unreadable> {
        match self.0.reader.borrow_mut().read(&mut [0])? {
            0 => Ok(()),
            _ => Err("the stream has more bytes than are left of the constant".to_owned()),
        }
    }
}

/// What script hands over: `(AllowSharedBufferSource or Blob or ReadableStream)`.
#[derive(Clone, Debug)]
pub enum ConstantData {
    /// A buffer, of which a copy is taken.
    Buffer(BufferSource),
    /// Bytes that stay where they are until they are needed.
    Blob(Rc<dyn Blob>),
    /// Bytes that arrive by and by.
    Stream(ReadableStream),
}

impl From<BufferSource> for ConstantData {
    fn from(buffer: BufferSource) -> Self {
        Self::Buffer(buffer)
    }
}

/// What the platform takes bytes from.
#[derive(Clone, Debug)]
pub enum Supply {
    /// Bytes in memory.
    Bytes(Bytes),
    /// Bytes that are read where they are needed, and may be read again.
    Blob(Rc<dyn Blob>),
    /// Bytes that are read once.
    Stream(ReadableStream),
}

/// A part of a constant's data, or all of it.
#[derive(Clone, Debug)]
pub struct Part {
    /// Where in the constant it begins, in bytes.
    pub offset: u64,
    /// How many bytes it has.
    pub length: u64,
    /// Where they come from.
    pub supply: Supply,
}

/// Ranges of bytes that do not overlap.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ranges(Vec<(u64, u64)>);

impl Ranges {
    /// Whether one of them has a byte of this range.
    pub(crate) fn overlap(&self, offset: u64, length: u64) -> bool {
        self.0.iter().any(|(start, bytes)| offset < start + bytes && *start < offset + length)
    }

    /// Adds a range that overlaps none.
    pub(crate) fn insert(&mut self, offset: u64, length: u64) {
        self.0.push((offset, length));
    }

    pub(crate) fn remove(&mut self, offset: u64, length: u64) {
        self.0.retain(|range| *range != (offset, length));
    }

    /// How many bytes they have.
    pub(crate) fn total(&self) -> u64 {
        self.0.iter().map(|(_, bytes)| bytes).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Three(u8);

    impl ByteReader for Three {
        fn read(&mut self, into: &mut [u8]) -> Result<usize, Unreadable> {
            if self.0 == 3 || into.is_empty() {
                return Ok(0);
            }
            self.0 += 1;
            into[0] = self.0;
            Ok(1)
        }
    }

    #[test]
    fn a_stream_ends_where_it_should() {
        let stream = ReadableStream::new(Box::new(Three(0)));
        let mut bytes = [0; 2];
        assert_eq!(stream.fill(&mut bytes), Ok(()));
        assert_eq!(bytes, [1, 2]);
        assert!(stream.ensure_end().is_err());
        assert_eq!(stream.ensure_end(), Ok(()));
        assert_eq!(stream.fill(&mut bytes), Err("the stream ended 2 bytes early".to_owned()));
    }

    #[test]
    fn ranges_that_touch_do_not_overlap() {
        let mut ranges = Ranges::default();
        ranges.insert(4, 4);
        assert!(!ranges.overlap(0, 4) && !ranges.overlap(8, 1));
        assert!(ranges.overlap(7, 1) && ranges.overlap(0, 5) && ranges.overlap(0, 100));
        ranges.insert(0, 4);
        assert_eq!(ranges.total(), 8);
        ranges.remove(4, 4);
        assert_eq!(ranges.total(), 4);
    }
}
