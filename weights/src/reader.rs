//! Anything that can be read, as a stream of bytes.

use std::fmt;
use std::io::{ErrorKind, Read};

use webnn_reference::supply::{ByteReader, Unreadable};

/// The bytes of a file, a socket, a decompressor. `name` is what an error calls it.
pub struct Reader<R> {
    name: String,
    source: R,
}

impl<R: Read> Reader<R> {
    /// Reads from `source`.
    pub fn new(name: impl Into<String>, source: R) -> Self {
        Self { name: name.into(), source }
    }
}

impl<R> fmt::Debug for Reader<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader").field("name", &self.name).finish_non_exhaustive()
    }
}

impl<R: Read> ByteReader for Reader<R> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, Unreadable> {
        loop {
            match self.source.read(into) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(format!("{} can not be read: {error}", self.name)),
                Ok(count) => return Ok(count),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use webnn_reference::supply::ReadableStream;

    /// Is interrupted before each byte, and fails in the end.
    struct Restless(u8);

    impl Read for Restless {
        fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
            self.0 += 1;
            match self.0 {
                turn if turn % 2 == 1 => Err(ErrorKind::Interrupted.into()),
                8 => Err(ErrorKind::ConnectionReset.into()),
                turn => {
                    into[0] = turn;
                    Ok(1)
                }
            }
        }
    }

    #[test]
    fn an_interruption_is_no_failure_and_a_failure_says_of_what() {
        let stream = ReadableStream::new(Box::new(Reader::new("the socket", Restless(0))));
        let mut bytes = [0; 3];
        assert_eq!(stream.fill(&mut bytes), Ok(()));
        assert_eq!(bytes, [2, 4, 6]);
        let failure = stream.fill(&mut bytes).unwrap_err();
        assert!(failure.starts_with("the socket can not be read: "), "{failure}");
    }
}
