//! `webnn replay`

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;

use crate::failure::{AS_EXPECTED, Failure, UNEXPECTED};
use crate::implementation::Implementation;
use crate::judge::distance::texts;
use crate::outside::decode;
use crate::outside::elements::Elements;
use crate::outside::messages::{Answer, Command, SentInput, SentResult, SentTensor, Work};
use crate::outside::transcript::{Said, Speaker};
use crate::outside::{Source, replayed};
use crate::shown::{self, inert, is_called};

/// The arguments of `webnn replay`.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// What `webnn run --trace FILE` kept.
    file: PathBuf,

    /// Say the harness's part to this program, `cmd:PROGRAM ARGUMENTS`, and compare its answers with those that were kept.
    /// Without it, the conversation is shown.
    #[arg(long, short, value_name = "COMMAND")]
    implementation: Option<Implementation>,

    /// Only what was said of vectors whose id contains this.
    #[arg(long, short, value_name = "TEXT")]
    filter: Option<String>,
}

/// How many elements of a tensor are shown as numbers.
const SHOWN: u64 = 16;

/// A command, and what was answered.
struct Exchange {
    command: Command,
    answer: Option<String>,
    /// What was said behind the answer, which nothing had asked for.
    surplus: Vec<String>,
    errors: Vec<String>,
    /// When it was sent, in seconds.
    at: f64,
    /// How the process ended without an answer, or why it was given up, and when.
    end: Option<(String, f64)>,
}

impl Exchange {
    /// What was answered, or how it ended without.
    fn answered(&self) -> String {
        match (&self.answer, &self.end) {
            (Some(answer), _) => answer.clone(),
            (None, Some((why, at))) => format!("(no answer: {why}, after {:.2} s)", at - self.at),
            (None, None) => "(no answer)".into(),
        }
    }
}

/// Shows a conversation, or has it again with a program.
///
/// # Errors
/// If the file is no conversation, or the program does not start.
pub(crate) fn replay(arguments: &Arguments) -> Result<u8, Failure> {
    let mut exchanges = exchanges(&arguments.file)?;
    if let Some(filter) = &arguments.filter {
        exchanges.retain(|exchange| is_called(id(&exchange.command), filter));
    }
    if exchanges.is_empty() {
        return Err(Failure::NothingToRun(format!("{}: nothing of that was said", arguments.file.display())));
    }
    match &arguments.implementation {
        None => {
            exchanges.iter().for_each(show);
            Ok(AS_EXPECTED)
        }
        Some(Implementation::Outside { source, .. }) => again(source, &exchanges),
        Some(other) => {
            Err(Failure::Usage(format!("{other} is no program that speaks the protocol: use `cmd:PROGRAM`")))
        }
    }
}

fn id(command: &Command) -> &str {
    match command {
        Command::Run { vector, .. } => &vector.id,
        Command::Start { .. } | Command::Stop { .. } => "",
    }
}

/// The commands in the order in which they were sent, each with what the same process answered.
fn exchanges(path: &Path) -> Result<Vec<Exchange>, Failure> {
    let wrong = |line: usize, why: &str| Failure::Data(format!("{}:{line}: {why}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| Failure::Data(format!("{}: {error}", path.display())))?;
    let mut exchanges: Vec<Exchange> = Vec::new();
    let mut latest: BTreeMap<u32, usize> = BTreeMap::new();
    for (number, line) in text.lines().enumerate().map(|(index, line)| (index + 1, line)) {
        let said: Said = serde_json::from_str(line).map_err(|error| wrong(number, &no_conversation(line, &error)))?;
        let last = latest.get(&said.process).and_then(|index| exchanges.get_mut(*index));
        match (said.by, last) {
            (Speaker::Harness, _) => {
                let command = serde_json::from_str(&said.line).map_err(|error| wrong(number, &error.to_string()))?;
                latest.insert(said.process, exchanges.len());
                let (answer, surplus, errors, end) = (None, vec![], vec![], None);
                exchanges.push(Exchange { command, answer, surplus, errors, at: said.at, end });
            }
            (Speaker::Adapter, Some(exchange)) if exchange.answer.is_none() => exchange.answer = Some(said.line),
            (Speaker::Adapter, Some(exchange)) => exchange.surplus.push(said.line),
            (Speaker::Adapter, None) => return Err(wrong(number, "an answer to nothing")),
            (Speaker::StandardError, Some(exchange)) => exchange.errors.push(said.line),
            (Speaker::End, Some(exchange)) => exchange.end = Some((said.line, said.at)),
            (Speaker::StandardError | Speaker::End, None) => {}
        }
    }
    Ok(exchanges)
}

/// What a line is that is no part of a conversation.
fn no_conversation(line: &str, error: &serde_json::Error) -> String {
    let json: serde_json::Value = serde_json::from_str(line).unwrap_or_default();
    let what = if json["line"].is_string() {
        "this is a file of results".to_owned()
    } else if json.get("tests").is_some() || line.trim() == "{" {
        "this is no conversation".to_owned()
    } else {
        format!("this is no part of a conversation ({error})")
    };
    format!("{what}; `webnn run --trace FILE` keeps the conversation with an adapter, and `webnn replay FILE` shows it")
}

fn show(exchange: &Exchange) {
    let command = serde_json::to_string(&exchange.command).unwrap_or_default();
    anstream::println!("> {}", inert(&command));
    given(&exchange.command).iter().for_each(|line| anstream::println!("    {}", inert(line)));
    for error in &exchange.errors {
        anstream::println!("! {}", inert(error));
    }
    anstream::println!("< {}", inert(&exchange.answered()));
    let answer = exchange.answer.as_deref().and_then(|answer| serde_json::from_str(answer).ok());
    answer.iter().flat_map(gave).for_each(|line| anstream::println!("    {}", inert(&line)));
    for line in &exchange.surplus {
        anstream::println!("< {} (nothing was asked)", inert(line));
    }
}

/// The inputs of a command as numbers, those that are small.
fn given(command: &Command) -> Vec<String> {
    let Command::Run { vector, .. } = command else {
        return vec![];
    };
    match &vector.work {
        Work::Graph(graph) => {
            graph.inputs.iter().filter_map(|(name, input)| numbers(name, &repeated(input)?)).collect()
        }
        Work::Scenario(_) => vec![],
    }
}

/// The tensors of an answer as numbers, those that are small.
fn gave(answer: &Answer) -> Vec<String> {
    match answer {
        Answer::Result { outputs, .. } => outputs.iter().filter_map(|(name, sent)| numbers(name, sent)).collect(),
        Answer::Calls { results, .. } => {
            let tensors = results.iter().enumerate().filter_map(|(call, result)| match result {
                SentResult::Tensor(sent) => numbers(&format!("call {call}"), sent),
                SentResult::Done(_) | SentResult::Value(_) | SentResult::Exception(_) => None,
            });
            tensors.collect()
        }
        Answer::Ready(_) | Answer::Exception { .. } | Answer::Skipped { .. } | Answer::Errored { .. } => vec![],
    }
}

/// An input as it would be read back, if that is not large.
fn repeated(input: &SentInput) -> Option<SentTensor> {
    let SentInput { data_type, shape, bytes, times, .. } = input.clone();
    let times = usize::try_from(times).ok().filter(|_| is_small(&shape))?;
    let pattern = bytes.into_bytes().ok()?;
    let is_all = pattern.len().checked_mul(times)? <= SHOWN as usize * 8;
    let bytes = is_all.then(|| Elements::Bytes(pattern.repeat(times)))?;
    Some(SentTensor { data_type, shape, bytes: Some(bytes), data: None })
}

/// A small tensor as numbers; none where it is large, or no tensor.
fn numbers(name: &str, sent: &SentTensor) -> Option<String> {
    let tensor = is_small(&sent.shape).then(|| decode::tensor(sent.clone()).ok())??;
    let (name, data_type, elements) = (shown::name(name), tensor.data_type, texts(&tensor).join(", "));
    Some(format!("{name} {data_type}{:?}: {elements}", tensor.shape))
}

fn is_small(shape: &[u32]) -> bool {
    let count = shape.iter().try_fold(1u64, |count, size| count.checked_mul((*size).into()));
    count.is_some_and(|count| count <= SHOWN)
}

fn again(source: &Source, exchanges: &[Exchange]) -> Result<u8, Failure> {
    let runs: Vec<&Exchange> =
        exchanges.iter().filter(|exchange| matches!(exchange.command, Command::Run { .. })).collect();
    let commands: Vec<&Command> = runs.iter().map(|exchange| &exchange.command).collect();
    let answers = replayed(source, Duration::from_secs(60), &commands);
    let answers = answers.map_err(|problem| Failure::NotStarted(problem.into()))?;
    let mut different = 0;
    for (exchange, now) in runs.iter().zip(answers) {
        let kept = exchange.answered();
        let same = match (serde_json::from_str::<Answer>(&kept), &now) {
            (Ok(kept), Ok(now)) => serde_json::to_value(kept).ok() == serde_json::to_value(now).ok(),
            _ => false,
        };
        if !same {
            different += 1;
            let now = now.map_or_else(
                |problem| format!("(no answer: {problem})"),
                |now| serde_json::to_string(&now).unwrap_or_default(),
            );
            let id = shown::name(id(&exchange.command));
            anstream::println!("{id}\n  kept: {}\n  now:  {}", inert(&kept), inert(&now));
        }
    }
    anstream::println!("{} commands, {different} answered otherwise", runs.len());
    Ok(if different > 0 { UNEXPECTED } else { AS_EXPECTED })
}
