//! `webnn smoke`

use std::time::{Duration, Instant};

use clap::Args;
use webnn_reference::steps::Reading;
use webnn_vectors::{Loader, Vector};

use crate::execute::{Executor, Observation};
use crate::failure::{AS_EXPECTED, Failure, UNEXPECTED};
use crate::implementation::{Description, Implementation, Start};
use crate::judge::{Outcome, judge};
use crate::outside::transcript::Transcript;
use crate::signatures::signature;

/// The arguments of `webnn smoke`.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// The implementation, such as `cmd:python my_adapter.py`.
    implementation: Implementation,

    /// How long it may take for an answer, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    timeout: u64,
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
    anstream::println!("ok    starts and says who it is: {}", introduction(&description));
    let vectors = vectors()?;
    let (mut bad, mut computed) = (0, 0);
    for (vector, (about, advice)) in vectors.iter().zip(ABOUT) {
        match tried(&executor, vector, about) {
            Ok(is_computed) => computed += usize::from(is_computed),
            Err(problem) => {
                bad += 1;
                anstream::println!("BAD   {about}: {problem}\n      {advice}");
            }
        }
    }
    let begun = Instant::now();
    drop(executor);
    if begun.elapsed() > Duration::from_secs(4) {
        bad += 1;
        anstream::println!("BAD   ends when told to: it was still running after `stop` and the end of its input");
    } else {
        anstream::println!("ok    ends when told to");
    }
    if bad == 0 && computed == 0 {
        anstream::println!(
            "\nNothing was computed: {name} supports none of relu, gemm and softmax, or misspells them in `operators`. \
             What it can do shows in: webnn run -i {:?}",
            arguments.implementation.as_argument()
        );
        return Ok(UNEXPECTED);
    }
    if bad > 0 {
        anstream::println!("\n{bad} to look at. `webnn run --trace FILE ...` keeps the exact conversation.");
        return Ok(UNEXPECTED);
    }
    anstream::println!(
        "\n{name} speaks the protocol. Next: webnn run -i reference -i {:?}",
        arguments.implementation.as_argument()
    );
    Ok(AS_EXPECTED)
}

fn introduction(description: &Description) -> String {
    let adapter = description.adapter.as_ref().map(|adapter| format!(" on {adapter}")).unwrap_or_default();
    format!("{} {}{adapter}", description.name, description.version)
}

fn vectors() -> Result<Vec<Vector>, Failure> {
    let file = Loader::with_signatures(&signature).text("smoke.json", "smoke", VECTORS.as_bytes());
    Ok(file.map_err(|error| Failure::Data(error.to_string()))?.vectors)
}

/// Tries one, and says how it went where that is well: whether it was run.
///
/// # Errors
/// What is wrong.
fn tried(executor: &Executor, vector: &Vector, about: &str) -> Result<bool, String> {
    let observation = executor.finish(executor.start(vector));
    match (judge(vector, &observation, false), observation) {
        (Outcome::Failed(failure), Observation::Outputs(_)) => Err(format!("a wrong result: {failure}")),
        (Outcome::Failed(failure), _) => Err(failure.to_string()),
        (Outcome::Errored(problem), _) => Err(problem),
        (Outcome::Skipped(reason), _) => {
            anstream::println!("skip  {about}: {reason}");
            Ok(false)
        }
        (Outcome::Passed { .. } | Outcome::Open { .. }, _) => {
            anstream::println!("ok    {about}");
            Ok(true)
        }
    }
}
