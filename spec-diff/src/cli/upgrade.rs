//! `spec-diff upgrade`

use std::io::Write;
use std::path::{Path, PathBuf};

use super::error::CliError;
use super::place::{Here, specification};
use crate::check::{Finding, Role, Source, check, check_facts, drift};
use crate::code::{Code, Sources};
use crate::facts::{self, Facts};
use crate::lock::Lock;
use crate::render;

/// List what a newer specification asks of the code, and lock what was done.
///
/// Without --done and --all it lists the work: every algorithm, step, table and declaration that is not what
/// spec-diff/steps.lock has. When the code was compared and changed, --done NAME locks that algorithm, row or declaration
/// as it is now. What the code still contradicts is not locked.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The newer specification's source.
    #[arg(long, value_name = "FILE")]
    spec: PathBuf,

    /// What was done, by the name that the list has; may be given several times.
    #[arg(long, value_name = "NAME")]
    done: Vec<String>,

    /// Everything was done.
    #[arg(long, conflicts_with = "done")]
    all: bool,
}

pub(super) fn run(arguments: &Arguments, out: &mut impl Write) -> Result<bool, CliError> {
    let here = Here::find()?;
    let path = here.short(&here.repository()?.lock());
    let document = specification(&arguments.spec)?;
    let sources = Sources::read(&here.code(None)?)?;
    let (code, facts) = (Code::of(&sources)?, facts::of_code(&sources)?);
    let newest = Lock::of(&document, &path);
    let mut lock = if path.exists() { Lock::read(&path)? } else { newest.without_content() };
    let work = |lock: &Lock| drift(lock, &document, &arguments.spec, &code, &facts);
    let mut names: Vec<String> = arguments.done.clone();
    if arguments.all {
        names = work(&lock).into_iter().map(|finding| finding.subject).collect();
        names.dedup();
    }
    let open = work(&lock);
    if let Some(name) = names.iter().find(|name| !open.iter().any(|finding| finding.subject == **name)) {
        return Err(CliError::NothingDone { name: name.clone() });
    }
    let mut contradictions = contradictions(&newest, &code, &facts, here.proposals(&[])?, &arguments.spec, &document);
    contradictions.retain(|finding| names.contains(&finding.subject));
    names.retain(|name| !contradictions.iter().any(|finding| finding.subject == *name));
    if !names.is_empty() {
        names.iter().for_each(|name| lock.take(name, &newest));
        lock.write()?;
    }
    let mut report = crate::check::Report { findings: contradictions, ..Default::default() };
    report.findings.extend(work(&lock));
    render::report(&report, false, out)?;
    if !names.is_empty() {
        writeln!(out, "{} locked in {}", render::plural(names.len(), "name"), path.display())?;
    }
    Ok(report.is_clean())
}

/// Where the code is not what the newest specification says, as far as that can be seen.
fn contradictions(
    newest: &Lock,
    code: &Code,
    facts: &Facts,
    proposals: Vec<Source>,
    path: &Path,
    document: &crate::bikeshed::Document,
) -> Vec<Finding> {
    let source = Source { path: path.to_owned(), role: Role::Locked, document: document.clone() };
    let sources: Vec<Source> = std::iter::once(source).chain(proposals).collect();
    let mut findings = check(code, &sources).findings;
    findings.extend(check_facts(facts, newest));
    findings
}
