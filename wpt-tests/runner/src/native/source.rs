//! The data of constants that is neither a buffer nor a file: blobs and streams of script.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use webnn_reference::supply::{Blob, ByteReader, ReadableStream, Unreadable};

/// A stream of script, as script names it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stream {
    /// The number under which its bytes arrive.
    pub(super) number: u32,
    /// Whether somebody has it already.
    pub(super) is_locked: bool,
}

/// The bytes of a blob of script, which never change.
#[derive(Debug)]
pub(super) struct Bytes(pub(super) Vec<u8>);

impl Blob for Bytes {
    fn size(&self) -> u64 {
        self.0.len() as u64
    }

    fn read(&self, offset: u64, into: &mut [u8]) -> Result<(), Unreadable> {
        let bytes = usize::try_from(offset).ok().and_then(|start| self.0.get(start..)?.get(..into.len()));
        into.copy_from_slice(bytes.ok_or("the blob has not so many bytes")?);
        Ok(())
    }
}

/// The streams that were handed over and are not at their end.
///
/// Script alone can read them, in tasks of its own, and steps on a timeline can not wait. So timelines stand still until all
/// bytes of all streams are here, as they would if whatever computes had other things to do. It takes memory for what a
/// stream brings, up to what its constant has room for.
#[derive(Debug, Default)]
pub(super) struct Streams(RefCell<HashMap<u32, Arriving>>);

#[derive(Debug)]
struct Arriving {
    stream: ReadableStream,
    arrived: Rc<RefCell<Arrived>>,
    /// One more byte than there is room for says that there are too many.
    wanted: u64,
}

/// What has arrived of a stream.
#[derive(Debug, Default)]
struct Arrived {
    bytes: Vec<u8>,
    failure: Option<Unreadable>,
}

impl Streams {
    /// A stream for the reference, for a constant that has room for so many bytes.
    pub(super) fn open(&self, stream: Stream, room: u64) -> ReadableStream {
        let arrived = Rc::<RefCell<Arrived>>::default();
        let opened = ReadableStream::new(Box::new(Reader { arrived: Rc::clone(&arrived), at: 0 }));
        if stream.is_locked {
            opened.lock();
        } else {
            let arriving = Arriving { stream: opened.clone(), arrived, wanted: room.saturating_add(1) };
            self.0.borrow_mut().insert(stream.number, arriving);
        }
        opened
    }

    /// Whether the reference has taken the stream: if not, it is forgotten.
    pub(super) fn is_taken(&self, number: u32) -> bool {
        let is_taken = self.0.borrow().get(&number).is_some_and(|arriving| arriving.stream.is_locked());
        if !is_taken {
            self.0.borrow_mut().remove(&number);
        }
        is_taken
    }

    /// Adds bytes to a stream, and says whether more are wanted.
    pub(super) fn feed(&self, number: u32, bytes: &[u8]) -> bool {
        let is_open = self.0.borrow().get(&number).is_some_and(|arriving| {
            let arrived = &mut arriving.arrived.borrow_mut().bytes;
            arrived.extend(bytes);
            (arrived.len() as u64) < arriving.wanted
        });
        if !is_open {
            self.end(number, None);
        }
        is_open
    }

    /// A stream ends, or fails.
    pub(super) fn end(&self, number: u32, failure: Option<Unreadable>) {
        if let Some(arriving) = self.0.borrow_mut().remove(&number) {
            arriving.arrived.borrow_mut().failure = failure;
        }
    }

    /// Whether bytes of some are still to come.
    pub(super) fn are_arriving(&self) -> bool {
        !self.0.borrow().is_empty()
    }
}

#[derive(Debug)]
struct Reader {
    arrived: Rc<RefCell<Arrived>>,
    at: usize,
}

impl ByteReader for Reader {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, Unreadable> {
        let arrived = self.arrived.borrow();
        let rest = &arrived.bytes[self.at..];
        let count = rest.len().min(into.len());
        into[..count].copy_from_slice(&rest[..count]);
        self.at += count;
        match &arrived.failure {
            Some(failure) if count < into.len() => Err(failure.clone()),
            _ => Ok(count),
        }
    }
}
