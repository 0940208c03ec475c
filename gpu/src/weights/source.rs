//! Where bytes come from that are to be written into staging memory.

use std::cmp::min;
use std::ops::Range;

use webnn_reference::supply::{Blob, Part, ReadableStream, Supply, Unreadable};

/// So many bytes are read at once where they can not go straight into staging memory, which can be written only.
const READ: usize = 256 << 10;

/// Shorter runs of bytes are put together before they are copied.
const SHORT: usize = 4096;

/// What bytes are taken from.
#[derive(Debug)]
pub(crate) enum Supplier<'a> {
    /// Any of them, by several threads.
    Shared(Source<'a>),
    /// Those that come next, by one.
    Stream(&'a ReadableStream),
}

/// Bytes that several threads can have, any range of them.
#[derive(Debug)]
pub(crate) enum Source<'a> {
    /// These, over and over.
    Repeated(&'a [u8]),
    /// Those of blobs, each with its place among them.
    Blobs(Vec<(Range<u64>, &'a dyn Blob)>),
    /// These.
    All(&'a [u8]),
}

impl<'a> Supplier<'a> {
    /// What a part is taken from.
    pub(crate) fn of(part: &'a Part) -> Self {
        match &part.supply {
            Supply::Bytes(bytes) => Self::Shared(Source::Repeated(bytes.pattern())),
            Supply::Blob(blob) => Self::Shared(Source::Blobs(vec![(0..part.length, blob.as_ref())])),
            Supply::Stream(stream) => Self::Stream(stream),
        }
    }

    /// Whether taking bytes reads them from somewhere that is no memory of ours.
    pub(crate) fn reads(&self) -> bool {
        matches!(self, Self::Stream(_) | Self::Shared(Source::Blobs(_)))
    }

    /// Takes a few bytes. Of a stream it is the next ones.
    pub(crate) fn read(&self, start: u64, into: &mut [u8]) -> Result<(), Unreadable> {
        match self {
            Self::Shared(source) => source.read(start, into),
            Self::Stream(stream) => stream.fill(into),
        }
    }

    /// Ensures that nothing is left that should not be.
    pub(crate) fn ensure_end(&self) -> Result<(), Unreadable> {
        match self {
            Self::Shared(_) => Ok(()),
            Self::Stream(stream) => stream.ensure_end(),
        }
    }
}

impl Source<'_> {
    /// Writes bytes from `start` on, as many as fit. `scratch` is memory for use in between.
    pub(crate) fn write(
        &self,
        start: u64,
        into: wgpu::WriteOnly<'_, [u8]>,
        scratch: &mut Vec<u8>,
    ) -> Result<(), Unreadable> {
        let (mut at, mut rest) = (start, into);
        while let Some(run) = self.run(at).filter(|run| run.len() >= min(rest.len(), SHORT)) {
            let count = min(run.len(), rest.len());
            let (mut place, more) = rest.split_at(count);
            place.copy_from_slice(&run[..count]);
            (at, rest) = (at + count as u64, more);
            if rest.is_empty() {
                return Ok(());
            }
        }
        through(rest, scratch, |offset, bytes| self.read(at + offset, bytes))
    }

    /// The bytes from here on that lie in memory one after the other, if any do.
    fn run(&self, at: u64) -> Option<&[u8]> {
        match self {
            Self::Repeated(pattern) => pattern.get((at % pattern.len().max(1) as u64) as usize..),
            Self::All(bytes) => usize::try_from(at).ok().and_then(|at| bytes.get(at..)),
            Self::Blobs(blobs) => {
                let (range, blob) = blobs.iter().find(|(range, _)| range.contains(&at))?;
                let bytes = blob.in_memory()?.get(..usize::try_from(range.end - range.start).ok()?)?;
                bytes.get(usize::try_from(at - range.start).ok()?..)
            }
        }
    }

    fn read(&self, start: u64, into: &mut [u8]) -> Result<(), Unreadable> {
        let (mut at, mut rest) = (start, into);
        while !rest.is_empty() {
            let count = match self {
                Self::Blobs(blobs) => read_blob(blobs, at, rest)?,
                Self::Repeated(_) | Self::All(_) => {
                    let run = self.run(at).filter(|run| !run.is_empty()).ok_or_else(too_short)?;
                    let count = min(run.len(), rest.len());
                    rest[..count].copy_from_slice(&run[..count]);
                    count
                }
            };
            (at, rest) = (at + count as u64, &mut rest[count..]);
        }
        Ok(())
    }
}

/// Reads what one blob has of the bytes from here on; says how many.
fn read_blob(blobs: &[(Range<u64>, &dyn Blob)], at: u64, into: &mut [u8]) -> Result<usize, Unreadable> {
    let found = blobs.iter().find(|(range, _)| range.contains(&at));
    let (range, blob) = found.ok_or_else(too_short)?;
    let count = usize::try_from(range.end - at).unwrap_or(usize::MAX).min(into.len());
    blob.read(at - range.start, &mut into[..count])?;
    Ok(count)
}

fn too_short() -> Unreadable {
    "the data is shorter than its constant".to_owned()
}

/// Fills memory that can only be written, by way of memory that can be read.
pub(crate) fn through(
    into: wgpu::WriteOnly<'_, [u8]>,
    scratch: &mut Vec<u8>,
    mut read: impl FnMut(u64, &mut [u8]) -> Result<(), Unreadable>,
) -> Result<(), Unreadable> {
    let (mut offset, mut rest) = (0, into);
    while !rest.is_empty() {
        let count = min(rest.len(), READ);
        scratch.resize(scratch.len().max(count), 0);
        read(offset, &mut scratch[..count])?;
        let (mut place, more) = rest.split_at(count);
        place.copy_from_slice(&scratch[..count]);
        (offset, rest) = (offset + count as u64, more);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Numbers(u8, usize);

    impl Blob for Numbers {
        fn size(&self) -> u64 {
            self.1 as u64
        }

        fn read(&self, offset: u64, into: &mut [u8]) -> Result<(), Unreadable> {
            for (n, byte) in (offset..).zip(into) {
                *byte = self.0 + n as u8;
            }
            Ok(())
        }
    }

    #[test]
    fn any_range_of_several_blobs() {
        let (first, second) = (Numbers(0, 3), Numbers(100, 5));
        let source = Source::Blobs(vec![(0..3, &first), (3..8, &second)]);
        let mut bytes = [0; 8];
        source.read(0, &mut bytes).unwrap();
        assert_eq!(bytes, [0, 1, 2, 100, 101, 102, 103, 104]);
        source.read(2, &mut bytes[..3]).unwrap();
        assert_eq!(bytes[..3], [2, 100, 101]);
        assert!(source.read(6, &mut bytes[..3]).is_err());
    }

    /// Bytes in memory, which need not be read.
    #[derive(Debug)]
    struct Mapped(Vec<u8>);

    impl Blob for Mapped {
        fn size(&self) -> u64 {
            self.0.len() as u64
        }

        fn read(&self, _: u64, _: &mut [u8]) -> Result<(), Unreadable> {
            Err("it was read".to_owned())
        }

        fn in_memory(&self) -> Option<&[u8]> {
            Some(&self.0)
        }
    }

    #[test]
    fn what_is_in_memory_is_not_read() {
        let all = (0..2 * SHORT).map(|n| (n % 251) as u8).collect::<Vec<_>>();
        let (mapped, numbers) = (Mapped(all.clone()), Numbers(0, 100));
        // The blob has more than the constant takes of it.
        let length = all.len() as u64 - 5;
        let source = Source::Blobs(vec![(0..length, &mapped), (length..length + 100, &numbers)]);
        let mut into = vec![0; all.len() + 10 - 5 - 7];
        source.write(7, wgpu::WriteOnly::from_mut(&mut into[..]), &mut Vec::new()).unwrap();
        let wanted = all[7..all.len() - 5].iter().copied().chain(0..10).collect::<Vec<_>>();
        assert!(into == wanted);
    }

    #[test]
    fn a_pattern_from_anywhere() {
        let mut bytes = [0; 7];
        Source::Repeated(&[1, 2, 3]).read(5, &mut bytes).unwrap();
        assert_eq!(bytes, [3, 1, 2, 3, 1, 2, 3]);
        assert!(Source::Repeated(&[]).read(0, &mut bytes).is_err());
    }

    #[test]
    fn writing_is_reading_into_what_can_only_be_written() {
        let whole = (0..3 * READ).map(|n| (n % 251) as u8).collect::<Vec<_>>();
        for (pattern, wanted) in [(&whole[..], &whole[..]), (&[7, 8, 9, 10], &[7, 8, 9, 10].repeat(READ / 2)[..])] {
            let mut into = vec![0; wanted.len() - 7];
            let mut scratch = Vec::new();
            Source::Repeated(pattern).write(3, wgpu::WriteOnly::from_mut(&mut into[..]), &mut scratch).unwrap();
            assert!(into[..] == wanted[3..wanted.len() - 4]);
            assert!(scratch.len() <= READ);
        }
    }
}
