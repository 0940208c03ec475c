//! `webnn replay`

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;

use crate::failure::{AS_EXPECTED, Failure, UNEXPECTED};
use crate::implementation::Implementation;
use crate::outside::messages::{Answer, Command};
use crate::outside::transcript::{Said, Speaker};
use crate::outside::{Source, replayed};

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

/// A command, and what was answered.
struct Exchange {
    command: Command,
    answer: Option<String>,
    errors: Vec<String>,
}

/// Shows a conversation, or has it again with a program.
///
/// # Errors
/// If the file is no conversation, or the program does not start.
pub(crate) fn replay(arguments: &Arguments) -> Result<u8, Failure> {
    let mut exchanges = exchanges(&arguments.file)?;
    if let Some(filter) = &arguments.filter {
        exchanges.retain(|exchange| id(&exchange.command).contains(filter.as_str()));
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
    let wrong = |line: usize, why: String| Failure::Data(format!("{}:{line}: {why}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| Failure::Data(format!("{}: {error}", path.display())))?;
    let mut exchanges: Vec<Exchange> = Vec::new();
    let mut latest: BTreeMap<u32, usize> = BTreeMap::new();
    for (number, line) in text.lines().enumerate().map(|(index, line)| (index + 1, line)) {
        let said: Said = serde_json::from_str(line).map_err(|error| wrong(number, error.to_string()))?;
        let last = latest.get(&said.process).and_then(|index| exchanges.get_mut(*index));
        match (said.by, last) {
            (Speaker::Harness, _) => {
                let command = serde_json::from_str(&said.line).map_err(|error| wrong(number, error.to_string()))?;
                latest.insert(said.process, exchanges.len());
                exchanges.push(Exchange { command, answer: None, errors: vec![] });
            }
            (Speaker::Adapter, Some(exchange)) if exchange.answer.is_none() => exchange.answer = Some(said.line),
            (Speaker::Adapter, _) => return Err(wrong(number, "an answer to nothing".into())),
            (Speaker::StandardError, Some(exchange)) => exchange.errors.push(said.line),
            (Speaker::StandardError, None) => {}
        }
    }
    Ok(exchanges)
}

fn show(exchange: &Exchange) {
    let command = serde_json::to_string(&exchange.command).unwrap_or_default();
    anstream::println!("> {command}");
    for error in &exchange.errors {
        anstream::println!("! {error}");
    }
    anstream::println!("< {}", exchange.answer.as_deref().unwrap_or("(no answer)"));
}

fn again(source: &Source, exchanges: &[Exchange]) -> Result<u8, Failure> {
    let runs: Vec<&Exchange> =
        exchanges.iter().filter(|exchange| matches!(exchange.command, Command::Run { .. })).collect();
    let commands: Vec<&Command> = runs.iter().map(|exchange| &exchange.command).collect();
    let answers = replayed(source, Duration::from_secs(60), &commands).map_err(Failure::NotStarted)?;
    let mut different = 0;
    for (exchange, now) in runs.iter().zip(answers) {
        let kept = exchange.answer.as_deref().unwrap_or("(no answer)");
        let same = match (serde_json::from_str::<Answer>(kept), &now) {
            (Ok(kept), Ok(now)) => serde_json::to_value(kept).ok() == serde_json::to_value(now).ok(),
            _ => false,
        };
        if !same {
            different += 1;
            let now = now.map_or_else(|problem| problem, |now| serde_json::to_string(&now).unwrap_or_default());
            anstream::println!("{}\n  kept: {kept}\n  now:  {now}", id(&exchange.command));
        }
    }
    anstream::println!("{} commands, {different} answered otherwise", runs.len());
    Ok(if different > 0 { UNEXPECTED } else { AS_EXPECTED })
}
