//! A file of lines that are read here and there.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read, Seek};
use std::path::{Path, PathBuf};

use crate::failure::Failure;

trait Source: Read + Seek {}

impl<T: Read + Seek> Source for T {}

/// A file of lines.
pub(super) struct Lines {
    path: PathBuf,
    reader: RefCell<Reader>,
}

struct Reader {
    /// Where it is.
    at: u64,
    text: BufReader<Box<dyn Source>>,
}

impl std::fmt::Debug for Lines {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Lines").field(&self.path).finish()
    }
}

impl Lines {
    /// Opens a file.
    ///
    /// # Errors
    /// If that can not be done.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let mut file = File::open(path)?;
        let source: Box<dyn Source> = if file.metadata()?.is_file() {
            Box::new(file)
        } else {
            // A pipe, say, which can be read only once.
            let mut all = Vec::new();
            file.read_to_end(&mut all)?;
            Box::new(Cursor::new(all))
        };
        let reader = Reader { at: 0, text: BufReader::with_capacity(1 << 14, source) };
        Ok(Self { path: path.to_owned(), reader: RefCell::new(reader) })
    }

    /// Reads the next line with its end, and says where it begins. Behind the last there is an empty one.
    ///
    /// # Errors
    /// If that can not be done.
    pub(super) fn next(&self, line: &mut Vec<u8>) -> io::Result<u64> {
        line.clear();
        let mut reader = self.reader.borrow_mut();
        let begin = reader.at;
        let length = reader.text.read_until(b'\n', line)?;
        reader.at += length as u64;
        Ok(begin)
    }

    /// Reads the line that begins at a place, without its end.
    ///
    /// # Errors
    /// If that can not be done, or the file is not what it was.
    pub(super) fn at(&self, offset: u64) -> Result<String, Failure> {
        let mut line = Vec::new();
        self.seek(offset).and_then(|()| self.next(&mut line)).map_err(|error| self.unreadable(&error))?;
        let mut text = String::from_utf8(line).map_err(|_| self.have_changed())?;
        text.truncate(text.trim_end().len());
        Ok(text)
    }

    fn seek(&self, offset: u64) -> io::Result<()> {
        let mut reader = self.reader.borrow_mut();
        let distance = i128::from(offset) - i128::from(reader.at);
        reader.text.seek_relative(i64::try_from(distance).map_err(io::Error::other)?)?;
        reader.at = offset;
        Ok(())
    }

    fn unreadable(&self, error: &io::Error) -> Failure {
        Failure::Data(format!("{}: {error}", self.path.display()))
    }

    /// Why a line is not what it was when it was read first.
    pub(super) fn have_changed(&self) -> Failure {
        Failure::Data(format!("{} has changed while it was read; try again", self.path.display()))
    }
}
