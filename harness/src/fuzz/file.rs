//! The file of a finding: a vector as people write them, an operand or an operator on each line.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};
use webnn_vectors::Vector;

const SOURCE: &str =
    "webnn fuzz: what the interpreter gives, and how far others may be from it. Not an independent source.";

/// A file of vectors.
#[derive(Serialize)]
struct Form<'a> {
    source: &'a str,
    tests: [&'a Vector; 1],
}

/// The text of a file with this vector alone.
///
/// # Errors
/// If the vector can not be written as JSON, which is a bug.
pub(crate) fn text(vector: &Vector) -> io::Result<String> {
    let mut bytes = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut bytes, Lines::default());
    Form { source: SOURCE, tests: [vector] }.serialize(&mut serializer)?;
    bytes.push(b'\n');
    String::from_utf8(bytes).map_err(io::Error::other)
}

/// The members of a graph's inputs, operators and outputs stand on lines of their own, and are not broken further.
const DEPTH: usize = 5;

/// Breaks lines down to some depth.
#[derive(Default)]
struct Lines {
    depth: usize,
}

impl Lines {
    fn begin(&mut self, writer: &mut (impl Write + ?Sized), bracket: &[u8]) -> io::Result<()> {
        self.depth += 1;
        writer.write_all(bracket)
    }

    fn item(&self, writer: &mut (impl Write + ?Sized), first: bool) -> io::Result<()> {
        match (self.depth <= DEPTH, first) {
            (true, true) => self.line(writer),
            (true, false) => {
                writer.write_all(b",")?;
                self.line(writer)
            }
            (false, true) => Ok(()),
            (false, false) => writer.write_all(b", "),
        }
    }

    fn line(&self, writer: &mut (impl Write + ?Sized)) -> io::Result<()> {
        write!(writer, "\n{:width$}", "", width = 2 * self.depth)
    }

    fn end(&mut self, writer: &mut (impl Write + ?Sized), bracket: &[u8]) -> io::Result<()> {
        let is_broken = self.depth <= DEPTH;
        self.depth -= 1;
        if is_broken {
            self.line(writer)?;
        }
        writer.write_all(bracket)
    }
}

impl Formatter for Lines {
    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.begin(writer, b"[")
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.item(writer, first)
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.end(writer, b"]")
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.begin(writer, b"{")
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.item(writer, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.end(writer, b"}")
    }
}

#[cfg(test)]
mod tests {
    use webnn_vectors::Loader;

    use super::super::generator::Generator;
    use super::*;

    #[test]
    fn what_is_written_is_loaded_again() {
        let generator = Generator::new(3, &[], 30).expect("all operators");
        for number in 0..100 {
            let vector = generator.vector(number, generator.draw(number).expect("a graph").graph);
            let text = text(&vector).expect("JSON");
            let file = Loader::new().text("fuzz.json", "fuzz", text.as_bytes()).expect("a file of vectors");
            assert_eq!(serde_json::to_value(&file.vectors[0]).ok(), serde_json::to_value(&vector).ok());
        }
    }
}
