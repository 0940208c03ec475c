//! `webnn`: runs WebNN conformance vectors on implementations, judges the results and reports them.
//!
//! A run goes through these modules: `selection` finds the vectors, and `roster` lists them; `run` hands them to `worker` threads, each of which
//! starts an `implementation` and executes vectors on it (`execute`), so that only observations come back; `judge`
//! compares those with what the vector expects, and `expectations` with what is known to fail; `results` writes
//! everything to a file as it comes, and `summary` is what the terminal shows in the end. The verbs of the command line
//! stand in `commands`. Random graphs, and what is made of them, stand in `fuzz`; what models cost in
//! memory in `memory`.
//!
//! What is public here is what tests need: [`trials`], every vector as a test of its own, and [`networks`], graphs that
//! are larger than a vector's.

mod accuracy;
mod commands;
mod execute;
mod expectations;
mod failure;
mod fuzz;
mod implementation;
mod interrupt;
mod judge;
mod listing;
mod markdown;
mod memory;
mod nearest;
pub mod networks;
mod output;
mod outside;
mod record;
mod report;
mod results;
mod roster;
mod run;
mod score;
mod selection;
mod shown;
mod signatures;
mod summary;
mod temporary;
pub mod trials;
mod worker;
mod wpt;

use clap::{Parser, Subcommand};

use failure::Failure;

use commands::{
    accuracy as accuracy_command, adapter, bench, compare, completions, coverage, decompositions, emit,
    expectations as expectations_command, explain, fuzz as fuzz_command, list, merge, plan, replay,
    report as report_command, run as run_command, schema, serve, show, smoke, wpt as wpt_command,
};

/// Runs conformance vectors of the W3C WebNN specification on implementations, and says where they differ from what is
/// expected and from each other.
///
/// A vector is one test as data: a graph with its inputs and expected outputs, a call that has to be refused, or a
/// scenario of calls. This program carries a set of them; other files and folders can be named instead.
#[derive(Debug, Parser)]
#[command(name = "webnn", version, after_help = EXIT_CODES)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

const EXIT_CODES: &str = "\
Exit codes:
  0   everything was as expected
  1   there were unexpected results (a failure, or a pass of a vector that is expected to fail; with
      `webnn run --fail-on-bounds` also a pass that is outside the derived bound)
  2   the command line is wrong
  65  a file is not what it should be
  66  no vector ran
  74  results could not be written
  78  an implementation that was asked for did not start
  130 the run was interrupted; `webnn run --resume` goes on with it";

#[derive(Debug, Subcommand)]
enum Command {
    /// Run vectors on implementations, and compare the results with what is expected and with each other.
    Run(run_command::Arguments),
    /// List vectors, operators, implementations or adapters.
    List(list::Arguments),
    /// Show a vector: its graph or its calls, and what is expected.
    Show(show::Arguments),
    /// Run one vector and show everything about it: the steps of the specification that it reaches, and every value
    /// beside the expected one.
    Explain(explain::Arguments),
    /// Say what vectors reach: required data types of operands, and steps of the specification.
    Coverage(coverage::Arguments),
    /// Report a run: a page, a summary for CI, or a file for other tools.
    Report(report_command::Arguments),
    /// Compare two runs: what is fixed, broken, new, gone or slower.
    Compare(compare::Arguments),
    /// Make a whole of the parts of a run (`webnn run --partition K/N`).
    Merge(merge::Arguments),
    /// Say how many dispatches and how much memory graphs take on a GPU: those of vectors, or else well-known networks.
    Plan(plan::Arguments),
    /// Try whether a program speaks the protocol of harness/PROTOCOL.md, and say in plain words what is wrong.
    Smoke(smoke::Arguments),
    /// Show a conversation that `webnn run --trace` kept, or have it again with a program.
    Replay(replay::Arguments),
    /// Bring the files of known failures up to date with a run.
    Expectations(expectations_command::Arguments),
    /// Serve a page on loopback, and run vectors on the WebNN of the browser that it is opened in.
    Serve(serve::Arguments),
    /// Speak the protocol of harness/PROTOCOL.md on standard input and output: an implementation of this program as one of
    /// another harness, or as one that may hang without harm (`webnn run -i "gpu=cmd:webnn adapter -i wgpu"`).
    Adapter(adapter::Arguments),
    /// Measure how accurate element-wise operators are, over all float16 numbers and a dense sample of float32.
    Accuracy(accuracy_command::Arguments),
    /// Write a vector as a test for something else, such as web-platform-tests.
    Emit(emit::Arguments),
    /// Run web-platform-tests' own tests, JavaScript and all.
    Wpt(wpt_command::Arguments),
    /// Run the decompositions that the specification gives in JavaScript, and say where they part from their operators.
    Decompositions(decompositions::Arguments),
    /// Draw random graphs, compare implementations with the interpreter on them, and shrink the graphs on which they
    /// differ.
    Fuzz(fuzz_command::Arguments),
    /// Measure how long loading and running vectors takes; or what models cost in memory (`webnn bench memory`), or
    /// how much sooner a graph is loaded than built (`webnn bench cache`).
    Bench(bench::Arguments),
    /// Write the JSON Schema of what this program reads or writes.
    Schema(schema::Arguments),
    /// Write what a shell needs to complete the command line.
    Completions(completions::Arguments),
    /// Write the manual page.
    Man,
    /// End what was started by the process that started this one, once that is gone.
    #[command(name = outside::guard::VERB, hide = true)]
    Guard,
    /// End with this exit code: what the program replaces itself with where a thread of it hangs.
    #[command(hide = true)]
    End {
        /// The exit code.
        code: u8,
    },
}

/// Runs the command line, and ends the program.
pub fn program() -> ! {
    let code = command_line();
    // What is left of those that did not answer in time, or that were not waited for.
    outside::group::end_all();
    interrupt::end(code)
}

/// Runs the command line, and returns the exit code.
fn command_line() -> u8 {
    quieten_panics();
    interrupt::listen();
    let command = CommandLine::parse().command;
    // Standard output that can not be written to panics where it is written.
    std::panic::catch_unwind(|| carry_out(&command)).unwrap_or_else(|_| {
        let failure = Failure::Output("the output can not be written".into());
        anstream::eprintln!("webnn: {failure}");
        failure.exit_code()
    })
}

fn carry_out(command: &Command) -> u8 {
    let result = match command {
        Command::Run(arguments) => run_command::run(arguments),
        Command::List(arguments) => list::list(arguments),
        Command::Show(arguments) => show::show(arguments),
        Command::Explain(arguments) => explain::explain(arguments),
        Command::Coverage(arguments) => coverage::coverage(arguments),
        Command::Plan(arguments) => plan::plan(arguments),
        Command::Adapter(arguments) => adapter::adapter(arguments),
        Command::Report(arguments) => report_command::report(arguments),
        Command::Compare(arguments) => compare::compare(arguments),
        Command::Merge(arguments) => merge::merge(arguments),
        Command::Expectations(arguments) => expectations_command::expectations(arguments),
        Command::Schema(arguments) => schema::schema(arguments),
        Command::Completions(arguments) => completions::completions(arguments),
        Command::Man => completions::manual(),
        Command::Serve(arguments) => serve::serve(arguments),
        Command::Smoke(arguments) => smoke::smoke(arguments),
        Command::Replay(arguments) => replay::replay(arguments),
        Command::Accuracy(arguments) => accuracy_command::accuracy(arguments),
        Command::Emit(arguments) => emit::emit(arguments),
        Command::Wpt(arguments) => wpt_command::wpt(arguments),
        Command::Decompositions(arguments) => decompositions::decompositions(arguments),
        Command::Fuzz(arguments) => fuzz_command::fuzz(arguments),
        Command::Bench(arguments) => bench::bench(arguments),
        Command::Guard => {
            outside::guard::keep_watch(std::io::stdin().lock());
            Ok(failure::AS_EXPECTED)
        }
        Command::End { code } => Ok(*code),
    };
    result.unwrap_or_else(|failure| {
        anstream::eprintln!("webnn: {}", shown::inert(&failure.to_string()));
        failure.exit_code()
    })
}

/// A panic of an implementation is caught and reported with its vector; the default message would tear the progress bar.
fn quieten_panics() {
    if std::env::var_os("RUST_BACKTRACE").is_none() {
        std::panic::set_hook(Box::new(|_| {}));
    }
}
