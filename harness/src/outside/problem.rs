//! What can be wrong with what answers, and what its author may look at.

use super::process::Silence;

/// Why there is no answer, or none that says what was observed.
#[derive(Debug)]
pub(crate) struct Problem {
    /// What happened.
    what: String,
    trouble: Trouble,
}

/// The kinds of problems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// It can not be started.
    Launch,
    /// It ended, or closed its output.
    Ended,
    /// It did not answer in time.
    Silent,
    /// It answered something else than what it was asked, or more than once.
    Turn,
    /// It answered once more what it was asked before.
    Again,
    /// Its first answer is another than `ready`.
    Greeting,
    /// It answered with other outputs than those of the graph.
    Outputs,
    /// What an output carries is not what it has to be.
    Content,
    /// It threw what WebNN never throws.
    Exception,
    /// Nothing works any more where it was asked.
    Fatal,
    /// What happened says what there is to do.
    Plain,
}

impl Trouble {
    /// What an author may look at; nothing where what happened says so itself.
    fn advice(self) -> Option<&'static str> {
        Some(match self {
            Self::Launch => {
                "`cmd:` takes a program and its arguments, as they are found from this folder; `cmd:sh -c '...'` is a line \
                 for the shell"
            }
            Self::Ended => {
                "it has to answer commands until `stop`, or the end of its input; its last lines of standard error are above, \
                 if it wrote any"
            }
            Self::Silent => {
                "write one line for each command, with a line break at its end, and flush standard output; `--timeout` \
                 gives it longer"
            }
            Self::Turn | Self::Again => "answer each `run` once, in turn, with the `seq` that it has",
            Self::Greeting => {
                "the first answer is {\"answer\": \"ready\", \"protocol\": 1, \"name\": ..., \"version\": ...}"
            }
            Self::Outputs => "answer with every output that the graph's `outputs` names, and with nothing else",
            Self::Content => {
                "an output has `dataType`, `shape`, and all of its elements: as `bytes` in base64, little-endian and \
                 row-major, or as `data`. `bytes` of an input that has `times` are repeated that often"
            }
            Self::Exception => {
                "answer with the name that WebNN's exception has: for a call that is refused mostly TypeError; if what is \
                 adapted has no validation of its own, say `\"validation\": false` in `ready`"
            }
            Self::Fatal | Self::Plain => return None,
        })
    }
}

impl Problem {
    pub(crate) fn new(trouble: Trouble, what: impl Into<String>) -> Self {
        Self { what: what.into(), trouble }
    }

    /// What an author may look at.
    pub(crate) fn advice(&self) -> Option<&'static str> {
        self.trouble.advice()
    }

    /// Whether nothing works any more where it was asked.
    pub(super) fn is_fatal(&self) -> bool {
        self.trouble == Trouble::Fatal
    }

    /// Whether it is one of what was asked before.
    pub(super) fn is_of_before(&self) -> bool {
        self.trouble == Trouble::Again
    }

    /// With more of what is known.
    pub(super) fn and(mut self, more: &str) -> Self {
        self.what += more;
        self
    }

    /// With what was being done.
    pub(super) fn while_at(mut self, what: &str) -> Self {
        self.what = format!("{what}: {}", self.what);
        self
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.what)
    }
}

impl From<Problem> for String {
    fn from(problem: Problem) -> Self {
        problem.what
    }
}

impl From<Silence> for Problem {
    fn from(silence: Silence) -> Self {
        let trouble = match silence {
            Silence::Ended(_) => Trouble::Ended,
            Silence::TimedOut { .. } => Trouble::Silent,
            Silence::Unreadable(_) => Trouble::Plain,
        };
        Self::new(trouble, silence.to_string())
    }
}
