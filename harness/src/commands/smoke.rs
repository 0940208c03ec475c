//! `webnn smoke`

use std::time::{Duration, Instant};

use clap::Args;
use webnn_reference::steps::Reading;
use webnn_vectors::{Loader, Vector};

use crate::execute::{Executor, Observation};
use crate::failure::{AS_EXPECTED, Failure, UNEXPECTED};
use crate::implementation::{Description, Implementation, Start};
use crate::judge::{Outcome, judge};
use crate::listing::tried::{Mark, SmokeCheck};
use crate::listing::{Format, Listing};
use crate::outside::transcript::Transcript;
use crate::shown::inert;
use crate::signatures::signature;

/// The arguments of `webnn smoke`.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// The implementation, such as `cmd:python my_adapter.py`.
    implementation: Implementation,

    /// How long it may take for an answer, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    timeout: u64,

    #[command(flatten)]
    format: Format,
}

/// A few vectors, from what an adapter is written for first to what is forgotten easily.
const VECTORS: &str = include_str!("smoke.json");

/// What each of them is about, and what to look at when it does not go well.
const ABOUT: [(&str, &str); 6] = [
    (
        "computes relu of float32",
        "decode `bytes` (base64, little-endian float32), compute, and answer with the output's name, `dataType`, `shape` and \
         `bytes`",
    ),
    (
        "keeps NaN, infinities and -0",
        "`bytes` carry all bits; with `data`, write them as the strings \"NaN\", \"Infinity\", \"-Infinity\" and \"-0\"",
    ),
    ("takes constants and `times`", "with `times`, `bytes` are repeated that often; without, they are all there is"),
    (
        "finds operands in options",
        "{\"$operand\": NAME} can stand anywhere in the arguments, here as options.c of gemm",
    ),
    (
        "has a call refused",
        "when the implementation throws, answer `exception` with its name; if it does not validate, answer `skipped`; never \
         answer `errored` for it",
    ),
    ("runs a scenario", "say `\"scenarios\": true` in `ready` only if the adapter makes these calls one by one"),
];

/// Says in plain words whether an implementation speaks the protocol.
///
/// # Errors
/// If it does not start.
pub(crate) fn smoke(arguments: &Arguments) -> Result<u8, Failure> {
    let name = arguments.implementation.to_string();
    let transcript = Transcript::default();
    let start = Start { timeout: Duration::from_secs(arguments.timeout), transcript, ..Start::new(Reading::Corrected) };
    let (executor, description) = arguments.implementation.start(&start).map_err(|reason| {
        Failure::NotStarted(format!(
            "{name} did not start: {reason}\n  It has to read one line, {{\"command\": \"start\", \"protocol\": 1}}, from standard \
             input, write one `ready` line to standard output, and flush it. See harness/PROTOCOL.md."
        ))
    })?;
    let mut checks = Checks { is_told: !arguments.format.is_json(), all: Vec::new(), computed: 0 };
    checks.add(good(format!("starts and says who it is: {}", introduction(&description))));
    for (vector, (about, advice)) in vectors()?.iter().zip(ABOUT) {
        let (check, is_computed) = tried(&executor, vector, about, advice);
        checks.computed += usize::from(is_computed);
        checks.add(check);
    }
    let begun = Instant::now();
    drop(executor);
    let is_late = begun.elapsed() > Duration::from_secs(4);
    let late = || "it was still running after `stop` and the end of its input".to_owned();
    checks.add(SmokeCheck {
        outcome: if is_late { Mark::Bad } else { Mark::Ok },
        message: is_late.then(late),
        ..good("ends when told to".into())
    });
    let speaks = checks.speaks();
    if arguments.format.is_json() {
        Listing::SmokeTest { implementation: description, speaks, checks: checks.all }.print()?;
    } else {
        anstream::println!("\n{}", checks.conclusion(&name, &arguments.implementation.as_argument()));
    }
    Ok(if speaks { AS_EXPECTED } else { UNEXPECTED })
}

/// What was tried so far.
struct Checks {
    /// Whether each is told as it comes.
    is_told: bool,
    all: Vec<SmokeCheck>,
    /// How many vectors were run.
    computed: usize,
}

impl Checks {
    fn add(&mut self, check: SmokeCheck) {
        if self.is_told {
            let SmokeCheck { about, outcome, message, advice } = &check;
            let mark = match outcome {
                Mark::Ok => "ok   ",
                Mark::Skip => "skip ",
                Mark::Bad => "BAD  ",
            };
            let message = message.as_ref().map(|message| format!(": {message}")).unwrap_or_default();
            let advice = advice.map(|advice| format!("\n      {advice}")).unwrap_or_default();
            anstream::println!("{mark} {about}{}{advice}", inert(&message));
        }
        self.all.push(check);
    }

    fn bad(&self) -> usize {
        self.all.iter().filter(|check| check.outcome == Mark::Bad).count()
    }

    fn speaks(&self) -> bool {
        self.bad() == 0 && self.computed > 0
    }

    /// What is to be done now.
    fn conclusion(&self, name: &str, argument: &str) -> String {
        match (self.bad(), self.computed) {
            (0, 0) => format!(
                "Nothing was computed: {name} supports none of relu, gemm and softmax, or misspells them in `operators`. \
                 What it can do shows in: webnn run -i {argument:?}"
            ),
            (0, _) => format!("{name} speaks the protocol. Next: webnn run -i reference -i {argument:?}"),
            (bad, _) => format!("{bad} to look at. `webnn run --trace FILE ...` keeps the exact conversation."),
        }
    }
}

fn good(about: String) -> SmokeCheck {
    SmokeCheck { about, outcome: Mark::Ok, message: None, advice: None }
}

fn introduction(description: &Description) -> String {
    let adapter = description.adapter.as_ref().map(|adapter| format!(" on {adapter}")).unwrap_or_default();
    format!("{} {}{adapter}", description.name, description.version)
}

fn vectors() -> Result<Vec<Vector>, Failure> {
    let file = Loader::with_signatures(&signature).text("smoke.json", "smoke", VECTORS.as_bytes());
    Ok(file.map_err(|error| Failure::Data(error.to_string()))?.vectors)
}

/// Tries one: how it went, and whether it was run.
fn tried(executor: &Executor, vector: &Vector, about: &str, advice: &'static str) -> (SmokeCheck, bool) {
    let observation = executor.finish(executor.start(vector));
    let bad = |problem: String| SmokeCheck {
        outcome: Mark::Bad,
        message: Some(problem),
        advice: Some(advice),
        ..good(about.to_owned())
    };
    match (judge(vector, &observation, false), observation) {
        (Outcome::Failed(failure), Observation::Outputs(_)) => (bad(format!("a wrong result: {failure}")), false),
        (Outcome::Failed(failure), _) => (bad(failure.to_string()), false),
        (Outcome::Errored(problem), _) => (bad(problem), false),
        (Outcome::Skipped(reason), _) => {
            (SmokeCheck { outcome: Mark::Skip, message: Some(reason), ..good(about.to_owned()) }, false)
        }
        (Outcome::Passed { .. } | Outcome::Open { .. }, _) => (good(about.to_owned()), true),
    }
}
