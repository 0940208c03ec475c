//! `webnn smoke`

use std::cell::RefCell;
use std::time::{Duration, Instant};

use clap::Args;
use webnn_reference::steps::Reading;
use webnn_vectors::{Kind, Loader, Vector};

use crate::execute::{Executor, Observation};
use crate::failure::{AS_EXPECTED, Failure, UNEXPECTED};
use crate::implementation::{Description, Implementation, Start};
use crate::judge::{Failure as Unlike, Outcome, judge};
use crate::listing::tried::{Mark, SmokeCheck};
use crate::listing::{Format, Listing};
use crate::outside::Outside;
use crate::outside::problem::{Problem, Trouble};
use crate::shown::{self, inert};
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

/// What a vector of these is about, and what to look at when what it is about does not go well.
struct Check {
    about: &'static str,
    advice: &'static str,
}

const fn check(about: &'static str, advice: &'static str) -> Check {
    Check { about, advice }
}

const CHECKS: [Check; 8] = [
    check(
        "computes relu of float32",
        "decode `bytes` (base64, little-endian float32), compute, and answer with the output's name, `dataType`, `shape` and \
         `bytes`",
    ),
    check(
        "keeps NaN, infinities and -0",
        "`bytes` carry all bits; with `data`, write them as the strings \"NaN\", \"Infinity\", \"-Infinity\" and \"-0\"",
    ),
    check(
        "takes constants and `times`",
        "with `times`, `bytes` are repeated that often; without, they are all there is",
    ),
    check(
        "finds operands in options of gemm",
        "{\"$operand\": NAME} can stand anywhere in the arguments, here as options.c of gemm",
    ),
    check(
        "finds operands in options of conv2d",
        "{\"$operand\": NAME} can stand anywhere in the arguments, here as options.bias of conv2d",
    ),
    check("takes an axis", "arguments that are no operands are themselves, here the axis of softmax"),
    check(
        "has a call refused",
        "when the implementation throws, answer `exception` with its name; if it does not validate, say \
         `\"validation\": false` in `ready`",
    ),
    check("runs a scenario", "say `\"scenarios\": true` in `ready` only if the adapter makes these calls one by one"),
];

/// Says in plain words whether an implementation speaks the protocol.
///
/// # Errors
/// If it does not start.
pub(crate) fn smoke(arguments: &Arguments) -> Result<u8, Failure> {
    let name = arguments.implementation.to_string();
    let start = Start { timeout: Duration::from_secs(arguments.timeout), ..Start::new(Reading::Corrected) };
    let started = started(&arguments.implementation, &start);
    let (executor, description) = started.map_err(|problem| not_started(&name, &problem))?;
    let mut checks = Checks { is_told: !arguments.format.is_json(), ..Checks::default() };
    checks.add(good(&format!("starts and says who it is: {}", introduction(&description))));
    for (vector, check) in vectors()?.iter().zip(CHECKS) {
        let (tried, went) = tried(&executor, vector, &check);
        checks.computed += usize::from(went == Went::Computed);
        checks.refused_though_valid += usize::from(went == Went::RefusedThoughValid);
        executor.of_before().into_iter().for_each(|problem| checks.add_problem(problem));
        checks.add(tried);
    }
    let begun = Instant::now();
    executor.end().into_iter().for_each(|problem| checks.add_problem(problem));
    let about = "ends when told to";
    let is_late = begun.elapsed() > Duration::from_secs(4);
    let late = || bad(about, "it was still running after `stop` and the end of its input".into(), None);
    checks.add(if is_late { late() } else { good(about) });
    let speaks = checks.speaks();
    if arguments.format.is_json() {
        Listing::SmokeTest { implementation: description, speaks, checks: checks.all }.print()?;
    } else {
        let conclusion = checks.conclusion(&name, &arguments.implementation.as_argument());
        anstream::println!("\n{}", inert(&conclusion));
    }
    Ok(if speaks { AS_EXPECTED } else { UNEXPECTED })
}

fn started(implementation: &Implementation, start: &Start) -> Result<(Executor, Description), Problem> {
    match implementation {
        Implementation::Outside { source, .. } => {
            let outside = Outside::start(source, start)?;
            let description = Description::from(outside.ready());
            Ok((Executor::Outside(Box::new(RefCell::new(outside))), description))
        }
        ours => ours.start(start).map_err(|why| Problem::new(Trouble::Plain, why)),
    }
}

fn not_started(name: &str, problem: &Problem) -> Failure {
    let advice = problem.advice().map(|advice| format!("\n  {advice}")).unwrap_or_default();
    Failure::NotStarted(format!("{name} did not start: {problem}{advice}\n  See harness/PROTOCOL.md."))
}

fn introduction(description: &Description) -> String {
    let adapter = description.adapter.as_ref().map(|adapter| format!(" on {adapter}")).unwrap_or_default();
    shown::name(&format!("{} {}{adapter}", description.name, description.version)).into_owned()
}

fn vectors() -> Result<Vec<Vector>, Failure> {
    let file = Loader::with_signatures(&signature).text("smoke.json", "smoke", VECTORS.as_bytes());
    Ok(file.map_err(|error| Failure::Data(error.to_string()))?.vectors)
}

/// What was tried so far.
#[derive(Default)]
struct Checks {
    /// Whether each is told as it comes.
    is_told: bool,
    all: Vec<SmokeCheck>,
    /// How many vectors were computed as they have to be, and how many refused although they are valid.
    computed: usize,
    refused_though_valid: usize,
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
            let indented = |message: &String| format!(": {}", message.trim_end().replace('\n', "\n      "));
            let message = message.as_ref().map(indented).unwrap_or_default();
            // Once is enough.
            let is_new = |advice: &&str| !self.all.iter().any(|before| before.advice == Some(advice));
            let advice = advice.filter(is_new).map(|advice| format!("\n      {advice}")).unwrap_or_default();
            anstream::println!("{mark} {about}{}{advice}", inert(&message));
        }
        self.all.push(check);
    }

    /// Something that turned out later.
    fn add_problem(&mut self, problem: Problem) {
        let advice = problem.advice();
        self.add(bad("answers once", problem.into(), advice));
    }

    fn bad(&self) -> usize {
        self.all.iter().filter(|check| check.outcome == Mark::Bad).count()
    }

    fn speaks(&self) -> bool {
        self.bad() == 0 && self.computed > 0
    }

    /// What is to be done now.
    fn conclusion(&self, name: &str, argument: &str) -> String {
        match (self.bad(), self.computed, self.refused_though_valid) {
            (0, 0, _) => format!(
                "Nothing was computed: the checks are of float32, with relu, gemm, conv2d and softmax, and each was skipped \
                 for the reason above. What {name} can do shows in: webnn run -i {argument:?}"
            ),
            (0, ..) => format!("{name} speaks the protocol. Next: webnn run -i reference -i {argument:?}"),
            (bad, 0, 1..) => format!(
                "{bad} to look at. {name} computed nothing and refused what is valid: answer `exception` only for what WebNN \
                 refuses. Of a call that has to be refused only the exception's name is compared, so that vectors pass for \
                 who refuses everything."
            ),
            (bad, ..) => format!("{bad} to look at. `webnn run --trace FILE ...` keeps the exact conversation."),
        }
    }
}

fn good(about: &str) -> SmokeCheck {
    SmokeCheck { about: about.to_owned(), outcome: Mark::Ok, message: None, advice: None }
}

fn skipped(about: &str, reason: String) -> SmokeCheck {
    SmokeCheck { outcome: Mark::Skip, message: Some(reason), ..good(about) }
}

fn bad(about: &str, problem: String, advice: Option<&'static str>) -> SmokeCheck {
    SmokeCheck { outcome: Mark::Bad, message: Some(problem), advice, ..good(about) }
}

fn is_negative(vector: &Vector) -> bool {
    matches!(vector.kind, Kind::Negative { .. })
}

/// What a vector that was tried shows of the implementation.
#[derive(PartialEq)]
enum Went {
    Computed,
    RefusedThoughValid,
    Otherwise,
}

/// Tries one.
fn tried(executor: &Executor, vector: &Vector, check: &Check) -> (SmokeCheck, Went) {
    let observed = match executor {
        Executor::Outside(outside) => outside.borrow_mut().attempt(vector),
        Executor::Model(_) => Ok(executor.finish(executor.start(vector))),
    };
    let about = check.about;
    let observation = match observed {
        Ok(observation) => observation,
        Err(problem) => {
            let advice = problem.advice();
            return (bad(about, problem.into(), advice), Went::Otherwise);
        }
    };
    let is_refusal = matches!(observation, Observation::Threw(_)) && !is_negative(vector);
    let went = if is_refusal { Went::RefusedThoughValid } else { Went::Otherwise };
    match judge(vector, &observation, false) {
        // Who refuses everything has refused what has to be, too.
        Outcome::Passed { .. } | Outcome::Open { .. } if is_negative(vector) => (good(about), went),
        Outcome::Passed { .. } | Outcome::Open { .. } => (good(about), Went::Computed),
        Outcome::Skipped(reason) => (skipped(about, reason), went),
        Outcome::Failed(unlike) => {
            let advice = unlike_advice(&unlike, &observation, vector, check);
            (bad(about, unlike.to_string(), Some(advice)), went)
        }
        // What the implementation says itself.
        Outcome::Errored(problem) => (bad(about, problem, Some(check.advice)), went),
    }
}

/// What to look at where something was observed, and not what is expected.
fn unlike_advice(unlike: &Unlike, observation: &Observation, vector: &Vector, check: &Check) -> &'static str {
    match (unlike, observation) {
        (Unlike::Element { expected, actual, .. }, _) if actual == "NaN" && expected != "NaN" => {
            "NaN where a number has to be: see whether the elements are read as they come, and whether all are computed"
        }
        (Unlike::Descriptor { .. }, _) => {
            "an output has the `dataType` and the `shape` that WebNN's operator gives, whatever holds it in between"
        }
        (_, Observation::Threw(_)) if is_negative(vector) => {
            "answer with the name that WebNN's exception has, here TypeError"
        }
        (_, Observation::Threw(_)) => {
            "this call is valid: answer `exception` for what the implementation refuses, `skipped` for what is not supported"
        }
        _ => check.advice,
    }
}
