//! What a run of web-platform-tests came to: a row for each folder, and a list of what needs a look.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use comfy_table::{CellAlignment, Table, presets};
use webnn_wpt::folder::Test;
use webnn_wpt::outcome::{FileResult, FileStatus, Status};

use super::expectations::Expectations;
use crate::shown::plural;

/// How many tests and subtests went how.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    tests: usize,
    skipped: usize,
    subtests: usize,
    passed: usize,
    known: usize,
    unexpected: usize,
}

impl Tally {
    fn cells(&self) -> [String; 6] {
        let Self { tests, skipped, subtests, passed, known, unexpected } = *self;
        [tests, skipped, subtests, passed, known, unexpected].map(|count| match count {
            0 => String::new(),
            count => count.to_string(),
        })
    }

    fn add(&mut self, other: Self) {
        self.tests += other.tests;
        self.skipped += other.skipped;
        self.subtests += other.subtests;
        self.passed += other.passed;
        self.known += other.known;
        self.unexpected += other.unexpected;
    }
}

/// What a run on one implementation came to.
#[derive(Debug, Default)]
pub(crate) struct Summary {
    rows: BTreeMap<String, Tally>,
    unexpected: Vec<String>,
    known: BTreeMap<String, Vec<String>>,
    skipped: BTreeMap<String, usize>,
}

impl Summary {
    /// Counts a result.
    pub(crate) fn add(&mut self, test: &Test, result: &FileResult, expectations: &Expectations) {
        let mut tally = Tally { tests: 1, subtests: result.subtests.len(), ..Tally::default() };
        if result.status == FileStatus::Skip {
            tally.skipped = 1;
            *self.skipped.entry(result.message.clone().unwrap_or_default()).or_default() += 1;
        } else {
            self.add_file(test, result, expectations, &mut tally);
        }
        for subtest in &result.subtests {
            let entry = expectations.of(&test.file, subtest);
            let expected = expectations.status(&test.file, subtest);
            if subtest.status != expected {
                tally.unexpected += 1;
                let message = match (subtest.status, &subtest.message) {
                    (Status::Pass, _) => ": although it is listed as known not to",
                    (_, Some(message)) => &format!(": {message}"),
                    (_, None) => "",
                };
                let status = word(subtest.status);
                self.unexpected.push(format!("{}\n    {}: {status}{message}", test.name, subtest.name));
            } else if let Some(entry) = entry {
                tally.known += 1;
                let reason = format!("{} ({})", entry.reason, entry.link);
                let known = self.known.entry(reason).or_default();
                let name = format!("{}: {}", short(&test.file), subtest.name);
                if !known.contains(&name) {
                    known.push(name);
                }
            }
            tally.passed += usize::from(subtest.status == Status::Pass);
        }
        self.rows.entry(folder_of(&test.file)).or_default().add(tally);
    }

    fn add_file(&mut self, test: &Test, result: &FileResult, expectations: &Expectations, tally: &mut Tally) {
        let expected = expectations.file_status(&test.file);
        if result.status != expected {
            tally.unexpected += 1;
            let message = result.message.as_deref().unwrap_or_default();
            let status = format!("{:?}", result.status).to_uppercase();
            self.unexpected.push(format!("{}\n    the file: {status}: {message}", test.name));
        }
    }

    /// How many results were not as expected.
    pub(crate) fn unexpected(&self) -> usize {
        self.rows.values().map(|tally| tally.unexpected).sum()
    }

    /// Whether anything ran.
    pub(crate) fn ran(&self) -> bool {
        self.rows.values().any(|tally| tally.tests > tally.skipped)
    }

    /// The table.
    pub(crate) fn table(&self, implementation: &str) -> String {
        let mut table = Table::new();
        table.load_style(presets::NOTHING);
        table.set_header([implementation, "tests", "skipped", "subtests", "pass", "known", "unexpected"]);
        let mut all = Tally::default();
        for (name, tally) in &self.rows {
            all.add(*tally);
            table.add_row(std::iter::once(name.clone()).chain(tally.cells()));
        }
        table.add_row(std::iter::once("all".to_owned()).chain(all.cells()));
        for column in table.column_iter_mut().skip(1) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        table.to_string()
    }

    /// What is behind the numbers: known failures by reason, reasons for skipping, and up to `show` unexpected results.
    pub(crate) fn remarks(&self, show: usize) -> String {
        let mut text = String::new();
        for (reason, names) in &self.known {
            let _ = writeln!(text, "\nknown: {reason}");
            for name in names {
                let _ = writeln!(text, "  {name}");
            }
        }
        for (reason, count) in &self.skipped {
            let _ = writeln!(text, "\nskipped, {}: {reason}", plural(*count, "test"));
        }
        if !self.unexpected.is_empty() {
            let _ = writeln!(text, "\nunexpected:");
        }
        for line in self.unexpected.iter().take(show) {
            let _ = writeln!(text, "  {line}");
        }
        if self.unexpected.len() > show {
            let _ = writeln!(text, "  and {} more (--show N shows more)", self.unexpected.len() - show);
        }
        text
    }

    /// The unexpected results, for a run under the text as it is written.
    pub(crate) fn lines(&self) -> &[String] {
        &self.unexpected
    }
}

fn word(status: Status) -> &'static str {
    match status {
        Status::Pass => "PASS",
        Status::Fail => "FAIL",
        Status::Timeout => "TIMEOUT",
        Status::Notrun => "NOTRUN",
        Status::PreconditionFailed => "PRECONDITION_FAILED",
    }
}

fn short(file: &Path) -> String {
    file.strip_prefix("webnn").unwrap_or(file).display().to_string()
}

fn folder_of(file: &Path) -> String {
    let folder = short(file.parent().unwrap_or(Path::new("")));
    if folder.is_empty() { "webnn".into() } else { folder }
}
