//! Why a command could not run.

use std::io;
use std::path::PathBuf;

use crate::bikeshed::{Problem, ReadError};
use crate::code::CodeError;
use crate::coverage::ReasonsError;
use crate::lock::LockError;
use crate::results::ResultsError;
use crate::trace::TraceError;

#[derive(Debug, thiserror::Error)]
pub(super) enum CliError {
    #[error(transparent)]
    Document(#[from] ReadError),
    #[error(transparent)]
    Code(#[from] CodeError),
    #[error(transparent)]
    Lock(#[from] LockError),
    #[error(transparent)]
    Trace(#[from] TraceError),
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("no reference/src beside a spec-diff around {}: run this in the repository, or say --code", .0.display())]
    NoRepository(PathBuf),
    #[error("nothing to check the code against: no steps.lock, no *.bs in {}, and neither --spec nor --proposal", .0.display())]
    NothingToCheck(PathBuf),
    #[error("{}: no algorithm is marked in it; is it the Bikeshed source (index.bs)?", .0.display())]
    NoAlgorithms(PathBuf),
    #[error("{}: it has no algorithm, no amendment and no Web IDL; is it a proposal (spec-diff/proposals/*.bs)?", .0.display())]
    NoProposal(PathBuf),
    #[error("{}: there is nothing to compare it with; name a newer revision too, or a proposal: --proposal FILE", .0.display())]
    NothingToCompare(PathBuf),
    #[error("cannot write {}: {source}", .path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    #[error("{}:{}: {}", .path.display(), .problem.line, .problem.what)]
    Proposal {
        /// The proposal.
        path: PathBuf,
        /// What is wrong with it.
        problem: Problem,
    },
    #[error(transparent)]
    Results(#[from] ResultsError),
    #[error(transparent)]
    Reasons(#[from] ReasonsError),
    #[error("there is no algorithm {name:?}{hint}")]
    NoAlgorithm {
        /// What was asked for.
        name: String,
        /// What there is.
        hint: String,
    },
    #[error("the prose of {name} is the specification's: say --spec FILE, its source (index.bs)")]
    NoProse {
        /// The algorithm, which only the code has.
        name: String,
    },
    #[error("{algorithm} has no step {step:?}")]
    NoStep {
        /// The algorithm.
        algorithm: String,
        /// What was asked for.
        step: String,
    },
    #[error("there is no rule `{id}`; `spec-diff lint --rules` lists all")]
    NoRule {
        /// What was asked for.
        id: String,
    },
    #[error("{name} is nothing that changed: without --done, `spec-diff upgrade` lists what did")]
    NothingDone {
        /// What was said to be done.
        name: String,
    },
}
