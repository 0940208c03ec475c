//! A file of vectors: from bytes to checked vectors, one at a time.

use std::fmt;
use std::fs::File;
use std::hash::Hasher;
use std::io::{self, BufReader, Read};
use std::ops::ControlFlow;
use std::path::Path;

use fnv::FnvHasher;
use schemars::{JsonSchema, Schema};
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::error::Category;
use serde_path_to_error::Track;

use crate::check::{self, Known};
use crate::error::{Invalid, LoadError, Problem};
use crate::members::Object;
use crate::name_index::NameIndex;
use crate::pointer;
use crate::vector::{Vector, VectorForm};

/// A file of vectors.
#[derive(Clone, Debug, PartialEq)]
pub struct VectorFile {
    /// The file as it was named, for messages.
    pub path: String,
    /// The file's name without `.json`, with the folders between it and the folder that was loaded.
    pub stem: String,
    /// Where the expected values come from.
    pub source: String,
    /// The section of the specification, in files of our own.
    pub section: Option<String>,
    /// The vectors, in the file's order.
    pub vectors: Vec<Vector>,
    /// Tells whether the file is what it was: a hash of its bytes, the same on every machine.
    pub fingerprint: u64,
}

impl VectorFile {
    /// Where this vector's expected values come from.
    #[must_use]
    pub fn source_of<'a>(&'a self, vector: &'a Vector) -> &'a str {
        vector.source.as_deref().unwrap_or(&self.source)
    }
}

/// A file of conformance vectors for WebNN.
#[derive(JsonSchema)]
#[schemars(rename = "VectorFile", rename_all = "camelCase", deny_unknown_fields)]
#[expect(dead_code, reason = "it is for the schema: a file is read member by member, and never held as a whole")]
struct FileForm {
    /// For editors.
    #[schemars(rename = "$schema", default, with = "String", skip_serializing_if = "Option::is_none")]
    _schema: Option<String>,
    /// Where the expected values come from.
    source: String,
    /// The section of the specification.
    #[schemars(default, with = "String", skip_serializing_if = "Option::is_none")]
    section: Option<String>,
    /// The vectors.
    #[schemars(length(min = 1))]
    tests: Vec<VectorForm>,
}

/// The JSON Schema of the form.
pub(crate) fn form() -> Schema {
    schemars::schema_for!(FileForm)
}

/// Where the text of a file is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Text<'a> {
    /// In memory.
    Bytes(&'a [u8]),
    /// In a file that may be larger than the memory: it is read piece by piece, and more than once.
    File(&'a Path),
}

/// How much of a text is looked over at once.
const CHUNK: usize = 1 << 16;

impl<'a> Text<'a> {
    fn open(self) -> io::Result<Box<dyn Read + 'a>> {
        Ok(match self {
            Self::Bytes(bytes) => Box::new(bytes),
            Self::File(path) => Box::new(File::open(path)?),
        })
    }
}

/// A file that is to be read.
#[derive(Clone, Copy)]
pub(crate) struct Reading<'a> {
    /// For messages.
    pub(crate) path: &'a str,
    /// For the ids of its vectors.
    pub(crate) stem: &'a str,
    pub(crate) text: Text<'a>,
    pub(crate) known: Known<'a>,
    /// What its fingerprint has to be, if it was looked over before.
    pub(crate) fingerprint: Option<u64>,
}

/// What is given the vectors of a file, one after the other, and says whether it takes more.
pub type Take<'a> = dyn FnMut(Vector) -> ControlFlow<()> + 'a;

/// Reads and checks a file vector by vector, and returns it without its vectors; or nothing, if `take` wanted no more of them.
/// So much memory is needed as for the largest vector, and for the names of all.
pub(crate) fn read(reading: Reading<'_>, take: &mut Take<'_>) -> Result<Option<VectorFile>, LoadError> {
    let Reading { path, stem, text, .. } = reading;
    let unreadable = |source: io::Error| LoadError::Read { path: path.into(), source };
    let looked_over = text.open().and_then(look_over).map_err(unreadable)?;
    let fingerprint = looked_over.map_err(|message| LoadError::NotText { file: path.to_owned(), message })?;
    if reading.fingerprint.is_some_and(|before| before != fingerprint) {
        return Err(LoadError::Changed { path: path.into() });
    }
    let names = reading.fingerprint.is_none().then(NameIndex::default);
    let mut members = Members { reading, take, count: 0, names, stopped: None };
    let heading = match text {
        Text::Bytes(bytes) => members.parse(&mut serde_json::Deserializer::from_slice(bytes)),
        Text::File(file) => {
            let file = BufReader::with_capacity(CHUNK, File::open(file).map_err(unreadable)?);
            members.parse(&mut serde_json::Deserializer::from_reader(file))
        }
    };
    match (heading, members.stopped) {
        (_, Some(Stop::Enough)) => Ok(None),
        (_, Some(Stop::At(invalid))) => Err(*invalid),
        (Err(error), None) => Err(error),
        (Ok(Heading { source, section }), None) => Ok(Some(VectorFile {
            path: path.to_owned(),
            stem: stem.to_owned(),
            source,
            section,
            vectors: vec![],
            fingerprint,
        })),
    }
}

/// Makes sure that a text could be JSON, and returns its fingerprint; or else says why it is none.
fn look_over(mut text: impl Read) -> io::Result<Result<u64, String>> {
    let mut hasher = FnvHasher::default();
    let mut buffer = vec![0; CHUNK];
    let (mut is_empty, mut before, mut kept) = (true, 0, 0);
    loop {
        let read = match text.read(&mut buffer[kept..]) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read?,
        };
        hasher.write(&buffer[kept..kept + read]);
        let there = &buffer[..kept + read];
        let whole = match std::str::from_utf8(there) {
            Ok(_) => there.len(),
            // What has begun may end in the next piece.
            Err(error) if error.error_len().is_none() && read > 0 => error.valid_up_to(),
            Err(error) => return Ok(Err(format!("it is not UTF-8, from byte {} on", before + error.valid_up_to()))),
        };
        if before == 0 && there.starts_with(b"\xEF\xBB\xBF") {
            return Ok(Err("it begins with a byte order mark; save it as UTF-8 without one".to_owned()));
        }
        is_empty &= there[..whole].iter().all(u8::is_ascii_whitespace);
        if read == 0 {
            return Ok(if is_empty { Err("it is empty".to_owned()) } else { Ok(hasher.finish()) });
        }
        kept = there.len() - whole;
        buffer.copy_within(whole..whole + kept, 0);
        before += whole;
    }
}

/// The members of a file, as they come.
struct Members<'a, 'b> {
    reading: Reading<'a>,
    take: &'a mut Take<'b>,
    /// How many vectors there were so far.
    count: usize,
    /// Their names, where these are looked over for the first time; the number of a vector is its place.
    names: Option<NameIndex>,
    stopped: Option<Stop>,
}

/// Why the parser was stopped.
enum Stop {
    /// No more vectors are wanted.
    Enough,
    /// A vector is not as it has to be.
    At(Box<LoadError>),
}

/// What a file has beside its vectors.
struct Heading {
    source: String,
    section: Option<String>,
}

/// The names of a file's members.
#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "camelCase")]
enum Member {
    #[serde(rename = "$schema")]
    Schema,
    Source,
    Section,
    Tests,
}

impl Members<'_, '_> {
    fn parse<'de, R: serde_json::de::Read<'de>>(
        &mut self,
        deserializer: &mut serde_json::Deserializer<R>,
    ) -> Result<Heading, LoadError> {
        let Reading { path, text, .. } = self.reading;
        let failed = |error: serde_json::Error| match error.classify() {
            Category::Io => LoadError::Read { path: path.into(), source: error.into() },
            Category::Syntax | Category::Eof | Category::Data => syntax(path, &error),
        };
        let mut track = Track::new();
        let tracked = serde_path_to_error::Deserializer::new(&mut *deserializer, &mut track);
        let heading = DeserializeSeed::deserialize(&mut *self, tracked).map_err(|error| match error.classify() {
            // A vector that stopped the parser has an error of its own.
            Category::Data if self.stopped.is_none() => malformed(path, text, &error, &track.path()),
            _ => failed(error),
        })?;
        deserializer.end().map_err(failed)?;
        if self.count == 0 { Err(self.invalid(None, "", Problem::NoTests)) } else { Ok(heading) }
    }

    /// Checks a vector and hands it over.
    fn vector(&mut self, form: VectorForm) -> Result<(), Stop> {
        let index = self.count;
        self.count += 1;
        let name = form.name.clone();
        let at = |place: &str, problem| {
            let invalid = self.invalid(name.as_deref(), &format!("/{index}{place}"), problem);
            Stop::At(Box::new(invalid))
        };
        let mut vector = form.into_vector().map_err(|problem| at("", problem))?;
        check::vector(&vector, self.reading.known).map_err(|(place, problem)| at(&place, problem))?;
        if let Some((first, false)) = self.names.as_mut().map(|names| names.add(&vector.name)) {
            let problem = Problem::DuplicateVector { first };
            let invalid = self.invalid(Some(&vector.name), &format!("/{index}/name"), problem);
            return Err(Stop::At(Box::new(invalid)));
        }
        vector.index = index;
        vector.id = format!("{}/{}", self.reading.stem, vector.name);
        match (self.take)(vector) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Stop::Enough),
        }
    }

    /// A problem at a place among the vectors.
    fn invalid(&self, vector: Option<&str>, place: &str, problem: Problem) -> LoadError {
        let (file, vector) = (self.reading.path.to_owned(), vector.map(str::to_owned));
        LoadError::Invalid(Box::new(Invalid { file, vector, pointer: format!("/tests{place}"), problem }))
    }
}

impl<'de> DeserializeSeed<'de> for &mut Members<'_, '_> {
    type Value = Heading;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Heading, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for &mut Members<'_, '_> {
    type Value = Heading;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Heading, A::Error> {
        let (mut schema, mut source, mut section, mut tests) = (None, None, None, None);
        while let Some(member) = map.next_key()? {
            match member {
                Member::Schema => once(&mut schema, "$schema", || map.next_value::<IgnoredAny>())?,
                Member::Source => once(&mut source, "source", || map.next_value())?,
                Member::Section => once(&mut section, "section", || map.next_value())?,
                Member::Tests => once(&mut tests, "tests", || map.next_value_seed(Tests(self)))?,
            }
        }
        tests.ok_or_else(|| A::Error::missing_field("tests"))?;
        Ok(Heading { source: source.ok_or_else(|| A::Error::missing_field("source"))?, section })
    }
}

/// Reads a member, unless it was there before.
fn once<T, E: Error>(member: &mut Option<T>, name: &'static str, read: impl FnOnce() -> Result<T, E>) -> Result<(), E> {
    if member.is_some() {
        return Err(E::duplicate_field(name));
    }
    *member = Some(read()?);
    Ok(())
}

/// The list of vectors.
struct Tests<'a, 'b, 'c>(&'a mut Members<'b, 'c>);

impl<'de> DeserializeSeed<'de> for Tests<'_, '_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Tests<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while let Some(Object(form)) = list.next_element()? {
            if let Err(stop) = self.0.vector(form) {
                self.0.stopped = Some(stop);
                return Err(A::Error::custom("the vector before this is the last that is read"));
            }
        }
        Ok(())
    }
}

fn syntax(path: &str, error: &serde_json::Error) -> LoadError {
    LoadError::Syntax { file: path.to_owned(), line: error.line(), column: error.column(), message: message(error) }
}

fn malformed(file: &str, text: Text<'_>, error: &serde_json::Error, path: &serde_path_to_error::Path) -> LoadError {
    let problem = Problem::Form { message: message(error), line: error.line(), column: error.column() };
    let pointer = pointer::of_path(path);
    let vector = name_at(text, &pointer);
    LoadError::Invalid(Box::new(Invalid { file: file.to_owned(), vector, pointer, problem }))
}

/// What the parser says, without the place, which is told apart.
fn message(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let text = text.strip_suffix(&place).unwrap_or(&text);
    // The parser's words, as JSON has them.
    text.replace("invalid type: sequence", "invalid type: list")
        .replace("invalid type: map", "invalid type: object")
        .replace("expected a sequence", "expected a list")
        .replace("expected a map", "expected an object")
}

/// The name of the vector that a pointer leads into: the parser may not have reached it yet.
fn name_at(text: Text<'_>, pointer: &str) -> Option<String> {
    /// A file, of which only the names of vectors are of interest.
    #[derive(Deserialize)]
    struct Named {
        tests: Vec<Test>,
    }

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Test {
        Named { name: String },
        Other(IgnoredAny),
    }

    let index: usize = pointer.strip_prefix("/tests/")?.split('/').next()?.parse().ok()?;
    let named: Named = serde_json::from_reader(BufReader::new(text.open().ok()?)).ok()?;
    match named.tests.into_iter().nth(index)? {
        Test::Named { name } => Some(name),
        Test::Other(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::look_over;

    /// A text that comes in pieces of so many bytes.
    struct Pieces<'a>(&'a [u8], usize);

    impl Read for Pieces<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let length = buffer.len().min(self.1);
            self.0.read(&mut buffer[..length])
        }
    }

    #[test]
    fn a_text_is_looked_over_in_pieces_of_any_size() {
        let texts: [(&[u8], Option<&str>); 6] = [
            ("{ \"é€𝄞\": 1 }".as_bytes(), None),
            (b" \n\t", Some("it is empty")),
            (b"", Some("it is empty")),
            (b"\xEF\xBB\xBF{}", Some("byte order mark")),
            (b"[\"\xC3\xA9\", \"\xFF\"]", Some("it is not UTF-8, from byte 8 on")),
            (b"[\"\xE2\x82", Some("it is not UTF-8, from byte 2 on")),
        ];
        for (text, wrong) in texts {
            let whole = look_over(text).unwrap();
            match (&whole, wrong) {
                (Ok(_), None) => {}
                (Err(said), Some(wrong)) => assert!(said.contains(wrong), "{said}"),
                (said, wrong) => panic!("{said:?}, and not {wrong:?}"),
            }
            for size in 1..6 {
                assert_eq!(look_over(Pieces(text, size)).unwrap(), whole, "in pieces of {size} bytes");
            }
        }
    }
}
