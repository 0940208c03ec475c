//! A report as JUnit XML, which most CI systems show: a suite for each implementation, a case for each vector.

use std::borrow::Cow;
use std::io::{self, Write};

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event};

use super::scope::Restriction;
use crate::failure::Failure;
use crate::judge::bound::Standing;
use crate::judge::literal;
use crate::output::failed;
use crate::record::{Brief, Record, ResultLine, Went};
use crate::shown::{self, inert};

/// What a job makes of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    Success,
    Skipped,
    Failure,
    Error,
}

impl Status {
    /// A known failure is no failure of the job: it is skipped, with its message. An unexpected pass is one.
    fn of(outcome: Went, expected: bool) -> Self {
        match (outcome, expected) {
            (Went::Passed | Went::Open, true) => Self::Success,
            (Went::Skipped | Went::Failed | Went::Errored, true) => Self::Skipped,
            (Went::Errored, false) => Self::Error,
            (Went::Passed | Went::Failed | Went::Skipped | Went::Open, false) => Self::Failure,
        }
    }

    /// The element that says so.
    fn element(self) -> Option<&'static str> {
        match self {
            Self::Success => None,
            Self::Skipped => Some("skipped"),
            Self::Failure => Some("failure"),
            Self::Error => Some("error"),
        }
    }
}

/// Writes the report.
///
/// # Errors
/// If it can not be written, or the record not be read again.
pub(crate) fn write(record: &Record, out: &mut dyn Write) -> Result<(), Failure> {
    let mut xml = Writer::new_with_indent(out, b' ', 4);
    let of_all = counted("testsuites", "webnn", record.briefs().map(|(_, _, brief)| brief));
    xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))
        .and_then(|()| xml.write_event(Event::Start(of_all)))
        .map_err(failed)?;
    for (implementation, name) in record.implementations().iter().enumerate() {
        let of_it = record.briefs().filter(|(_, of, _)| *of == implementation).map(|(_, _, brief)| brief);
        xml.write_event(Event::Start(counted("testsuite", name, of_it))).map_err(failed)?;
        properties(&mut xml, record).map_err(failed)?;
        for result in record.results(|of, _| of == implementation) {
            case(&mut xml, &result?.2).map_err(failed)?;
        }
        xml.write_event(Event::End(BytesEnd::new("testsuite"))).map_err(failed)?;
    }
    xml.write_event(Event::End(BytesEnd::new("testsuites"))).and_then(|()| xml.write_indent()).map_err(failed)
}

/// An element that says how many cases it has of each kind.
fn counted<'a>(element: &'static str, name: &str, briefs: impl Iterator<Item = &'a Brief>) -> BytesStart<'static> {
    let (mut tests, mut failures, mut errors) = (0, 0, 0);
    for brief in briefs {
        let status = Status::of(brief.outcome, brief.expected);
        tests += 1;
        failures += usize::from(status == Status::Failure);
        errors += usize::from(status == Status::Error);
    }
    let [tests, failures, errors] = [tests, failures, errors].map(|count: usize| count.to_string());
    let name = name_of(name);
    BytesStart::new(element).with_attributes([
        ("name", name.as_ref()),
        ("tests", &tests),
        ("failures", &failures),
        ("errors", &errors),
    ])
}

/// What the run is of, where that is not everything.
fn properties(xml: &mut Writer<&mut dyn Write>, record: &Record) -> io::Result<()> {
    let restrictions = Restriction::all(record);
    if restrictions.is_empty() {
        return Ok(());
    }
    xml.write_event(Event::Start(BytesStart::new("properties")))?;
    for Restriction { brief, text } in &restrictions {
        let value = format!("{brief}: {text}");
        let value = allowed(&value);
        let attributes = [("name", "not everything"), ("value", value.as_ref())];
        xml.write_event(Event::Empty(BytesStart::new("property").with_attributes(attributes)))?;
    }
    xml.write_event(Event::End(BytesEnd::new("properties")))
}

/// What is to be said of a result beside its outcome: by the specification's text as it is written, and by the derived bound.
fn remarks(result: &ResultLine) -> String {
    let of_the_text = result.as_written().map(literal::told);
    let words = result.standing().and_then(Standing::words);
    let of_the_bound = words.map(|words| {
        let element = result.element().map(|element| format!(": {element}")).unwrap_or_default();
        format!("by the derived bound: {words}{element}")
    });
    of_the_text.into_iter().chain(of_the_bound).collect::<Vec<_>>().join("\n")
}

fn case(xml: &mut Writer<&mut dyn Write>, result: &ResultLine) -> io::Result<()> {
    let (file, name) = result.vector.split_once('/').unwrap_or(("", result.vector.as_str()));
    let (file, name, time) = (name_of(file), name_of(name), format!("{:.3}", result.seconds));
    let attributes = [("name", name.as_ref()), ("classname", file.as_ref()), ("time", &time)];
    xml.write_event(Event::Start(BytesStart::new("testcase").with_attributes(attributes)))?;
    if let Some(element) = Status::of(result.outcome, result.expected).element() {
        let message = match (result.outcome, result.message()) {
            (Went::Passed, _) => "passed, although it is expected to fail",
            (_, message) => message,
        };
        let mut status = BytesStart::new(element);
        if !message.is_empty() {
            status.push_attribute(("message", allowed(message).as_ref()));
        }
        xml.write_event(Event::Empty(status))?;
    }
    let remarks = remarks(result);
    if !remarks.is_empty() {
        xml.write_event(Event::Start(BytesStart::new("system-out")))?;
        xml.write_event(Event::Text(BytesText::new(&allowed(&remarks))))?;
        xml.write_event(Event::End(BytesEnd::new("system-out")))?;
    }
    xml.write_event(Event::End(BytesEnd::new("testcase")))
}

/// Text without the characters that XML can not have in any way, and without those that a terminal would act on.
fn allowed(text: &str) -> Cow<'_, str> {
    without_what_is_forbidden(inert(text))
}

/// A name, on one line.
fn name_of(text: &str) -> Cow<'_, str> {
    without_what_is_forbidden(shown::name(text))
}

fn without_what_is_forbidden(text: Cow<'_, str>) -> Cow<'_, str> {
    // The others are control characters.
    const FORBIDDEN: [char; 2] = ['\u{FFFE}', '\u{FFFF}'];
    if text.contains(FORBIDDEN) { Cow::Owned(text.replace(FORBIDDEN, "\u{FFFD}")) } else { text }
}
