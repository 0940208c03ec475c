//! Every vector that the program carries, on every implementation, as a test of its own, under its own name.

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use webnn_harness::trials::{Ended, Runner, vectors};
use webnn_vectors::Vector;

fn main() {
    let arguments = Arguments::from_args();
    let vectors = vectors().unwrap_or_else(|error| panic!("{error}"));
    let trials = [Runner::reference(), Runner::wgpu()]
        .iter()
        .flat_map(|runner| vectors.iter().map(|vector| trial(runner.clone(), vector.clone())))
        .collect();
    libtest_mimic::run(&arguments, trials).exit();
}

fn trial(runner: Runner, vector: Vector) -> Trial {
    let kind = runner.name();
    let name = vector.id.clone();
    let run = move || match runner.run(&vector) {
        Ended::Passed => Ok(Completion::Completed),
        Ended::Skipped(reason) => Ok(Completion::ignored_with(reason)),
        Ended::Failed(what) => Err(Failed::from(what)),
    };
    Trial::ignorable_test(name, run).with_kind(kind)
}
